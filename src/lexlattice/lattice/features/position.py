"""Features by position: where units stand in lists, provisions, paragraphs and sections, and sections in the act."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lexlattice.act.document import SECTION_KINDS, UNIT_KINDS, Act, Section, Unit
from lexlattice.act.hierarchy import lead_ins_of
from lexlattice.lattice.grid import Floats, Integers
from lexlattice.reading.article_references import ArticleReferences

_PARAGRAPHS: Final = {
    "article": re.compile(r"(?:att-[^.]*\.)?[^.]+(?:\.par-[^.]*)?"),
    "recitals": re.compile(r"[^.]+"),
}
"""The part of an id that names the paragraph: "art-3.par-1" in "art-3.par-1.pt-a"."""
_OTHER: Final = re.compile(r"[^.]+(?:\.[^.]+)?")


class Outline(NamedTuple):
    """Positions of units, paragraphs and sections as arrays; numbers count from 0, and -1 means none."""

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
        """Compute the outline of an act."""
        units = act.units
        section_of = _integers(unit.section for unit in units)
        keys = [(section.index, name) for section in act.sections for name in _paragraphs(section)]
        starts = _integers(place for place, key in enumerate(keys) if not place or key != keys[place - 1])
        paragraph_of = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(units)))
        section_of_paragraph = section_of[starts]
        lead_of = _integers(-1 if lead is None else lead for lead in lead_ins_of(act))
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


def _paragraphs(section: Section) -> Iterator[str]:
    """The paragraph of each unit of a section."""
    match = _PARAGRAPHS.get(section.kind, _OTHER).match
    for unit in section.units:
        yield found.group() if (found := match(unit.provision)) else unit.provision


def _sentences(units: Sequence[Unit]) -> tuple[Integers, Integers]:
    places: list[int] = []
    counts: list[int] = []
    for _, together in groupby((unit.section, unit.provision) for unit in units):
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
    """For each element how many of its group precede it; 0 for elements without a group (-1)."""
    seen: dict[int, int] = {}
    counted = []
    for group in groups.tolist():
        counted.append(seen.get(group, 0))
        seen[group] = counted[-1] + (group >= 0)
    return _integers(counted)


def _integers(values: Iterable[int]) -> Integers:
    return np.array(list(values), np.int64)


_TYPES: Final = ("regulation", "directive", "decision", "agreement", "treaty")
_LISTED: Final = ("point", "indent")
_CITING: Final = ("article", "recitals", "annex")


def unit_places(act: Act, outline: Outline, letters: Floats) -> Floats:
    """Compute one row for each unit: its kind, its length, its place in its list, provision, paragraph and section.

    Lengths are in letters, of which an act has about the same number in every language.
    """
    units, count = act.units, len(act.units)
    section, paragraph, lead = outline.section_of, outline.paragraph_of, outline.lead_of
    is_led = lead >= 0
    # bincount with weights is a group sum: here over the points of each lead-in, below over paragraphs and sections.
    children = np.bincount(lead[is_led], minlength=count)
    below = np.bincount(lead[is_led], letters[is_led], count)
    of_lead = np.where(is_led, lead, 0)  # any valid index will do where there is no lead-in: it is masked below
    paragraph_count = len(outline.section_of_paragraph)
    members, length = np.bincount(paragraph), np.bincount(paragraph, letters)
    first = np.concatenate([[0], np.cumsum(members)[:-1]]) if count else np.zeros(0)
    place = np.arange(count) - first[paragraph]
    listed = np.bincount(paragraph, [unit.kind in _LISTED for unit in units], paragraph_count)
    at = outline.place_of_paragraph[paragraph]
    paragraphs = np.bincount(outline.section_of_paragraph, minlength=len(act.sections))[section]
    of_section = np.bincount(section, letters, len(act.sections))[section]
    is_recital = np.array([unit.kind == "recital" for unit in units], bool)
    return columns(
        *_one_hot([unit.kind for unit in units], UNIT_KINDS),
        [".q-" in unit.id for unit in units],
        [unit.provision.startswith("att-") for unit in units],
        [unit.provision.count(".") for unit in units],
        np.log1p(letters),
        place,
        place / members[paragraph],
        place == 0,
        np.log1p(children),
        np.log1p(below),
        is_led,
        np.where(is_led, np.log1p(children[of_lead]), 0),
        np.log1p(outline.sibling),
        np.where(is_led, outline.sibling / np.maximum(1, children[of_lead]), 0),
        np.where(is_led, np.log1p(below[of_lead]), 0),
        np.where(is_led, np.log1p(letters[of_lead]), 0),
        outline.sentence,
        outline.sentences,
        at,
        np.log1p(at),
        at / np.maximum(1, paragraphs),
        np.log1p(length[paragraph]),
        np.log1p(members[paragraph]),
        listed[paragraph] / members[paragraph],
        length[paragraph] / np.maximum(1, of_section),
        letters / np.maximum(1, length[paragraph]),
        (at == 0) & (outline.article[section] >= 0),
        np.where(is_recital, at / np.maximum(1, paragraphs), -1),
        (np.arange(count) + 0.5) / max(1, count),
    )


def section_places(act: Act, outline: Outline, references: ArticleReferences, letters: Floats) -> Floats:
    """Compute one row for each section: its kind, act, place and length, and how often it is referred to."""
    sections, count = act.sections, len(act.sections)
    article, articles = outline.article, len(outline.articles)
    to_end = np.where(article >= 0, articles - 1 - article, -1)
    length = np.bincount(outline.section_of, letters, count)
    usual = length[outline.articles].mean() if articles else 1.0
    chapters = int(outline.chapter.max(initial=-1)) + 1
    # Chapter -1 (none) is counted in bin 0 and then set to zero.
    sizes = np.bincount(outline.chapter + 1, minlength=chapters + 1)[outline.chapter + 1] * (outline.chapter >= 0)
    recitals = sum(section.kind == "recitals" for section in sections for _ in section.units)
    kinds = [section.kind for section in sections]
    cited = [
        _cited(references.pairs, [_citing(kinds[s]) == name for s in references.pairs[:, 0]], count) for name in _CITING
    ]
    once = references.distinct
    by_articles = _cited(once, [kinds[s] == "article" for s in once[:, 0]], count)
    everywhere = np.ones(count)
    return columns(
        *_one_hot(kinds, SECTION_KINDS),
        *(everywhere * (act.type == name) for name in _TYPES),
        everywhere * np.log1p(articles),
        everywhere * np.log1p(letters.sum()),
        everywhere * np.log1p(recitals),
        everywhere * chapters,
        article,
        article / max(1, articles),
        to_end,
        np.log1p(np.maximum(article, 0)),
        np.log1p(np.maximum(to_end, 0)),
        article == 0,
        article == 1,
        (article >= 0) & (to_end < 2),
        np.log1p(length),
        np.log1p(np.bincount(outline.section_of_paragraph, minlength=count)),
        np.log1p(np.bincount(outline.section_of, minlength=count)),
        length / max(1.0, float(usual)),
        [bool(section.heading) for section in sections],
        np.log1p([len(section.heading) for section in sections]),
        outline.chapter,
        outline.chapter / max(1, chapters),
        outline.place_in_chapter,
        sizes,
        (outline.place_in_chapter == 0) & (outline.chapter >= 0),
        (outline.place_in_chapter == sizes - 1) & (outline.chapter >= 0),
        *(np.log1p(times) for times in cited),
        np.log1p(by_articles),
        cited[0] / max(1, articles),
        np.argsort(np.argsort(-cited[0], kind="stable")) / max(1, count),  # rank by references from articles
    )


def columns(*values: ArrayLike) -> Floats:
    """Stack columns side by side."""
    stacked = np.empty((len(np.asarray(values[0])), len(values)), np.float32)
    for place, column in enumerate(values):  # `np.stack` would copy every column once more
        stacked[:, place] = column
    return stacked


def _one_hot(values: Sequence[str], names: Sequence[str]) -> list[NDArray[np.bool_]]:
    codes = {name: code for code, name in enumerate(names)}
    found = np.array([codes.get(value, -1) for value in values], np.int64)
    return [found == code for code in codes.values()]


def _citing(kind: str) -> str:
    return kind if kind in _CITING else "annex"


def _cited(pairs: Integers, is_counted: Sequence[bool], count: int) -> Floats:
    """How often each section is referred to in the pairs that are counted."""
    targets = pairs[np.array(is_counted, bool), 1]
    return np.bincount(targets, minlength=count).astype(np.float32)
