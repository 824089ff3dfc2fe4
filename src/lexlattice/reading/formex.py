"""Formex 4, the XML in which the Publications Office keeps the Official Journal.

An act comes as one file, or as a folder or zip of files: the act, one file for each annex, and a `.doc.xml`
that says in which order they go. Formex marks up far more than a reader sees; the lines that come out of here
are those EUR-Lex shows for the same act in HTML, so that both give the same provisions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from lexlattice.errors import ReadingError
from lexlattice.reading.blocks import Block, Document, Role, squeeze
from lexlattice.reading.xmlsafe import Lines, is_mixed, parse_xml, table, traverse, unzip

if TYPE_CHECKING:
    from lxml.etree import _Element

# What describes the document and is not part of its text.
_HIDDEN = frozenset(
    """BIB.INSTANCE BIB.DOC BIB.DATA FAM.COMP INFO.CONSLEG INFO.PROD PUBLICATION.REF FMX PDF INCLUSIONS
    ITEM.REF""".split()
)
# What stands inside a sentence; what is a line, or lines, of its own. An element in neither list is taken
# for a part of the sentence where there are words on either side of it, and for lines elsewhere.
_INLINE = frozenset(
    """HT DATE FT LINK KEYWORD IE MARGIN FORMULA INCL.ELEMENT REF.DOC REF.DOC.OJ REF.DOC.ECR REF.DOC.SE REF.NP
    REF.CASE REF.ECR.DOC NO.ITEM ITEM.CONT TERM DEFINITION""".split()
)
_BLOCK = frozenset(
    """P NP NO.P TXT LIST ITEM DLIST DLIST.ITEM PREFIX TBL QUOT.S ARTICLE PARAG NO.PARAG ALINEA DIVISION TITLE
    TI STI GR.SEQ NO.GR.SEQ TI.ART STI.ART VISA CONSID ANNEX CONTENTS TOC TOC.ITEM ANNOTATION CAPTION IMG.CNT
    ADDR.S OLD.CORR NEW.CORR GR.TBL GR.NOTES CELL""".split()
)
_LISTS = frozenset("NP LIST ITEM DLIST DLIST.ITEM TBL".split())  # no number before them waits for their text
_QUOTED = frozenset({"QUOT.S", "OLD.CORR", "NEW.CORR"})
_ANNEXES = frozenset({"ANNEX", "CONS.ANNEX"})
_ROLES = {
    "TI.ART": Role.ARTICLE,
    "STI.ART": Role.HEADING,
    "SIGNATURE": Role.SIGNATURE,
    "SIGNATORY": Role.SIGNATURE,
    "SIGNATURE.CASE": Role.SIGNATURE,
    "TOC": Role.CONTENTS,
}
_BULLETS = {"DASH": "—", "NDASH": "–", "BULLET": "•"}
_OPERATORS = {
    **{"EQ": "=", "NE": "≠", "LT": "<", "GT": ">", "LE": "≤", "GE": "≥", "AP": "≈", "EQV": "≡"},
    **{"PLUS": "+", "MINUS": "−", "MULT": "×", "DIV": "/", "PLUSMINUS": "±", "CARTPROD": "×"},
}
_SIGNS = {"DIVISOR": "/", "ROOT": "√", "SUM": "∑", "PRODUCT": "∏", "INT": "∫"}
_STRUCK = "—————"  # what a consolidated text shows in the place of a repealed passage
_KINDS = {"REG": "R", "DIR": "L", "DEC": "D", "REC": "H"}


def read_formex(data: bytes) -> Document:
    """Read one Formex file."""
    return read_formex_parts({"act.xml": data})


def read_formex_zip(data: bytes) -> Document:
    """Read a zip file of Formex files, as the Publications Office serves them."""
    parts = unzip(data, ".xml")
    if not parts:
        raise ReadingError("The zip file holds no Formex file (.xml).")
    return read_formex_parts(parts)


def read_formex_parts(parts: Mapping[str, bytes]) -> Document:
    """Read the files of one act, given by their names."""
    roots = {PurePosixPath(name.replace("\\", "/")).name: parse_xml(data) for name, data in parts.items()}
    warnings: list[str] = []
    order = _order(roots, warnings)
    for name in order:
        _include(roots[name], roots)
    texts = [roots[name] for name in order if roots[name].getparent() is None]
    reader = _Reader()
    for root in texts:
        reader.read(root)
    if not reader.lines.blocks:
        raise ReadingError("The Formex file has no text.")
    if all(root.tag == "DOC" for root in texts):
        warnings.append("This file only lists the parts of an act: read its folder or zip to have the text.")
    celex, language = _celex(roots.values()), _first(roots.values(), "LG.DOC", "LG.OJ")
    return Document(reader.lines.blocks, "formex", celex, language and language.lower(), warnings)


# --- the files of an act ----------------------------------------------------------------------------------


def _order(roots: Mapping[str, _Element], warnings: list[str]) -> list[str]:
    """Name the files in reading order: as the list of parts says, or else the act and then its annexes."""

    def place(name: str) -> tuple[bool, list[tuple[int, str]]]:
        numbers = [(int(digits or 0), other) for digits, other in re.findall(r"(\d+)|(\D+)", name)]
        return roots[name].tag in _ANNEXES, numbers

    texts = sorted((name for name in roots if roots[name].tag not in {"DOC", "PUBLICATION"}), key=place)
    listed = [
        str(reference.get("FILE"))
        for root in roots.values()
        if root.tag == "DOC"
        for reference in root.iter("REF.PHYS")
    ]
    if not any(name in texts for name in listed):
        return texts or list(roots)
    warnings += [f"The part {name} of this act is missing." for name in listed if name not in roots]
    return list(dict.fromkeys(name for name in listed if name in texts))


def _include(root: _Element, roots: Mapping[str, _Element]) -> None:
    """Hang a file that another one calls in the middle of its text, as quoted annexes are, where it is called."""
    for element in root.iter("INCL.ELEMENT"):
        called, holder = roots.get(str(element.get("FILEREF"))), element.getparent()
        free = called is not None and called is not root and called.getparent() is None
        if free and holder is not None and holder.tag != "INCLUSIONS":
            element.append(called)


def _first(roots: Iterable[_Element], *tags: str) -> str | None:
    """Return the first text there is in an element of that name, the names tried in turn."""
    documents = list(roots)
    found = (element for tag in tags for root in documents for element in root.iter(tag))
    return next(filter(None, (squeeze("".join(element.itertext())) for element in found)), None)


def _celex(roots: Iterable[_Element]) -> str | None:
    """Return the CELEX number, which consolidated texts state and the others imply: kind, year and number."""
    documents = list(roots)
    stated = _first(documents, "NO.CELEX")
    if stated:
        return stated
    kind = next(
        (_KINDS[key] for key in _KINDS if (_first(documents, "LEGAL.VALUE") or "").startswith(key)), None
    )
    number = next((n for root in documents for n in root.iter("NO.DOC")), None)
    if kind is None or number is None:
        return None
    year, current = _first([number], "YEAR") or "", _first([number], "NO.CURRENT") or ""
    if not (year.isdecimal() and current.isdecimal()):
        return None
    return f"3{'19' + year if len(year) == 2 else year}{kind}{int(current):04}"


# --- the text of a file -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _State:
    """What an open element means for the text inside it."""

    inline: bool = False
    mixed: bool = False
    upper: bool = False
    quoted: bool = False
    title: bool = False
    role: Role | None = None
    after: str = ""  # text that is shown behind the element
    collects: bool = False  # its lines are kept apart: a cell of a table, a footnote


@dataclass(slots=True)
class _Table:
    rows: list[list[list[Block]]] = field(default_factory=list)
    notes: list[Block] = field(default_factory=list)


class _Reader:
    """Turns the files of an act, one after the other, into lines."""

    def __init__(self) -> None:
        self.lines = Lines()
        self._files = 0
        self._counts: Counter[str] = Counter()

    def read(self, root: _Element) -> None:
        """Add the lines of a file, and its footnotes under them."""
        self._states = [_State()]
        self._tables: list[_Table] = []
        self._notes: list[Block] = []
        self._numbers: dict[str, str] = {}  # the numbers that footnotes were given, by their ids
        self._earlier, self._counts = self._counts, Counter()
        self._head: Role | None = (
            None  # the role of the next line of a title; the lines after it are headings
        )
        self._struck: str | None = None  # the end of the repealed passage that is being left out
        self._note_ids = {note.get("NOTE.ID") for note in root.iter("NOTE")}
        self._quote_ends = {quote.get("ID") for quote in root.iter("QUOT.END")}
        self._passage_ends = {
            _attribute(node, "ID") for node in root.iter() if _instruction(node) == "CLG.MDFC"
        }
        self._leading: set[str] = set()  # quotations that are open and began with a line
        self._carried: set[str] = set()  # those of them that began with an earlier line
        self._closing = False
        self._enclosing = _enclosing_articles(root)
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
        if state.role is Role.NOTE:
            return Role.NOTE
        role = state.role
        if role is Role.HEADING and self._head is not None:
            role, self._head = self._head, None
        spanned = bool(self._leading) or self._closing
        self._carried, self._closing = set(self._leading), False
        if state.quoted or (spanned and role is not Role.ANNEX):
            return Role.QUOTED
        return role

    def _enter(self, node: _Element) -> bool:
        above = self._states[-1]
        self._states.append(_State(inline=True, upper=above.upper))
        if not isinstance(node.tag, str):
            self._mark(node)
            return False
        if node.tag in _HIDDEN:
            return False
        if node.tag == "NOTE":
            return self._enter_note(node, above)
        if node.tag in {"QUOT.START", "QUOT.END"}:
            self._quote(node)
            return False
        if node.tag in {"OP.CMP", "OP.MATH"}:
            self._write(f" {_OPERATORS.get(str(node.get('TYPE')), '')} ")
        self._write(_SIGNS.get(node.tag))
        state = self._states[-1] = self._open(node, above)
        if not state.inline and not (self.lines.held and node.tag not in _LISTS):
            self._end(above)
        self._begin(node)
        if state.collects:
            self.lines.open()
        self._write(_shown(node))
        return True

    def _open(self, node: _Element, above: _State) -> _State:
        """Work out what an element means."""
        tag = str(node.tag)
        inline = tag in _INLINE or (tag not in _BLOCK and (above.inline or above.mixed))
        inline = inline and node.get("TYPE") != "OUTLINE"
        state = replace(above, inline=inline, mixed=not inline and is_mixed(node), after="", collects=False)
        state = replace(state, role=_ROLES.get(tag, above.role), quoted=above.quoted or tag in _QUOTED)
        if tag == "HT":
            return replace(state, upper=above.upper or node.get("TYPE") == "UC")
        if tag == "TITLE":
            return replace(state, title=True, role=self._title_role(node))
        if tag in {"CELL", "TI.BLK", "STI.BLK"} and self._tables:
            return replace(state, title=tag != "CELL", collects=True)
        if tag == "NO.DOC.C":
            return replace(state, after=")")
        return replace(state, after=" ") if tag in {"MARGIN", "NO.ITEM", "ITEM.CONT"} else state

    def _title_role(self, title: _Element) -> Role | None:
        parent = title.getparent()
        if parent is None:
            return None
        main = parent.getparent() is None or parent.tag in {"CONS.DOC", "ITEM.VOLUME"}
        if parent.tag in _ANNEXES or (main and self._files):
            self._head = Role.ANNEX
        elif parent.tag == "DIVISION" or parent in self._enclosing:
            self._head = Role.DIVISION
        else:
            return Role.TITLE if main else self._states[-2].role
        return Role.HEADING

    def _begin(self, node: _Element) -> None:
        """Show what the mark-up stands for, before the text of an element."""
        parent = node.getparent()
        if node.tag == "ITEM" and parent is not None and parent.get("TYPE") in _BULLETS:
            first = next((child for child in node if isinstance(child.tag, str)), None)
            if first is None or first.tag != "NP":
                self._write(_BULLETS[str(parent.get("TYPE"))])
                self._end(self._states[-1])
        elif node.tag == "DEFINITION":
            separator = next((squeeze(e.get("SEPARATOR", "")) for e in node.iterancestors("DLIST")), "")
            self._write(separator if separator in {":", ";", ","} else f" {separator}")
            self.lines.hold()
        elif node.tag == "NO.DOC.C":
            self._write("(")
        elif node.tag == "TBL":
            self._tables.append(_Table())
            counts: Counter[str] = Counter()
            for note in (note for notes in node.findall("GR.NOTES") for note in notes.iter("NOTE")):
                self._number(note, counts)
        elif node.tag in {"ROW", "TI.BLK", "STI.BLK"} and self._tables:
            self._tables[-1].rows.append([])

    def _leave(self, node: _Element) -> None:
        state = self._states[-1]
        self._write(state.after)
        if node.tag in {"NO.PARAG", "NO.GR.SEQ"} or (node.tag == "NO.P" and state.title):
            self.lines.hold()
        elif not state.inline:
            self._end(state)
        if state.collects:
            self._collect(node, self.lines.close())
        if node.tag == "TBL":
            done = self._tables.pop()
            self.lines.blocks.extend(table(done.rows) + done.notes)
        elif node.tag == "TITLE":
            self._head = None
        self._states.pop()
        self._write(node.tail)

    def _collect(self, node: _Element, blocks: list[Block]) -> None:
        if node.tag == "NOTE":
            number = self._number(node, self._counts)
            if blocks:
                blocks[0].text = f"{number} {blocks[0].text}".lstrip()
            (self._tables[-1].notes if _under_table(node) and self._tables else self._notes).extend(blocks)
        elif self._tables[-1].rows:
            self._tables[-1].rows[-1].append(blocks)
        else:
            self._tables[-1].rows.append([blocks])

    def _enter_note(self, note: _Element, above: _State) -> bool:
        """Leave the number of a footnote where it is called, and collect its text."""
        if self._struck is not None:
            return False
        number = self._number(note, self._counts)
        if not _under_table(note):
            self._write(f" {number}" if number else "")
        if note.get("NOTE.REF") in self._note_ids:
            return False  # the text, if it is here at all, is a copy
        self.lines.open()
        self._states[-1] = _State(mixed=is_mixed(note), role=Role.NOTE, collects=True)
        self._write(note.text)
        return True

    def _number(self, note: _Element, counts: Counter[str]) -> str:
        """Return the number of a footnote, in brackets; a table counts its own, and so does every file."""
        key = note.get("NOTE.REF") or note.get("NOTE.ID") or note.getroottree().getpath(note)
        if key not in self._numbers:
            style = note.get("NUMBERING", "ARAB")
            if not counts[style] and note.get("NUMBERING.CONTINUED") == "YES":
                counts[style] = self._earlier[style]
            counts[style] += 1
            letter = chr(ord("a") + (counts[style] - 1) % 26)
            shown = {"STAR": f"*{counts[style]}", "alpha": letter, "ALPHA": letter.upper(), "NONE": ""}
            number = shown.get(style, str(counts[style]))
            self._numbers[key] = f"({number})" if number else ""
        return self._numbers[key]

    def _quote(self, quote: _Element) -> None:
        """Write a quotation mark; a quotation that begins with a line and ends in another is of another act."""
        if self._struck is not None:
            return
        if quote.tag == "QUOT.START":
            if self.lines.blank and quote.get("REF.END") in self._quote_ends:
                self._leading.add(quote.get("ID", ""))
        else:
            start = quote.get("REF.START", "")
            self._closing = self._closing or start in self._carried
            self._leading.discard(start)
        code = quote.get("CODE", "")
        known = re.fullmatch(r"[0-9A-Fa-f]{4}", code) and not code.upper().startswith("D")
        self._write(chr(int(code, 16)) if known else "‘" if quote.tag == "QUOT.START" else "’")

    def _mark(self, node: _Element) -> None:
        """Leave out what an amendment repealed: consolidated files keep it between two instructions."""
        if _instruction(node) == "CLG.MDFC":
            ended = _attribute(node, "ID")
            self._passage_ends.discard(ended)
            self._struck = None if self._struck == ended else self._struck
        elif _instruction(node) == "CLG.MDFO" and _attribute(node, "ACTION") == "DELETED":
            end = _attribute(node, "IDREF")
            if self._struck is not None or end not in self._passage_ends:
                return
            if _attribute(node, "LEVEL") == "TEXT":
                self._write(f" {_STRUCK} ")
            else:
                self._end(self._states[-2])
                self.lines.blocks.append(Block(_STRUCK, Role.PAGE))
            self._struck = end


def _shown(element: _Element) -> str | None:
    """Return the text at the start of an element, figures set apart as the Official Journal does."""
    text, kind = element.text, element.get("TYPE")
    if element.tag != "FT" or text is None or len(element):
        return text
    if kind in {"NUMBER", "DECIMAL"}:
        return re.sub(r"(?<![\d.,])\d{4,}", lambda m: re.sub(r"\B(?=(\d{3})+$)", " ", m.group()), text)
    return (
        re.sub(r"^(ex)? ?(\d{4})(\d\d)(\d\d)?(\d\d)?$", r"\1 \2 \3 \4 \5", text.strip())
        if kind == "CN"
        else text
    )


def _instruction(node: _Element) -> str:
    return str(getattr(node, "target", ""))


def _attribute(instruction: _Element, name: str) -> str:
    found = re.search(rf'(?<![\w.]){name}\s*=\s*["\']([^"\']*)', instruction.text or "")
    return found.group(1) if found else ""


def _under_table(note: _Element) -> bool:
    parent = note.getparent()
    return parent is not None and parent.tag == "GR.NOTES"


def _enclosing_articles(root: _Element) -> set[_Element]:
    """Find the groups, such as the chapters of an annexed statute, that hold articles of this act."""
    found: set[_Element] = set()
    for article in root.iter("ARTICLE"):
        above = list(article.iterancestors())
        if not any(element.tag in _QUOTED for element in above):
            found.update(element for element in above if element.tag == "GR.SEQ")
    return found
