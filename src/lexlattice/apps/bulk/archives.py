"""Archives of acts, read member by member from untrusted tar and zip files, and Formex folders packed as one record.

Nothing is unpacked to disk, and never more than the size of an act is in memory. A damaged archive yields the members
before the damage and then a record that reports it.
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

from lexlattice.apps.bulk.records import Record, encodable, file_record, is_hidden, is_packed, is_readable
from lexlattice.errors import brief
from lexlattice.reading.formats import MAX_BYTES

_ZIP: Final = b"PK\x03\x04"
_OPENERS: Final = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_HEADER_BYTES: Final = 1 << 20
"""Bytes of the headers of one tar member: its name and so on."""
_CHUNK: Final = 1 << 12
"""Bytes that are read of a zip member at a time. It is the smallest unit that Python reads, since some compression
methods expand any input without limit."""
_DAMAGE_ERRORS: Final = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, ValueError, LookupError, RuntimeError),
)
"""What Python's readers raise for damaged files; RuntimeError for encrypted, unknown and too deeply nested ones."""


class _HeaderTooLongError(tarfile.ReadError):
    """The headers of a tar member are longer than any honest ones."""


def is_archive(path: Path) -> bool:
    """Whether a file is a tar, or a zip file of acts; documents and single acts in Formex are zip files, too."""
    try:
        with path.open("rb") as file:
            if file.read(len(_ZIP)) == _ZIP:
                return _holds_acts(file)
        with _tar(path) as (archive, _):
            return archive.firstmember is not None  # type: ignore[attr-defined]
    except _HeaderTooLongError:
        return True
    except _DAMAGE_ERRORS:
        return False


def _holds_acts(file: IO[bytes]) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except _DAMAGE_ERRORS:
        return False
    return not any(name.endswith(".doc.xml") or name == "[Content_Types].xml" for name in names)


def archive_records(path: Path) -> Iterator[Record]:
    """Yield the acts of an archive, in its order."""
    is_empty = True
    try:
        with path.open("rb") as file:
            is_zip = file.read(len(_ZIP)) == _ZIP
        for record in _zip_records(path) if is_zip else _tar_records(path):
            is_empty = False
            yield record
    except _DAMAGE_ERRORS as error:
        yield Record(f"{path}!", fault=f"The archive is damaged from here on ({brief(error)}); download it again.")
    else:
        if is_empty:
            yield Record(f"{path}!", fault="There is no act in the archive.")


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    return (is_readable(path.name) or is_packed(path.name)) and not is_hidden(path)


def _member(source: str, name: str, content: bytes) -> Record:
    """Return the record of a member; archives inside archives are not opened."""
    if is_packed(name) or (content.startswith(_ZIP) and _holds_acts(io.BytesIO(content))):
        return Record(source, fault="An archive or a data set inside an archive is not opened; unpack it first.")
    return file_record(source, content)


# --- Tar files


class _Metered:
    """A file that can be read up to an allowance: a header states its own length, which may be a lie."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._left = file, _HEADER_BYTES

    def allow(self, size: int) -> None:
        self._left = size

    def read(self, size: int) -> bytes:
        self._left -= size
        if self._left < 0:
            raise _HeaderTooLongError("a member's header is too long")
        return self._file.read(size)

    def seek(self, place: int) -> int:
        return self._file.seek(place)

    def tell(self) -> int:
        return self._file.tell()


class _Header(tarfile.TarInfo):
    """A header that raises an error if it is damaged; Python takes one after the first for the end of the archive."""

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


def _tar_records(path: Path) -> Iterator[Record]:
    """Yield the members in one pass, since a compressed stream cannot be rewound cheaply."""
    with _tar(path) as (archive, metered):
        while (member := _next(archive, metered)) is not None:
            source = f"{path}!{member.name}"
            if member.isdir() or not _is_wanted(member.name):
                continue
            metered.allow(MAX_BYTES + _HEADER_BYTES)
            file = archive.extractfile(member) if member.isfile() else None
            if file is None:
                yield Record(source, fault="The member is a link or a device; pack the file itself.")
            else:
                yield _member(source, member.name, file.read(MAX_BYTES + 1))


def _next(archive: tarfile.TarFile, metered: _Metered) -> tarfile.TarInfo | None:
    metered.allow(_HEADER_BYTES)
    member = archive.next()
    archive.members = []  # type: ignore[attr-defined]  # it would keep all members, perhaps millions
    return member


# --- Zip files


def _zip_records(path: Path) -> Iterator[Record]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if member.is_dir() or not _is_wanted(member.filename):
                continue
            source = f"{path}!{member.filename}"
            try:
                with archive.open(member) as file:
                    content = b"".join(_chunks(file))
            except _DAMAGE_ERRORS as error:
                yield Record(source, fault=f"The member cannot be unpacked ({brief(error)}).")
            else:
                yield _member(source, member.filename, content)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    length = 0
    while length <= MAX_BYTES and (chunk := file.read(_CHUNK)):
        length += len(chunk)
        yield chunk


def formex_record(folder: Path) -> Record:
    """Pack the files of an act in Formex into one zip file; the same files give the same bytes."""
    files = sorted(folder.glob("*.xml"))
    try:
        if sum(file.stat().st_size for file in files) > MAX_BYTES:
            return Record(str(folder), fault=f"The folder is larger than {MAX_BYTES // 1_000_000} MB.")
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for file in files:
                archive.writestr(zipfile.ZipInfo(encodable(file.name)), file.read_bytes())
    except OSError as error:
        return Record(str(folder), fault=f"The folder cannot be read ({error.strerror or error}).")
    return file_record(str(folder), content.getvalue())
