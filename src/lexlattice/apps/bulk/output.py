"""The output of a bulk run: rows as JSON Lines or Parquet in shards, a manifest, and a dead-letter file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from lexlattice._internal.files import sync_folder, writing, written
from lexlattice._internal.shards import Shard, ShardDigest, ShardFolder
from lexlattice.apps.bulk.records import Outcome
from lexlattice.errors import MissingExtraError, OptionError, OutputError

if TYPE_CHECKING:
    import pyarrow

FORMATS: Final = ("jsonl", "parquet")
DEAD_LETTERS: Final = "dead-letters.jsonl"
REMOVED: Final = "removed.jsonl"
SCHEMA: Final = 2
"""Version of the columns; it changes whenever one is renamed, removed, or means something else."""
Columns = Mapping[str, Any]
"""The type of each column: `str`, `bool`, `int`, `float`, a list of one of them, or a list of such a mapping."""
_ROW_GROUP: Final = 16_000_000
"""Characters of rows, as JSON, in one row group of Parquet."""
_READ_ROWS: Final = 64
"""Rows of a Parquet file that are read at a time."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format for rows of known columns."""

    suffix: str
    """One of the `FORMATS`."""
    columns: Columns

    def __post_init__(self) -> None:
        if self.suffix not in FORMATS:
            raise OptionError(f"Rows cannot be written as '{self.suffix}'; choose one of: {', '.join(FORMATS)}.")
        if self.suffix == "parquet":
            _arrow()

    @contextmanager
    def writer(self, path: Path) -> Iterator[Callable[[str], None]]:
        """Open a file for rows, and yield a function that adds one, given as JSON.

        Rows are written as they come, so only a few are in memory. The file appears at the end of the block. The same
        rows always give the same bytes.
        """
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
        """Yield the rows of a file."""
        if self.suffix == "jsonl":
            with path.open("rb") as lines:  # binary, to split at line feeds only: acts contain other line separators
                yield from map(json.loads, lines)
        else:
            _arrow()
            from pyarrow.parquet import ParquetFile

            with ParquetFile(path) as file:
                for batch in file.iter_batches(_READ_ROWS):
                    yield from batch.to_pylist()


class Member(NamedTuple):
    """An act that a shard was made of."""

    source: str
    digest: str
    """Of the record: its source, its content and all else that is known before it is read."""
    state: str
    """`row`, `dead`, or `early` for an act before the first day that is wanted."""


class _Lines:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def add(self, row: str) -> None:
        # a lone surrogate becomes an escape sequence, which is the same in JSON
        self._file.write(row.encode("utf-8", "backslashreplace") + b"\n")

    def close(self) -> None:
        """Do nothing: no row is buffered."""


class _Parquet:
    def __init__(self, file: BinaryIO, columns: Columns) -> None:
        self._arrow = _arrow()
        from pyarrow.parquet import ParquetWriter

        fields = [(name, _arrow_type(kind)) for name, kind in columns.items()]
        self._schema = self._arrow.schema(fields, metadata={"lexlattice.schema": str(SCHEMA)})
        self._writer = ParquetWriter(file, self._schema, compression="zstd")
        self._rows: list[str] = []
        self._size = 0

    def add(self, row: str) -> None:
        self._rows.append(row)
        self._size += len(row)
        if self._size > _ROW_GROUP:
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


def _arrow_type(kind: Any) -> pyarrow.DataType:
    arrow = _arrow()
    if isinstance(kind, list):
        return arrow.list_(_arrow_type(kind[0]))
    if isinstance(kind, Mapping):
        return arrow.struct([(name, _arrow_type(inner)) for name, inner in kind.items()])
    return {str: arrow.string(), bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64()}[kind]


class Output:
    """The folder that a bulk run writes to.

    Args:
        folder: Where it is.
        format: Of the rows.
        settings: Everything that determines the rows; a run can be resumed only with the same.

    """

    def __init__(self, folder: Path, format: Format, settings: Mapping[str, Any]) -> None:
        self._format = format
        self._shards = ShardFolder(folder, settings, has_times=True)

    def open(self) -> AbstractContextManager[None]:
        """Create or resume the folder, and keep other processes from writing to it."""
        return self._shards.open()

    def complete(self) -> list[int]:
        """Return the numbers of all complete shards; those that are damaged are deleted."""
        for number in self._shards.numbers():
            shard = self._shards.shard(number)
            if shard is None or not self._shards.is_intact(shard):
                self._shards.remove(number)
        return self._shards.numbers()

    def members(self, number: int) -> list[Member]:
        """Return the acts that a complete shard was made of."""
        (shard,) = self._shards.shards([number])
        return [Member(*entry) for entry in shard.details["members"]]

    def write(self, number: int, outcomes: Iterable[Outcome]) -> Shard:
        """Write a shard while its outcomes arrive; one without rows has no data file."""
        members: list[Member] = []
        dead: list[dict[str, Any]] = []

        def rows() -> Iterator[str]:
            for outcome in outcomes:
                state = "row" if outcome.row else "dead" if outcome.reason else "early"
                members.append(Member(outcome.source, outcome.digest, state))
                if outcome.row:
                    yield outcome.row
                elif outcome.reason:
                    dead.append(outcome.dead_letter)

        return self._write(number, rows(), members, dead)

    def keep(self, number: int, is_kept: Callable[[Member], bool]) -> None:
        """Rewrite a shard with only some of its members."""
        (shard,) = self._shards.shards([number])
        members = self.members(number)
        kept = [member for member in members if is_kept(member)]
        if not kept:
            self._shards.remove(number)
            return
        digests = {member.digest for member in kept}
        dead = [letter for letter in shard.details["dead_letters"] if letter["digest"] in digests]
        of_rows = (member for member in members if member.state == "row")
        # A list, since the file that is read is replaced by the one that is written.
        rows = [
            json.dumps(row, ensure_ascii=False)
            for member, row in zip(of_rows, self._rows(number), strict=True)
            if member.digest in digests
        ]
        self._write(number, rows, kept, dead)

    def removed(self) -> list[dict[str, str]]:
        """Return the sources that were in the inputs of an earlier run, as far as they are recorded."""
        path = self._shards.run_file(REMOVED)
        try:
            return [json.loads(line) for line in path.read_bytes().splitlines()]
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise OutputError(f"'{path}' is damaged; delete it, or choose a new folder.") from error

    def write_removed(self, entries: Iterable[Mapping[str, str]]) -> None:
        """Record the sources that are no longer in the inputs."""
        self._write_lines(REMOVED, entries)

    def finish(self) -> dict[str, Any]:
        """Write the dead-letter file and the manifest once all shards are complete, and return the manifest."""
        numbers = self._shards.numbers()
        count = max(numbers, default=-1) + 1
        for number in sorted({*range(count)} - {*numbers}):
            self._write(number, (), [], [])  # so that the numbers have no gap
        letters = (letter for shard in self._shards.shards(range(count)) for letter in shard.details["dead_letters"])
        self._write_lines(DEAD_LETTERS, letters)
        return self._shards.finish(count, removed=len(self.removed()))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield all rows of all shards, with a few in memory at a time."""
        for number in self._shards.numbers():
            yield from self._rows(number)

    def _rows(self, number: int) -> Iterator[dict[str, Any]]:
        path = self._shards.path(number, self._format.suffix)
        if path.is_file():
            yield from self._format.rows(path)

    def _write(self, number: int, rows: Iterable[str], members: list[Member], dead: list[dict[str, Any]]) -> Shard:
        stream = iter(rows)
        first = next(stream, None)
        path = self._shards.path(number, self._format.suffix)
        suffixes = () if first is None else (self._format.suffix,)
        with self._shards.write(number, *suffixes) as shard:
            if first is None:
                with writing(path):
                    path.unlink(missing_ok=True)
                    sync_folder(path.parent)  # else its rows might be back after a power failure
            else:
                with self._format.writer(path) as add:
                    for row in chain([first], stream):
                        add(row)
            digest = ShardDigest()
            for member in members:
                digest.add(member.digest)
            states = Counter(member.state for member in members)
            shard.source = str(digest)
            shard.counts |= {"rows": states["row"], "dead": states["dead"], "early": states["early"]}
            shard.details |= {"members": members, "dead_letters": dead}
        return shard

    def _write_lines(self, name: str, entries: Iterable[Mapping[str, Any]]) -> None:
        path = self._shards.run_file(name)
        with written(path) as file, writing(path):
            for entry in entries:
                file.write(json.dumps(entry, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
