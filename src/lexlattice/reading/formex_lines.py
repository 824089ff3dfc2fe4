"""The text of a Formex file as lines.

Formex marks up far more than a reader sees; the lines that come out of here are those EUR-Lex shows for the same act in
HTML, so that both give the same provisions.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lexlattice.reading.blocks import Block, Role, squeeze
from lexlattice.reading.xmlsafe import Lines, is_mixed, names, table, traverse

if TYPE_CHECKING:
    from lxml.etree import _Element

ANNEXES = names("ANNEX CONS.ANNEX")

# What describes the document and is not part of its text.
_HIDDEN = names("""BIB.INSTANCE BIB.DOC BIB.DATA FAM.COMP INFO.CONSLEG INFO.PROD PUBLICATION.REF FMX PDF
    INCLUSIONS ITEM.REF""")
# What stands inside a sentence, and what is lines of its own. An element in neither list is taken for part of
# a sentence where there are words on either side of it, and for lines elsewhere: its text is never lost.
_INLINE = names("""HT DATE FT LINK KEYWORD IE MARGIN FORMULA INCL.ELEMENT REF.DOC REF.DOC.OJ REF.DOC.ECR
    REF.DOC.SE REF.NP REF.CASE REF.ECR.DOC NO.ITEM ITEM.CONT TERM DEFINITION""")
_BLOCK = names("""P NP NO.P TXT LIST ITEM DLIST DLIST.ITEM PREFIX TBL QUOT.S ARTICLE PARAG NO.PARAG ALINEA
    DIVISION TITLE TI STI GR.SEQ NO.GR.SEQ TI.ART STI.ART VISA CONSID ANNEX CONTENTS TOC TOC.ITEM ANNOTATION
    CAPTION IMG.CNT ADDR.S OLD.CORR NEW.CORR GR.TBL GR.NOTES CELL""")
_LISTS = names("NP LIST ITEM DLIST DLIST.ITEM TBL")  # a number before one of these does not wait for its text
_QUOTED = names("QUOT.S OLD.CORR NEW.CORR")
_ROLES = {
    **{"TI.ART": Role.ARTICLE, "STI.ART": Role.HEADING, "TOC": Role.CONTENTS},
    **dict.fromkeys(["SIGNATURE", "SIGNATORY", "SIGNATURE.CASE"], Role.SIGNATURE),
}
_BULLETS = {"DASH": "—", "NDASH": "–", "BULLET": "•"}
_OPERATORS = {
    **{"EQ": "=", "NE": "≠", "LT": "<", "GT": ">", "LE": "≤", "GE": "≥", "AP": "≈", "EQV": "≡"},
    **{"PLUS": "+", "MINUS": "−", "MULT": "×", "DIV": "/", "PLUSMINUS": "±", "CARTPROD": "×"},
}
_SIGNS = {"DIVISOR": "/", "ROOT": "√", "SUM": "∑", "PRODUCT": "∏", "INT": "∫", "NO.DOC.C": "("}
_STRUCK = "—————"  # what a consolidated text shows in the place of a repealed passage


@dataclass(frozen=True, slots=True)
class _State:
    """What an open element means for the text inside it."""

    inline: bool = False
    mixed: bool = False
    upper: bool = False
    quoted: bool = False
    title: bool = False
    role: Role | None = None
    after: str = ""  # what is shown behind the element
    note: str | None = None  # the number of a footnote
    collects: bool = False  # its lines are kept apart, as those of a footnote or a cell


@dataclass(slots=True)
class _Table:
    rows: list[list[list[Block]]] = field(default_factory=list)
    notes: list[Block] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class LineReader:
    """Turns the files of an act, one after the other, into lines."""

    def __init__(self) -> None:
        self.lines = Lines()
        self._files = 0
        self._counts: Counter[str] = Counter()

    def read(self, root: _Element) -> None:
        """Add the lines of a file, and under them its footnotes."""
        self._states = [_State()]
        self._tables: list[_Table] = []
        self._notes: list[Block] = []
        self._numbers: dict[str, str] = {}  # what footnotes were numbered, by their ids
        self._earlier, self._counts = self._counts, Counter()
        self._head: Role | None = None  # the role of the first line of a title; those after it are headings
        self._struck: str | None = None  # where the repealed passage ends that is being left out
        self._line = 0
        self._leading: dict[str, int] = {}  # the quotations that are open and began with a line, and which
        self._closing = False  # whether one that began with an earlier line ends in this one
        self._note_ids = {note.get("NOTE.ID") for note in root.iter("NOTE")} - {None}
        self._quote_ends = {quote.get("ID") for quote in root.iter("QUOT.END")} - {None}
        self._struck_ends = {node.get("ID") for node in root.iter() if _target(node) == "CLG.MDFC"} - {None}
        self._groups = _groups_of_articles(root)
        traverse(root, self._enter, self._leave)
        self.lines.blocks.extend(self._notes)
        self._files += 1

    def _write(self, text: str | None) -> None:
        if text and self._struck is None:
            self.lines.write(text.upper() if self._states[-1].upper else text)

    def _end(self, state: _State) -> None:
        self.lines.end(None if self.lines.blank else self._role(state))

    def _role(self, state: _State) -> Role | None:
        """Decide the role of the line that ends now."""
        role = state.role
        if role is Role.NOTE:
            return role
        if role is Role.HEADING and self._head is not None:
            role, self._head = self._head, None
        quoted = state.quoted or ((self._closing or bool(self._leading)) and role is not Role.ANNEX)
        self._line, self._closing = self._line + 1, False
        return Role.QUOTED if quoted else role

    def _enter(self, node: _Element) -> bool:
        above = self._states[-1]
        self._states.append(_State(inline=True, upper=above.upper))
        if not isinstance(node.tag, str):
            self._strike(node, above)
        elif node.tag == "NOTE":
            return self._enter_note(node)
        elif node.tag in {"QUOT.START", "QUOT.END"}:
            self._quote(node)
            self._write(node.text)
            return True
        elif node.tag not in _HIDDEN:
            state = self._states[-1] = self._meaning(node, above)
            if not state.inline and (node.tag in _LISTS or not self.lines.held):
                self._end(above)
            self._begin(node)
            if state.collects:
                self.lines.open()
            self._write(_figures(node))
            return True
        return False

    def _meaning(self, node: _Element, above: _State) -> _State:
        tag, kind = str(node.tag), node.get("TYPE")
        inline = tag in _INLINE or (tag not in _BLOCK and (above.inline or above.mixed))
        inline = inline and not (tag == "FORMULA" and kind == "OUTLINE")
        role = self._title_role(node) if tag == "TITLE" else _ROLES.get(tag, above.role)
        return _State(
            inline=inline,
            mixed=not inline and is_mixed(node),
            upper=above.upper or (tag == "HT" and kind == "UC"),
            quoted=above.quoted or tag in _QUOTED,
            title=above.title or tag in {"TITLE", "TI.BLK", "STI.BLK"},
            role=role,
            after={"NO.DOC.C": ")", "MARGIN": " ", "NO.ITEM": " "}.get(tag, ""),
            collects=bool(self._tables) and tag in {"CELL", "TI.BLK", "STI.BLK"},
        )

    def _title_role(self, title: _Element) -> Role | None:
        parent = title.getparent()
        if parent is None:
            return None
        main = parent.getparent() is None or parent.tag in {"CONS.DOC", "ITEM.VOLUME"}
        if parent.tag in ANNEXES or (main and self._files):
            self._head = Role.ANNEX
        elif parent.tag == "DIVISION" or parent in self._groups:
            self._head = Role.DIVISION
        else:
            return Role.TITLE if main else self._states[-2].role
        return Role.HEADING

    def _begin(self, node: _Element) -> None:
        """Show what the mark-up stands for, before the text of an element."""
        tag, parent = str(node.tag), node.getparent()
        if tag == "ITEM" and parent is not None and parent.get("TYPE") in _BULLETS:
            if next((child.tag for child in node if isinstance(child.tag, str)), None) != "NP":
                self._write(_BULLETS[parent.get("TYPE", "")])
                self._end(self._states[-1])
        elif tag == "DEFINITION":
            mark = next((squeeze(above.get("SEPARATOR", "")) for above in node.iterancestors("DLIST")), "")
            self._write(mark if mark in {":", ";", ","} else f" {mark}")
            self.lines.hold()
        elif tag == "TBL":
            self._tables.append(_Table())
            for note in (note for notes in node.findall("GR.NOTES") for note in notes.iter("NOTE")):
                if note.get("NOTE.ID"):
                    self._number(note)
        elif tag in {"ROW", "TI.BLK", "STI.BLK"} and self._tables:
            self._tables[-1].rows.append([])
        elif tag in {"OP.CMP", "OP.MATH"}:
            self._write(f" {_OPERATORS.get(node.get('TYPE', ''), '')} ")
        else:
            self._write(_SIGNS.get(tag))

    def _leave(self, node: _Element) -> None:
        state = self._states[-1]
        self._write(state.after)
        if node.tag in {"NO.PARAG", "NO.GR.SEQ"} or (node.tag == "NO.P" and state.title):
            self.lines.hold()
        elif not state.inline:
            self._end(state)
        if state.collects:
            self._collect(node, state)
        if node.tag == "TBL":
            done = self._tables.pop()
            self.lines.blocks.extend(table(done.rows) + done.notes)
        elif node.tag == "TITLE":
            self._head = None
        self._states.pop()
        self._write(node.tail)

    def _collect(self, node: _Element, state: _State) -> None:
        blocks = self.lines.close()
        if state.note is not None:
            blocks[:1] = [replace(block, text=f"{state.note} {block.text}".lstrip()) for block in blocks[:1]]
            (self._tables[-1].notes if self._is_table_note(node) else self._notes).extend(blocks)
            return
        rows = self._tables[-1].rows
        if not rows:
            rows.append([])
        rows[-1].append(blocks)

    def _enter_note(self, note: _Element) -> bool:
        """Leave the number of a footnote where it is called, and collect its text."""
        if self._struck is not None:
            return False
        number = self._number(note)
        if number and not self._is_table_note(note):
            self._write(f" {number}")
        if note.get("NOTE.REF") in self._note_ids:
            return False  # the text, if there is any, repeats the note's own
        self.lines.open()
        self._states[-1] = _State(mixed=is_mixed(note), role=Role.NOTE, note=number, collects=True)
        self._write(note.text)
        return True

    def _is_table_note(self, note: _Element) -> bool:
        return bool(self._tables) and next(note.iterancestors("GR.NOTES"), None) is not None

    def _number(self, note: _Element) -> str:
        """Give a footnote its number: each file and each table counts its own, in a series for each style."""
        key, style = note.get("NOTE.REF") or note.get("NOTE.ID"), note.get("NUMBERING", "ARAB")
        if key in self._numbers:
            return self._numbers[key]
        counts = self._tables[-1].counts if self._is_table_note(note) else self._counts
        if not counts[style] and note.get("NUMBERING.CONTINUED") == "YES":
            counts[style] = self._earlier[style]
        counts[style] += 1
        letter = chr(ord("a") + (counts[style] - 1) % 26)
        shown = {"STAR": f"*{counts[style]}", "alpha": letter, "ALPHA": letter.upper(), "NONE": ""}
        number = f"({shown.get(style, counts[style])})".replace("()", "")
        if key:
            self._numbers[key] = number
        return number

    def _quote(self, quote: _Element) -> None:
        """Write a quotation mark. What begins with a line and ends in another is the text of another act."""
        if self._struck is not None:
            return
        opens, code, start = quote.tag == "QUOT.START", quote.get("CODE", ""), quote.get("REF.START", "")
        if opens and self.lines.blank and quote.get("REF.END") in self._quote_ends:
            self._leading[quote.get("ID", "")] = self._line
        self._closing = self._closing or self._leading.pop(start, self._line) < self._line
        self._write(chr(int(code, 16)) if re.fullmatch("[02][0-9A-Fa-f]{3}", code) else "‘" if opens else "’")

    def _strike(self, node: _Element, above: _State) -> None:
        """Leave out what was repealed: a consolidated file keeps it, between two instructions."""
        if _target(node) == "CLG.MDFC":
            self._struck_ends.discard(node.get("ID"))
            self._struck = None if self._struck == node.get("ID") else self._struck
        elif _target(node) == "CLG.MDFO" and node.get("ACTION") == "DELETED":
            if self._struck is not None or node.get("IDREF") not in self._struck_ends:
                return
            if node.get("LEVEL") == "TEXT":
                self._write(f" {_STRUCK} ")
            elif not above.title:
                self._end(above)
                self.lines.blocks.append(Block(_STRUCK, Role.PAGE))
            self._struck = node.get("IDREF")


def _figures(element: _Element) -> str | None:
    """Return the text at the start of an element, figures grouped as the Official Journal does."""
    text, kind = element.text, element.get("TYPE")
    if element.tag != "FT" or text is None or len(element):
        return text
    if kind == "CN":
        return re.sub(r"^(ex)? ?(\d{4})(\d\d)(\d\d)?(\d\d)?$", r"\1 \2 \3 \4 \5", text.strip()).strip()
    if kind not in {"NUMBER", "DECIMAL"}:
        return text
    return re.sub(r"(?<![\d.,])\d{4,30}(?!\d)", lambda whole: f"{int(whole.group()):,}".replace(",", " "), text)


def _target(node: _Element) -> str:
    """Return the name of a processing instruction."""
    return str(getattr(node, "target", ""))


def _groups_of_articles(root: _Element) -> set[_Element]:
    """Find the groups, such as the chapters of an annexed statute, that hold articles of this act."""
    found: set[_Element] = set()
    for article in root.iter("ARTICLE"):
        above = list(article.iterancestors())
        if not any(element.tag in _QUOTED for element in above):
            found.update(element for element in above if element.tag == "GR.SEQ")
    return found
