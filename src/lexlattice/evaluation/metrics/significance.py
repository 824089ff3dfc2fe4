"""Significance of differences: bootstrap confidence intervals and paired tests over acts.

All functions take one score per act, in the same order for every system, and are deterministic for a given seed.
They are written in NumPy alone, so that evaluating needs no SciPy; tests compare them with `scipy.stats`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexlattice.errors import DataError, OptionError

LEVEL: Final = 0.95
RESAMPLES: Final = 5000
EXACT_UP_TO: Final = 50
"""Up to this many acts, Wilcoxon's exact distribution is used; its counts are integers below 2⁵⁰, exact in floats."""
_DRAWS: Final = 1 << 16
"""Draws per block, of 24 bytes each: what fits into a processor's cache."""
_ROUNDING: Final = 1e-12
"""Tolerated relative rounding error of sums over acts."""


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """The result of a paired bootstrap: floats, or arrays with one value per column."""

    difference: Any
    low: Any
    high: Any
    p: Any


def confidence_interval(values: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[Any, Any]:
    """The 95 % percentile bootstrap interval of the mean over acts.

    For one value per act the bounds are floats; for a table with a row per act they are arrays with one value per
    column, and all columns share the resampled acts.

    >>> low, high = confidence_interval([0.31, 0.42, 0.38, 0.35, 0.47])
    >>> f"{low:.2f} to {high:.2f}"
    '0.34 to 0.43'
    """
    scores = _scores(values)
    low, high = _bounds(_resampled_means(scores, resamples, seed), scores)
    return (float(low), float(high)) if scores.ndim == 1 else (low, high)


def ratio_interval(a: ArrayLike, b: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """The 95 % percentile bootstrap interval of (mean of a) / (mean of b) over the same acts.

    >>> low, high = ratio_interval([0.31, 0.42, 0.38, 0.35, 0.47], [0.33, 0.43, 0.39, 0.39, 0.46])
    >>> f"{low:.2f} to {high:.2f}"
    '0.93 to 1.00'
    """
    both = np.stack([_scores(a), _scores(b)], axis=1)
    if both[:, 1].mean() <= 0:
        raise DataError("A ratio of means needs a positive denominator; all scores of the second system are zero.")
    means = _resampled_means(both, resamples, seed)
    means = means[means[:, 1] > 0]
    low, high = np.quantile(means[:, 0] / means[:, 1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def rank_correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's rank correlation, with average ranks for ties; 0 if all values of one argument are equal.

    >>> rank_correlation([1, 2, 3, 4], [10, 20, 20, 40])
    0.9486832980505139
    """
    first, second = (_ranks(_scores(values))[0] for values in (a, b))
    if first.std() == 0 or second.std() == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def paired_bootstrap(a: ArrayLike, b: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> PairedBootstrap:
    """The mean of a − b over the same acts, its 95 % interval, and a two-sided p-value.

    The null distribution is that of the resampled means shifted to zero: p = (1 + number of shifted means at least as
    far from zero as the observed difference) / (1 + resamples). It is never 0, and never below 2^(1−acts), the minimum
    of a sign test with that number of acts.
    """
    differences = _differences(a, b)
    observed = differences.mean(axis=0)
    means = _resampled_means(differences, resamples, seed)
    low, high = _bounds(means, differences)
    as_far = np.count_nonzero(np.abs(means - observed) >= np.abs(observed) * (1 - _ROUNDING), axis=0)
    p = np.maximum((1 + as_far) / (1 + resamples), 2.0 ** (1 - len(differences)))
    found = (observed, low, high, p)
    return PairedBootstrap(*(map(float, found) if differences.ndim == 1 else found))


def wilcoxon(a: ArrayLike, b: ArrayLike) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test on the same acts.

    Acts without a difference are dropped, and ties get average ranks. Up to 50 acts without ties or zeros use the exact
    distribution, others the normal approximation with tie correction and without continuity correction. The p-values
    are those of `scipy.stats.wilcoxon` to rounding.

    >>> wilcoxon([5, 7, 3, 9, 6], [4, 5, 6, 5, 1])
    0.3125
    """
    differences = _differences(a, b)
    if differences.ndim != 1:
        raise DataError("Wilcoxon's test takes one score per act; give it one column at a time.")
    changed = differences[differences != 0]
    if not len(changed):
        return 1.0
    ranks, ties = _ranks(np.abs(changed))
    positive = float(ranks[changed > 0].sum())
    smaller = min(positive, float(ranks.sum()) - positive)
    if len(differences) <= EXACT_UP_TO and len(changed) == len(differences) and ties.max() == 1:
        return _exact(int(smaller), len(changed))
    return _normal(smaller, len(changed), ties)


def _scores(values: ArrayLike) -> NDArray[np.float64]:
    """Scores as an array with one row per act; raise `DataError` if empty or not finite."""
    scores = np.asarray(values, np.float64)
    if not len(scores):
        raise DataError("There are no scores to compute a mean of; give at least one act.")
    if not np.isfinite(scores).all():
        raise DataError("Some scores are not finite; leave out the acts that could not be scored.")
    return scores


def _differences(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    first, second = _scores(a), _scores(b)
    if first.shape != second.shape:
        raise DataError("Two systems must be compared on the same acts, by the same measures.")
    return first - second


def _resampled_means(scores: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """The mean of each bootstrap resample."""
    if resamples < 1:
        raise OptionError("A bootstrap needs at least one resample; usual are some thousands.")
    acts = len(scores)
    generator = np.random.default_rng(seed)
    means = np.empty((resamples, *scores.shape[1:]))
    at_once = max(1, _DRAWS // acts)
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        # How often each act is drawn in each resample: offset the draws of each row, and count them all at once.
        drawn = generator.integers(acts, size=(rows, acts))
        drawn += np.arange(0, rows * acts, acts)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * acts).reshape(rows, acts)
        means[first : first + rows] = times.astype(np.float64) @ scores / acts
    return means


def _bounds(means: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The central 95 % of the means, clipped to the range of scores against rounding errors."""
    tail = (1 - LEVEL) / 2
    bounds: NDArray[np.float64] = np.quantile(means, [tail, 1 - tail], axis=0)
    return bounds.clip(scores.min(axis=0), scores.max(axis=0))


def _ranks(sizes: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Average ranks from 1, and the sizes of groups of ties."""
    _, group, ties = np.unique(sizes, return_inverse=True, return_counts=True)
    average = np.cumsum(ties) - (ties - 1) / 2
    return average[group], ties


def _exact(smaller: int, acts: int) -> float:
    """The exact two-sided p-value: twice the share of all subsets of the ranks with a sum this small."""
    ways = np.zeros(acts * (acts + 1) // 2 + 1)
    ways[0] = 1
    for rank in range(1, acts + 1):
        ways[rank:] = ways[rank:] + ways[:-rank]
    return min(1.0, 2 * float(ways[: smaller + 1].sum()) / 2.0**acts)


def _normal(smaller: float, acts: int, ties: NDArray[np.int64]) -> float:
    """The normal approximation; a group of t tied ranks reduces the variance by (t³ − t) / 48."""
    tied = ties.astype(np.float64)
    variance = acts * (acts + 1) * (2 * acts + 1) / 24 - float((tied**3 - tied).sum()) / 48
    distance = acts * (acts + 1) / 4 - smaller
    return math.erfc(distance / math.sqrt(2 * variance))
