"""Which units of an act are nothing by themselves: what closes a list, labels, and what was said before.

All of it by structure, punctuation and length, so that it holds in every language.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act, Unit
from lexlattice.act.hierarchy import lead_in_chain
from lexlattice.selection.vocabulary import SelectionWording, selection_wording

_LABEL: Final = 12
"""What has fewer words and no end mark is a heading or the cell of a table, unless it is an entry of a list."""
_SHORTEST: Final = 4
"""What has fewer words says nothing at all."""
_NAME: Final = 80
"""Characters of an act's title that tell it from all others: kind, number, authors and date."""
_BRACKETS: Final = "\"'»”’“)]› "
_LISTED: Final = ("point", "indent")


def closed_lists(units: Sequence[Unit], leads: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """What leads in a list, and what goes on with the sentence after its points: it begins with a small letter."""
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


# Which articles refer to which: the label's own word beside a number, so that it holds in every language.

Integers = NDArray[np.int64]

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STEM: Final = 3
"""Letters of the word for an article that stay the same in all its forms."""
_ABBREVIATED: Final = 2
"""Letters that its abbreviation has at least, as in Czech."""
_NUMBER: Final = r"\d+[a-z]?\b"
_BELOW: Final = r"(?:\s?\(\d+\w?\))*"
_AFTER: Final = re.compile(rf"\w*\.?\s{_NUMBER}{_BELOW}(?:,\s{_NUMBER}{_BELOW})*(?:\s\w{{1,4}}\s{_NUMBER})?")
_BEFORE: Final = re.compile(rf"(?<![\d/])(?:{_NUMBER}\.?,\s)*(?:{_NUMBER}\.?\s\w{{1,4}}\s)?{_NUMBER}\.?\s$")
_REACH: Final = 40
"""Characters before the word in which its numbers may stand."""
_NUMBERS: Final = re.compile(rf"(?<![\d(])({_NUMBER})")


class Mentions(NamedTuple):
    """References between articles, as far as they can be seen from words and numbers."""

    pairs: Integers
    """Section that refers and section referred to, a row for each time."""
    units: Integers
    """The unit of each of these rows."""
    of_units: Integers
    """How many articles each unit refers to."""


def mentions_of(act: Act) -> Mentions:
    """All mentions of the act's articles in its units."""
    of_units = np.zeros(len(act.units), np.int64)
    numbers: dict[str, int] = {}
    stem, is_before, pairs = "", False, []
    for section in act.sections:
        if section.kind == "article" and section.number and section.units:
            numbers.setdefault(section.number.casefold(), section.index)
            if not stem and (word := _WORD.search(section.label)):
                stem, is_before = word.group().lower()[:_STEM], section.label[:1].isdigit()
    if stem:
        text, starts = act.source.lower(), [unit.start for unit in act.units]
        forms = rf"{re.escape(stem[:_ABBREVIATED])}(?:{re.escape(stem[_ABBREVIATED:])}|\.)"
        for found in re.finditer(forms, text if len(text) == len(act.source) else act.source):
            place = bisect_right(starts, found.start()) - 1
            if place < 0 or found.start() >= act.units[place].end:
                continue
            for number in _NUMBERS.findall(_numbers(found, is_before)):
                if (target := numbers.get(number)) is not None:
                    of_units[place] += 1
                    pairs.append((act.units[place].section, target, place))
    elsewhere = np.array([pair for pair in pairs if pair[0] != pair[1]], np.int64).reshape(-1, 3)
    return Mentions(elsewhere[:, :2], elsewhere[:, 2], of_units)


def _numbers(word: re.Match[str], is_before: bool) -> str:
    """The numbers beside the word for an article: behind it, or before it where labels have them there."""
    text, start = word.string, word.start()
    if start and text[start - 1].isalpha():
        return ""
    found = _BEFORE.search(text, max(0, start - _REACH), start) if is_before else _AFTER.match(text, word.end())
    return found.group() if found else ""


# Which points of a list come together: short and cumulative lists whole, of others a few good points at least.

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


# What a unit points to within its article: back to what it cannot be read without, ahead to its exceptions.

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
