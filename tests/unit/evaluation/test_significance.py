"""Intervals hold what they should, and the tests agree with SciPy's."""

from __future__ import annotations

import tracemalloc
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from lexlattice.errors import DataError, OptionError
from lexlattice.evaluation.metrics.significance import EXACT_UP_TO, confidence_interval, paired_bootstrap, wilcoxon

NEAR = 1e-9
scores = st.floats(0, 1, width=32)
pairs = st.lists(st.tuples(scores, scores), min_size=1, max_size=40)
coarse = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=80)


def columns(rows: list[tuple[float, float]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    table = np.array(rows, np.float64)
    return table[:, 0], table[:, 1]


# --- the interval of a mean -------------------------------------------------------------------------------


@given(st.lists(scores, min_size=1, max_size=60), st.integers(0, 9))
def test_the_interval_holds_the_mean_and_lies_among_the_values(values: list[float], seed: int) -> None:
    low, high = confidence_interval(values, resamples=500, seed=seed)
    assert min(values) <= low <= high <= max(values)
    assert low - NEAR <= np.mean(values) <= high + NEAR


@given(scores, st.integers(1, 30))
def test_constant_scores_have_an_interval_of_zero_width(value: float, acts: int) -> None:
    assert confidence_interval([value] * acts, resamples=50) == (value, value)


def test_one_act_is_its_own_interval() -> None:
    assert confidence_interval([0.37]) == (0.37, 0.37)
    low, high = confidence_interval(np.array([[0.1, 0.2]]))
    assert low.tolist() == high.tolist() == [0.1, 0.2]


def test_columns_are_resampled_together_and_as_they_would_be_alone() -> None:
    table = np.random.default_rng(1).random((150, 3))
    low, high = confidence_interval(table, seed=4)
    assert low.shape == high.shape == (3,)
    for column in range(3):
        assert confidence_interval(table[:, column], seed=4) == pytest.approx((low[column], high[column]))


def test_the_seed_settles_everything() -> None:
    values = np.random.default_rng(2).random(100)
    assert confidence_interval(values, seed=1) == confidence_interval(values, seed=1)
    assert confidence_interval(values, seed=1) != confidence_interval(values, seed=2)


def test_the_interval_is_that_of_scipy() -> None:
    values = np.random.default_rng(3).beta(2, 5, 200)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=5000, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval
    assert confidence_interval(values) == pytest.approx(tuple(theirs), abs=0.002)


def test_nineteen_intervals_of_twenty_hold_the_truth() -> None:
    samples = np.random.default_rng(6).random((200, 60))
    held = [low <= 0.5 <= high for low, high in (confidence_interval(sample, resamples=400) for sample in samples)]
    assert 0.90 <= np.mean(held) <= 0.99


@pytest.mark.parametrize(("acts", "resamples"), [(200, 5000), (300_000, 4)])
def test_memory_does_not_grow_with_acts_times_resamples(acts: int, resamples: int) -> None:
    values = np.random.default_rng(7).random((acts, 3))
    tracemalloc.start()
    confidence_interval(values, resamples=resamples)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50_000_000


# --- two systems ------------------------------------------------------------------------------------------


@given(pairs, st.integers(0, 9))
def test_swapping_two_systems_changes_only_the_sign(rows: list[tuple[float, float]], seed: int) -> None:
    a, b = columns(rows)
    ours, theirs = (paired_bootstrap(x, y, resamples=300, seed=seed) for x, y in ((a, b), (b, a)))
    assert ours.difference == pytest.approx(-theirs.difference, abs=NEAR)
    assert (ours.low, ours.high) == pytest.approx((-theirs.high, -theirs.low), abs=NEAR)
    assert ours.p == theirs.p
    assert wilcoxon(a, b) == wilcoxon(b, a)


@given(pairs)
def test_a_p_value_is_a_share_and_never_zero(rows: list[tuple[float, float]]) -> None:
    a, b = columns(rows)
    result = paired_bootstrap(a, b, resamples=200)
    assert 0 < result.p <= 1
    assert 0 < wilcoxon(a, b) <= 1
    assert result.low - NEAR <= result.difference <= result.high + NEAR


def test_no_difference_at_all() -> None:
    same = np.random.default_rng(8).random(30)
    result = paired_bootstrap(same, same)
    assert (result.difference, result.low, result.high, result.p) == (0, 0, 0, 1)
    assert wilcoxon(same, same) == 1


def test_a_plain_difference_is_as_sure_as_the_resamples_allow() -> None:
    base = np.random.default_rng(9).random(100)
    noise = np.random.default_rng(10).normal(0, 0.01, 100)
    result = paired_bootstrap(base + 0.05 + noise, base, resamples=999)
    assert result.p == 1 / 1000
    assert 0.04 < result.low < result.difference < result.high < 0.06
    assert {type(value) for value in (result.difference, result.low, result.high, result.p)} == {float}


@pytest.mark.parametrize(("acts", "least"), [(1, 1.0), (2, 0.5), (5, 0.0625)])
def test_few_acts_prove_little_however_large_the_difference(acts: int, least: float) -> None:
    assert paired_bootstrap(np.ones(acts), np.zeros(acts)).p == least


def test_the_bootstrap_agrees_with_the_t_test_where_that_is_right() -> None:
    base, noise = np.random.default_rng(11).random(188), np.random.default_rng(12).normal(0.006, 0.05, 188)
    theirs = stats.ttest_rel(base + noise, base).pvalue
    assert paired_bootstrap(base + noise, base, resamples=20_000).p == pytest.approx(theirs, abs=0.02)


# --- Wilcoxon ---------------------------------------------------------------------------------------------


@given(st.lists(st.booleans(), min_size=1, max_size=EXACT_UP_TO), st.randoms(use_true_random=False))
def test_the_exact_distribution_is_scipys(signs: list[bool], random: Random) -> None:
    sizes = list(range(1, len(signs) + 1))
    random.shuffle(sizes)
    a = np.array([size if sign else -size for size, sign in zip(sizes, signs, strict=True)], np.float64)
    b = np.zeros(len(a))
    assert wilcoxon(a, b) == pytest.approx(stats.wilcoxon(a, b, method="exact").pvalue, abs=NEAR)


@given(coarse.filter(lambda rows: len({abs(a - b) for a, b in rows}) < len(rows) and any(a != b for a, b in rows)))
def test_ties_and_zeros_take_scipys_normal_approximation(rows: list[tuple[float, float]]) -> None:
    a, b = columns(rows)
    theirs = stats.wilcoxon(a, b, zero_method="wilcox", correction=False, method="asymptotic").pvalue
    assert wilcoxon(a, b) == pytest.approx(theirs, abs=NEAR)


@pytest.mark.parametrize(
    ("acts", "method"), [(EXACT_UP_TO, "exact"), (EXACT_UP_TO + 1, "asymptotic"), (188, "asymptotic")]
)
def test_many_acts_take_the_normal_approximation(acts: int, method: str) -> None:
    a, b = np.random.default_rng(acts).random((2, acts))
    assert wilcoxon(a, b) == pytest.approx(stats.wilcoxon(a, b, correction=False, method=method).pvalue, abs=NEAR)


# --- what cannot be computed ------------------------------------------------------------------------------


def test_no_acts_are_an_error() -> None:
    with pytest.raises(DataError):
        confidence_interval([])
    with pytest.raises(DataError):
        confidence_interval(np.empty((0, 3)))
    with pytest.raises(DataError):
        wilcoxon([], [])


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_scores_that_are_not_finite_are_an_error(bad: float) -> None:
    with pytest.raises(DataError):
        confidence_interval([0.5, bad])
    with pytest.raises(DataError):
        paired_bootstrap([0.5, bad], [0.5, 0.5])


def test_systems_are_compared_on_the_same_acts() -> None:
    for test in (paired_bootstrap, wilcoxon):
        with pytest.raises(DataError):
            test([0.1, 0.2], [0.1])


def test_no_resamples_are_an_error() -> None:
    with pytest.raises(OptionError):
        confidence_interval([0.1, 0.2], resamples=0)
