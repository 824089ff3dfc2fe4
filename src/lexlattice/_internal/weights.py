"""What is shipped trained, one safetensors file and one model card each; and the reader of such files.

Files are memory-mapped: opening one costs nothing, and only the rows that are used are ever read.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.files import write_whole
from lexlattice.errors import LexLatticeError, brief

Types = Mapping[str, type[np.generic]]
TYPES: Final[Types] = {"U8": np.uint8, "I8": np.int8, "U32": np.uint32, "F16": np.float16, "F32": np.float32}
"""What weights are made of, by the names of the format."""
_LONGEST_HEADER: Final = 1 << 20


class Weights(NamedTuple):
    """Named arrays, mapped from a file, and what the file says of itself."""

    arrays: dict[str, NDArray[Any]]
    about: dict[str, str]


def read_weights(path: str | os.PathLike[str]) -> Weights:
    """Map a safetensors file; one that is cut off, damaged or no such file is refused."""
    weights = read_arrays(path)
    for name, array in weights.arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise LexLatticeError(f"The weights '{path}' hold values that are no numbers ('{name}'); train them anew.")
    return weights


def read_arrays(path: str | os.PathLike[str], types: Types = TYPES, longest_header: int = _LONGEST_HEADER) -> Weights:
    """The same for arrays that need not be weights: of these types, and with any values."""
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(8), "little")
            if not 2 <= length <= min(longest_header, size - 8):
                raise ValueError("its header is cut off")
            header = json.loads(file.read(length))
        about = header.pop("__metadata__", {})
        if not isinstance(about, dict) or not all(isinstance(text, str) for text in about.values()):
            raise ValueError("what it says of itself is no text")
        base = 8 + length
        arrays = {name: _mapped(path, types, base, size, **entry) for name, entry in header.items()}
    except OSError as error:
        raise LexLatticeError(
            f"The weights '{path}' cannot be opened ({error.strerror or error}); check the name."
        ) from error
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as error:
        reason = brief(error) if type(error) is ValueError else "its header cannot be read"
        raise LexLatticeError(
            f"The file '{path}' is not whole, or holds no weights ({reason}); get or train it anew."
        ) from error
    return Weights(arrays, about)


def _mapped(
    path: str | os.PathLike[str],
    types: Types,
    base: int,
    size: int,
    dtype: str,
    shape: list[int],
    data_offsets: list[int],
) -> NDArray[Any]:
    begin, end = data_offsets
    kind = np.dtype(types[dtype]).newbyteorder("<")
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError("an array has no such shape")
    if not 0 <= begin <= end <= size - base or end - begin != kind.itemsize * math.prod(shape):
        raise ValueError("it is cut off")
    if begin == end:
        return np.zeros(shape, kind)
    return np.memmap(path, kind, "r", base + begin, tuple(shape))


# Files of weights, written; `lexlattice.weights` reads them.


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
