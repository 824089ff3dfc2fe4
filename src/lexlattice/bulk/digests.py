"""Digests of files: of shards, and of whatever the names of systems and encoders lead to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

_DIGITS: Final = 16


def digest_of(path: Path) -> str:
    """Of one file, of which a little is held at a time."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_named(shipped: Path, names: Iterable[str]) -> str:
    """Of the shipped model, and of all files and folders that are named as in `model:FILE` or `onnx:FOLDER`."""
    total = hashlib.sha256(digest_of(shipped).encode())
    for path in (found for name in names for found in _paths(name)):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                total.update(f"{file.as_posix()!r} {digest_of(file)}\n".encode())
    return total.hexdigest()[:_DIGITS]


def _paths(name: str) -> Iterator[Path]:
    """What is there of the paths in a name; `translate:MODEL?order=last&system=NAME` has another name inside."""
    where, _, inner = name.partition(":")[2].partition("system=")
    for path in {where, where.partition("?")[0]} - {""}:
        if Path(path).exists():
            yield Path(path)
    if inner:
        yield from _paths(inner)
