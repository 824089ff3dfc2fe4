"""Split blocks that hold two things: a page mark and a title, a rubric and a title, a heading and a recital."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lexlattice.reading.formats.blocks import Block, Role
from lexlattice.reading.languages.grammar import HEAD, Grammar, fold
from lexlattice.reading.structure.typography import SENTENCE_STOPS, is_in_capitals

NEAR_THE_TOP: Final = 20
"""The title of a page begins within this many lines."""
FIRST_PAGE_HEADER: Final = 12
"""The header of the first page ends within this many lines; `front` looks at it together with the title."""
PAGE_HEADER_LINES: Final = 3
"""Lines above and below the Official Journal's name that belong to the page's header."""
RUBRIC_STEM: Final = 6
"""Letters that a kind of act and its plural have in common: "RÈGLEMENTS", "REGOLAMENTI"."""
NEXT_RECITAL: Final = 12
"""The next recital's number is searched in this many lines below a heading."""

_CONSOLIDATION: Final = re.compile(r"[▼►◄](?:\s?\(\d{1,3}\))?(?:\s?[ABCMR]\d{0,3})?(?:\s?◄)?$")
"""►M1, ▼B, ►(1) M1: the act that a passage of a consolidated text comes from."""
_PAGE_BEFORE: Final = re.compile(r"[LC]\s\d{1,4}(?:\s?/\s?|\s)\d{1,4}\s+(?=[^\W\d_a-z])")
"""A page of the Journal before a title: "L 236 33 Act of Accession"."""
_PAGE_AFTER: Final = re.compile(r"\s+(?=[LC]\s\d{1,4}(?:\s?/\s?\d{1,4})?$)")
"""A page of the Journal after a title: "Council Regulation No 17 L 13/204"."""
_PAGE_HEADER: Final = re.compile(
    r"\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4}\.?$"  # 27.12.2022
    r"|[A-Z]{2}$"  # EN
    r"|[LC]\s?\d+\s?/\s?\d+$|[LC]\s\d{4}/\d+$"  # L 333/1, C 2023/12
    r"|\d{1,4}$"  # 204
)
_HEADED_RECITAL: Final = re.compile(r"([^\s(][^()]{2,118}?)\s?\((\d{1,3})\)\s?(?=[^\W\d_])")
"""A heading and a recital's number on one line: "A. PROCEDURE (1) In June 1992"."""
_RECITAL_NUMBER: Final = re.compile(r"\((\d{1,3})\)")
_HEADED: Final = slice(3, 122)
"""Where the bracket of a recital's number stands below its heading."""
_LABEL: Final = re.compile(r"(?:[^\W\d_]|[IVX]{1,5}|\d{1,2}(?:\.\d{1,2}){0,3})[.)]\s")
"""What leads a heading among recitals: "A. ", "IV) ", "2.1. "."""


def split_blocks(blocks: Sequence[Block], grammar: Grammar) -> Sequence[Block]:
    """Separate rubrics, page marks and headings of recitals from the text that they share a block with."""
    return _split_headings(_split_page_marks(_split_rubric(blocks, grammar), grammar))


def _split_rubric(blocks: Sequence[Block], grammar: Grammar) -> Sequence[Block]:
    """Separate the rubric that pages of the 1960s print before a title: "LE CONSEIL RÈGLEMENTS RÈGLEMENT Nº 59"."""
    kinds = {word for word, _ in grammar.types}
    for i, block in enumerate(blocks[:NEAR_THE_TOP]):
        words = block.text[: 2 * HEAD].split(" ")
        for n in range(1, len(words)):
            word, before = fold(words[n]), fold(words[n - 1])
            if word in kinds and word != before and before[:RUBRIC_STEM] == word[:RUBRIC_STEM]:
                rubric = " ".join(words[:n])
                if rubric.isupper() and block.role is None:
                    title = Block(block.text[len(rubric) + 1 :])
                    return [*blocks[:i], Block(rubric, Role.PAGE), title, *blocks[i + 1 :]]
    return blocks


def _split_page_marks(blocks: Sequence[Block], grammar: Grammar) -> list[Block]:
    """Cut page marks off the title, and give those on lines of their own the role `PAGE`."""
    pieces: list[Block] = []
    for n, block in enumerate(blocks):
        if n < NEAR_THE_TOP or block.text[0] in "▼►◄":
            pieces += _cut_page_marks(n, block, grammar)
        else:
            pieces.append(block)
    journal = grammar.openers["journal"]
    for i, block in enumerate(pieces):
        if i <= FIRST_PAGE_HEADER or block.role is not None or len(block.text) >= 100:
            continue
        if block.text[:1].isupper() and fold(block.text).startswith(journal):
            for j in (*_page_header_lines(pieces, i, -1), *_page_header_lines(pieces, i, 1)):
                pieces[j] = Block(pieces[j].text, Role.PAGE)
    return pieces


def _cut_page_marks(n: int, block: Block, grammar: Grammar) -> Iterator[Block]:
    text, role = block.text, block.role
    if text[0] in "▼►◄" and _CONSOLIDATION.match(text):
        yield Block(text, Role.PAGE)
    elif n < NEAR_THE_TOP and role in (None, Role.TITLE):
        before, after = _PAGE_BEFORE.match(text), _PAGE_AFTER.search(text)
        start = before.end() if before is not None else 0
        end = len(text)
        if after is not None and not _ends_with_journal(text[start : after.end() + 1], grammar):
            end = after.start()
        if before is not None:
            yield Block(text[:start].rstrip(), Role.PAGE)
        yield block if (start, end) == (0, len(text)) else Block(text[start:end], role, block.level)
        if end < len(text):
            yield Block(text[end:].lstrip(), Role.PAGE)
    else:
        yield block


def _ends_with_journal(text: str, grammar: Grammar) -> bool:
    """Whether a page mark at the end of a title is a reference to the Journal: "OJ L 351"."""
    return any(fold(text).endswith(note) for note in grammar.openers["note"])


def _page_header_lines(blocks: Sequence[Block], i: int, step: int) -> Iterator[int]:
    """Lines next to the Journal's name, upwards or downwards, that are a date, a language or a page."""
    for j in range(i + step, i + step * (PAGE_HEADER_LINES + 1), step):
        if not 0 <= j < len(blocks) or blocks[j].role is not None or not _PAGE_HEADER.match(blocks[j].text):
            return
        yield j


def _split_headings(blocks: Sequence[Block]) -> Sequence[Block]:
    """Cut a heading off the recital on its line: "A. PROCEDURE (1) In June 1992, the Commission announced"."""
    pieces: list[Block] = []
    for i, block in enumerate(blocks):
        cut = _heading_end(blocks, i) if block.role is None and "(" in block.text[_HEADED] else 0
        if cut:
            pieces += [Block(block.text[:cut].rstrip()), Block(block.text[cut:])]
        else:
            pieces.append(block)
    return pieces


def _heading_end(blocks: Sequence[Block], i: int) -> int:
    """Where a heading on the line of a recital ends; 0 if there is none.

    The heading has a label or capitals, and the next recital's number must follow in the lines below.
    """
    text = blocks[i].text
    match = _HEADED_RECITAL.match(text) if text[0] != "(" else None
    if match is None or not text[match.end()].isupper():
        return 0
    heading = match.group(1)
    if heading.endswith(SENTENCE_STOPS) or not (is_in_capitals(heading) or _LABEL.match(heading)):
        return 0
    below = (_RECITAL_NUMBER.match(block.text) for block in blocks[i + 1 : i + NEXT_RECITAL])
    following = next((int(number.group(1)) for number in below if number is not None), 0)
    return match.start(2) - 1 if following == int(match.group(2)) + 1 else 0
