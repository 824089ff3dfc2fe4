r"""Passages of an act in an extract: where the act has them, and how much of the extract fits a number of words.

Each line of an extract is searched for in the act after the previous one, or else from the start. Of a line that the
act does not have as a whole, the runs of at least `SHORTEST_RUN` words that it has are taken; all other words are
lost. So what an abstractive system writes counts where it quotes the act.

>>> text = "1. Keepers shall register each hive.\n2. Registration is free."
>>> locate(text, "Registration is free.\nKeepers pay nothing.").verbatim
0.5
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.lazy import cached_property
from lexlattice.errors import DataError
from lexlattice.evaluation.gold import WORD, Place

SHORTEST_RUN: Final = 5
"""Words in a row that make a quotation inside a line that is not one as a whole."""
_TOKEN: Final = re.compile(r"\S+")
_CORE: Final = re.compile(r"\w(?:\S*\w)?")
"""A token without the punctuation around it."""

Item = TypeVar("Item", bound=Hashable)


class Passages(str):
    """Passages of an act, one a line, with the index of the word at which each begins: they need no search."""

    __slots__ = ("starts",)
    starts: tuple[int, ...]

    def __new__(cls, text: str, starts: Iterable[int]) -> Self:
        """Make the text of the passages; there is a start for each line."""
        made = super().__new__(cls, text)
        made.starts = tuple(starts)
        return made

    def __getnewargs__(self) -> tuple[str, tuple[int, ...]]:  # type: ignore[override]
        """Keep the starts when pickled."""
        return str(self), self.starts

    @classmethod
    def at(cls, reference: str, places: Sequence[Place]) -> Passages:
        """The passages at places of a text, in the order given; empty places are left out.

        Raises:
            DataError: The text has no such place.

        """
        spans = [match.span() for match in WORD.finditer(reference)]
        lines, starts = [], []
        for start, end in places:
            if not 0 <= start <= end <= len(spans):
                raise DataError(f"The act has {len(spans):,} words, but none at {start}–{end}; check the extract.")
            if start < end:
                lines.append(" ".join(reference[spans[start][0] : spans[end - 1][1]].split()))
                starts.append(start)
        return cls("\n".join(lines), starts)


class Located(NamedTuple):
    """Where an act has the words of an extract."""

    inside: NDArray[np.bool_]
    """For each word of the act, whether the extract contains it."""
    found: int
    """Words of the extract that were found."""
    lost: int
    """Words of the extract that were not."""

    @property
    def verbatim(self) -> float:
        """The share of the extract's words that were found; 0 for an extract without words."""
        return self.found / max(1, self.found + self.lost)


def locate(reference: str, extract: str | Iterable[str]) -> Located:
    """Find an extract, given as text or as its lines, in the text of an act."""
    search = _Search(WORD.findall(reference))
    inside = np.zeros(len(search.words), dtype=bool)
    lines = extract.split("\n") if isinstance(extract, str) else extract
    starts = extract.starts if isinstance(extract, Passages) else ()
    total = found = 0
    for line, start in zip_longest(lines, starts):
        piece = WORD.findall(line or "")
        total += len(piece)
        for place, size in search.places(piece) if start is None else [(start, len(piece))]:
            inside[place : place + size] = True
            found += size
    return Located(inside, found, total - found)


class _Search:
    """Searches for the lines of an extract one after another."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self._firsts = _index(words)
        self._at = 0
        """Where the search for the next line begins."""

    def places(self, piece: Sequence[str]) -> list[tuple[int, int]]:
        """Where the words of a line are and how many of them: all, or the longest runs from left to right."""
        if not piece:
            return []
        size = len(piece)
        if hits := [hit for hit in self._firsts.get(piece[0], ()) if self.words[hit : hit + size] == piece]:
            return [(self._next(hits, size), size)]
        found, first = [], 0
        while first + SHORTEST_RUN <= len(piece):
            rest = piece[first:]
            lengths = {hit: self._length(hit, rest) for hit in self._runs.get(tuple(rest[:SHORTEST_RUN]), ())}
            size = max(lengths.values(), default=0)
            if size:
                longest = [hit for hit, length in lengths.items() if length == size]
                found.append((self._next(longest, size), size))
            first += max(1, size)
        return found

    @cached_property
    def _runs(self) -> dict[tuple[str, ...], list[int]]:
        """The places of all runs of the shortest length; few extracts need them."""
        return _index(list(zip(*(self.words[start:] for start in range(SHORTEST_RUN)), strict=False)))

    def _length(self, place: int, piece: Sequence[str]) -> int:
        """How many words of a piece the act has from this place on."""
        theirs = self.words[place : place + len(piece)]
        pairs = zip(piece, theirs, strict=False)
        return next((count for count, (one, other) in enumerate(pairs) if one != other), len(theirs))

    def _next(self, hits: Sequence[int], size: int) -> int:
        """The first hit after the previous line, which the next search then begins after; else the first of all."""
        later = next((hit for hit in hits if hit >= self._at), None)
        if later is None:
            return hits[0]
        self._at = later + size
        return later


def _index(items: Iterable[Item]) -> dict[Item, list[int]]:
    places: dict[Item, list[int]] = {}
    for place, item in enumerate(items):
        places.setdefault(item, []).append(place)
    return places


class Ruler:
    """Counts the words of extracts, and cuts them to a length.

    A token that an act has counts as one word, as in the length of its summary; any other counts as the words in it, so
    that words do not become fewer by leaving out the space between them.
    """

    def __init__(self, *texts: str) -> None:
        self._known = {token for text in texts for token in _CORE.findall(text)}

    def cut(self, extract: str, words: int) -> tuple[str, int, int]:
        """The extract without the tokens at its end that exceed a number of words, its words before, and after."""
        total = kept = end = 0
        for token in _TOKEN.finditer(extract):
            total += self._words(token[0])
            if total <= words:
                kept, end = total, token.end()
        if total == kept:
            return extract, total, kept
        starts = extract.starts if isinstance(extract, Passages) else None
        text = extract[:end]
        return (text if starts is None else Passages(text, starts)), total, kept

    def _words(self, token: str) -> int:
        core = _CORE.search(token)
        return 1 if core and core[0] in self._known else max(1, len(WORD.findall(token)))
