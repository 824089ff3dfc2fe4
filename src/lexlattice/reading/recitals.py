"""Which number counts the recitals, and which lines among them are headings ("B. WITHDRAWAL OF UNDERTAKINGS")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.blocks import Block
from lexlattice.reading.numbering import Marker
from lexlattice.reading.shapes import SENTENCE_STOPS, shouts

LONGEST: Final = 200
"""Characters of a heading among recitals."""
MOST_IN_A_ROW: Final = 4
"""Headings that stand one below the other: "B. PRODUCT", "1. Product concerned"."""

NEXT: Final = 12
"""Lines among which the number after a glued one is looked for."""

_GLUED: Final = re.compile(r"([^\s(][^()]{2,118}?)\s?\((\d{1,3})\)\s?(?=[^\W\d_])")
_NUMBERED: Final = re.compile(r"\((\d{1,3})\)")
_LABELLED: Final = re.compile(r"(?:[^\W\d_]|[IVX]{1,5}|\d{1,2}(?:\.\d{1,2}){0,3})[.)]\s")
_DECIMAL: Final = re.compile(r"\d{1,2}(?:\.\d{1,2}){1,3}\.?\s\S")
_ENDS: Final = ".;)’”"
_LABEL: Final = re.compile(r"(?:[^\W\d_]|[IVX]{1,5}|\d{1,2}(?:\.\d{1,2}){0,3})\.?\s\S")


class Headings:
    """The headings of a section of recitals."""

    def __init__(self, lines: Sequence[str], marks: Sequence[Marker | None]) -> None:
        self.lines = lines
        self.marks = marks
        self.first = self._first()
        """The marker of the first recital; none where recitals have no numbers."""

    def has(self, n: int, count: int) -> bool:
        """Whether a line, after so many recitals, is a heading: one that the next recital's number follows."""
        if self.first is None or self._counts(n, count):
            return False
        if not count:
            return True
        for j in range(n, min(n + MOST_IN_A_ROW, len(self.lines))):
            if self._counts(j, count):
                return True
            if not self._is_titled(j):
                return j == n and self._is_untitled(n, count)
        return False

    def _first(self) -> Marker | None:
        """A number one in brackets or, failing that, before a stop, that only headings stand before."""
        for style in ("paren", "dot"):
            numbered = (n for n, mark in enumerate(self.marks) if mark is not None and mark.style == style)
            place = next((n for n in numbered if self.marks[n].value == 1), None)  # type: ignore[union-attr]
            if place is not None and all(map(self._is_short, range(place))):
                return self.marks[place]
        return None

    def _counts(self, n: int, count: int) -> bool:
        mark = self.marks[n]
        return (
            self.first is not None and mark is not None and mark.style == self.first.style and mark.value == count + 1
        )

    def _is_short(self, n: int) -> bool:
        return len(self.lines[n]) <= LONGEST and not self.lines[n].endswith(SENTENCE_STOPS)

    def _is_titled(self, n: int) -> bool:
        """Whether a line is a heading by its looks: a label before it, or capitals."""
        line = self.lines[n]
        if _DECIMAL.match(line):
            return len(line) <= LONGEST
        return self._is_short(n) and (shouts(line) or bool(_LABEL.match(line)))

    def _is_untitled(self, n: int, count: int) -> bool:
        """Whether a line is a heading by its place: between a recital that has ended and the next number."""
        line = self.lines[n]
        if not 0 < n < len(self.lines) - 1 or self.marks[n] is not None or any(map(str.isdigit, line)):
            return False
        ended = self.lines[n - 1][-1] in _ENDS and line[0].isupper()
        return ended and self._is_short(n) and self._counts(n + 1, count)


def part_headings(blocks: Sequence[Block]) -> Sequence[Block]:
    """Cut a heading off the recital that it was glued to: "A. PROCEDURE (1) In June 1992, the Commission announced"."""
    parted: list[Block] = []
    for i, block in enumerate(blocks):
        cut = _end_of_heading(blocks, i) if block.role is None else 0
        if cut:
            parted += [Block(block.text[:cut].rstrip()), Block(block.text[cut:])]
        else:
            parted.append(block)
    return parted


def _end_of_heading(blocks: Sequence[Block], i: int) -> int:
    """Where a glued heading ends: one with a label or in capitals, if the next number follows further below."""
    text = blocks[i].text
    match = _GLUED.match(text) if text[0] != "(" and "(" in text[3:122] else None
    if match is None or not text[match.end()].isupper():
        return 0
    heading = match.group(1)
    if heading.endswith(SENTENCE_STOPS) or not (shouts(heading) or _LABELLED.match(heading)):
        return 0
    below = (_NUMBERED.match(block.text) for block in blocks[i + 1 : i + NEXT])
    following = next((int(number.group(1)) for number in below if number is not None), 0)
    return match.start(2) - 1 if following == int(match.group(2)) + 1 else 0
