"""What a line looks like by itself, in any language: a heading, a name in capitals."""

from __future__ import annotations

from typing import Final

LONGEST_HEADING: Final = 400
SENTENCE_STOPS: Final = (".", ";", ":", ",")


def names_institution(line: str) -> bool:
    """Whether a line names who acts, "THE COUNCIL OF THE EUROPEAN UNION,": shouted, and the sentence goes on."""
    return line.endswith((",", "-", "–", "—")) and len(line) <= LONGEST_HEADING and shouts(line)


def shouts(line: str) -> bool:
    """Whether a line is set in capitals, give or take a word ("EUROOPAN KOMISSIO, joka")."""
    letters = [c for c in line[:200] if c.isalpha()]
    return len(letters) >= 6 and sum(c.isupper() for c in letters) > 0.7 * len(letters)
