"""From marks to figures: coverage, relevance and LDP-F1 of each document, and what they say of systems.

Half a point for what is partial or marginal. F1 is the harmonic mean of a document's own coverage and relevance;
figures of a system are means over the documents of a language, then over languages, so that a language with many
documents counts no more than one with few. Two systems are compared document by document: the difference, its interval
and its test are all of the same documents, each of which counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np

from lexlattice.metrics.significance import LEVEL, RESAMPLES, paired_bootstrap, wilcoxon

POINT_MARKS: Final = {"covered": 1.0, "partial": 0.5, "missing": 0.0}
UNIT_MARKS: Final = {"relevant": 1.0, "marginal": 0.5, "irrelevant": 0.0}
MEASURES: Final = ("coverage", "relevance", "f1")
_DIGITS: Final = 12
"""Differences that agree so far share their rank: 0.6 − 0.4 is 0.4 − 0.2."""


@dataclass(frozen=True, slots=True)
class Score:
    """One system on one document."""

    document: str
    language: str
    system: str
    points: tuple[str, ...]
    """The mark of each Legal Data Point of the reference."""
    units: tuple[str, ...]
    """The mark of each unit of the candidate."""

    @property
    def coverage(self) -> float:
        """How much of the reference the candidate holds."""
        return _mean(POINT_MARKS[mark] for mark in self.points)

    @property
    def relevance(self) -> float:
        """How much of the candidate is to the point; nothing of one that says nothing."""
        return _mean(UNIT_MARKS[mark] for mark in self.units)

    @property
    def f1(self) -> float:
        """The harmonic mean of both.

        >>> Score("1", "en", "a", ("covered", "missing"), ("relevant", "marginal")).f1
        0.6
        """
        total = self.coverage + self.relevance
        return 2 * self.coverage * self.relevance / total if total else 0.0

    def measures(self) -> dict[str, float]:
        """All three."""
        return {name: getattr(self, name) for name in MEASURES}


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much better one system is than another, over the same documents."""

    systems: tuple[str, str]
    measure: str
    difference: float
    """The mean over documents of the first less the second."""
    interval: tuple[float, float]
    """95 %, by the paired bootstrap."""
    p: float
    """Of Wilcoxon's signed-rank test, two-sided."""
    documents: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """All scores of a run, and what it was run with."""

    scores: tuple[Score, ...]
    """Documents in the order they were given, systems by name."""
    failures: Mapping[str, str]
    """Documents that could not be judged, and why; they count for no system."""
    points: Mapping[str, tuple[str, ...]]
    """The Legal Data Points of each document's reference."""
    model: str
    prompts: Mapping[str, str]
    """The digest of each prompt file."""
    seed: int

    @property
    def systems(self) -> tuple[str, ...]:
        """By name."""
        return tuple(sorted({score.system for score in self.scores}))

    @property
    def languages(self) -> tuple[str, ...]:
        """Those of the documents that were judged."""
        return tuple(sorted({score.language for score in self.scores}))

    def of(self, system: str, measure: str, language: str | None = None) -> list[float]:
        """A system's figures, one per document, in the same order for each system."""
        return [
            getattr(score, measure)
            for score in self.scores
            if score.system == system and language in (None, score.language)
        ]

    def macro(self, system: str, measure: str) -> float:
        """The mean over languages of the means over their documents."""
        return _mean(_mean(self.of(system, measure, language)) for language in self.languages)

    def interval(self, system: str, measure: str, *, resamples: int = RESAMPLES) -> tuple[float, float]:
        """95 % bootstrap interval of that mean; documents are drawn anew within each language."""
        drawn = _macro_resamples([self.of(system, measure, name) for name in self.languages], resamples, self.seed)
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return float(low), float(high)

    def compare(self, one: str, other: str, measure: str, *, resamples: int = RESAMPLES) -> Comparison:
        """One system less another, document by document."""
        a, b = self.of(one, measure), self.of(other, measure)
        found = paired_bootstrap(a, b, resamples=resamples, seed=self.seed)
        changes = np.subtract(a, b).round(_DIGITS)
        p = wilcoxon(changes, np.zeros(len(a)))
        return Comparison((one, other), measure, found.difference, (found.low, found.high), p, documents=len(a))

    def comparisons(self, *, resamples: int = RESAMPLES) -> list[Comparison]:
        """Each two systems by each measure."""
        return [
            self.compare(one, other, measure, resamples=resamples)
            for one, other in combinations(self.systems, 2)
            for measure in MEASURES
        ]

    def to_dict(self, *, resamples: int = RESAMPLES) -> dict[str, Any]:
        """Everything, as plain JSON types."""
        return {
            "model": self.model,
            "prompts": dict(self.prompts),
            "seed": self.seed,
            "systems": {name: self._system(name, resamples) for name in self.systems},
            "comparisons": [
                {**asdict(found), "systems": list(found.systems), "interval": list(found.interval)}
                for found in self.comparisons(resamples=resamples)
            ],
            "documents": [
                {**asdict(score), "points": list(score.points), "units": list(score.units), **score.measures()}
                for score in self.scores
            ],
            "points": {name: list(points) for name, points in self.points.items()},
            "failures": dict(self.failures),
        }

    def _system(self, system: str, resamples: int) -> dict[str, Any]:
        return {
            measure: {
                "mean": self.macro(system, measure),
                "interval": list(self.interval(system, measure, resamples=resamples)),
                "languages": {name: _mean(self.of(system, measure, name)) for name in self.languages},
            }
            for measure in MEASURES
        }


def _macro_resamples(languages: Sequence[Sequence[float]], resamples: int, seed: int) -> np.ndarray[Any, Any]:
    generator = np.random.default_rng(seed)
    means = np.zeros(resamples)
    for values in languages:
        drawn = generator.integers(len(values), size=(resamples, len(values)))
        means += np.asarray(values, np.float64)[drawn].mean(axis=1)
    return means / max(1, len(languages))


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known) if known else 0.0
