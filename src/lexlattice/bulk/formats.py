"""How the rows of a shard are written: as JSON Lines, or as Parquet with the columns of the work they come from."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexlattice.errors import LexLatticeError, MissingExtraError

if TYPE_CHECKING:
    import pyarrow

FORMATS: Final = ("jsonl", "parquet")
Columns = Mapping[str, Any]
"""A type for each column: one of `str`, `int`, `float`, `bytes`, a list of one, or a list of such a mapping."""


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

    def content(self, rows: list[dict[str, Any]]) -> bytes:
        """A file's content; the same rows always give the same bytes."""
        if self.suffix == "jsonl":
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")
        arrow = _arrow()
        import pyarrow.parquet

        schema = arrow.schema([(name, _type(kind)) for name, kind in self.columns.items()])
        file = io.BytesIO()
        pyarrow.parquet.write_table(arrow.Table.from_pylist(rows, schema), file, compression="zstd")
        return file.getvalue()

    def rows(self, path: Path) -> Iterator[dict[str, Any]]:
        """What a file holds."""
        if self.suffix == "jsonl":
            with path.open("rb") as lines:  # which end at line feeds only: acts have other line ends inside
                yield from map(json.loads, lines)
        else:
            _arrow()
            import pyarrow.parquet

            yield from pyarrow.parquet.read_table(path).to_pylist()


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
    return {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}[kind]
