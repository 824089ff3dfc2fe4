"""Elements of Formex: which of them are lines, the characters they stand for, and the meaning of their attributes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lexlattice.reading.formats.blocks import Role
from lexlattice.reading.formats.xmlsafe import names

if TYPE_CHECKING:
    from lxml.etree import _Element

ANNEXES = names("ANNEX CONS.ANNEX")

# Metadata, which is not part of the text.
HIDDEN = names("""BIB.INSTANCE BIB.DOC BIB.DATA FAM.COMP INFO.CONSLEG INFO.PROD PUBLICATION.REF FMX PDF
    INCLUSIONS ITEM.REF""")
# Elements inside a sentence, and elements that are separate lines. An element in neither set counts as part of a
# sentence if there is text beside it, and as lines otherwise, so that no text is lost.
INLINE = names("""HT DATE FT LINK KEYWORD IE MARGIN FORMULA INCL.ELEMENT REF.DOC REF.DOC.OJ REF.DOC.ECR
    REF.DOC.SE REF.NP REF.CASE REF.ECR.DOC NO.ITEM ITEM.CONT TERM DEFINITION""")
BLOCK = names("""P NP NO.P TXT LIST ITEM DLIST DLIST.ITEM PREFIX TBL QUOT.S ARTICLE PARAG NO.PARAG ALINEA
    DIVISION TITLE TI STI GR.SEQ NO.GR.SEQ TI.ART STI.ART VISA CONSID ANNEX CONTENTS TOC TOC.ITEM ANNOTATION
    CAPTION IMG.CNT ADDR.S OLD.CORR NEW.CORR GR.TBL GR.NOTES GR.ANNOTATION CELL""")
LISTS = names("NP LIST ITEM DLIST DLIST.ITEM TBL")  # a number before one of these is a separate line
QUOTED = names("QUOT.S OLD.CORR NEW.CORR")
CELLS = names("CELL TI.BLK STI.BLK")
ANNOTATIONS = names("GR.NOTES GR.ANNOTATION")
ROLES = {
    **{"TI.ART": Role.ARTICLE, "STI.ART": Role.HEADING, "TOC": Role.CONTENTS},
    **dict.fromkeys(ANNOTATIONS, Role.NOTE),
    **dict.fromkeys(["SIGNATURE", "SIGNATORY", "SIGNATURE.CASE"], Role.SIGNATURE),
}

BULLETS = {"DASH": "—", "NDASH": "–", "BULLET": "•"}
OPERATORS = {
    **{"EQ": "=", "NE": "≠", "LT": "<", "GT": ">", "LE": "≤", "GE": "≥", "AP": "≈", "EQV": "≡"},
    **{"PLUS": "+", "MINUS": "−", "MULT": "×", "DIV": "/", "PLUSMINUS": "±", "CARTPROD": "×"},
}
_LONG_NUMBER = re.compile(r"(?<![\d.,])[0-9]{4,30}(?!\d)")
_THOUSAND = re.compile(r"\d(?=(?:\d{3})+$)")
SIGNS = {"DIVISOR": "/", "ROOT": "√", "SUM": "∑", "PRODUCT": "∏", "INT": "∫", "NO.DOC.C": "("}


def cell_place(cell: _Element) -> tuple[int, int, int]:
    """Return the column of a cell (0 if unknown), and the number of columns and rows it spans."""
    stated = {name: number for name, value in cell.items() if (number := _number(str(value)))}
    column = stated.get("COL") or stated.get("COL.START") or stated.get("NAMEST") or 0
    last = stated.get("COL.END") or stated.get("NAMEEND") or 0
    across = last - column + 1 if column and last else stated.get("COLSPAN", 1)
    return column, across, stated.get("ROWSPAN", 1)


def _number(stated: str) -> int:
    """Return the number at the end of an attribute, as in "2" or "col2"."""
    match = re.search("[0-9]{1,4}$", stated)
    return int(match.group()) if match else 0


def leading_text(element: _Element) -> str | None:
    """Return the text at the start of an element, with digits grouped as in the Official Journal."""
    text, kind = element.text, element.get("TYPE")
    if element.tag != "FT" or text is None or len(element):
        return text
    if kind == "CN":  # a code of the Combined Nomenclature: 0409 00 00
        return re.sub(r"^(ex)? ?(\d{4})(\d\d)(\d\d)?(\d\d)?$", r"\1 \2 \3 \4 \5", text.strip()).strip()
    if kind not in {"NUMBER", "DECIMAL"}:
        return text
    return _LONG_NUMBER.sub(lambda number: _THOUSAND.sub(r"\g<0> ", number.group()), text)


def instruction_name(node: _Element) -> str:
    """Return the name of a processing instruction; empty for other nodes."""
    return str(getattr(node, "target", ""))


def groups_of_articles(root: _Element) -> set[_Element]:
    """Return the groups that contain articles of this act, such as the chapters of an annexed statute."""
    found: set[_Element] = set()
    for article in root.iter("ARTICLE"):
        above = list(article.iterancestors())
        if not any(element.tag in QUOTED for element in above):
            found.update(element for element in above if element.tag == "GR.SEQ")
    return found


def is_caption(node: _Element) -> bool:
    """Whether an element is the title of a table."""
    parent = node.getparent()
    return node.tag == "TITLE" and parent is not None and parent.tag == "TBL"
