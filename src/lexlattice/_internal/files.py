"""Files that are there whole or not at all, whenever a process is killed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from lexlattice.errors import LexLatticeError

_PART: Final = ".part"


@contextmanager
def written(target: Path) -> Iterator[BinaryIO]:
    """A file to write to, opened before the work begins, that takes its name once all of it is on the disk.

    What is no ordinary file (a pipe, a device) is written to directly. What a killed process leaves half written is
    written over when the same file is written again. Errors of the work itself pass.
    """
    with writing(target):
        is_whole = not target.exists() or target.is_file()
        target = target.resolve() if is_whole else target
        part = target.with_name(f".{target.name}{_PART}") if is_whole else target
        file = part.open("wb")
    try:
        try:
            yield file
            with writing(target):
                file.flush()
                if is_whole:
                    os.fsync(file.fileno())
        finally:
            with writing(target):
                file.close()
        if is_whole:
            with writing(target):
                part.replace(target)
            sync_folder(target.parent)
    except BaseException:
        if is_whole:
            part.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Put a file in its place once all of it is on the disk."""
    with written(path) as file, writing(path):
        file.write(content)


def is_unused(folder: Path) -> bool:
    """Whether something new can go there: it is not there at all, or holds nothing whole."""
    with writing(folder):
        return not folder.exists() or all(path.name.endswith(_PART) for path in folder.iterdir())


def sha256(content: bytes) -> str:
    """The digest that tells one content from all others."""
    return hashlib.sha256(content).hexdigest()


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk too, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """What fails here is the fault of a file or a folder."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "nothing can have that name"
        help = "make its folder first" if isinstance(error, FileNotFoundError) else "make room"
        raise LexLatticeError(f"'{place}' cannot be written ({reason}); {help}, or name another place.") from error
