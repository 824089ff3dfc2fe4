"""Words of a PDF, as `pdf_extraction` finds them, and the lines they form over the whole width of a page."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

_MARKER = re.compile(r"\d{1,3}[a-z]?[.)]|\(\d{1,3}[a-z]?\)|\(?[^\W\d_]{1,4}\)|[ivx]{1,4}\.|[—–•·-]")
_NOTE_FIGURE = re.compile(r"\(?(\d{1,3}|\*+)\)?")
_SPACED_REFERENCE = re.compile(r"\( ?(\d{1,3}|\*+) ?\)")  # the raised figure of "(1)" is separated from the brackets


@dataclass(slots=True)
class Word:
    """Characters without a space between them, on one baseline `y`, turned upright."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    apart: bool  # preceded by a space, so never joined to its neighbour


@dataclass(slots=True)
class Frame:
    """The edges of a column of a page; all its lines share one object."""

    kind: str
    left: float = 0.0
    right: float = 0.0


class Cell(NamedTuple):
    """The text between two wide spaces of a line."""

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
        """Whether each gap is a space; the gaps that pdfium adds around raised figures are not."""
        return [
            gap > 0.12 * self.size or (word.apart and word.size == before.size)
            for gap, (before, word) in zip(self.gaps, pairwise(self.words), strict=True)
        ]

    @property
    def start(self) -> float:
        """The width of the text before the first space."""
        return self.words[[*self.blanks, True].index(True)].x1 - self.x0

    @cached_property
    def fields(self) -> list[Cell]:
        """The text, cut at the wide spaces of a table; those after list markers or of justified text do not count."""
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
        """The texts of the cells; a single one if there is no wide space."""
        return [cell.text for cell in self.fields]

    @cached_property
    def text(self) -> str:
        """The cells, joined by spaces."""
        return " ".join(self.cells)

    @cached_property
    def marked(self) -> bool:
        """Whether the line begins with a list marker; a small "(1)" is a reference to a footnote instead."""
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
        """Whether all spaces have the same width, as in justified text."""
        gaps = self.gaps[self.marked :]
        if len(gaps) == 1:
            return abs(self.frame.right - self.x1) < 0.1 * self.size
        return bool(gaps) and max(gaps) - min(gaps) < 0.25 * self.size

    @property
    def centred(self) -> bool:
        """Whether the margins on both sides are equal."""
        before, after = self.x0 - self.frame.left, self.frame.right - self.x1
        return before > 2 * self.size and abs(before - after) < 2 * self.size

    def leaves_room_for(self, line: Line, edge: float) -> bool:
        """Whether the first word of the next line would have fitted on this one, so that a paragraph ends here."""
        both_sides = self.centred and self.frame is line.frame and abs(self.x0 - line.x0) > self.size
        return (edge - self.x1) * (1 + both_sides) > line.start + 0.7 * self.size


class Rule(NamedTuple):
    """A horizontal line drawn on a page."""

    x0: float
    x1: float
    y: float


class Page(NamedTuple):
    """The text of a page in one direction."""

    words: list[Word]
    rules: list[Rule]


def rows_of(words: list[Word]) -> list[Line]:
    """Gather words side by side into lines over the whole width, from the top of the page to its bottom."""
    _level(words)
    return [Line(band) for band in _bands(words)]


def _bands(words: list[Word]) -> list[list[Word]]:
    """Group words of about the same height."""
    bands: list[list[Word]] = []
    for word in sorted(words, key=lambda word: -word.y):
        if bands and bands[-1][0].y - word.y <= 0.45 * max(word.size, bands[-1][0].size):
            bands[-1].append(word)
        else:
            bands.append([word])
    return bands


def _level(words: list[Word]) -> None:
    """Move raised and lowered figures to the baseline of the larger word beside them.

    Otherwise they would become part of the row at their height in the next column.
    """
    bands = _bands(words)
    for above, band, below in zip([[], *bands], bands, [*bands[1:], []], strict=False):
        largest = max(word.size for word in above + band + below)
        figures = {id(word) for word in band if word.size < 0.85 * largest}
        near = sorted(above + band + below, key=lambda word: word.x0) if figures else []
        end, height, drop = -math.inf, 0.0, 0.0
        for i, word in enumerate(near):
            if id(word) in figures:
                # Otherwise it continues the previous figure, as in "(1) (2)".
                if word.x0 - end > 0.8 * word.size or word.y != height:
                    drop = min(_drop(word, host) for host in near[max(0, i - 9) : i + 10])[1]
                end, height = word.x1, word.y
                word.y -= drop


def _drop(word: Word, host: Word) -> tuple[float, float]:
    """Return the distance of a figure from the word it may belong to, and its height above the baseline."""
    gap, rise = max(host.x0 - word.x1, word.x0 - host.x1), word.y - host.y
    reach = 2.5 if host.x0 > word.x0 and _NOTE_FIGURE.fullmatch(word.text) else 0.8  # "1   OJ L 12, …"
    belongs = (
        word.size < 0.85 * host.size
        and -0.5 * word.size < gap < reach * host.size
        and -0.4 * host.size < rise < 0.7 * host.size
    )
    return (gap, rise) if belongs else (math.inf, 0.0)
