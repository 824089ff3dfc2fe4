"""Read a PDF with a text layer: characters to words, lines and last to paragraphs.

A PDF says where each character stands and nothing else. Words are gathered in `pdf_words`, rows in `pdf_lines`; page
furniture and footnotes, which cut paragraphs in two, are taken out before `pdf_paragraphs` puts the lines together.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from lexlattice.errors import MissingExtraError, ReadingError
from lexlattice.reading.formats.blocks import Block, Document, Role
from lexlattice.reading.formats.pdf_paragraphs import (
    Hyphens,
    continues,
    find_tables,
    in_reading_order,
    rows_of_table,
    usual_pitches,
)
from lexlattice.reading.formats.pdf_words import Line, Rule, extract_pages, rows_of

# Furniture of the pages of a PDF: running headers and footers, found by their form and by their return.

_DATE = r"(?:\d{1,2}\. ?\d{1,2}\. ?\d{2,4}|\d{4}[. ] ?\d{1,2}[. ] ?\d{1,2})\.?"
_JOURNAL_PAGE = r"(?:\S{1,6} )?[LC] ?\d{1,3} ?[A-Z]?/\d{1,4}"
_FURNITURE = re.compile(
    rf"{_JOURNAL_PAGE} .*{_DATE}|{_DATE} .*{_JOURNAL_PAGE}"  # L 119/2 EN Official Journal … 4.5.2016
    rf"|(?:[A-Z]{{2}} )?\S{{1,10}} [LC]\b\D{{0,12}}{_DATE}.{{0,4}}(?: [A-Z]{{2}})?"  # OJ L, 12.7.2024 EN
    rf"|\d{{4}}/\d+ {_DATE}|{_DATE} \d{{4}}/\d+"  # 2024/1689 12.7.2024
    r"|\d+/\d+ ELI: ?\S+|ELI: ?\S+ \d+/\d+"  # ELI: http://data.europa.eu/eli/reg/2024/1689/oj 1/144
)
_PAGE_NUMBER = re.compile(r"[-–— ]*\d{1,4}[-–— ]*|[A-Z]{2}")  # or the language of the issue: EN


def text_edges(pages: list[list[Line]]) -> list[tuple[int, int]]:
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
            repeated = _PAGE_NUMBER.fullmatch(row.text) or any(seen[key] >= often for key in _keys(row, number))
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


# Footnotes of the pages of a PDF: what ends a column in smaller type, or below a rule.

_NOTE_MARKER = re.compile(r"\( ?(\d{1,3}|\*+) ?\)|(\d{1,3}|\*+) ")


def usual_size(lines: list[Line]) -> float:
    """The type size of most of the text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=1.0)


def without_notes(body: list[Line], rules: list[Rule], body_size: float, notes: list[list[Line]]) -> list[Line]:
    """Move the footnotes of a page to `notes`: what ends a column, in smaller type or below a rule."""
    columns = [list(column) for _, column in groupby(body, key=lambda line: id(line.frame))]
    kinds = [column[0].frame.kind for column in columns]
    foot = len(columns) - 1  # the first of the columns that end at the foot of the page
    while foot > 0 and (
        kinds[foot] == "right"
        or (kinds[foot] == "full" and _note_start(columns[foot], rules, body_size, True, True) == 0)
    ):
        foot -= 1
    kept: list[Line] = []
    for number, column in enumerate(columns):
        goes_on = bool(notes) and not notes[-1][-1].text.endswith((".", ")"))
        below = number > foot and kinds[number] == "full"
        start = _note_start(column, rules, body_size, goes_on, below) if number >= foot else len(column)
        kept += column[:start]
        for line in column[start:]:
            if _NOTE_MARKER.match(line.text) or not notes:
                notes.append([])
            notes[-1].append(line)
    return kept


def _note_start(column: list[Line], rules: list[Rule], body_size: float, goes_on: bool, below: bool) -> int:
    """Find the first line of the footnotes that end a column.

    `goes_on` says that an earlier note is not complete, `below` that the column stands under others; else one
    that is all in small type is an annex in small type.
    """
    small = len(column)
    while small and column[small - 1].size < 0.92 * body_size:
        small -= 1
    ruled = _first_below_rule(column, rules)
    for first in (ruled, small if small or below else len(column)):
        for i, line in enumerate(column[first:], first):
            raised = any(word.size < 0.9 * line.size for word in line.words[:3])
            if _NOTE_MARKER.match(line.text) and (i == first or raised):
                return i
            if i == first and goes_on and line.text[0].islower():
                return i
    return len(column)


def _first_below_rule(column: list[Line], rules: list[Rule]) -> int:
    """Find the line under the rule that sets footnotes apart: short, at the left edge, and the last there is.

    The rules of a table come several at a height, and those that underline a text touch it.
    """
    frame, em = column[0].frame, column[-1].size
    inside = [
        rule
        for rule in rules
        if rule.x0 < frame.right and rule.x1 > frame.left and rule.y > column[-1].y - 1.5 * em
        if not any(0 <= line.y - rule.y < 0.3 * line.size for line in column)
    ]
    lowest = min((rule.y for rule in inside), default=0.0)
    inside = [rule for rule in inside if rule.y < lowest + 0.5 * em]
    if len(inside) != 1 or abs(inside[0].x0 - frame.left) > em:
        return len(column)
    first = sum(line.y > lowest for line in column)
    short = inside[0].x1 - inside[0].x0 < 0.6 * (frame.right - frame.left)
    even = all(line.size < 1.05 * column[first].size for line in column[first:])
    return first if short and even else len(column)


# Read a PDF with a text layer: characters to words, lines and last to paragraphs.

CHARACTERS_OF_A_SCAN = 25  # per page: stamps and page numbers, but no text

_PDFIUM = threading.Lock()  # pdfium is not safe to use from two threads at once


def read_pdf(data: bytes) -> Document:
    """Read the bytes of a PDF that has a text layer."""
    try:
        import pypdfium2
    except ImportError:
        raise MissingExtraError("Reading PDF", "pdf") from None
    with _PDFIUM:
        try:
            pages, warnings = extract_pages(pypdfium2, data)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise ReadingError("The PDF is encrypted; remove the password and try again.") from None
            raise ReadingError("The PDF is damaged, or not a PDF; try to download it again.") from None
    if sum(len(word.text) for page in pages for word in page.words) < CHARACTERS_OF_A_SCAN * len(pages):
        raise ReadingError("The PDF has no text layer (a scan?); run OCR on it first.")
    rows = [rows_of(page.words) for page in pages]
    edges = text_edges(rows)
    bodies = in_reading_order([page[top:end] for page, (top, end) in zip(rows, edges, strict=True)])
    lines = [line for body in bodies for line in body]
    body_size, pitches, hyphens = usual_size(lines), usual_pitches(lines), Hyphens(lines)
    paragraphs: list[list[Line]] = []
    furniture: list[list[Block]] = []  # of pages: what comes before each paragraph
    notes: list[list[Line]] = []  # emitted last: they would cut a paragraph that goes over the page
    pending: list[Block] = []  # page furniture, held back until such a paragraph is complete
    for page, row, body, (top, end) in zip(pages, rows, bodies, edges, strict=True):
        pending += [Block(line.text, Role.PAGE) for line in row[:top]]
        for line in without_notes(body, page.rules, body_size, notes):
            if paragraphs and continues(paragraphs[-1], line, pitches):
                paragraphs[-1].append(line)
                continue
            paragraphs.append([line])
            furniture.append(pending)
            pending = []
        pending += [Block(line.text, Role.PAGE) for line in row[end:]]
    blocks = [*_blocks(paragraphs, furniture, hyphens), *pending]
    blocks += [Block(hyphens.join(note), Role.NOTE) for note in notes]
    return Document(blocks, "pdf", warnings=warnings)


def _blocks(paragraphs: list[list[Line]], furniture: list[list[Block]], hyphens: Hyphens) -> Iterator[Block]:
    """Give the paragraphs, tables by rows, and before each what was printed at the edges of its page."""
    tables = dict(find_tables(paragraphs))
    end, count = -1, 0
    for i, (paragraph, edges) in enumerate(zip(paragraphs, furniture, strict=True)):
        yield from edges
        if i in tables:
            end, count = tables[i], count + 1
            yield from rows_of_table([lines[0] for lines in paragraphs[i : end + 1]], count)
        elif i > end:
            yield Block(hyphens.join(paragraph))
