"""Files with CELEX numbers, one a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lexlattice.reading.fetch import is_celex

_HEAD: Final = 1 << 16
"""Bytes of a file in which it shows whether it is a list."""
_LONGEST: Final = 1 << 10
"""Characters of a line: what is longer is no number, and need not be held."""


def is_list(path: Path) -> bool:
    """Whether a file holds CELEX numbers and nothing else, as far as its beginning shows."""
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError:
        return False
    lines = head.split(b"\n")[: -1 if len(head) == _HEAD else None]
    words = [line.strip().decode("ascii", "replace") for line in lines if line.strip()]
    return bool(words) and all(map(is_celex, words))


def listed(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, by their number; empty where there is no CELEX number."""
    with path.open(encoding="utf-8", errors="replace") as file:
        number, is_begun = 1, False
        for line in iter(lambda: file.readline(_LONGEST), ""):
            if line.strip() and not is_begun:
                yield number, line.strip() if is_celex(line) else ""
            is_begun = not line.endswith("\n")
            number += not is_begun
