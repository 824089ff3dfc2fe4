"""Features of units, words and bigrams that mean the same in every language: the input of the coverage model."""

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
    Integers,
    Layout,
    NGrams,
    Occurrences,
    layout_of,
    ngrams_of,
    place_features,
    stacked,
    unit_features,
)

__all__ = [
    "KINDS",
    "Features",
    "Flags",
    "Floats",
    "Integers",
    "Layout",
    "NGrams",
    "Occurrences",
    "WordEncoder",
    "features_of",
]

_SHORTEST: Final = np.float32(1e-6)
"""Guards against division by the norm of a zero vector."""
_CHUNK: Final = 32
"""Units whose word vectors are gathered together; few enough to stay in the CPU cache."""
_YEAR_DIGITS: Final = 4


class WordEncoder(Protocol):
    """An encoder of single words into a vector space that languages share."""

    def encode_words(self, words: list[str]) -> Floats:
        """Return one vector per word; its norm is the weight of the word."""


@dataclass(frozen=True)
class Features:
    """The input of the model for one act; rows are units, words or bigrams."""

    layout: Layout
    ngrams: NGrams
    vectors: Floats
    units: Floats
    word_vectors: Floats
    words: Floats
    bigrams: Floats
    unit_anchors: Floats
    """Vectors of the act's topic: title, whole act, first recitals, articles 1 and 2, all articles."""
    word_anchors: Floats
    """The same, from word vectors."""
    act: Floats
    """One row for the whole act; `with_budget` adds the features of the budget."""

    def with_budget(self, words: int) -> Floats:
        """Return the row of the whole act, for an extract of `words` words."""
        share = np.log(max(1, words) / max(1, int(self.ngrams.of_words.totals.sum())))
        return np.append(self.act, np.array([np.log1p(words), share], np.float32))


def features_of(act: Act, vectors: Floats | None, encoder: WordEncoder) -> Features:
    """Compute the features of an act; word vectors come from the encoder.

    Without `vectors`, a unit's vector is the normalized sum of its word vectors. That equals what a bag-of-words
    encoder returns, in half the time, since the words are tokenized here anyway. Tables count as empty.
    """
    layout = layout_of(act)
    ngrams = ngrams_of([unit.prose for unit in act.units])
    weighted = np.asarray(encoder.encode_words(ngrams.words), np.float32)
    if vectors is None:
        vectors = _unit_length(_summed(ngrams.of_words, weighted))
    regions = _anchors(layout)
    near_words = _unit_length(np.stack([_counts_in(ngrams.of_words, region) for region in regions]) @ weighted)
    near_units = _unit_length(np.stack([region.astype(np.float32) @ vectors for region in regions]))
    weights = np.linalg.norm(weighted, axis=1)
    word_vectors = weighted / np.maximum(weights, _SHORTEST)[:, None]
    headings = _Headings(act, ngrams)
    return Features(
        layout=layout,
        ngrams=ngrams,
        vectors=vectors,
        units=unit_features(layout, vectors @ near_units.T),
        word_vectors=word_vectors,
        words=_word_features(ngrams, layout, headings, weights, word_vectors @ near_words.T),
        bigrams=_bigram_features(ngrams, layout, headings),
        unit_anchors=near_units,
        word_anchors=near_words,
        act=_act_features(ngrams, layout),
    )


def _anchors(layout: Layout) -> list[Flags]:
    """Masks of the units that state the topic: title, whole act, first recitals, articles 1 and 2, all articles."""
    articles, recitals = layout.articles, layout.recitals
    return [
        layout.in_kind("title"),
        np.ones(len(articles), np.bool_),
        (recitals >= 0) & (recitals < FIRST_RECITALS),
        (articles >= 0) & (articles < 2),
        articles >= 0,
    ]


class _Headings:
    """Words and bigrams of the title, and the number of headings that contain each: "Article 5 — Penalties"."""

    def __init__(self, act: Act, ngrams: NGrams) -> None:
        tokenize = tokenizer("unicode")
        self._numbers = {word: number for number, word in enumerate(ngrams.words)}
        self._codes = ngrams.bigrams @ np.array([len(ngrams.words), 1])
        title = tokenize(act.title)
        self.title_words, self.title_bigrams = (
            self._of_words(Counter({*title})),
            self._of_bigrams(Counter({*pairwise(title)})),
        )
        words: Counter[str] = Counter()
        bigrams: Counter[tuple[str, str]] = Counter()
        texts = [section.heading for section in act.sections]
        texts += dict.fromkeys(heading for section in act.sections for heading in section.enclosing)
        for text in texts:
            tokens = tokenize(text)
            words.update({*tokens})
            bigrams.update({*pairwise(tokens)})
        self.words, self.bigrams = self._of_words(words), self._of_bigrams(bigrams)

    def _of_words(self, counts: Counter[str]) -> Integers:
        """Align counts with the words of the act."""
        found = np.zeros(len(self._numbers), np.int64)
        for word, count in counts.items():
            if word in self._numbers:
                found[self._numbers[word]] = count
        return found

    def _of_bigrams(self, counts: Counter[tuple[str, str]]) -> Integers:
        """Align counts with the bigrams of the act, whose codes are sorted."""
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


def _word_features(ngrams: NGrams, layout: Layout, headings: _Headings, weights: Floats, similarity: Floats) -> Floats:
    words, totals = ngrams.words, np.maximum(ngrams.of_words.totals, 1)
    before = np.bincount(ngrams.bigrams[:, 1], minlength=len(words))
    after = np.bincount(ngrams.bigrams[:, 0], minlength=len(words))
    is_number = np.fromiter(map(str.isdigit, words), np.bool_, len(words))
    columns = [
        *place_features(ngrams.of_words, layout),
        headings.title_words,
        np.log1p(headings.words),
        np.log1p(before),
        np.log1p(after),
        before / totals,
        after / totals,
        is_number,
        is_number & (np.fromiter(map(len, words), np.int64, len(words)) == _YEAR_DIGITS),
        weights,
    ]
    return np.concatenate([stacked(columns), similarity], axis=1)


def _bigram_features(ngrams: NGrams, layout: Layout, headings: _Headings) -> Floats:
    totals = np.maximum(ngrams.of_bigrams.totals, 1)
    word_totals = np.maximum(ngrams.of_words.totals, 1)
    first, second = word_totals[ngrams.bigrams[:, 0]], word_totals[ngrams.bigrams[:, 1]]
    return stacked(
        [
            *place_features(ngrams.of_bigrams, layout),
            headings.title_bigrams,
            np.log1p(headings.bigrams),
            np.log(totals / first),
            np.log(totals / second),
            np.log(totals * word_totals.sum() / (first * second)),
        ]
    )


def _act_features(ngrams: NGrams, layout: Layout) -> Floats:
    units = len(layout.words)
    sizes = [ngrams.of_words.totals.sum(), units, layout.section_count, layout.article_count]
    shares = [layout.in_kind(kind).sum() / max(1, units) for kind in ("article", "annex", "recitals", "notes")]
    return np.array([*np.log1p(sizes), *shares], np.float32)


def _counts_in(occurrences: Occurrences, region: Flags) -> Floats:
    """Return how often each n-gram occurs in a part of the act."""
    counts = np.where(region[occurrences.units], occurrences.counts, 0)
    return np.bincount(occurrences.ngrams, counts, occurrences.ngram_count).astype(np.float32)


def _summed(occurrences: Occurrences, vectors: Floats) -> Floats:
    """Return the sum of each unit's word vectors, weighted by their counts."""
    sums = np.zeros((occurrences.unit_count, vectors.shape[1]), np.float32)
    counts, starts = occurrences.counts.astype(np.float32), occurrences.starts.tolist()
    for first in range(0, len(sums), _CHUNK):
        limits = starts[first : first + _CHUNK + 1]
        gathered = vectors[occurrences.ngrams[limits[0] : limits[-1]]]
        for unit, (begin, end) in enumerate(pairwise(limits), first):
            np.dot(counts[begin:end], gathered[begin - limits[0] : end - limits[0]], out=sums[unit])
    return sums


def _unit_length(vectors: Floats) -> Floats:
    scaled: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), _SHORTEST)
    return scaled
