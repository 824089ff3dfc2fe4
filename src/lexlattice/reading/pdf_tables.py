"""Tables of a PDF: rows that stand below one another, and the columns that their cells make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from lexlattice.reading.blocks import Block, Role
from lexlattice.reading.pdf_lines import BROKEN_WORD, Cell, Line

CELLS_OF_A_ROW: Final = 3
"""So many cells prove a row; two may be the two halves of a signature, unless they stand in a table."""
FARTHEST: Final = 4
"""How many times the size of the type a row of a table is below another, at most."""


def find_tables(paragraphs: Sequence[list[Line]]) -> Iterator[tuple[int, int]]:
    """First and last paragraph of each table, in order."""
    end = -1
    for i, paragraph in enumerate(paragraphs):
        if i <= end or not _proves(paragraph):
            continue
        columns = _columns(paragraph)
        stop, n = i, i + 1
        while n < len(paragraphs) and _is_next(paragraphs[n - 1], paragraphs[n]):
            line = paragraphs[n][0]
            if _proves(paragraphs[n]):
                columns = _merged([*columns, *((cell.x0, cell.x1) for cell in line.fields)])
            elif not _fits(line, columns) or (len(line.cells) == 1 and not _is_within(line, columns)):
                break
            stop, n = n, n + 1
        first = i
        while first - 1 > end and _is_next(paragraphs[first - 1], paragraphs[first]):
            if len(paragraphs[first - 1][0].cells) == 1 or not _fits(paragraphs[first - 1][0], columns):
                break
            first -= 1
        end = stop
        yield first, stop


def rows_of_table(lines: Sequence[Line], number: int) -> Iterator[Block]:
    """The rows of a table, each cell in its column; a line that only goes on with a cell is put to it."""
    columns = _columns([line for line in lines if len(line.cells) >= CELLS_OF_A_ROW])
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


def _proves(paragraph: list[Line]) -> bool:
    return len(paragraph) == 1 and len(paragraph[0].cells) >= CELLS_OF_A_ROW


def _is_next(above: list[Line], below: list[Line]) -> bool:
    """Whether a line can be the row below another: near it, and a paragraph of its own."""
    if len(above) > 1 or len(below) > 1 or above[0].frame is not below[0].frame:
        return False
    return 0 < above[0].y - below[0].y < FARTHEST * max(above[0].size, below[0].size)


def _columns(lines: Sequence[Line]) -> list[tuple[float, float]]:
    """Where the columns are: cells that overlap stand in one."""
    return _merged([(cell.x0, cell.x1) for line in lines for cell in line.fields])


def _merged(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for x0, x1 in sorted(spans):
        if merged and x0 < merged[-1][1]:
            merged[-1] = merged[-1][0], max(x1, merged[-1][1])
        else:
            merged.append((x0, x1))
    return merged


def _places(line: Line, columns: Sequence[tuple[float, float]]) -> list[int] | None:
    """The column of each cell, if every cell has one of its own."""
    places = [_place(cell, columns) for cell in line.fields]
    grows = all(before < after for before, after in pairwise(places))
    return places if grows and places[0] >= 0 else None


def _place(cell: Cell, columns: Sequence[tuple[float, float]]) -> int:
    shared = [min(cell.x1, x1) - max(cell.x0, x0) for x0, x1 in columns]
    widest = max(shared, default=0.0)
    return shared.index(widest) if widest > 0 else -1


def _fits(line: Line, columns: Sequence[tuple[float, float]]) -> bool:
    return len(columns) >= CELLS_OF_A_ROW and _places(line, columns) is not None


def _is_within(line: Line, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a line stays in its column, as a cell's second line does; at the left edge a paragraph may begin."""
    place = _place(line.fields[0], columns)
    if place == 0:
        return line.x1 < columns[0][1] + line.size
    return place + 1 == len(columns) or line.x1 < columns[place + 1][0]
