"""Headings inside annexes, as mark-up gives them: number and title in one line, and the annex's own heading apart."""

from __future__ import annotations

import re
from typing import Final

from lexlattice.reading.blocks import Block, Role
from lexlattice.reading.numbering import OPENING_QUOTES

_NUMBER: Final = r"(?:\d{1,3}(?:\.\d{1,3}){0,4}[a-z]?|[IVXLC]{1,6}[a-z]?|[A-ZΑ-ΩА-Я])"
_WORD: Final = r"[^\W\d_]{2,20}"
_LABEL: Final = re.compile(rf"(?:{_WORD}\s)?\(?{_NUMBER}[.):]?$|{_NUMBER}\.?\s{_WORD}$")
"""A number alone, or with one word before or, as some languages have it, behind it: "Part I", "1. daļa"."""
_NUMBERED: Final = re.compile(
    rf"\(?(?:{_NUMBER}|[a-z])[.):]|{_WORD}\s{_NUMBER}(?:[.:)]|\s?[—–-]|\s|$)|{_NUMBER}\.?\s{_WORD}\s?(?:[.:—–-]|$)"
)
_ABOVE: Final = (Role.TITLE, Role.ANNEX)


def settle_groups(blocks: list[Block]) -> list[Block]:
    """Join a number to the title below it, and tell the heading of an annex from those inside it.

    A heading without a number just below the annex's own header is the annex's. One that opens a quotation, or stands
    below the header of a quoted annex, has no role: it is not known how deep it is in this act.
    """
    if not any(block.role is Role.GROUP for block in blocks):
        return blocks
    settled: list[Block] = []
    for block in blocks:
        before = settled[-1] if settled else None
        if block.role is not Role.GROUP or before is None:
            settled.append(block)
        elif block.text[0] in OPENING_QUOTES or before.role is Role.QUOTED:
            settled.append(Block(block.text))
        elif before.role in _ABOVE and not _NUMBERED.match(block.text):
            settled.append(Block(block.text, Role.HEADING))
        elif before.role is Role.GROUP and before.level == block.level and _takes(before.text, block.text):
            before.text = f"{before.text} {block.text}"
        else:
            settled.append(block)
    return settled


def _takes(label: str, title: str) -> bool:
    """Whether a heading is a mere number to which the next is the title.

    >>> _takes("Part I", "General principles"), _takes("PART A", "PART B"), _takes("Definitions", "Scope")
    (True, False, False)
    """
    return bool(_LABEL.match(label)) and not _NUMBERED.match(title)
