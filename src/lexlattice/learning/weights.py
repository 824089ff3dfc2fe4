"""Files of weights, written; `lexlattice.weights` reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexlattice.files import write_whole
from lexlattice.weights import TYPES, Types


def write_weights(path: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str]) -> None:
    """Write named arrays as safetensors, and what the file says of itself; it is there whole or not at all."""
    write_whole(path, safetensors(arrays, about))


def safetensors(arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str], types: Types = TYPES) -> bytes:
    """The file, the same for the same numbers: the library's own writer orders `about` at random."""
    names = {np.dtype(kind): name for name, kind in types.items()}
    header: dict[str, Any] = {"__metadata__": dict(about)}
    parts = []
    end = 0
    for name, array in arrays.items():
        kind, little = names[array.dtype.newbyteorder("=")], array.astype(array.dtype.newbyteorder("<"), copy=False)
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [begin, end]}
        parts.append(little.tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])
