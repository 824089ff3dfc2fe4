"""What the network of meaning learns of an act: gold annotations and silver alignment, mapped onto its units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act
from lexlattice.evaluation.gold import WORD, Gold, Place, Places, Point
from lexlattice.evaluation.points import Points

Floats = NDArray[np.float32]

HEAVIEST: Final = 3
"""The weight of a point that says what the act is about."""
_DIGITS: Final = 4
"""Of silver targets, as they are kept."""


class SilverTargets(NamedTuple):
    """What alignment says of each unit, from the official summary."""

    targets: Floats
    """The probability that an editor who wrote this summary would take it."""
    importance: Floats
    """The expected weight of what the summary takes from it, from 0 to 1."""
    weights: Floats
    """How far both are to be believed."""


class Marks(NamedTuple):
    """What is known of one act's units; either may be missing."""

    gold: Gold | None = None
    reference: str | None = None
    """The text whose words the gold places count, where it has other words than the act's source."""
    silver: SilverTargets | None = None


UNKNOWN: Final = Marks()


def marks_of(act: Act, text: str, gold: Gold | None, silver: SilverTargets | None = None) -> Marks:
    """What an example keeps of an act that was read from that text."""
    is_same = gold is None or WORD.findall(text) == WORD.findall(act.source)
    return Marks(gold, None if is_same else text, silver)


def order_of(act: Act, marks: Marks) -> tuple[int, ...]:
    """The units of the gold extract, most important first."""
    if marks.gold is None:
        return ()
    places = Places(act, marks.reference)
    return tuple(dict.fromkeys(unit for place in marks.gold.extract for unit in places.units(place)))


def targets_of(act: Act, marks: Marks, extract: float) -> Floats:
    """Soft membership: of a point's units a third of its weight, of the extract's units `extract`, if that is more."""
    assert marks.gold is not None
    targets, places = np.zeros(len(act.units), np.float32), Places(act, marks.reference)
    for value, where in (
        *((point.weight / HEAVIEST, point.places) for point in marks.gold.points),
        (extract, marks.gold.extract),
    ):
        for unit in {unit for place in where for unit in places.units(place)}:
            targets[unit] = max(targets[unit], value)
    return targets


def weights_of(act: Act, marks: Marks) -> Floats:
    """The weight of the points that each unit states; units that state one together share it."""
    assert marks.gold is not None
    weights, places = np.zeros(len(act.units), np.float32), Places(act, marks.reference)
    for point in marks.gold.points:
        if units := {unit for place in point.places for unit in places.units(place)}:
            weights[sorted(units)] += point.weight / len(units)
    return weights


def points_of(act: Act, marks: Marks) -> Points:
    """The measure of choices from that act."""
    assert marks.gold is not None
    return Points(act, marks.gold, marks.reference)


def marks_to(marks: Marks) -> dict[str, Any]:
    """As plain data; nothing where nothing is known. What points say in words is not kept."""
    kept: dict[str, Any] = {}
    if marks.gold is not None:
        points = [[point.weight, point.places] for point in marks.gold.points]
        kept["gold"] = {"words": marks.gold.words, "points": points, "extract": marks.gold.extract}
        if marks.reference is not None:
            kept["gold"]["reference"] = marks.reference
    if marks.silver is not None:
        kept["silver"] = [np.round(column.astype(np.float64), _DIGITS).tolist() for column in marks.silver]
    return kept


def marks_from(data: Mapping[str, Any], celex: str, act: Act) -> Marks:
    """What was kept; a ValueError if it does not fit the act."""
    gold = reference = silver = None
    if known := data.get("gold"):
        points = tuple(Point("", int(weight), _places(where)) for weight, where in known["points"])
        gold = Gold(celex, act.language, int(known["words"]), points, _places(known["extract"]))
        reference = known.get("reference")
    if columns := data.get("silver"):
        silver = SilverTargets(*(np.array(column, np.float32) for column in columns))
        if any(column.shape != (len(act.units),) for column in silver):
            raise ValueError("an act and its silver targets do not fit")
    return Marks(gold, reference, silver)


def _places(spans: Sequence[Sequence[int]]) -> tuple[Place, ...]:
    return tuple(Place(int(start), int(end)) for start, end in spans)
