"""Why a provision was chosen: its rank, its salience step by step, its neighbours, and reasons in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from lexlattice.act.document import Act
from lexlattice.act.summary import Explanation, Influence, Reason, shown
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.grid import Floats, Integers, Lattice
from lexlattice.lattice.model import Network, lattice_of
from lexlattice.reading.roles import groups_of

_MOST: Final = 3
"""Neighbours that are named."""
_LEAST: Final = 0.005
"""What moves the salience by less is not worth naming."""
_CLOSE: Final = 0.1
"""The share of units that are closest to the title, or to the recitals: of these it is said."""
_OFTEN: Final = 2
"""Articles that have to refer to an article, for that to be said."""
_TITLE, _RECITALS = 0, 2
"""Rows of the anchors."""


def explanations(
    act: Act, model: Network, features: MeaningFeatures, steps: Sequence[Sequence[int]]
) -> dict[int, Explanation]:
    """For each unit that was chosen why it was; what was chosen together has the same rank.

    What a neighbour does is measured by looking away: the automaton runs again, once for each direction, and the chosen
    units do not perceive who stands there.
    """
    panels, lattice = model.panels(features), lattice_of(features, model.wiring.geometry)
    chosen = np.array([unit for step in steps for unit in step], dtype=np.int64)
    changes = _changes(model, features, lattice, chosen, panels[-1])
    units, reasons = np.argsort(lattice.cell_of), _Reasons(act, features)
    found = {}
    for rank, step in enumerate(steps, start=1):
        for unit in step:
            salience = tuple(shown(float(value)) for value in panels[:, unit])
            around = lattice.neighbours[lattice.cell_of[unit]]
            neighbours = _influences(act, units, around, changes[:, unit])
            found[unit] = Explanation(rank, salience, neighbours, tuple(reasons.of(unit)))
    return found


def _changes(model: Network, features: MeaningFeatures, lattice: Lattice, chosen: Integers, salience: Floats) -> Floats:
    """For each direction how much of the salience of units is due to who stands there."""
    cells, directions = lattice.cell_of[chosen], lattice.neighbours.shape[1]
    changes = np.zeros((directions, len(salience)), np.float32)
    for direction in range(directions):
        is_anybody_there = (lattice.neighbours[cells, direction] < len(lattice)).any()
        if direction != directions // 2 and is_anybody_there:
            changes[direction] = salience - model.scores(features, partial(_blind, cells, direction))
    return changes


def _blind(cells: Integers, direction: int, lattice: Lattice) -> Lattice:
    """The same lattice, on which some cells do not perceive who stands in a direction."""
    if direction >= lattice.neighbours.shape[1]:
        return lattice
    neighbours = lattice.neighbours.copy(order="K")
    neighbours[cells, direction] = len(lattice)
    return Lattice(lattice.cell_of, lattice.coordinates, neighbours)


def _influences(act: Act, units: Integers, around: Integers, changes: Floats) -> tuple[Influence, ...]:
    """The neighbours that moved a unit most; `units` has the unit of each cell."""
    named = []
    for direction in np.argsort(-np.abs(changes), kind="stable")[:_MOST].tolist():
        if around[direction] < len(units) and abs(changes[direction]) >= _LEAST:
            other = act.units[int(units[around[direction]])]
            named.append(Influence(other.id, other.citation, round(float(changes[direction]), 4)))
    return tuple(named)


class _Reasons:
    """What speaks for the units of an act, by its structure, its references and the vectors of its text."""

    def __init__(self, act: Act, features: MeaningFeatures) -> None:
        self._groups, self._sections = groups_of(act), features.section_of
        self._is_first = _first_paragraphs(act, features)
        from_articles = [act.sections[s].kind == "article" for s in features.references[:, 0].tolist()]
        targets = features.references[np.array(from_articles, np.bool_), 1]
        self._referring: Integers = np.bincount(targets, minlength=len(act.sections))
        self._near = {
            "near_title": features.vectors @ features.anchors[_TITLE],
            "near_recitals": features.vectors @ features.anchors[_RECITALS],
        }
        self._close = {name: max(1e-6, float(np.quantile(near, 1 - _CLOSE))) for name, near in self._near.items()}

    def of(self, unit: int) -> Iterator[Reason]:
        """What speaks for one of them."""
        if (group := self._groups[unit]) in ("aim", "application"):
            yield Reason(f"says_{group}", 1)
        if self._is_first[unit]:
            yield Reason("first_paragraph", 1)
        if (count := int(self._referring[self._sections[unit]])) >= _OFTEN:
            yield Reason("referred_to", count)
        for name, near in self._near.items():
            if near[unit] >= self._close[name]:
                yield Reason(name, round(float(near[unit]), 4))


def _first_paragraphs(act: Act, features: MeaningFeatures) -> list[bool]:
    """Whether each unit is of the first of several paragraphs of an article."""
    sections, paragraphs = features.section_of.tolist(), features.paragraph_of.tolist()
    first, last = dict[int, int](), dict(zip(sections, paragraphs, strict=True))
    for section, paragraph in zip(sections, paragraphs, strict=True):
        first.setdefault(section, paragraph)
    return [
        act.sections[section].kind == "article" and first[section] == paragraph != last[section]
        for section, paragraph in zip(sections, paragraphs, strict=True)
    ]
