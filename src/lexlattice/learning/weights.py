"""Files of weights, written; `lexlattice.weights` reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from lexlattice.files import write_whole

_TYPES: Final = {"|u1": "U8", "|i1": "I8", "<u4": "U32", "<f2": "F16", "<f4": "F32"}


def write_weights(path: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str]) -> None:
    """Write named arrays as safetensors, and what the file says of itself; it is there whole or not at all."""
    write_whole(path, _safetensors(arrays, about))


def _safetensors(arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str]) -> bytes:
    """The file, the same for the same numbers: the library's own writer orders `about` at random."""
    header: dict[str, Any] = {"__metadata__": dict(about)}
    parts = []
    end = 0
    for name, array in arrays.items():
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": _TYPES[little.dtype.str], "shape": list(array.shape), "data_offsets": [begin, end]}
        parts.append(little.tobytes())
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])
