"""Decimal numbers of points in a glued page: "…intended to: 1.1.reduce the risk; 1.2.prevent…".

A stop inside such a number ends nothing. Which are points, and which references, the sequence tells: only the number
that is due next counts a point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lexlattice.reading.grammar import Grammar, fold

_NUMBER: Final = re.compile(
    r"(?:(?<![\w/(])(?<!\d[.,])(?<![A-Z]\.)|(?<=[^\W\d_]{4})(?=\d{1,2}\.\d))"
    r"(?P<n>\d{1,2}(?:\.\d{1,2}){0,5})\.(?P<gap>\s?)(?=[^\W\d_])"
)
_FEWEST: Final = 3
"""So many decimal numbers before a word show that a page counts by them."""
_LEAP: Final = 2
"""A decimal number may be lost in the text before it; the next is due all the same."""
_WORD: Final = 24
"""Characters before a number that hold the word before it."""
_STOPS: Final = (".", ";", ":")
_HEAD: Final = 4
"""So many letters tell a head-word in all its inflected forms."""


def decimals(line: str, grammar: Grammar) -> Iterator[tuple[int, int]]:
    """Where the numbers of points begin and end, in a line that counts its points by decimals."""
    found = list(_NUMBER.finditer(line))
    if sum("." in match["n"] for match in found) < _FEWEST:
        return
    numbers = [tuple(map(int, match["n"].split("."))) for match in found]
    latest: tuple[int, ...] = ()
    for match, number, following in zip(found, numbers, [*numbers[1:], ()], strict=True):
        before = line[max(0, match.start() - _WORD) : match.start()].rstrip()
        if not _is_due(number, latest) or _is_reference(before, grammar):
            continue
        latest = number
        begins = before[-1:] in _STOPS or following == (*number, 1)
        if len(number) > 1 or (begins and not match["gap"]):
            yield match.start(), match.end("n") + 1


def _is_due(number: tuple[int, ...], latest: tuple[int, ...]) -> bool:
    """Whether a number is the first below the latest, or the next at its level or further out; or begins anew.

    >>> [_is_due(n, (2, 1)) for n in ((2, 1, 1), (2, 2), (3,), (3, 1), (1,), (2, 3), (2, 4), (4,))]
    [True, True, True, True, True, True, False, False]
    """
    if set(number) == {1} or (number[-1] == 1 and number[:-1] == latest):
        return True
    *above, last = number if number[-1] > 1 or len(number) == 1 else number[:-1]
    return (
        len(above) < len(latest)
        and list(latest[: len(above)]) == above
        and 0 < last - latest[len(above)] <= (_LEAP if above else 1)
    )


def _is_reference(before: str, grammar: Grammar) -> bool:
    """Whether a head-word stands before a number: "in point 4.1.", and no point begins."""
    words = before.split()
    return bool(words) and fold(words[-1].strip("(.,"))[:_HEAD] in grammar.heads
