"""From words on pages to lines: rows, columns, and which lines were one paragraph.

Everything here is geometry, measured in the type size of the text ("em") and never in points: the pages of fifty years
have no other measure in common.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, groupby, pairwise
from statistics import median
from typing import NamedTuple

BROKEN_WORD = "\x02"  # what pdfium gives for "-" and for a soft hyphen before a line break

_MARKER = re.compile(r"\d{1,3}[a-z]?[.)]|\(\d{1,3}[a-z]?\)|\(?[^\W\d_]{1,4}\)|[ivx]{1,4}\.|[—–•·-]")
_NOTE_FIGURE = re.compile(r"\(?(\d{1,3}|\*+)\)?")
_SPACED_REFERENCE = re.compile(r"\( ?(\d{1,3}|\*+) ?\)")  # the raised figure of "(1)" stands apart
_LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


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


# --- rows -------------------------------------------------------------------------------------------------


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


# --- columns ----------------------------------------------------------------------------------------------


def in_reading_order(pages: list[list[Line]]) -> list[list[Line]]:
    """Cut the rows of all pages into columns; a gutter that is certain on one page is trusted on others."""
    certain = [x for page in pages if _columns(page, x := _gutter(page), False)[1]]
    usual = median(certain) if certain else None
    ordered: list[list[Line]] = []
    for page in pages:
        x = _gutter(page, usual)
        known = usual is not None and any(abs(x - usual) < 2 * row.size for row in page[:1])
        ordered.append(_columns(page, x, known)[0])
    _measure(ordered)
    return ordered


def _gutter(rows: list[Line], usual: float | None = None) -> float:
    """Find the place near the middle of the page, or near the usual one, that the least text crosses."""
    start = min((row.x0 for row in rows), default=0.0)
    step = max(1.0, max((row.x1 for row in rows), default=0.0) - start) / 120
    changes: Counter[int] = Counter()
    for row in rows:
        x0 = row.x0
        for word, gap, after in zip(row.words, [*row.gaps, math.inf], [*row.words[1:], row.words[0]], strict=True):
            if gap > 0.9 * row.size:
                changes[math.ceil((x0 - start) / step)] += 1
                changes[math.floor((word.x1 - start) / step) + 1] -= 1
                x0 = after.x0
    crossings = list(accumulate(changes[i] for i in range(120)))
    fewest = min(crossings[42:78])
    places = [start + step * i for i in range(42, 78) if crossings[i] == fewest]
    return median(places) if usual is None else min(places, key=lambda x: abs(x - usual))


def _columns(rows: list[Line], gutter: float, known: bool) -> tuple[list[Line], bool]:
    """Cut rows into the lines of their columns, in reading order, and say whether there are two.

    Rows that cross the gutter (titles, headings) divide the page: what is above them is read first. Two
    columns of prose are told from a table by their lines, many of which are as long as they can be; where
    the document is `known` to have a gutter here, a few short lines need no such proof.
    """
    full, left, right = Frame("full"), Frame("left"), Frame("right")
    lines: list[Line] = []
    two = False

    def crosses(row: Line) -> bool:
        end = max((word.x1 for word in row.words if word.x0 < gutter), default=-math.inf)
        start = min((word.x0 for word in row.words if word.x0 >= gutter), default=math.inf)
        stretched = row.justified and not known and math.isfinite(start - end)
        return end > gutter or start - end < 0.9 * row.size or stretched

    def has_cells(line: Line) -> bool:
        return max(line.gaps[line.marked :], default=0.0) > 2.5 * line.size and not line.justified

    def is_prose(*columns: list[Line]) -> bool:
        wrapped = 0
        if sum(map(has_cells, chain(*columns))) > 0.3 * sum(map(len, columns)):
            return False
        for column in columns:
            edge = max(line.x1 for line in column)
            wrapped += sum(not line.leaves_room_for(after, edge) for line, after in pairwise(column))
            if len(column) < 4 or edge - min(line.x0 for line in column) < 15 * column[0].size:
                return False
        return wrapped > 0.35 * sum(map(len, columns))

    for crossing, zone in groupby(rows, crosses):
        whole = [Line(row.words, full) for row in zone]
        sides = [[word for word in row.words if word.x0 < gutter] for row in whole]
        lefts = [Line(words, left) for words in sides if words]
        sides = [[word for word in row.words if word.x0 >= gutter] for row in whole]
        rights = [Line(words, right) for words in sides if words]
        if not crossing and lefts and rights and (known or is_prose(lefts, rights)):
            two = True
            lines += lefts + rights
        else:
            lines += whole
    return lines, two


def _measure(pages: list[list[Line]]) -> None:
    """Set the edges of every column; one with few lines takes those usual in the document."""
    usual: defaultdict[str, list[Frame]] = defaultdict(list)
    poor: list[Frame] = []
    for page in pages:
        for kind in ("full", "left", "right"):
            lines = [line for line in page if line.frame.kind == kind]
            if not lines:
                continue
            frame = lines[0].frame
            common, times = Counter(round(line.x1) for line in lines).most_common(1)[0]
            frame.left = min(line.x0 for line in lines)
            frame.right = common if times > max(2, 0.25 * len(lines)) else max(line.x1 for line in lines)
            (poor if len(lines) < 8 else usual[kind]).append(frame)
    for kind, frames in usual.items():
        left, right = median(frame.left for frame in frames), median(frame.right for frame in frames)
        for frame in poor:
            if frame.kind == kind:
                frame.left, frame.right = min(frame.left, left), max(frame.right, right)


# --- paragraphs -------------------------------------------------------------------------------------------


def usual_pitches(lines: list[Line]) -> dict[float, float]:
    """Measure, for each type size, the usual distance of two lines of a paragraph."""
    found: defaultdict[float, Counter[float]] = defaultdict(Counter)
    for before, line in pairwise(lines):
        pitch = round(2 * (before.y - line.y)) / 2
        wrapped = before.frame is line.frame and not before.leaves_room_for(line, before.frame.right)
        if wrapped and before.size == line.size and 0 < pitch < 3 * line.size:
            found[line.size][pitch] += 1
    return {size: pitches.most_common(1)[0][0] for size, pitches in found.items()}


def continues(paragraph: list[Line], line: Line, pitches: dict[float, float]) -> bool:
    """Whether the line belongs to the paragraph: nothing about it says that a new one begins."""
    last, em = paragraph[-1], line.size
    same_type = abs(em - last.size) < 0.08 * em and line.bold == last.bold
    if not same_type or len(line.cells) > 1 or len(last.cells) > 1:
        return False
    at_edge = len(paragraph) > 1 and abs(paragraph[-2].x1 - last.x1) < 0.1 * em
    if last.leaves_room_for(line, last.frame.right) and not at_edge:
        return False
    after_stop = last.text.endswith((".", ";", ":"))
    marked = line.marked and last.text.count("(") <= last.text.count(")")  # not the end of "(… of the/EEA)"
    if marked and (after_stop or last.text.endswith(",") or line.tabbed):
        return False
    if line.frame is not last.frame:  # a new page or column: neither gap nor indentation to go by
        heading = line.text.isupper() and not last.text.isupper()
        return line.text[0].islower() or not (marked or line.centred or after_stop or heading)
    if not 0 < last.y - line.y < 1.25 * pitches.get(em, 1.3 * em):
        return False
    on_one_axis = (line.centred or last.centred) and abs(line.x0 + line.x1 - last.x0 - last.x1) < em
    if on_one_axis or abs(line.x0 - last.x0) < 0.5 * em:
        return True
    hanging = last.marked and abs(line.x0 - last.words[min(1, len(last.gaps))].x0) < 0.5 * em
    indented = 0 < last.x0 - line.x0 < 4 * em
    return len(paragraph) == 1 and (hanging or indented)


class Hyphens:
    """Decides, by the document's own words, what becomes of a hyphen at the end of a line.

    pdfium gives the same sign for "long-/term" and "imple-/mentation". The hyphen is dropped only if the
    whole word is found elsewhere in the document, or if nothing is known and most others were dropped.
    """

    def __init__(self, lines: list[Line]) -> None:
        self.known: set[str] = set()
        broken = False
        for line in lines:
            words = _LETTERS.findall(line.text.lower())
            first, broken = int(broken), line.text.endswith(BROKEN_WORD)
            self.known.update(words[first : len(words) - broken])
        verdicts = [self.verdict(a.text, b.text) for a, b in pairwise(lines) if a.text.endswith(BROKEN_WORD)]
        self.usually_soft = verdicts.count(True) > verdicts.count(False)

    def verdict(self, before: str, after: str) -> bool | None:
        """Whether the hyphen only marks that the word was broken; None if the document does not tell."""
        heads, tail = _LETTERS.findall(before.lower()), _LETTERS.match(after)
        if not heads or not tail or not after[0].islower() or f"{heads[-1]}-{tail[0]}" in self.known:
            return False
        if heads[-1] + tail[0] in self.known:
            return True
        return False if tail[0] in self.known else None  # "non-/existing", "Aus-/und Einfuhr"

    def join(self, lines: list[Line]) -> str:
        """Join the lines of a paragraph."""
        parts = [lines[0].text]
        for line in lines[1:]:
            soft = parts[-1].endswith("\u00ad")
            if parts[-1].endswith(BROKEN_WORD):
                verdict = self.verdict(parts[-1], line.text)
                soft = self.usually_soft if verdict is None else verdict
            if soft:
                parts[-1] = parts[-1][:-1]
            elif not re.search(r"\w[-\x02]$", parts[-1]) or not line.text[0].isalnum():
                parts.append(" ")
            parts.append(line.text)
        return "".join(parts).replace(BROKEN_WORD, "-")
