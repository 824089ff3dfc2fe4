"""What a corpus is made of: from folders, patterns, rows, archives and lists to one act after the other.

An entry holds all that its act is made of, so that it can be sent anywhere, and has a digest of it, by which a run that
goes on knows that it is still the same. Only what has to be fetched is named and not held. What cannot be had is an
entry too, with the reason: nothing is left out in silence.
"""

from __future__ import annotations

import json
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import glob, has_magic
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final

from lexlattice.corpus.folders import acts_in, is_one_act, is_readable
from lexlattice.corpus.sources import ACT, CELEX, LANGUAGE, SPLIT, SUMMARY, Broken, is_data_set, open_source
from lexlattice.errors import LexLatticeError, brief
from lexlattice.reading.fetch import is_celex, is_url
from lexlattice.reading.formats import MAX_BYTES

_ZIP: Final = b"PK\x03\x04"
_QUICK: Final = 1 << 28
"""Bytes of a file of rows that are soon counted."""
_LIST: Final = 1 << 16
"""Bytes of a file in which it shows whether it is a list of CELEX numbers."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An act, or why there is none."""

    source: str
    """Where it comes from: a path, `path:line`, `archive!member`, or a CELEX number."""
    content: bytes = b""
    """All of it: a file's bytes, or a row's text in UTF-8."""
    is_text: bool = False
    """Whether the content is nothing but text; else its format is found out."""
    is_named: bool = False
    """Whether the source is to be opened by whoever reads it: fetched, or a folder of Formex files."""
    celex: str = ""
    language: str = ""
    summary: str = ""
    fault: str = ""
    """One sentence, if there is no act."""

    @property
    def digest(self) -> str:
        """Of all that decides what becomes of it."""
        rest = [self.source, self.is_text, self.is_named, self.celex, self.language, self.summary, self.fault]
        return sha256(json.dumps(rest).encode() + b"\0" + self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Inputs:
    """The acts that some inputs name, in an order that does not change: iterating twice gives the same."""

    names: tuple[str, ...]
    fields: Mapping[str, str] = field(default_factory=dict)
    """What rows call the fields that have other names."""
    split: str = SPLIT

    def __iter__(self) -> Iterator[Entry]:
        for name in self.names:
            yield from self._of(name)

    def count(self) -> int | None:
        """How many there are; none where only going through them would tell."""
        total = 0
        for name in self.names:
            kind, found = self._kind(name)
            is_long = kind == "rows" and Path(name).is_file() and Path(name).stat().st_size > _QUICK
            if kind in ("archive", "list") or is_long:
                return None
            total += len(found) if isinstance(found, Sequence) or hasattr(found, "__len__") else 1
        return total

    def check(self) -> None:
        """Say what is wrong with them before the work begins."""
        for name in self.names:
            self._kind(name)

    def _kind(self, name: str) -> tuple[str, Any]:
        """What an input is, and what it holds as far as that is known without going through it."""
        path = Path(name)
        if not name:
            raise LexLatticeError("No input was named; give a file, a folder, a pattern, or CELEX numbers.")
        if is_url(name) or (is_celex(name) and not path.exists()):
            return "named", [name]
        if name.startswith("hf:"):
            return "rows", open_source(name, self.split, self._columns)
        if has_magic(name) and not path.exists():
            found = sorted(map(Path, glob(name, recursive=True)))  # noqa: PTH207 – patterns may be absolute
            if not found:
                raise LexLatticeError(f"Nothing is called like '{name}'; give another pattern.")
            return "files", found
        if path.is_dir():
            return self._folder(path)
        if not path.is_file():
            raise LexLatticeError(f"There is no file '{name}'; give a file, a folder, a pattern, or CELEX numbers.")
        if tarfile.is_tarfile(path) or _is_archive(path):
            return "archive", path
        if is_data_set(path):
            return "rows", open_source(path, self.split, self._columns)
        return ("list", path) if _is_list(path) else ("files", [path])

    def _folder(self, path: Path) -> tuple[str, Any]:
        if is_data_set(path):
            return "rows", open_source(path, self.split, self._columns)
        if is_one_act(path):
            return "named", [str(path)]
        if not (found := acts_in(path)):
            raise LexLatticeError(f"There is nothing to read in the folder '{path}'; name one with acts in it.")
        return "files", found

    def _of(self, name: str) -> Iterator[Entry]:
        kind, found = self._kind(name)
        if kind == "rows":
            yield from self._rows(name, found)
        elif kind == "archive":
            yield from _members(found)
        elif kind == "list":
            yield from _listed(found)
        elif kind == "named":
            yield from (Entry(source, is_named=True) for source in found)
        else:
            for path in found:
                several = path.is_dir() or (has_magic(name) and _holds_several(path))
                yield from self._of(str(path)) if several else [_file(path)]

    @property
    def _columns(self) -> list[str]:
        return [self._field(name) for name in (ACT, SUMMARY, CELEX, LANGUAGE)]

    def _field(self, name: str) -> str:
        return self.fields.get(name, name)

    def _rows(self, name: str, records: Iterable[object]) -> Iterator[Entry]:
        for line, record in enumerate(records, 1):
            if record != b"":
                yield self._row(f"{name}:{line}", record)

    def _row(self, source: str, record: object) -> Entry:
        if isinstance(record, bytes):
            try:
                record = json.loads(record)
            except (ValueError, RecursionError):
                record = Broken("The line is not JSON in UTF-8.")
        if isinstance(record, Broken):
            return Entry(source, fault=record.reason)
        if not isinstance(record, Mapping):
            return Entry(source, fault="The row is not an object with named fields.")
        values = {name: record.get(self._field(name)) for name in (ACT, SUMMARY, CELEX, LANGUAGE)}
        if wrong := [name for name, value in values.items() if not isinstance(value, str | None)]:
            return Entry(source, fault=f"The field '{self._field(wrong[0])}' is not a string.")
        text, summary, celex, language = (str(value or "") for value in values.values())
        known = Entry(source, celex=_clean(celex), language=_clean(language).lower(), summary=_clean(summary))
        if not text.strip():
            return replace(known, fault=f"The act is empty (field '{self._field(ACT)}').")
        return replace(known, content=text.encode("utf-8", "replace"), is_text=True)


def _clean(text: str) -> str:
    """Without halves of characters, which cannot be written."""
    return text.encode("utf-8", "replace").decode()


def _file(path: Path) -> Entry:
    try:
        with path.open("rb") as file:
            return _content(str(path), file)
    except OSError as error:
        return Entry(str(path), fault=f"The file cannot be read ({error.strerror or error}).")


def _content(source: str, file: IO[bytes]) -> Entry:
    """No more of it than an act can have."""
    content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        return Entry(source, fault=f"The file is larger than {MAX_BYTES // 1_000_000} MB, which no act is.")
    return Entry(source, content)


# --- archives ---------------------------------------------------------------------------------------------


def _is_archive(path: Path) -> bool:
    """Whether it is a zip file of acts; documents are zip files too, and so are acts in Formex."""
    with path.open("rb") as file:
        if file.read(len(_ZIP)) != _ZIP:
            return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return False
    return not any(name.endswith(".doc.xml") or name == "[Content_Types].xml" for name in names)


def _holds_several(path: Path) -> bool:
    return is_data_set(path) or _is_archive(path) or tarfile.is_tarfile(path)


def _members(path: Path) -> Iterator[Entry]:
    try:
        yield from _of_tar(path) if tarfile.is_tarfile(path) else _of_zip(path)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
        yield Entry(f"{path}!", fault=f"The archive is damaged from here on ({brief(error)}); get it anew.")


def _of_tar(path: Path) -> Iterator[Entry]:
    """As they come, since what is packed can be read in one direction only; names never leave the archive."""
    with tarfile.open(path, "r|*") as archive:
        for member in archive:
            if member.isfile() and is_readable(Path(member.name).name) and (file := archive.extractfile(member)):
                yield _content(f"{path}!{member.name}", file)
            archive.members = []  # type: ignore[attr-defined]  # it remembers all it has seen, of which there may be millions


def _of_zip(path: Path) -> Iterator[Entry]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.is_dir() or not is_readable(Path(member.filename).name):
                continue
            source = f"{path}!{member.filename}"
            try:
                with archive.open(member) as file:
                    yield _content(source, file)
            except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError) as error:
                yield Entry(source, fault=f"The member cannot be unpacked ({brief(error)}).")


# --- lists ------------------------------------------------------------------------------------------------


def _is_list(path: Path) -> bool:
    """Whether a file holds CELEX numbers, one a line."""
    with path.open("rb") as file:
        head = file.read(_LIST)
    lines = head.split(b"\n")[: -1 if len(head) == _LIST else None]
    words = [line.strip().decode("ascii", "replace") for line in lines if line.strip()]
    return bool(words) and all(map(is_celex, words))


def _listed(path: Path) -> Iterator[Entry]:
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not (celex := line.strip()):
                continue
            if is_celex(celex):
                yield Entry(celex, is_named=True)
            else:
                yield Entry(f"{path}:{number}", fault="The line is no CELEX number.")
