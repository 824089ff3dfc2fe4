"""Characters of a PDF to words and lines.

`extract_pages` reads the characters that pdfium reports, turned upright, and the rules drawn on each page; `rows_of`
gathers words into lines over the whole width of the page.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from lexlattice.act.remarks import Remark
from lexlattice.errors import ReadingError

MAX_PAGES = 5_000
MAX_OBJECTS = 20_000  # per page: no page of an act has as many, but a map may

_FORCE_BOLD = 1 << 18
BROKEN_WORD = "\x02"  # what pdfium returns for a hyphen or soft hyphen before a line break

_MARKER = re.compile(r"\d{1,3}[a-z]?[.)]|\(\d{1,3}[a-z]?\)|\(?[^\W\d_]{1,4}\)|[ivx]{1,4}\.|[—–•·-]")
_NOTE_FIGURE = re.compile(r"\(?(\d{1,3}|\*+)\)?")
_SPACED_REFERENCE = re.compile(r"\( ?(\d{1,3}|\*+) ?\)")  # the raised figure of "(1)" is separated from the brackets


@dataclass(slots=True)
class Word:
    """Characters without a space between them, on one baseline `y`, turned upright."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    apart: bool  # preceded by a space, so never joined to its neighbour


@dataclass(slots=True)
class Frame:
    """The edges of a column of a page; all its lines share one object."""

    kind: str
    left: float = 0.0
    right: float = 0.0


class Cell(NamedTuple):
    """The text between two wide spaces of a line."""

    text: str
    x0: float
    x1: float


class Line:
    """Words of one column on one baseline, from left to right."""

    def __init__(self, words: list[Word], frame: Frame | None = None) -> None:
        self.words = sorted(words, key=lambda word: word.x0)
        self.gaps = [word.x0 - before.x1 for before, word in pairwise(self.words)]
        self.frame = frame or Frame("full")
        self.x0, self.x1 = self.words[0].x0, max(word.x1 for word in words)
        weights: Counter[tuple[float, float]] = Counter()
        for word in words:
            weights[word.size, word.y] += len(word.text)
        self.size, self.y = weights.most_common(1)[0][0]
        self.bold = all(word.bold for word in words)

    @cached_property
    def blanks(self) -> list[bool]:
        """Whether each gap is a space; the gaps that pdfium adds around raised figures are not."""
        return [
            gap > 0.12 * self.size or (word.apart and word.size == before.size)
            for gap, (before, word) in zip(self.gaps, pairwise(self.words), strict=True)
        ]

    @property
    def start(self) -> float:
        """The width of the text before the first space."""
        return self.words[[*self.blanks, True].index(True)].x1 - self.x0

    @cached_property
    def fields(self) -> list[Cell]:
        """The text, cut at the wide spaces of a table; those after list markers or of justified text do not count."""
        first, marked = self.words[0], self.marked
        cells, edges = [[first.text]], [(first.x0, first.x1)]
        for gap, blank, word in zip(self.gaps, self.blanks, self.words[1:], strict=True):
            if gap > 2.5 * self.size and not marked and not self.justified:
                cells.append([])
                edges.append((word.x0, word.x1))
            elif blank:
                cells[-1].append(" ")
            cells[-1].append(word.text)
            edges[-1] = edges[-1][0], max(edges[-1][1], word.x1)
            marked = marked and _MARKER.fullmatch(word.text) is not None  # "1.   (a)   the text"
        texts = (_SPACED_REFERENCE.sub(r"(\1)", "".join(cell)) for cell in cells)
        return [Cell(text, *edge) for text, edge in zip(texts, edges, strict=True)]

    @cached_property
    def cells(self) -> list[str]:
        """The texts of the cells; a single one if there is no wide space."""
        return [cell.text for cell in self.fields]

    @cached_property
    def text(self) -> str:
        """The cells, joined by spaces."""
        return " ".join(self.cells)

    @cached_property
    def marked(self) -> bool:
        """Whether the line begins with a list marker; a small "(1)" is a reference to a footnote instead."""
        first = self.words[0]
        is_reference = first.size < 0.9 * self.size and any(map(str.isdigit, first.text))
        return not is_reference and _MARKER.fullmatch(first.text) is not None

    @property
    def tabbed(self) -> bool:
        """Whether the space after the marker is wider than the next one."""
        next_gap = self.gaps[1] if self.gaps[1:] else 0.4 * self.size
        return bool(self.gaps) and self.gaps[0] > 1.5 * next_gap

    @property
    def justified(self) -> bool:
        """Whether all spaces have the same width, as in justified text."""
        gaps = self.gaps[self.marked :]
        if len(gaps) == 1:
            return abs(self.frame.right - self.x1) < 0.1 * self.size
        return bool(gaps) and max(gaps) - min(gaps) < 0.25 * self.size

    @property
    def centred(self) -> bool:
        """Whether the margins on both sides are equal."""
        before, after = self.x0 - self.frame.left, self.frame.right - self.x1
        return before > 2 * self.size and abs(before - after) < 2 * self.size

    def leaves_room_for(self, line: Line, edge: float) -> bool:
        """Whether the first word of the next line would have fitted on this one, so that a paragraph ends here."""
        both_sides = self.centred and self.frame is line.frame and abs(self.x0 - line.x0) > self.size
        return (edge - self.x1) * (1 + both_sides) > line.start + 0.7 * self.size


class Rule(NamedTuple):
    """A horizontal line drawn on a page."""

    x0: float
    x1: float
    y: float


class Page(NamedTuple):
    """The text of a page in one direction."""

    words: list[Word]
    rules: list[Rule]


def extract_pages(pypdfium2: Any, data: bytes) -> tuple[list[Page], list[str]]:
    """Return the pages and warnings; a page with text in several directions counts as several pages."""
    pages: list[Page] = []
    warnings: list[str] = []
    pdf = pypdfium2.PdfDocument(data)
    try:
        if not 0 < len(pdf) <= MAX_PAGES:
            raise ReadingError(f"The PDF has {len(pdf):,} pages; it can have 1 to {MAX_PAGES:,}.", code="damaged")
        for number in range(len(pdf)):
            try:
                page = pdf[number]
                text = page.get_textpage()
            except pypdfium2.PdfiumError:
                if len(pdf) == 1:
                    raise
                pages.append(Page([], []))
                remark = f"Page {number + 1} of the PDF is damaged and was skipped."
                warnings.append(Remark("page-damaged", remark, page=number + 1))
                continue
            directions = _directions(pypdfium2.raw, page, text)
            if not directions and pypdfium2.raw.FPDFPage_CountObjects(page) > 0:
                remark = f"Page {number + 1} of the PDF has no text layer and was skipped."
                warnings.append(Remark("page-without-text", remark, page=number + 1))
            pages += directions or [Page([], [])]
            text.close()
            page.close()
    finally:
        pdf.close()
    return pages, warnings


def _directions(raw: Any, page: Any, text: Any) -> list[Page]:
    """Split a page by the direction of its text, the most frequent direction first."""
    words = sorted(_words(raw, text).items(), key=lambda item: len(item[1]), reverse=True)
    return [Page(found, [] if turn else _rules(raw, page)) for turn, found in words]


def _rules(raw: Any, page: Any) -> list[Rule]:
    """Return the horizontal rules drawn on a page."""
    rules: list[Rule] = []
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for i in range(min(raw.FPDFPage_CountObjects(page), MAX_OBJECTS)):
        shape = raw.FPDFPage_GetObject(page, i)
        is_path = raw.FPDFPageObj_GetType(shape) == raw.FPDF_PAGEOBJ_PATH
        if not is_path or not raw.FPDFPageObj_GetBounds(shape, left, bottom, right, top):
            continue
        if top.value - bottom.value < 0.05 * (right.value - left.value):
            rules.append(Rule(left.value, right.value, bottom.value))
    return rules


def _words(raw: Any, page: Any) -> dict[int, list[Word]]:
    """Return the words of a page by the direction of their text, in degrees."""
    directions: defaultdict[int, list[Word]] = defaultdict(list)
    x, y, flags = ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
    box, matrix, name = raw.FS_RECTF(), raw.FS_MATRIX(), ctypes.create_string_buffer(128)
    word: Word | None = None
    apart, cos, sin, high = True, 1.0, 0.0, 0

    def upright() -> tuple[float, float, float]:
        """Left edge, right edge and baseline of the current character after rotation."""
        ends = sorted((box.left * cos + box.bottom * sin, box.right * cos + box.top * sin))
        place = (*ends, y.value * cos - x.value * sin)
        return place if all(map(math.isfinite, place)) else (0.0, 0.0, 0.0)

    for i in range(raw.FPDFText_CountChars(page)):
        code = raw.FPDFText_GetUnicode(page, i)
        if 0xD800 <= code < 0xDC00:  # on 16-bit platforms, rare characters come as surrogate pairs
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((high & 0x3FF) << 10) + (code & 0x3FF)
        char = chr(code)
        if char.isspace():
            word, apart = None, True
            continue
        if code < 0x20 and char != BROKEN_WORD:
            char = "\ufffd"  # a glyph without a Unicode value in the file
        raw.FPDFText_GetCharOrigin(page, i, x, y)
        raw.FPDFText_GetLooseCharBox(page, i, box)
        if word is not None:
            x0, x1, baseline = upright()
            near = -word.size < x0 - word.x1 < 0.25 * word.size
            if near and abs(baseline - word.y) < 0.1 * word.size:
                word.text += char
                word.x1 = max(word.x1, x1)
                continue
        raw.FPDFText_GetMatrix(page, i, matrix)
        raw.FPDFText_GetFontInfo(page, i, name, 128, flags)
        angle = math.degrees(math.atan2(matrix.b, matrix.a))
        turn = round(angle / 15) * 15 % 360 if math.isfinite(angle) else 0  # rounded, since scans are slightly skewed
        cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        x0, x1, baseline = upright()
        size = round(abs(raw.FPDFText_GetFontSize(page, i)) * math.hypot(matrix.c, matrix.d), 1)
        bold = b"bold" in name.value.lower() or bool(flags.value & _FORCE_BOLD)
        word = Word(char, x0, x1, baseline, size if 0 < size < math.inf else 1.0, bold, apart)
        apart = False
        directions[turn].append(word)
    return directions


def rows_of(words: list[Word]) -> list[Line]:
    """Gather words side by side into lines over the whole width, from the top of the page to its bottom."""
    _level(words)
    return [Line(band) for band in _bands(words)]


def _bands(words: list[Word]) -> list[list[Word]]:
    """Group words of about the same height."""
    bands: list[list[Word]] = []
    for word in sorted(words, key=lambda word: -word.y):
        if bands and bands[-1][0].y - word.y <= 0.45 * max(word.size, bands[-1][0].size):
            bands[-1].append(word)
        else:
            bands.append([word])
    return bands


def _level(words: list[Word]) -> None:
    """Move raised and lowered figures to the baseline of the larger word beside them.

    Otherwise they would become part of the row at their height in the next column.
    """
    bands = _bands(words)
    for above, band, below in zip([[], *bands], bands, [*bands[1:], []], strict=False):
        largest = max(word.size for word in above + band + below)
        figures = {id(word) for word in band if word.size < 0.85 * largest}
        near = sorted(above + band + below, key=lambda word: word.x0) if figures else []
        end, height, drop = -math.inf, 0.0, 0.0
        for i, word in enumerate(near):
            if id(word) in figures:
                # Otherwise it continues the previous figure, as in "(1) (2)".
                if word.x0 - end > 0.8 * word.size or word.y != height:
                    drop = min(_drop(word, host) for host in near[max(0, i - 9) : i + 10])[1]
                end, height = word.x1, word.y
                word.y -= drop


def _drop(word: Word, host: Word) -> tuple[float, float]:
    """Return the distance of a figure from the word it may belong to, and its height above the baseline."""
    gap, rise = max(host.x0 - word.x1, word.x0 - host.x1), word.y - host.y
    reach = 2.5 if host.x0 > word.x0 and _NOTE_FIGURE.fullmatch(word.text) else 0.8  # "1   OJ L 12, …"
    belongs = (
        word.size < 0.85 * host.size
        and -0.5 * word.size < gap < reach * host.size
        and -0.4 * host.size < rise < 0.7 * host.size
    )
    return (gap, rise) if belongs else (math.inf, 0.0)
