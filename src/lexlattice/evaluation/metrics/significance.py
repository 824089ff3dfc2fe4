"""Whether a difference means anything: confidence intervals and paired tests over acts.

Acts are what is drawn at random, so acts are what is resampled: a mean over a hundred acts is known only as well
as a hundred acts can tell. Everything here takes one score per act, in the same order for every system, and is fixed
by its seed.
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
"""Acts for which Wilcoxon's distribution is counted out; its counts are whole numbers up to 2 to this power."""
_DRAWS: Final = 1 << 16
"""Acts drawn at once, where the acts are fewer: what fits a processor's cache. 24 bytes each."""
_ROUNDING: Final = 1e-12
"""Relative error that sums over acts may have."""


@dataclass(frozen=True, slots=True)
class PairedBootstrap:
    """How much better one system is than another on the same acts, and how sure that is: floats, or a column each."""

    difference: Any
    low: Any
    high: Any
    p: Any


def confidence_interval(values: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[Any, Any]:
    """Percentile bootstrap interval of the mean over acts, 95 %.

    Of one value per act the bounds are floats; of a table with a row per act they are arrays, one value per column,
    all columns of a resample being of the same acts.

    >>> low, high = confidence_interval([0.31, 0.42, 0.38, 0.35, 0.47])
    >>> f"{low:.2f} to {high:.2f}"
    '0.34 to 0.43'
    """
    scores = _scores(values)
    low, high = _bounds(_resampled_means(scores, resamples, seed), scores)
    return (float(low), float(high)) if scores.ndim == 1 else (low, high)


def ratio_interval(a: ArrayLike, b: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> tuple[float, float]:
    """Percentile bootstrap interval of (mean of a) / (mean of b) over the same acts, 95 %.

    >>> low, high = ratio_interval([0.31, 0.42, 0.38, 0.35, 0.47], [0.33, 0.43, 0.39, 0.39, 0.46])
    >>> f"{low:.2f} to {high:.2f}"
    '0.93 to 1.00'
    """
    both = np.stack([_scores(a), _scores(b)], axis=1)
    if both[:, 1].mean() <= 0:
        raise DataError("A ratio needs something to be a share of; the second system earned nothing at all.")
    means = _resampled_means(both, resamples, seed)
    means = means[means[:, 1] > 0]
    low, high = np.quantile(means[:, 0] / means[:, 1], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def rank_correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's: the correlation of ranks, equal values sharing their average; 0 where all of one are equal.

    >>> rank_correlation([1, 2, 3, 4], [10, 20, 20, 40])
    0.9486832980505139
    """
    first, second = (_ranks(_scores(values))[0] for values in (a, b))
    if first.std() == 0 or second.std() == 0:
        return 0.0
    return float(np.corrcoef(first, second)[0, 1])


def paired_bootstrap(a: ArrayLike, b: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> PairedBootstrap:
    """Mean of a − b over the same acts, its 95 % interval, and a two-sided p-value.

    The p-value asks how often acts that make no difference on average would show one this large. Resampled means,
    moved by the observed difference so that they lie around zero, stand for such acts: p = (1 + how many of them are
    at least as far from zero as the observed difference) / (1 + resamples). It is never 0, and never below 2^(1−acts),
    the least that a test of signs can give on so few acts.
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

    Acts without a difference are dropped and equal differences share their average rank, as Wilcoxon did. Up to 50
    acts without either are compared with the exact distribution, others with a normal one whose variance allows for
    the ties, without continuity correction.

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
    """One row per act, checked: whatever is computed from it is a number."""
    scores = np.asarray(values, np.float64)
    if not len(scores):
        raise DataError("There are no acts to compute a mean over; score at least one.")
    if not np.isfinite(scores).all():
        raise DataError("Some scores are not numbers; leave out the acts that could not be scored.")
    return scores


def _differences(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    first, second = _scores(a), _scores(b)
    if first.shape != second.shape:
        raise DataError("Two systems can be compared on the same acts only, by the same measures.")
    return first - second


def _resampled_means(scores: NDArray[np.float64], resamples: int, seed: int) -> NDArray[np.float64]:
    """The mean of each resample: how often each act was drawn, times its scores."""
    if resamples < 1:
        raise OptionError("A bootstrap needs at least one resample; some thousands are usual.")
    acts = len(scores)
    generator = np.random.default_rng(seed)
    means = np.empty((resamples, *scores.shape[1:]))
    at_once = max(1, _DRAWS // acts)
    for first in range(0, resamples, at_once):
        rows = min(at_once, resamples - first)
        drawn = generator.integers(acts, size=(rows, acts))
        drawn += np.arange(0, rows * acts, acts)[:, None]
        times = np.bincount(drawn.ravel(), minlength=rows * acts).reshape(rows, acts)
        means[first : first + rows] = times.astype(np.float64) @ scores / acts
    return means


def _bounds(means: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The middle 95 % of the means; rounding may not carry it outside what was averaged."""
    tail = (1 - LEVEL) / 2
    bounds: NDArray[np.float64] = np.quantile(means, [tail, 1 - tail], axis=0)
    return bounds.clip(scores.min(axis=0), scores.max(axis=0))


def _ranks(sizes: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Ranks from 1, equal ones sharing their average, and how many share each."""
    _, group, ties = np.unique(sizes, return_inverse=True, return_counts=True)
    average = np.cumsum(ties) - (ties - 1) / 2
    return average[group], ties


def _exact(smaller: int, acts: int) -> float:
    """Twice the share of all ways to choose among the ranks 1 … acts whose sum is no larger."""
    ways = np.zeros(acts * (acts + 1) // 2 + 1)
    ways[0] = 1
    for rank in range(1, acts + 1):
        ways[rank:] = ways[rank:] + ways[:-rank]
    return min(1.0, 2 * float(ways[: smaller + 1].sum()) / 2.0**acts)


def _normal(smaller: float, acts: int, ties: NDArray[np.int64]) -> float:
    """The normal approximation; a group of t equal ranks takes (t³ − t) / 48 from the variance."""
    tied = ties.astype(np.float64)
    variance = acts * (acts + 1) * (2 * acts + 1) / 24 - float((tied**3 - tied).sum()) / 48
    distance = acts * (acts + 1) / 4 - smaller
    return math.erfc(distance / math.sqrt(2 * variance))
