"""How the rows of a shard are written: as JSON Lines, or as Parquet with the columns of the work they come from.

Rows are written as they come, so that no more than a few are held however many a shard has.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lexlattice._internal.files import write_whole, writing, written
from lexlattice.apps.bulk.entry import Outcome
from lexlattice.errors import LexLatticeError, MissingExtraError

if TYPE_CHECKING:
    import pyarrow


FORMATS: Final = ("jsonl", "parquet")
Columns = Mapping[str, Any]
"""A type for each column: one of `str`, `int`, `float`, a list of one, or a list of such a mapping."""
_GROUP: Final = 16_000_000
"""Characters of rows, as JSON, that become one row group of Parquet."""
_AT_ONCE: Final = 64
"""Rows of a Parquet file that are read together."""


@dataclass(frozen=True, slots=True)
class Format:
    """One of the `FORMATS`, for rows of known columns."""

    suffix: str
    columns: Columns

    def __post_init__(self) -> None:
        if self.suffix not in FORMATS:
            raise LexLatticeError(f"Rows cannot be written as '{self.suffix}'; choose one of: {', '.join(FORMATS)}.")
        if self.suffix == "parquet":
            _arrow()

    @contextmanager
    def written(self, path: Path) -> Iterator[Callable[[str], None]]:
        """What takes rows, as JSON; the file is there once all are, and the same rows always give the same bytes."""
        with written(path) as file:
            rows = _Lines(file) if self.suffix == "jsonl" else _Parquet(file, self.columns)

            def add(row: str) -> None:
                with writing(path):
                    rows.add(row)

            try:
                yield add
            except BaseException:
                with suppress(Exception):
                    rows.close()
                raise
            with writing(path):
                rows.close()

    def rows(self, path: Path) -> Iterator[dict[str, Any]]:
        """What a file holds."""
        if self.suffix == "jsonl":
            with path.open("rb") as lines:  # which end at line feeds only: acts have other line ends inside
                yield from map(json.loads, lines)
        else:
            _arrow()
            from pyarrow.parquet import ParquetFile

            with ParquetFile(path) as file:
                for batch in file.iter_batches(_AT_ONCE):
                    yield from batch.to_pylist()


class _Lines:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, row: str) -> None:
        self._file.write(row.encode("utf-8", "backslashreplace") + b"\n")  # half a character is an escape in JSON too

    def close(self) -> None:
        """Nothing is held."""


class _Parquet:
    def __init__(self, file: BinaryIO, columns: Columns) -> None:
        self._arrow = _arrow()
        from pyarrow.parquet import ParquetWriter

        self._schema = self._arrow.schema([(name, _type(kind)) for name, kind in columns.items()])
        self._writer = ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[str] = []
        self._size = 0

    def add(self, row: str) -> None:
        self._rows.append(row)
        self._size += len(row)
        if self._size > _GROUP:
            self._flush()

    def close(self) -> None:
        try:
            if self._rows:
                self._flush()
        finally:
            self._writer.close()

    def _flush(self) -> None:
        rows = list(map(json.loads, self._rows))
        self._rows, self._size = [], 0
        self._writer.write_table(self._arrow.Table.from_pylist(rows, self._schema))


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError("Writing Parquet", "data") from error
    return pyarrow


def _type(kind: Any) -> pyarrow.DataType:
    arrow = _arrow()
    if isinstance(kind, list):
        return arrow.list_(_type(kind[0]))
    if isinstance(kind, Mapping):
        return arrow.struct([(name, _type(inner)) for name, inner in kind.items()])
    return {str: arrow.string(), int: arrow.int64(), float: arrow.float64()}[kind]


# Digests of files: of shards, and of whatever the names of systems and encoders lead to.

_DIGITS: Final = 16


def digest_of(path: Path) -> str:
    """Of one file, of which a little is held at a time."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_named(shipped: Path, names: Iterable[str]) -> str:
    """Of the shipped model, and of all files and folders that are named as in `model:FILE` or `onnx:FOLDER`."""
    total = hashlib.sha256(digest_of(shipped).encode())
    for path in (found for name in names for found in _paths(name)):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                total.update(f"{file.as_posix()!r} {digest_of(file)}\n".encode())
    return total.hexdigest()[:_DIGITS]


def _paths(name: str) -> Iterator[Path]:
    """What is there of the paths in a name; `translate:MODEL?order=last&system=NAME` has another name inside."""
    where, _, inner = name.partition(":")[2].partition("system=")
    for path in {where, where.partition("?")[0]} - {""}:
        if Path(path).exists():
            yield Path(path)
    if inner:
        yield from _paths(inner)


# The folder a run writes to: shards of so many acts, each there whole or not at all, and a manifest of them.

MANIFEST: Final = "manifest.json"
DEAD: Final = "dead.jsonl"
_LOCK: Final = ".lock"
_PART: Final = re.compile(r"part-(\d{5,18})\.(?:json|jsonl|parquet)")


class ShardDigest:
    """Of the acts of a shard, in their order."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, digest: str) -> None:
        """One more act."""
        self._digest.update(f"{digest}\n".encode())

    def __str__(self) -> str:
        return self._digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Part:
    """A shard that is done."""

    number: int
    digest: str
    """Of the acts it was made of."""
    rows: int
    dead: tuple[Mapping[str, Any], ...]
    """Acts that could not be done: source, digest, reason."""
    bytes: int
    sha256: str
    """Of the file."""


def is_output(folder: Path) -> bool:
    """Whether a run writes to a folder, or wrote to it."""
    return (folder / MANIFEST).is_file() and (folder / _LOCK).is_file()


@dataclass(frozen=True, slots=True)
class Output:
    """Where a run writes to."""

    folder: Path
    format: Format
    settings: Mapping[str, Any]
    """What must be the same for a run to go on."""

    @contextmanager
    def open(self) -> Iterator[None]:
        """Begin, or go on with what was begun alike; nobody else may write there meanwhile."""
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        with _alone(self.folder / _LOCK):
            path = self.folder / MANIFEST
            if not path.is_file():
                others = [found.name for found in self.folder.iterdir() if not found.name.startswith(".")]
                if others:
                    raise LexLatticeError(
                        f"'{self.folder}' holds something else ({sorted(others)[0]}); name a new folder."
                    )
                _write(path, {"finished": False, "begun": _now(), **self.settings})
            known = _json(path)
            if other := [name for name, value in self.settings.items() if known.get(name) != value]:
                what = f"other {other[0]}" if other[0].endswith("s") else f"another {other[0]}"
                raise LexLatticeError(f"'{self.folder}' was begun with {what}; go on with that, or name a new folder.")
            yield

    def done(self, *, retry: bool = False) -> dict[int, str]:
        """The shards that are there whole, and of which acts; with `retry` only those in which nothing failed."""
        parts = filter(None, (self._part(number) for number in sorted(set(self._files().values()))))
        return {part.number: part.digest for part in parts if not (retry and part.dead) and self._is_whole(part)}

    def write(self, number: int, outcomes: Iterable[Outcome]) -> Part:
        """Put a shard in its place as its acts are done: its rows first, then what makes them count."""
        digest, rows, dead = ShardDigest(), 0, []
        self._unfinished()
        with self.format.written(self._data(number)) as add:
            for outcome in outcomes:
                digest.add(outcome.digest)
                if outcome.row:
                    add(outcome.row)
                    rows += 1
                else:
                    dead.append(outcome.dead)
        path = self._data(number)
        part = Part(number, str(digest), rows, tuple(dead), path.stat().st_size, digest_of(path))
        _write(self._index(number), asdict(part))
        return part

    def finish(self, count: int) -> dict[str, Any]:
        """Write down what there is in all, once every shard is done; those of an earlier, longer input go."""
        if beyond := [path for path, number in self._files().items() if number >= count]:
            self._unfinished()
            with writing(self.folder):
                for path in beyond:
                    path.unlink()
        parts = []
        with written(self.folder / DEAD) as file, writing(self.folder / DEAD):
            for number in range(count):
                part = self._part(number)
                if part is None:
                    raise LexLatticeError(f"Shard {number} in '{self.folder}' is gone; run the same command again.")
                parts.append({**asdict(part), "file": self._data(number).name, "dead": len(part.dead)})
                file.writelines(_encoded(entry) + b"\n" for entry in part.dead)
        known = _json(self.folder / MANIFEST)
        manifest = {
            "finished": True,
            "begun": known.get("begun"),
            "ended": known.get("ended") or _now(),
            **self.settings,
            "rows": sum(part["rows"] for part in parts),
            "dead": sum(part["dead"] for part in parts),
            "parts": parts,
        }
        _write(self.folder / MANIFEST, manifest)
        return manifest

    def rows(self) -> Iterator[dict[str, Any]]:
        """All rows of all shards, in the order of the input, a few in memory at a time."""
        number = 0
        while (path := self._data(number)).is_file():
            yield from self.format.rows(path)
            number += 1

    def _unfinished(self) -> None:
        """Take back that all is finished, before anything changes."""
        path = self.folder / MANIFEST
        known = _json(path)
        if known.get("finished"):
            _write(path, {"finished": False, "begun": known.get("begun"), **self.settings})

    def _files(self) -> dict[Path, int]:
        """What is named as files of shards are, with the number."""
        found = {path: _PART.fullmatch(path.name) for path in self.folder.glob("part-*")}
        return {path: int(match[1]) for path, match in found.items() if match}

    def _part(self, number: int) -> Part | None:
        try:
            found = _json(self._index(number))
            return Part(**{**found, "dead": tuple(found["dead"])})
        except (LexLatticeError, TypeError, KeyError):
            return None

    def _is_whole(self, part: Part) -> bool:
        path = self._data(part.number)
        try:
            return path.stat().st_size == part.bytes and digest_of(path) == part.sha256
        except OSError:
            return False

    def _data(self, number: int) -> Path:
        return self.folder / f"part-{number:05}.{self.format.suffix}"

    def _index(self, number: int) -> Path:
        return self.folder / f"part-{number:05}.json"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _encoded(content: Mapping[str, Any], indent: int | None = None) -> bytes:
    """As JSON; half a character in the name of a folder, say, is an escape there too."""
    return json.dumps(content, ensure_ascii=False, indent=indent).encode("utf-8", "backslashreplace")


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_whole(path, _encoded(content, indent=1))


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise LexLatticeError(f"'{path}' is damaged or gone; name a new folder.") from error
    if not isinstance(found, dict):
        raise LexLatticeError(f"'{path}' is damaged; name a new folder.")
    return found


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep others out as long as this process lives; where the system has no such locks, nobody is kept out."""
    with writing(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            import fcntl
        except ImportError:
            pass
        else:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise LexLatticeError(
                    f"Another run writes to '{path.parent}' already; wait for it, or name another folder."
                ) from error
        yield
    finally:
        os.close(handle)
