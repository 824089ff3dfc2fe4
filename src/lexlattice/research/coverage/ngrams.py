"""The words of an act, and the pairs of words that follow one another in a unit, as numbers; and where each occurs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import SECTION_KINDS, UNIT_KINDS, Act
from lexlattice.encoding.tokens import tokenizer

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


# Where each unit of an act stands: all that words, pairs and units are told of an act's structure.

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

_SECTION: Final = {kind: place for place, kind in enumerate(SECTION_KINDS)}
LEARNT_KINDS: Final = tuple(kind for kind in UNIT_KINDS if kind != "table")
"""Kinds of units that models tell apart; a table, which is never chosen, is a paragraph to them."""
_UNIT: Final = {kind: place for place, kind in enumerate(LEARNT_KINDS)} | {"table": LEARNT_KINDS.index("paragraph")}

FIRST_RECITALS: Final = 4
SHORT, LONG = 12, 40  # words


class Layout(NamedTuple):
    """For each unit of an act in reading order; numbers count from 0, and -1 means that it has none."""

    sections: Integers
    section_kinds: Integers
    unit_kinds: Integers
    positions: Integers
    """Within the section."""
    depths: Integers
    """How deep the numbering goes: 0 for an article's only paragraph, 2 for a point of an indent."""
    words: Integers
    articles: Integers
    """Which article it belongs to, in the order of the act; annexes and recitals have none."""
    recitals: Integers
    """Which recital it belongs to."""
    tables: Integers
    """1 for a table, 0 for any other unit."""

    @property
    def places(self) -> Floats:
        """From 0, where the act begins, to 1, where it ends."""
        count = len(self.words)
        return ((np.arange(count) + 0.5) / max(1, count)).astype(np.float32)

    @property
    def section_count(self) -> int:
        """Sections with units; they are numbered without a gap."""
        return int(self.sections.max()) + 1 if self.sections.size else 0

    @property
    def article_count(self) -> int:
        """Articles with units."""
        return int(self.articles.max()) + 1 if self.articles.size else 0

    def in_kind(self, kind: str) -> Flags:
        """Which units are in sections of a kind."""
        return np.asarray(self.section_kinds == _SECTION[kind])

    def regions(self) -> list[Flags]:
        """Stretches of an act where summaries find more than elsewhere, or less."""
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
    """The layout of an act."""
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


# What is known of a word or a pair from where it occurs: the same questions for both, and none about its letters.

Numbers = NDArray[np.float64]


def place_features(occurrences: Occurrences, layout: Layout) -> list[Numbers]:
    """Columns of features, each with a value for every gram.

    How often it occurs: in all, in sections of each kind, in units, in sections and in the regions that matter. How
    these are shared out; where it occurs first, last and on average; in how long units; and its rank by frequency.
    """
    size, starts = occurrences.gram_count, occurrences.gram_starts[:-1]
    units = occurrences.units[occurrences.by_gram]
    totals, in_units = np.maximum(occurrences.totals, 1), occurrences.unit_counts
    in_sections = np.add.reduceat(_is_new(layout.sections[units], starts), starts)
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
        places[units[occurrences.gram_starts[1:] - 1]],
        _summed(occurrences, places) / totals,
        *(_logs(_counted(occurrences, region)) for region in layout.regions()),
        _summed(occurrences, np.log1p(layout.words)) / totals,
        np.log1p(ranks),
        ranks / max(1, size),
    ]


def stacked(columns: Sequence[Numbers | Integers]) -> Floats:
    """Columns side by side, as the model takes them."""
    return np.stack([np.asarray(column, np.float32) for column in columns], axis=1)


def _logs(counts: Integers) -> Numbers:
    """The logarithm of one more than each count, from a table: most counts are small, and most are alike."""
    table: Numbers = np.log1p(np.arange(counts.max(initial=0) + 1))
    return table[counts]


def _summed(occurrences: Occurrences, of_units: Numbers) -> Numbers:
    """For each gram the sum over its units, each as often as it occurs there."""
    weights = occurrences.counts * of_units[occurrences.units]
    return np.asarray(np.bincount(occurrences.grams, weights, occurrences.gram_count), np.float64)


def _counted(occurrences: Occurrences, region: Flags) -> Integers:
    """How often each gram occurs in a part of the act."""
    inside = region[occurrences.units]
    counts = np.bincount(occurrences.grams[inside], occurrences.counts[inside], occurrences.gram_count)
    return counts.astype(np.int64)


def _counted_by(occurrences: Occurrences, kinds: Integers, count: int) -> Integers:
    """How often each gram occurs in units of each kind, a row for each kind."""
    cells = occurrences.grams + kinds[occurrences.units] * occurrences.gram_count
    counts = np.bincount(cells, occurrences.counts, count * occurrences.gram_count)
    return counts.astype(np.int64).reshape(count, -1)


def _is_new(sections: Integers, starts: Integers) -> Integers:
    """Whether an occurrence is the first of its gram in a section; those of a gram are in the order of the act."""
    is_new = np.diff(sections, prepend=-1) != 0
    is_new[starts] = True
    return np.asarray(is_new, np.int64)


# What is known of a unit from its place, its length and what its vector is near to; nothing of any language.


def unit_features(layout: Layout, likeness: Floats) -> Floats:
    """A row for each unit; `likeness` has its cosines to the act's anchors.

    First which kind of section and of unit it is, then numbers: how long it is, where it stands in the act, in its
    section and in the numbering, and whether in one of the articles or recitals that summaries begin with.
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
            np.eye(len(LEARNT_KINDS), dtype=np.float32)[layout.unit_kinds],
            np.stack([np.asarray(column, np.float32) for column in numbers], axis=1),
            likeness,
        ],
        axis=1,
    )


KINDS: int = len(SECTION_KINDS) + len(LEARNT_KINDS)
"""How many columns say what a unit is; the others are numbers."""
