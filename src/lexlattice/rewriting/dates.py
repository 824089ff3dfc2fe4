"""Dates as wholes: the day, the month and the year that stand together are compared together.

Each part of "30 September 2024" may stand in a provision that speaks of 1 September 2024 and 30 September 2023.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from lexlattice.reading.grammar import fold
from lexlattice.rewriting.lexicon import Lexicon
from lexlattice.rewriting.tokens import Line, Token

_DAY: Final = re.compile(r"(0?[1-9]|[12]\d|3[01])[^\W\d_]{0,3}")
_YEAR: Final = re.compile(r"(1[89]\d\d|2[01]\d\d)[^\W\d_]{0,3}")
_GAP: Final = 1
"""So many words may stand between the parts: "1 de mayo de 2024", "2024. gada 1. maijā", "1 päivänä toukokuuta"."""


class Date(NamedTuple):
    """A month, with its day and its year where they are given, and where its words stand."""

    day: str
    month: str
    year: str
    places: frozenset[int]

    def rests_on(self, other: Date) -> bool:
        """Whether this says nothing that the other does not."""
        return self.month == other.month and self.day in ("", other.day) and self.year in ("", other.year)


def dates(line: Line, known: Lexicon) -> list[Date]:
    """All dates of a line whose month is a word; those in figures are numbers."""
    found: list[Date] = []
    taken: set[int] = set()
    for month in known.months.find(line):
        beside = [*_beside(line, month.start, -1, taken), *_beside(line, month.end - 1, 1, taken)]
        parts: dict[str, str] = {}
        places = set(range(month.start, month.end))
        for _, place in sorted(beside, key=lambda one: one[0]):
            part, value = _part(line.tokens[place])
            if part not in parts:
                parts[part] = value
                places.add(place)
        if not parts and line.words[month.start] in known.months_beside_number:
            continue
        found.append(Date(parts.get("day", ""), month.concept, parts.get("year", ""), frozenset(places)))
        taken |= places
    return found


def without_date(said: Line, cited: Sequence[Line], known: Lexicon) -> str:
    """The first date of a sentence that no provision has as a whole."""
    given = [date for line in cited for date in dates(line, known)]
    for date in dates(said, known):
        if not any(date.rests_on(other) for other in given):
            return " ".join(said.tokens[place].text for place in sorted(date.places))
    return ""


def _beside(line: Line, start: int, step: int, taken: Collection[int]) -> Iterator[tuple[int, int]]:
    """The days and years on one side of a month, each with the words between, up to a stop or to another date."""
    place, gap, parts = start, 0, set()
    while gap <= _GAP and line.is_joined(min(place, place + step)):
        place += step
        token = line.tokens[place]
        if token.kind not in ("number", "numeral"):
            gap += 1
            continue
        part, _ = _part(token)
        if not part or part in parts or place in taken:
            return
        parts.add(part)
        yield gap, place
        gap = 0


def _part(token: Token) -> tuple[str, str]:
    """Whether a number is a day or a year, and which one; a numeral beside a month is a day."""
    if token.kind == "numeral":
        return "day", fold(token.text)
    for part, pattern in (("day", _DAY), ("year", _YEAR)):
        if match := pattern.fullmatch(token.text):
            return part, match[1].lstrip("0")
    return "", ""
