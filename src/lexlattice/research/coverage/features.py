"""Act and vectors → what the model sees: numbers about units, words and pairs that mean the same in every language."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from lexlattice.act.document import Act
from lexlattice.encoding.tokens import tokenizer
from lexlattice.research.coverage.ngrams import (
    FIRST_RECITALS,
    KINDS,
    Flags,
    Floats,
    Grams,
    Integers,
    Layout,
    Occurrences,
    grams_of,
    layout_of,
    place_features,
    stacked,
    unit_features,
)

__all__ = [
    "KINDS",
    "Features",
    "Flags",
    "Floats",
    "Grams",
    "Integers",
    "Layout",
    "Occurrences",
    "WordEncoder",
    "features_of",
]

_SHORTEST: Final = np.float32(1e-6)
"""No vector is made longer than by this."""
_AT_ONCE: Final = 32
"""Units whose words are gathered together: few enough to stay in the processor's cache."""
_YEAR: Final = 4
"""Digits of a year."""


class WordEncoder(Protocol):
    """What gives words vectors that are near each other where the words mean the same, in any language."""

    def encode_words(self, words: list[str]) -> Floats:
        """A vector for each word, the longer, the more the word matters."""


@dataclass(frozen=True)
class Features:
    """All that the model is told of an act; rows of units, words and pairs."""

    layout: Layout
    grams: Grams
    vectors: Floats
    units: Floats
    word_vectors: Floats
    words: Floats
    pairs: Floats
    unit_anchors: Floats
    """What the act is about: the vectors of its title, of all, of its first recitals and articles, of its articles."""
    word_anchors: Floats
    """The same from the vectors of words."""
    act: Floats
    """One row for the whole act; `with_budget` has what it takes to know the budget."""

    def with_budget(self, words: int) -> Floats:
        """The row for the whole act, for an extract of so many words."""
        share = np.log(max(1, words) / max(1, int(self.grams.of_words.totals.sum())))
        return np.append(self.act, np.array([np.log1p(words), share], np.float32))


def features_of(act: Act, vectors: Floats | None, encoder: WordEncoder) -> Features:
    """The features of an act whose units have these vectors; the words' come from the encoder.

    Without vectors, those of units are the sums of their words': what an encoder gives that knows no more than words,
    in half of its time, since the words are known here. Tables count as empty.
    """
    layout = layout_of(act)
    grams = grams_of([unit.prose for unit in act.units])
    weighted = np.asarray(encoder.encode_words(grams.words), np.float32)
    if vectors is None:
        vectors = _unit_length(_summed(grams.of_words, weighted))
    regions = _anchors(layout)
    near_words = _unit_length(np.stack([_counts_in(grams.of_words, region) for region in regions]) @ weighted)
    near_units = _unit_length(np.stack([region.astype(np.float32) @ vectors for region in regions]))
    weights = np.linalg.norm(weighted, axis=1)
    word_vectors = weighted / np.maximum(weights, _SHORTEST)[:, None]
    headings = _Headings(act, grams)
    return Features(
        layout=layout,
        grams=grams,
        vectors=vectors,
        units=unit_features(layout, vectors @ near_units.T),
        word_vectors=word_vectors,
        words=_word_features(grams, layout, headings, weights, word_vectors @ near_words.T),
        pairs=_pair_features(grams, layout, headings),
        unit_anchors=near_units,
        word_anchors=near_words,
        act=_act_features(grams, layout),
    )


def _anchors(layout: Layout) -> list[Flags]:
    """The parts of an act that say what it is about: title, everything, first recitals, articles 1 and 2, articles."""
    articles, recitals = layout.articles, layout.recitals
    return [
        layout.in_kind("title"),
        np.ones(len(articles), np.bool_),
        (recitals >= 0) & (recitals < FIRST_RECITALS),
        (articles >= 0) & (articles < 2),
        articles >= 0,
    ]


class _Headings:
    """Which words and pairs are in the title, and in how many headings each is: "Article 5 — Penalties"."""

    def __init__(self, act: Act, grams: Grams) -> None:
        tokenize = tokenizer("unicode")
        self._numbers = {word: number for number, word in enumerate(grams.words)}
        self._codes = grams.pairs @ np.array([len(grams.words), 1])
        title = tokenize(act.title)
        self.title_words, self.title_pairs = (
            self._of_words(Counter({*title})),
            self._of_pairs(Counter({*pairwise(title)})),
        )
        words: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        texts = [section.heading for section in act.sections]
        texts += dict.fromkeys(heading for section in act.sections for heading in section.enclosing)
        for text in texts:
            tokens = tokenize(text)
            words.update({*tokens})
            pairs.update({*pairwise(tokens)})
        self.words, self.pairs = self._of_words(words), self._of_pairs(pairs)

    def _of_words(self, counts: Counter[str]) -> Integers:
        """The count of each word of the act."""
        found = np.zeros(len(self._numbers), np.int64)
        for word, count in counts.items():
            if word in self._numbers:
                found[self._numbers[word]] = count
        return found

    def _of_pairs(self, counts: Counter[tuple[str, str]]) -> Integers:
        """The count of each pair of the act, by the numbers of its words."""
        found, numbers, size = np.zeros(len(self._codes), np.int64), self._numbers, len(self._numbers)
        known = {
            numbers[left] * size + numbers[right]: count
            for (left, right), count in counts.items()
            if left in numbers and right in numbers
        }
        wanted = np.fromiter(known, np.int64, len(known))
        places = np.minimum(np.searchsorted(self._codes, wanted), max(0, len(self._codes) - 1))
        is_there = self._codes[places] == wanted if len(self._codes) else np.zeros(len(wanted), np.bool_)
        found[places[is_there]] = np.fromiter(known.values(), np.int64, len(known))[is_there]
        return found


def _word_features(grams: Grams, layout: Layout, headings: _Headings, weights: Floats, likeness: Floats) -> Floats:
    words, totals = grams.words, np.maximum(grams.of_words.totals, 1)
    before = np.bincount(grams.pairs[:, 1], minlength=len(words))
    after = np.bincount(grams.pairs[:, 0], minlength=len(words))
    is_number = np.fromiter(map(str.isdigit, words), np.bool_, len(words))
    columns = [
        *place_features(grams.of_words, layout),
        headings.title_words,
        np.log1p(headings.words),
        np.log1p(before),
        np.log1p(after),
        before / totals,
        after / totals,
        is_number,
        is_number & (np.fromiter(map(len, words), np.int64, len(words)) == _YEAR),
        weights,
    ]
    return np.concatenate([stacked(columns), likeness], axis=1)


def _pair_features(grams: Grams, layout: Layout, headings: _Headings) -> Floats:
    totals = np.maximum(grams.of_pairs.totals, 1)
    word_totals = np.maximum(grams.of_words.totals, 1)
    first, second = word_totals[grams.pairs[:, 0]], word_totals[grams.pairs[:, 1]]
    return stacked(
        [
            *place_features(grams.of_pairs, layout),
            headings.title_pairs,
            np.log1p(headings.pairs),
            np.log(totals / first),
            np.log(totals / second),
            np.log(totals * word_totals.sum() / (first * second)),
        ]
    )


def _act_features(grams: Grams, layout: Layout) -> Floats:
    units = len(layout.words)
    sizes = [grams.of_words.totals.sum(), units, layout.section_count, layout.article_count]
    shares = [layout.in_kind(kind).sum() / max(1, units) for kind in ("article", "annex", "recitals", "notes")]
    return np.array([*np.log1p(sizes), *shares], np.float32)


def _counts_in(occurrences: Occurrences, region: Flags) -> Floats:
    """How often each gram occurs in a part of the act."""
    counts = np.where(region[occurrences.units], occurrences.counts, 0)
    return np.bincount(occurrences.grams, counts, occurrences.gram_count).astype(np.float32)


def _summed(occurrences: Occurrences, vectors: Floats) -> Floats:
    """For each unit the sum of its words' vectors, each as often as the word occurs."""
    sums = np.zeros((occurrences.unit_count, vectors.shape[1]), np.float32)
    counts, starts = occurrences.counts.astype(np.float32), occurrences.starts.tolist()
    for first in range(0, len(sums), _AT_ONCE):
        limits = starts[first : first + _AT_ONCE + 1]
        gathered = vectors[occurrences.grams[limits[0] : limits[-1]]]
        for unit, (begin, end) in enumerate(pairwise(limits), first):
            np.dot(counts[begin:end], gathered[begin - limits[0] : end - limits[0]], out=sums[unit])
    return sums


def _unit_length(vectors: Floats) -> Floats:
    scaled: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _SHORTEST)
    return scaled
