"""Which units of an act cannot be read without which: what makes a provision complete.

All of it by structure, punctuation and length, so that it holds in every language: a point needs what leads it in and
what closes the list, a sentence the one before, a later subparagraph the first. What is short is taken whole, so that
no rule comes without the exception behind it. Labels, and whatever says what was said before, never come alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act, Unit
from lexlattice.selection.leading import lead_ins

_WHOLE: Final = 100
"""Words up to which a provision is taken whole or not at all."""
_LABEL: Final = 12
"""What has fewer words and no end mark is a heading or the cell of a table, unless it is an entry of a list."""
_SHORTEST: Final = 4
"""What has fewer words says nothing at all."""
_NAME: Final = 80
"""Characters of an act's title that tell it from all others: kind, number, authors and date."""
_ENDS: Final = (".", "!", "?", ";")
_BRACKETS: Final = "\"'»”’“)]› "
_LISTED: Final = ("point", "indent")


class Ties(NamedTuple):
    """The ties between an act's units."""

    needs: NDArray[np.int64]
    """For each unit the one that has to be there as well, or -1; and that one may need another."""
    never_alone: NDArray[np.bool_]
    """Units that come only with one that needs them: "The label shall be:"."""

    @classmethod
    def of(cls, act: Act) -> Ties:
        """The ties of an act."""
        units, leads = act.units, lead_ins(act.units)
        needs = np.array([-1 if lead is None else lead for lead in leads], dtype=np.int64)
        for unit, other in _beginnings(units):
            needs[unit] = other
        never_alone = np.zeros(len(units), np.bool_)
        for lead in {lead for lead in leads if lead is not None}:
            never_alone[lead] = not units[lead].text.rstrip(_BRACKETS).endswith(_ENDS)
        for lead, points, tail in closed_lists(units, leads):
            needs[points], needs[tail] = tail, lead
            never_alone[tail] = True
        for together in _short_provisions(units):
            needs[together[1:]] = together[:-1]
            never_alone[together[:-1]] = True
        in_circles = _in_circles(needs)
        needs[in_circles] = [-1 if leads[unit] is None else leads[unit] for unit in in_circles]
        never_alone |= [says_nothing(act, unit, leads[place] is not None) for place, unit in enumerate(units)]
        never_alone |= said_before(act)
        return cls(needs, never_alone)

    def levels(self) -> list[NDArray[np.int64]]:
        """The units that need one other, those that need two, and so on."""
        depths, place = np.zeros(len(self.needs), np.int64), self.needs
        while (place >= 0).any():
            depths += place >= 0
            place = np.where(place >= 0, self.needs[place], -1)
        return [np.flatnonzero(depths == depth) for depth in range(1, int(depths.max(initial=0)) + 1)]


def _in_circles(needs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Units that need each other, or one of these, so that nothing would end; what leads a unit in stands before it."""
    place = needs
    for _ in range(len(needs).bit_length()):  # each turn goes twice as far as the one before
        place = np.where(place >= 0, place[place], -1)
    return np.flatnonzero(place >= 0)


def _beginnings(units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """For each later sentence the one before, and for each later subparagraph the end of the first."""
    latest: dict[tuple[int, str], int] = {}
    for place, unit in enumerate(units):
        if place and units[place - 1].provision == unit.provision:
            yield place, place - 1
        elif unit.kind == "subparagraph":
            first = latest.get((unit.section, unit.provision.rpartition(".")[0]))
            if first is not None:
                yield place, first
        latest[unit.section, unit.provision] = place


def closed_lists(units: Sequence[Unit], leads: Sequence[int | None]) -> Iterator[tuple[int, list[int], int]]:
    """What leads in, its points, and what goes on with the sentence after them, which begins with a small letter."""
    for place, unit in enumerate(units):
        lead = leads[place - 1] if place else None
        if lead is None or unit.kind != "subparagraph" or units[place - 1].section != unit.section:
            continue
        if units[place - 1].kind not in _LISTED:  # quoted text hangs from its instruction, but is no list
            continue
        while (above := leads[lead]) is not None and units[lead].provision != unit.provision.rpartition(".")[0]:
            lead = above
        letter = next(filter(str.isalpha, unit.text), "")
        if letter.islower() and units[lead].provision == unit.provision.rpartition(".")[0]:
            yield (
                lead,
                [
                    point
                    for point in range(lead + 1, place)
                    if leads[point] == lead and units[point].kind in _LISTED and _begins(units, point)
                ],
                place,
            )


def _begins(units: Sequence[Unit], place: int) -> bool:
    """Whether it is the first sentence of its provision."""
    return units[place].provision != units[place - 1].provision


def _short_provisions(units: Sequence[Unit]) -> Iterator[list[int]]:
    """Sentences and subparagraphs that together are short; lists are left to their own ties."""
    wholes = [(unit.section, unit.provision.partition(".sub-")[0]) for unit in units]
    for _, places in groupby(range(len(units)), key=wholes.__getitem__):
        together = list(places)
        if len(together) == 1 or sum(units[place].words for place in together) > _WHOLE:
            continue
        if not any(units[place].kind in _LISTED and _begins(units, place) for place in together[1:]):
            yield together


def says_nothing(act: Act, unit: Unit, is_listed: bool) -> bool:
    """A heading, a cell of a table, a footnote within an article, or what leads in something that cannot be cited."""
    text = unit.text.rstrip(_BRACKETS)
    if unit.words < _SHORTEST or text.endswith(":") or text.isupper():
        return True
    if unit.kind == "note":
        return act.sections[unit.section].kind != "notes"
    return unit.words < _LABEL and not is_listed and text[-1:].isalnum()


def said_before(act: Act) -> NDArray[np.bool_]:
    """What repeats another unit, or names the act itself in the text of another one that it amends."""
    seen: set[str] = set()
    flags = np.zeros(len(act), np.bool_)
    name = act.title.casefold()[:_NAME]
    for place, unit in enumerate(act.units):
        text = unit.text.casefold()
        flags[place] = text in seen or (len(name) == _NAME and name in text)
        seen.add(text)
    return flags
