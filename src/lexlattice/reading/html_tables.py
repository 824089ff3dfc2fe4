"""Tables of HTML pages: which hold data, and their rows with every cell in its column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from lexlattice.reading.blocks import squeeze

if TYPE_CHECKING:
    from lxml.etree import _Element

SKIPPED: Final = frozenset("head script style noscript template svg math object iframe select button".split())
"""Elements whose text is no text of the page."""
WIDEST: Final = 100
"""No table has more columns; a larger span is a mistake."""
LONGEST_LINE: Final = 200
"""A single column with a longer cell than this is a box around text, not a table."""

_INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark q s samp small span strike strong sub sup tt"
    " u var".split()
)
_CELLS: Final = ("td", "th")


def text_of(element: _Element) -> str:
    """All that an element holds, as one line."""
    return squeeze(str(element.xpath("string()")))


def is_data(table: _Element) -> bool:
    """Whether a table holds data: it wears a class or a border, or its cells do.

    The others only set the markers of a list beside its texts, or put a box around a text.
    """
    names = table.get("class") or ""
    marked = "table" in names.replace("oj-", "").split() or table.get("border", "0") not in ("0", "")
    return (marked or _has_cells(table)) and not _is_box(table)


def _has_cells(table: _Element) -> bool:
    """Whether a paragraph of the table itself, not of one inside it, has the class of a cell's."""
    paragraphs = (p for p in table.iter("p") if "tbl-" in (p.get("class") or ""))
    return any(next(p.iterancestors("table"), None) is table for p in paragraphs)


def _is_box(table: _Element) -> bool:
    """Whether a table has one column only, and in it whole paragraphs or further tables."""
    cells = [cell for cell in table.iter(*_CELLS) if next(cell.iterancestors("table"), None) is table]
    if any((before := cell.getprevious()) is not None and before.tag in _CELLS for cell in cells):
        return False
    return any(
        next(cell.iterdescendants("table"), None) is not None or len(text_of(cell)) > LONGEST_LINE for cell in cells
    )


def rows(table: _Element) -> Iterator[str]:
    """The rows of a table, cells parted by tabs; a caption and text outside of cells are rows of their own.

    A cell that spans several columns or rows is given once, where it begins; the places it covers besides are empty, so
    that columns stay in line. What a cell holds, tables included, is one line of text.
    """
    from lxml import etree

    grid = _Grid()
    depth = 0
    walk = etree.iterwalk(table, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        begins = event == "start"
        if begins and tag in SKIPPED:
            walk.skip_subtree()
            continue
        if tag == "table" and element is not table:
            depth += 1 if begins else -1
        own = not depth and tag in ("tr", "caption", *_CELLS)
        if own and tag in ("tr", "caption"):
            yield from grid.end_row()
        elif own and begins:
            grid.begin_cell(_span(element, "colspan"), _span(element, "rowspan"))
        elif own:
            grid.in_cell = False
        text = element.text if begins else element.tail if element is not table else None
        grid.add(text or "", apart=tag not in _INLINE)
    yield from grid.end_row()


def _span(cell: _Element, name: str) -> int:
    value = (cell.get(name) or "").strip()
    return min(max(1, int(value)), WIDEST) if value.isascii() and value.isdigit() and len(value) < 6 else 1


class _Grid:
    """The row being read, and which of its places a cell from above covers."""

    def __init__(self) -> None:
        self.cells: list[list[str]] = []
        self.loose: list[str] = []
        """Text of the row that stands in no cell."""
        self.in_cell = False
        self.covered: dict[int, int] = {}
        """For each column that a cell from above reaches into, how many more rows it does."""
        self.spans: list[tuple[int, int, int]] = []

    def begin_cell(self, columns: int, height: int) -> None:
        while self.covered.get(len(self.cells), 0):
            self.cells.append([])
        at = len(self.cells)
        self.cells.extend([] for _ in range(min(columns, max(1, WIDEST - at))))
        self.spans.append((at, len(self.cells), height))
        self.in_cell = True

    def add(self, text: str, *, apart: bool) -> None:
        """Take text in; block elements and line breaks part words, others do not."""
        pieces = self.cells[self.spans[-1][0]] if self.in_cell else self.loose
        pieces.append(f" {text}" if apart else text)

    def end_row(self) -> Iterator[str]:
        loose = squeeze("".join(self.loose))
        row = "\t".join(squeeze("".join(cell)) for cell in self.cells).rstrip("\t")
        if loose:
            yield loose
        if row:
            yield row
        if self.cells:
            self.covered = {column: left - 1 for column, left in self.covered.items() if left > 1}
            for start, stop, height in self.spans:
                if height > 1:
                    self.covered.update(dict.fromkeys(range(start, stop), height - 1))
        self.cells, self.loose, self.spans, self.in_cell = [], [], [], False
