"""PDF with a text layer: characters to words, lines, columns and paragraphs.

A PDF states where each character is and nothing else. `pdf_process` reads the characters in a process with limits,
`pdf_words` gathers lines; running headers, footers and footnotes, which interrupt paragraphs, are removed here before
`pdf_paragraphs` joins the lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from lexlattice.errors import ReadingError
from lexlattice.reading.formats.blocks import Block, Document, Role
from lexlattice.reading.formats.completeness import missing_warning
from lexlattice.reading.formats.pdf_extraction import BROKEN_WORD
from lexlattice.reading.formats.pdf_paragraphs import (
    Hyphens,
    continues,
    find_tables,
    in_reading_order,
    rows_of_table,
    usual_pitches,
)
from lexlattice.reading.formats.pdf_process import pages_of
from lexlattice.reading.formats.pdf_words import Line, Rule, rows_of

_MIN_CHARACTERS = 25  # per page on average: a scan may have stamps and page numbers, but no text

_END = b"%%EOF"
_LAST = 1_024  # bytes in which readers look for the end

_DATE = r"(?:\d{1,2}\. ?\d{1,2}\. ?\d{2,4}|\d{4}[. ] ?\d{1,2}[. ] ?\d{1,2})\.?"
_JOURNAL_PAGE = r"(?:\S{1,6} )?[LC] ?\d{1,3} ?[A-Z]?/\d{1,4}"
_FURNITURE = re.compile(
    rf"{_JOURNAL_PAGE} .*{_DATE}|{_DATE} .*{_JOURNAL_PAGE}"  # L 119/2 EN Official Journal … 4.5.2016
    rf"|(?:[A-Z]{{2}} )?\S{{1,10}} [LC]\b\D{{0,12}}{_DATE}.{{0,4}}(?: [A-Z]{{2}})?"  # OJ L, 12.7.2024 EN
    rf"|\d{{4}}/\d+ {_DATE}|{_DATE} \d{{4}}/\d+"  # 2024/1689 12.7.2024
    r"|\d+/\d+ ELI: ?\S+|ELI: ?\S+ \d+/\d+"  # ELI: http://data.europa.eu/eli/reg/2024/1689/oj 1/144
)
_PAGE_NUMBER = re.compile(r"[-–— ]*\d{1,4}[-–— ]*|[A-Z]{2}")  # or the language of the issue: EN
_NOTE_MARKER = re.compile(r"\( ?(\d{1,3}|\*+) ?\)|(\d{1,3}|\*+) ")


def read_pdf(data: bytes) -> Document:
    """Read a PDF that has a text layer.

    Raises:
        ReadingError: The PDF is damaged, encrypted, too long or a scan.
        TooComplexError: Reading it takes too much time or memory.
        MissingExtraError: pypdfium2 is not installed.
    """
    pages, warnings = pages_of(data)
    if sum(len(word.text) for page in pages for word in page.words) < _MIN_CHARACTERS * len(pages):
        raise ReadingError("The PDF has no text layer (a scan?); run OCR on it first.", code="scanned")
    rows = [rows_of(page.words) for page in pages]
    # Page edges are cut off before columns are sought, since a running header spans them all.
    edges = _text_edges(rows)
    bodies = in_reading_order([page[top:end] for page, (top, end) in zip(rows, edges, strict=True)])
    lines = [line for body in bodies for line in body]
    body_size, pitches, hyphens = _usual_size(lines), usual_pitches(lines), Hyphens(lines)
    paragraphs: list[list[Line]] = []
    furniture: list[list[Block]] = []  # the page headers and footers before each paragraph
    notes: list[list[Line]] = []  # placed at the end, since they would split a paragraph that spans two pages
    pending: list[Block] = []  # page headers and footers, held back until such a paragraph is complete
    for page, row, body, (top, end) in zip(pages, rows, bodies, edges, strict=True):
        pending += [Block(line.text, Role.PAGE) for line in row[:top]]
        for line in _without_notes(body, page.rules, body_size, notes):
            if paragraphs and continues(paragraphs[-1], line, pitches):
                paragraphs[-1].append(line)
                continue
            paragraphs.append([line])
            furniture.append(pending)
            pending = []
        pending += [Block(line.text, Role.PAGE) for line in row[end:]]
    blocks = [*_blocks(paragraphs, furniture, hyphens), *pending]
    blocks += [Block(hyphens.join(note), Role.NOTE) for note in notes]
    text = "".join(word.text for page in pages for word in page.words).replace(BROKEN_WORD, "")
    warnings += missing_warning(text, blocks)
    # PDFium repairs a file that was cut off, as far as it goes, and reports nothing.
    return Document(blocks, "pdf", warnings=warnings, incomplete=_END not in data[-_LAST:])


def _blocks(paragraphs: list[list[Line]], furniture: list[list[Block]], hyphens: Hyphens) -> Iterator[Block]:
    """Yield the paragraphs, tables as rows, and before each of them the headers and footers of its page."""
    tables = dict(find_tables(paragraphs))
    end, count = -1, 0
    for i, (paragraph, edges) in enumerate(zip(paragraphs, furniture, strict=True)):
        yield from edges
        if i in tables:
            end, count = tables[i], count + 1
            yield from rows_of_table([lines[0] for lines in paragraphs[i : end + 1]], count)
        elif i > end:
            yield Block(hyphens.join(paragraph))


def _text_edges(pages: list[list[Line]]) -> list[tuple[int, int]]:
    """Return, for the rows of each page, where the running header ends and the running footer begins.

    A running header has the form of an Official Journal header; or it is repeated on other pages at the same height,
    perhaps with a number that grows with the pages, and is separated from the text.
    """
    seen: Counter[str] = Counter()
    for number, page in enumerate(pages):
        seen.update({key for row in page[:3] + page[-3:] for key in _keys(row, number)})
    often = max(2, min(3, len(pages)), 0.4 * len(pages))  # two pages may begin alike by coincidence

    def depth(rows: list[Line], number: int) -> int:
        """The number of rows at the edge of a page, outermost first, that are header or footer."""
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
    """Yield keys that the running headers of several pages share, whether on left or right pages.

    Words are sorted, since left and right pages mirror each other; numbers are replaced by their distance to the
    page, so that page numbers become equal.
    """
    if len(row.text) > 200:
        return
    yield f"{row.y:.0f} {sorted(row.text.split())}"
    for number in list(re.finditer(r"\d{1,6}", row.text))[:8]:
        changed = f"{row.text[: number.start()]}#{int(number[0]) - page}{row.text[number.end() :]}"
        yield f"{row.y:.0f} {sorted(changed.split())}"


def _usual_size(lines: list[Line]) -> float:
    """Return the type size of most of the text."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=1.0)


def _without_notes(body: list[Line], rules: list[Rule], body_size: float, notes: list[list[Line]]) -> list[Line]:
    """Move the footnotes of a page to `notes`: the end of a column, in smaller type or below a rule."""
    columns = [list(column) for _, column in groupby(body, key=lambda line: id(line.frame))]
    kinds = [column[0].frame.kind for column in columns]
    foot = len(columns) - 1  # first of the columns that end at the bottom of the page
    while foot > 0 and (
        kinds[foot] == "right"
        or (kinds[foot] == "full" and _note_start(columns[foot], rules, body_size, True, True) == 0)
    ):
        foot -= 1
    kept: list[Line] = []
    for number, column in enumerate(columns):
        is_continued = bool(notes) and not notes[-1][-1].text.endswith((".", ")"))
        is_below = number > foot and kinds[number] == "full"
        start = _note_start(column, rules, body_size, is_continued, is_below) if number >= foot else len(column)
        kept += column[:start]
        for line in column[start:]:
            if _NOTE_MARKER.match(line.text) or not notes:
                notes.append([])
            notes[-1].append(line)
    return kept


def _note_start(column: list[Line], rules: list[Rule], body_size: float, is_continued: bool, is_below: bool) -> int:
    """Return the index of the first line of the footnotes that end a column.

    `is_continued` means that the previous note is incomplete, `is_below` that the column is below others; a column
    that is entirely in small type and not below others is an annex in small type.
    """
    small = len(column)
    while small and column[small - 1].size < 0.92 * body_size:
        small -= 1
    ruled = _first_below_rule(column, rules)
    for first in (ruled, small if small or is_below else len(column)):
        for i, line in enumerate(column[first:], first):
            raised = any(word.size < 0.9 * line.size for word in line.words[:3])
            if _NOTE_MARKER.match(line.text) and (i == first or raised):
                return i
            if i == first and is_continued and line.text[0].islower():
                return i
    return len(column)


def _first_below_rule(column: list[Line], rules: list[Rule]) -> int:
    """Return the index of the line below the rule above footnotes: short, at the left edge, and the last rule.

    The rules of a table occur several at the same height, and rules that underline a text touch it.
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
