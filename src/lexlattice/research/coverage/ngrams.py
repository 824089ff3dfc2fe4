"""N-grams of an act as integers, where they occur, and features of their positions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.lazy import cached_property
from lexlattice.act.document import SECTION_KINDS, UNIT_KINDS, Act
from lexlattice.encoding.tokens import tokenizer

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Occurrences:
    """A sparse units × n-grams matrix of counts, sorted by unit: one entry per n-gram of each unit."""

    units: Integers
    ngrams: Integers
    counts: Integers
    unit_count: int
    ngram_count: int

    @cached_property
    def totals(self) -> Integers:
        """The total count of each n-gram."""
        return np.bincount(self.ngrams, self.counts, self.ngram_count).astype(np.int64)

    @cached_property
    def starts(self) -> Integers:
        """The first entry of each unit, and the end of the last."""
        return np.searchsorted(self.units, np.arange(self.unit_count + 1))

    @cached_property
    def by_ngram(self) -> Integers:
        """The indices of entries, sorted by n-gram."""
        places = np.arange(len(self.ngrams))
        # sorting unique codes gives a stable order, and is much faster than a stable argsort
        return np.sort(self.ngrams * len(places) + places) % max(1, len(places))

    @cached_property
    def ngram_starts(self) -> Integers:
        """The first entry of each n-gram in `by_ngram`, and the end of the last."""
        return np.searchsorted(self.ngrams[self.by_ngram], np.arange(self.ngram_count + 1))

    @cached_property
    def unit_counts(self) -> Integers:
        """The number of units that contain each n-gram."""
        return np.diff(self.ngram_starts)


class NGrams(NamedTuple):
    """The words and bigrams of an act."""

    words: list[str]
    """Tokens of the tokenizer `unicode`, in the order of their first occurrence."""
    of_words: Occurrences
    bigrams: Integers
    """Bigrams × 2: the indices of their words."""
    of_bigrams: Occurrences


def ngrams_of(texts: Sequence[str]) -> NGrams:
    """Index all words and bigrams of some texts; bigrams do not cross texts.

    >>> ngrams = ngrams_of(["The label shall be legible.", "The label shall be"])
    >>> ngrams.words, ngrams.of_words.totals.tolist(), ngrams.of_bigrams.totals.tolist()
    (['the', 'label', 'shall', 'be', 'legible'], [2, 2, 2, 2, 1], [2, 2, 2, 1])
    """
    tokenize = tokenizer("unicode")
    tokens = [tokenize(text) for text in texts]
    lengths = [len(unit) for unit in tokens]
    numbers: defaultdict[str, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new word gets the next index
    flat = np.fromiter(map(numbers.__getitem__, chain.from_iterable(tokens)), np.int64, sum(lengths))
    unit_of = np.repeat(np.arange(len(tokens)), lengths)
    of_words = _occurrences(unit_of, flat, len(tokens), len(numbers))
    inside = unit_of[1:] == unit_of[:-1]
    codes, bigram_of = np.unique((flat[:-1] * len(numbers) + flat[1:])[inside], return_inverse=True)
    of_bigrams = _occurrences(unit_of[:-1][inside], bigram_of.reshape(-1), len(tokens), len(codes))
    bigrams = np.stack(np.divmod(codes, max(1, len(numbers))), axis=1)
    return NGrams(list(numbers), of_words, bigrams, of_bigrams)


def _occurrences(units: Integers, ngrams: Integers, unit_count: int, ngram_count: int) -> Occurrences:
    codes, counts = np.unique(units * max(1, ngram_count) + ngrams, return_counts=True)
    return Occurrences(*np.divmod(codes, max(1, ngram_count)), counts, unit_count, ngram_count)


# --- layout: the structure of the act ---------------------------------------------------------------------

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

_SECTION: Final = {kind: place for place, kind in enumerate(SECTION_KINDS)}
TRAINED_KINDS: Final = tuple(kind for kind in UNIT_KINDS if kind != "table")
"""Kinds of units that the model distinguishes; tables, which are never selected, count as paragraphs."""
_UNIT: Final = {kind: place for place, kind in enumerate(TRAINED_KINDS)} | {"table": TRAINED_KINDS.index("paragraph")}

FIRST_RECITALS: Final = 4
SHORT, LONG = 12, 40  # words


class Layout(NamedTuple):
    """The position of each unit in the act; numbers count from 0, and -1 means none."""

    sections: Integers
    section_kinds: Integers
    unit_kinds: Integers
    positions: Integers
    """Within the section."""
    depths: Integers
    """Depth of the numbering: 0 for an article's only paragraph, 2 for a point of an indent."""
    words: Integers
    articles: Integers
    """Index of the unit's article; -1 in annexes and recitals."""
    recitals: Integers
    """Index of the unit's recital."""
    tables: Integers
    """1 for tables, 0 otherwise."""

    @property
    def places(self) -> Floats:
        """The relative position of each unit, from 0 to 1."""
        count = len(self.words)
        return ((np.arange(count) + 0.5) / max(1, count)).astype(np.float32)

    @property
    def section_count(self) -> int:
        """The number of non-empty sections, which are numbered without gaps."""
        return int(self.sections.max()) + 1 if self.sections.size else 0

    @property
    def article_count(self) -> int:
        """The number of non-empty articles."""
        return int(self.articles.max()) + 1 if self.articles.size else 0

    def in_kind(self, kind: str) -> Flags:
        """The mask of units in sections of a kind."""
        return np.asarray(self.section_kinds == _SECTION[kind])

    def regions(self) -> list[Flags]:
        """Masks of regions from which summaries take more, or less, than from others."""
        in_article, in_recital = self.articles >= 0, self.recitals >= 0
        return [
            self.articles == 0,
            self.articles == 1,
            (self.articles >= 2) & (self.articles < 5),
            in_article & (self.articles >= self.article_count - 2),
            in_recital & (self.recitals < 2),
            in_recital & (self.recitals >= 2) & (self.recitals < 6),
            in_article & (self.positions == 0),
            self.words < SHORT,
            self.words >= LONG,
        ]


def layout_of(act: Act) -> Layout:
    """Compute the layout of an act."""
    units = act.units
    kinds = {section.index: section.kind for section in act.sections}
    filled = [section.index for section in act.sections if section.units]
    row = {index: place for place, index in enumerate(filled)}
    article = {index: place for place, index in enumerate(index for index in filled if kinds[index] == "article")}
    recitals = [unit.position if kinds[unit.section] == "recitals" else -1 for unit in units]
    columns: list[list[int]] = [
        [row[unit.section] for unit in units],
        [_SECTION[kinds[unit.section]] for unit in units],
        [_UNIT[unit.kind] for unit in units],
        [unit.position for unit in units],
        [unit.provision.count(".") for unit in units],
        [unit.words for unit in units],
        [article.get(unit.section, -1) for unit in units],
        recitals,
        [int(unit.kind == "table") for unit in units],
    ]
    return Layout(*(np.array(column, dtype=np.int64) for column in columns))


# --- position features of n-grams and units ---------------------------------------------------------------

Numbers = NDArray[np.float64]


def place_features(occurrences: Occurrences, layout: Layout) -> list[Numbers]:
    """Return feature columns of all n-grams, which depend on where they occur and never on their letters.

    Counts in total, per kind of section, in units, in sections and in regions; their shares; the first, last and mean
    position; the mean length of the units; and the rank by frequency.
    """
    size, starts = occurrences.ngram_count, occurrences.ngram_starts[:-1]
    units = occurrences.units[occurrences.by_ngram]
    totals, in_units = np.maximum(occurrences.totals, 1), occurrences.unit_counts
    in_sections = np.add.reduceat(_is_first_in_section(layout.sections[units], starts), starts)
    places = layout.places.astype(np.float64)
    in_kinds = _counted_by(occurrences, layout.section_kinds, len(SECTION_KINDS))
    ranks = np.empty(size)
    ranks[np.argsort(-totals, kind="stable")] = np.arange(size)
    return [
        _logs(totals),
        *_logs(in_kinds),
        *(counts / totals for counts in in_kinds),
        _logs(in_units),
        in_units / max(1, len(layout.words)),
        _logs(in_sections),
        in_sections / max(1, layout.section_count),
        places[units[starts]],
        places[units[occurrences.ngram_starts[1:] - 1]],
        _summed(occurrences, places) / totals,
        *(_logs(_counted(occurrences, region)) for region in layout.regions()),
        _summed(occurrences, np.log1p(layout.words)) / totals,
        np.log1p(ranks),
        ranks / max(1, size),
    ]


def stacked(columns: Sequence[Numbers | Integers]) -> Floats:
    """Stack columns into a float32 matrix."""
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def _logs(counts: Integers) -> Numbers:
    """Return log(1 + count) by table lookup, which is faster, since most counts are small."""
    table: Numbers = np.log1p(np.arange(counts.max(initial=0) + 1))
    return table[counts]


def _summed(occurrences: Occurrences, of_units: Numbers) -> Numbers:
    """Return the sum of a unit feature over the occurrences of each n-gram."""
    weights = occurrences.counts * of_units[occurrences.units]
    return np.asarray(np.bincount(occurrences.ngrams, weights, occurrences.ngram_count), np.float64)


def _counted(occurrences: Occurrences, region: Flags) -> Integers:
    """Return how often each n-gram occurs in a part of the act."""
    inside = region[occurrences.units]
    counts = np.bincount(occurrences.ngrams[inside], occurrences.counts[inside], occurrences.ngram_count)
    return counts.astype(np.int64)


def _counted_by(occurrences: Occurrences, kinds: Integers, count: int) -> Integers:
    """Return kinds × n-grams: how often each n-gram occurs in units of each kind."""
    cells = occurrences.ngrams + kinds[occurrences.units] * occurrences.ngram_count
    counts = np.bincount(cells, occurrences.counts, count * occurrences.ngram_count)
    return counts.astype(np.int64).reshape(count, -1)


def _is_first_in_section(sections: Integers, starts: Integers) -> Integers:
    """Whether an entry is the first of its n-gram in a section; entries of an n-gram are in document order."""
    is_first = np.diff(sections, prepend=-1) != 0
    is_first[starts] = True
    return np.asarray(is_first, np.int64)


def unit_features(layout: Layout, similarity: Floats) -> Floats:
    """Return one row per unit; `similarity` holds its cosine similarities to the act's anchors.

    One-hot kinds of section and unit; then length, positions in the act, section and numbering, and flags of the
    articles and recitals that summaries prefer.
    """
    sections, articles, positions = layout.sections, layout.articles, layout.positions
    lengths = np.bincount(sections, minlength=1)[sections] if sections.size else sections
    numbers = [
        np.log1p(layout.words),
        layout.places,
        np.log1p(positions),
        positions / np.maximum(lengths, 1),
        np.log1p(lengths),
        sections / max(1, layout.section_count),
        np.log1p(sections),
        layout.depths,
        articles == 0,
        articles == 1,
        (articles >= 0) & (articles >= layout.article_count - 2),
        np.log1p(np.maximum(layout.recitals, 0)),
        np.maximum(articles, 0) / max(1, layout.article_count),
    ]
    return np.concatenate(
        [
            np.eye(len(SECTION_KINDS), dtype=np.float32)[layout.section_kinds],
            np.eye(len(TRAINED_KINDS), dtype=np.float32)[layout.unit_kinds],
            np.stack([np.asarray(column, np.float32) for column in numbers], axis=1),
            similarity,
        ],
        axis=1,
    )


KINDS: int = len(SECTION_KINDS) + len(TRAINED_KINDS)
"""The number of one-hot columns of `unit_features`, which come first."""
