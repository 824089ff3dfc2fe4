"""What stands above the title of a consolidated text: that it has no legal effect, and which acts amended it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lexlattice.act.document import Act, Furniture

_KINDS: Final = ("page", "contents")
"""The heads of the list's columns are marked like a table of contents."""
_MARK: Final = re.compile(r"\s*▼\s?\S{1,4}(?!\S)")
_NUMBER: Final = re.compile(r"^[A-Z]\d{1,2} (?=\S)", re.MULTILINE)
"""Marks of consolidation; most are left out when the text is read, so the others would mean nothing."""
_PLACE: Final = re.compile(
    r"\n(?=\S{1,10}$|[A-Z]{1,2} \d{1,4}[A-Z]?$"
    r"|(?:[A-Z]{1,2} \d{1,4}[A-Z]? )?(?:\d{1,4} )?\d{1,2}\.\d{1,2}\.\d{4}(?: |$))",
    re.MULTILINE,
)
"""Before the number, page or date of an Official Journal, or the head of such a column, on a line of its own."""
_ENTRY: Final = re.compile(r"(?<=\d )(\d{1,2}\.\d{1,2}\.\d{4}) ")
"""The date at the end of an entry, if the next one is on the same line."""
_MIN_LINE: Final = 8
"""A line with fewer letters and digits may be in the title by accident."""


def front_of(act: Act) -> list[Furniture]:
    """Return the pieces of the source above the title of a consolidated text; empty for other texts."""
    if act.consolidated is None or not act.units:
        return []
    return [piece for piece in act.furniture if piece.end <= act.units[0].start and piece.kind in _KINDS]


def front_text(act: Act, pieces: list[Furniture]) -> str:
    """Return the text of these pieces, one entry of the list of acts a line, without the title, which follows."""
    text = "\n".join(_lines(act, pieces))
    return _NUMBER.sub("", _ENTRY.sub(r"\1\n", _PLACE.sub(" ", _MARK.sub("", text)))).strip()


def _lines(act: Act, pieces: list[Furniture]) -> Iterator[str]:
    title = bare("".join(unit.text for unit in act.units if unit.section == act.units[0].section))
    for piece in pieces:
        text = act.source[piece.start : piece.end]
        if piece.kind == "contents":
            yield " ".join(text.split())
        else:
            yield from (line for line in text.split("\n") if len(bare(line)) < _MIN_LINE or bare(line) not in title)


def bare(text: str) -> str:
    """Return letters and digits only: the same words can have other signs and line breaks around them."""
    return "".join(filter(str.isalnum, text))
