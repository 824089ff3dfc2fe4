"""Zip files of strangers: nothing is unpacked before what the file declares was found to be harmless."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import PurePosixPath

from lexlattice.errors import ReadingError

MAX_UNZIPPED = 200_000_000  # bytes, of all members together
MAX_MEMBERS = 2_000
MAX_RATIO = 200  # of unpacked to packed size, for members large enough to do harm


def unzip(data: bytes, suffix: str) -> dict[str, bytes]:
    """Return the members of a zip file whose names end in `suffix`, by name, or refuse the whole of it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            _check_members(members)
            wanted = [member for member in members if member.filename.lower().endswith(suffix)]
            return {member.filename: _unpack(archive, member) for member in wanted}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise ReadingError(f"The zip file cannot be unpacked: {error}.") from None
    except (RuntimeError, LookupError, MemoryError) as error:
        raise ReadingError(f"The zip file cannot be unpacked: {error}.") from None


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    if len(members) > MAX_MEMBERS:
        raise ReadingError(f"The zip file has {len(members)} members; at most {MAX_MEMBERS} are accepted.")
    check_sizes(members, "zip file", large=1_000_000)
    for member in members:
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if path.is_absolute() or ".." in path.parts or ":" in member.filename:
            raise ReadingError(f"The zip file has a member outside its own folder: {member.filename!r}.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ReadingError("The zip file is packed in an unusual way; unpack it first.")
        if member.flag_bits & 0x1:
            raise ReadingError(f"The zip file is encrypted ({member.filename!r}); unpack it first.")


def check_sizes(members: list[zipfile.ZipInfo], kind: str, large: int) -> None:
    """Refuse a file whose members unpack to too much; those of less than `large` bytes may be packed tightly."""
    if sum(member.file_size for member in members) > MAX_UNZIPPED:
        raise ReadingError(f"The {kind} unpacks to more than {MAX_UNZIPPED // 1_000_000} MB, a size that no act has.")
    for member in members:
        if member.file_size > max(large, MAX_RATIO * member.compress_size):
            name = member.filename
            raise ReadingError(f"The {kind} has a part packed too tightly to be text ({name!r}), which no act has.")


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Unpack one member, and no more of it than it declared, whatever its stream holds."""
    with archive.open(member) as stream:
        content = stream.read(member.file_size + 1)
        if len(content) > member.file_size:
            raise ReadingError(f"The zip file lies about the size of {member.filename!r}.")
        return content
