"""Read a PDF with a text layer: characters to words, rows, columns, lines, and last to paragraphs.

A PDF knows where each character stands and nothing else, so everything here is geometry, measured in the type
size of the text ("em") and never in points: the pages of fifty years have no other measure in common. Page
furniture and footnotes cut paragraphs in two; both are taken out before the lines are joined again.
"""

from __future__ import annotations

import ctypes
import math
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from lexlattice.errors import MissingExtraError, ReadingError
from lexlattice.reading.blocks import Block, Document, Role, squeeze

MAX_PAGES = 5_000
CHARACTERS_OF_A_SCAN = 25  # per page: stamps and page numbers, but no text

_PDFIUM = threading.Lock()  # pdfium is not safe to use from two threads at once
_LINE_END_HYPHEN = "\x02"  # what pdfium gives for "-" and for a soft hyphen before a line break
_DATE = r"(?:\d{1,2}\. ?\d{1,2}\. ?\d{2,4}|\d{4}[. ] ?\d{1,2}[. ] ?\d{1,2})\.?"
_JOURNAL_PAGE = r"(?:\S{1,6} )?[LC] ?\d{1,3} ?[A-Z]?/\d{1,4}"
_FURNITURE = re.compile(
    rf"{_JOURNAL_PAGE} .*{_DATE}|{_DATE} .*{_JOURNAL_PAGE}"  # L 119/2 EN Official Journal … 4.5.2016
    rf"|(?:[A-Z]{{2}} )?\S{{1,10}} [LC]\b.{{0,12}}{_DATE}.{{0,4}}(?: [A-Z]{{2}})?"  # OJ L, 12.7.2024 EN
    rf"|\d{{4}}/\d+ {_DATE}|{_DATE} \d{{4}}/\d+"  # 2024/1689 12.7.2024
    r"|(?:\d+/\d+ )ELI: ?\S+|ELI: ?\S+ \d+/\d+"  # ELI: http://data.europa.eu/eli/reg/2024/1689/oj 1/144
)
_PAGE_NUMBER = re.compile(r"[-–— ]*\d{1,4}[-–— ]*|[A-Z]{2}")  # or the language of the issue: EN
_MARKER = re.compile(r"\d{1,3}[a-z]?[.)]|\(\d{1,3}[a-z]?\)|\(?[^\W\d_]{1,4}\)|[—–•·-]")
_NOTE_MARKER = re.compile(r"\( ?(\d{1,3}|\*+) ?\)|(\d{1,3}|\*+) ")
_SPACED_REFERENCE = re.compile(r"\( (\d{1,3}|\*+) \)")  # the raised figure of "(1)" stands apart
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(slots=True)
class Word:
    """Characters without a blank between them, on one baseline `y`, turned upright."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool
    apart: bool  # a blank precedes it, so that it is never glued to its neighbour


@dataclass(slots=True)
class Frame:
    """The edges of one column of one page; the lines of a page's column share one object."""

    left: float = math.inf
    right: float = -math.inf


class Line:
    """Words of one column on one baseline, from left to right."""

    def __init__(self, words: list[Word], frame: Frame | None = None) -> None:
        self.words = sorted(words, key=lambda word: word.x0)
        self.frame = frame or Frame()
        self.x0, self.x1 = self.words[0].x0, max(word.x1 for word in words)
        weights: Counter[tuple[float, float]] = Counter()
        for word in words:
            weights[word.size, word.y] += len(word.text)
        self.size, self.y = weights.most_common(1)[0][0]
        self.bold = all(word.bold for word in words)

    @cached_property
    def cells(self) -> list[str]:
        """The text, cut where the space is wider than any justified line would have it."""
        cells, marked = [self.words[0].text], self.marked
        for before, word in zip(self.words, self.words[1:], strict=False):
            gap = word.x0 - before.x1
            if gap > 2.5 * self.size and not marked:
                cells.append(word.text)
            else:
                cells[-1] += (" " if word.apart or gap > 0.12 * self.size else "") + word.text
            marked = marked and _MARKER.fullmatch(word.text) is not None  # "1.   (a)   the text"
        return [_SPACED_REFERENCE.sub(r"(\1)", cell) for cell in cells]

    @property
    def text(self) -> str:
        return " ".join(self.cells)

    @property
    def marked(self) -> bool:
        """Whether a list marker leads the line; a raised "(1)" is a reference to a footnote instead."""
        return self.words[0].size > 0.9 * self.size and _MARKER.fullmatch(self.words[0].text) is not None

    @property
    def text_x0(self) -> float:
        """Where the text after the marker begins."""
        return self.words[1].x0 if self.marked and len(self.words) > 1 else self.x0

    @property
    def centred(self) -> bool:
        before, after = self.x0 - self.frame.left, self.frame.right - self.x1
        return before > self.size and abs(before - after) < 2 * self.size

    def leaves_room_for(self, word: Word) -> bool:
        """Whether the word would still have fitted, so that the line was ended on purpose."""
        return self.frame.right - self.x1 > (word.x1 - word.x0) + 0.7 * self.size


def read_pdf(data: bytes) -> Document:
    """Read the bytes of a PDF that has a text layer."""
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtraError("Reading PDF", "pdf") from None
    with _PDFIUM:
        try:
            pages, warnings = _extract(pypdfium2, data)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                problem = "is encrypted; remove the password and try again."
            else:
                problem = "is damaged or no PDF at all; download it again."
            raise ReadingError(f"The PDF {problem}") from None
    characters = sum(len(word.text) for words in pages for word in words)
    if characters < CHARACTERS_OF_A_SCAN * len(pages):
        raise ReadingError("The PDF has no text layer (a scan?); run OCR on it first.")
    rows = [_rows(words) for words in pages]
    furniture = _furniture(rows)
    columns = [_lines(page[top : len(page) - bottom]) for page, (top, bottom) in zip(rows, furniture, strict=True)]
    lines = [line for page in columns for line in page]
    _measure(columns)
    pitches, hyphens = _pitches(lines), Hyphens(lines)
    body_size = _common_size(lines)
    blocks: list[Block] = []
    notes: list[list[Line]] = []
    pending: list[Block] = []  # furniture, held back until the paragraph that crosses the page is complete
    paragraph: list[Line] = []
    for page, body, (top, bottom) in zip(rows, columns, furniture, strict=True):
        pending += [Block(row.text, Role.PAGE) for row in page[:top]]
        for line in _without_notes(body, body_size, notes):
            if paragraph and not _continues(paragraph, line, pitches):
                blocks.append(_block(paragraph, hyphens))
                paragraph = []
            if not paragraph:
                blocks += pending
                pending = []
            paragraph.append(line)
        pending += [Block(row.text, Role.PAGE) for row in page[len(page) - bottom :]]
    if paragraph:
        blocks.append(_block(paragraph, hyphens))
    blocks += pending + [Block(hyphens.join(note), Role.NOTE) for note in notes]
    return Document(blocks, "pdf", warnings=warnings)
