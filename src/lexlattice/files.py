"""Files that are there whole or not at all, whenever a process is killed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lexlattice.encoding.store import sync_folder
from lexlattice.errors import LexLatticeError

_PART: Final = ".part"


def write_whole(path: Path, content: bytes) -> None:
    """Put a file in its place once all of it is on the disk.

    What a killed process leaves half written is written over when the same file is written again.
    """
    part = path.with_name(f".{path.name}{_PART}")
    with writing(path):
        try:
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def is_unused(folder: Path) -> bool:
    """Whether something new can go there: it is not there at all, or holds nothing whole."""
    with writing(folder):
        return not folder.exists() or all(path.name.endswith(_PART) for path in folder.iterdir())


def sha256(content: bytes) -> str:
    """The digest that tells one content from all others."""
    return hashlib.sha256(content).hexdigest()


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """What fails here is the fault of a file or a folder."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise LexLatticeError(f"'{place}' cannot be written ({reason}); make room, or name another place.") from error
