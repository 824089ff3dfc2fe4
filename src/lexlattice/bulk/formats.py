"""How the rows of a shard are written: as JSON Lines, or as Parquet with the columns of the work they come from.

Rows are written as they come, so that no more than a few are held however many a shard has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lexlattice.errors import LexLatticeError, MissingExtraError
from lexlattice.files import writing, written

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
