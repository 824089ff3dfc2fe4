"""The output of a bulk run: rows as JSON Lines or Parquet in shards, a manifest, and a dead-letter file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lexlattice._internal.files import writing, written
from lexlattice._internal.shards import Shard, ShardDigest, ShardFolder
from lexlattice.apps.bulk.records import Outcome
from lexlattice.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    import pyarrow

FORMATS: Final = ("jsonl", "parquet")
DEAD_LETTERS: Final = "dead-letters.jsonl"
Columns = Mapping[str, Any]
"""The type of each column: `str`, `int`, `float`, a list of one of them, or a list of such a mapping."""
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

        self._schema = self._arrow.schema([(name, _arrow_type(kind)) for name, kind in columns.items()])
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
    return {str: arrow.string(), int: arrow.int64(), float: arrow.float64()}[kind]


class Output:
    """The folder that a bulk run writes to.

    Args:
        folder: Where it is.
        format: Of the rows.
        settings: Everything that determines the rows; a run can be resumed only with the same.

    """

    def __init__(self, folder: Path, format: Format, settings: Mapping[str, Any]) -> None:
        self._folder, self._format = folder, format
        self._shards = ShardFolder(folder, settings, has_times=True)

    def open(self) -> AbstractContextManager[None]:
        """Create or resume the folder, and keep other processes from writing to it."""
        return self._shards.open()

    def complete(self, *, retry: bool = False) -> dict[int, str]:
        """Return the numbers and input digests of all complete shards; with `retry`, only of those without failures."""
        found = filter(None, map(self._shards.shard, self._shards.numbers()))
        return {
            shard.number: shard.source
            for shard in found
            if not (retry and shard.counts.get("dead")) and self._shards.is_intact(shard)
        }

    def write(self, number: int, outcomes: Iterable[Outcome]) -> Shard:
        """Write a shard while its outcomes arrive."""
        digest, rows, dead = ShardDigest(), 0, []
        with self._shards.write(number, self._format.suffix) as shard:
            with self._format.writer(self._shards.path(number, self._format.suffix)) as add:
                for outcome in outcomes:
                    digest.add(outcome.digest)
                    if outcome.row:
                        add(outcome.row)
                        rows += 1
                    else:
                        dead.append(outcome.dead_letter)
            shard.source = str(digest)
            shard.counts |= {"rows": rows, "dead": len(dead)}
            shard.details["dead_letters"] = dead
        return shard

    def finish(self, count: int) -> dict[str, Any]:
        """Write the dead-letter file and the manifest once all shards are complete, and return the manifest."""
        self._shards.truncate(count)
        path = self._folder / DEAD_LETTERS
        with written(path) as file, writing(path):
            for shard in self._shards.shards(count):
                for letter in shard.details["dead_letters"]:
                    file.write(json.dumps(letter, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")
        return self._shards.finish(count)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield all rows of all shards, in the order of the input, with a few in memory at a time."""
        number = 0
        while (path := self._shards.path(number, self._format.suffix)).is_file():
            yield from self._format.rows(path)
            number += 1
