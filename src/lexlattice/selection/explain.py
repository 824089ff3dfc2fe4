"""Explanations of a selection: rank, salience step by step, influence of neighbours, and reasons."""

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

_MOST_NEIGHBOURS: Final = 3
_LEAST_CHANGE: Final = 0.005
"""Neighbours that change the salience by less are not named."""
_CLOSEST: Final = 0.1
"""Being near the title or the recitals is a reason for this share of units, the closest ones."""
_OFTEN: Final = 2
"""The fewest articles that have to refer to an article for that to be a reason."""
_TITLE, _RECITALS = 0, 2
"""Rows of the anchors."""


def explanations(
    act: Act, model: Network, features: MeaningFeatures, steps: Sequence[Sequence[int]]
) -> dict[int, Explanation]:
    """Explain each selected unit; units that were selected together have the same rank.

    The influence of neighbours is measured by ablation: the automaton runs again, once for each direction, with the
    selected units not perceiving the neighbour in that direction.
    """
    panels, lattice = model.panels(features), lattice_of(features, model.wiring.geometry)
    chosen = np.array([unit for step in steps for unit in step], dtype=np.int64)
    changes = _changes(model, features, lattice, chosen, panels[-1])
    units, reasons = np.argsort(lattice.cell_of), _Reasons(act, features)
    found = {}
    for rank, step in enumerate(steps, start=1):
        for unit in step:
            salience = tuple(shown(float(value)) for value in panels[:, unit])
            nearby = lattice.neighbours[lattice.cell_of[unit]]
            neighbours = _influences(act, units, nearby, changes[:, unit])
            found[unit] = Explanation(rank, salience, neighbours, tuple(reasons.of(unit)))
    return found


def _changes(model: Network, features: MeaningFeatures, lattice: Lattice, chosen: Integers, salience: Floats) -> Floats:
    """For each direction how much of the salience of each unit is due to the neighbour there."""
    cells, directions = lattice.cell_of[chosen], lattice.neighbours.shape[1]
    changes = np.zeros((directions, len(salience)), np.float32)
    for direction in range(directions):
        has_neighbours = (lattice.neighbours[cells, direction] < len(lattice)).any()
        if direction != directions // 2 and has_neighbours:
            changes[direction] = salience - model.scores(features, partial(_masked, cells, direction))
    return changes


def _masked(cells: Integers, direction: int, lattice: Lattice) -> Lattice:
    """Remove the neighbours of some cells in one direction."""
    if direction >= lattice.neighbours.shape[1]:
        return lattice
    neighbours = lattice.neighbours.copy(order="K")
    neighbours[cells, direction] = len(lattice)
    return Lattice(lattice.cell_of, lattice.coordinates, neighbours)


def _influences(act: Act, units: Integers, nearby: Integers, changes: Floats) -> tuple[Influence, ...]:
    """The neighbours that changed a unit most; `units` holds the unit of each cell, `nearby` its neighbouring cells."""
    named = []
    for direction in np.argsort(-np.abs(changes), kind="stable")[:_MOST_NEIGHBOURS].tolist():
        if nearby[direction] < len(units) and abs(changes[direction]) >= _LEAST_CHANGE:
            other = act.units[int(units[nearby[direction]])]
            named.append(Influence(other.id, other.citation, round(float(changes[direction]), 4)))
    return tuple(named)


class _Reasons:
    """Reasons for units, from the structure of an act, its references and its vectors."""

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
        self._close = {name: max(1e-6, float(np.quantile(near, 1 - _CLOSEST))) for name, near in self._near.items()}

    def of(self, unit: int) -> Iterator[Reason]:
        """The reasons for one unit."""
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
    """For each unit whether it belongs to the first of several paragraphs of an article."""
    sections, paragraphs = features.section_of.tolist(), features.paragraph_of.tolist()
    first, last = dict[int, int](), dict(zip(sections, paragraphs, strict=True))
    for section, paragraph in zip(sections, paragraphs, strict=True):
        first.setdefault(section, paragraph)
    return [
        act.sections[section].kind == "article" and first[section] == paragraph != last[section]
        for section, paragraph in zip(sections, paragraphs, strict=True)
    ]
