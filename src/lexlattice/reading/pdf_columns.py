"""Columns of the pages of a PDF: where the gutter is, and in which order the lines are read."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import accumulate, chain, groupby, pairwise
from statistics import median

from lexlattice.reading.pdf_lines import Frame, Line


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
