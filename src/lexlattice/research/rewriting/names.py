"""Checks of names and of cited acts: the words of a name must occur together in one provision.

"Court" and "Auditors" in a provision do not support "Court of Auditors". Known institutions and kinds of acts match in
all inflected forms, with or without capitals; other names match literally.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from lexlattice.reading.languages.grammar import fold
from lexlattice.research.rewriting.tokens import Found, Lexicon, Line, Token


class Named:
    """A line with the bodies that it names."""

    def __init__(self, line: Line, known: Lexicon) -> None:
        self.line = line
        self.found = known.bodies.find(line)
        self.known = {
            place: one.concept for one in (*known.acts.find(line), *self.found) for place in range(one.start, one.end)
        }
        """Bodies and kinds of acts by place, which match in all inflected forms."""

    def has(self, other: Named, start: int, end: int) -> bool:
        """Whether a range of words of another line occurs here consecutively."""
        size = end - start
        return any(
            all(self._is_same(first + step, other, start + step) for step in range(size))
            and all(self.line.is_joined(first + step) for step in range(size - 1))
            for first in range(len(self.line.tokens) - size + 1)
        )

    def _is_same(self, place: int, other: Named, there: int) -> bool:
        known = other.known.get(there)
        if known and known == self.known.get(place):
            return True
        token, one = other.line.tokens[there], self.line.tokens[place]
        if token.kind != "name":
            return fold(token.text) == fold(one.text)
        if is_code(token.text):
            return token.text == one.text
        return one.kind == "name" and _capital(token.text).casefold() == _capital(one.text).casefold()


def without_body(said: Named, cited: Sequence[Named]) -> str:
    """The first institution or body that the provisions do not name."""
    given = {one.concept for named in cited for one in named.found}
    return next((said.line.text(one.start, one.end) for one in said.found if one.concept not in given), "")


def without_name(said: Named, cited: Sequence[Named], known: Lexicon, skipped: Collection[int]) -> str:
    """The first name that occurs in no provision as a whole; places in `skipped` are not names."""
    for start, end in _runs(said.line, known, skipped):
        if not any(named.has(said, start, end) for named in cited):
            return said.line.text(start, end)
    return ""


def is_code(word: str) -> bool:
    """Whether a word is an acronym, or the sign or code of a currency."""
    return sum(map(str.isupper, word)) > 1 or word in ("€", "$", "£", "§")


def _runs(line: Line, known: Lexicon, skipped: Collection[int]) -> list[tuple[int, int]]:
    """The ranges of names of one or more words, including small words inside them."""
    runs: list[tuple[int, int]] = []
    for place, token in enumerate(line.tokens):
        if token.kind != "name" or place in skipped:
            continue
        if runs and _joins(line, runs[-1][1], place, known):
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return runs


def _joins(line: Line, end: int, place: int, known: Lexicon) -> bool:
    """Whether at most two small words separate the end of a name and the next name."""
    between: Sequence[Token] = line.tokens[end:place]
    is_short = len(between) <= 2 and all(fold(token.text) in known.joining for token in between)
    return is_short and all(line.is_joined(one) for one in range(end - 1, place))


def _capital(word: str) -> str:
    """The word from its first capital: Irish has "tAontas" and "gCoimisiún"."""
    return word[next((place for place, letter in enumerate(word) if letter.isupper()), 0) :]


# Acts cited by number, with their kind: Regulation 5/2004 is not Directive 5/2004

_ACT: Final = re.compile(r"\d{1,4}/\d{1,4}")
_DIGITS: Final = 4
_JOINING: Final = 3
"""The maximum distance in words of an article's number from the kind of act: "Article 5 of that Regulation"."""
_BEFORE: Final = 8
"""The maximum distance of kind and number of an act: "Regulation of the Council (EC) No 5/2004"."""


def is_act(number: str) -> bool:
    """Whether a number is that of an act.

    >>> is_act("2016/679"), is_act("1/2")
    (True, False)
    """
    return _ACT.match(number) is not None and sum(map(str.isdigit, number)) >= _DIGITS


def kinds(line: Line, known: Lexicon) -> dict[int, str]:
    """The kind of each act that a line cites, by the place of its number; an empty string if none is named."""
    named = known.acts.find(line)
    return {
        place: _kind(place, named, known.act_after_number)
        for place, token in enumerate(line.tokens)
        if token.kind == "number" and is_act(token.text)
    }


def without_article(said: Line, cited: Sequence[Line], known: Lexicon) -> str:
    """The first article of an act in a sentence that the provisions do not cite of that act."""
    given = {pair for line in cited for pair in _articles(line, known)}
    return next((f"{article} … {act}" for article, act in _articles(said, known) if (article, act) not in given), "")


def _articles(line: Line, known: Lexicon) -> list[tuple[str, str]]:
    """Numbers of articles with the number of their act, as in "Article 5 of Regulation …"."""
    numbers = [place for place, token in enumerate(line.tokens) if token.kind == "number"]
    acts = list(kinds(line, known))
    pairs = []
    for one in known.acts.find(line):
        of = [place for place in acts if 0 <= place - one.end < _BEFORE]
        article = [place for place in numbers if 0 < one.start - place <= _JOINING and place not in acts]
        joined = article and all(line.is_joined(place) for place in range(article[-1], one.start))
        if of and joined:
            pairs.append((line.tokens[article[-1]].text, line.tokens[of[0]].text))
    return pairs


def _kind(place: int, named: list[Found], is_after: bool) -> str:
    before = [one.concept for one in reversed(named) if 0 <= place - one.end < _BEFORE]
    after = [one.concept for one in named if 0 < one.start - place <= _BEFORE]
    nearest = [*after, *before] if is_after else [*before, *after]
    return nearest[0] if nearest else ""
