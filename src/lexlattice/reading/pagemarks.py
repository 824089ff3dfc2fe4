"""What the page prints into an act: page marks of the Official Journal, marks of consolidation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from lexlattice.reading.blocks import Block, Role
from lexlattice.reading.grammar import Grammar, fold

NEAR_THE_TOP: Final = 20
"""Lines among which the title of a page begins."""
FIRST_HEADER: Final = 12
"""Lines that the header of the first page ends within; it is looked at with the title."""
AROUND: Final = 3
"""Lines above and below the Official Journal's name that belong to the page's header."""

_CONSOLIDATION: Final = re.compile(r"[▼►◄](?:\s?\(\d{1,3}\))?(?:\s?[ABCMR]\d{0,3})?(?:\s?◄)?$")
"""►M1, ▼B, ►(1) M1: which act a passage comes from."""
_BEFORE: Final = re.compile(r"[LC]\s\d{1,4}(?:\s?/\s?|\s)\d{1,4}\s+(?=[^\W\d_a-z])")
_BEHIND: Final = re.compile(r"\s+(?=[LC]\s\d{1,4}(?:\s?/\s?\d{1,4})?$)")
_EDGE: Final = re.compile(
    r"\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4}\.?$|[A-Z]{2}$|[LC]\s?\d+\s?/\s?\d+$|[LC]\s\d{4}/\d+$|\d{1,4}$"
)


def set_page_marks_apart(blocks: Sequence[Block], grammar: Grammar) -> list[Block]:
    """Cut page marks off the title, and give those on lines of their own the role of the page."""
    set_apart = [piece for n, block in enumerate(blocks) for piece in _pieces(n, block, grammar)]
    journal = grammar.openers["journal"]
    for i, block in enumerate(set_apart):
        if i > FIRST_HEADER and block.role is None and len(block.text) < 100 and _names(block.text, journal):
            for j in (*_edges(set_apart, i, -1), *_edges(set_apart, i, 1)):
                set_apart[j] = Block(set_apart[j].text, Role.PAGE)
    return set_apart


def _pieces(n: int, block: Block, grammar: Grammar) -> Iterator[Block]:
    text, role = block.text, block.role
    if text[0] in "▼►◄" and _CONSOLIDATION.match(text):
        yield Block(text, Role.PAGE)
    elif n < NEAR_THE_TOP and role in (None, Role.TITLE):
        before, behind = _BEFORE.match(text), _BEHIND.search(text)
        start = before.end() if before is not None else 0
        end = (
            behind.start() if behind is not None and not _cites(text[start : behind.end() + 1], grammar) else len(text)
        )
        if before is not None:
            yield Block(text[:start].rstrip(), Role.PAGE)
        yield block if (start, end) == (0, len(text)) else Block(text[start:end], role, block.level)
        if end < len(text):
            yield Block(text[end:].lstrip(), Role.PAGE)
    else:
        yield block


def _cites(text: str, grammar: Grammar) -> bool:
    """Whether a page mark at the end of a title is a reference, "OJ L 351"."""
    return any(fold(text).endswith(note) for note in grammar.openers["note"])


def _names(text: str, journal: tuple[str, ...]) -> bool:
    return text[:1].isupper() and fold(text).startswith(journal)


def _edges(blocks: Sequence[Block], i: int, step: int) -> Iterator[int]:
    """Lines next to the Journal's name that are a date, a language or a page."""
    for j in range(i + step, i + step * (AROUND + 1), step):
        if not 0 <= j < len(blocks) or blocks[j].role is not None or not _EDGE.match(blocks[j].text):
            return
        yield j
