"""Atomic writes: files that are complete or absent, whenever a process is killed or the power fails."""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from lexlattice.errors import OutputError

_PART: Final = ".part"
_FAILURES: Final = (errno.EIO, errno.ENOSPC, errno.EDQUOT)
"""Errors of flushing a folder that mean that it did not reach the disk; others, that the system has no such thing."""


@contextmanager
def written(target: Path) -> Iterator[BinaryIO]:
    """Open a temporary file, and rename it to the target at the end of the block once it is on disk.

    The file is opened first, so that a target that cannot be written is an error before any work is done. A target
    that is not a regular file, such as a pipe or a device, is written directly. The temporary file has a fixed name,
    so what a killed process leaves behind is overwritten next time.

    Raises:
        OutputError: The file cannot be written. Errors raised in the block itself are not changed.

    """
    with writing(target):
        is_regular = not target.exists() or target.is_file()
        target = target.resolve() if is_regular else target  # a link stays a link
        part = target.with_name(f".{target.name}{_PART}") if is_regular else target
        file = part.open("wb")
    try:
        try:
            yield file
            with writing(target):
                file.flush()
                if is_regular:
                    os.fsync(file.fileno())
        finally:
            with writing(target):
                file.close()
        if is_regular:
            # The order matters: first the content, then the name, then the folder that has the name.
            with writing(target):
                part.replace(target)
                sync_folder(target.parent)
    except BaseException:
        if is_regular:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically."""
    with written(path) as file, writing(path):
        file.write(content)


def make_folder(folder: Path) -> None:
    """Create a folder and those above it, unless they are there, so that they survive a power failure.

    Raises:
        OutputError: The folder cannot be created.

    """
    with writing(folder):
        missing = [path for path in (folder, *folder.parents) if not path.exists()]
        folder.mkdir(parents=True, exist_ok=True)
        for path in reversed(missing):
            sync_folder(path.parent)


def remove_parts(folder: Path, pattern: str = "*") -> None:
    """Delete what interrupted writes to files of a pattern have left in a folder; no other process may write to it."""
    with writing(folder):
        for path in folder.glob(f".{pattern}{_PART}"):
            path.unlink(missing_ok=True)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock as long as this process lives; without effect where the system has no such locks.

    Raises:
        OutputError: Another process, or another thread of this one, holds it.

    """
    with writing(path):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        with suppress(ImportError):
            import fcntl

            try:  # the system releases the lock when the process ends, however it ends
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OutputError(
                    f"Another run is writing to '{path.parent}'; wait for it, or choose another folder."
                ) from error
            except OSError:
                pass  # a file system without locks
        yield
    finally:
        os.close(handle)


def is_unused(folder: Path) -> bool:
    """Whether a folder does not exist, or holds nothing but leftovers of interrupted writes."""
    with writing(folder):
        return not folder.exists() or all(path.name.endswith(_PART) for path in folder.iterdir())


def cache_folder() -> Path:
    """The folder of caches (`LEXLATTICE_CACHE`); if the user has no home, a path that cannot be written."""
    if folder := os.environ.get("LEXLATTICE_CACHE"):
        return Path(folder)
    from platformdirs import user_cache_path

    path = Path("~")
    with suppress(RuntimeError):  # recent versions raise it without a home folder, earlier ones leave the "~"
        path = user_cache_path("lexlattice", appauthor=False, opinion=False)
    return path if path.is_absolute() else Path(os.devnull, "lexlattice")


def sha256(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file of any size, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, where the system supports it."""
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno in _FAILURES:
            raise


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert what goes wrong with a file or folder within the block into an `OutputError`."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "the name is not valid"
        advice = "create its folder first" if isinstance(error, FileNotFoundError) else "free some space"
        raise OutputError(f"'{path}' cannot be written ({reason}); {advice}, or choose another place.") from error
