"""Expected coverage: what is expected, what a unit adds, and which units together are taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexlattice.encoding.tokens import tokenizer
from lexlattice.research.coverage.decoder import (
    BIGRAM_COUNTS,
    LENGTH_EXPONENT,
    WORD_COUNTS,
    Coverage,
    Probabilities,
    cover,
    expected,
)
from lexlattice.research.coverage.features import NGrams
from lexlattice.research.coverage.ngrams import ngrams_of

Floats = NDArray[np.float32]
TOKENIZE = tokenizer()

seeds = st.integers(0, 2**32 - 1)
lines = st.lists(st.sampled_from("the label shall be legible 5 —".split()), max_size=12).map(" ".join)
units = st.lists(lines, min_size=1, max_size=8)


def falling(generator: np.random.Generator, rows: int, columns: int) -> Floats:
    """Probabilities as the model has them: each at most the one before; some are 0, some are 1."""
    factors = np.clip(generator.uniform(-0.2, 1.2, (rows, columns)), 0, 1)
    return np.cumprod(factors, axis=1).astype(np.float32)


class Rough:
    """Units, probabilities and salience, at random."""

    def __init__(self, texts: list[str], seed: int) -> None:
        generator = np.random.default_rng(seed)
        self.ngrams: NGrams = ngrams_of(texts)
        words, bigrams = len(self.ngrams.words), len(self.ngrams.bigrams)
        self.probabilities = Probabilities(
            falling(generator, words, len(WORD_COUNTS)), falling(generator, bigrams, len(BIGRAM_COUNTS))
        )
        self.lengths = np.array([len(text.split()) for text in texts], np.int64)
        self.salience = generator.uniform(0, 0.1, len(texts)).astype(np.float32)

    def coverage(self) -> Coverage:
        return Coverage(self.ngrams, self.probabilities, self.lengths, self.salience)

    def value(self, taken: list[int]) -> float:
        """What an extract is expected to have in common with the summary, counted one by one."""
        total = 0.0
        parts = zip(
            (self.ngrams.of_words, self.ngrams.of_bigrams),
            self.probabilities,
            (WORD_COUNTS, BIGRAM_COUNTS),
            strict=True,
        )
        for occurrences, probabilities, counts in parts:
            has = [0] * occurrences.ngram_count
            rows = zip(occurrences.units, occurrences.ngrams, occurrences.counts, strict=True)
            for unit, ngram, count in rows:
                has[ngram] += int(count) * (unit in taken)
            total += sum(
                probability_of(row, counts, k)
                for row, n in zip(probabilities, has, strict=True)
                for k in range(1, n + 1)
            )
        return total

    def gains(self, taken: list[int]) -> list[float]:
        """For their length, what all units would add to some."""
        now = self.value(taken)
        return [
            (self.value([*taken, unit]) - now) / max(1, length) ** LENGTH_EXPONENT
            for unit, length in enumerate(self.lengths.tolist())
        ]


def probability_of(probabilities: Floats, counts: tuple[int, ...], k: int) -> float:
    """That a summary has an n-gram at least k times; on a line between the counts that are known, none beyond."""
    return float(np.interp(k, counts, probabilities)) if k <= counts[-1] else 0.0


@given(st.integers(0, 5), st.lists(st.integers(1, 9), min_size=1, max_size=6), seeds)
def test_expected_matches_are_the_sum_of_probabilities(rows: int, steps: list[int], seed: int) -> None:
    counts = tuple(np.cumsum([1, *steps]).tolist())
    probabilities = falling(np.random.default_rng(seed), rows, len(counts))
    found = expected(probabilities, counts)
    naive = [
        [sum(probability_of(row, counts, k) for k in range(1, n + 1)) for n in range(counts[-1] + 1)]
        for row in probabilities
    ]
    np.testing.assert_allclose(found, np.reshape(naive, (rows, counts[-1] + 1)), atol=1e-5)


@pytest.mark.parametrize("counts", [WORD_COUNTS, BIGRAM_COUNTS])
def test_counts_grow_from_one(counts: tuple[int, ...]) -> None:
    assert counts[0] == 1
    assert all(np.diff(counts) > 0)


@given(units, seeds, st.data())
def test_incremental_gains_equal_gains_from_scratch(texts: list[str], seed: int, data: st.DataObject) -> None:
    rough = Rough(texts, seed)
    taken = data.draw(st.lists(st.sampled_from(range(len(texts))), unique=True))
    coverage = rough.coverage()
    for unit in taken:
        coverage.take(unit)
    free = [unit for unit in range(len(texts)) if unit not in taken]
    np.testing.assert_allclose(coverage.gains_for_length()[free], np.array(rough.gains(taken))[free], atol=1e-4)
    np.testing.assert_allclose(coverage.values(), coverage.gains_for_length() + rough.salience, atol=1e-6)


@given(units, seeds)
def test_copies_are_independent(texts: list[str], seed: int) -> None:
    coverage = Rough(texts, seed).coverage()
    coverage.take(0)
    before, other = coverage.gains_for_length(), coverage.copy()
    for unit in range(1, len(texts)):
        other.take(unit)
    np.testing.assert_array_equal(coverage.gains_for_length(), before)
    for unit in range(1, len(texts)):
        coverage.take(unit)
    np.testing.assert_array_equal(coverage.gains_for_length(), other.gains_for_length())


def test_occurrences_beyond_the_largest_count_add_nothing() -> None:
    ngrams = ngrams_of(["word " * 500, "word"])
    probabilities = Probabilities(
        np.ones((1, len(WORD_COUNTS)), np.float32), np.ones((1, len(BIGRAM_COUNTS)), np.float32)
    )
    coverage = Coverage(ngrams, probabilities, np.array([500, 1]), np.zeros(2, np.float32))
    most = WORD_COUNTS[-1] + BIGRAM_COUNTS[-1]
    np.testing.assert_allclose(coverage.gains_for_length(), [most / 500**LENGTH_EXPONENT, 1], rtol=1e-5)
    coverage.take(0)
    np.testing.assert_allclose(coverage.gains_for_length()[1], 0, atol=1e-6)


@given(units, seeds)
def test_gains_never_grow(texts: list[str], seed: int) -> None:
    rough = Rough(texts, seed)
    coverage = rough.coverage()
    before = coverage.gains_for_length()
    assert (before >= 0).all()
    for unit in np.random.default_rng(seed).permutation(len(texts)).tolist():
        coverage.take(unit)
        after = coverage.gains_for_length()
        assert (after <= before + 1e-5).all()
        before = after


# --- the extract ------------------------------------------------------------------------------------------

budgets = st.integers(0, 60)


@given(units, seeds, budgets)
def test_selection_keeps_the_budget_and_ends_when_nothing_fits(texts: list[str], seed: int, budget: int) -> None:
    rough = Rough(texts, seed)
    before = rough.lengths.copy()
    order = cover(rough.coverage(), rough.lengths, budget)
    assert (rough.lengths == before).all()
    left = budget - int(rough.lengths[order].sum())
    assert left >= 0
    assert len(set(order)) == len(order)
    others = [unit for unit in range(len(texts)) if unit not in order and TOKENIZE(texts[unit])]
    assert all(length > left for length in rough.lengths[others].tolist())
    assert all(TOKENIZE(texts[unit]) for unit in order), "a unit without words says nothing"
    assert order == cover(rough.coverage(), rough.lengths, budget)


@given(units, seeds, budgets)
def test_the_unit_of_the_highest_value_is_selected_next(texts: list[str], seed: int, budget: int) -> None:
    """As the rule says it, without anything kept from one step to the next; where two are worth the same, either."""
    rough = Rough(texts, seed)
    taken: list[int] = []
    left = budget
    for unit in cover(rough.coverage(), rough.lengths, budget):
        values = np.array(rough.gains(taken)) + rough.salience
        fits = [u for u, n in enumerate(rough.lengths.tolist()) if TOKENIZE(texts[u]) and n <= left and u not in taken]
        assert unit in fits
        assert values[unit] >= values[fits].max() - 1e-4
        taken.append(unit)
        left -= int(rough.lengths[unit])


def test_ties_go_to_the_first_unit() -> None:
    ngrams = ngrams_of(["bees", "wasps", "moths"])
    probabilities = Probabilities(
        np.full((3, len(WORD_COUNTS)), 0.5, np.float32), np.zeros((0, len(BIGRAM_COUNTS)), np.float32)
    )
    lengths, salience = np.array([1, 1, 1]), np.zeros(3, np.float32)
    assert cover(Coverage(ngrams, probabilities, lengths, salience), lengths, 2) == [0, 1]


def test_repeated_content_is_not_selected_again() -> None:
    ngrams = ngrams_of(["bees fly", "bees fly", "bees buzz"])
    probabilities = Probabilities(
        np.repeat(np.array([[0.9], [0.8], [0.1]], np.float32), len(WORD_COUNTS), 1)
        * ([1] + [0] * (len(WORD_COUNTS) - 1)),
        np.zeros((2, len(BIGRAM_COUNTS)), np.float32),
    )
    lengths, salience = np.array([2, 2, 2]), np.zeros(3, np.float32)
    assert cover(Coverage(ngrams, probabilities, lengths, salience), lengths, 4) == [0, 2]
    assert cover(Coverage(ngrams, probabilities, lengths, np.array([0, 0.5, 0], np.float32)), lengths, 4) == [1, 2]
