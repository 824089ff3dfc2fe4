"""The text of a Formex file as lines.

Formex marks up far more than a reader sees. The lines returned here are those that EUR-Lex shows for the same act in
HTML, so that both give the same provisions.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lexlattice.reading.formats.blocks import Block, Role, squeeze
from lexlattice.reading.formats.formex_elements import (
    ANNEXES,
    ANNOTATIONS,
    BLOCK,
    BULLETS,
    CELLS,
    HIDDEN,
    INLINE,
    LISTS,
    OPERATORS,
    QUOTED,
    ROLES,
    SIGNS,
    cell_place,
    groups_of_articles,
    instruction_name,
    is_caption,
    leading_text,
)
from lexlattice.reading.formats.images import is_formex_image
from lexlattice.reading.formats.tables import Table
from lexlattice.reading.formats.xmlsafe import Lines, is_mixed, traverse

if TYPE_CHECKING:
    from lxml.etree import _Element

_DELETION = "—————"  # shown by a consolidated text in place of a repealed passage
_NUMBERED_DELETION = re.compile(rf"\S{{1,8}} {_DELETION}")


class LineReader:
    """Turns the files of an act, one after the other, into lines."""

    def __init__(self) -> None:
        self.lines = Lines()
        self.images = 0
        """Number of pictures that are not shown."""
        self._files = 0
        self._numbers = _NoteNumbers()
        self._tables_read = 0

    def read(self, root: _Element) -> None:
        """Add the lines of a file, followed by its footnotes."""
        self._states = [_State()]
        self._tables: list[_NotedTable] = []
        self._annotated = 0  # number of the table to which annotations belong
        self._notes: list[Block] = []
        self._quoted_notes: list[Block] = []  # of the current quotation
        self._numbers = _NoteNumbers(self._numbers)
        self._head: Role | None = None  # the role of the first line of a title; those after it are headings
        self._deleted_until: str | None = None  # id of the end of the repealed passage that is skipped
        self._line = 0
        self._leading: dict[str, int] = {}  # open quotations that began at the start of a line → that line
        self._closing = False  # whether such a quotation, begun on an earlier line, ends on this one
        self._note_ids = {note.get("NOTE.ID") for note in root.iter("NOTE")} - {None}
        self._quote_ends = {quote.get("ID") for quote in root.iter("QUOT.END")} - {None}
        self._deletion_ends = {node.get("ID") for node in root.iter() if instruction_name(node) == "CLG.MDFC"} - {None}
        self._groups = groups_of_articles(root)
        traverse(root, self._enter, self._leave)
        self.lines.blocks.extend(self._notes)
        self._files += 1

    def _write(self, text: str | None) -> None:
        if text and self._deleted_until is None:
            self.lines.write(text.upper() if self._states[-1].upper else text)

    def _end(self, state: _State) -> None:
        if self.lines.blank:
            self.lines.end(None)
            return
        role, blocks = self._role(state), self.lines.blocks
        self.lines.end(role, state.level if role in (Role.GROUP, Role.NOTE) else 0)
        if role is None and blocks[-1].text.endswith(_DELETION) and _NUMBERED_DELETION.fullmatch(blocks[-1].text):
            blocks[-1].role = Role.PAGE

    def _role(self, state: _State) -> Role | None:
        """Return the role of the line that ends now."""
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
            self._track_deletion(node, above)
        elif node.tag == "NOTE":
            return self._enter_note(node)
        elif node.tag in {"QUOT.START", "QUOT.END"}:
            self._quote(node)
            self._write(node.text)
            return True
        elif node.tag not in HIDDEN:
            state = self._states[-1] = self._state_of(node, above)
            if above.one_line:
                self._write(" " if node.tag in BLOCK else None)
            elif not state.inline and (node.tag in LISTS or not self.lines.held):
                self._end(above)
            self._begin(node)
            if state.collects:
                self.lines.open()
            self._write(leading_text(node))
            return True
        return False

    def _state_of(self, node: _Element, above: _State) -> _State:
        tag, kind = str(node.tag), node.get("TYPE")
        inline = tag in INLINE or (tag not in BLOCK and (above.inline or above.mixed))
        inline = above.one_line or (inline and not (tag == "FORMULA" and kind == "OUTLINE"))
        role = self._title_role(node, above) if tag == "TITLE" else ROLES.get(tag, above.role)
        heads_group = tag == "TITLE" and role is Role.GROUP
        level = sum(1 for _ in node.iterancestors("GR.SEQ")) if heads_group else above.level
        if tag in ANNOTATIONS:
            level = self._tables[-1].number if self._tables else self._annotated
        return _State(
            inline=inline,
            mixed=not inline and is_mixed(node),
            upper=above.upper or (tag == "HT" and kind == "UC"),
            quoted=above.quoted or tag in QUOTED,
            title=above.title or tag in {"TITLE", "TI.BLK", "STI.BLK"},
            one_line=above.one_line or heads_group,
            role=role,
            level=level,
            after={"NO.DOC.C": ")", "MARGIN": " ", "NO.ITEM": " "}.get(tag, " " if above.one_line else ""),
            collects=bool(self._tables) and (tag in CELLS or tag == "GR.NOTES" or is_caption(node)),
        )

    def _title_role(self, title: _Element, above: _State) -> Role | None:
        parent = title.getparent()
        if parent is None:
            return None
        main = parent.getparent() is None or parent.tag in {"CONS.DOC", "ITEM.VOLUME"}
        if parent.tag in ANNEXES or (main and self._files):
            self._head = Role.ANNEX
        elif parent.tag == "DIVISION" or parent in self._groups:
            self._head = Role.DIVISION
        elif parent.tag == "GR.SEQ" and above.role is None and not above.quoted and not self._tables:
            return Role.GROUP
        else:
            return Role.TITLE if main else above.role
        return Role.HEADING

    def _begin(self, node: _Element) -> None:
        """Write what the mark-up stands for, before the text of an element."""
        tag, parent = str(node.tag), node.getparent()
        if tag == "ITEM" and parent is not None and parent.get("TYPE") in BULLETS:
            if next((child.tag for child in node if isinstance(child.tag, str)), None) != "NP":
                self._write(BULLETS[parent.get("TYPE", "")])
                self._end_number(self._states[-1])
        elif tag == "DEFINITION":
            mark = next((squeeze(above.get("SEPARATOR", "")) for above in node.iterancestors("DLIST")), "")
            self._write(mark if mark in {":", ";", ","} else f" {mark}")
            self.lines.hold()
        elif tag == "TBL":
            self._tables_read += 1
            self._tables.append(_NotedTable(self._tables_read))
            for note in (note for notes in node.findall("GR.NOTES") for note in notes.iter("NOTE")):
                if note.get("NOTE.ID"):
                    self._number(note)
        elif tag in {"ROW", "TI.BLK", "STI.BLK"} and self._tables:
            self._tables[-1].begin_row()
        elif tag in ANNEXES or tag == "ARTICLE":
            self._annotated = 0
        elif tag == "INCL.ELEMENT":
            self.images += self._deleted_until is None and is_formex_image(node)
        elif tag in {"OP.CMP", "OP.MATH"}:
            self._write(f" {OPERATORS.get(node.get('TYPE', ''), '')} ")
        else:
            self._write(SIGNS.get(tag))

    def _leave(self, node: _Element) -> None:
        state = self._states[-1]
        self._write(state.after)
        if node.tag in {"NO.PARAG", "NO.GR.SEQ"} or (node.tag == "NO.P" and state.title):
            self.lines.hold()
        elif node.tag == "NO.P":
            self._end_number(state)
        elif not state.inline:
            self._end(state)
        if state.collects:
            self._collect(node, state)
        if node.tag == "TBL":
            self._end_table(state)
        elif node.tag == "TITLE":
            self._head = None
        self._states.pop()
        if node.tag in QUOTED and not self._states[-1].quoted:
            self.lines.blocks.extend(self._quoted_notes)
            self._quoted_notes = []
        self._write(node.tail)

    def _end_number(self, state: _State) -> None:
        """End the line of a number or bullet; in a note it stays with the text, so that it is not read as a point."""
        if state.role is Role.NOTE:
            self.lines.hold()
        else:
            self._end(state)

    def _end_table(self, state: _State) -> None:
        done = self._tables.pop()
        rows = done.blocks()
        if state.role is Role.NOTE:
            rows = [Block(squeeze(row.text), Role.NOTE, state.level) for row in rows]
        self.lines.blocks.extend(rows + done.notes)
        self._annotated = done.number

    def _collect(self, node: _Element, state: _State) -> None:
        blocks = self.lines.close()
        if state.note is not None:
            blocks[:1] = [replace(block, text=f"{state.note} {block.text}".lstrip()) for block in blocks[:1]]
            self._notes_for(node).extend(blocks)
        elif node.tag == "GR.NOTES":
            self._tables[-1].notes.extend(blocks)
        elif node.tag == "TITLE":
            self._tables[-1].caption.extend(blocks)
        else:
            self._tables[-1].add(blocks, *cell_place(node))

    def _enter_note(self, note: _Element) -> bool:
        """Write the number of a footnote at its reference, and collect its text."""
        if self._deleted_until is not None:
            return False
        number, table = self._number(note), self._table_of(note)
        if number and not _is_listed(note):
            self._write(f" {number}")
        if note.get("NOTE.REF") in self._note_ids:
            return False  # a second reference; its text, if any, repeats that of the note
        self.lines.open()
        level = table.number if table is not None else 0
        self._states[-1] = _State(mixed=is_mixed(note), role=Role.NOTE, level=level, note=number, collects=True)
        self._write(note.text)
        return True

    def _notes_for(self, note: _Element) -> list[Block]:
        """Return the list that collects a note: of its table, of the quotation, or of the file."""
        table = self._table_of(note)
        if _is_listed(note):
            return self.lines.blocks
        if table is not None:
            return table.notes
        return self._quoted_notes if next(note.iterancestors(*QUOTED), None) is not None else self._notes

    def _table_of(self, note: _Element) -> _NotedTable | None:
        """Return the table to which a note belongs; a table may also refer to footnotes of the text."""
        return self._tables[-1] if self._tables and (note.get("TYPE") == "TABLE" or _is_listed(note)) else None

    def _number(self, note: _Element) -> str:
        return self._numbers.number(note, self._table_of(note))

    def _quote(self, quote: _Element) -> None:
        """Write a quotation mark; a quotation that begins with a line and ends on another is text of another act."""
        if self._deleted_until is not None:
            return
        opens, code, start = quote.tag == "QUOT.START", quote.get("CODE", ""), quote.get("REF.START", "")
        if opens and self.lines.blank and quote.get("REF.END") in self._quote_ends:
            self._leading[quote.get("ID", "")] = self._line
        self._closing = self._closing or self._leading.pop(start, self._line) < self._line
        self._write(chr(int(code, 16)) if re.fullmatch("[02][0-9A-Fa-f]{3}", code) else "‘" if opens else "’")

    def _track_deletion(self, node: _Element, above: _State) -> None:
        """Skip repealed passages, which a consolidated file keeps between two processing instructions."""
        if instruction_name(node) == "CLG.MDFC":
            self._deletion_ends.discard(node.get("ID"))
            self._deleted_until = None if self._deleted_until == node.get("ID") else self._deleted_until
        elif instruction_name(node) == "CLG.MDFO" and node.get("ACTION") == "DELETED":
            if self._deleted_until is not None or node.get("IDREF") not in self._deletion_ends:
                return
            if node.get("LEVEL") == "TEXT":
                self._write(f" {_DELETION} ")
            elif not above.title:
                self._end(above)
                self.lines.blocks.append(Block(_DELETION, Role.PAGE))
            self._deleted_until = node.get("IDREF")


@dataclass(frozen=True, slots=True)
class _State:
    """The effect of an open element on the text inside it."""

    inline: bool = False
    mixed: bool = False
    upper: bool = False
    quoted: bool = False
    title: bool = False
    one_line: bool = False  # a title: its number and all its lines are one line
    role: Role | None = None
    level: int = 0  # of its blocks
    after: str = ""  # text shown after the element
    note: str | None = None  # the number of a footnote
    collects: bool = False  # its lines are collected separately: a footnote or a cell


class _NotedTable(Table):
    """A table with the notes below it, which have their own numbers."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.notes: list[Block] = []
        self.counts: Counter[str] = Counter()


class _NoteNumbers:
    """The numbers of the footnotes in one file; the text and each table are counted separately."""

    def __init__(self, earlier: _NoteNumbers | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._earlier = earlier.counts if earlier is not None else Counter[str]()
        self._given: dict[str, str] = {}  # by the id of the note

    def number(self, note: _Element, table: _NotedTable | None) -> str:
        """Return the number of a footnote; each file and each table counts separately for each numbering style."""
        key, style = note.get("NOTE.REF") or note.get("NOTE.ID"), note.get("NUMBERING", "ARAB")
        if key in self._given:
            return self._given[key]
        counts = self.counts if table is None else table.counts
        if not counts[style] and note.get("NUMBERING.CONTINUED") == "YES":
            counts[style] = self._earlier[style]
        counts[style] += 1
        letter = chr(ord("a") + (counts[style] - 1) % 26)
        shown = {"STAR": f"*{counts[style]}", "alpha": letter, "ALPHA": letter.upper(), "NONE": ""}
        number = f"({shown.get(style, counts[style])})".replace("()", "")
        if key:
            self._given[key] = number
        return number


def _is_listed(note: _Element) -> bool:
    """Whether a note is in the list of a table's notes, not at its reference."""
    return next(note.iterancestors("GR.NOTES"), None) is not None
