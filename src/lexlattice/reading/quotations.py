"""Quotations that run over several lines: what an amendment puts into another act.

What is quoted has a numbering of its own, which may well go on as the amendment's does. Only the marks tell where it
ends.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

_PAIRS: Final = "‘’ “” „“” ‟” «» ‹› »«» ”” \"\" '' ‚‘’".split()
_CLOSING: Final = {pair[0]: pair[1:] for pair in _PAIRS}
_STOPS: Final = " .;,:"
_APOSTROPHE: Final = re.compile(r"(?<=\w)[’'](?=\w)")
MOST_TRIED: Final = 50
"""So many lines that might end a quotation are looked at; a text with more has lost its marks."""


def quotations(lines: Sequence[str]) -> dict[int, int]:
    """Where quotations of several lines begin and end: a colon leads in, and no other begins before the end.

    >>> quotations(["(1) it is replaced by this:", "‘Article 2", "Text.’;", "(2) it ends."])
    {1: 2}
    """
    openings = [i for i in range(1, len(lines)) if lines[i][0] in _CLOSING and _opens(lines[i], lines[i - 1])]
    spans: dict[int, int] = {}
    ends: dict[str, tuple[list[int], list[int]]] = {}
    for n, i in enumerate(openings):
        mark = lines[i][0]
        if mark not in ends:
            ends[mark] = _ends(lines, mark)
        candidates, open_after = ends[mark]
        start = bisect_left(candidates, i + 1)
        near = candidates[start : start + MOST_TRIED]
        end = next((j for j in near if open_after[j] <= open_after[i - 1]), None)
        limit = openings[n + 1] if n + 1 < len(openings) else len(lines)
        if end is not None and end < limit:
            spans[i] = end
    return spans


def _opens(line: str, before: str) -> bool:
    """Whether a line begins a quotation that it does not end."""
    return before[-1] == ":" and _balance(line, line[0]) > 0


def _balance(line: str, mark: str) -> int:
    """How many quotations of a kind a line leaves open."""
    line = _APOSTROPHE.sub("", line)
    if mark in _CLOSING[mark]:
        return line.count(mark) % 2
    return line.count(mark) - sum(map(line.count, _CLOSING[mark]))


def _ends(lines: Sequence[str], mark: str) -> tuple[list[int], list[int]]:
    """Lines that end with a mark's counterpart, and how many quotations are open after each line."""
    closing = _CLOSING[mark]
    candidates = [i for i, line in enumerate(lines) if (line.rstrip(_STOPS) or " ")[-1] in closing]
    if mark in closing:
        return candidates, [0] * len(lines)
    return candidates, list(accumulate(_balance(line, mark) for line in lines))
