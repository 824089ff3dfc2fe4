"""Training targets of the network `provisions`: gold annotations and silver alignment, mapped onto units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act
from lexlattice.evaluation.gold import WORD, Gold, Place, Places, Point
from lexlattice.evaluation.points import Points

Floats = NDArray[np.float32]

HIGHEST_WEIGHT: Final = 3
"""The weight of a gold point that says what the act is about."""
_DIGITS: Final = 4
"""Decimal places to which silver targets are stored."""


class SilverTargets(NamedTuple):
    """What silver alignment says of each unit, from the official summary."""

    targets: Floats
    """The probability that an editor who wrote this summary would select the unit."""
    importance: Floats
    """The expected weight of what the summary takes from the unit, from 0 to 1."""
    weights: Floats
    """The confidence in both, by which they weigh in the loss."""


class Targets(NamedTuple):
    """All targets of one act; either kind may be missing."""

    gold: Gold | None = None
    reference: str | None = None
    """The text whose words the gold places count, if its words differ from those of the act's source."""
    silver: SilverTargets | None = None


NO_TARGETS: Final = Targets()


def make_targets(act: Act, text: str, gold: Gold | None, silver: SilverTargets | None = None) -> Targets:
    """Return the targets of an act that was read from `text`."""
    is_same = gold is None or WORD.findall(text) == WORD.findall(act.source)
    return Targets(gold, None if is_same else text, silver)


def gold_order(act: Act, targets: Targets) -> tuple[int, ...]:
    """Return the units of the gold extract, most important first."""
    if targets.gold is None:
        return ()
    places = Places(act, targets.reference)
    return tuple(dict.fromkeys(unit for place in targets.gold.extract for unit in places.units(place)))


def membership_targets(act: Act, targets: Targets, extract: float) -> Floats:
    """Return the soft target of each unit: `extract` in the gold extract, a third of the weight of a point it states.

    If several apply, the largest counts.
    """
    assert targets.gold is not None
    values, places = np.zeros(len(act.units), np.float32), Places(act, targets.reference)
    for value, where in (
        *((point.weight / HIGHEST_WEIGHT, point.places) for point in targets.gold.points),
        (extract, targets.gold.extract),
    ):
        for unit in {unit for place in where for unit in places.units(place)}:
            values[unit] = max(values[unit], value)
    return values


def point_weights(act: Act, targets: Targets) -> Floats:
    """Return the weight of the points that each unit states; units that state one together share its weight."""
    assert targets.gold is not None
    weights, places = np.zeros(len(act.units), np.float32), Places(act, targets.reference)
    for point in targets.gold.points:
        if units := {unit for place in point.places for unit in places.units(place)}:
            weights[sorted(units)] += point.weight / len(units)
    return weights


def points_of(act: Act, targets: Targets) -> Points:
    """Return the scorer of selections from an act."""
    assert targets.gold is not None
    return Points(act, targets.gold, targets.reference)


def targets_to_dict(targets: Targets) -> dict[str, Any]:
    """Convert targets to JSON data; the texts of points are dropped."""
    data: dict[str, Any] = {}
    if targets.gold is not None:
        points = [[point.weight, point.places] for point in targets.gold.points]
        data["gold"] = {"words": targets.gold.words, "points": points, "extract": targets.gold.extract}
        if targets.reference is not None:
            data["gold"]["reference"] = targets.reference
    if targets.silver is not None:
        data["silver"] = [np.round(column.astype(np.float64), _DIGITS).tolist() for column in targets.silver]
    return data


def targets_from_dict(data: Mapping[str, Any], celex: str, act: Act) -> Targets:
    """Invert `targets_to_dict`.

    Raises:
        ValueError: the targets do not fit the act.

    """
    gold = reference = silver = None
    if known := data.get("gold"):
        points = tuple(Point("", int(weight), _places(where)) for weight, where in known["points"])
        gold = Gold(celex, act.language, int(known["words"]), points, _places(known["extract"]))
        reference = known.get("reference")
    if columns := data.get("silver"):
        silver = SilverTargets(*(np.array(column, np.float32) for column in columns))
        if any(column.shape != (len(act.units),) for column in silver):
            raise ValueError("an act and its silver targets do not fit")
    return Targets(gold, reference, silver)


def _places(spans: Sequence[Sequence[int]]) -> tuple[Place, ...]:
    return tuple(Place(int(start), int(end)) for start, end in spans)
