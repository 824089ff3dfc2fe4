"""Names as wholes: the words of a name must stand together in one provision, as they do in the sentence.

"Court" and "Auditors" in one provision make no "Court of Auditors". Institutions that are known by name are compared in
any case and with or without capitals, kinds of acts likewise; other names letter for letter.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lexlattice.reading.grammar import fold
from lexlattice.rewriting.lexicon import Lexicon
from lexlattice.rewriting.tokens import Line, Token


class Named:
    """A line with the bodies in it."""

    def __init__(self, line: Line, known: Lexicon) -> None:
        self.line = line
        self.found = known.bodies.find(line)
        self.known = {
            place: one.concept for one in (*known.acts.find(line), *self.found) for place in range(one.start, one.end)
        }
        """Bodies and kinds of acts, which are the same in any case."""

    def has(self, other: Named, start: int, end: int) -> bool:
        """Whether the words of another line from one place to another stand here, one after the other."""
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
    """The first name that stands in no provision as a whole; `skipped` are places that are no names."""
    for start, end in _runs(said.line, known, skipped):
        if not any(named.has(said, start, end) for named in cited):
            return said.line.text(start, end)
    return ""


def is_code(word: str) -> bool:
    """An acronym, or the sign or code of a currency."""
    return sum(map(str.isupper, word)) > 1 or word in ("€", "$", "£", "§")


def _runs(line: Line, known: Lexicon, skipped: Collection[int]) -> list[tuple[int, int]]:
    """Names of one or more words, with the small words inside them."""
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
    """Whether nothing but small words, and not too many, stands between the end of a run and the next name."""
    between: Sequence[Token] = line.tokens[end:place]
    is_short = len(between) <= 2 and all(fold(token.text) in known.joining for token in between)
    return is_short and all(line.is_joined(one) for one in range(end - 1, place))


def _capital(word: str) -> str:
    """From the first capital on: Irish writes "an tAontas", "gCoimisiún"."""
    return word[next((place for place, letter in enumerate(word) if letter.isupper()), 0) :]
