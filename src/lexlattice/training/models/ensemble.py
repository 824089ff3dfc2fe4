"""Several trained networks of meaning as one file, whose members are averaged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from lexlattice._internal.weights import read_weights, write_weights
from lexlattice.errors import LexLatticeError
from lexlattice.lattice.model import Network


def join_members(paths: Sequence[Path], target: Path, average: str = "logit") -> Network:
    """Write the members of all files into one; what it says of itself is what the first says."""
    arrays: dict[str, NDArray[Any]] = {}
    wirings: list[object] = []
    fingerprints = {Network.read(path).encoder for path in paths}
    if len(fingerprints) != 1:
        raise LexLatticeError("One of the networks was trained with another encoder; join those of one encoder.")
    for path in paths:
        found, about = read_weights(path)
        members = json.loads(about["members"])
        for number, wiring in enumerate(members):
            prefix = f"members.{number}."
            own = {name.removeprefix(prefix): array for name, array in found.items() if name.startswith(prefix)}
            arrays |= {f"members.{len(wirings)}.{name}": array for name, array in own.items()}
            wirings.append(wiring)
    about = read_weights(paths[0]).about | {"members": json.dumps(wirings), "average": average}
    write_weights(target, arrays, about)
    try:
        return Network.read(target)
    except LexLatticeError:
        target.unlink()
        raise
