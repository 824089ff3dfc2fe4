"""Archives of acts: zip files and tars of strangers, member by member; and a folder in Formex, packed to be sent.

Nothing is unpacked to disk, and no more of anything is held than an act can have. A damaged archive gives what comes
before the damage, and an entry that says so.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, cast

from lexlattice.apps.bulk.entry import Entry, is_hidden, is_packed, is_readable, sized, writable
from lexlattice.errors import brief
from lexlattice.reading.formats import MAX_BYTES

_ZIP: Final = b"PK\x03\x04"
_OPENERS: Final = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_LONGEST_HEADER: Final = 1 << 20
"""Bytes that a tar may say of a member before its content: its name and the like."""
_PIECE: Final = 1 << 12
"""Bytes that are unpacked at a time of a zip file: the least that Python takes in, since some packings give of each
as much as they like."""
_DAMAGES: Final = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, ValueError, LookupError, RuntimeError),
)
"""What Python's readers raise for damaged files, RuntimeError for encrypted, unknown and too deeply nested ones."""


class _ExcessError(tarfile.ReadError):
    """A tar says more of a member than there is to say."""


def is_archive(path: Path) -> bool:
    """Whether a file is a tar, or a zip file of acts; documents are zip files too, and so are acts in Formex."""
    try:
        with path.open("rb") as file:
            if file.read(len(_ZIP)) == _ZIP:
                return _holds_acts(file)
        with _tar(path) as (archive, _):
            return archive.firstmember is not None  # type: ignore[attr-defined]
    except _ExcessError:
        return True
    except _DAMAGES:
        return False


def _holds_acts(file: IO[bytes]) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except _DAMAGES:
        return False
    return not any(name.endswith(".doc.xml") or name == "[Content_Types].xml" for name in names)


def members(path: Path) -> Iterator[Entry]:
    """The acts in an archive, in its order."""
    is_empty = True
    try:
        with path.open("rb") as file:
            is_zip = file.read(len(_ZIP)) == _ZIP
        for entry in _of_zip(path) if is_zip else _of_tar(path):
            is_empty = False
            yield entry
    except _DAMAGES as error:
        yield Entry(f"{path}!", fault=f"The archive is damaged from here on ({brief(error)}); get it anew.")
    else:
        if is_empty:
            yield Entry(f"{path}!", fault="There is no act in the archive.")


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    return (is_readable(path.name) or is_packed(path.name)) and not is_hidden(path)


def _member(source: str, name: str, content: bytes) -> Entry:
    """What became of a member: an act, or more than that, which is not unpacked any further."""
    if is_packed(name) or (content.startswith(_ZIP) and _holds_acts(io.BytesIO(content))):
        return Entry(source, fault="An archive or a data set inside an archive is not opened; unpack it first.")
    return sized(source, content)


# --- tars -------------------------------------------------------------------------------------------------


class _Metered:
    """A file that gives no more bytes than it was allowed to: headers say themselves how long they are."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._left = file, _LONGEST_HEADER

    def allow(self, size: int) -> None:
        self._left = size

    def read(self, size: int) -> bytes:
        self._left -= size
        if self._left < 0:
            raise _ExcessError("what it says of a member is too long")
        return self._file.read(size)

    def seek(self, place: int) -> int:
        return self._file.seek(place)

    def tell(self) -> int:
        return self._file.tell()


class _Header(tarfile.TarInfo):
    """One that cannot be read is damage, also after the first, where Python takes it for the end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        if not buf:
            raise tarfile.ReadError("its end is missing")
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if any(buf):
                raise tarfile.ReadError(str(error)) from None
            raise


@contextmanager
def _tar(path: Path) -> Iterator[tuple[tarfile.TarFile, _Metered]]:
    with path.open("rb") as plain:
        head = plain.read(8)
    opener: Any = next((found for magic, found in _OPENERS.items() if head.startswith(magic)), Path.open)
    with closing(opener(path, "rb")) as file:
        metered = _Metered(file)
        with tarfile.TarFile(fileobj=cast(IO[bytes], metered), tarinfo=_Header) as archive:
            yield archive, metered


def _of_tar(path: Path) -> Iterator[Entry]:
    """As they come, since what is packed can be read in one direction only."""
    with _tar(path) as (archive, metered):
        while (member := _next(archive, metered)) is not None:
            source = f"{path}!{member.name}"
            if member.isdir() or not _is_wanted(member.name):
                continue
            metered.allow(MAX_BYTES + _LONGEST_HEADER)
            file = archive.extractfile(member) if member.isfile() else None
            if file is None:
                yield Entry(source, fault="The member is no file but a link or a device; pack the file itself.")
            else:
                yield _member(source, member.name, file.read(MAX_BYTES + 1))


def _next(archive: tarfile.TarFile, metered: _Metered) -> tarfile.TarInfo | None:
    metered.allow(_LONGEST_HEADER)
    member = archive.next()
    archive.members = []  # type: ignore[attr-defined]  # it remembers all it has seen, of which there may be millions
    return member


# --- zip files --------------------------------------------------------------------------------------------


def _of_zip(path: Path) -> Iterator[Entry]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.is_dir() or not _is_wanted(member.filename):
                continue
            source = f"{path}!{member.filename}"
            try:
                with archive.open(member) as file:
                    content = b"".join(_pieces(file))
            except _DAMAGES as error:
                yield Entry(source, fault=f"The member cannot be unpacked ({brief(error)}).")
            else:
                yield _member(source, member.filename, content)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    length = 0
    while length <= MAX_BYTES and (piece := file.read(_PIECE)):
        length += len(piece)
        yield piece


def packed(folder: Path) -> Entry:
    """The files of an act in Formex as one zip file, the same bytes for the same files."""
    files = sorted(folder.glob("*.xml"))
    try:
        if sum(file.stat().st_size for file in files) > MAX_BYTES:
            return Entry(str(folder), fault=f"The folder is larger than {MAX_BYTES // 1_000_000} MB, which no act is.")
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for file in files:
                archive.writestr(zipfile.ZipInfo(writable(file.name)), file.read_bytes())
    except OSError as error:
        return Entry(str(folder), fault=f"The folder cannot be read ({error.strerror or error}).")
    return sized(str(folder), content.getvalue())
