"""Tables in a Word document: lines around the cells, columns as wide as what they hold asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

_SIDES: Final = ("top", "left", "bottom", "right", "insideH", "insideV")
_LINE: Final = {"val": "single", "sz": "4", "space": "0", "color": "999999"}
_MANY: Final = 6
"""Columns, from which on the letters are smaller."""
_MOST: Final = 40
"""Characters of a cell that ask for width; what is longer is wrapped."""
_LEAST: Final = 4


def add_table(document: Any, rows: Sequence[Sequence[str]], width: int, indent: int) -> None:
    """Add a table of so many twips and a short empty paragraph, since Word takes tables that touch for one."""
    from docx.oxml.ns import qn
    from docx.table import _Cell

    table = document.add_table(len(rows), len(rows[0]))
    _rule(table._tbl.tblPr, indent)
    widths = [int(width * share) for share in _shares(rows)]
    for column, size in zip(table._tbl.tblGrid.findall(qn("w:gridCol")), widths, strict=True):
        column.set(qn("w:w"), str(size))
    style = document.styles["Cell" if len(rows[0]) <= _MANY else "Small Cell"]
    for line, cells in zip(table._tbl.tr_lst, rows, strict=True):
        for element, text, size in zip(line.tc_lst, cells, widths, strict=True):
            (paragraph,) = _Cell(element, table).paragraphs
            paragraph.style = style
            paragraph.add_run(text)
            element.get_or_add_tcPr().get_or_add_tcW().set(qn("w:w"), str(size))
    document.add_paragraph("", "Cell")


def _rule(properties: Any, indent: int) -> None:
    """Lines around all cells, and how far the table stands from the margin."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    start = OxmlElement("w:tblInd")
    start.set(qn("w:w"), str(indent))
    start.set(qn("w:type"), "dxa")
    borders = OxmlElement("w:tblBorders")
    for side in _SIDES:
        line = OxmlElement(f"w:{side}")
        for name, value in _LINE.items():
            line.set(qn(f"w:{name}"), value)
        borders.append(line)
    behind = ("w:shd", "w:tblLayout", "w:tblCellMar", "w:tblLook")
    properties.insert_element_before(start, "w:tblBorders", *behind)
    properties.insert_element_before(borders, *behind)


def _shares(rows: Sequence[Sequence[str]]) -> list[float]:
    """The share of the width that each column has, by its longest cell."""
    asked = [min(max(_LEAST, *map(len, column)), _MOST) for column in zip(*rows, strict=True)]
    return [each / sum(asked) for each in asked]
