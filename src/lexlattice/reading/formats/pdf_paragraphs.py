"""Lines of a PDF to columns, paragraphs and tables.

`in_reading_order` cuts the rows of each page into columns at the gutter; `continues` decides which lines are one
paragraph, and `Hyphens` joins the words that were broken between them; `find_tables` and `rows_of_table` recognize
tables by cells that are aligned in columns.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain, groupby, pairwise
from statistics import median
from typing import Final

from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.formats.pdf_extraction import BROKEN_WORD
from lexlattice.reading.formats.pdf_words import Cell, Frame, Line

_LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MIN_CELLS: Final = 3
"""Cells that prove a row of a table; two may be the two halves of a signature block."""
_MAX_PITCH: Final = 4
"""Largest distance between two rows of a table, in units of the type size."""


def in_reading_order(pages: list[list[Line]]) -> list[list[Line]]:
    """Cut the rows of all pages into columns; a gutter that is certain on one page is assumed on others."""
    # First pass: gutters that are certain by the layout of their own page.
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
    """Return the position near the middle of the page, or near the usual gutter, that the least text crosses."""
    start = min((row.x0 for row in rows), default=0.0)
    step = max(1.0, max((row.x1 for row in rows), default=0.0) - start) / 120
    # Each stretch of text adds 1 where it begins and -1 after its end, on a grid of 120 steps over the page; the
    # running sum is the number of rows that cross each step. Spaces wider than 0.9 em may belong to a gutter.
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
    """Cut rows into the lines of their columns, in reading order, and return whether there are two.

    Rows that cross the gutter (titles, headings) divide the page: everything above them is read first. Two columns
    of prose differ from a table in that many lines fill the width; where the document is `known` to have a gutter
    here, this is not checked.
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
    """Set the edges of every column; a column with few lines gets those that are usual in the document."""
    usual: defaultdict[str, list[Frame]] = defaultdict(list)
    short: list[Frame] = []  # columns with few lines
    for page in pages:
        for kind in ("full", "left", "right"):
            lines = [line for line in page if line.frame.kind == kind]
            if not lines:
                continue
            frame = lines[0].frame
            common, times = Counter(round(line.x1) for line in lines).most_common(1)[0]
            frame.left = min(line.x0 for line in lines)
            frame.right = common if times > max(2, 0.25 * len(lines)) else max(line.x1 for line in lines)
            (short if len(lines) < 8 else usual[kind]).append(frame)
    for kind, frames in usual.items():
        left, right = median(frame.left for frame in frames), median(frame.right for frame in frames)
        for frame in short:
            if frame.kind == kind:
                frame.left, frame.right = min(frame.left, left), max(frame.right, right)


def usual_pitches(lines: list[Line]) -> dict[float, float]:
    """Return, for each type size, the usual distance between two lines of a paragraph."""
    found: defaultdict[float, Counter[float]] = defaultdict(Counter)
    for before, line in pairwise(lines):
        pitch = round(2 * (before.y - line.y)) / 2
        wrapped = before.frame is line.frame and not before.leaves_room_for(line, before.frame.right)
        if wrapped and before.size == line.size and 0 < pitch < 3 * line.size:
            found[line.size][pitch] += 1
    return {size: pitches.most_common(1)[0][0] for size, pitches in found.items()}


def continues(paragraph: list[Line], line: Line, pitches: dict[float, float]) -> bool:
    """Whether the line continues the paragraph: nothing indicates that a new one begins."""
    last, em = paragraph[-1], line.size
    same_type = abs(em - last.size) < 0.08 * em and line.bold == last.bold
    if not same_type or len(line.cells) > 1 or len(last.cells) > 1:
        return False
    # A line as long as the one before it is full, even if the column is wider elsewhere.
    at_edge = len(paragraph) > 1 and abs(paragraph[-2].x1 - last.x1) < 0.1 * em
    if last.leaves_room_for(line, last.frame.right) and not at_edge:
        return False
    after_stop = last.text.endswith((".", ";", ":"))
    marked = line.marked and last.text.count("(") <= last.text.count(")")  # not the end of "(… of the/EEA)"
    if marked and (after_stop or last.text.endswith(",") or line.tabbed):
        return False
    if line.frame is not last.frame:  # a new page or column, where gaps and indentation say nothing
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
    """Decides by the words of the document whether a hyphen at the end of a line is kept.

    pdfium returns the same character for "long-/term" and "imple-/mentation". The hyphen is removed only if the whole
    word occurs elsewhere in the document, or if nothing is known and most others were removed.
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
        """Whether the hyphen only marks that the word was broken; `None` if the document does not tell."""
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


def find_tables(paragraphs: Sequence[list[Line]]) -> Iterator[tuple[int, int]]:
    """Yield the indices of the first and last paragraph of each table."""
    end = -1
    for i, paragraph in enumerate(paragraphs):
        if i <= end or not _is_row(paragraph):
            continue
        columns = _table_columns(paragraph)
        stop, n = i, i + 1
        while n < len(paragraphs) and _is_next(paragraphs[n - 1], paragraphs[n]):
            line = paragraphs[n][0]
            if _is_row(paragraphs[n]):
                columns = _merged([*columns, *((cell.x0, cell.x1) for cell in line.fields)])
            elif not _fits(line, columns) or (len(line.cells) == 1 and not _is_within(line, columns)):
                break
            stop, n = n, n + 1
        # Then upwards: rows above the first certain one that fit into the columns.
        first = i
        while first - 1 > end and _is_next(paragraphs[first - 1], paragraphs[first]):
            if len(paragraphs[first - 1][0].cells) == 1 or not _fits(paragraphs[first - 1][0], columns):
                break
            first -= 1
        end = stop
        yield first, stop


def rows_of_table(lines: Sequence[Line], number: int) -> Iterator[Block]:
    """Yield the rows of a table with each cell in its column; a line that continues a cell is added to that cell."""
    columns = _table_columns([line for line in lines if len(line.cells) >= _MIN_CELLS])
    row: list[str] = []
    for line in lines:
        places = _places(line, columns)
        if row and len(line.cells) == 1 and places is not None and 0 < places[0] < len(row) and row[places[0]]:
            row[places[0]] += f" {line.cells[0]}"
            continue
        if row:
            yield _block(row, number)
        row = list(line.cells) if places is None else [""] * (places[-1] + 1)
        for place, cell in zip(places or (), line.cells, strict=False):
            row[place] = cell
    yield _block(row, number)


def _block(row: Sequence[str], number: int) -> Block:
    return Block("\t".join(row).replace(BROKEN_WORD, "-"), Role.TABLE, number)


def _is_row(paragraph: list[Line]) -> bool:
    """Whether a paragraph is certainly a row of a table."""
    return len(paragraph) == 1 and len(paragraph[0].cells) >= _MIN_CELLS


def _is_next(above: list[Line], below: list[Line]) -> bool:
    """Whether a line can be the next row of a table: near the previous one, and a separate paragraph."""
    if len(above) > 1 or len(below) > 1 or above[0].frame is not below[0].frame:
        return False
    return 0 < above[0].y - below[0].y < _MAX_PITCH * max(above[0].size, below[0].size)


def _table_columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Return the columns of a table: overlapping cells are in one column."""
    return _merged([(cell.x0, cell.x1) for line in lines for cell in line.fields])


def _merged(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Merge overlapping intervals."""
    merged: list[tuple[float, float]] = []
    for x0, x1 in sorted(spans):
        if merged and x0 < merged[-1][1]:
            merged[-1] = merged[-1][0], max(x1, merged[-1][1])
        else:
            merged.append((x0, x1))
    return merged


def _places(line: Line, columns: Sequence[tuple[float, float]]) -> list[int] | None:
    """Return the column of each cell, or `None` if two cells share one or a cell has none."""
    places = [_place(cell, columns) for cell in line.fields]
    grows = all(before < after for before, after in pairwise(places))
    return places if grows and places[0] >= 0 else None


def _place(cell: Cell, columns: Sequence[tuple[float, float]]) -> int:
    """Return the column that a cell overlaps most, or -1."""
    overlaps = [min(cell.x1, x1) - max(cell.x0, x0) for x0, x1 in columns]
    widest = max(overlaps, default=0.0)
    return overlaps.index(widest) if widest > 0 else -1


def _fits(line: Line, columns: Sequence[tuple[float, float]]) -> bool:
    return len(columns) >= _MIN_CELLS and _places(line, columns) is not None


def _is_within(line: Line, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a line stays within its column, as the second line of a cell does.

    In the first column the line must not be longer than it, since a paragraph may begin there.
    """
    place = _place(line.fields[0], columns)
    if place == 0:
        return line.x1 < columns[0][1] + line.size
    return place + 1 == len(columns) or line.x1 < columns[place + 1][0]
