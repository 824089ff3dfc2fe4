"""Sources of rows: JSON Lines and Parquet files, saved data sets, and iterables.

The kind of a file is detected from its content, and from its name only if the content is inconclusive. Every source
yields records: mappings, the bytes of a line (empty for a blank one), or `Broken` where a record cannot be read.
`evaluation.rows` interprets them.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexlattice.errors import DataError, MissingExtraError, brief
from lexlattice.reading.formats import MAX_BYTES

if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyarrow.parquet import ParquetFile

Source = str | os.PathLike[str] | Iterable[Mapping[str, object]] | Mapping[str, Iterable[Mapping[str, object]]]
"""Sources of rows; the last is a data set with several splits."""

CELEX: Final = "celex_id"
ACT: Final = "reference"
SUMMARY: Final = "summary"
LANGUAGE: Final = "language"
ORIGINAL: Final = "original"
"""The act in the language of its annotation, if `reference` is another version."""
FIELDS: Final = (CELEX, ACT, SUMMARY, LANGUAGE, ORIGINAL)
SPLIT: Final = "validation"

MAX_LINE: Final = MAX_BYTES
"""Bytes of a line: a small gzip file can expand to more than fits into memory."""
_SAVED: Final = ("dataset_info.json", "dataset_dict.json")
_GZIP: Final = b"\x1f\x8b"
_PARQUET: Final = b"PAR1"
_BOM: Final = b"\xef\xbb\xbf"
_HEAD: Final = 1 << 16
_OBJECT: Final = re.compile(rb'\A\s*\{|^\{ ?"[^"\n]*" ?:', re.MULTILINE)
"""An object in the first line, or one with a field in a later line if the first is damaged."""
_ROWS_AT_ONCE: Final = 16
_BUFFER: Final = 1 << 20
_KINDS: Final = "a JSON Lines (also gzipped) or Parquet file, or a folder saved by datasets"


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that cannot be read."""

    reason: str
    is_end: bool = False
    """Whether the following records are lost too."""


def open_source(source: Source, split: str, columns: Collection[str]) -> Iterable[object]:
    """Open a source of records; the result has a length if it is known without parsing them all.

    From sources that store columns separately, only `columns` are read.
    """
    if isinstance(source, str | os.PathLike):
        return _from_path(Path(source), split, columns)
    return _choose(source, split)


def is_data_set(path: Path) -> bool:
    """Whether a file or folder is a data set rather than an act."""
    if path.is_dir():
        return _is_saved(path)
    try:
        head = _head(path)
    except OSError:
        return False
    text = head.removeprefix(_BOM)
    return head.startswith(_PARQUET) or ".jsonl" in path.name.lower() or _OBJECT.search(text) is not None


def _from_path(path: Path, split: str, columns: Collection[str]) -> Iterable[object]:
    if path.is_dir():
        return _from_folder(path, split)
    if not path.is_file():
        raise DataError(f"There is no file '{path}'; give {_KINDS}.")
    try:
        head = _head(path)
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror or error}.") from None
    if head.startswith(_PARQUET):
        return Parquet(path, columns)
    if _looks_like_lines(head, path.name):
        return JsonLines(path)
    raise DataError(f"'{path}' is not a data set of a known kind; give {_KINDS}.")


def _choose(data: Any, split: str) -> Iterable[object]:
    """The rows, or those of one split of a data set with several."""
    if isinstance(data, Mapping) and split not in data:
        raise DataError(f"The data set has no split '{split}'; name one of: {', '.join(map(str, data))}.")
    rows: Iterable[object] = data[split] if isinstance(data, Mapping) else data
    return rows


# --- JSON Lines -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JsonLines:
    """The lines of a file as bytes. Only line feeds end a line: acts contain Unicode's other line breaks."""

    path: Path

    def __iter__(self) -> Iterator[bytes | Broken]:
        """Yield each line, blank ones as empty bytes; at damage, a `Broken` record and the end."""
        with _open(self.path) as lines:
            try:
                for number, line in enumerate(iter(lambda: lines.readline(MAX_LINE + 1), b"")):
                    if len(line) > MAX_LINE:
                        limit = f"{MAX_LINE // 1_000_000} MB"
                        yield Broken(
                            f"The line is longer than {limit}, more than any act; the rest is not read.", is_end=True
                        )
                        return
                    content = line if number else line.removeprefix(_BOM)
                    yield b"" if content.isspace() else content
            except EOFError:
                yield Broken("The gzip file is cut off here; download it again.", is_end=True)
            except (OSError, zlib.error) as error:
                yield Broken(f"The file is damaged from here on ({error}); download it again.", is_end=True)

    def __len__(self) -> int:
        """The number of lines that are not blank; reads the file once without parsing it."""
        return sum(line != b"" for line in self)


def _open(path: Path) -> gzip.GzipFile | BufferedReader:
    file = path.open("rb")
    if not file.peek().startswith(_GZIP):
        return file
    file.close()
    return gzip.open(path)


def _head(path: Path) -> bytes:
    """The beginning of a file, decompressed; empty if it cannot be decompressed."""
    with _open(path) as file:
        try:
            return file.read1(_HEAD)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            return b""


def _looks_like_lines(head: bytes, name: str) -> bool:
    text = head.removeprefix(_BOM)
    if not text.strip() or _OBJECT.search(text):
        return True
    return ".jsonl" in name.lower() and b"\x00" not in text


# --- Parquet ----------------------------------------------------------------------------------------------


class Parquet:
    """The rows of a Parquet file, read in small batches and only the requested columns."""

    def __init__(self, path: Path, columns: Collection[str]) -> None:
        self._path: Final = path
        with open_parquet(path) as file:
            self._columns: Final = [name for name in file.schema_arrow.names if name in columns]
            self._rows: Final[int] = file.metadata.num_rows
        if not self._columns:
            expected = "', '".join(columns)
            raise DataError(f"'{path}' has none of the columns '{expected}'; rename its columns, or name them.")

    def __iter__(self) -> Iterator[object]:
        from pyarrow import ArrowException

        with open_parquet(self._path) as file:
            try:
                for batch in file.iter_batches(_ROWS_AT_ONCE, columns=self._columns):
                    yield from (_record(batch.slice(row, 1)) for row in range(batch.num_rows))
            except (OSError, ArrowException) as error:
                yield Broken(f"The file is damaged from here on ({brief(error)}); download it again.", is_end=True)

    def __len__(self) -> int:
        return self._rows


def open_parquet(path: Path) -> ParquetFile:
    """Open a Parquet file with a buffer, so that a column of a row group is read in parts and not as a whole."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise MissingExtraError("Reading Parquet", "data") from error
    try:
        return ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER)
    except (OSError, ValueError, ArrowException) as error:
        raise DataError(f"'{path}' is a damaged Parquet file ({brief(error)}); download it again.") from None


def _record(row: RecordBatch) -> object:
    try:
        return row.to_pylist()[0]
    except UnicodeDecodeError:
        return Broken("The row contains text that is not UTF-8.")


# --- saved data sets --------------------------------------------------------------------------------------


def _is_saved(path: Path) -> bool:
    return any((path / name).is_file() for name in _SAVED)


def _from_folder(path: Path, split: str) -> Iterable[object]:
    if not _is_saved(path):
        raise DataError(f"The folder '{path}' is not a saved data set; give {_KINDS}.")
    datasets = _datasets()
    try:
        data = datasets.load_from_disk(str(path))
    except Exception as error:
        raise DataError(f"The saved data set '{path}' cannot be read ({brief(error)}).") from error
    return _choose(data, split)


def _datasets() -> Any:
    try:
        import datasets
    except ImportError as error:
        raise MissingExtraError("Reading saved data sets", "data") from error
    return datasets
