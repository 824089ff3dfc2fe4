"""Files of weights in the safetensors format: a memory-mapped reader and a deterministic writer.

The `safetensors` library copies every array when it reads and orders metadata at random when it writes. Here opening a
file costs nothing, only the rows that are used are ever loaded, processes share the pages, and the same weights always
give the same bytes. Tests check both directions against the library.
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
from lexlattice.errors import WeightsError, brief

Types = Mapping[str, type[np.generic]]
TYPES: Final[Types] = {"U8": np.uint8, "I8": np.int8, "U32": np.uint32, "F16": np.float16, "F32": np.float32}
"""The data types of weights, by their names in the format."""
_LONGEST_HEADER: Final = 1 << 20


class Weights(NamedTuple):
    """Named arrays, mapped from a file, and the file's metadata."""

    arrays: dict[str, NDArray[Any]]
    about: dict[str, str]


def read_weights(path: str | os.PathLike[str]) -> Weights:
    """Map a file of weights.

    Raises:
        WeightsError: If the file is missing, truncated, damaged, of another format, or holds NaN or infinity.

    """
    weights = read_arrays(path)
    for name, array in weights.arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise WeightsError(f"The weights '{path}' hold values that are not finite ('{name}'); train them again.")
    return weights


def read_arrays(path: str | os.PathLike[str], types: Types = TYPES, longest_header: int = _LONGEST_HEADER) -> Weights:
    """Map a file of arrays that need not be weights: of these types, with any values."""
    try:
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            # 8 bytes: the length of the header, little-endian. A damaged file may claim any length: read no more than
            # the file has, and no more than a header of ours could need.
            length = int.from_bytes(file.read(8), "little")
            if not 2 <= length <= min(longest_header, size - 8):
                raise ValueError("its header is cut off")
            header = json.loads(file.read(length))
        about = header.pop("__metadata__", {})
        if not isinstance(about, dict) or not all(isinstance(text, str) for text in about.values()):
            raise ValueError("its metadata is not text")
        base = 8 + length
        arrays = {name: _mapped(path, types, base, size, **entry) for name, entry in header.items()}
    except OSError as error:
        raise WeightsError(
            f"The weights '{path}' cannot be opened ({error.strerror or error}); check the name."
        ) from error
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as error:
        # Whatever JSON can do to the lines above: entries that are no objects, names that are missing, huge numbers.
        reason = brief(error) if type(error) is ValueError else "its header cannot be read"
        raise WeightsError(
            f"The file '{path}' is not whole, or holds no weights ({reason}); get or train it again."
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
    """Map one array; `dtype`, `shape` and `data_offsets` are its entry in the header."""
    begin, end = data_offsets
    kind = np.dtype(types[dtype]).newbyteorder("<")
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError("an array has no such shape")
    if not 0 <= begin <= end <= size - base or end - begin != kind.itemsize * math.prod(shape):
        raise ValueError("it is cut off")
    if begin == end:  # an empty range cannot be mapped
        return np.zeros(shape, kind)
    return np.memmap(path, kind, "r", base + begin, tuple(shape))


def write_weights(path: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str]) -> None:
    """Write arrays and metadata as a safetensors file, completely or not at all."""
    write_whole(path, safetensors(arrays, about))


def safetensors(arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str], types: Types = TYPES) -> bytes:
    """Return the content of a safetensors file; the same bytes for the same arrays and metadata."""
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
    text += b" " * (-len(text) % 8)  # the format wants the data aligned to 8 bytes
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])
