"""What a line looks like on the page, in any language: capitals, headings, the name of an institution."""

from __future__ import annotations

from typing import Final

LONGEST_HEADING: Final = 400
"""Characters of the longest heading; anything longer is text."""
SENTENCE_STOPS: Final = (".", ";", ":", ",")
"""How sentences and list items end, and headings do not."""
PROSE: Final = 60
"""A line longer than this is prose, not a table cell or an entry in a table of contents."""
LONGEST_CONNECTOR: Final = 14
"""A line no longer than this can be a bare "and" or "sowie" between two list items."""


def is_in_capitals(line: str) -> bool:
    """Whether a line is set in capitals, apart from a word or so ("EUROOPAN KOMISSIO, joka")."""
    letters = [c for c in line[:200] if c.isalpha()]
    return len(letters) >= 6 and sum(c.isupper() for c in letters) > 0.7 * len(letters)


def is_institution_name(line: str) -> bool:
    """Whether a line names the institution that acts: "THE COUNCIL OF THE EUROPEAN UNION,"."""
    return line.endswith((",", "-", "–", "—")) and len(line) <= LONGEST_HEADING and is_in_capitals(line)


def may_be_heading(line: str) -> bool:
    """Whether a line may be a heading: it does not end like a sentence, or it is set in capitals."""
    if len(line) > LONGEST_HEADING or not (line[0].isupper() or not line[0].isalpha()):
        return False
    return not line.endswith(SENTENCE_STOPS) or (line.upper() == line and is_in_capitals(line))
