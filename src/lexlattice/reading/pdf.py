"""Read a PDF with a text layer: characters to words, rows, columns, lines, and last to paragraphs.

A PDF says where each character stands and nothing else, so everything here is geometry, measured in the type
size of the text ("em") and never in points: the pages of fifty years have no other measure in common. Page
furniture and footnotes cut paragraphs in two; both are taken out before the lines are joined again.
"""

from __future__ import annotations

import ctypes
import math
import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from statistics import median
from typing import Any

from lexlattice.errors import MissingExtraError, ReadingError
from lexlattice.reading.blocks import Block, Document, Role

MAX_PAGES = 5_000
CHARACTERS_OF_A_SCAN = 25  # per page: stamps and page numbers, but no text

_PDFIUM = threading.Lock()  # pdfium is not safe to use from two threads at once
_BROKEN_WORD = "\x02"  # what pdfium gives for "-" and for a soft hyphen before a line break
_FORCE_BOLD = 1 << 18
_DATE = r"(?:\d{1,2}\. ?\d{1,2}\. ?\d{2,4}|\d{4}[. ] ?\d{1,2}[. ] ?\d{1,2})\.?"
_JOURNAL_PAGE = r"(?:\S{1,6} )?[LC] ?\d{1,3} ?[A-Z]?/\d{1,4}"
_FURNITURE = re.compile(
    rf"{_JOURNAL_PAGE} .*{_DATE}|{_DATE} .*{_JOURNAL_PAGE}"  # L 119/2 EN Official Journal … 4.5.2016
    rf"|(?:[A-Z]{{2}} )?\S{{1,10}} [LC]\b\D{{0,12}}{_DATE}.{{0,4}}(?: [A-Z]{{2}})?"  # OJ L, 12.7.2024 EN
    rf"|\d{{4}}/\d+ {_DATE}|{_DATE} \d{{4}}/\d+"  # 2024/1689 12.7.2024
    r"|\d+/\d+ ELI: ?\S+|ELI: ?\S+ \d+/\d+"  # ELI: http://data.europa.eu/eli/reg/2024/1689/oj 1/144
)
_PAGE_NUMBER = re.compile(r"[-–— ]*\d{1,4}[-–— ]*|[A-Z]{2}")  # or the language of the issue: EN
_MARKER = re.compile(r"\d{1,3}[a-z]?[.)]|\(\d{1,3}[a-z]?\)|\(?[^\W\d_]{1,4}\)|[—–•·-]")
_NOTE_MARKER = re.compile(r"\( ?(\d{1,3}|\*+) ?\)|(\d{1,3}|\*+) ")
_SPACED_REFERENCE = re.compile(r"\( (\d{1,3}|\*+) \)")  # the raised figure of "(1)" stands apart
_LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


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
    """The edges of a column of a page: one object that all its lines share."""

    kind: str
    left: float = 0.0
    right: float = 0.0


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
    def cells(self) -> list[str]:
        """The text, cut at wide spaces: those of a table, not of the list marker or of justification."""
        cells, marked = [[self.words[0].text]], self.marked
        for gap, word in zip(self.gaps, self.words[1:], strict=True):
            if gap > 2.5 * self.size and not marked and not self.justified:
                cells.append([])
            elif word.apart or gap > 0.12 * self.size:
                cells[-1].append(" ")
            cells[-1].append(word.text)
            marked = marked and _MARKER.fullmatch(word.text) is not None  # "1.   (a)   the text"
        return [_SPACED_REFERENCE.sub(r"(\1)", "".join(cell)) for cell in cells]

    @cached_property
    def text(self) -> str:
        """The cells with a blank between them."""
        return " ".join(self.cells)

    @cached_property
    def marked(self) -> bool:
        """Whether a list marker leads the line; a small "(1)" refers to a footnote instead."""
        first = self.words[0]
        is_reference = first.size < 0.9 * self.size and any(map(str.isdigit, first.text))
        return not is_reference and _MARKER.fullmatch(first.text) is not None

    @property
    def tabbed(self) -> bool:
        """Whether the marker stands alone, or before a space wider than the next one."""
        return not self.gaps or self.gaps[0] > 1.5 * (self.gaps[1] if self.gaps[1:] else 0.4 * self.size)

    @property
    def justified(self) -> bool:
        """Whether the spaces, however wide, are all the same, as justification makes them."""
        gaps = self.gaps[self.marked :]
        if len(gaps) == 1:
            return abs(self.frame.right - self.x1) < 0.1 * self.size
        return bool(gaps) and max(gaps) - min(gaps) < 0.25 * self.size

    @property
    def centred(self) -> bool:
        """Whether the same room is left on both sides."""
        before, after = self.x0 - self.frame.left, self.frame.right - self.x1
        return before > 2 * self.size and abs(before - after) < 2 * self.size

    def leaves_room_for(self, line: Line, edge: float) -> bool:
        """Whether the first word of the next line would have fitted, so that this one ends on purpose."""
        both_sides = self.centred and self.frame is line.frame and abs(self.x0 - line.x0) > self.size
        return (edge - self.x1) * (1 + both_sides) > line.words[0].x1 - line.x0 + 0.7 * self.size


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
                raise ReadingError("The PDF is encrypted; remove the password and try again.") from None
            raise ReadingError("The PDF is damaged, or not a PDF; try to download it again.") from None
    if sum(len(word.text) for words in pages for word in words) < CHARACTERS_OF_A_SCAN * len(pages):
        raise ReadingError("The PDF has no text layer (a scan?); run OCR on it first.")
    rows = [_rows(words) for words in pages]
    edges = _text_edges(rows)
    bodies = _in_reading_order([page[top:end] for page, (top, end) in zip(rows, edges, strict=True)])
    _measure(bodies)
    lines = [line for body in bodies for line in body]
    body_size, pitches, hyphens = _body_size(lines), _pitches(lines), Hyphens(lines)
    blocks: list[Block] = []
    notes: list[list[Line]] = []  # emitted last: they would cut a paragraph that goes over the page
    pending: list[Block] = []  # page furniture, held back until such a paragraph is complete
    paragraph: list[Line] = []
    for page, body, (top, end) in zip(rows, bodies, edges, strict=True):
        pending += [Block(row.text, Role.PAGE) for row in page[:top]]
        for line in _without_notes(body, body_size, notes):
            if paragraph and not _continues(paragraph, line, pitches):
                blocks.append(_block(paragraph, hyphens))
                paragraph = []
            if not paragraph:
                blocks += pending
                pending = []
            paragraph.append(line)
        pending += [Block(row.text, Role.PAGE) for row in page[end:]]
    if paragraph:
        blocks.append(_block(paragraph, hyphens))
    blocks += pending + [Block(hyphens.join(note), Role.NOTE) for note in notes]
    return Document(blocks, "pdf", warnings=warnings)


def _extract(pypdfium2: Any, data: bytes) -> tuple[list[list[Word]], list[str]]:
    """Give the words of each page; a page with text in several directions counts as several pages."""
    pages: list[list[Word]] = []
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
                pages.append([])
                warnings.append(f"Page {number + 1} of the PDF is damaged and was left out.")
                continue
            directions = _words(pypdfium2.raw, text)
            if not directions and pypdfium2.raw.FPDFPage_CountObjects(page) > 0:
                warnings.append(f"Page {number + 1} of the PDF has no text layer and was left out.")
            pages += directions or [[]]
            text.close()
            page.close()
    finally:
        pdf.close()
    return pages, warnings


def _words(raw: Any, page: Any) -> list[list[Word]]:
    """Gather the words of a page by the direction of their text, the most frequent direction first."""
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
        if code < 0x20 and char != _BROKEN_WORD:
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
        turn = round(math.degrees(math.atan2(matrix.b, matrix.a)) / 15) * 15 % 360  # scans lean a little
        cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))
        x0, x1, baseline = upright()
        size = round(abs(raw.FPDFText_GetFontSize(page, i)) * math.hypot(matrix.c, matrix.d), 1)
        bold = b"bold" in name.value.lower() or bool(flags.value & _FORCE_BOLD)
        word = Word(char, x0, x1, baseline, size if 0 < size < math.inf else 1.0, bold, apart)
        apart = False
        directions[turn].append(word)
    return sorted(directions.values(), key=len, reverse=True)


def _rows(words: list[Word]) -> list[Line]:
    """Gather words that stand side by side over the whole width, from the top of the page to its bottom."""
    groups: list[list[Word]] = []
    for word in sorted(words, key=lambda word: -word.y):
        if groups and groups[-1][0].y - word.y <= 0.45 * max(word.size, groups[-1][0].size):
            groups[-1].append(word)
        else:
            groups.append([word])
    rows: list[Line] = []
    for row in map(Line, groups):
        above = rows[-1] if rows else row
        small, large = sorted((row.size, above.size))
        if small < 0.8 * large and above.y - row.y < 0.6 * large:  # raised or lowered figures
            rows[-1] = Line(above.words + row.words)
        else:
            rows.append(row)
    return rows


def _text_edges(pages: list[list[Line]]) -> list[tuple[int, int]]:
    """Find where, in the rows of each page, its running header ends and its running footer begins.

    Furniture has the form of an Official Journal header, or comes again on other pages, the same or with a
    number that grows with the pages, at the same height, and stands apart from the text.
    """
    seen: Counter[str] = Counter()
    for number, page in enumerate(pages):
        seen.update({key for row in page[:3] + page[-3:] for key in _keys(row, number)})
    often = max(2, min(3, len(pages)), 0.4 * len(pages))  # two pages can begin alike by chance

    def depth(rows: list[Line], number: int) -> int:
        found, apart = 0, False
        for i, row in enumerate(rows[:3]):
            journal = _FURNITURE.fullmatch(row.text)
            repeated = _PAGE_NUMBER.fullmatch(row.text) or any(
                seen[key] >= often for key in _keys(row, number)
            )
            if not journal and (apart or not repeated):
                break
            apart = i + 1 == len(rows) or abs(row.y - rows[i + 1].y) > 1.5 * row.size
            if journal or apart:
                found = i + 1
        return found

    tops = [depth(page, number) for number, page in enumerate(pages)]
    return [
        (top, len(page) - depth(page[top:][::-1], number))
        for number, (page, top) in enumerate(zip(pages, tops, strict=True))
    ]


def _keys(row: Line, page: int) -> Iterator[str]:
    """Give what a running header has in common with those of other pages, left and right ones alike."""
    if len(row.text) > 200:
        return
    yield f"{row.y:.0f} {sorted(row.text.split())}"
    for number in list(re.finditer(r"\d{1,6}", row.text))[:8]:
        changed = f"{row.text[: number.start()]}#{int(number[0]) - page}{row.text[number.end() :]}"
        yield f"{row.y:.0f} {sorted(changed.split())}"


def _in_reading_order(pages: list[list[Line]]) -> list[list[Line]]:
    """Cut the rows of all pages into columns; a gutter that is certain on one page is trusted on others."""
    gutters = [(page, _gutter(page)) for page in pages]
    certain = [gutter for page, gutter in gutters if _columns(page, gutter, False)[1]]
    usual = median(certain) if certain else -math.inf
    return [
        _columns(page, x, any(abs(x - usual) < 2 * row.size for row in page[:1]))[0] for page, x in gutters
    ]


def _gutter(rows: list[Line]) -> float:
    """Find the place near the middle of the page that the fewest pieces of text cross."""
    start = min((row.x0 for row in rows), default=0.0)
    step = max(1.0, max((row.x1 for row in rows), default=0.0) - start) / 120
    changes: Counter[int] = Counter()
    for row in rows:
        x0 = row.x0
        for word, gap, after in zip(
            row.words, [*row.gaps, math.inf], [*row.words[1:], row.words[0]], strict=True
        ):
            if gap > 0.9 * row.size:
                changes[math.ceil((x0 - start) / step)] += 1
                changes[math.floor((word.x1 - start) / step) + 1] -= 1
                x0 = after.x0
    crossings = list(accumulate(changes[i] for i in range(120)))
    fewest = min(crossings[42:78])
    return start + step * median(i for i in range(42, 78) if crossings[i] == fewest)


def _columns(rows: list[Line], gutter: float, known: bool) -> tuple[list[Line], bool]:
    """Cut rows into the lines of their columns, in reading order, and say whether there are two.

    Rows that cross the gutter (titles, headings) divide the page: what is above them is read first. Two
    columns of prose are told from a table by their lines, many of which are as long as they can be; where
    the document is `known` to have a gutter here, a few short lines need no such proof.
    """
    full, left, right = Frame("full"), Frame("left"), Frame("right")
    lines: list[Line] = []
    two = False

    def crosses(row: Line) -> bool:
        end = max((word.x1 for word in row.words if word.x0 < gutter), default=-math.inf)
        start = min((word.x0 for word in row.words if word.x0 >= gutter), default=math.inf)
        stretched = row.justified and not known and math.isfinite(start - end)
        return end > gutter or start - end < 0.9 * row.size or stretched

    def is_prose(*columns: list[Line]) -> bool:
        wrapped = 0
        for column in columns:
            edge = max(line.x1 for line in column)
            wrapped += sum(not line.leaves_room_for(after, edge) for line, after in pairwise(column))
            if len(column) < 4 or edge - min(line.x0 for line in column) < 15 * column[0].size:
                return False
        return wrapped > 0.35 * sum(map(len, columns))

    for crossing, zone in groupby(rows, crosses):
        whole = [Line(row.words, full) for row in zone]
        sides = [[word for word in row.words if word.x0 < gutter] for row in whole]
        lefts = [Line(words, left) for words in sides if words]
        sides = [[word for word in row.words if word.x0 >= gutter] for row in whole]
        rights = [Line(words, right) for words in sides if words]
        if not crossing and lefts and rights and (known or is_prose(lefts, rights)):
            two = True
            lines += lefts + rights
        else:
            lines += whole
    return lines, two


def _measure(pages: list[list[Line]]) -> None:
    """Set the edges of every column; one with few lines takes those usual in the document."""
    usual: defaultdict[str, list[Frame]] = defaultdict(list)
    poor: list[Frame] = []
    for page in pages:
        for kind in ("full", "left", "right"):
            lines = [line for line in page if line.frame.kind == kind]
            if not lines:
                continue
            frame = lines[0].frame
            common, times = Counter(round(line.x1) for line in lines).most_common(1)[0]
            frame.left = min(line.x0 for line in lines)
            frame.right = common if times > max(2, 0.25 * len(lines)) else max(line.x1 for line in lines)
            (poor if len(lines) < 8 else usual[kind]).append(frame)
    for kind, frames in usual.items():
        left, right = median(frame.left for frame in frames), median(frame.right for frame in frames)
        for frame in poor:
            if frame.kind == kind:
                frame.left, frame.right = min(frame.left, left), max(frame.right, right)


def _body_size(lines: list[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=1.0)


def _pitches(lines: list[Line]) -> dict[float, float]:
    """Measure, for each type size, the usual distance of two lines of a paragraph."""
    found: defaultdict[float, Counter[float]] = defaultdict(Counter)
    for before, line in pairwise(lines):
        pitch = round(2 * (before.y - line.y)) / 2
        wrapped = before.frame is line.frame and not before.leaves_room_for(line, before.frame.right)
        if wrapped and before.size == line.size and 0 < pitch < 3 * line.size:
            found[line.size][pitch] += 1
    return {size: pitches.most_common(1)[0][0] for size, pitches in found.items()}


def _without_notes(body: list[Line], body_size: float, notes: list[list[Line]]) -> list[Line]:
    """Move the footnotes of a page to `notes`: what stands in smaller type at the end of a column."""
    columns = [list(column) for _, column in groupby(body, key=lambda line: id(line.frame))]
    last = len(columns) - (2 if columns and columns[-1][0].frame.kind == "right" else 1)
    kept: list[Line] = []
    for number, column in enumerate(columns):
        open_end = bool(notes) and not notes[-1][-1].text.endswith((".", ")"))
        start = _note_start(column, body_size, open_end) if number >= last else len(column)
        kept += column[:start]
        for line in column[start:]:
            if _NOTE_MARKER.match(line.text) or not notes:
                notes.append([])
            notes[-1].append(line)
    return kept


def _note_start(column: list[Line], body_size: float, open_end: bool) -> int:
    first = len(column)
    while first and column[first - 1].size < 0.92 * body_size:
        first -= 1
    for i in range(first, len(column) if first else 0):  # a column all in small type is a small-type annex
        line = column[i]
        raised = any(word.size < 0.9 * line.size for word in line.words[:3])
        if _NOTE_MARKER.match(line.text) and (i == first or raised):
            return i
        if i == first and open_end and line.text[0].islower():
            return i  # the note of the page before goes on
    return len(column)


def _continues(paragraph: list[Line], line: Line, pitches: dict[float, float]) -> bool:
    """Whether the line belongs to the paragraph: nothing about it says that a new one begins."""
    last, em = paragraph[-1], line.size
    same_type = abs(em - last.size) < 0.08 * em and line.bold == last.bold
    if not same_type or len(line.cells) > 1 or len(last.cells) > 1:
        return False
    at_edge = len(paragraph) > 1 and abs(paragraph[-2].x1 - last.x1) < 0.1 * em
    if last.leaves_room_for(line, last.frame.right) and not at_edge:
        return False
    after_stop = last.text.endswith((".", ";", ":"))
    marked = line.marked and last.text.count("(") <= last.text.count(")")  # not the end of "(… of the/EEA)"
    if marked and (after_stop or last.text.endswith(",") or line.tabbed):
        return False
    if line.frame is not last.frame:  # a new page or column: neither gap nor indentation to go by
        heading = line.text.isupper() and not last.text.isupper()
        return line.text[0].islower() or not (marked or line.centred or after_stop or heading)
    if not 0 < last.y - line.y < 1.25 * pitches.get(em, 1.3 * em):
        return False
    on_one_axis = (line.centred or last.centred) and abs(line.x0 + line.x1 - last.x0 - last.x1) < em
    if on_one_axis or abs(line.x0 - last.x0) < 0.5 * em:
        return True
    hanging = last.marked and abs(line.x0 - last.words[min(1, len(last.gaps))].x0) < 0.5 * em
    indented = 0 < last.x0 - line.x0 < 4 * em
    return len(paragraph) == 1 and (hanging or indented)


class Hyphens:
    """Decides, by the document's own words, what becomes of a hyphen at the end of a line.

    pdfium gives the same sign for "long-/term" and "imple-/mentation". The hyphen is dropped only if the
    whole word is found elsewhere in the document, or if nothing is known and most others were dropped.
    """

    def __init__(self, lines: list[Line]) -> None:
        self.known: set[str] = set()
        broken = False
        for line in lines:
            words = _LETTERS.findall(line.text.lower())
            first, broken = int(broken), line.text.endswith(_BROKEN_WORD)
            self.known.update(words[first : len(words) - broken])
        verdicts = [self.verdict(a.text, b.text) for a, b in pairwise(lines) if a.text.endswith(_BROKEN_WORD)]
        self.usually_soft = verdicts.count(True) > verdicts.count(False)

    def verdict(self, before: str, after: str) -> bool | None:
        """Whether the hyphen only marks that the word was broken; None if the document does not tell."""
        heads, tail = _LETTERS.findall(before.lower()), _LETTERS.match(after)
        if not heads or not tail or not after[0].islower() or f"{heads[-1]}-{tail[0]}" in self.known:
            return False
        if heads[-1] + tail[0] in self.known:
            return True
        return False if tail[0] in self.known else None  # "non-/existing", "Aus-/und Einfuhr"

    def join(self, lines: list[Line]) -> str:
        """Join the lines of a paragraph."""
        parts = [lines[0].text]
        for line in lines[1:]:
            soft = parts[-1].endswith("\u00ad")
            if parts[-1].endswith(_BROKEN_WORD):
                verdict = self.verdict(parts[-1], line.text)
                soft = self.usually_soft if verdict is None else verdict
            if soft:
                parts[-1] = parts[-1][:-1]
            elif not re.search(r"\w[-\x02]$", parts[-1]) or not line.text[0].isalnum():
                parts.append(" ")
            parts.append(line.text)
        return "".join(parts).replace(_BROKEN_WORD, "-")


def _block(paragraph: list[Line], hyphens: Hyphens) -> Block:
    cells = paragraph[0].cells
    if len(cells) > 2:  # two may be the two halves of a signature
        return Block("\t".join(cells).replace(_BROKEN_WORD, "-"), Role.TABLE)
    return Block(hyphens.join(paragraph), None)
