"""Tables as rows of text: every cell in its column, whatever spans several of them.

What is set as a table only to keep the markers of a list beside its texts comes out as that list, and a box around a
text as that text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from lexlattice.reading.blocks import Block, Role, squeeze

MOST_COLUMNS: Final = 200
"""No table of an act has more; a file that says so is not believed."""
LONGEST_LINE: Final = 200
"""A single column with a longer cell than this is a box around a text, not a table."""

_MARKER: Final = re.compile(r"[\"'‘“„«»]?\s?(?:\(?(?:\d{1,3}[a-z]?|[^\W\d_]{1,2}|[ivxlcIVXLC]{1,7})[.)]|[—–−•·-])")
"""What stands before an item of a list, perhaps after an opening quotation mark: (a), 12., iv), —"""


class Table:
    """A table in the making: cells are added row by row and find their columns by themselves."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.caption: list[Block] = []
        self.rows: list[list[list[Block]]] = []
        """Rows of cells, and each cell its lines; where a cell spans others, these are there and empty."""
        self._spans: dict[int, int] = {}  # columns that a cell of a row above takes, and for how many rows yet

    def begin_row(self) -> None:
        """Begin a row."""
        self._spans = {column: rows - 1 for column, rows in self._spans.items() if rows > 1}
        self.rows.append([])

    def add(self, cell: list[Block], column: int = 0, across: int = 1, down: int = 1) -> None:
        """Add a cell at a column counted from 1, or else at the next that is free, with how far it spans."""
        if not self.rows:
            self.begin_row()
        row = self.rows[-1]
        if len(row) < column <= MOST_COLUMNS:
            row.extend([] for _ in range(column - 1 - len(row)))
        else:
            while len(row) in self._spans:
                row.append([])
        across = max(1, min(across, MOST_COLUMNS - len(row)))
        if down > 1:
            self._spans.update(dict.fromkeys(range(len(row), len(row) + across), down))
        row.extend([cell, *([] for _ in range(across - 1))])

    def blocks(self) -> list[Block]:
        r"""The table as lines: a row each, or what the table only sets apart, a list or a text.

        >>> fees = Table(1)
        >>> fees.add([Block("Hive")], across=2)
        >>> fees.add([Block("Fee")])
        >>> fees.blocks()[0].text.split("\t")
        ['Hive', '', 'Fee']
        >>> points = Table(2)
        >>> points.add([Block("(a)")])
        >>> points.add([Block("bees;")])
        >>> [block.text for block in points.blocks()]
        ['(a)', 'bees;']
        """
        if self._is_list() or self._is_box():
            return self.caption + [block for row in self.rows for cell in row for block in cell]
        return self.as_rows()

    def as_rows(self) -> list[Block]:
        """The lines of the caption and the rows, cells separated by tabs; a table inside a cell comes below its row."""
        caption = [Block(line.text, Role.TABLE, self.number) for line in self.caption]
        return caption + [block for row in self.rows for block in self._row(row)]

    def _row(self, row: list[list[Block]]) -> Iterator[Block]:
        inner = _inner_tables(row)
        text = "\t".join(joined(block for block in cell if not _is_of(block, inner)) for cell in row).rstrip("\t")
        if text.strip():
            yield Block(text, Role.TABLE, self.number)
        yield from (block for cell in row for block in cell if _is_of(block, inner))

    def _is_list(self) -> bool:
        filled = [[cell for cell in row if cell] for row in self.rows]
        return all(len(row) == 2 and _MARKER.fullmatch(joined(row[0])) for row in filled if row)

    def _is_box(self) -> bool:
        if any(len(row) > 1 for row in self.rows):
            return False
        cells = [cell for row in self.rows for cell in row]
        is_long = any(len(joined(cell)) > LONGEST_LINE for cell in cells)
        return is_long or any(block.role is Role.TABLE for cell in cells for block in cell)


def joined(lines: Iterable[Block]) -> str:
    """The lines of a cell as one."""
    return squeeze(" ".join(line.text for line in lines))


def _inner_tables(row: list[list[Block]]) -> set[int]:
    """The tables inside a row's cells that have rows and columns; what has not is as readable as words of the cell."""
    rows = [block for cell in row for block in cell if block.role is Role.TABLE and block.level]
    count = Counter(block.level for block in rows)
    return {block.level for block in rows if "\t" in block.text and count[block.level] > 1}


def _is_of(block: Block, tables: set[int]) -> bool:
    return bool(tables) and block.level in tables and block.role in (Role.TABLE, Role.NOTE)
