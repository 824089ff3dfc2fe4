"""The file that a command writes: never the one it reads."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from lexlattice._internal.files import writing, written
from lexlattice.errors import LexLatticeError


@contextmanager
def output(name: str, source: str) -> Iterator[BinaryIO]:
    """A file to write to, opened before the work begins, that takes its name once all is done."""
    target = Path(name)
    with writing(target):
        if target.exists() and Path(source).exists() and target.samefile(source):
            raise LexLatticeError(f"'{name}' is the input; name another file for the output.")
    with written(target) as file:
        yield file


# What the commands share: how they are declared, and how they speak.

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]
else:
    Commands = Any


def say(sentence: str) -> None:
    """One line beside the output."""
    if sys.stderr is not None:
        print(f"lexlattice: {sentence}", file=sys.stderr)


def fail(sentence: str) -> int:
    """Say what is wrong; the exit code for it."""
    say(sentence)
    return 2
