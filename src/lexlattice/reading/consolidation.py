"""Whether a text is consolidated, as of which day, and whether it says that the act was repealed.

A consolidated text shows the law as amended; only the Journal is authentic. Above the title stand the acts that it was
made of; that of an act which was repealed often has nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from lexlattice.reading.blocks import Block, Document, Role, iso_day
from lexlattice.reading.grammar import HEAD, Grammar, fold

NEAR_THE_TOP: Final = 12
"""Lines among which a page states what it is."""
LONGEST_LIST: Final = 1500
"""Lines among which the acts are listed that a text was made of."""
LONGEST_OPENER: Final = 60
LONGEST_HEADER: Final = 100
FEWEST_WORDS: Final = 4
"""A sentence has more words than these; the dates in a list, which some languages end with a stop, have fewer."""

_REFERENCE: Final = re.compile(
    r"\b(0?[1-9]?(?:19|20)\d\d[A-Z]{1,2}\d{4}(?:\(\d\d\))?)\s[—–-]\s([A-Z]{2})\s[—–-]\s(\d\d)\.(\d\d)\.(\d{4})\b"
)
"""The head of consolidated pages of any age: "1991R1534 — EN — 01.05.2004 — 001.001"."""
_NUMBERED: Final = re.compile(r"\d/\d")
_HEADERS: Final = (Role.ARTICLE, Role.DIVISION, Role.ANNEX)


def consolidated_as_of(document: Document) -> str | None:
    """The day that a consolidated text shows, or nothing where it does not say; None for an act as it was adopted."""
    days = [day for day in (document.consolidated, _stated(document)) if day is not None]
    return next(filter(None, days), "") if days else None


def stated_celex(document: Document) -> str:
    """The number at the head of a consolidated page, as it is written there; empty for any other text."""
    return next((match[1] for match in _references(document)), "")


def stated_language(document: Document) -> str:
    """The code of the language at the head of a consolidated page; empty for any other text."""
    return next((match[2].lower() for match in _references(document)), "")


def note_repeal(document: Document, grammar: Grammar) -> None:
    """Take note of what repealed the act, and keep the list of acts apart if a consolidated text has nothing else."""
    if consolidated_as_of(document) is None:
        return
    blocks = document.blocks
    opener = _opener(blocks, grammar)
    if opener is not None and not document.repealed:
        document.repealed = _named(blocks, opener)
    titles = [i for i, block in enumerate(blocks[:LONGEST_LIST]) if block.role is Role.TITLE]
    rest = blocks[opener:] if opener is not None else blocks[titles[-1] + 1 :] if titles else []
    above = blocks[: len(blocks) - len(rest)]
    has_headers = any(block.role is Role.ARTICLE or _is_header(block, grammar) for block in above)
    if not has_headers and not any(_is_of_act(block, grammar) for block in rest):
        for block in rest:
            block.role = Role.PAGE


def _stated(document: Document) -> str | None:
    return next((iso_day(*match.group(5, 4, 3)) for match in _references(document)), None)


def _references(document: Document) -> Iterator[re.Match[str]]:
    found = (_REFERENCE.search(block.text[:200]) for block in document.blocks[:NEAR_THE_TOP])
    return (match for match in found if match)


def _opener(blocks: Sequence[Block], grammar: Grammar) -> int | None:
    """The line above the articles that says who repealed the act."""
    for i, block in enumerate(islice(blocks, LONGEST_LIST)):
        if block.role is Role.ARTICLE or (block.role is None and _is_header(block, grammar)):
            return None
        text = block.text[:HEAD]
        if grammar.opens("repealed", fold(text)) and (len(block.text) <= LONGEST_OPENER or ":" in text):
            return i
    return None


def _named(blocks: Sequence[Block], opener: int) -> str:
    """The act named behind the words "repealed by", on their line or on one of the next."""
    behind = blocks[opener].text.partition(":")[2].strip()
    if behind:
        return behind
    after = (block.text.strip() for block in blocks[opener + 1 : opener + 1 + NEAR_THE_TOP])
    return next((text for text in after if _NUMBERED.search(text)), "")


def _is_of_act(block: Block, grammar: Grammar) -> bool:
    """Whether a line is the act's own: a title, a header or a sentence."""
    if block.role is Role.PAGE or block.role is Role.CONTENTS:
        return False
    if block.role in (*_HEADERS, Role.TITLE, Role.TABLE) or _is_header(block, grammar):
        return True
    return block.text.rstrip().endswith((".", ";")) and block.text.count(" ") >= FEWEST_WORDS


def _is_header(block: Block, grammar: Grammar) -> bool:
    header = grammar.header(block.text) if len(block.text) < LONGEST_HEADER else None
    return header is not None and header.kind in ("article", "annex")
