"""The file with the results of every act: one JSON object a line, written as they come."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from lexlattice.corpus.rows import BadRow
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.measure import Measured


def check_destination(path: Path, data: object) -> None:
    """Say at once, and not after an hour's work, that results cannot be written there."""
    if not path.name or path.is_dir() or not path.parent.is_dir():
        raise LexLatticeError(f"Results cannot be written to '{path}'; name a file in a folder that exists.")
    if isinstance(data, str | os.PathLike) and path.exists() and Path(data).exists() and path.samefile(data):
        raise LexLatticeError(f"'{path}' is the data; name another file for the results of each act.")


def kept(results: Iterable[Measured | BadRow], path: Path) -> Iterator[Measured | BadRow]:
    """The results, written down on their way.

    They are written to a file of another name beside it, which replaces the one that is named once all are there and
    one at least is good: a run that fails leaves the results of an earlier one alone. What is no ordinary file (a
    pipe) is written to directly.
    """
    if path.exists() and not path.is_file():
        yield from _written(results, path)
        return
    part = path.with_name(f".{path.name}.{os.getpid()}")
    is_any_good = is_done = False
    try:
        for result in _written(results, part):
            is_any_good |= isinstance(result, Measured)
            yield result
        is_done = True
    finally:
        with _writing(path):
            if is_done and is_any_good:
                part.replace(path)
            else:
                part.unlink(missing_ok=True)


def _written(results: Iterable[Measured | BadRow], path: Path) -> Iterator[Measured | BadRow]:
    with _writing(path):
        file = path.open("w", encoding="utf-8")
    with file:
        for result in results:
            with _writing(path):
                print(json.dumps(asdict(result), ensure_ascii=False), file=file, flush=True)
            yield result


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say which file it was that could not be written."""
    try:
        yield
    except OSError as error:
        raise LexLatticeError(
            f"The results of each act cannot be written to '{path}': {error.strerror or error}."
        ) from error
