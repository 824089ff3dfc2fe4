"""EUR-Lex pages: Official Journal XHTML of both class generations, the old HTML, and consolidated texts."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from lexlattice.errors import ReadingError
from lexlattice.reading.formats.blocks import Block, Document, Role, iso_day, squeeze
from lexlattice.reading.formats.html_tables import SKIPPED, is_data, rows
from lexlattice.reading.formats.site_frame import unframe
from lexlattice.reading.languages.numbering import OPENING_QUOTES

if TYPE_CHECKING:
    from lxml.etree import _Element


# Headings inside annexes, as mark-up gives them: number and title in one line, and the annex's own heading apart.

_NUMBER: Final = r"(?:\d{1,3}(?:\.\d{1,3}){0,4}[a-z]?|[IVXLC]{1,6}[a-z]?|[A-ZΑ-ΩА-Я])"
_WORD: Final = r"[^\W\d_]{2,20}"
_LABEL: Final = re.compile(rf"(?:{_WORD}\s)?\(?{_NUMBER}[.):]?$|{_NUMBER}\.?\s{_WORD}$")
"""A number alone, or with one word before or, as some languages have it, behind it: "Part I", "1. daļa"."""
_NUMBERED: Final = re.compile(
    rf"\(?(?:{_NUMBER}|[a-z])[.):]|{_WORD}\s{_NUMBER}(?:[.:)]|\s?[—–-]|\s|$)|{_NUMBER}\.?\s{_WORD}\s?(?:[.:—–-]|$)"
)
_ABOVE: Final = (Role.TITLE, Role.ANNEX)


def settle_groups(blocks: list[Block]) -> list[Block]:
    """Join a number to the title below it, and tell the heading of an annex from those inside it.

    A heading without a number just below the annex's own header is the annex's. One that opens a quotation, or stands
    below the header of a quoted annex, has no role: it is not known how deep it is in this act.
    """
    if not any(block.role is Role.GROUP for block in blocks):
        return blocks
    settled: list[Block] = []
    for block in blocks:
        before = settled[-1] if settled else None
        if block.role is not Role.GROUP or before is None:
            settled.append(block)
        elif block.text[0] in OPENING_QUOTES or before.role is Role.QUOTED:
            settled.append(Block(block.text))
        elif before.role in _ABOVE and not _NUMBERED.match(block.text):
            settled.append(Block(block.text, Role.HEADING))
        elif before.role is Role.GROUP and before.level == block.level and _takes(before.text, block.text):
            before.text = f"{before.text} {block.text}"
        else:
            settled.append(block)
    return settled


def _takes(label: str, title: str) -> bool:
    """Whether a heading is a mere number to which the next is the title.

    >>> _takes("Part I", "General principles"), _takes("PART A", "PART B"), _takes("Definitions", "Scope")
    (True, False, False)
    """
    return bool(_LABEL.match(label)) and not _NUMBERED.match(title)


# EUR-Lex pages: Official Journal XHTML of both class generations, the old HTML, and consolidated texts.

_CLASSES: Final = {
    Role.TITLE: "doc-ti title-doc-first title-doc-last",
    Role.ARTICLE: "ti-art title-article-norm",
    Role.DIVISION: "ti-section-1 title-division-1",
    Role.ANNEX: "title-annex-1",
    Role.HEADING: "sti-art stitle-article-norm stitle-article-quoted ti-section-2 title-division-2 title-annex-2",
    Role.NOTE: "note footnote",
    Role.SIGNATURE: "signatory",
    Role.QUOTED: "quotation quotation-ti title-article-quoted",
    Role.PAGE: "hd-date hd-lg hd-ti hd-oj hd-uniq hd-coll reference disclaimer arrow modref hd-modifiers doc-end"
    " title-fam-member title-fam-member-star title-doc-oj-reference",
    Role.CONTENTS: "toc-1 toc-2 toc-3 hd-toc-1 hd-toc-2 hd-toc-3",
    Role.TABLE: "ti-tbl title-table",
}
"""Classes of the Official Journal's pages (of today without the prefix "oj-") and of consolidated texts."""
_INHERITED: Final = (Role.PAGE, Role.NOTE)
"""Roles that hold for all that stands inside."""
_QUOTABLE: Final = (Role.ARTICLE, Role.DIVISION, Role.ANNEX)
"""Headers that are another act's where they stand beside the marker of a list: they are quoted."""
_GROUP: Final = re.compile(r"ti-grseq-(\d)|title-gr-seq-level-(\d)")
_ROLES: Final = {name: role for role, names in _CLASSES.items() for name in names.split()}
_BLOCKS: Final = frozenset(
    "address article aside blockquote body caption center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6"
    " header hr html li main nav ol p pre section table tbody td tfoot th thead title tr ul txt_te".split()
)
_INLINE: Final = (False, None, 0)
"""What `_style` would say of all other elements."""
_LANGUAGE: Final = re.compile(r"""<html[^>]*?\blang=["']?([A-Za-z]{2})\b""")
_CELEX: Final = re.compile(r"CELEX:([0-9C]\d{4}[A-Z]{1,2}\d{3,4}(?:\(\d\d\))?)")
_SECTOR: Final = re.compile(r"\A0")
"""Consolidated texts have the sector 0, the acts that they consolidate 3."""
_CONSOLIDATED: Final = re.compile(r"\b0(\d{4}[A-Z]{1,2}\d{4})\b(?:-(\d{4})(\d\d)(\d\d)\b)?")
_SPACED: Final = re.compile(r"\(\s(\*?\d{0,3})\s\)")
_AMENDED: Final = r"[►▼]\s?(?:\(\d{1,3}\)\s?){0,3}(?:[A-Z]\d{1,3}|[A-Z](?!\w))"
_AMENDMENT_LINE: Final = re.compile(rf"{_AMENDED}(?:\s?—+)?$")
_AMENDMENT: Final = re.compile(rf"(?!▼){_AMENDED}\s?|◄")
"""Consolidated pages show by arrows which act brought a word in; the arrows are no part of the law."""
_DASHES: Final = ("—", "–", "-")
"""Some consolidated pages repeat an indent's dash behind it, before the list inside it."""
_FRONT: Final = (Role.PAGE, Role.CONTENTS)
LONGEST_FRONT: Final = 12
"""Lines above the title that are kept apart."""
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
    saved = unframe(root, text)
    blocks = _once_titled(settle_groups(_Page(saved.root).blocks()))
    if not blocks:
        raise ReadingError("The HTML page holds no text; save the page again and retry.")
    document = Document(blocks, "html", celex=saved.celex, language=saved.language, consolidated=saved.consolidated)
    if saved.several:
        document.warnings.append("The page shows the act in several languages; the first of them was read.")
    if not saved.framed:
        _describe(document, text)
    return document


def _describe(document: Document, text: str) -> None:
    """Take what a page says about itself in its head."""
    head = text[:6000]
    language = _LANGUAGE.search(head) or _CODE.search(head)
    celex = _CELEX.search(head)
    consolidated = _CONSOLIDATED.search(text[:3000])
    document.language = language.group(1).lower() if language else None
    document.celex = (
        _SECTOR.sub("3", celex.group(1)) if celex else f"3{consolidated.group(1)}" if consolidated else None
    )
    if consolidated and 'class="disclaimer"' in text[:8000]:
        document.consolidated = iso_day(*consolidated.group(2, 3, 4)) if consolidated.group(2) else ""


def _once_titled(blocks: list[Block]) -> list[Block]:
    """Consolidated pages give the title twice, first in the list of what was consolidated: that is the page's."""
    titles = [block for block in blocks if block.role is Role.TITLE]
    later = {block.text for block in titles[len(titles) // 2 :]}
    for block in titles[: len(titles) // 2]:
        if block.text in later:
            block.role = Role.PAGE
    return _folded(blocks)


def _folded(blocks: list[Block]) -> list[Block]:
    """Make one line of the list of what was consolidated, which can be longer than any title is looked for."""
    start = next((i for i, block in enumerate(blocks) if block.role not in _FRONT), len(blocks))
    if start <= LONGEST_FRONT or start == len(blocks):
        return blocks
    rest = " ".join(block.text for block in blocks[LONGEST_FRONT:start])
    return [*blocks[:LONGEST_FRONT], Block(rest, Role.PAGE), *blocks[start:]]


class _Page:
    """A walk over the tree that ends a line wherever a block element begins or ends."""

    def __init__(self, root: _Element) -> None:
        self.root = root
        self.found: list[Block] = []
        self.pieces: list[str] = []
        """The line as far as it was read: empty, or begun by something else than white space."""
        self.loose = False
        """Whether the line began outside of any paragraph, just behind one."""
        self.tables = 0
        """How many data tables were read."""

    def blocks(self) -> list[Block]:
        """The page's lines and rows in reading order."""
        from lxml import etree

        root, pieces = self.root, self.pieces
        roles: list[tuple[Role | None, int]] = [(None, 0)]
        breaking: list[bool] = []  # of each open element, whether it begins and ends a line
        beside = 0  # how many cells are open that have another before them
        in_terms = False
        style = cache(_style)  # a page has few classes, and elements by the thousand
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = element.tag
            if event == "start":
                breaks, role, level = style(element.get("class")) if tag in _BLOCKS else _INLINE
                breaking.append(breaks)
                if tag in SKIPPED:
                    walk.skip_subtree()
                    continue
                if pieces and (breaks or tag == "br"):
                    self._end_line(*roles[-1])
                if tag == "table" and is_data(element):
                    self._table(element)
                    walk.skip_subtree()
                    roles.append((None, 0))
                    continue
                if tag == "td" and element.getprevious() is not None:
                    beside += 1
                if breaks:
                    if beside and role is not None:
                        role, level = _beside(role, in_terms=in_terms), 0
                    in_terms = in_terms or role is Role.ARTICLE
                    roles.append((role, level) if role else roles[-1] if roles[-1][0] in _INHERITED else (None, 0))
                text = element.text
            else:
                if tag == "td" and element.getprevious() is not None:
                    beside -= 1
                if breaking.pop():
                    if pieces:
                        self._end_line(*roles[-1])
                    if len(roles) > 1:
                        roles.pop()
                text = element.tail if element is not root else None
            if text and (pieces or not text.isspace()):
                if not pieces:
                    self.loose = event == "end" and element.tag == "p"
                pieces.append(text)
        if pieces:
            self._end_line(None, 0)
        for block in self.found:
            if block.role is Role.TABLE and not block.level:
                block.role = None  # a caption of what is no table
        return self.found

    def _end_line(self, role: Role | None, level: int) -> None:
        text = _without_arrows(squeeze("".join(self.pieces)))
        self.pieces.clear()
        if text:
            stray = (self.loose and text in _DASHES) or _AMENDMENT_LINE.match(text)
            self.found.append(Block(text, Role.PAGE if stray else role, level))

    def _table(self, table: _Element) -> None:
        """A block a row; the caption above the table is a row of it."""
        self.tables += 1
        if self.found and self.found[-1].role is Role.TABLE and not self.found[-1].level:
            self.found[-1].level = self.tables
        for row in rows(table):
            text = _without_arrows(row).rstrip("\t")
            if text.strip():
                self.found.append(Block(text, Role.TABLE, self.tables))


def _without_arrows(text: str) -> str:
    """A line or row without the marks of consolidation, and with its references to footnotes set close."""
    if "►" in text or "◄" in text:
        text = "\t".join(squeeze(_AMENDMENT.sub("", cell)) for cell in text.split("\t"))
    return _SPACED.sub(r"(\1)", text) if "( " in text else text


def _beside(role: Role, *, in_terms: bool) -> Role | None:
    """The role of a line beside the marker of a list: headers there are quoted, and headings divide no annex."""
    if role is Role.GROUP:
        return None
    return Role.QUOTED if role in _QUOTABLE or (role is Role.TITLE and in_terms) else role


def _style(names: str | None) -> tuple[bool, Role | None, int]:
    """Whether a block element of these classes breaks the line, as almost all do, and the role they give it."""
    if not names:
        return True, None, 0
    breaks = "inline-element" not in names
    group = _GROUP.search(names)
    if group:
        return breaks, Role.GROUP, int(group.group(1) or group.group(2))
    roles = [role for name in names.split() if (role := _ROLES.get(name.removeprefix("oj-"))) is not None]
    return breaks, Role.QUOTED if Role.QUOTED in roles else next(iter(roles), None), 0
