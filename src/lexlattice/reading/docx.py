"""Read a DOCX: the text a reader sees in Word, with the numbers that Word computes and does not store.

python-docx opens the package; the XML is walked here, because what an act needs most (automatic numbering,
footnotes, tracked changes, text boxes) has no place in python-docx's own model.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from lexlattice.errors import MissingExtraError, ReadingError
from lexlattice.reading.blocks import Block, Document, Role, squeeze

MAX_UNPACKED = 200_000_000  # bytes: no act comes near it
MAX_RATIO = 200  # of unpacked to packed size, for parts large enough to do harm
LARGE_PART = 10_000_000

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # the container of encrypted DOCX files, and of old .doc files
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_VAL = f"{_W}val"
_PARTS = ("styles", "numbering", "footnotes", "endnotes")

_SIGNS = {f"{_W}tab": " ", f"{_W}ptab": " ", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
_UNSEEN = {
    _W + name for name in ("pPr", "rPr", "sdtPr", "del", "moveFrom", "delText", "instrText", "delInstrText")
}
_WRAPPERS = {_W + name for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")}
_MARKER = re.compile(r"\(?\w{1,5}\)|\d{1,3}[a-z]?\.|[—–•·-]")
_LETTERS = {
    "lowerLetter": ascii_lowercase,
    "upperLetter": ascii_uppercase,
    "russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя",
    "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
}


def read_docx(data: bytes) -> Document:
    """Read the bytes of a Word document."""
    try:
        import docx
        from docx.oxml import parse_xml
    except ImportError:
        raise MissingExtraError("Reading DOCX", "docx") from None
    _refuse_harmful(data)
    try:
        package = docx.Document(io.BytesIO(data)).part
        body = package.element.body
        named = {
            link.reltype.rpartition("/")[2]: link for link in package.rels.values() if not link.is_external
        }
        parts = {name: parse_xml(named[name].target_part.blob) for name in _PARTS if name in named}
        references = body.iter(f"{_W}headerReference", f"{_W}footerReference")
        identifiers = dict.fromkeys(reference.get(f"{_R}id") for reference in references)
        edges = [parse_xml(package.rels[identifier].target_part.blob) for identifier in identifiers]
    except Exception:  # whatever a broken package makes zipfile, lxml or python-docx trip over
        raise ReadingError("The file is damaged, or not a DOCX; try to open and save it in Word.") from None
    if any(root.getroottree().docinfo.doctype for root in (package.element, *parts.values(), *edges)):
        raise ReadingError("The DOCX declares XML entities, which are not accepted.")
    reader = _Reader(parts)
    pages = [Block(block.text, Role.PAGE) for edge in edges for block in reader.blocks(edge)]
    blocks = list(reader.blocks(body))
    return Document(pages + blocks + list(reader.notes(parts)), "docx")


def _refuse_harmful(data: bytes) -> None:
    """Look at the sizes that the package declares, before anything is unpacked."""
    if data.startswith(_OLE):
        raise ReadingError("The file is encrypted, or an old .doc; save it as DOCX without a password.")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            members = package.infolist()
    except Exception:  # zipfile raises half a dozen kinds of error on broken input
        raise ReadingError("The file is not a DOCX; try to open and save it in Word.") from None
    large = [member for member in members if member.file_size > LARGE_PART]
    if sum(member.file_size for member in members) > MAX_UNPACKED or any(
        member.file_size > MAX_RATIO * member.compress_size for member in large
    ):
        raise ReadingError("The DOCX unpacks to a size that no act has; it may be meant to do harm.")


class _Reader:
    """Walks the parts of a document and turns what is seen into blocks."""

    def __init__(self, parts: dict[str, Any]) -> None:
        self.styles = {style.get(f"{_W}styleId"): style for style in _children(parts.get("styles"), "style")}
        self.numbering = _Numbering(parts.get("numbering"), self.styles)
        self.note_numbers: dict[tuple[str, str], str] = {}  # (kind, id) to the number Word would show
        self.note_counts: Counter[str] = Counter()
        self.boxes: list[Any] = []  # text boxes met inside the paragraph at hand
        self.carried = ""  # text of a paragraph whose end a tracked change deletes

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Give the blocks of anything that holds paragraphs and tables."""
        for child in parent:
            if child.tag == f"{_W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{_W}tbl":
                yield from self._table(child)
            elif child.tag in _WRAPPERS:
                yield from self.blocks(child)
            elif child.tag == f"{_MC}AlternateContent":
                yield from self.blocks(_chosen(child))
        if self.carried:
            text, self.carried = squeeze(self.carried), ""
            yield Block(text)

    def _paragraph(self, paragraph: Any) -> Iterator[Block]:
        text = self.carried + "".join(self._inline(paragraph))
        boxes, self.boxes, self.carried = self.boxes, [], ""
        if _find(paragraph, "pPr", "rPr", "del") is not None:
            self.carried = text
        else:
            role, marker = self._role(paragraph), self.numbering.marker(paragraph)
            lines = [line for line in map(squeeze, text.split("\n")) if line]
            if re.search(r"[^\W\d_]{3}", marker) or not lines:  # "Article 5" is a line of its own
                lines.insert(0, marker)
            elif marker:
                lines[0] = f"{marker} {lines[0]}"
            yield from (Block(line, role) for line in lines if line)
        for box in boxes:
            yield from self.blocks(box)

    def _role(self, paragraph: Any) -> Role | None:
        style = self.styles.get(_value(_find(paragraph, "pPr", "pStyle")))
        name = _value(_find(style, "name")).lower()
        if name == "title":
            return Role.TITLE
        return Role.CONTENTS if name.startswith("toc ") else None

    def _inline(self, node: Any) -> Iterator[str]:
        """Give the text inside a paragraph, in pieces; line breaks as such."""
        for child in node:
            tag = child.tag
            if tag in (f"{_W}t", f"{_MATHS}t"):
                yield child.text or ""
            elif tag in _SIGNS:
                yield _SIGNS[tag]
            elif tag == f"{_W}sym":
                yield _symbol(child.get(f"{_W}char", ""))
            elif tag in (f"{_W}footnoteReference", f"{_W}endnoteReference"):
                yield self._note_reference(child)
            elif tag == f"{_W}txbxContent":
                self.boxes.append(child)
            elif tag == f"{_MC}AlternateContent":
                yield from self._inline(_chosen(child))
            elif isinstance(tag, str) and tag not in _UNSEEN and not _is_on(_find(child, "rPr", "vanish")):
                yield from self._inline(child)

    def _note_reference(self, reference: Any) -> str:
        kind = "footnote" if reference.tag == f"{_W}footnoteReference" else "endnote"
        key = kind, reference.get(f"{_W}id", "")
        if reference.get(f"{_W}customMarkFollows") in ("1", "true", "on"):
            self.note_numbers.setdefault(key, "")
            return " "
        if key not in self.note_numbers:
            self.note_counts[kind] += 1
            number = self.note_counts[kind]
            self.note_numbers[key] = f"({number})" if kind == "footnote" else f"({_roman(number)})"
        return f" {self.note_numbers[key]}"

    def notes(self, parts: dict[str, Any]) -> Iterator[Block]:
        """Give the notes that the text refers to, in the order of their numbers."""
        for kind in ("footnote", "endnote"):
            notes = {note.get(f"{_W}id", ""): note for note in _children(parts.get(f"{kind}s"), kind)}
            for (other, identifier), shown in list(self.note_numbers.items()):
                if other == kind and identifier in notes:
                    text = " ".join(block.text for block in self.blocks(notes[identifier]))
                    yield Block(squeeze(f"{shown} {text}"), Role.NOTE)

    def _table(self, table: Any) -> Iterator[Block]:
        """Give a list that is set as a table as a list, anything in one column as text, all else as rows."""
        rows = [[list(self._cell(cell)) for cell in _cells(row)] for row in _rows(table)]
        width = max(map(len, rows), default=0)
        leads = [" ".join(block.text for block in row[0]) for row in rows if row]
        is_list = width == 2 and any(leads) and all(not lead or _MARKER.fullmatch(lead) for lead in leads)
        for row in rows:
            if is_list or width == 1:
                yield from (block for cell in row for block in cell)
            else:
                texts = [squeeze(" ".join(block.text for block in cell)) for cell in row]
                if any(texts):
                    yield Block("\t".join(texts).rstrip("\t"), Role.TABLE)

    def _cell(self, cell: Any) -> Iterable[Block]:
        merged = _find(cell, "tcPr", "vMerge")
        continues = merged is not None and _value(merged) != "restart"
        return () if continues else self.blocks(cell)


@dataclass(slots=True)
class _Level:
    start: int
    form: str
    text: str
    restarts: bool
    decimal: bool
    style: str


class _Numbering:
    """Counts numbered paragraphs as Word does, in document order."""

    def __init__(self, root: Any, styles: dict[str, Any]) -> None:
        self.styles = styles
        self.abstract = {item.get(f"{_W}abstractNumId"): item for item in _children(root, "abstractNum")}
        self.numbers = {item.get(f"{_W}numId"): item for item in _children(root, "num")}
        self.levels: dict[str, dict[int, _Level]] = {}
        self.counts: dict[str, dict[int, int]] = {}  # by abstract list: several lists may share one count

    def marker(self, paragraph: Any) -> str:
        """Count the paragraph, and give the number or bullet that Word shows before it."""
        style = _value(_find(paragraph, "pPr", "pStyle"))
        number, depth = self._list(paragraph, style)
        if number not in self.numbers:
            return ""
        abstract = self._abstract(number)
        counts = self.counts.setdefault(abstract, {})
        if number not in self.levels:
            self.levels[number] = self._read_levels(number, abstract)
            for override in _children(self.numbers[number], "lvlOverride"):
                start = _find(override, "startOverride")
                if start is not None:
                    counts[_integer(override.get(f"{_W}ilvl"))] = _integer(_value(start)) - 1
        levels = self.levels[number]
        if depth is None:
            depth = next((i for i, level in levels.items() if style and level.style == style), 0)
        if depth not in levels:
            return ""
        counts[depth] = counts.get(depth, levels[depth].start - 1) + 1
        for deeper in [i for i in counts if i > depth and i in levels and levels[i].restarts]:
            del counts[deeper]
        return self._show(levels, depth, counts)

    def _list(self, paragraph: Any, style: str) -> tuple[str, int | None]:
        """Find the list and the level of a paragraph, its own before those of its style."""
        number, depth = "", None
        sources, seen = [paragraph], set()
        while style in self.styles and style not in seen:
            seen.add(style)
            sources.append(self.styles[style])
            style = _value(_find(self.styles[style], "basedOn"))
        for source in sources:
            number = number or _value(_find(source, "pPr", "numPr", "numId"))
            level = _find(source, "pPr", "numPr", "ilvl")
            if depth is None and level is not None:
                depth = _integer(_value(level))
        return number, depth

    def _abstract(self, number: str) -> str:
        abstract = _value(_find(self.numbers[number], "abstractNumId"))
        link = _value(_find(self.abstract.get(abstract), "numStyleLink"))
        linked = _value(_find(self.styles.get(link), "pPr", "numPr", "numId"))
        if linked in self.numbers:
            abstract = _value(_find(self.numbers[linked], "abstractNumId"))
        return abstract

    def _read_levels(self, number: str, abstract: str) -> dict[int, _Level]:
        found = list(_children(self.abstract.get(abstract), "lvl"))
        for override in _children(self.numbers[number], "lvlOverride"):
            found += _children(override, "lvl")
        return {
            _integer(level.get(f"{_W}ilvl")): _Level(
                start=_integer(_value(_find(level, "start")), 1),
                form=_value(_find(level, "numFmt")) or "decimal",
                text=_value(_find(level, "lvlText")),
                restarts=_value(_find(level, "lvlRestart")) != "0",
                decimal=_is_on(_find(level, "isLgl")),
                style=_value(_find(level, "pStyle")),
            )
            for level in found
        }

    def _show(self, levels: dict[int, _Level], depth: int, counts: dict[int, int]) -> str:
        level = levels[depth]
        if level.form == "bullet":
            return level.text if level.text in ("-", "–", "—") else "•" if level.text.strip() else ""

        def count(match: re.Match[str]) -> str:
            i = int(match[1]) - 1
            if i not in levels:
                return ""
            form = "decimal" if level.decimal else levels[i].form
            return _format(counts.get(i, levels[i].start), form)

        return squeeze(re.sub(r"%([1-9])", count, level.text))


def _format(number: int, form: str) -> str:
    """Write a number as a list does.

    >>> [_format(28, form) for form in ("decimal", "lowerLetter", "upperRoman", "none")]
    ['28', 'bb', 'XXVIII', '']
    """
    if form in ("lowerRoman", "upperRoman"):
        return _roman(number) if form == "lowerRoman" else _roman(number).upper()
    letters = _LETTERS.get(form, "")
    if 0 < number <= 10 * len(letters):
        return letters[(number - 1) % len(letters)] * ((number - 1) // len(letters) + 1)
    return "" if form == "none" else str(number)


def _roman(number: int) -> str:
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for value, sign in zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
        strict=True,
    ):
        text += sign * (number // value)
        number %= value
    return text


def _symbol(code: str) -> str:
    """Give a character of a symbol font; those of the private area are nearly all bullets."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return "•" if 0xE000 <= number < 0xF900 else chr(number) if 0x20 <= number < 0xD800 else ""


def _rows(table: Any) -> Iterator[Any]:
    for child in table:
        if child.tag == f"{_W}tr" and _find(child, "trPr", "del") is None:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _rows(child)


def _cells(row: Any) -> Iterator[Any]:
    for child in row:
        if child.tag == f"{_W}tc":
            yield child
        elif child.tag in _WRAPPERS:
            yield from _cells(child)


def _chosen(alternatives: Any) -> Any:
    """Give the first of several renderings of the same thing, which Word repeats for older versions."""
    return next(iter(alternatives), ())


def _children(node: Any, name: str) -> list[Any]:
    return [] if node is None else node.findall(_W + name)


def _find(node: Any, *path: str) -> Any:
    for name in path:
        node = None if node is None else node.find(_W + name)
    return node


def _value(node: Any) -> str:
    return "" if node is None else node.get(_VAL) or ""


def _is_on(node: Any) -> bool:
    return node is not None and node.get(_VAL, "1") not in ("0", "false", "off")


def _integer(text: str | None, default: int = 0) -> int:
    try:
        return int(text or "")
    except ValueError:
        return default
