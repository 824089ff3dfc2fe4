"""Files of weights in the safetensors format: a memory-mapped reader and a deterministic writer.

The `safetensors` library copies every array when it reads and orders metadata at random when it writes. Here opening a
file costs nothing, only the rows that are used are ever loaded, processes share the pages, and the same weights always
give the same bytes. Tests check both directions against the library.

Files that come with the package have a checksum in `checksums`; those that are written here have one in their metadata.
It is compared whenever they are opened: a copy of which the last pages are zeros would otherwise be read as weights.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.checksums import CRC32, SHA256
from lexlattice._internal.files import write_whole
from lexlattice.errors import WeightsError, brief

TYPES: Final[Mapping[str, type[np.generic]]] = {
    "U8": np.uint8,
    "I8": np.int8,
    "U32": np.uint32,
    "F16": np.float16,
    "F32": np.float32,
}
"""The data types of weights, by their names in the format."""
_LONGEST_HEADER: Final = 1 << 20
_PACKAGE: Final = Path(__file__).parent.parent
_CHECKSUM: Final = "crc32"
"""The entry of the metadata that has the checksum of the rest of the header and of the values."""
_BUFFER: Final = 1 << 18
"""Bytes that are read at once for a checksum: few enough for a processor's cache."""


class Weights(NamedTuple):
    """Named arrays, mapped from a file, and the file's metadata."""

    arrays: dict[str, NDArray[Any]]
    about: dict[str, str]


class _Entry(NamedTuple):
    """An array as the header describes it."""

    name: str
    kind: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int
    end: int


def read_weights(path: str | os.PathLike[str]) -> Weights:
    """Map a file of weights.

    Raises:
        WeightsError: If the file is missing, truncated, damaged, of another format, or holds NaN or infinity.

    """
    try:
        with Path(path).open("rb") as file:
            _compare_checksum(path, file)
            weights = _mapped(file)
    except OSError as error:
        raise WeightsError(
            f"The weights '{path}' cannot be opened ({error.strerror or error}); check the name."
        ) from error
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError) as error:
        # Whatever JSON can do to the header: entries that are no objects, names that are missing, huge numbers.
        reason = brief(error) if type(error) is ValueError else "its header cannot be read"
        raise WeightsError(
            f"The file '{path}' is not whole, or holds no weights ({reason}); get or train it again."
        ) from error
    for name, array in weights.arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise WeightsError(f"The weights '{path}' hold values that are not finite ('{name}'); train them again.")
    return weights


def _compare_checksum(path: str | os.PathLike[str], file: IO[bytes]) -> None:
    """Raise a WeightsError if a file of the package is not the one that was shipped."""
    expected = CRC32.get(_name(path))
    if expected is None:
        return
    # Reading beats mapping here: pages that are mapped have to be entered into the page table one by one.
    checksum, buffer = 0, memoryview(bytearray(_BUFFER))
    while length := file.readinto(buffer):  # type: ignore[attr-defined]  # every binary file has it
        checksum = zlib.crc32(buffer[:length], checksum)
    if checksum != expected:
        raise WeightsError(f"The weights '{path}' are damaged; install the package again.")
    file.seek(0)


def sha256_of(path: str | os.PathLike[str]) -> str:
    """Return the digest of a file of weights; that of a file of the package is known, and not computed again."""
    if known := SHA256.get(_name(path)):
        return known
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file within the package, or its whole path if it is elsewhere."""
    absolute = Path(path).absolute()
    return (absolute.relative_to(_PACKAGE) if absolute.is_relative_to(_PACKAGE) else absolute).as_posix()


def _mapped(file: IO[bytes]) -> Weights:
    """Map the arrays of a file, which have to fill it exactly, as the format demands: no holes and no overlaps."""
    size = os.fstat(file.fileno()).st_size
    # 8 bytes: the length of the header, little-endian. A damaged file may claim any length: read no more than the file
    # has, and no more than a header of ours could need.
    length = int.from_bytes(file.read(8), "little")
    if not 2 <= length <= min(_LONGEST_HEADER, size - 8):
        raise ValueError("its header is cut off")
    header = json.loads(file.read(length), object_pairs_hook=_object)
    about = header.pop("__metadata__", {})
    if not isinstance(about, dict) or not all(isinstance(text, str) for text in about.values()):
        raise ValueError("its metadata is not text")
    expected = about.pop(_CHECKSUM, None)
    checksum = _checksum({"__metadata__": about, **header})
    entries = [_entry(name, **described) for name, described in header.items()]
    base = end = 8 + length
    for entry in sorted(entries, key=lambda entry: (entry.begin, entry.end)):
        if base + entry.begin != end:
            raise ValueError("its arrays overlap, or leave holes")
        end = base + entry.end
    if end != size:
        raise ValueError("it is cut off" if end > size else "it goes on after its last array")
    content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if expected is not None and expected != f"{zlib.crc32(memoryview(content)[base:], checksum):08x}":
        raise ValueError("its values are not those that were written")
    arrays = {
        entry.name: np.frombuffer(content, entry.kind, math.prod(entry.shape), base + entry.begin).reshape(entry.shape)
        if entry.end > entry.begin
        else np.zeros(entry.shape, entry.kind)
        for entry in entries
    }
    return Weights(arrays, about)


def _checksum(header: Mapping[str, Any]) -> int:
    """Return the checksum of a header without its own entry."""
    return zlib.crc32(_compact(header))


def _compact(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, separators=(",", ":")).encode()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of the header, in which no name may occur twice."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("its header names something twice")
    return found


def _entry(name: str, dtype: str, shape: list[int], data_offsets: list[int]) -> _Entry:
    """Check an entry of the header, which consists of `dtype`, `shape` and `data_offsets`."""
    begin, end = data_offsets
    kind = np.dtype(TYPES[dtype]).newbyteorder("<")
    if not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError("an array has no such shape")
    if not (type(begin) is type(end) is int and 0 <= begin <= end and end - begin == kind.itemsize * math.prod(shape)):
        raise ValueError("an array has another size than its shape")
    return _Entry(name, kind, tuple(shape), begin, end)


def write_weights(path: Path, arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str]) -> None:
    """Write arrays and metadata as a safetensors file, completely or not at all."""
    write_whole(path, safetensors(arrays, about))


def safetensors(arrays: Mapping[str, NDArray[Any]], about: Mapping[str, str]) -> bytes:
    """Return the content of a safetensors file; the same bytes for the same arrays and metadata."""
    names = {np.dtype(kind): name for name, kind in TYPES.items()}
    header: dict[str, Any] = {"__metadata__": dict(about)}
    parts = []
    end = 0
    for name, array in arrays.items():
        kind, little = names[array.dtype.newbyteorder("=")], array.astype(array.dtype.newbyteorder("<"), copy=False)
        begin, end = end, end + array.nbytes
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [begin, end]}
        parts.append(little.tobytes())
    checksum = _checksum(header)
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    header["__metadata__"][_CHECKSUM] = f"{checksum:08x}"
    text = _compact(header)
    text += b" " * (-len(text) % 8)  # the format wants the data aligned to 8 bytes
    return b"".join([len(text).to_bytes(8, "little"), text, *parts])
