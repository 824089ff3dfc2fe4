"""Join trained networks of meaning into one file, whose members are averaged."""

from __future__ import annotations

import argparse
from pathlib import Path

from lexlattice.lattice.model import AVERAGES
from lexlattice.training.models.ensemble import join_members


def main() -> None:
    """Join the files that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path, metavar="MODEL")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument("--average", choices=AVERAGES, default="probability", help="(default: %(default)s)")
    options = parser.parse_args()
    network = join_members(options.models, options.output, options.average)
    print(f"{len(network.members)} members, {network.parameters:,} parameters: {options.output}")


if __name__ == "__main__":
    main()
