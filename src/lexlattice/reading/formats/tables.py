"""Tables as rows of text, with every cell in its column, whatever cells span.

`Table` is filled cell by cell by the XML and DOCX back-ends; `html_rows` reads the tables of HTML pages. A table that
only sets the markers of a list beside its items is read as that list, and a box around a text as that text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from lexlattice.reading.formats.blocks import Block, Role, squeeze

if TYPE_CHECKING:
    from lxml.etree import _Element


MAX_COLUMNS: Final = 200
"""No table of an act has more; larger spans are errors in the file."""
_MAX_CELL: Final = 200
"""Characters; a single column with a longer cell is a box around a text, not a table."""
SKIPPED: Final = frozenset("head script style noscript template svg math object iframe select button".split())
"""HTML elements whose text is not part of the page."""

_INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt"
    " u var".split()
)
_CELLS: Final = ("td", "th")

_MARKER: Final = re.compile(r"[\"'‘“„«»]?\s?(?:\(?(?:\d{1,3}[a-z]?|[^\W\d_]{1,2}|[ivxlcIVXLC]{1,7})[.)]|[—–−•·-])")
"""The marker of a list item, perhaps after an opening quotation mark: (a), 12., iv), —"""


class Table:
    """A table that is built row by row; each cell takes the next free column unless one is given."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.caption: list[Block] = []
        self.rows: list[list[list[Block]]] = []
        """Rows of cells, and each cell a list of lines; columns that another cell covers are present and empty."""
        self._spans: dict[int, int] = {}  # columns covered by a cell of a row above → remaining rows

    def begin_row(self) -> None:
        """Start the next row."""
        self._spans = {column: rows - 1 for column, rows in self._spans.items() if rows > 1}
        self.rows.append([])

    def add(self, cell: list[Block], column: int = 0, across: int = 1, down: int = 1) -> None:
        """Add a cell to the current row.

        Args:
            cell: Its lines.
            column: Its column, counted from 1; by default the next free one.
            across: The number of columns it spans.
            down: The number of rows it spans.
        """
        if not self.rows:
            self.begin_row()
        row = self.rows[-1]
        if len(row) < column <= MAX_COLUMNS:
            row.extend([] for _ in range(column - 1 - len(row)))
        else:
            while len(row) in self._spans:
                row.append([])
        across = max(1, min(across, MAX_COLUMNS - len(row)))
        if down > 1:
            self._spans.update(dict.fromkeys(range(len(row), len(row) + across), down))
        row.extend([cell, *([] for _ in range(across - 1))])

    def blocks(self) -> list[Block]:
        r"""Return the table as one block per row, or as the list or text that it only arranges.

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
        """Return the caption and the rows, cells separated by tabs; a table inside a cell follows its row."""
        caption = [Block(line.text, Role.TABLE, self.number) for line in self.caption]
        return caption + [block for row in self.rows for block in self._row(row)]

    def _row(self, row: list[list[Block]]) -> Iterator[Block]:
        nested = _nested_tables(row)
        text = "\t".join(joined(block for block in cell if not _is_in(block, nested)) for cell in row).rstrip("\t")
        if text.strip():
            yield Block(text, Role.TABLE, self.number)
        yield from (block for cell in row for block in cell if _is_in(block, nested))

    def _is_list(self) -> bool:
        filled = [[cell for cell in row if cell] for row in self.rows]
        return all(len(row) == 2 and _MARKER.fullmatch(joined(row[0])) for row in filled if row)

    def _is_box(self) -> bool:
        if any(len(row) > 1 for row in self.rows):
            return False
        cells = [cell for row in self.rows for cell in row]
        is_long = any(len(joined(cell)) > _MAX_CELL for cell in cells)
        return is_long or any(block.role is Role.TABLE for cell in cells for block in cell)


def joined(lines: Iterable[Block]) -> str:
    """Join the lines of a cell."""
    return squeeze(" ".join(line.text for line in lines))


def _nested_tables(row: list[list[Block]]) -> set[int]:
    """Return the numbers of the real tables inside the cells of a row.

    A nested table of one row or column is as readable as words of the cell, so it is not counted.
    """
    rows = [block for cell in row for block in cell if block.role is Role.TABLE and block.level]
    count = Counter(block.level for block in rows)
    return {block.level for block in rows if "\t" in block.text and count[block.level] > 1}


def _is_in(block: Block, tables: set[int]) -> bool:
    return bool(tables) and block.level in tables and block.role in (Role.TABLE, Role.NOTE)


def text_of(element: _Element) -> str:
    """Return all text of an element as one line."""
    return squeeze(str(element.xpath("string()")))


def is_data(table: _Element) -> bool:
    """Whether an HTML table contains data: it has a class or a border, or its cells have the class of cells.

    Other tables only set the markers of a list beside its items, or put a box around a text.
    """
    names = table.get("class") or ""
    marked = "table" in names.replace("oj-", "").split() or table.get("border", "0") not in ("0", "")
    return (marked or _has_data_cells(table)) and not _is_box(table)


def _has_data_cells(table: _Element) -> bool:
    """Whether a paragraph of the table itself, not of a nested one, has the class of a data cell."""
    paragraphs = (p for p in table.iter("p") if "tbl-" in (p.get("class") or ""))
    return any(next(p.iterancestors("table"), None) is table for p in paragraphs)


def _is_box(table: _Element) -> bool:
    """Whether a table has a single column that contains whole paragraphs or further tables."""
    cells = [cell for cell in table.iter(*_CELLS) if next(cell.iterancestors("table"), None) is table]
    if any((before := cell.getprevious()) is not None and before.tag in _CELLS for cell in cells):
        return False
    return any(
        next(cell.iterdescendants("table"), None) is not None or len(text_of(cell)) > _MAX_CELL for cell in cells
    )


def html_rows(table: _Element) -> Iterator[str]:
    """Yield the rows of an HTML table, cells separated by tabs; a caption and text outside cells are separate rows.

    The content of a cell, nested tables included, is one line of text.
    """
    from lxml import etree

    grid = Table()
    cells: list[tuple[Block, list[str]]] = []  # of the current row, with the pieces of their text
    outside: list[str] = []
    pieces = outside  # where text goes: into a cell, or outside all cells of the row
    depth = 0  # of nested tables
    walk = etree.iterwalk(table, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        begins = event == "start"
        if begins and tag in SKIPPED:
            walk.skip_subtree()
            continue
        if tag == "table" and element is not table:
            depth += 1 if begins else -1
        if not depth and tag in ("tr", "caption"):  # both the start and the end of a row finish what came before
            yield from _finished(grid, cells, outside)
            cells, outside = [], []
            pieces = outside
        elif not depth and tag in _CELLS:
            pieces = outside
            if begins:
                if not cells:
                    grid.begin_row()
                cells.append((Block(""), pieces := []))
                across, down = span_of(element.get("colspan")), span_of(element.get("rowspan"))
                grid.add([cells[-1][0]], across=across, down=down)
        text = element.text if begins else element.tail if element is not table else None
        # Block elements and line breaks separate words, inline elements do not.
        pieces.append(f"{'' if tag in _INLINE else ' '}{text or ''}")
    yield from _finished(grid, cells, outside)


def _finished(grid: Table, cells: list[tuple[Block, list[str]]], outside: list[str]) -> Iterator[str]:
    """Yield the text outside cells and the current row of a table, unless they are empty."""
    for block, pieces in cells:
        block.text = "".join(pieces)
    row = "\t".join(map(joined, grid.rows[-1])).rstrip("\t") if cells else ""
    yield from filter(None, (squeeze("".join(outside)), row))


def span_of(stated: str | None) -> int:
    """Return the number of columns or rows that an attribute states; 1 if it is missing or invalid."""
    stated = (stated or "").strip()
    return min(max(1, int(stated)), MAX_COLUMNS) if re.fullmatch("[0-9]{1,5}", stated) else 1
