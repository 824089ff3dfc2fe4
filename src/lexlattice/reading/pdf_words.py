"""Characters of a PDF to words: what pdfium sees on each page, turned upright, and the rules drawn there."""

from __future__ import annotations

import ctypes
import math
from collections import defaultdict
from typing import Any, NamedTuple

from lexlattice.errors import ReadingError
from lexlattice.reading.pdf_lines import BROKEN_WORD, Word

MAX_PAGES = 5_000
MAX_OBJECTS = 20_000  # of a page: an act has not as many, a map may

_FORCE_BOLD = 1 << 18


class Rule(NamedTuple):
    """A horizontal line drawn on a page."""

    x0: float
    x1: float
    y: float


class Page(NamedTuple):
    """What is seen on a page in one direction of text."""

    words: list[Word]
    rules: list[Rule]


def extract_pages(pypdfium2: Any, data: bytes) -> tuple[list[Page], list[str]]:
    """Give each page; a page with text in several directions counts as several pages."""
    pages: list[Page] = []
    warnings: list[str] = []
    pdf = pypdfium2.PdfDocument(data)
    try:
        if not 0 < len(pdf) <= MAX_PAGES:
            raise ReadingError(f"The PDF has {len(pdf):,} pages; it can have 1 to {MAX_PAGES:,}.")
        for number in range(len(pdf)):
            try:
                page = pdf[number]
                text = page.get_textpage()
            except pypdfium2.PdfiumError:
                if len(pdf) == 1:
                    raise
                pages.append(Page([], []))
                warnings.append(f"Page {number + 1} of the PDF is damaged and was left out.")
                continue
            directions = _directions(pypdfium2.raw, page, text)
            if not directions and pypdfium2.raw.FPDFPage_CountObjects(page) > 0:
                warnings.append(f"Page {number + 1} of the PDF has no text layer and was left out.")
            pages += directions or [Page([], [])]
            text.close()
            page.close()
    finally:
        pdf.close()
    return pages, warnings


def _directions(raw: Any, page: Any, text: Any) -> list[Page]:
    """Take a page apart by the direction of its text, the most frequent direction first."""
    words = sorted(_words(raw, text).items(), key=lambda item: len(item[1]), reverse=True)
    return [Page(found, [] if turn else _rules(raw, page)) for turn, found in words]


def _rules(raw: Any, page: Any) -> list[Rule]:
    """Find the horizontal rules drawn on a page."""
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
    """Gather the words of a page by the direction of their text, in degrees."""
    directions: defaultdict[int, list[Word]] = defaultdict(list)
    x, y, flags = ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
    box, matrix, name = raw.FS_RECTF(), raw.FS_MATRIX(), ctypes.create_string_buffer(128)
    word: Word | None = None
    apart, cos, sin, high = True, 1.0, 0.0, 0

    def upright() -> tuple[float, float, float]:
        ends = sorted((box.left * cos + box.bottom * sin, box.right * cos + box.top * sin))
        place = (*ends, y.value * cos - x.value * sin)
        return place if all(map(math.isfinite, place)) else (0.0, 0.0, 0.0)

    for i in range(raw.FPDFText_CountChars(page)):
        code = raw.FPDFText_GetUnicode(page, i)
        if 0xD800 <= code < 0xDC00:  # where characters have 16 bits, the rare ones come in two parts
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((high & 0x3FF) << 10) + (code & 0x3FF)
        char = chr(code)
        if char.isspace():
            word, apart = None, True
            continue
        if code < 0x20 and char != BROKEN_WORD:
            char = "\ufffd"  # a glyph whose meaning the file does not tell
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
        turn = round(angle / 15) * 15 % 360 if math.isfinite(angle) else 0  # scans lean a little
        cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        x0, x1, baseline = upright()
        size = round(abs(raw.FPDFText_GetFontSize(page, i)) * math.hypot(matrix.c, matrix.d), 1)
        bold = b"bold" in name.value.lower() or bool(flags.value & _FORCE_BOLD)
        word = Word(char, x0, x1, baseline, size if 0 < size < math.inf else 1.0, bold, apart)
        apart = False
        directions[turn].append(word)
    return directions
