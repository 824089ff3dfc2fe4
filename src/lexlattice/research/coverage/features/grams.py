"""The words of an act, and the pairs of words that follow one another in a unit, as numbers; and where each occurs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.tokens import tokenizer

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Occurrences:
    """How often each gram occurs in each unit where it does, unit by unit."""

    units: Integers
    grams: Integers
    counts: Integers
    unit_count: int
    gram_count: int

    @cached_property
    def totals(self) -> Integers:
        """How often each gram occurs in all units."""
        return np.bincount(self.grams, self.counts, self.gram_count).astype(np.int64)

    @cached_property
    def starts(self) -> Integers:
        """Where the entries of each unit begin, and where the last one's end."""
        return np.searchsorted(self.units, np.arange(self.unit_count + 1))

    @cached_property
    def by_gram(self) -> Integers:
        """The entries, gram by gram."""
        places = np.arange(len(self.grams))
        return np.sort(self.grams * len(places) + places) % max(1, len(places))  # much faster than a stable argsort

    @cached_property
    def gram_starts(self) -> Integers:
        """Where in `by_gram` the entries of each gram begin, and where the last one's end."""
        return np.searchsorted(self.grams[self.by_gram], np.arange(self.gram_count + 1))

    @cached_property
    def unit_counts(self) -> Integers:
        """In how many units each gram occurs."""
        return np.diff(self.gram_starts)


class Grams(NamedTuple):
    """The words and pairs of an act."""

    words: list[str]
    """As the tokenizer `unicode` has them, in the order in which they first occur."""
    of_words: Occurrences
    pairs: Integers
    """The two words of each pair, by their numbers."""
    of_pairs: Occurrences


def grams_of(texts: Sequence[str]) -> Grams:
    """All words and pairs of some texts.

    >>> grams = grams_of(["The label shall be legible.", "The label shall be"])
    >>> grams.words, grams.of_words.totals.tolist(), grams.of_pairs.totals.tolist()
    (['the', 'label', 'shall', 'be', 'legible'], [2, 2, 2, 2, 1], [2, 2, 2, 1])
    """
    tokenize = tokenizer("unicode")
    tokens = [tokenize(text) for text in texts]
    lengths = [len(unit) for unit in tokens]
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # whatever word is new gets the next number
    flat = np.fromiter(map(numbers.__getitem__, chain.from_iterable(tokens)), np.int64, sum(lengths))
    unit_of = np.repeat(np.arange(len(tokens)), lengths)
    of_words = _occurrences(unit_of, flat, len(tokens), len(numbers))
    inside = unit_of[1:] == unit_of[:-1]
    codes, pair_of = np.unique((flat[:-1] * len(numbers) + flat[1:])[inside], return_inverse=True)
    of_pairs = _occurrences(unit_of[:-1][inside], pair_of.reshape(-1), len(tokens), len(codes))
    pairs = np.stack(np.divmod(codes, max(1, len(numbers))), axis=1)
    return Grams(list(numbers), of_words, pairs, of_pairs)


def _occurrences(units: Integers, grams: Integers, unit_count: int, gram_count: int) -> Occurrences:
    codes, counts = np.unique(units * max(1, gram_count) + grams, return_counts=True)
    return Occurrences(*np.divmod(codes, max(1, gram_count)), counts, unit_count, gram_count)
