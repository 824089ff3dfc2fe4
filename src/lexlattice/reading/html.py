"""EUR-Lex pages: Official Journal XHTML of both class generations, the old HTML, and consolidated texts."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from lexlattice.errors import ReadingError
from lexlattice.reading.blocks import Block, Document, Role, squeeze

if TYPE_CHECKING:
    from lxml.etree import _Element

_CLASSES: Final = {
    Role.TITLE: "doc-ti title-doc-first title-doc-last",
    Role.ARTICLE: "ti-art title-article-norm",
    Role.DIVISION: "ti-section-1 title-division-1",
    Role.ANNEX: "title-annex-1",
    Role.HEADING: "sti-art stitle-article-norm ti-section-2 title-division-2 title-annex-2",
    Role.NOTE: "note footnote",
    Role.SIGNATURE: "signatory",
    Role.QUOTED: "quotation quotation-ti title-article-quoted",
    Role.PAGE: "hd-date hd-lg hd-ti hd-oj hd-uniq hd-coll reference disclaimer arrow modref hd-modifiers doc-end"
    " title-fam-member title-fam-member-star title-doc-oj-reference",
    Role.CONTENTS: "toc-1 toc-2 toc-3 hd-toc-1 hd-toc-2 hd-toc-3",
}
"""Classes of the Official Journal's pages (of today without the prefix "oj-") and of consolidated texts."""
_INHERITED: Final = (Role.PAGE, Role.NOTE)
"""Roles that hold for all that stands inside."""
_ROLES: Final = {name: role for role, names in _CLASSES.items() for name in names.split()}
_BLOCKS: Final = frozenset(
    "address article aside blockquote body caption center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6"
    " header hr html li main nav ol p pre section table tbody td tfoot th thead title tr ul txt_te".split()
)
_INLINE: Final = (False, None)
"""What `_style` would say of all other elements."""
_SKIPPED: Final = frozenset("head script style noscript template svg math object iframe select button".split())
_LANGUAGE: Final = re.compile(r"""<html[^>]*?\blang=["']?([A-Za-z]{2})\b""")
_CELEX: Final = re.compile(r"CELEX:([0-9C]\d{4}[A-Z]{1,2}\d{3,4}(?:\(\d\d\))?)")
_CONSOLIDATED: Final = re.compile(r"\b0(\d{4}[A-Z]{1,2}\d{4})\b")
_SPACED: Final = re.compile(r"\(\s(\*?\d{0,3})\s\)")
_AMENDMENT_LINE: Final = re.compile(r"[▼►]\s?[A-Z]\d*(?:\s?—+)?$")
_AMENDMENT: Final = re.compile(r"►\s?[A-Z]\d*\s?|◄")
"""Consolidated pages show by arrows which act brought a word in; the arrows are no part of the law."""
_DASHES: Final = ("—", "–", "-")
"""Some consolidated pages repeat an indent's dash behind it, before the list inside it."""
_CODE: Final = re.compile(r"[—–-]\s([A-Z]{2})\s[—–-]")


def read_html(text: str) -> Document:
    """Take a page apart into the lines a reader would see."""
    from lxml import etree

    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, collect_ids=False
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    if any("depth" in error.message or "huge" in error.message.lower() for error in parser.error_log):
        raise ReadingError("The HTML page is nested deeper or has longer lines than any act; save it again and retry.")
    if root is None:
        raise ReadingError("The HTML page is empty or broken; save the page again and retry.")
    blocks = _once_titled(_Page(root).blocks())
    if not blocks:
        raise ReadingError("The HTML page holds no text; save the page again and retry.")
    head = text[:6000]
    language = _LANGUAGE.search(head) or _CODE.search(head)
    celex = _CELEX.search(head)
    consolidated = _CONSOLIDATED.search(text[:3000])
    return Document(
        blocks,
        "html",
        celex=celex.group(1) if celex else f"3{consolidated.group(1)}" if consolidated else None,
        language=language.group(1).lower() if language else None,
        consolidated="" if consolidated and 'class="disclaimer"' in text[:8000] else None,
    )


def _once_titled(blocks: list[Block]) -> list[Block]:
    """Consolidated pages give the title twice, first in the list of what was consolidated: that is the page's."""
    titles = [block for block in blocks if block.role is Role.TITLE]
    later = {block.text for block in titles[len(titles) // 2 :]}
    for block in titles[: len(titles) // 2]:
        if block.text in later:
            block.role = Role.PAGE
    return blocks


class _Page:
    """A walk over the tree that ends a line wherever a block element begins or ends."""

    def __init__(self, root: _Element) -> None:
        self.root = root
        self.found: list[Block] = []
        self.pieces: list[str] = []
        """The line as far as it was read: empty, or begun by something else than white space."""
        self.loose = False
        """Whether the line began outside of any paragraph, just behind one."""
        self.has_cells = self._has_cells(root)

    def blocks(self) -> list[Block]:
        """The page's lines and rows in reading order."""
        from lxml import etree

        root, pieces = self.root, self.pieces
        roles: list[Role | None] = [None]
        breaking: list[bool] = []  # of each open element, whether it begins and ends a line
        style = cache(_style)  # a page has few classes, and elements by the thousand
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            if event == "start":
                tag = element.tag
                breaks, role = style(element.get("class")) if tag in _BLOCKS else _INLINE
                breaking.append(breaks)
                if tag in _SKIPPED:
                    walk.skip_subtree()
                    continue
                if pieces and (breaks or tag == "br"):
                    self._end_line(roles[-1])
                if tag == "table" and self._is_data(element):
                    self._rows(element)
                    walk.skip_subtree()
                    roles.append(None)
                    continue
                if breaks:
                    roles.append(role or (roles[-1] if roles[-1] in _INHERITED else None))
                text = element.text
            else:
                if breaking.pop():
                    if pieces:
                        self._end_line(roles[-1])
                    if len(roles) > 1:
                        roles.pop()
                text = element.tail if element is not root else None
            if text and (pieces or not text.isspace()):
                if not pieces:
                    self.loose = event == "end" and element.tag == "p"
                pieces.append(text)
        if pieces:
            self._end_line(None)
        return self.found

    def _end_line(self, role: Role | None) -> None:
        text = squeeze("".join(self.pieces))
        self.pieces.clear()
        if "►" in text or "◄" in text:
            text = squeeze(_SPACED.sub(r"(\1)", _AMENDMENT.sub("", text)))
        elif "( " in text:
            text = _SPACED.sub(r"(\1)", text)
        if text:
            stray = (self.loose and text in _DASHES) or _AMENDMENT_LINE.match(text)
            self.found.append(Block(text, Role.PAGE if stray else role))

    def _is_data(self, table: _Element) -> bool:
        """Data tables wear a class or a border; the others only set a list's markers beside its texts."""
        names = table.get("class") or ""
        if "table" in names.replace("oj-", "").split() or table.get("border", "0") not in ("0", ""):
            return True
        return self.has_cells and self._has_cells(table)

    def _has_cells(self, element: _Element) -> bool:
        return any("tbl-" in (p.get("class") or "") for p in element.iter("p"))

    def _rows(self, table: _Element) -> None:
        """A block a row, its cells parted by tabs; captions and text between rows are rows of their own."""
        from lxml import etree

        cells: list[list[str]] = [[]]
        walk = etree.iterwalk(table, events=("start", "end"))
        for event, element in walk:
            tag = element.tag
            if event == "start" and tag in _SKIPPED:
                walk.skip_subtree()
                continue
            if tag in ("tr", "caption"):
                self._end_row(cells)
            elif tag in ("td", "th"):
                cells.append([])
            if event == "start" and element.text:
                cells[-1].append(f" {element.text}")
            elif event == "end" and element.tail and element is not table:
                cells[-1].append(f" {element.tail}")
        self._end_row(cells)

    def _end_row(self, cells: list[list[str]]) -> None:
        text = "\t".join(cell for cell in (squeeze("".join(pieces)) for pieces in cells) if cell)
        cells[:] = [[]]
        if text:
            self.found.append(Block(text, Role.TABLE))


def _style(names: str | None) -> tuple[bool, Role | None]:
    """Whether a block element of these classes breaks the line, as almost all do, and the role they give it."""
    if not names:
        return True, None
    roles = (_ROLES.get(name.removeprefix("oj-")) for name in names.split())
    return "inline-element" not in names, next((role for role in roles if role is not None), None)
