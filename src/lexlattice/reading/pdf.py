"""Read a PDF with a text layer: characters to words, lines and last to paragraphs.

A PDF says where each character stands and nothing else. Words are gathered in `pdf_words`, rows in `pdf_lines`; page
furniture and footnotes, which cut paragraphs in two, are taken out before `pdf_paragraphs` puts the lines together.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

from lexlattice.errors import MissingExtraError, ReadingError
from lexlattice.reading.blocks import Block, Document, Role
from lexlattice.reading.pdf_columns import in_reading_order
from lexlattice.reading.pdf_furniture import text_edges
from lexlattice.reading.pdf_lines import Line, rows_of
from lexlattice.reading.pdf_notes import usual_size, without_notes
from lexlattice.reading.pdf_paragraphs import Hyphens, continues, usual_pitches
from lexlattice.reading.pdf_tables import find_tables, rows_of_table
from lexlattice.reading.pdf_words import extract_pages

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
