"""Acts without articles, such as recommendations: points that count through, under headings without numbers.

Which line is a heading is seen by the count, as it is among recitals: the number that is due stands below it.
"""

from __future__ import annotations

from typing import Final

from lexlattice.reading.grammar import Header
from lexlattice.reading.lines import Lines
from lexlattice.reading.numbering import Marker
from lexlattice.reading.shapes import SENTENCE_STOPS, shouts

LONGEST: Final = 200
"""Characters of a heading among points."""
MOST_IN_A_ROW: Final = 3
"""Headings that stand one below the other: "1. INTRODUCTION", "Purpose"."""


class Points:
    """The count of the points of an act that has no articles."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.counts = not any(map(_is_article, lines.headers))
        """Whether the act has no articles, so that its points are what is cited."""
        self.last = 0
        """The number of the last point."""

    def take(self, i: int) -> None:
        """Take note of a line: the number that is due is a point's."""
        if self._is_due(self.lines.marks[i]):
            self.last += 1

    def is_heading(self, i: int) -> bool:
        """Whether the number that is due stands below a line that looks like a heading, or below one or two more."""
        if not self.counts or not self._is_titled(i):
            return False
        for j in range(i + 1, min(i + 1 + MOST_IN_A_ROW, len(self.lines))):
            if self._is_due(self.lines.marks[j]) and not self._is_titled(j):
                return True
            if not self._is_titled(j):
                return False
        return False

    def is_outer(self, i: int) -> bool:
        """Whether a heading is of the higher kind: numbered, or in capitals."""
        return self.lines.marks[i] is not None or shouts(self.lines.texts[i])

    def _is_titled(self, i: int) -> bool:
        lines, line, mark = self.lines, self.lines.texts[i], self.lines.marks[i]
        if lines.roles[i] is not None or lines.headers[i] is not None or len(line) > LONGEST:
            return False
        text = line[mark.end :] if mark is not None else line
        if not text or not text[0].isupper() or line.endswith(SENTENCE_STOPS):
            return False
        return mark is None or (mark.style == "dot" and shouts(text))

    def _is_due(self, mark: Marker | None) -> bool:
        return mark is not None and mark.style in ("dot", "paren") and mark.value == self.last + 1 and not mark.quoted

    def leads(self, i: int) -> bool:
        """Whether the sentence of an enacting formula goes on in the points below it: "RECOMMENDS THAT …: 1. adopt"."""
        lines = self.lines
        if not self.counts or i + 1 >= len(lines) or not lines.texts[i].endswith(":"):
            return False
        first = next((j for j in range(i + 1, min(i + 2 + MOST_IN_A_ROW, len(lines))) if not self._is_titled(j)), i)
        mark = lines.marks[first]
        if mark is None or mark.quoted:
            return False
        text = lines.texts[first][mark.end :]
        text = text or (lines.texts[first + 1] if first + 1 < len(lines) else "")
        return text[:1].islower()


def _is_article(header: Header | None) -> bool:
    return header is not None and header.kind == "article"
