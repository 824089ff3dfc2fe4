"""Dependencies between units: labels and repetitions, lists that stay together, references within an article.

Labels, repetitions and lists are recognized by structure, punctuation and length, the same in every language.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act, Unit
from lexlattice.act.hierarchy import lead_in_chain
from lexlattice.selection.vocabulary import SelectionWording, selection_wording

_LABEL: Final = 12
"""A unit with fewer words and no end mark is a heading or a table cell, unless it is an entry of a list."""
_SHORTEST: Final = 4
"""A unit with fewer words says nothing at all."""
_NAME: Final = 80
"""Characters of an act's title that tell it from all others: kind, number, authors and date."""
_BRACKETS: Final = "\"'»”’“)]› "
_LISTED: Final = ("point", "indent")


def closed_lists(units: Sequence[Unit], leads: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Lead-ins of lists with the unit that continues the sentence after the points: it begins with a small letter."""
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
            yield lead, place


def says_nothing(act: Act, unit: Unit, is_listed: bool) -> bool:
    """Whether a unit is a heading, a table cell, a footnote within an article, or leads in what cannot be selected."""
    text = unit.text.rstrip(_BRACKETS)
    if unit.words < _SHORTEST or text.endswith(":") or text.isupper():
        return True
    if unit.kind == "note":
        return act.sections[unit.section].kind != "notes"
    return unit.words < _LABEL and not is_listed and text[-1:].isalnum()


def is_repetition(act: Act) -> NDArray[np.bool_]:
    """For each unit whether it repeats an earlier one, or names the act itself inside a text that it amends."""
    seen: set[str] = set()
    flags = np.zeros(len(act), np.bool_)
    name = act.title.casefold()[:_NAME]
    for place, unit in enumerate(act.units):
        text = unit.text.casefold()
        flags[place] = text in seen or (len(name) == _NAME and name in text)
        seen.add(text)
    return flags


# Which points of a list are selected together: all of a short or cumulative list, a few good ones of any other.

LISTED: Final = ("point", "indent")

_SHORT_LIST: Final = 100
"""Up to this many words, any list is selected whole."""
_FEW_POINTS: Final = 4
_FEW_POINTS_WORDS: Final = 160
"""Up to this many words, a list of few points or of short ones is selected whole."""
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
    """Whether a list is selected with all its points or not at all."""
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


def kept_together(found: Points, units: Sequence[Unit], values: Sequence[float]) -> tuple[list[range], list[range]]:
    """Of a list that may be cut: the points without which it is never selected, and two that are kept or cut together.

    The first are the best two, or three of many, and those of a few words as far as they are cheap; of very long ones
    the shortest two that are good. The others are the worst two, since a list that lacks a single point had better be
    whole.
    """
    ordered = sorted(found.points, key=lambda point: -values[point.start])
    needed = 3 if len(ordered) >= _MANY_POINTS else 2
    if sum(units[place].words for point in ordered[:needed] for place in point) > _LONG_POINTS:
        good = [point for point in ordered if values[point.start] >= values[ordered[0].start] / 2]
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


# References within an article.

_STEP: Final = ".par-"
_LATER: Final = ".sub-"
"""In the id of each subparagraph but the first."""


class TextReferences:
    """References within an article that the decoder follows: back to what a unit needs, ahead to its exceptions."""

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
                yield [before, *lead_in_chain(before, self._leads)][-1]  # the outermost lead-in
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
        paragraphs, current = self._of_section(place), behind.partition(".")[0]
        for number in numbers:
            found = paragraphs.get(f"{before}{_STEP}{number}")
            if found is not None and number != current:
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
