"""From verdicts of blind judges to figures: means, paired differences, and how far other measures follow the judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.judging.packets import Verdict
from lexlattice.metrics.significance import LEVEL, RESAMPLES, confidence_interval, paired_bootstrap

MEASURES: Final = ("f1", "coverage", "relevance", "readability")
_FEWEST: Final = 3
"""Acts that an interval of a difference needs at least."""

Scores = Mapping[tuple[str, str], Mapping[str, float]]
"""For an act and a system what other measures say, by name."""


class Figure(NamedTuple):
    """A mean with its 95 % bootstrap interval over acts."""

    mean: float
    low: float
    high: float


class Standing(NamedTuple):
    """A system over the acts it was judged on."""

    system: str
    acts: int
    figures: dict[str, Figure]


class Difference(NamedTuple):
    """One system less another, over the acts that both were judged on."""

    systems: tuple[str, str]
    measure: str
    acts: int
    figure: Figure
    p: float


class Correlation(NamedTuple):
    """Pearson's, of two measures within acts."""

    measures: tuple[str, str]
    candidates: int
    figure: Figure


def standings(verdicts: Sequence[Verdict], seed: int = 0) -> list[Standing]:
    """Each system's means, the best LDP-F1 first."""
    found = []
    for system, by_act in _by_system(verdicts).items():
        table = np.array([[getattr(verdict, name) for name in MEASURES] for verdict in by_act.values()])
        low, high = confidence_interval(table, seed=seed)
        means = table.mean(axis=0)
        figures = {name: Figure(float(means[i]), float(low[i]), float(high[i])) for i, name in enumerate(MEASURES)}
        found.append(Standing(system, len(by_act), figures))
    return sorted(found, key=lambda standing: -standing.figures["f1"].mean)


def differences(
    verdicts: Sequence[Verdict], measures: Iterable[str] = ("f1", "readability"), seed: int = 0
) -> list[Difference]:
    """Each two systems by some measures, on the same acts, where these are three at least."""
    by_system = _by_system(verdicts)
    names = [standing.system for standing in standings(verdicts, seed)]
    found = []
    for (one, other), measure in ((pair, measure) for pair in combinations(names, 2) for measure in measures):
        both = [act for act in by_system[one] if act in by_system[other]]
        if len(both) >= _FEWEST:
            a, b = ([getattr(by_system[name][act], measure) for act in both] for name in (one, other))
            paired = paired_bootstrap(a, b, seed=seed)
            figure = Figure(paired.difference, paired.low, paired.high)
            found.append(Difference((one, other), measure, len(both), figure, paired.p))
    return found


def correlations(verdicts: Sequence[Verdict], scores: Scores, seed: int = 0) -> list[Correlation]:
    """How LDP-F1 and readability go with each other, and each other measure with both, within acts.

    Within acts: each value less the mean of its act, so that acts on which every system does well say nothing. The
    intervals resample acts.
    """
    others = list(dict.fromkeys(name for measured in scores.values() for name in measured))
    pairs = [("readability", "f1"), *((name, judged) for name in others for judged in ("f1", "readability"))]
    found = []
    for first, second in pairs:
        groups = _groups(verdicts, scores, first, second)
        if groups:
            count = sum(len(group) for group in groups)
            found.append(Correlation((first, second), count, _correlated(groups, seed)))
    return found


def _groups(verdicts: Sequence[Verdict], scores: Scores, first: str, second: str) -> list[NDArray[np.float64]]:
    """For each act two columns, without their means; acts with one candidate only say nothing."""
    by_act: dict[str, list[tuple[float, float]]] = {}
    for verdict in verdicts:
        known = {**scores.get((verdict.act, verdict.system), {}), **{n: getattr(verdict, n) for n in MEASURES}}
        if first in known:
            by_act.setdefault(verdict.act, []).append((known[first], known[second]))
    tables = [np.array(rows) for rows in by_act.values() if len(rows) > 1]
    return [table - table.mean(axis=0) for table in tables]


def _correlated(groups: Sequence[NDArray[np.float64]], seed: int) -> Figure:
    """The correlation over all rows, and its interval over groups: from sums, so that resampling is a product."""
    sums = np.array([[(g[:, 0] * g[:, 1]).sum(), (g[:, 0] ** 2).sum(), (g[:, 1] ** 2).sum()] for g in groups])
    drawn = np.random.default_rng(seed).integers(len(groups), size=(RESAMPLES, len(groups)))
    low, high = np.quantile(_ratio(sums[drawn].sum(axis=1)), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Figure(float(_ratio(sums.sum(axis=0, keepdims=True))[0]), float(low), float(high))


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations from sums of products and squares; 0 where one of the two never varies."""
    scale = np.sqrt(sums[:, 1] * sums[:, 2])
    return np.divide(sums[:, 0], scale, out=np.zeros(len(sums)), where=scale > 0)


def _by_system(verdicts: Sequence[Verdict]) -> dict[str, dict[str, Verdict]]:
    found: dict[str, dict[str, Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.system, {})[verdict.act] = verdict
    return found
