"""Acts that are ready to be learnt from: read, encoded, with the oracle's choice; and the folder they are kept in.

The folder has three files for every sixteen rows of the data: the acts, one line of JSON each and each compressed by
itself (`00000.jsonl.gz`), the vectors of all their units (`00000.npy`), and what both must hold (`00000.json`), which
is written last. `settings.json` says how they were made, and `manifest.json`, at the end, that they are all there. So
a run that was killed goes on behind the last sixteen rows that are whole.
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

from lexlattice._internal.files import is_unused, sha256, write_whole, writing
from lexlattice.act.document import Act
from lexlattice.errors import LexLatticeError, brief
from lexlattice.training.targets import NO_TARGETS, Targets, targets_from_dict, targets_to_dict

Vectors = NDArray[np.float32]

FORMAT: Final = "lexlattice prepared 1"
SHARD: Final = 16
"""Rows of the data that are written together: what is lost at most when a process is killed."""
_AT_HAND: Final = 2048
"""Acts that stay decoded: a corpus like EUR-Lex-Sum's in one language, in less than a gigabyte."""
_BROKEN: Final = (AttributeError, MemoryError, OverflowError, RecursionError, SyntaxError, TokenError)
"""What NumPy and JSON raise besides, where a file was made to fit its digest."""
_SETTINGS, _MANIFEST = "settings.json", "manifest.json"


@dataclass(frozen=True, eq=False)
class Example:
    """An act to learn from. Equal only to itself, so that what was made of it once can be kept by it."""

    line: int
    """Where the row stands in the data it came from."""
    celex: str
    act: Act
    vectors: Vectors
    """A row for each unit; zero for units without words."""
    order: tuple[int, ...]
    """Indices of the units that the oracle takes, in the order it takes them; it may take none."""
    summary: str
    words: int
    """The budget: as many words as the summary has."""
    targets: Targets = NO_TARGETS
    """What else is known of its units: gold annotations and silver alignment."""


class Key(NamedTuple):
    """What tells whether two rows are of the same act."""

    celex: str
    """Empty where the data does not say."""
    text: str
    """A digest of the act as the data has it."""


class Packed(NamedTuple):
    """An example as it is written."""

    line: int
    key: Key
    chosen: int
    """How many units the oracle takes."""
    content: bytes
    vectors: Vectors


def pack(example: Example, text: str) -> Packed:
    """Make of an example what a folder keeps; the text is the act as the data has it."""
    kept: dict[str, Any] = {
        "line": example.line,
        "celex": example.celex,
        "summary": example.summary,
        "order": example.order,
    }
    kept |= targets_to_dict(example.targets) | {"act": example.act.to_dict()}
    content = json.dumps(kept, ensure_ascii=False).encode() + b"\n"
    key = Key(example.celex, sha256(text.encode())[:32])
    return Packed(example.line, key, len(example.order), gzip.compress(content, mtime=0), example.vectors)


class Draft:
    """A folder in the making."""

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        """Begin a folder, or go on with one that was begun with the same settings."""
        self.folder = folder
        content = _json({"format": FORMAT, **settings})
        place = folder / _SETTINGS
        if is_unused(folder):
            with writing(folder):
                folder.mkdir(parents=True, exist_ok=True)
            write_whole(place, content)
        elif not place.is_file():
            raise LexLatticeError(f"'{folder}' exists and holds no prepared acts; name a new folder.")
        elif place.read_bytes() != content:
            raise LexLatticeError(
                f"'{folder}' was begun with other settings ({_difference(place, content)}); go on with those, or name "
                "a new folder."
            )
        self._is_finished = (folder / _MANIFEST).is_file()

    def done(self, number: int, source: str) -> dict[str, Any] | None:
        """What is written of these rows, if it is; `source` is a digest of them."""
        try:
            index: dict[str, Any] = json.loads((self.folder / _name(number, "json")).read_bytes())
            is_whole = all((self.folder / name).stat().st_size == size for name, size in index["bytes"].items())
            known = index["source"]
        except (OSError, ValueError, KeyError, TypeError):
            is_whole, known = False, ""
        if known not in ("", source) or (self._is_finished and not known):
            raise self._other_data()
        return index if is_whole else None

    def write(self, number: int, source: str, rows: Sequence[Packed], skipped: Sequence[Mapping[str, Any]]) -> None:
        """Write what came of the rows with that digest."""
        with io.BytesIO() as file:
            np.save(file, np.concatenate([row.vectors for row in rows]) if rows else np.zeros((0, 0), np.float32))
            contents = {"jsonl.gz": b"".join(row.content for row in rows), "npy": file.getvalue()}
        files = {_name(number, ending): content for ending, content in contents.items()}
        for name, content in files.items():
            write_whole(self.folder / name, content)
        index = {
            "source": source,
            "rows": [[row.line, *row.key, row.chosen, len(row.vectors), len(row.content)] for row in rows],
            "skipped": list(skipped),
            "bytes": {name: len(content) for name, content in files.items()},
            "sha256": {name: sha256(content) for name, content in files.items()},
        }
        write_whole(self.folder / _name(number, "json"), _json(index))

    def finish(self, count: int) -> None:
        """Say that all is there, in so many parts."""
        if (self.folder / _name(count, "json")).is_file():
            raise self._other_data()
        contents = [(self.folder / _name(number, "json")).read_bytes() for number in range(count)]
        indices = [json.loads(content) for content in contents]
        manifest = {
            **json.loads((self.folder / _SETTINGS).read_bytes()),
            "acts": sum(len(index["rows"]) for index in indices),
            "units": sum(row[4] for index in indices for row in index["rows"]),
            "skipped": [row for index in indices for row in index["skipped"]],
            "source": sha256("".join(index["source"] for index in indices).encode()),
            "parts": [sha256(content) for content in contents],
        }
        write_whole(self.folder / _MANIFEST, _json(manifest | {"checksum": sha256(_json(manifest))}))

    def discard(self) -> None:
        """Leave nothing behind of what is of no use to anybody."""
        with writing(self.folder):
            for path in (self.folder / _SETTINGS, *self.folder.glob("[0-9]*.*")):
                path.unlink(missing_ok=True)
            if not any(self.folder.iterdir()):
                self.folder.rmdir()

    def _other_data(self) -> LexLatticeError:
        return LexLatticeError(f"'{self.folder}' was begun with other data; go on with those, or name a new folder.")


class _Place(NamedTuple):
    """Where an example is."""

    part: int
    offset: int
    size: int
    first: int
    units: int
    line: int
    key: Key
    chosen: int


class Prepared(Sequence[Example]):
    """The examples in a folder, decoded when they are asked for."""

    def __init__(self, folder: Path, manifest: dict[str, Any], places: Sequence[_Place]) -> None:
        """Use `open`."""
        self.folder = folder
        self.manifest = manifest
        """How the examples were made, and what was left out: `profile`, `encoder`, `oracle`, `skipped` and so on."""
        self._places = places
        self._example = lru_cache(_AT_HAND)(self._decoded)

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, verify: bool = False) -> Self:
        """The examples in a folder, once it is sure that they are all there and as they were written.

        Sizes are looked at always, every byte only if `verify` asks for it: that takes as long as reading them does.
        """
        place = Path(folder)
        if (place / _SETTINGS).is_file() and not (place / _MANIFEST).is_file():
            raise LexLatticeError(f"'{place}' is not finished; prepare the same data into it again, to go on.")
        try:
            manifest = json.loads((place / _MANIFEST).read_bytes())
            if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
                raise ValueError(f"'{_MANIFEST}' is not of this version")
            if manifest.pop("checksum", None) != sha256(_json(manifest)):
                raise ValueError(f"'{_MANIFEST}' was changed")
            parts = [_index(place, number, digest, verify) for number, digest in enumerate(manifest["parts"])]
            return cls(
                place, manifest, [found for number, index in enumerate(parts) for found in _places(number, index)]
            )
        except OSError as error:
            reason = f"'{Path(error.filename or place).name}': {error.strerror or brief(error)}"
            raise LexLatticeError(f"'{place}' holds no prepared acts ({reason}); prepare them anew.") from error
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise LexLatticeError(f"'{place}' is damaged ({brief(error)}); prepare it anew.") from error

    @staticmethod
    def is_at(folder: Path) -> bool:
        """Whether a folder is one of these, finished or not."""
        return any((folder / name).is_file() for name in (_SETTINGS, _MANIFEST))

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
        """Some of the examples, in that order."""
        return type(self)(self.folder, self.manifest, [self._places[index] for index in indices])

    @property
    def keys(self) -> list[Key]:
        """Of which acts the examples are."""
        return [place.key for place in self._places]

    @property
    def with_choice(self) -> Self:
        """Those that there is an order to learn of: of gold or of the oracle."""
        return self.take(index for index, place in enumerate(self._places) if place.chosen)

    @property
    def without_choice(self) -> int:
        """How many of them the oracle takes nothing of, so that there is no order to learn."""
        return sum(not place.chosen for place in self._places)

    def _decoded(self, index: int) -> Example:
        place = self._places[index]
        try:
            with (self.folder / _name(place.part, "jsonl.gz")).open("rb") as file:
                file.seek(place.offset)
                data = json.loads(gzip.decompress(file.read(place.size)))
            mapped = np.load(self.folder / _name(place.part, "npy"), mmap_mode="r", allow_pickle=False)
            # a copy: what is mapped keeps a file open, and a system lets a process have a few hundred of them only
            vectors: Vectors = np.array(mapped[place.first : place.first + place.units])
            act = Act.from_dict(data["act"])
            order, summary = tuple(data["order"]), data["summary"]
            targets = targets_from_dict(data, place.key.celex, act)
            if not len(act.units) == len(vectors) == place.units or vectors.dtype != np.float32:
                raise ValueError("an act and its vectors do not fit")
        except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, LexLatticeError, *_BROKEN) as error:
            raise LexLatticeError(f"'{self.folder}' is damaged ({brief(error)}); prepare it anew.") from error
        return Example(place.line, place.key.celex, act, vectors, order, summary, len(summary.split()), targets)


def _index(folder: Path, number: int, digest: str, verify: bool) -> dict[str, Any]:
    """What a part must hold, once it is sure that its files do."""
    content = (folder / _name(number, "json")).read_bytes()
    if sha256(content) != digest:
        raise ValueError(f"'{_name(number, 'json')}' was changed")
    index: dict[str, Any] = json.loads(content)
    for name, size in index["bytes"].items():
        if (found := (folder / name).stat().st_size) != size:
            raise ValueError(f"'{name}' has {found:,} bytes instead of {size:,}")
        if verify and sha256((folder / name).read_bytes()) != index["sha256"][name]:
            raise ValueError(f"'{name}' was changed")
    return index


def _places(part: int, index: Mapping[str, Any]) -> Iterator[_Place]:
    offset = first = 0
    for line, celex, text, chosen, units, size in index["rows"]:
        yield _Place(part, offset, size, first, units, line, Key(celex, text), chosen)
        offset, first = offset + size, first + units


def _name(number: int, ending: str) -> str:
    return f"{number:05d}.{ending}"


def _json(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1).encode() + b"\n"


def _difference(place: Path, content: bytes) -> str:
    """Which settings differ."""
    try:
        old, new = json.loads(place.read_bytes()), json.loads(content)
        return ", ".join(f"{key}: {old.get(key)}, now {value}" for key, value in new.items() if old.get(key) != value)
    except (ValueError, AttributeError):
        return f"'{place.name}' is damaged"
