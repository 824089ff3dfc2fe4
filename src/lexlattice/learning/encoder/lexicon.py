"""Texts as the trainer needs them: each a run of word numbers, each word a run of rows in the table of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.encoding.subwords import Hashes32, Places, Spelling, Words, distinct, rows, split, subwords

_TEXTS_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Runs:
    """Many runs of numbers in one array."""

    values: Places
    lengths: Places
    starts: Places

    @classmethod
    def of(cls, values: Places, lengths: Places) -> Runs:
        """Runs of these lengths, one after the other."""
        return cls(values, lengths, np.cumsum(lengths) - lengths)

    def take(self, places: Places) -> Runs:
        """Some of the runs."""
        lengths = self.lengths[places]
        starts = np.cumsum(lengths) - lengths
        index = np.repeat(self.starts[places] - starts, lengths) + np.arange(lengths.sum())
        return Runs(self.values[index], lengths, starts)

    def drop(self, share: float, rng: np.random.Generator) -> Runs:
        """The runs without some of their numbers."""
        kept = rng.random(len(self.values)) >= share
        owners = np.repeat(np.arange(len(self.lengths)), self.lengths)[kept]
        return Runs.of(self.values[kept], np.bincount(owners, minlength=len(self.lengths)))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words of some texts, and the rows that make up each."""

    texts: Runs
    """Word numbers of each text."""
    words: Runs
    """Rows of each word."""
    vocabulary: Hashes32
    """Hashes of the subwords that have a row of their own, sorted: the first rows of the table."""
    counts: NDArray[np.float64]
    """How often each row occurs in the texts; those that words share count as rare."""

    @classmethod
    def build(cls, texts: Sequence[str], spelling: Spelling, size: int, buckets: int) -> Lexicon:
        """With vectors for the most frequent subwords, `size` at most."""
        found, counts = _words(texts)
        unique, _, numbers = distinct(found)
        frequency = np.bincount(numbers, minlength=len(unique.starts) - 1)
        parts = list(subwords(unique, spelling))
        hashes, places = np.unique(np.concatenate([part for _, part in parts]), return_inverse=True)
        owners = np.concatenate([owners for owners, _ in parts])
        occurs = np.bincount(places, weights=frequency[owners], minlength=len(hashes))
        frequent = np.sort(np.argsort(-occurs, kind="stable")[:size])
        vocabulary = hashes[frequent]
        return cls(
            Runs.of(numbers, counts),
            _rows(unique, spelling, vocabulary, buckets),
            vocabulary,
            np.concatenate([occurs[frequent], np.ones(buckets)]),
        )


def _words(texts: Sequence[str]) -> tuple[Words, Places]:
    """The words of very many texts."""
    parts = [split(texts[first : first + _TEXTS_AT_ONCE]) for first in range(0, len(texts), _TEXTS_AT_ONCE)]
    letters = np.concatenate([words.letters for words, _ in parts])
    lengths = np.concatenate([words.lengths for words, _ in parts])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return Words(letters, starts), np.concatenate([counts for _, counts in parts])


def _rows(words: Words, spelling: Spelling, vocabulary: Hashes32, buckets: int) -> Runs:
    parts = list(rows(words, spelling, vocabulary, buckets))
    owners = np.concatenate([owners for owners, _ in parts])
    places = np.concatenate([places for _, places in parts])
    lengths = np.bincount(owners, minlength=len(words.starts) - 1)
    return Runs.of(places[np.argsort(owners, kind="stable")], lengths)
