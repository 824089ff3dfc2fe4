"""Single elements of Formex: the signs they stand for, and what their attributes and their place say."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

BULLETS = {"DASH": "—", "NDASH": "–", "BULLET": "•"}
OPERATORS = {
    **{"EQ": "=", "NE": "≠", "LT": "<", "GT": ">", "LE": "≤", "GE": "≥", "AP": "≈", "EQV": "≡"},
    **{"PLUS": "+", "MINUS": "−", "MULT": "×", "DIV": "/", "PLUSMINUS": "±", "CARTPROD": "×"},
}
SIGNS = {"DIVISOR": "/", "ROOT": "√", "SUM": "∑", "PRODUCT": "∏", "INT": "∫", "NO.DOC.C": "("}


def place(cell: _Element) -> tuple[int, int, int]:
    """The column of a cell, and how many columns and rows it spans."""
    stated = {name: number for name, value in cell.items() if (number := _number(str(value)))}
    column = stated.get("COL") or stated.get("COL.START") or stated.get("NAMEST") or 0
    last = stated.get("COL.END") or stated.get("NAMEEND") or 0
    across = last - column + 1 if column and last else stated.get("COLSPAN", 1)
    return column, across, stated.get("ROWSPAN", 1)


def _number(stated: str) -> int:
    """The number that an attribute is, or that ends it, as in "col2"."""
    match = re.search("[0-9]{1,4}$", stated)
    return int(match.group()) if match else 0


def figures(element: _Element) -> str | None:
    """Return the text at the start of an element, figures grouped as the Official Journal does."""
    text, kind = element.text, element.get("TYPE")
    if element.tag != "FT" or text is None or len(element):
        return text
    if kind == "CN":
        return re.sub(r"^(ex)? ?(\d{4})(\d\d)(\d\d)?(\d\d)?$", r"\1 \2 \3 \4 \5", text.strip()).strip()
    if kind not in {"NUMBER", "DECIMAL"}:
        return text
    return re.sub(r"(?<![\d.,])\d{4,30}(?!\d)", lambda whole: f"{int(whole.group()):,}".replace(",", " "), text)


def target(node: _Element) -> str:
    """Return the name of a processing instruction."""
    return str(getattr(node, "target", ""))


def groups_of_articles(root: _Element, quoted: Container[str]) -> set[_Element]:
    """Find the groups, such as the chapters of an annexed statute, that hold articles of this act."""
    found: set[_Element] = set()
    for article in root.iter("ARTICLE"):
        above = list(article.iterancestors())
        if not any(element.tag in quoted for element in above):
            found.update(element for element in above if element.tag == "GR.SEQ")
    return found
