"""Fit the silver alignment model on the gold annotations of training acts, and write its weights into the package.

Usage: LEXLATTICE_DATA=… python tools/fit_silver.py
Takes about two minutes.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import torch

from checksums import TARGET as CHECKSUMS
from checksums import module as checksums
from lexlattice._internal.weights import write_weights
from lexlattice.encoding.static import Static
from lexlattice.training.silver.fitting import fit
from lexlattice.training.silver.gold import gold_acts
from lexlattice.training.silver.model import PATH, arrays_of


def main() -> None:
    """Fit on all annotated training acts."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    torch.set_num_threads(1)  # the same weights on every machine
    data = Path(os.environ["LEXLATTICE_DATA"])
    gold = Path(__file__).resolve().parent.parent / "data" / "gold"
    rows = data / "eur-lex-sum" / "en" / "train.jsonl.gz"
    examples = [item.example for item in gold_acts(gold / "train.jsonl", rows, Static())]
    write_weights(PATH, arrays_of(fit(examples)), {"fitted on": f"{len(examples)} annotated training acts"})
    CHECKSUMS.write_text(checksums(), "utf-8")
    print(f"{PATH.name}: fitted on {len(examples)} acts")


if __name__ == "__main__":
    main()
