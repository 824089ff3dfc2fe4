"""Inputs of a bulk run: folders, patterns, rows of data sets, archives and lists become a stream of records.

Nothing is dropped silently and nothing comes twice: what cannot be read is a record with a fault, and a file that
several inputs lead to is taken where it comes first.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass, field, replace
from glob import glob, has_magic
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal, NamedTuple

from lexlattice._internal.shards import is_shard_folder
from lexlattice.apps.bulk.archives import archive_records, formex_record, is_archive
from lexlattice.apps.bulk.records import (
    Record,
    encodable,
    file_record,
    is_formex_folder,
    is_packed,
    is_readable,
    public_address,
    walk,
)
from lexlattice.errors import DataError, LexLatticeError, MissingExtraError, OptionError
from lexlattice.evaluation.sources import ACT, CELEX, LANGUAGE, SPLIT, SUMMARY, Broken, is_data_set, open_source
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.reading.formats import MAX_BYTES

COLUMNS: Final = (ACT, SUMMARY, CELEX, LANGUAGE)
"""The columns that are read of a row."""
_MARKED_UP: Final = (".html", ".htm", ".xhtml", ".xml", ".pdf", ".docx")
"""Files with these suffixes are acts, whatever they contain: web pages contain JSON, too."""
_COUNTABLE: Final = 1 << 28
"""Bytes of a file of rows up to which counting them is quick."""
_LIST_HEAD: Final = 1 << 16
"""Bytes at the start of a file by which a list of CELEX numbers is recognized."""
_LIST_LINE: Final = 1 << 10
"""Characters of a line that are read at a time; a longer line is no CELEX number."""


class _Place(NamedTuple):
    """Where records come from."""

    kind: Literal["file", "formex", "rows", "archive", "list", "fetched", "fault"]
    name: str
    fault: str = ""

    @property
    def key(self) -> str:
        """Identifies the place, whatever it is called."""
        if self.kind == "fetched":
            return _address_key(self.name)
        return os.path.realpath(self.name)


class _Seen:
    """The keys that occurred already; only digests are kept, since there may be millions."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()

    def is_new(self, key: str) -> bool:
        """Add a key, and return whether it occurs for the first time."""
        digest = blake2b(key.encode("utf-8", "surrogateescape"), digest_size=16).digest()
        is_new = digest not in self._digests
        self._digests.add(digest)
        return is_new


@dataclass(frozen=True, slots=True)
class Inputs:
    """The records of some inputs, in a fixed order: every iteration yields the same.

    Args:
        names: Files, folders, patterns, data sets, CELEX numbers or URLs.
        fields: The names that rows use for fields, by ours, where they differ.
        split: Of data sets that have several.

    """

    names: tuple[str, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    split: str = SPLIT

    def __iter__(self) -> Iterator[Record]:
        seen = _Seen()
        for place in self._places(seen):
            yield from self._records(place, seen)

    def count(self) -> int | None:
        """Return how many records there are, or None if that is unknown without reading them."""
        total = 0
        for place in self._places(_Seen()):
            length = self._length(place)
            if length is None:
                return None
            total += length
        return total

    def check(self) -> None:
        """Check that every input leads to something, before any work begins.

        Raises:
            OptionError: An input does not exist.
            DataError: There is nothing in it, or it cannot be read as rows.

        """
        for name in self.names:
            first = next(self._lookup(name), None)
            if first is None:
                raise DataError(f"There is nothing to read in '{name}'; give a file or folder of acts.")
            if first.kind == "rows" and Path(first.name) == Path(name):
                self._open(name)

    def addresses(self) -> Iterator[str]:
        """Yield the CELEX numbers and URLs among the inputs, without reading anything else."""
        seen = _Seen()
        for place in self._places(seen):
            if place.kind in ("list", "fetched"):
                yield from (record.address for record in self._records(place, seen) if record.address)

    @property
    def have_rows(self) -> bool:
        """Whether there are data sets among the inputs, and not only acts."""
        return any(place.kind == "rows" for place in self._places(_Seen()))

    @property
    def public_names(self) -> list[str]:
        """The names without secrets."""
        return [encodable(public_address(name) if is_url(name) else name) for name in self.names]

    def _places(self, seen: _Seen) -> Iterator[_Place]:
        for name in self.names:
            yield from (place for place in self._lookup(name) if seen.is_new(place.key))

    def _lookup(self, name: str) -> Iterator[_Place]:
        """Yield the places that an input leads to."""
        path, mode = Path(name), _mode(name)
        if not name:
            raise OptionError("An input is empty; give a file, a folder, a pattern, or CELEX numbers.")
        if is_url(name) or (is_celex(name) and mode is None):
            yield _Place("fetched", name)
        elif mode is None:
            yield from _matching(name)
        elif stat.S_ISDIR(mode):
            yield from _in_folder(path)
        elif not stat.S_ISREG(mode):
            raise OptionError(f"'{name}' is a pipe or a device, which cannot be read twice; give a file.")
        else:
            yield _Place("list", name) if _is_list(path) else _file_place(path)

    def _records(self, place: _Place, seen: _Seen) -> Iterator[Record]:
        name, path = place.name, Path(place.name)
        if place.kind == "rows":
            try:
                yield from _row_records(name, self._open(name), self.fields)
            except MissingExtraError:
                raise
            except LexLatticeError as error:
                yield Record(name, fault=str(error))
        elif place.kind == "archive":
            yield from archive_records(path)
        elif place.kind == "list":
            for line, celex in _list_lines(path):
                if not celex:
                    yield Record(f"{path}:{line}", fault="The line is not a CELEX number.")
                elif seen.is_new(_address_key(celex)):
                    yield Record(celex, address=celex)
        elif place.kind == "fetched":
            yield Record(_public_name(name, seen), address=name)
        elif place.kind == "formex":
            yield formex_record(path)
        else:
            yield Record(name, fault=place.fault) if place.fault else _read_file(path)

    def _open(self, name: str) -> Iterable[object]:
        columns = [self.fields.get(column, column) for column in COLUMNS]
        return open_source(Path(name), self.split, columns)

    def _length(self, place: _Place) -> int | None:
        if place.kind in ("archive", "list"):
            return None
        if place.kind != "rows":
            return 1
        path = Path(place.name)
        if path.is_file() and path.stat().st_size > _COUNTABLE:
            return None
        try:
            records = self._open(place.name)
        except MissingExtraError:
            raise
        except LexLatticeError:
            return 1
        return len(records) if isinstance(records, Sized) else None


def _mode(name: str) -> int | None:
    """Return the file mode of a path, or None if there is no such path."""
    with suppress(OSError, ValueError):
        return Path(name).stat().st_mode
    return None


def _matching(name: str) -> Iterator[_Place]:
    """Yield what a pattern matches, each once."""
    if "://" in name:  # not quoted, since it may contain a password
        raise OptionError("Only addresses that begin with http:// or https:// can be opened; correct the address.")
    if os.path.islink(name):  # noqa: PTH114 – it accepts names of any length
        raise OptionError(f"'{name}' is a broken link; fix it, or give the file itself.")
    if not has_magic(name):
        raise OptionError(f"There is no file '{name}'; give a file, a folder, a pattern, or CELEX numbers.")
    found = sorted(map(Path, glob(name, recursive=True)))  # noqa: PTH207 – patterns may be absolute
    if not found:
        raise OptionError(f"Nothing matches '{name}'; give another pattern.")
    folders = {path for path in found if path.is_dir()}
    whole = set(filter(_is_unit, folders))
    opened = {parent for path in found if path not in folders for parent in path.parents} - whole
    for path in found:
        if path in opened or not whole.isdisjoint(path.parents):
            continue  # its files match themselves, or it belongs to a folder that is one input
        yield from _in_folder(path) if path in folders else [_file_place(path)]


def _in_folder(path: Path) -> Iterator[_Place]:
    """Yield what a folder is or contains; the output of a run is never an input."""
    if is_shard_folder(path):
        return
    if is_data_set(path):
        yield _Place("rows", str(path))
    elif is_formex_folder(path):
        yield _Place("formex", str(path))
    else:
        for found in walk(path, lambda name: is_readable(name) or is_packed(name), _is_unit):
            if found.skipped:
                continue
            if found.fault:
                yield _Place("fault", str(found.path), found.fault)
            elif found.path.is_dir():
                yield from _in_folder(found.path)
            else:
                yield _file_place(found.path)


def _is_unit(folder: Path) -> bool:
    """Whether a folder is one input as a whole."""
    return is_formex_folder(folder) or is_data_set(folder) or is_shard_folder(folder)


def _file_place(path: Path) -> _Place:
    """Detect what a file is: mark-up by its suffix, everything else by its content."""
    name = str(path)
    mode = _mode(name)
    if mode is None:
        return _Place("fault", name, "This is a broken link.")
    if not stat.S_ISREG(mode):
        return _Place("fault", name, "This is not a regular file.")
    if name.lower().endswith(_MARKED_UP):
        return _Place("file", name)
    if is_archive(path):
        return _Place("archive", name)
    return _Place("rows" if is_data_set(path) else "file", name)


def _read_file(path: Path) -> Record:
    try:
        with path.open("rb") as file:
            return file_record(str(path), file.read(MAX_BYTES + 1))
    except OSError as error:
        return Record(str(path), fault=f"The file cannot be read ({error.strerror or error}).")


def _address_key(address: str) -> str:
    """Normalize a CELEX number; URLs stay as they are."""
    return address.strip() if is_url(address) else address.strip().upper().removeprefix("CELEX:")


def _public_name(address: str, seen: _Seen) -> str:
    """Return the public name of an address, numbered if addresses differ only in their secrets."""
    if not is_url(address):
        return address
    public = public_address(address)
    name, number = public, 1
    while not seen.is_new(f"public {name}"):
        number += 1
        name = f"{public} ({number})"
    return name


def _is_list(path: Path) -> bool:
    """Whether a file contains nothing but CELEX numbers, judged by its start."""
    try:
        with path.open("rb") as file:
            head = file.read(_LIST_HEAD)
    except OSError:
        return False
    lines = head.split(b"\n")[: -1 if len(head) == _LIST_HEAD else None]  # the last line may be cut off
    words = [line.strip().decode("ascii", "replace") for line in lines if line.strip()]
    return bool(words) and all(map(is_celex, words))


def _list_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number and CELEX number of all lines that are not blank; empty if a line is something else."""
    with path.open(encoding="utf-8", errors="replace") as file:
        number, is_rest = 1, False  # `readline` returns a long line in several pieces
        for line in iter(lambda: file.readline(_LIST_LINE), ""):
            if line.strip() and not is_rest:
                yield number, line.strip() if is_celex(line) else ""
            is_rest = not line.endswith("\n")
            number += not is_rest


def _row_records(name: str, rows: Iterable[object], fields: Mapping[str, str]) -> Iterator[Record]:
    """Yield a record for each row that is not blank."""
    for line, row in enumerate(rows, 1):
        if row != b"":
            yield _row_record(f"{name}:{line}", row, fields)


def _row_record(source: str, row: object, fields: Mapping[str, str]) -> Record:
    if isinstance(row, bytes):
        try:
            row = json.loads(row)
        except (ValueError, RecursionError):
            row = Broken("The line is not JSON in UTF-8.")
    if isinstance(row, Broken):
        return Record(source, fault=row.reason)
    if not isinstance(row, Mapping):
        return Record(source, fault="The row is not an object with named fields.")
    values = {name: row.get(fields.get(name, name)) for name in COLUMNS}
    if wrong := [name for name, value in values.items() if not isinstance(value, str | None)]:
        return Record(source, fault=f"The field '{fields.get(wrong[0], wrong[0])}' is not a string.")
    text, summary, celex, language = (str(value or "") for value in values.values())
    known = Record(source, celex=celex, language=language.lower(), summary=summary)
    if not text.strip():
        return replace(known, fault=f"The act is empty (field '{fields.get(ACT, ACT)}').")
    content = text.encode("utf-8", "replace")
    if len(content) + len(summary) > MAX_BYTES:
        limit = f"{MAX_BYTES // 1_000_000} MB"
        return replace(known, summary="", fault=f"The row is larger than {limit}, the limit for an act.")
    return replace(known, content=content, is_text=True)
