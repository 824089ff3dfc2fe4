"""Where each unit stands: in its provision, its list, its paragraph, its section, its chapter; by structure alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np

from lexlattice.act import Act, Section, Unit
from lexlattice.lattice.cells import Integers
from lexlattice.selection.leading import lead_ins

_PARAGRAPHS: Final = {
    "article": re.compile(r"(?:att-[^.]*\.)?[^.]+(?:\.par-[^.]*)?"),
    "recitals": re.compile(r"[^.]+"),
}
"""The part of an id that names the paragraph: "art-3.par-1" in "art-3.par-1.pt-a"."""
_OTHER: Final = re.compile(r"[^.]+(?:\.[^.]+)?")


class Outline(NamedTuple):
    """Of units, paragraphs and sections; numbers count from 0, and -1 means that there is none."""

    section_of: Integers
    """Of each unit."""
    paragraph_of: Integers
    lead_of: Integers
    """The unit that each point hangs from."""
    sibling: Integers
    """Which point of its list each unit is."""
    sentence: Integers
    """Which sentence of its provision each unit is."""
    sentences: Integers
    """How many sentences its provision has."""
    section_of_paragraph: Integers
    place_of_paragraph: Integers
    """Which paragraph of its section it is."""
    article: Integers
    """Which article each section is."""
    chapter: Integers
    """Which chapter each article is in."""
    place_in_chapter: Integers

    @classmethod
    def of(cls, act: Act) -> Outline:
        """The outline of an act."""
        units = act.units
        section_of = _integers(unit.section for unit in units)
        keys = [(unit.section, _paragraph(act.sections[unit.section], unit)) for unit in units]
        starts = _integers(next(places) for _, places in groupby(range(len(units)), key=keys.__getitem__))
        paragraph_of = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(units)))
        section_of_paragraph = section_of[starts]
        lead_of = _integers(-1 if lead is None else lead for lead in lead_ins(units))
        article = np.full(len(act.sections), -1)
        filled = [section.index for section in act.sections if section.kind == "article" and section.units]
        article[filled] = np.arange(len(filled))
        chapter, place_in_chapter = _chapters(act.sections, filled)
        sentence, sentences = _sentences(units)
        return cls(
            section_of,
            paragraph_of,
            lead_of,
            _counted(lead_of),
            sentence,
            sentences,
            section_of_paragraph,
            _counted(section_of_paragraph),
            article,
            chapter,
            place_in_chapter,
        )

    @property
    def articles(self) -> Integers:
        """The sections that are articles."""
        return np.flatnonzero(self.article >= 0)


def _paragraph(section: Section, unit: Unit) -> str:
    found = _PARAGRAPHS.get(section.kind, _OTHER).match(unit.provision)
    return found.group() if found else unit.provision


def _sentences(units: Sequence[Unit]) -> tuple[Integers, Integers]:
    places: list[int] = []
    counts: list[int] = []
    for _, together in groupby(units, key=lambda unit: (unit.section, unit.provision)):
        count = len(list(together))
        places += range(count)
        counts += [count] * count
    return _integers(places), _integers(counts)


def _chapters(sections: Sequence[Section], articles: Sequence[int]) -> tuple[Integers, Integers]:
    chapter, place = np.full(len(sections), -1), np.zeros(len(sections), np.int64)
    for number, (_, together) in enumerate(groupby(articles, key=lambda index: sections[index].enclosing)):
        for at, index in enumerate(together):
            chapter[index], place[index] = number, at
    return chapter, place


def _counted(groups: Integers) -> Integers:
    """For each member of a group how many were before it; 0 for what has no group."""
    seen: dict[int, int] = {}
    counted = []
    for group in groups.tolist():
        counted.append(seen.get(group, 0))
        seen[group] = counted[-1] + (group >= 0)
    return _integers(counted)


def _integers(values: Iterable[int]) -> Integers:
    return np.array(list(values), np.int64)
