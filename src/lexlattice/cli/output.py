"""Files that a command writes: whole or not at all, and never the one it reads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lexlattice.errors import LexLatticeError


@contextmanager
def written(name: str, source: str) -> Iterator[BinaryIO]:
    """A file to write to, opened before the work begins, that takes its name once all is done.

    What is no ordinary file (a pipe, a device) is written to directly. Errors of the work itself pass.
    """
    with writing(name):
        target = Path(name)
        if target.exists() and Path(source).exists() and target.samefile(source):
            raise LexLatticeError(f"'{name}' is the input; name another file for the output.")
        is_whole = not target.exists() or target.is_file()
        target = target.resolve() if is_whole else target
        part = target.with_name(f".{target.name}.{os.getpid()}") if is_whole else target
        file = part.open("wb")
    try:
        try:
            yield file
        finally:
            with writing(name):
                file.close()
        if is_whole:
            with writing(name):
                part.replace(target)
    except BaseException:
        if is_whole:
            part.unlink(missing_ok=True)
        raise


@contextmanager
def writing(name: str) -> Iterator[None]:
    """What fails here is the output's fault."""
    try:
        yield
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "no file can have that name"
        raise LexLatticeError(f"'{name}' cannot be written ({reason}).") from error
