"""Akoma Ntoso, the XML of parliaments and of drafting tools such as the Commission's LEOS.

The hierarchy is explicit, so most of the work is to unfold it into the lines that the Official Journal would print:
"Article 5", its heading, "1. Text", "(a)" and then the text of the point. Versions differ only in their namespace, so
elements are matched by their local names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lexlattice.act.remarks import Remark
from lexlattice.errors import ReadingError
from lexlattice.reading.celex import LANGUAGE_CODES
from lexlattice.reading.formats.blocks import Block, Document, Role, squeeze
from lexlattice.reading.formats.images import images_warning, is_image
from lexlattice.reading.formats.tables import Table, span_of
from lexlattice.reading.formats.xmlsafe import Lines, is_mixed, names, parse_xml, traverse

if TYPE_CHECKING:
    from lxml.etree import _Element

HIDDEN = names("meta del documentRef")
# Elements inside a sentence, and elements that are separate lines. An element in neither set counts as part of a
# sentence if there is text beside it, and as lines otherwise, so that no text is lost.
INLINE = names("""a abbr affectedDocument argument b br change concept courtType date decoration def
    docAuthority docCommittee docDate docIntroducer docJurisdiction docNumber docProponent docPurpose docStage
    docStatus docTitle docType docketNumber entity eol event fillIn font i img inline ins judge lawyer
    legislature location marker mmod mod mref neutralCitation noteRef object omissis opinion organization
    outcome party person placeholder process quantity quotedText recordedTime ref relatedDocument remark rmod
    role rref session shortTitle span sub sup term time u vote""")
BLOCK = names("""p num heading subheading content intro wrapUp article paragraph subparagraph point indent
    alinea list item blockList listIntroduction listWrapUp li ol ul quotedStructure embeddedStructure table
    caption tr td th toc tocItem recital citation crossHeading formula longTitle block container""")
# Elements in which names, titles and signatories are separate lines unless they are part of a sentence.
HOLDERS = names("preface coverPage container longTitle preamble conclusions signature")
TITLE_LINES = names("docStage docPurpose")
ITEMS = names("point indent item li blockList table")  # a number before one of these is a separate line
HEADS = names("num heading subheading")
QUOTED = names("quotedStructure embeddedStructure")
ATTACHED = names("attachment component")
NOTES = names("authorialNote popup")
ROLES = {"coverPage": Role.PAGE, "toc": Role.CONTENTS, "conclusions": Role.SIGNATURE}

_CELEX = re.compile(r"(?<![0-9A-Z])[1-9CE](?:1[89]|2[01])\d\d[A-Z]{1,2}\d{4}(?:R?\(\d\d\))?(?![0-9A-Z])")
_LANGUAGES = LANGUAGE_CODES | {  # and the bibliographic codes of ISO 639-2
    **{"cze": "cs", "dut": "nl", "fre": "fr", "ger": "de", "gre": "el", "rum": "ro", "slo": "sk"},
}


def read_akoma(data: bytes) -> Document:
    """Read an Akoma Ntoso document.

    Raises:
        ReadingError: The XML is damaged or harmful, or contains no text.
    """
    root = parse_xml(data)
    reader = _Reader(root)
    if not reader.lines.blocks:
        raise ReadingError("The Akoma Ntoso document contains no text; check that it is the right file.", code="empty")
    elsewhere = [node.get("showAs") or node.get("href") for node in root.iter("{*}documentRef")]
    warnings: list[str] = [
        Remark("part-elsewhere", f"{name} is in a separate file, which was not read.", name=name)
        for name in elsewhere
        if name
    ]
    warnings += images_warning(reader.images)
    return Document(reader.lines.blocks, "akoma-ntoso", _celex_of(root), _language_of(root), warnings)


@dataclass(frozen=True, slots=True)
class _State:
    """The effect of an open element on the text inside it."""

    inline: bool = False
    mixed: bool = False
    quoted: bool = False  # inside a quoted structure
    cites: bool = False  # inside quoted words
    attached: bool = False
    role: Role | None = None
    level: int = 0  # depth of a heading in an annex
    after: str = ""  # text shown after the element
    note: str | None = None  # the number of a footnote
    collects: bool = False  # its lines are collected separately: a footnote or a cell


class _Reader:
    """Turns a document into lines."""

    def __init__(self, root: _Element) -> None:
        self.lines = Lines()
        self.images = 0
        """Number of pictures that are not shown."""
        self._states = [_State()]
        self._tables: list[Table] = []
        self._tables_read = 0
        self._ordinals: list[int] = []  # number of items so far, for each open list
        self._notes: list[Block] = []
        self._numbers: dict[str, str] = {}
        self._counted = 0
        self._head: Role | None = None  # the role of the first line of a heading
        self._opening = ""  # a quotation mark to be written before the first word of the quotation
        self._body = False
        self._cited = self._said = False  # whether the line has words inside, and outside, a quotation
        self._divisions = {
            above
            for article in root.iter("{*}article")
            if not any(_name_of(above) in QUOTED for above in article.iterancestors())
            for above in article.iterancestors()
        }
        traverse(root, self._enter, self._leave)
        self._end_notes()

    def _write(self, text: str | None) -> None:
        if text and self._opening and text.strip():
            text, self._opening = self._opening + text.lstrip(), ""
        self.lines.write(text)

    def _say(self, text: str | None) -> None:
        """Write text of the document, and note whether it is inside or outside a quotation."""
        if text and any(map(str.isalnum, text)):
            cites = self._states[-1].cites
            self._cited, self._said = self._cited or cites, self._said or not cites
        self._write(text)

    def _end(self, state: _State) -> None:
        role = state.role
        if not self.lines.blank and role is not Role.NOTE:
            if role is Role.HEADING and self._head is not None:
                role, self._head = self._head, None
            if state.quoted or (role is None and self._cited and not self._said):
                role = Role.QUOTED
            self._cited = self._said = False
        self.lines.end(role, state.level if role is Role.GROUP else 0)

    def _end_notes(self) -> None:
        """Append the footnotes below the text that refers to them: the act, and each annex."""
        self._end(_State())
        self.lines.blocks.extend(self._notes)
        self._notes, self._counted = [], 0

    def _enter(self, node: _Element) -> bool:
        above, name = self._states[-1], _name_of(node)
        self._states.append(replace(above, inline=True, after="", collects=False, note=None))
        if not name or name in HIDDEN:
            return False
        if name in NOTES:
            return self._enter_note(node)
        if name == "noteRef":
            number = node.get("marker") or self._numbers.get(node.get("href", "").lstrip("#"), "")
            self._write(_bracketed(number))
            return False
        state = self._states[-1] = self._state_of(node, name, above)
        if not state.inline and (name in ITEMS or not self.lines.held):
            self._end(above)
        self._begin(node, name, state)
        if state.collects:
            self.lines.open()
        self._say(node.text)
        return True

    def _state_of(self, node: _Element, name: str, above: _State) -> _State:
        parent = node.getparent()
        holder = "" if parent is None else _name_of(parent)
        inline = name in INLINE or (name not in BLOCK and (above.inline or above.mixed))
        is_separate = holder in HOLDERS or name in TITLE_LINES
        inline = inline and (above.inline or above.mixed or not is_separate)
        attached = above.attached or name == "attachment" or (name == "component" and self._body)
        role, level = ROLES.get(name, above.role), 0
        if name in {"preface", "longTitle"}:
            role = Role.HEADING if attached else Role.TITLE
        elif name in HEADS and parent is not None:
            role = self._head_role(node, parent, holder, above)
            level = _depth_of(parent) if role is Role.GROUP else 0
        return _State(
            inline=inline,
            mixed=not inline and is_mixed(node),
            quoted=above.quoted or name in QUOTED,
            cites=above.cites or name == "quotedText",
            attached=attached,
            role=role,
            level=level,
            after=node.get("endQuote", "") if name == "quotedText" else "",
            collects=bool(self._tables) and name in {"td", "th", "caption"},
        )

    def _head_role(self, node: _Element, parent: _Element, holder: str, above: _State) -> Role | None:
        """Return the role of a number or heading: of an article, a division, an annex, or a paragraph."""
        if holder in ATTACHED:
            return Role.HEADING
        opens = Role.ARTICLE if holder == "article" else Role.DIVISION if parent in self._divisions else None
        if opens is None:
            heads = above.attached and above.role is None and not above.quoted and not self._tables
            return Role.GROUP if heads and _has_heading(parent) else above.role
        if not any(_name_of(sibling) in HEADS for sibling in node.itersiblings(preceding=True)):
            self._head = opens
        return Role.HEADING

    def _begin(self, node: _Element, name: str, state: _State) -> None:
        """Write what the mark-up stands for, before the text of an element."""
        if name in {"br", "eol"}:
            self._write(" ")
        elif name == "img":
            self.images += is_image(node)
        elif name == "quotedText" or name in QUOTED:
            self._opening += node.get("startQuote", "")
        elif name in ATTACHED and state.attached:
            self._end_notes()
            self._head = Role.ANNEX
        elif name in {"body", "mainBody", "preamble"}:
            self._body, self._head = True, None
        elif name == "table":
            self._tables_read += 1
            self._tables.append(Table(self._tables_read))
        elif name == "tr" and self._tables:
            self._tables[-1].begin_row()
        elif name in {"ul", "ol"}:
            self._ordinals.append(0)
        elif name == "li" and self._ordinals:
            self._ordinals[-1] += 1
            parent = node.getparent()
            self._write(f"{self._ordinals[-1]}." if parent is not None and _name_of(parent) == "ol" else "—")
            if state.role is Role.NOTE:
                self.lines.hold()
            else:
                self._end(state)

    def _leave(self, node: _Element) -> None:
        state, name = self._states[-1], _name_of(node)
        if name == "quotedText" and self._opening:
            self._opening = ""  # the quotation is empty
        else:
            self._write(state.after)
        if self._is_held(node, name, state):
            self.lines.hold()
        elif not state.inline:
            self._end(state)
        if state.collects:
            self._collect(node, state)
        if name == "table":
            rows = self._tables.pop().blocks()
            if state.role is Role.NOTE:
                rows = [Block(squeeze(row.text), Role.NOTE) for row in rows]
            self.lines.blocks.extend(rows)
        elif name in {"ul", "ol"}:
            self._ordinals.pop()
        elif name in ATTACHED and state.attached:
            self._end_notes()
        self._states.pop()
        tail = node.tail
        if name in QUOTED:
            tail = self._close_quotation(node)
        self._say(tail)

    def _is_held(self, node: _Element, name: str, state: _State) -> bool:
        """Whether a number is on the same line as the text after it: "1. Text", while "(a)" is a separate line."""
        parent, after = node.getparent(), next(node.itersiblings(), None)
        if name not in HEADS or parent is None or after is None:
            return False
        if state.role is Role.GROUP or (_name_of(parent) == "level" and name == "num"):
            return _name_of(after) in HEADS
        return name == "num" and (_name_of(parent) == "paragraph" or state.role is Role.NOTE)

    def _close_quotation(self, node: _Element) -> str | None:
        """Write the closing mark, and the punctuation after it, on the last line of the quotation."""
        if self._opening or not self.lines.blocks:
            self._opening = ""  # the quotation is empty
            return node.tail
        tail = node.tail or ""
        stop = "" if any(map(str.isalnum, tail)) else tail.strip()
        self.lines.blocks[-1].text += node.get("endQuote", "") + stop
        return None if stop else tail

    def _collect(self, node: _Element, state: _State) -> None:
        blocks = self.lines.close()
        if state.note is not None:
            blocks[:1] = [Block(f"{state.note} {block.text}", Role.NOTE) for block in blocks[:1]]
            self._notes.extend(blocks)
        elif _name_of(node) == "caption":
            self._tables[-1].caption.extend(blocks)
        else:
            across, down = (span_of(node.get(span, "")) for span in ("colspan", "rowspan"))
            self._tables[-1].add(blocks, across=across, down=down)

    def _enter_note(self, note: _Element) -> bool:
        """Write the number of a footnote at its reference, and collect its text."""
        self._counted += 1
        number = _bracketed(note.get("marker") or str(self._counted))
        for key in ("eId", "id", "{http://www.w3.org/XML/1998/namespace}id", "wId"):
            self._numbers[note.get(key, "")] = number
        self._write(number)
        self.lines.open()
        mixed = is_mixed(note)
        self._states[-1] = _State(mixed=mixed, role=Role.NOTE, note=number.strip(), collects=True)
        self._write(note.text)
        return True


def _language_of(root: _Element) -> str | None:
    """Return the language that the document states."""
    codes = (node.get("language", "").lower() for node in root.iter("{*}FRBRlanguage"))
    return next((_LANGUAGES.get(code, code[:2]) for code in codes if code), None)


def _celex_of(root: _Element) -> str | None:
    """Return the CELEX number among the names and numbers of the document."""
    nodes = root.iter("{*}FRBRalias", "{*}FRBRnumber", "{*}FRBRname", "{*}FRBRuri", "{*}FRBRthis")
    found = (_CELEX.search(node.get("value", "")) for node in nodes)
    return next((match.group() for match in found if match), None)


def _name_of(node: _Element) -> str:
    """Return the name of an element without its namespace; empty for a comment or an instruction."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _has_heading(element: _Element) -> bool:
    """Whether an element has a heading."""
    return any(_name_of(child) == "heading" for child in element)


def _depth_of(element: _Element) -> int:
    """Return the depth of an element among those of its annex that have a heading, from 1."""
    depth = 1
    for above in element.iterancestors():
        if _name_of(above) in ATTACHED:
            break
        depth += _has_heading(above)
    return depth


def _bracketed(number: str) -> str:
    """Return the number of a footnote as it is shown at its reference."""
    number = number.strip().strip("()[]")
    return f" ({number})" if number else ""
