"""Which points of a list come together: short and cumulative lists whole, of others a few good points at least."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from lexlattice.act import Unit
from lexlattice.selection.wording import SelectionWording

LISTED: Final = ("point", "indent")

_SHORT_LIST: Final = 100
"""Words up to which a list is taken whole."""
_FEW_POINTS: Final = 4
_FEW_POINTS_WORDS: Final = 160
"""A list of few points, or of short ones, is taken whole up to so many words."""
_CUMULATIVE_MOST: Final = 10
"""A list of more points enumerates; it sets no conditions that all have to be met, whatever joins the last point."""
_CHEAP: Final = 8
"""Points of fewer words cost next to nothing."""
_CHEAP_TOGETHER: Final = 48
_MANY_POINTS: Final = 8
_LAST_TWO: Final = 80
_LONG_POINTS: Final = 200
"""Where the best points have more words together, a list comes with the shortest two of the good ones."""


class Points(NamedTuple):
    """A list: the unit that leads in, and the units of each point with all that is below it."""

    lead: int
    points: tuple[range, ...]


def lists_of(units: Sequence[Unit], leads: Sequence[int | None]) -> Iterator[Points]:
    """The lists of an act, those inside other lists before them."""
    starts: dict[int, list[int]] = {}
    for place, lead in enumerate(leads):
        unit = units[place]
        if lead is not None and unit.kind in LISTED and units[place - 1].provision != unit.provision:
            starts.setdefault(lead, []).append(place)
    for lead in sorted(starts, reverse=True):
        begins = starts[lead]
        ends = [*begins[1:], _end(units, begins[-1])]
        yield Points(lead, tuple(map(range, begins, ends)))


def _end(units: Sequence[Unit], start: int) -> int:
    """Where the last point of a list ends, with all that is below it."""
    first, end = units[start], start + 1
    below = f"{first.provision}."
    while end < len(units) and units[end].section == first.section:
        provision = units[end].provision
        if provision != first.provision and not provision.startswith(below):
            break
        end += 1
    return end


def is_whole(found: Points, units: Sequence[Unit], words: SelectionWording) -> bool:
    """Whether a list comes with all its points or not at all."""
    sizes = [sum(units[place].words for place in point) for point in found.points]
    total, count = sum(sizes) + units[found.lead].words, len(sizes)
    if total <= _SHORT_LIST or max(sizes) < _CHEAP:
        return True
    if total <= _FEW_POINTS_WORDS and (count <= _FEW_POINTS or sum(sizes) < _CHEAP * count):
        return True
    if not 2 <= count <= _CUMULATIVE_MOST:
        return False
    last = found.points[-1].start
    return words.joins(units[last - 1].text, units[last].text)


def kept_together(found: Points, units: Sequence[Unit], worth: Sequence[float]) -> tuple[list[range], list[range]]:
    """Of a list that may be cut: the points without which it never comes, and two that are left out together or not.

    The first are the best two, or three of many, and those of a few words as far as they are cheap; of very long ones
    the shortest two that are good. The others are the worst two, since a list that lacks a single point had better be
    whole.
    """
    ordered = sorted(found.points, key=lambda point: -worth[point.start])
    needed = 3 if len(ordered) >= _MANY_POINTS else 2
    if sum(units[place].words for point in ordered[:needed] for place in point) > _LONG_POINTS:
        good = [point for point in ordered if worth[point.start] >= worth[ordered[0].start] / 2]
        ordered.sort(key=lambda point: (point not in good, sum(units[place].words for place in point)))
        needed = 2
    first, rest = ordered[:needed], ordered[needed:]
    cheap = [point for point in rest if sum(units[place].words for place in point) < _CHEAP]
    if sum(units[place].words for point in cheap for place in point) <= _CHEAP_TOGETHER:
        first, rest = first + cheap, [point for point in rest if point not in cheap]
    last = rest[-2:]
    if len(rest) == 1 and sum(units[place].words for place in rest[0]) <= _LAST_TWO // 2:
        return first + rest, []
    return first, last if sum(units[place].words for point in last for place in point) <= _LAST_TWO else []
