"""Reasons for a selection that can be put into words: of what the model reads, and of what the decoder did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Final

import numpy as np

from lexlattice.act.document import Act
from lexlattice.act.hierarchy import lead_ins_of
from lexlattice.act.summary import Reason
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.grid import Floats, Integers
from lexlattice.reading.roles import defines_terms, groups_of, own_articles
from lexlattice.selection.dependencies import TextReferences
from lexlattice.selection.roles import about_repeal, about_scope

_CLOSEST: Final = 0.1
"""Being near the title or the recitals is a reason for this share of units, the closest ones."""
_STRONGEST: Final = 0.1
"""Its salience is a reason for this share of units, the strongest ones."""
_OFTEN: Final = 2
"""The fewest articles that have to refer to an article for that to be a reason."""
_TITLE, _RECITALS = 0, 2
"""Rows of the anchors."""


class Reasons:
    """Reasons for the units of an act, from its structure, references and vectors, and from their salience."""

    def __init__(self, act: Act, features: MeaningFeatures, scores: Floats) -> None:
        """Take the features and the final scores of all units of the act."""
        self._act, self._groups, self._sections = act, groups_of(act), features.section_of
        articles = own_articles(act)
        self._scope = {section.index for section in about_scope(act, articles)}
        self._repeal = {unit.id for unit in about_repeal(act, articles)}
        self._defining = {s.index for s in act.sections if s.kind == "article" and defines_terms(s)}
        self._is_first = _first_paragraphs(act, features)
        from_articles = [act.sections[s].kind == "article" for s in features.references[:, 0].tolist()]
        targets = features.references[np.array(from_articles, np.bool_), 1]
        self._referring: Integers = np.bincount(targets, minlength=len(act.sections))
        self._near = {
            "near_title": features.vectors @ features.anchors[_TITLE],
            "near_recitals": features.vectors @ features.anchors[_RECITALS],
        }
        self._close = {name: max(1e-6, float(np.quantile(near, 1 - _CLOSEST))) for name, near in self._near.items()}
        order = np.argsort(-scores, kind="stable")
        self._rank = np.empty(len(order), np.int64)
        self._rank[order] = np.arange(1, len(order) + 1)

    def of(self, unit: int) -> Iterator[Reason]:
        """Yield the reasons for one unit that do not depend on what else was selected."""
        section = int(self._sections[unit])
        if (group := self._groups[unit]) in ("aim", "application"):
            yield Reason(f"says_{group}", 1)
        if section in self._scope:
            yield Reason("says_scope", 1)
        if self._act.units[unit].id in self._repeal:
            yield Reason("says_repeal", 1)
        if section in self._defining:
            yield Reason("defines_terms", 1)
        if self._is_first[unit]:
            yield Reason("first_paragraph", 1)
        if (count := int(self._referring[section])) >= _OFTEN:
            yield Reason("referred_to", count)
        for name, near in self._near.items():
            if near[unit] >= self._close[name]:
                yield Reason(name, round(float(near[unit]), 4))
        if self._rank[unit] <= _STRONGEST * len(self._rank):
            yield Reason("high_salience", ceil(100 * self._rank[unit] / len(self._rank)))


def reasons_of_order(act: Act, steps: Sequence[Sequence[int]]) -> Mapping[int, list[Reason]]:
    """Return the reasons that the decoder had: what units were selected for, or together with."""
    found: dict[int, list[Reason]] = {unit: [] for step in steps for unit in step}
    leads = lead_ins_of(act)
    named = TextReferences(act, leads)
    chapters = {section.enclosing[:1] for section in act.sections if section.kind == "article" and section.enclosing}
    # What has no chapter begins none, and being the first of the only one says nothing.
    shown: set[tuple[str, ...]] = {()} if len(chapters) > 1 else {(), *chapters}
    pointed_at: set[int] = set()
    for step in steps:
        members = set(step)
        for unit in step:
            section = act.sections[act.units[unit].section]
            if section.kind == "article" and section.enclosing[:1] not in shown:
                shown.add(section.enclosing[:1])
                found[unit].append(Reason("new_chapter", 1))
            if unit in pointed_at:
                found[unit].append(Reason("pointed_at", 1))
        needed = {unit: _needed(act, leads, named, unit) & members - {unit} for unit in step}
        for unit in step:
            if count := sum(unit in others for others in needed.values()):
                found[unit].append(Reason("needed", count))
            if needed[unit]:
                found[unit].append(Reason("with_others", len(needed[unit])))
        pointed_at.update(other for unit in step for other in named.ahead(unit))
    return found


def _needed(act: Act, leads: Sequence[int | None], named: TextReferences, unit: int) -> set[int]:
    """The units without which a unit cannot be read: lead-ins, the sentence before, and what its text names."""
    needed = set(named.back(unit))
    if (lead := leads[unit]) is not None:
        needed.add(lead)
    if unit and act.units[unit - 1].provision == act.units[unit].provision:
        needed.add(unit - 1)
    return needed


def _first_paragraphs(act: Act, features: MeaningFeatures) -> list[bool]:
    """For each unit whether it belongs to the first of several paragraphs of an article."""
    sections, paragraphs = features.section_of.tolist(), features.paragraph_of.tolist()
    first, last = dict[int, int](), dict(zip(sections, paragraphs, strict=True))
    for section, paragraph in zip(sections, paragraphs, strict=True):
        first.setdefault(section, paragraph)
    return [
        act.sections[section].kind == "article" and first[section] == paragraph != last[section]
        for section, paragraph in zip(sections, paragraphs, strict=True)
    ]
