"""What a corpus is made of: from folders, patterns, rows, archives and lists to one act after the other.

Nothing is left out in silence, and nothing comes twice: what cannot be had is an entry too, with the reason, and a file
that several inputs lead to is taken where it is met first.
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
from typing import Final, NamedTuple

from lexlattice.apps.bulk.archives import is_archive, members, packed
from lexlattice.apps.bulk.entry import Entry, below, discreet, is_one_act, is_packed, is_readable, sized, writable
from lexlattice.apps.bulk.shards import is_output
from lexlattice.errors import LexLatticeError, MissingExtraError
from lexlattice.evaluation.sources import ACT, CELEX, LANGUAGE, SPLIT, SUMMARY, Broken, is_data_set, open_source
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.reading.formats import MAX_BYTES

# Files with CELEX numbers, one a line.

_HEAD: Final = 1 << 16
"""Bytes of a file in which it shows whether it is a list."""
_LONGEST: Final = 1 << 10
"""Characters of a line: what is longer is no number, and need not be held."""


def is_list(path: Path) -> bool:
    """Whether a file holds CELEX numbers and nothing else, as far as its beginning shows."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    lines = head.split(b"\n")[: -1 if len(head) == _HEAD else None]
    words = [line.strip().decode("ascii", "replace") for line in lines if line.strip()]
    return bool(words) and all(map(is_celex, words))


def listed(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, by their number; empty where there is no CELEX number."""
    with path.open(encoding="utf-8", errors="replace") as file:
        number, is_begun = 1, False
        for line in iter(lambda: file.readline(_LONGEST), ""):
            if line.strip() and not is_begun:
                yield number, line.strip() if is_celex(line) else ""
            is_begun = not line.endswith("\n")
            number += not is_begun


# Rows of a data set → entries. A row that holds no act is an entry too, with the reason.

COLUMNS: Final = (ACT, SUMMARY, CELEX, LANGUAGE)
"""What is read of a row."""


def entries_of(name: str, records: Iterable[object], fields: Mapping[str, str]) -> Iterator[Entry]:
    """An entry for each record that is not blank, by its line; `fields` has what rows call those with other names."""
    for line, record in enumerate(records, 1):
        if record != b"":
            yield _entry(f"{name}:{line}", record, fields)


def _entry(source: str, record: object, fields: Mapping[str, str]) -> Entry:
    if isinstance(record, bytes):
        try:
            record = json.loads(record)
        except (ValueError, RecursionError):
            record = Broken("The line is not JSON in UTF-8.")
    if isinstance(record, Broken):
        return Entry(source, fault=record.reason)
    if not isinstance(record, Mapping):
        return Entry(source, fault="The row is not an object with named fields.")
    values = {name: record.get(fields.get(name, name)) for name in COLUMNS}
    if wrong := [name for name, value in values.items() if not isinstance(value, str | None)]:
        return Entry(source, fault=f"The field '{fields.get(wrong[0], wrong[0])}' is not a string.")
    text, summary, celex, language = (str(value or "") for value in values.values())
    known = Entry(source, celex=celex, language=language.lower(), summary=summary)
    if not text.strip():
        return replace(known, fault=f"The act is empty (field '{fields.get(ACT, ACT)}').")
    content = text.encode("utf-8", "replace")
    if len(content) + len(summary) > MAX_BYTES:
        return replace(known, summary="", fault=f"The row is larger than {MAX_BYTES // 1_000_000} MB, which no act is.")
    return replace(known, content=content, is_text=True)


# What a corpus is made of: from folders, patterns, rows, archives and lists to one act after the other.

_QUICK: Final = 1 << 28
"""Bytes of a file of rows that are soon counted."""
_MARKED_UP: Final = (".html", ".htm", ".xhtml", ".xml", ".pdf", ".docx")
"""Files of such names are acts, whatever else stands in them: pages have JSON inside too."""


class _Place(NamedTuple):
    """Where entries come from."""

    kind: str
    """One of: file, formex, rows, archive, list, fetched, fault."""
    name: str
    fault: str = ""

    @property
    def key(self) -> str:
        """The same for what is the same, by whatever name."""
        if self.kind == "fetched":
            return _key_of(self.name)
        return self.name if self.name.startswith("hf:") else os.path.realpath(self.name)


class _Seen:
    """What was met already; digests, since there may be millions."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()

    def is_new(self, key: str) -> bool:
        digest = blake2b(key.encode("utf-8", "surrogateescape"), digest_size=16).digest()
        is_new = digest not in self._digests
        self._digests.add(digest)
        return is_new


@dataclass(frozen=True, slots=True)
class Inputs:
    """The acts that some inputs name, in an order that does not change: iterating twice gives the same."""

    names: tuple[str, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    """What rows call the fields that have other names."""
    split: str = SPLIT

    def __iter__(self) -> Iterator[Entry]:
        seen = _Seen()
        for place in self._places(seen):
            yield from self._entries(place, seen)

    def count(self) -> int | None:
        """How many there are; none where only going through them would tell."""
        total = 0
        for place in self._places(_Seen()):
            length = self._length(place)
            if length is None:
                return None
            total += length
        return total

    def check(self) -> None:
        """Say what is wrong with them before the work begins."""
        for name in self.names:
            first = next(self._given(name), None)
            if first is None:
                raise LexLatticeError(f"There is nothing to read in '{name}'; name something with acts in it.")
            if first.kind == "rows" and Path(first.name) == Path(name):
                self._open(name)

    @property
    def have_rows(self) -> bool:
        """Whether there are data sets among them, and not only acts."""
        return any(place.kind == "rows" for place in self._places(_Seen()))

    @property
    def shown(self) -> list[str]:
        """Their names as they can be written down."""
        return [writable(discreet(name) if is_url(name) else name) for name in self.names]

    def _places(self, seen: _Seen) -> Iterator[_Place]:
        for name in self.names:
            yield from (place for place in self._given(name) if seen.is_new(place.key))

    def _given(self, name: str) -> Iterator[_Place]:
        """What an input leads to; one that leads nowhere is refused."""
        path, mode = Path(name), _mode(name)
        if not name:
            raise LexLatticeError("No input was named; give a file, a folder, a pattern, or CELEX numbers.")
        if is_url(name) or (is_celex(name) and mode is None):
            yield _Place("fetched", name)
        elif name.startswith("hf:"):
            yield _Place("rows", name)
        elif mode is None:
            yield from _matching(name)
        elif stat.S_ISDIR(mode):
            yield from _in_folder(path)
        elif not stat.S_ISREG(mode):
            raise LexLatticeError(f"'{name}' is a pipe or a device, which cannot be read again; give a file.")
        else:
            yield _Place("list", name) if is_list(path) else _of_path(path)

    def _entries(self, place: _Place, seen: _Seen) -> Iterator[Entry]:
        name, path = place.name, Path(place.name)
        if place.kind == "rows":
            try:
                yield from entries_of(name, self._open(name), self.fields)
            except MissingExtraError:
                raise
            except LexLatticeError as error:
                yield Entry(name, fault=str(error))
        elif place.kind == "archive":
            yield from members(path)
        elif place.kind == "list":
            for line, celex in listed(path):
                if not celex:
                    yield Entry(f"{path}:{line}", fault="The line is no CELEX number.")
                elif seen.is_new(_key_of(celex)):
                    yield Entry(celex, address=celex)
        elif place.kind == "fetched":
            yield Entry(_named(name, seen), address=name)
        elif place.kind == "formex":
            yield packed(path)
        else:
            yield Entry(name, fault=place.fault) if place.fault else _file(path)

    def _open(self, name: str) -> Iterable[object]:
        columns = [self.fields.get(column, column) for column in COLUMNS]
        return open_source(name if name.startswith("hf:") else Path(name), self.split, columns)

    def _length(self, place: _Place) -> int | None:
        if place.kind in ("archive", "list"):
            return None
        if place.kind != "rows":
            return 1
        path = Path(place.name)
        if path.is_file() and path.stat().st_size > _QUICK:
            return None
        try:
            records = self._open(place.name)
        except MissingExtraError:
            raise
        except LexLatticeError:
            return 1
        return len(records) if isinstance(records, Sized) else None


def _mode(name: str) -> int | None:
    """What kind of thing a name stands for; none if nothing is called so."""
    with suppress(OSError, ValueError):
        return Path(name).stat().st_mode
    return None


def _matching(name: str) -> Iterator[_Place]:
    """What a pattern matches, each once."""
    if "://" in name:  # which may have a password in it
        raise LexLatticeError("Only addresses that begin with http:// or https:// can be opened; correct it.")
    if os.path.islink(name):  # noqa: PTH114 – for names that are too long too
        raise LexLatticeError(f"'{name}' is a link that leads nowhere; mend it, or name the file itself.")
    if not has_magic(name):
        raise LexLatticeError(f"There is no file '{name}'; give a file, a folder, a pattern, or CELEX numbers.")
    found = sorted(map(Path, glob(name, recursive=True)))  # noqa: PTH207 – patterns may be absolute
    if not found:
        raise LexLatticeError(f"Nothing is called like '{name}'; give another pattern.")
    folders = {path for path in found if path.is_dir()}
    whole = set(filter(_is_one, folders))
    opened = {parent for path in found if path not in folders for parent in path.parents} - whole
    for path in found:
        if path in opened or not whole.isdisjoint(path.parents):
            continue  # its files are matched themselves, or belong to what a folder above them is
        yield from _in_folder(path) if path in folders else [_of_path(path)]


def _in_folder(path: Path) -> Iterator[_Place]:
    """What a folder is, or holds; what a run wrote is not read by another."""
    if is_output(path):
        return
    if is_data_set(path):
        yield _Place("rows", str(path))
    elif is_one_act(path):
        yield _Place("formex", str(path))
    else:
        for found in below(path, lambda name: is_readable(name) or is_packed(name), _is_one):
            if found.fault:
                yield _Place("fault", str(found.path), found.fault)
            elif found.path.is_dir():
                yield from _in_folder(found.path)
            else:
                yield _of_path(found.path)


def _is_one(folder: Path) -> bool:
    """Whether a folder is one thing, whatever lies in it."""
    return is_one_act(folder) or is_data_set(folder) or is_output(folder)


def _of_path(path: Path) -> _Place:
    """What a file is; told by what it holds, and mark-up by its name."""
    name = str(path)
    mode = _mode(name)
    if mode is None:
        return _Place("fault", name, "This is a link that leads nowhere.")
    if not stat.S_ISREG(mode):
        return _Place("fault", name, "This is no file that can be read.")
    if name.lower().endswith(_MARKED_UP):
        return _Place("file", name)
    if is_archive(path):
        return _Place("archive", name)
    return _Place("rows" if is_data_set(path) else "file", name)


def _file(path: Path) -> Entry:
    try:
        with path.open("rb") as file:
            return sized(str(path), file.read(MAX_BYTES + 1))
    except OSError as error:
        return Entry(str(path), fault=f"The file cannot be read ({error.strerror or error}).")


def _key_of(address: str) -> str:
    """An address, or a CELEX number however it is written."""
    return address.strip() if is_url(address) else address.strip().upper().removeprefix("CELEX:")


def _named(address: str, seen: _Seen) -> str:
    """The public name of an address; a number keeps those apart that differ only in what is not told."""
    if not is_url(address):
        return address
    public = discreet(address)
    name, number = public, 1
    while not seen.is_new(f"public {name}"):
        number += 1
        name = f"{public} ({number})"
    return name
