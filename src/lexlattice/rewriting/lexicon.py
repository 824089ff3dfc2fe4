"""Words of a language by what they stand for (a month, a body, a kind of act, a bound), found in any of their forms.

What is listed is data: `months.toml`, `bodies.toml`, `acts.toml`, `claims.toml`. Entries are matched by stem, since a
check that knows one form of a word lets every other form pass.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from lexlattice.reading.grammar import LANGUAGES, fold
from lexlattice.rewriting.tokens import Line


class Found(NamedTuple):
    """What a phrase stands for, and the places of its words in the line."""

    concept: str
    start: int
    end: int


class Phrases:
    """Phrases of a language, the longest of which is found at each place of a line.

    >>> council = Phrases({"council": ["council"], "other": ["council of europ-"]})
    >>> council.find(Line.of("The Council of Europe and the council", "en"))
    [Found(concept='other', start=1, end=4), Found(concept='council', start=6, end=7)]
    """

    def __init__(self, entries: Mapping[str, Iterable[str]]) -> None:
        known = {" ".join(fold(entry).split()): concept for concept, forms in entries.items() for entry in forms}
        ordered = sorted(known, key=lambda entry: (-len(entry.replace("-", "")), "-" in entry))
        self._concepts = [known[entry] for entry in ordered]
        either = "|".join(f"({' '.join(map(_pattern, entry.split()))})" for entry in ordered)
        self._pattern = re.compile(rf"(?<![^ ])(?:{either})(?![^ ])")

    def find(self, line: Line) -> list[Found]:
        """What stands in a line, from left to right, without overlaps."""
        found = []
        for match in self._pattern.finditer(line.folded):
            start, end = (bisect_left(line.places, place) for place in match.span())
            found.append(Found(self._concepts[(match.lastindex or 1) - 1], start, end))
        return found


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What is known of a language beyond its numerals."""

    months: Phrases
    """By their numbers, "1" to "12"."""
    months_beside_number: frozenset[str]
    """Words that are months beside a number only, such as "may"."""
    bodies: Phrases
    joining: frozenset[str]
    """Small words inside names."""
    acts: Phrases
    act_after_number: bool
    claims: Phrases


@cache
def lexicon(language: str) -> Lexicon:
    """That of a language; of one that is not among the 24, the English one."""
    name = language if language in LANGUAGES else "en"
    months, bodies, acts = (_data(what) for what in ("months", "bodies", "acts"))
    agencies = {entry.rstrip("-").casefold(): [entry] for entry in bodies.pop("agencies")["all"]}
    joining, after = bodies.pop("joining")[name], acts.pop("after")
    return Lexicon(
        months=Phrases({str(number): forms for number, forms in enumerate(months[name], 1)}),
        months_beside_number=frozenset(months["beside_number"].get(name, ())),
        bodies=Phrases({body: forms[name] for body, forms in bodies.items()} | agencies),
        joining=frozenset(map(fold, joining)),
        acts=Phrases({kind: forms[name] for kind, forms in acts.items()}),
        act_after_number=name in after,
        claims=Phrases(_data("claims")[name]),
    )


def _data(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))


def _pattern(word: str) -> str:
    """What begins so for "year-", what ends so for "-dag", else the word itself."""
    if word.endswith("-"):
        return re.escape(word[:-1]) + "[^ ]*"
    return "[^ ]{2,}" + re.escape(word[1:]) if word.startswith("-") else re.escape(word)
