r"""Scores by meaning: the points of a gold annotation that an extract covers, and the precision of its words.

`points` is the weighted share of points that the extract states. A point counts if the extract contains at least 75 %
of the words of its places; points that the act does not state are left out. `precision` is the share of the extract's
words inside a place of a point or of the gold extract, `f1` the harmonic mean of both. Everything is compared by place,
so the scores do not depend on how an act is divided into units.

>>> from lexlattice import read
>>> from lexlattice.evaluation.gold import Gold, Place, Point
>>> text = "Article 1\n1. Keepers shall register.\n2. Registration is free."
>>> act = read(text, language="en")
>>> gold = Gold("32024R9001", "en", 8, (Point("Keepers register", 3, (Place(2, 6),)),), (Place(2, 6),))
>>> Points(act, gold, text).score([0, 1])
Meaning(points=1.0, precision=0.5, f1=0.6666666666666666)
>>> meaning_of_texts(gold, text, ["1. Keepers shall register."])
Meaning(points=1.0, precision=1.0, f1=1.0)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexlattice._internal.lazy import cached_property
from lexlattice.act.document import Act
from lexlattice.errors import DataError
from lexlattice.evaluation.gold import Gold, Places
from lexlattice.evaluation.passages import Located, locate

ENOUGH: Final = 0.75
"""The share of a point's words that an extract must contain to state it."""


class Meaning(NamedTuple):
    """Scores of an extract against a gold annotation, from 0 to 1."""

    points: float
    precision: float
    f1: float


MEANINGS: Final = Meaning._fields
"""The names of the measures, in the order of tables."""


class Points:
    """The gold annotation of one act as arrays over its units, so that scoring a selection takes microseconds."""

    def __init__(self, act: Act, gold: Gold, reference: str | None = None) -> None:
        """Map the annotation onto the units; places count the words of `reference`, by default the act's source."""
        places = Places(act, reference)
        owner = places.owners()
        units = len(act.units)
        self.gold = gold
        self.reference = act.source if reference is None else reference
        stated = [point for point in gold.points if point.places]
        self.weights: NDArray[np.float64] = np.array([point.weight for point in stated], dtype=np.float64)
        self.sizes: NDArray[np.int64] = _counts(owner, units)
        """Words of each unit."""
        self.inside: NDArray[np.float32] = np.zeros((units, len(stated)), dtype=np.float32)
        """Words of each unit (rows) inside each point (columns)."""
        needed = np.zeros(len(stated))
        for column, point in enumerate(stated):
            for start, end in point.places:
                self.inside[:, column] += _counts(owner[start:end], units)
                needed[column] += end - start
        self._needed = ENOUGH * needed
        is_gold = np.zeros(len(owner), dtype=bool)
        for start, end in gold.places:
            is_gold[start:end] = True
        self.good: NDArray[np.int64] = _counts(owner[is_gold], units)
        """Words of each unit inside any place of the annotation."""

    def score(self, units: Sequence[int] | NDArray[np.integer]) -> Meaning:
        """Score a selection, given as distinct indices in `act.units` in any order."""
        chosen = np.asarray(units, dtype=np.intp)
        got = self.weights @ (self.inside[chosen].sum(axis=0) >= self._needed)
        points = float(got / max(1.0, self._total))
        precision = float(self.good[chosen].sum() / max(1, self.sizes[chosen].sum()))
        return _meaning(points, precision)

    def score_many(self, choices: ArrayLike) -> NDArray[np.float64]:
        """Points, precision and F1 (columns) of many selections, each a row of 0 and 1 over the units."""
        chosen = np.asarray(choices, dtype=np.float32)  # word counts are exact in float32, and products twice as fast
        points = (chosen @ self.inside >= self._needed) @ self.weights / max(1.0, self._total)
        taken = chosen @ np.stack([self.good, self.sizes], axis=1).astype(np.float32)
        precision = taken[:, 0] / np.maximum(1, taken[:, 1]).astype(np.float64)
        both = points + precision
        f1 = np.divide(2 * points * precision, both, out=np.zeros_like(both), where=both > 0)
        return np.stack([points, precision, f1], axis=1)

    def covered(self, units: Sequence[int] | NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which of the points that the act states are covered by a selection."""
        found: NDArray[np.bool_] = self.inside[np.asarray(units, dtype=np.intp)].sum(axis=0) >= self._needed
        return found

    @cached_property
    def _total(self) -> float:
        return float(self.weights.sum())


def score_units(act: Act, gold: Gold, units: Sequence[int], reference: str | None = None) -> Meaning:
    """Score units, given by index; to score many selections of one act use `Points`."""
    return Points(act, gold, reference).score(units)


def meaning_of_texts(gold: Gold, reference: str, texts: Iterable[str]) -> Meaning:
    """Score an extract given as text: verbatim pieces of the reference, such as its lines, in document order.

    Words that are not found in the reference (see `locate`) count against precision.
    """
    return meaning_of_located(gold, locate(reference, texts))


def meaning_of_located(gold: Gold, extract: Located) -> Meaning:
    """Score an extract whose words have been found in the annotated text."""
    inside = extract.inside
    total = got = 0
    for point in gold.points:
        if point.places:
            size = sum(end - start for start, end in point.places)
            have = sum(int(inside[start:end].sum()) for start, end in point.places)
            total += point.weight
            got += point.weight * (have >= ENOUGH * size)
    good = np.zeros(len(inside), dtype=bool)
    for start, end in gold.places:
        good[start:end] = True
    taken = int(inside.sum()) + extract.lost
    return _meaning(got / max(1, total), int((inside & good).sum()) / max(1, taken))


def meaning_of(annotations: Sequence[Points], choices: Sequence[Sequence[int]]) -> Meaning:
    """The mean scores over acts of a selection in each, by index."""
    if not annotations or len(annotations) != len(choices):
        raise DataError("Give an annotation and a selection for each act, and at least one act.")
    scores = [points.score(choice) for points, choice in zip(annotations, choices, strict=True)]
    return Meaning(*(float(mean) for mean in np.mean(scores, axis=0)))


def _meaning(points: float, precision: float) -> Meaning:
    both = points + precision
    return Meaning(points, precision, 2 * points * precision / both if both else 0.0)


def _counts(owner: NDArray[np.int64], units: int) -> NDArray[np.int64]:
    """The number of words of each unit; an owner of −1 means no unit."""
    return np.bincount(owner[owner >= 0], minlength=units)
