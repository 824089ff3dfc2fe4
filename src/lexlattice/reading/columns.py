"""How many columns a table has whose cells stand one a line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

MOST: Final = 16
"""Columns of the widest table that is looked for."""
FEWEST_ROWS: Final = 4
MOST_MISTAKEN: Final = 3
"""So many cells of the first row may be taken for heads, since they look like them."""
ALIKE: Final = 0.95
"""Share of a column's cells that are of one kind."""
BETTER: Final = 0.15
"""So much more alike the cells of columns are than those of the table as a whole."""

_DIGIT: Final = re.compile(r"\d")
_LETTER: Final = re.compile(r"[^\W\d_]{2}")


def columns(cells: Sequence[str], heads: int = 0) -> list[list[str]]:
    """The cells in rows, where the kinds of cells come back with every row; else each cell for itself.

    `heads` cells above are the heads of the columns, of which the first may be missing. A table of references has one
    kind of cell only; where it writes a dash for what it leaves empty, there is a head for each column.

    >>> columns(["Wax", "5 %", "Honey", "7 %", "Bees", "1 %", "Hives", "2 %"])
    [['Wax', '5 %'], ['Honey', '7 %'], ['Bees', '1 %'], ['Hives', '2 %']]
    >>> columns(["Fee", *["Wax", "5 %"] * 4], 1)[:2]
    [['', 'Fee'], ['Wax', '5 %']]
    """
    for top in range(heads, max(0, heads - MOST_MISTAKEN), -1):
        body = cells[top:]
        width = _width([_kind(cell) for cell in body]) or _of_references(body, top)
        if width and top >= width - 1:
            named = min(top, width)
            head = [""] * (width - named) + list(cells[top - named : top])
            above = [[cell] for cell in cells[: top - named]]
            return [*above, head, *(list(body[i : i + width]) for i in range(0, len(body), width))]
    width = _width([_kind(cell) for cell in cells]) or 1
    return [list(cells[i : i + width]) for i in range(0, len(cells), width)]


def _width(kinds: Sequence[str]) -> int:
    """After how many cells the kinds of cells come back, or 0."""
    if len(kinds) < 2 * FEWEST_ROWS:
        return 0
    whole = Counter(kinds).most_common(1)[0][1] / len(kinds)
    for width in range(2, min(MOST, len(kinds) // FEWEST_ROWS) + 1):
        if len(kinds) % width:
            continue
        likeness = sum(Counter(kinds[n::width]).most_common(1)[0][1] for n in range(width)) / len(kinds)
        if likeness >= ALIKE and likeness >= whole + BETTER:
            return width
    return 0


def _of_references(body: Sequence[str], heads: int) -> int:
    """As many columns as there are heads, of a table that leaves nothing empty without a dash, or 0."""
    dashes = sum(not _LETTER.search(cell) and not _DIGIT.search(cell) for cell in body)
    return next((width for width in (heads, heads - 1) if width > 1 and dashes > 1 and len(body) % width == 0), 0)


def _kind(cell: str) -> str:
    """What a cell holds: words, numbers, both, or signs only."""
    words, digits = bool(_LETTER.search(cell)), bool(_DIGIT.search(cell))
    return "both" if words and digits else "words" if words else "digits" if digits else "signs"
