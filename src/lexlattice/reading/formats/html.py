"""HTML pages of EUR-Lex: Official Journal XHTML of both class generations, the old HTML, and consolidated texts.

`_Page` walks the tree and ends a line wherever a block element begins or ends; classes give the roles. Then the
headings inside annexes are joined with their numbers, and the repeated titles of consolidated pages are demoted.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from lexlattice.act.remarks import Remark
from lexlattice.errors import ReadingError
from lexlattice.reading.formats.blocks import Block, Document, Role, iso_day, squeeze
from lexlattice.reading.formats.completeness import missing_warning
from lexlattice.reading.formats.html_source import (
    check_attributes,
    ends_hidden,
    is_cut_off,
    with_character_data,
    without_early_ends,
)
from lexlattice.reading.formats.images import count_html_images, images_warning
from lexlattice.reading.formats.site_frame import find_act
from lexlattice.reading.formats.tables import SKIPPED, html_rows, is_data
from lexlattice.reading.languages.numbering import OPENING_QUOTES

if TYPE_CHECKING:
    from lxml.etree import _Element

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
"""Classes of consolidated texts and of the Official Journal's pages (newer ones add the prefix "oj-")."""
_INHERITED: Final = (Role.PAGE, Role.NOTE)
"""Roles that apply to everything inside the element."""
_QUOTABLE: Final = (Role.ARTICLE, Role.DIVISION, Role.ANNEX)
"""Headers that belong to another act, and are quoted, if they are beside the marker of a list."""
_GROUP: Final = re.compile(r"ti-grseq-(\d)|title-gr-seq-level-(\d)")
_ROLES: Final = {name: role for role, names in _CLASSES.items() for name in names.split()}
_BLOCKS: Final = frozenset(
    "address article aside blockquote body caption center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6"
    " header hr html li main nav ol p pre section table tbody td tfoot th thead title tr ul txt_te".split()
)
_INLINE: Final = (False, None, 0)
"""The style (see `_style`) of all other elements."""
_LANGUAGE: Final = re.compile(r"""<html[^>]*?\blang=["']?([A-Za-z]{2})\b""")
_CELEX: Final = re.compile(r"CELEX:([0-9C]\d{4}[A-Z]{1,2}\d{3,4}(?:\(\d\d\))?)")
_SECTOR: Final = re.compile(r"\A0")
"""Consolidated texts have sector 0 in their CELEX number, the acts themselves sector 3."""
_CONSOLIDATED: Final = re.compile(r"\b0(\d{4}[A-Z]{1,2}\d{4})\b(?:-(\d{4})(\d\d)(\d\d)\b)?")
_SPACED: Final = re.compile(r"\(\s(\*?\d{0,3})\s\)")
_AMENDED: Final = r"[►▼]\s?(?:\(\d{1,3}\)\s?){0,3}(?:[A-Z]\d{1,3}|[A-Z](?!\w))"
_AMENDMENT_LINE: Final = re.compile(rf"{_AMENDED}(?:\s?—+)?$")
_AMENDMENT: Final = re.compile(rf"(?!▼){_AMENDED}\s?|◄")
"""Arrows of consolidated pages, which show the act that inserted a word; they are not part of the law."""
_SWALLOWED: Final = re.compile(r"</?[A-Za-z]")
"""A tag in the value of an attribute: the quotation mark that ends it is missing."""
_TOOLTIP: Final = re.compile(r"(?:title|alt|data-.*|on.*)\Z")
_SWALLOWED_BY_TOOLTIP: Final = re.compile(r"</?(?!(?:b|br|em|i|strong|sub|sup|u)\b)[A-Za-z]")
"""Tooltips and scripts may have tags of their own in their values."""
_DASHES: Final = ("—", "–", "-")
"""Some consolidated pages repeat the dash of an indent after it, before a nested list."""
_FRONT: Final = (Role.PAGE, Role.CONTENTS)
_MAX_FRONT: Final = 12
"""Lines above the title that stay separate."""
_CODE: Final = re.compile(r"[—–-]\s([A-Z]{2})\s[—–-]")

_NUMBER: Final = r"(?:\d{1,3}(?:\.\d{1,3}){0,4}[a-z]?|[IVXLC]{1,6}[a-z]?|[A-ZΑ-ΩА-Я])"
_WORD: Final = r"[^\W\d_]{2,20}"
_LABEL: Final = re.compile(rf"(?:{_WORD}\s)?\(?{_NUMBER}[.):]?$|{_NUMBER}\.?\s{_WORD}$")
"""A number alone, or with one word before or (in some languages) after it: "Part I", "1. daļa"."""
_NUMBERED: Final = re.compile(
    rf"\(?(?:{_NUMBER}|[a-z])[.):]|{_WORD}\s{_NUMBER}(?:[.:)]|\s?[—–-]|\s|$)|{_NUMBER}\.?\s{_WORD}\s?(?:[.:—–-]|$)"
)
_ABOVE_ANNEX: Final = (Role.TITLE, Role.ANNEX)


def read_html(text: str) -> Document:
    """Split a page into the lines that a reader sees.

    Args:
        text: The HTML source.

    Raises:
        ReadingError: The page is damaged, or contains no text.
        NotAnActError: The page shows a menu or an error message instead of an act.
    """
    from lxml import etree

    text = with_character_data(text)
    check_attributes(text)
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, collect_ids=False
    )
    try:
        root = etree.fromstring(without_early_ends(text).encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        root = None
    if any("depth" in error.message or "huge" in error.message.lower() for error in parser.error_log):
        raise ReadingError(
            "The HTML page is nested deeper or has longer lines than any act; save it again and try again.",
            code="damaged",
        )
    if root is None:
        raise ReadingError("The HTML page is empty or damaged; save the page again and try again.", code="damaged")
    is_incomplete = is_cut_off(text) or ends_hidden(text, root)
    page = find_act(root, text)
    walk = _Page(page.root)
    blocks = _demote_repeated_titles(_join_group_headings(walk.blocks()))
    if not blocks:
        raise ReadingError("The HTML page contains no text; save the page again and try again.", code="empty")
    document = Document(blocks, "html", celex=page.celex, language=page.language, consolidated=page.consolidated)
    document.incomplete = is_incomplete
    document.warnings.extend(images_warning(count_html_images(page.root)))
    document.warnings.extend(missing_warning(_visible_text(page.root) + page.left_out, blocks, walk.arrows))
    if page.is_multilingual:
        remark = "The page shows the act in several languages; the first of them was read."
        document.warnings.append(Remark("several-languages", remark))
    if not page.has_frame:
        _describe(document, text)
    return document


def _visible_text(root: _Element) -> str:
    """Return all text of a page, and the text that damaged attributes have swallowed; its hidden parts are removed."""
    from lxml import etree

    etree.strip_elements(root, *SKIPPED, with_tail=False)
    values = root.xpath(".//@*[contains(., '<')]")
    swallowed = (
        value
        for value in cast(list[Any], values)
        if (_SWALLOWED_BY_TOOLTIP if _TOOLTIP.match(value.attrname) else _SWALLOWED).search(value)
    )
    return "".join([etree.tostring(root, method="text", encoding="unicode", with_tail=False), *swallowed])


def _describe(document: Document, text: str) -> None:
    """Set the metadata that a page states in its head."""
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


def _demote_repeated_titles(blocks: list[Block]) -> list[Block]:
    """Give the role PAGE to the first copy of titles that consolidated pages repeat: it belongs to a list of acts."""
    titles = [block for block in blocks if block.role is Role.TITLE]
    # A title that also occurs in the second half of all titles is its first copy.
    later = {block.text for block in titles[len(titles) // 2 :]}
    for block in titles[: len(titles) // 2]:
        if block.text in later:
            block.role = Role.PAGE
    return _shorten_front(blocks)


def _shorten_front(blocks: list[Block]) -> list[Block]:
    """Join a long list of consolidated acts into one line, so that the parser finds the title below it."""
    start = next((i for i, block in enumerate(blocks) if block.role not in _FRONT), len(blocks))
    if start <= _MAX_FRONT or start == len(blocks):
        return blocks
    rest = " ".join(block.text for block in blocks[_MAX_FRONT:start])
    return [*blocks[:_MAX_FRONT], Block(rest, Role.PAGE), *blocks[start:]]


class _Page:
    """A walk over the tree that ends a line wherever a block element begins or ends."""

    def __init__(self, root: _Element) -> None:
        self.root = root
        self.found: list[Block] = []
        self.pieces: list[str] = []
        """The text of the current line; it never begins with a piece of white space."""
        self.loose = False
        """Whether the current line began outside any paragraph, right after one."""
        self.tables = 0
        """Number of data tables so far."""
        self.arrows: list[str] = []
        """Arrows of consolidation that were left out."""

    def blocks(self) -> list[Block]:
        """Return the lines and table rows of the page in reading order."""
        from lxml import etree

        root, pieces = self.root, self.pieces
        roles: list[tuple[Role | None, int]] = [(None, 0)]
        breaking: list[bool] = []  # for each open element: whether it begins and ends a line
        beside = 0  # number of open cells that have another cell before them
        in_articles = False
        style = cache(_style)  # a page has thousands of elements, but few classes
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
                if tag == "table" and is_data(element):  # its rows are read at once, without visiting its cells
                    self._table(element)
                    walk.skip_subtree()
                    roles.append((None, 0))
                    continue
                if tag == "td" and element.getprevious() is not None:
                    beside += 1
                if breaks:
                    if beside and role is not None:
                        role, level = _beside(role, in_articles=in_articles), 0
                    in_articles = in_articles or role is Role.ARTICLE
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
                block.role = None  # a caption without a data table below it
        return self.found

    def _end_line(self, role: Role | None, level: int) -> None:
        text = self._without_arrows(squeeze("".join(self.pieces)))
        self.pieces.clear()
        if text:
            stray = (self.loose and text in _DASHES) or _AMENDMENT_LINE.match(text)
            self.found.append(Block(text, Role.PAGE if stray else role, level))

    def _table(self, table: _Element) -> None:
        """Add a block for each row; the caption above the table is a row, too."""
        self.tables += 1
        if self.found and self.found[-1].role is Role.TABLE and not self.found[-1].level:
            self.found[-1].level = self.tables
        for row in html_rows(table):
            text = self._without_arrows(row).rstrip("\t")
            if text.strip():
                self.found.append(Block(text, Role.TABLE, self.tables))

    def _without_arrows(self, text: str) -> str:
        """Remove the arrows of consolidation, and the spaces inside references to footnotes."""
        if "►" in text or "◄" in text:
            self.arrows += _AMENDMENT.findall(text)
            text = "\t".join(squeeze(_AMENDMENT.sub("", cell)) for cell in text.split("\t"))
        return _SPACED.sub(r"(\1)", text) if "( " in text else text


def _beside(role: Role, *, in_articles: bool) -> Role | None:
    """Return the role of a line beside a list marker: headers there are quoted, and headings do not divide an annex."""
    if role is Role.GROUP:
        return None
    return Role.QUOTED if role in _QUOTABLE or (role is Role.TITLE and in_articles) else role


def _style(names: str | None) -> tuple[bool, Role | None, int]:
    """Return whether a block element of these classes breaks the line, as almost all do, and its role and level."""
    if not names:
        return True, None, 0
    breaks = "inline-element" not in names
    group = _GROUP.search(names)
    if group:
        return breaks, Role.GROUP, int(group.group(1) or group.group(2))
    roles = [role for name in names.split() if (role := _ROLES.get(name.removeprefix("oj-"))) is not None]
    return breaks, Role.QUOTED if Role.QUOTED in roles else next(iter(roles), None), 0


def _join_group_headings(blocks: list[Block]) -> list[Block]:
    """Join headings inside annexes with the number above them, and tell the annex's own heading from them.

    A heading without a number right below the annex's header is the heading of the annex. A heading that opens a
    quotation, or is below the header of a quoted annex, loses its role: its depth in this act is unknown.
    """
    if not any(block.role is Role.GROUP for block in blocks):
        return blocks
    result: list[Block] = []
    for block in blocks:
        before = result[-1] if result else None
        if block.role is not Role.GROUP or before is None:
            result.append(block)
        elif block.text[0] in OPENING_QUOTES or before.role is Role.QUOTED:
            result.append(Block(block.text))
        elif before.role in _ABOVE_ANNEX and not _NUMBERED.match(block.text):
            result.append(Block(block.text, Role.HEADING))
        elif before.role is Role.GROUP and before.level == block.level and _is_label_of(before.text, block.text):
            before.text = f"{before.text} {block.text}"
        else:
            result.append(block)
    return result


def _is_label_of(label: str, title: str) -> bool:
    """Whether a heading is only a number, of which the next heading is the title.

    >>> _is_label_of("Part I", "General principles"), _is_label_of("PART A", "PART B")
    (True, False)
    """
    return bool(_LABEL.match(label)) and not _NUMBERED.match(title)
