"""Words on a page of a PDF, and the lines they stand in.

All geometry of pages is measured in the type size of the text ("em") and never in points: the pages of fifty years have
no other measure in common.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

BROKEN_WORD = "\x02"  # what pdfium gives for "-" and for a soft hyphen before a line break

_MARKER = re.compile(r"\d{1,3}[a-z]?[.)]|\(\d{1,3}[a-z]?\)|\(?[^\W\d_]{1,4}\)|[ivx]{1,4}\.|[—–•·-]")
_NOTE_FIGURE = re.compile(r"\(?(\d{1,3}|\*+)\)?")
_SPACED_REFERENCE = re.compile(r"\( ?(\d{1,3}|\*+) ?\)")  # the raised figure of "(1)" stands apart


@dataclass(slots=True)
class Word:
    """Characters without a blank between them, on one baseline `y`, turned upright."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    apart: bool  # a blank precedes it, so that it is never glued to its neighbour


@dataclass(slots=True)
class Frame:
    """The edges of a column of a page: one object that all its lines share."""

    kind: str
    left: float = 0.0
    right: float = 0.0


class Cell(NamedTuple):
    """What stands between two wide spaces of a line."""

    text: str
    x0: float
    x1: float


class Line:
    """Words of one column on one baseline, from left to right."""

    def __init__(self, words: list[Word], frame: Frame | None = None) -> None:
        self.words = sorted(words, key=lambda word: word.x0)
        self.gaps = [word.x0 - before.x1 for before, word in pairwise(self.words)]
        self.frame = frame or Frame("full")
        self.x0, self.x1 = self.words[0].x0, max(word.x1 for word in words)
        weights: Counter[tuple[float, float]] = Counter()
        for word in words:
            weights[word.size, word.y] += len(word.text)
        self.size, self.y = weights.most_common(1)[0][0]
        self.bold = all(word.bold for word in words)

    @cached_property
    def blanks(self) -> list[bool]:
        """Whether each gap is a blank; those that pdfium adds before and after raised figures are not."""
        return [
            gap > 0.12 * self.size or (word.apart and word.size == before.size)
            for gap, (before, word) in zip(self.gaps, pairwise(self.words), strict=True)
        ]

    @property
    def start(self) -> float:
        """The width of what stands before the first blank."""
        return self.words[[*self.blanks, True].index(True)].x1 - self.x0

    @cached_property
    def fields(self) -> list[Cell]:
        """The text, cut at wide spaces: those of a table, not of the list marker or of justification."""
        first, marked = self.words[0], self.marked
        cells, edges = [[first.text]], [(first.x0, first.x1)]
        for gap, blank, word in zip(self.gaps, self.blanks, self.words[1:], strict=True):
            if gap > 2.5 * self.size and not marked and not self.justified:
                cells.append([])
                edges.append((word.x0, word.x1))
            elif blank:
                cells[-1].append(" ")
            cells[-1].append(word.text)
            edges[-1] = edges[-1][0], max(edges[-1][1], word.x1)
            marked = marked and _MARKER.fullmatch(word.text) is not None  # "1.   (a)   the text"
        texts = (_SPACED_REFERENCE.sub(r"(\1)", "".join(cell)) for cell in cells)
        return [Cell(text, *edge) for text, edge in zip(texts, edges, strict=True)]

    @cached_property
    def cells(self) -> list[str]:
        """The texts of the cells; one, where there is no wide space."""
        return [cell.text for cell in self.fields]

    @cached_property
    def text(self) -> str:
        """The cells with a blank between them."""
        return " ".join(self.cells)

    @cached_property
    def marked(self) -> bool:
        """Whether a list marker leads the line; a small "(1)" refers to a footnote instead."""
        first = self.words[0]
        is_reference = first.size < 0.9 * self.size and any(map(str.isdigit, first.text))
        return not is_reference and _MARKER.fullmatch(first.text) is not None

    @property
    def tabbed(self) -> bool:
        """Whether the space after the marker is wider than the next one."""
        next_gap = self.gaps[1] if self.gaps[1:] else 0.4 * self.size
        return bool(self.gaps) and self.gaps[0] > 1.5 * next_gap

    @property
    def justified(self) -> bool:
        """Whether the spaces, however wide, are all the same, as justification makes them."""
        gaps = self.gaps[self.marked :]
        if len(gaps) == 1:
            return abs(self.frame.right - self.x1) < 0.1 * self.size
        return bool(gaps) and max(gaps) - min(gaps) < 0.25 * self.size

    @property
    def centred(self) -> bool:
        """Whether the same room is left on both sides."""
        before, after = self.x0 - self.frame.left, self.frame.right - self.x1
        return before > 2 * self.size and abs(before - after) < 2 * self.size

    def leaves_room_for(self, line: Line, edge: float) -> bool:
        """Whether the first word of the next line would have fitted, so that this one ends on purpose."""
        both_sides = self.centred and self.frame is line.frame and abs(self.x0 - line.x0) > self.size
        return (edge - self.x1) * (1 + both_sides) > line.start + 0.7 * self.size


def rows_of(words: list[Word]) -> list[Line]:
    """Gather words that stand side by side over the whole width, from the top of the page to its bottom."""
    _level(words)
    return [Line(band) for band in _bands(words)]


def _bands(words: list[Word]) -> list[list[Word]]:
    bands: list[list[Word]] = []
    for word in sorted(words, key=lambda word: -word.y):
        if bands and bands[-1][0].y - word.y <= 0.45 * max(word.size, bands[-1][0].size):
            bands[-1].append(word)
        else:
            bands.append([word])
    return bands


def _level(words: list[Word]) -> None:
    """Put raised and lowered figures on the baseline of the larger word beside them.

    Left where they are, they would end in the row of whatever stands at their height in the next column.
    """
    bands = _bands(words)
    for above, band, below in zip([[], *bands], bands, [*bands[1:], []], strict=False):
        largest = max(word.size for word in above + band + below)
        figures = {id(word) for word in band if word.size < 0.85 * largest}
        near = sorted(above + band + below, key=lambda word: word.x0) if figures else []
        end, height, drop = -math.inf, 0.0, 0.0
        for i, word in enumerate(near):
            if id(word) in figures:
                if word.x0 - end > 0.8 * word.size or word.y != height:  # else it goes on, as in "(1) (2)"
                    drop = min(_drop(word, host) for host in near[max(0, i - 9) : i + 10])[1]
                end, height = word.x1, word.y
                word.y -= drop


def _drop(word: Word, host: Word) -> tuple[float, float]:
    """Give the distance of a figure from the word it may belong to, and its height above the baseline."""
    gap, rise = max(host.x0 - word.x1, word.x0 - host.x1), word.y - host.y
    reach = 2.5 if host.x0 > word.x0 and _NOTE_FIGURE.fullmatch(word.text) else 0.8  # "1   OJ L 12, …"
    belongs = (
        word.size < 0.85 * host.size
        and -0.5 * word.size < gap < reach * host.size
        and -0.4 * host.size < rise < 0.7 * host.size
    )
    return (gap, rise) if belongs else (math.inf, 0.0)
