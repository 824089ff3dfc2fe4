"""Akoma Ntoso, the XML of parliaments and of drafting tools such as the Commission's LEOS.

The hierarchy is explicit here, so that most of the work is to unfold it again into the lines the Official
Journal would print: "Article 5", its heading, "1. Text", "(a)" and then the text of the point. Version 3.0
and its predecessors differ in their namespace only, which is why elements are known by their local names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lexlattice.errors import ReadingError
from lexlattice.reading.formats.blocks import Block, Document, Role, squeeze
from lexlattice.reading.formats.tables import Table
from lexlattice.reading.formats.xmlsafe import Lines, is_mixed, names, parse_xml, traverse

if TYPE_CHECKING:
    from lxml.etree import _Element


# Elements of Akoma Ntoso: which make lines, what their place says, and what the document says of itself.

HIDDEN = names("meta del documentRef")
# What stands inside a sentence, and what is lines of its own. An element in neither list is taken for part of
# a sentence where there are words on either side of it, and for lines elsewhere: its text is never lost.
INLINE = names("""a abbr affectedDocument argument b br change concept courtType date decoration def
    docAuthority docCommittee docDate docIntroducer docJurisdiction docNumber docProponent docPurpose docStage
    docStatus docTitle docType docketNumber entity eol event fillIn font i img inline ins judge lawyer
    legislature location marker mmod mod mref neutralCitation noteRef object omissis opinion organization
    outcome party person placeholder process quantity quotedText recordedTime ref relatedDocument remark rmod
    role rref session shortTitle span sub sup term time u vote""")
BLOCK = names("""p num heading subheading content intro wrapUp article paragraph subparagraph point indent
    alinea list item blockList listIntroduction listWrapUp li ol ul quotedStructure embeddedStructure table
    caption tr td th toc tocItem recital citation crossHeading formula longTitle block container""")
# Names, titles and signatories that make a line each where they are not put into a sentence.
HOLDERS = names("preface coverPage container longTitle preamble conclusions signature")
TITLE_LINES = names("docStage docPurpose")
ITEMS = names("point indent item li blockList table")  # a number before one of these does not wait for its text
HEADS = names("num heading subheading")
QUOTED = names("quotedStructure embeddedStructure")
ATTACHED = names("attachment component")
NOTES = names("authorialNote popup")
ROLES = {"coverPage": Role.PAGE, "toc": Role.CONTENTS, "conclusions": Role.SIGNATURE}

_CELEX = re.compile(r"(?<![0-9A-Z])[1-9CE](?:1[89]|2[01])\d\d[A-Z]{1,2}\d{4}(?:R?\(\d\d\))?(?![0-9A-Z])")
_CODES = """bul=bg ces=cs cze=cs dan=da deu=de ger=de ell=el gre=el eng=en spa=es est=et fin=fi fra=fr fre=fr
    gle=ga hrv=hr hun=hu ita=it lit=lt lav=lv mlt=mt nld=nl dut=nl pol=pl por=pt ron=ro rum=ro slk=sk slo=sk
    slv=sl swe=sv"""
_LANGUAGES = dict(code.split("=") for code in _CODES.split())


def language_of(root: _Element) -> str | None:
    """Return the language the document says it is in."""
    codes = (node.get("language", "").lower() for node in root.iter("{*}FRBRlanguage"))
    return next((_LANGUAGES.get(code, code[:2]) for code in codes if code), None)


def celex_of(root: _Element) -> str | None:
    """Find a CELEX number among the names and numbers the document goes by."""
    nodes = root.iter("{*}FRBRalias", "{*}FRBRnumber", "{*}FRBRname", "{*}FRBRuri", "{*}FRBRthis")
    found = (_CELEX.search(node.get("value", "")) for node in nodes)
    return next((match.group() for match in found if match), None)


def name_of(node: _Element) -> str:
    """Return an element's name without its namespace; a comment or an instruction has none."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def is_headed(element: _Element) -> bool:
    """Whether an element has a heading of its own."""
    return any(name_of(child) == "heading" for child in element)


def depth_of(element: _Element) -> int:
    """How deep an element is among those of its annex that have a heading, the outermost being 1."""
    depth = 1
    for above in element.iterancestors():
        if name_of(above) in ATTACHED:
            break
        depth += is_headed(above)
    return depth


def span_of(stated: str) -> int:
    """Return how many columns or rows a cell spans, by its attribute."""
    return int(stated) if re.fullmatch("[0-9]{1,4}", stated) else 1


def bracketed(number: str) -> str:
    """Return the number of a footnote as it is shown where the note is called."""
    number = number.strip().strip("()[]")
    return f" ({number})" if number else ""


# Akoma Ntoso, the XML of parliaments and of drafting tools such as the Commission's LEOS.


def read_akoma(data: bytes) -> Document:
    """Read an Akoma Ntoso document."""
    root = parse_xml(data)
    reader = _Reader(root)
    if not reader.lines.blocks:
        raise ReadingError("The Akoma Ntoso document has no text.")
    elsewhere = [node.get("showAs") or node.get("href") for node in root.iter("{*}documentRef")]
    warnings = [f"{name} is in a file of its own, which was not read." for name in elsewhere if name]
    return Document(reader.lines.blocks, "akoma-ntoso", celex_of(root), language_of(root), warnings)


@dataclass(frozen=True, slots=True)
class _State:
    """What an open element means for the text inside it."""

    inline: bool = False
    mixed: bool = False
    quoted: bool = False  # in a structure that is quoted
    cites: bool = False  # in words that are quoted
    attached: bool = False
    role: Role | None = None
    level: int = 0  # of a heading in an annex: how deep it is
    after: str = ""  # what is shown behind the element
    note: str | None = None  # the number of a footnote
    collects: bool = False  # its lines are kept apart, as those of a footnote or a cell


class _Reader:
    """Turns a document into lines."""

    def __init__(self, root: _Element) -> None:
        self.lines = Lines()
        self._states = [_State()]
        self._tables: list[Table] = []
        self._tables_read = 0
        self._ordinals: list[int] = []  # how many items the open lists have had
        self._notes: list[Block] = []
        self._numbers: dict[str, str] = {}
        self._counted = 0
        self._head: Role | None = None  # the role of the first line of a heading
        self._opening = ""  # a quotation mark that waits for the first word of the quotation
        self._body = False
        self._cited = self._said = False  # whether the line has words in, and words outside, a quotation
        self._divisions = {
            above
            for article in root.iter("{*}article")
            if not any(name_of(above) in QUOTED for above in article.iterancestors())
            for above in article.iterancestors()
        }
        traverse(root, self._enter, self._leave)
        self._end_notes()

    def _write(self, text: str | None) -> None:
        if text and self._opening and text.strip():
            text, self._opening = self._opening + text.lstrip(), ""
        self.lines.write(text)

    def _say(self, text: str | None) -> None:
        """Write text of the document, and remember whether the line says anything beside what it quotes."""
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
        """Put the footnotes under the text that calls them: the act's, and each annex's."""
        self._end(_State())
        self.lines.blocks.extend(self._notes)
        self._notes, self._counted = [], 0

    def _enter(self, node: _Element) -> bool:
        above, name = self._states[-1], name_of(node)
        self._states.append(replace(above, inline=True, after="", collects=False, note=None))
        if not name or name in HIDDEN:
            return False
        if name in NOTES:
            return self._enter_note(node)
        if name == "noteRef":
            number = node.get("marker") or self._numbers.get(node.get("href", "").lstrip("#"), "")
            self._write(bracketed(number))
            return False
        state = self._states[-1] = self._meaning(node, name, above)
        if not state.inline and (name in ITEMS or not self.lines.held):
            self._end(above)
        self._begin(node, name, state)
        if state.collects:
            self.lines.open()
        self._say(node.text)
        return True

    def _meaning(self, node: _Element, name: str, above: _State) -> _State:
        parent = node.getparent()
        holder = "" if parent is None else name_of(parent)
        inline = name in INLINE or (name not in BLOCK and (above.inline or above.mixed))
        apart = holder in HOLDERS or name in TITLE_LINES
        inline = inline and (above.inline or above.mixed or not apart)
        attached = above.attached or name == "attachment" or (name == "component" and self._body)
        role, level = ROLES.get(name, above.role), 0
        if name in {"preface", "longTitle"}:
            role = Role.HEADING if attached else Role.TITLE
        elif name in HEADS and parent is not None:
            role = self._head_role(node, parent, holder, above)
            level = depth_of(parent) if role is Role.GROUP else 0
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
        """Decide what a number or heading is that of: an article, a division, an annex, or a paragraph."""
        if holder in ATTACHED:
            return Role.HEADING
        opens = Role.ARTICLE if holder == "article" else Role.DIVISION if parent in self._divisions else None
        if opens is None:
            heads = above.attached and above.role is None and not above.quoted and not self._tables
            return Role.GROUP if heads and is_headed(parent) else above.role
        if not any(name_of(sibling) in HEADS for sibling in node.itersiblings(preceding=True)):
            self._head = opens
        return Role.HEADING

    def _begin(self, node: _Element, name: str, state: _State) -> None:
        """Show what the mark-up stands for, before the text of an element."""
        if name in {"br", "eol"}:
            self._write(" ")
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
            self._write(f"{self._ordinals[-1]}." if parent is not None and name_of(parent) == "ol" else "—")
            if state.role is Role.NOTE:
                self.lines.hold()
            else:
                self._end(state)

    def _leave(self, node: _Element) -> None:
        state, name = self._states[-1], name_of(node)
        if name == "quotedText" and self._opening:
            self._opening = ""  # it quoted nothing
        else:
            self._write(state.after)
        if self._waits(node, name, state):
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

    def _waits(self, node: _Element, name: str, state: _State) -> bool:
        """Say whether a number goes on the line of the text after it: "1. Text", but "(a)" on its own."""
        parent, after = node.getparent(), next(node.itersiblings(), None)
        if name not in HEADS or parent is None or after is None:
            return False
        if state.role is Role.GROUP or (name_of(parent) == "level" and name == "num"):
            return name_of(after) in HEADS
        return name == "num" and (name_of(parent) == "paragraph" or state.role is Role.NOTE)

    def _close_quotation(self, node: _Element) -> str | None:
        """Write the closing mark, and the stop behind it, on the last line of the quotation."""
        if self._opening or not self.lines.blocks:
            self._opening = ""  # it quoted nothing
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
        elif name_of(node) == "caption":
            self._tables[-1].caption.extend(blocks)
        else:
            across, down = (span_of(node.get(span, "")) for span in ("colspan", "rowspan"))
            self._tables[-1].add(blocks, across=across, down=down)

    def _enter_note(self, note: _Element) -> bool:
        """Leave the number of a footnote where it is called, and collect its text."""
        self._counted += 1
        number = bracketed(note.get("marker") or str(self._counted))
        for key in ("eId", "id", "{http://www.w3.org/XML/1998/namespace}id", "wId"):
            self._numbers[note.get(key, "")] = number
        self._write(number)
        self.lines.open()
        mixed = is_mixed(note)
        self._states[-1] = _State(mixed=mixed, role=Role.NOTE, note=number.strip(), collects=True)
        self._write(note.text)
        return True
