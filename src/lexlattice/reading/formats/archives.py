"""ZIP files from untrusted sources: the declared sizes are checked before anything is unpacked."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import PurePosixPath
from typing import Final

from lexlattice.errors import ReadingError

MAX_UNZIPPED: Final = 200_000_000
"""Bytes of all members together."""
MAX_MEMBERS: Final = 2_000
MAX_RATIO: Final = 200
"""Of unpacked to packed size, for members large enough to do harm."""
_LARGE_MEMBER: Final = 1_000_000


def unzip(data: bytes, suffix: str) -> dict[str, bytes]:
    """Return the members whose names end in `suffix`, by name; a file that may be harmful is refused as a whole."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            _check_members(members)
            wanted = [member for member in members if member.filename.lower().endswith(suffix)]
            return {member.filename: _unpack(archive, member) for member in wanted}
    except (
        *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError),
        *(NotImplementedError, RuntimeError, LookupError, MemoryError),
    ) as error:
        raise ReadingError(
            f"The ZIP file cannot be unpacked ({error}); download or save it again.", code="damaged"
        ) from None


def check_sizes(members: list[zipfile.ZipInfo], kind: str, large: int) -> None:
    """Refuse a file whose members unpack to too much; members of less than `large` bytes may have any ratio."""
    if sum(member.file_size for member in members) > MAX_UNZIPPED:
        raise ReadingError(
            f"The {kind} unpacks to more than {MAX_UNZIPPED // 1_000_000} MB, which no act does.", code="unsafe"
        )
    for member in members:
        if member.file_size > max(large, MAX_RATIO * member.compress_size):
            raise ReadingError(
                f"The {kind} has a part ({member.filename!r}) that is compressed too much to be text.", code="unsafe"
            )


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_MEMBERS:
        raise ReadingError(
            f"The ZIP file has {len(members)} members; at most {MAX_MEMBERS} are accepted.", code="unsafe"
        )
    check_sizes(members, "ZIP file", _LARGE_MEMBER)
    for member in members:
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in member.filename:
            raise ReadingError(f"The ZIP file has a member outside its own folder: {member.filename!r}.", code="unsafe")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ReadingError(
                "The ZIP file uses an unusual compression method; unpack it first.", code="unknown-format"
            )
        if member.flag_bits & 0x1:
            raise ReadingError(f"The ZIP file is encrypted ({member.filename!r}); unpack it first.", code="encrypted")


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack one member, but no more of it than it declares."""
    with archive.open(member) as stream:
        content = stream.read(member.file_size + 1)
        if len(content) > member.file_size:
            raise ReadingError(
                f"The ZIP file declares a wrong size for {member.filename!r}; download it again.", code="damaged"
            )
        return content
