"""Examples to train on: acts that are read and encoded, with the oracle's selection, and the folder of them.

The folder is a `ShardFolder`. A shard has sixteen rows of the data in two files: the acts, as lines of JSON that are
compressed one by one so that each can be decoded alone (`shard-00000.jsonl.gz`), and the vectors of all their units
as float16 (`shard-00000.npy`). Examples are decoded when they are used, and only the last ones stay in memory.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tokenize import TokenError
from typing import Any, Final, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.files import sha256, write_whole
from lexlattice._internal.shards import MANIFEST, Shard, ShardFolder, manifest_of, read_finished, shard_file
from lexlattice.act.document import Act
from lexlattice.encoding.base import rounded
from lexlattice.errors import DataError, LexLatticeError, brief
from lexlattice.training.targets import NO_TARGETS, Targets, targets_from_dict, targets_to_dict

Vectors = NDArray[np.float32]

FORMAT: Final = "lexlattice prepared 3"
_READABLE: Final = (FORMAT, "lexlattice prepared 2")
"""Version 2 has float32 vectors."""
_STORED: Final = np.dtype("<f2")
SHARD_SIZE: Final = 16
"""Rows of the data in a shard: what is lost at most when a process is killed."""
_CACHED_EXAMPLES: Final = 2048
"""Examples that stay decoded: a corpus like EUR-Lex-Sum in one language, in less than a gigabyte."""
_LINES, _VECTORS = "jsonl.gz", "npy"
_DECODING_ERRORS: Final = (
    *(OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, LexLatticeError, AttributeError),
    *(MemoryError, OverflowError, RecursionError, SyntaxError, TokenError),
)
"""What gzip, JSON and NumPy raise for damaged files; the last ones only for files forged to fit their digest."""


@dataclass(frozen=True, eq=False)
class Example:
    """An act to train on. It equals only itself, so that what is computed from it can be cached by it."""

    line: int
    """Line of the row in its data."""
    celex: str
    act: Act
    vectors: Vectors
    """One row per unit; zero for units without words."""
    order: tuple[int, ...]
    """Indices of the units that the oracle selects, in the order it selects them; possibly empty."""
    summary: str
    words: int
    """The budget: the number of words of the summary."""
    targets: Targets = NO_TARGETS
    """Gold annotations and silver alignment of the units, if there are any."""


class Key(NamedTuple):
    """Tells whether two rows are of the same act."""

    celex: str
    """Empty if the data have none."""
    text: str
    """Digest of the act's text in the data."""


class Packed(NamedTuple):
    """An example in the form it is written."""

    line: int
    key: Key
    chosen: int
    """How many units the oracle selects."""
    content: bytes
    vectors: NDArray[np.floating[Any]]
    """As float16: half of the disk, and a change of at most 2⁻¹¹ of a vector's length."""


def pack(example: Example, text: str, encoder: str = "") -> Packed:
    """Encode an example for writing; `text` is the act's text in the data, `encoder` the name for error messages."""
    row: dict[str, Any] = {
        "line": example.line,
        "celex": example.celex,
        "summary": example.summary,
        "order": example.order,
    }
    row |= targets_to_dict(example.targets) | {"act": example.act.to_dict()}
    content = json.dumps(row, ensure_ascii=False).encode() + b"\n"
    key = Key(example.celex, sha256(text.encode())[:32])
    # without a time in the header of gzip, the same example gives the same bytes
    vectors = rounded(example.vectors, _STORED, encoder)
    return Packed(example.line, key, len(example.order), gzip.compress(content, mtime=0), vectors)


def write_shard(
    folder: ShardFolder, number: int, source: str, rows: Sequence[Packed], skipped: Sequence[Mapping[str, Any]]
) -> None:
    """Write the examples made of some rows; `source` is the digest of these rows, `skipped` those without example."""
    with folder.write(number, _LINES, _VECTORS) as shard, io.BytesIO() as file:
        np.save(file, np.concatenate([row.vectors for row in rows]) if rows else np.zeros((0, 0), _STORED))
        write_whole(folder.path(number, _LINES), b"".join(row.content for row in rows))
        write_whole(folder.path(number, _VECTORS), file.getvalue())
        shard.source = source
        shard.counts |= {"acts": len(rows), "units": sum(len(row.vectors) for row in rows)}
        shard.details |= {
            "rows": [[row.line, *row.key, row.chosen, len(row.vectors), len(row.content)] for row in rows],
            "skipped": list(skipped),
        }


class _Place(NamedTuple):
    """Where an example is, and what is known of it without decoding it."""

    shard: int
    offset: int
    """Of its line in bytes."""
    size: int
    first: int
    """Row of its first vector."""
    units: int
    line: int
    key: Key
    chosen: int


class Prepared(Sequence[Example]):
    """The examples of a folder, decoded when they are used."""

    def __init__(self, folder: Path, manifest: dict[str, Any], places: Sequence[_Place]) -> None:
        """Store what `open` has read."""
        self.folder = folder
        self.manifest = manifest
        """How the examples were made, and what was skipped: `profile`, `encoder`, `oracle`, `skipped` and so on."""
        self._places = places
        self._example = lru_cache(_CACHED_EXAMPLES)(self._decode)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, verify: bool = False) -> Self:
        """Open a folder, once it is certain that it is complete and unchanged.

        Args:
            folder: Where `prepare` wrote to.
            verify: Check the digest of every file, not only its size; this takes as long as reading them.

        Raises:
            DataError: The folder holds no prepared acts, is not finished, or is damaged.

        """
        folder = Path(folder)
        try:
            manifest, shards = read_finished(folder, verify=verify)
            if manifest["format"] not in _READABLE:
                raise ValueError(f"'{MANIFEST}' is of another version")
            return cls(folder, manifest, [place for shard in shards for place in _places(shard)])
        except OSError as error:
            reason = f"'{Path(error.filename or folder).name}': {error.strerror or brief(error)}"
            raise DataError(f"'{folder}' holds no prepared acts ({reason}); prepare them first.") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DataError(f"'{folder}' is damaged ({brief(error)}); prepare it again.") from error

    @staticmethod
    def is_at(folder: Path) -> bool:
        """Whether a folder holds prepared acts, complete or not."""
        return manifest_of(folder).is_file()

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Example]: ...
    def __getitem__(self, index: int | slice) -> Example | Sequence[Example]:
        if isinstance(index, slice):
            return self.take(range(*index.indices(len(self))))
        return self._example(range(len(self))[index])

    def take(self, indices: Iterable[int]) -> Self:
        """Return some of the examples, in the given order."""
        return type(self)(self.folder, self.manifest, [self._places[index] for index in indices])

    @property
    def keys(self) -> list[Key]:
        """The keys of the acts, which are known without decoding the examples."""
        return [place.key for place in self._places]

    @property
    def with_choice(self) -> Self:
        """The examples of which gold or the oracle selects at least one unit."""
        return self.take(index for index, place in enumerate(self._places) if place.chosen)

    @property
    def without_choice(self) -> int:
        """How many examples have no selected unit, and so no order to learn."""
        return sum(not place.chosen for place in self._places)

    def _decode(self, index: int) -> Example:
        place = self._places[index]
        try:
            lines, arrays = (self.folder / shard_file(place.shard, suffix) for suffix in (_LINES, _VECTORS))
            with lines.open("rb") as file:
                file.seek(place.offset)
                data = json.loads(gzip.decompress(file.read(place.size)))
            mapped = np.load(arrays, mmap_mode="r", allow_pickle=False)
            # a copy, since a mapped array keeps its file open, and a process may have only a few hundred open files
            vectors: Vectors = np.array(mapped[place.first : place.first + place.units], np.float32)
            act = Act.from_dict(data["act"])
            order, summary = tuple(data["order"]), data["summary"]
            targets = targets_from_dict(data, place.key.celex, act)
            if not len(act.units) == len(vectors) == place.units or mapped.dtype not in (np.float16, np.float32):
                raise ValueError("an act and its vectors do not fit")
        except _DECODING_ERRORS as error:
            raise DataError(f"'{self.folder}' is damaged ({brief(error)}); prepare it again.") from error
        return Example(place.line, place.key.celex, act, vectors, order, summary, len(summary.split()), targets)


def _places(shard: Shard) -> Iterator[_Place]:
    offset = first = 0
    for line, celex, text, chosen, units, size in shard.details["rows"]:
        yield _Place(shard.number, offset, size, first, units, line, Key(celex, text), chosen)
        offset, first = offset + size, first + units
