"""What a unit points to within its article: back to what it cannot be read without, ahead to its exceptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from lexlattice.act import Act
from lexlattice.selection.lists import LISTED
from lexlattice.selection.wording import selection_wording

_STEP: Final = ".par-"
_LATER: Final = ".sub-"
"""In the id of each subparagraph but the first."""


class Pointing:
    """Where the units of an act point to."""

    def __init__(self, act: Act, leads: Sequence[int | None]) -> None:
        self._units, self._leads = act.units, leads
        self._words = selection_wording(act.language)
        self._sections = act.sections
        self._provisions: dict[int, dict[str, int]] = {}

    def back(self, place: int) -> Iterator[int]:
        """The units that a unit needs: the one before if it begins with "those"; earlier provisions that it names."""
        unit = self._units[place]
        before = place - 1
        if unit.kind not in LISTED and before >= 0 and self._units[before].section == unit.section:
            begins_recital = unit.kind == "recital" and self._units[before].provision != unit.provision
            if self._words.points_back(unit.text, may_be_impersonal=begins_recital):
                yield self._top(before)
        yield from (other for other in self._named(place) if other < place)
        yield from (other for other in self._subparagraphs(place) if other < place)

    def ahead(self, place: int) -> Iterator[int]:
        """The later paragraphs that a unit names."""
        yield from (other for other in self._named(place) if other > place)

    def _named(self, place: int) -> Iterator[int]:
        unit = self._units[place]
        before, step, behind = unit.provision.partition(_STEP)
        if not step or unit.kind == "quoted" or ".q" in behind:
            return
        numbers = [*self._words.paragraphs(unit.text)]
        if not numbers:
            return
        paragraphs, own = self._of_section(place), behind.partition(".")[0]
        for number in numbers:
            found = paragraphs.get(f"{before}{_STEP}{number}")
            if found is not None and number != own:
                yield found

    def _subparagraphs(self, place: int) -> Iterator[int]:
        """The other subparagraphs of its paragraph that a later one names."""
        unit = self._units[place]
        paragraph, later, behind = unit.provision.partition(_LATER)
        if not later or unit.kind == "quoted" or ".q" in unit.provision:
            return
        for number in self._words.subparagraphs(unit.text, has_numbers=_STEP in paragraph):
            named = paragraph if number == 1 else f"{paragraph}{_LATER}{number}"
            found = self._of_section(place).get(named)
            if found is not None and str(number) != behind.partition(".")[0]:
                yield found

    def _of_section(self, place: int) -> dict[str, int]:
        """The first unit of each paragraph and other provision of the section that a unit stands in."""
        section = self._sections[self._units[place].section]
        found = self._provisions.get(section.index)
        if found is None:
            start, found = place - section.units.index(self._units[place]), {}
            for other, unit in enumerate(section.units, start):
                before, step, behind = unit.provision.partition(_STEP)
                if step:
                    found.setdefault(f"{before}{_STEP}{behind.partition('.')[0]}", other)
                found.setdefault(unit.provision, other)
            self._provisions[section.index] = found
        return found

    def _top(self, place: int) -> int:
        """What leads in the list that a unit is in, or the unit itself."""
        while (lead := self._leads[place]) is not None:
            place = lead
        return place
