"""The file that a command writes: never the one it reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lexlattice.errors import LexLatticeError
from lexlattice.files import writing, written


@contextmanager
def output(name: str, source: str) -> Iterator[BinaryIO]:
    """A file to write to, opened before the work begins, that takes its name once all is done."""
    target = Path(name)
    with writing(target):
        if target.exists() and Path(source).exists() and target.samefile(source):
            raise LexLatticeError(f"'{name}' is the input; name another file for the output.")
    with written(target) as file:
        yield file
