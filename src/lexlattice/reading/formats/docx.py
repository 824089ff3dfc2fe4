"""DOCX: the text that a reader sees in Word, with the numbers that Word computes (see `docx_numbering`).

python-docx opens the package; the XML is walked here, because its model lacks what matters most in acts: automatic
numbering, footnotes, tracked changes and text boxes.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from lexlattice.errors import MissingExtraError, ReadingError
from lexlattice.reading.formats.archives import check_sizes
from lexlattice.reading.formats.blocks import Block, Document, Role, squeeze
from lexlattice.reading.formats.completeness import missing_warning
from lexlattice.reading.formats.docx_numbering import Numbering, W, children, find, is_on, value
from lexlattice.reading.formats.tables import MAX_COLUMNS, Table, joined
from lexlattice.reading.languages.numbering import to_roman

_LARGE_PART = 10_000_000  # bytes: smaller parts do no harm, whatever their compression ratio

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")  # the container of encrypted DOCX files, and of old .doc files
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATHS = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_PARTS = ("styles", "numbering", "footnotes", "endnotes")

_SIGNS = {f"{W}tab": " ", f"{W}ptab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
_UNSEEN = {W + name for name in ("pPr", "rPr", "sdtPr", "del", "moveFrom", "delText", "instrText", "delInstrText")}
_WRAPPERS = {W + name for name in ("sdt", "sdtContent", "customXml", "smartTag", "ins", "moveTo")}
_NAMESPACES = {"w": W[1:-1], "m": _MATHS[1:-1], "mc": _MC[1:-1]}
_OFF = "@w:val='0' or @w:val='false' or @w:val='off'"
_VISIBLE_TEXT = f"""(.//w:t|.//m:t)[not(ancestor::w:del or ancestor::w:moveFrom or ancestor::w:tr/w:trPr/w:del
    or ancestor::w:r/w:rPr/w:vanish[not({_OFF})] or ancestor::*[parent::mc:AlternateContent][preceding-sibling::*]
    or ancestor::w:tc/w:tcPr/w:vMerge[not(@w:val='restart')])]/text()"""
"""All text but what was deleted or hidden, copies for older versions, and cells that another one covers."""
_MARKER = re.compile(r"\(?\w{1,5}\)|\d{1,3}[a-z]?\.|[—–•·-]")


def read_docx(data: bytes) -> Document:
    """Read a Word document.

    Raises:
        ReadingError: The file is damaged, encrypted or harmful.
        MissingExtraError: python-docx is not installed.
    """
    try:
        import docx
        from docx.oxml import parse_xml
    except ImportError:
        raise MissingExtraError("Reading DOCX", "docx") from None
    _check_package(data)
    try:
        package = docx.Document(io.BytesIO(data)).part
        body = package.element.body
        named = {link.reltype.rpartition("/")[2]: link for link in package.rels.values() if not link.is_external}
        parts = {name: parse_xml(named[name].target_part.blob) for name in _PARTS if name in named}
        references = body.iter(f"{W}headerReference", f"{W}footerReference")
        identifiers = dict.fromkeys(reference.get(f"{_R}id") for reference in references)
        edges = [parse_xml(package.rels[identifier].target_part.blob) for identifier in identifiers]
    except Exception:  # zipfile, lxml and python-docx raise many kinds of errors on damaged packages
        raise ReadingError(
            "The file is damaged, or not a DOCX; open it in Word and save it again.", code="damaged"
        ) from None
    if any(root.getroottree().docinfo.doctype for root in (package.element, *parts.values(), *edges)):
        raise ReadingError("The DOCX declares XML entities, which are not accepted.", code="unsafe")
    reader = _Reader(parts)
    pages = [Block(block.text, Role.PAGE) for edge in edges for block in reader.blocks(edge)]
    blocks = [*pages, *reader.blocks(body), *reader.notes(parts)]
    shown = [*edges, body, *(parts[name] for name in ("footnotes", "endnotes") if name in parts)]
    return Document(blocks, "docx", warnings=missing_warning(_text_of(shown), blocks))


def _text_of(parts: Iterable[Any]) -> str:
    """Return the text of parts that Word shows, found without walking through paragraphs, tables and notes."""
    from lxml import etree

    pieces: Any = etree.XPath(_VISIBLE_TEXT, namespaces=_NAMESPACES)
    return "".join(str(piece) for part in parts for piece in pieces(part))


def _check_package(data: bytes) -> None:
    """Check the sizes that the package declares, before anything is unpacked."""
    if data.startswith(_OLE):
        raise ReadingError(
            "The file is encrypted, or an old .doc; save it as DOCX without a password.", code="encrypted"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            members = package.infolist()
    except Exception:  # zipfile raises many kinds of errors on damaged input
        raise ReadingError("The file is not a DOCX; open it in Word and save it again.", code="damaged") from None
    check_sizes(members, "DOCX", _LARGE_PART)


class _Reader:
    """Walks the parts of a document and turns the visible text into blocks."""

    def __init__(self, parts: dict[str, Any]) -> None:
        self.styles = {style.get(f"{W}styleId"): style for style in children(parts.get("styles"), "style")}
        self.numbering = Numbering(parts.get("numbering"), self.styles)
        self.note_numbers: dict[tuple[str, str], str] = {}  # (kind, id) → the number that Word shows
        self.note_counts: Counter[str] = Counter()
        self.tables_read = 0
        self.boxes: list[Any] = []  # text boxes of the current paragraph
        self.pending = ""  # text of a paragraph that a tracked change joins with the next one

    def blocks(self, parent: Any) -> Iterator[Block]:
        """Yield the blocks of any element that contains paragraphs and tables."""
        for child in parent:
            if child.tag == f"{W}p":
                yield from self._paragraph(child)
            elif child.tag == f"{W}tbl":
                yield from self._table(child)
            elif child.tag in _WRAPPERS:
                yield from self.blocks(child)
            elif child.tag == f"{_MC}AlternateContent":
                yield from self.blocks(_chosen(child))
        if self.pending:
            text, self.pending = squeeze(self.pending), ""
            yield Block(text)

    def _paragraph(self, paragraph: Any) -> Iterator[Block]:
        text = self.pending + "".join(self._inline(paragraph))
        boxes, self.boxes, self.pending = self.boxes, [], ""
        if find(paragraph, "pPr", "rPr", "del") is not None:
            self.pending = text
        else:
            role, marker = self._role(paragraph), self.numbering.marker(paragraph)
            lines = [line for line in map(squeeze, text.split("\n")) if line]
            if re.search(r"[^\W\d_]{3}", marker) or not lines:  # "Article 5" is a separate line
                lines.insert(0, marker)
            elif marker:
                lines[0] = f"{marker} {lines[0]}"
            yield from (Block(line, role) for line in lines if line)
        for box in boxes:
            yield from self.blocks(box)

    def _role(self, paragraph: Any) -> Role | None:
        style = self.styles.get(value(find(paragraph, "pPr", "pStyle")))
        name = value(find(style, "name")).lower()
        if name == "title":
            return Role.TITLE
        return Role.CONTENTS if name.startswith("toc ") else None

    def _inline(self, node: Any) -> Iterator[str]:
        """Yield the text inside a paragraph in pieces, with its line breaks."""
        for child in node:
            tag = child.tag
            if tag in (f"{W}t", f"{_MATHS}t"):
                yield child.text or ""
            elif tag in _SIGNS:
                yield _SIGNS[tag]
            elif tag == f"{W}sym":
                yield _symbol(child.get(f"{W}char", ""))
            elif tag in (f"{W}footnoteReference", f"{W}endnoteReference"):
                yield self._note_reference(child)
            elif tag == f"{W}txbxContent":
                self.boxes.append(child)
            elif tag == f"{_MC}AlternateContent":
                yield from self._inline(_chosen(child))
            elif isinstance(tag, str) and tag not in _UNSEEN and not is_on(find(child, "rPr", "vanish")):
                yield from self._inline(child)

    def _note_reference(self, reference: Any) -> str:
        kind = "footnote" if reference.tag == f"{W}footnoteReference" else "endnote"
        key = kind, reference.get(f"{W}id", "")
        if reference.get(f"{W}customMarkFollows") in ("1", "true", "on"):
            self.note_numbers.setdefault(key, "")
            return " "
        if key not in self.note_numbers:
            self.note_counts[kind] += 1
            number = self.note_counts[kind]
            self.note_numbers[key] = f"({number})" if kind == "footnote" else f"({to_roman(number)})"
        return f" {self.note_numbers[key]}"

    def notes(self, parts: dict[str, Any]) -> Iterator[Block]:
        """Yield the notes that the text refers to, in the order of their numbers."""
        for kind in ("footnote", "endnote"):
            notes = {note.get(f"{W}id", ""): note for note in children(parts.get(f"{kind}s"), kind)}
            for (other, identifier), shown in list(self.note_numbers.items()):
                if other == kind and identifier in notes:
                    text = " ".join(block.text for block in self.blocks(notes[identifier]))
                    yield Block(squeeze(f"{shown} {text}"), Role.NOTE)

    def _table(self, table: Any) -> Iterator[Block]:
        """Yield a table as rows, but a list arranged as a table as a list, and a single column as text."""
        self.tables_read += 1
        grid = Table(self.tables_read)
        for row in _rows(table):
            grid.begin_row()
            for skipped in range(_span(find(row, "trPr", "gridBefore"))):
                grid.add([], skipped + 1)
            for cell in _cells(row):
                grid.add(list(self._cell(cell)), across=_span(find(cell, "tcPr", "gridSpan")))
        width = max(map(len, grid.rows), default=0)
        leads = [joined(row[0]) for row in grid.rows if row]
        is_list = width == 2 and any(leads) and all(not lead or _MARKER.fullmatch(lead) for lead in leads)
        if is_list or width == 1:
            yield from (block for row in grid.rows for cell in row for block in cell)
        else:
            yield from grid.as_rows()

    def _cell(self, cell: Any) -> Iterable[Block]:
        merged = find(cell, "tcPr", "vMerge")
        continues = merged is not None and value(merged) != "restart"
        return () if continues else self.blocks(cell)


def _span(element: Any) -> int:
    """Return the number of columns that an element states."""
    stated = value(element)
    return min(int(stated), MAX_COLUMNS) if re.fullmatch("[0-9]{1,6}", stated) else 0


def _symbol(code: str) -> str:
    """Return a character of a symbol font; almost all in the private-use area are bullets."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    return "•" if 0xE000 <= number < 0xF900 else chr(number) if 0x20 <= number < 0xD800 else ""


def _rows(table: Any) -> Iterator[Any]:
    for child in table:
        if child.tag == f"{W}tr" and find(child, "trPr", "del") is None:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _rows(child)


def _cells(row: Any) -> Iterator[Any]:
    for child in row:
        if child.tag == f"{W}tc":
            yield child
        elif child.tag in _WRAPPERS:
            yield from _cells(child)


def _chosen(alternatives: Any) -> Any:
    """Return the first of the alternatives that Word writes for its newer and older versions."""
    return next(iter(alternatives), ())
