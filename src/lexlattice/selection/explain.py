"""Explanations of a selection: rank, salience step by step, influence of neighbours, and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np

from lexlattice.act.document import Act
from lexlattice.act.summary import Explanation, Influence, shown
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.grid import Floats, Integers, Lattice
from lexlattice.lattice.model import Network, lattice_of
from lexlattice.selection.reasons import Reasons, reasons_of_order

_MOST_NEIGHBOURS: Final = 3
_LEAST_CHANGE: Final = 0.005
"""Neighbours that change the salience by less are not named."""


def explanations(
    act: Act,
    model: Network,
    features: MeaningFeatures,
    steps: Sequence[Sequence[int]],
    *,
    panels: Floats | None = None,
) -> dict[int, Explanation]:
    """Explain each selected unit; units that were selected together have the same rank.

    The influence of neighbours is measured by ablation: the automaton runs again, once for each direction, with the
    selected units not perceiving the neighbour in that direction.

    Args:
        act: The act.
        model: The network that scored it.
        features: The features that it was scored by.
        steps: What the decoder selected.
        panels: The scores before the automaton's first step and after each, if they are known already.

    """
    panels = model.panels(features) if panels is None else panels
    lattice = lattice_of(features, model.wiring.geometry)
    chosen = np.array([unit for step in steps for unit in step], dtype=np.int64)
    changes = _changes(model, features, lattice, chosen, panels[-1])
    units, reasons = np.argsort(lattice.cell_of), Reasons(act, features, panels[-1])
    of_order = reasons_of_order(act, steps)
    found = {}
    for rank, step in enumerate(steps, start=1):
        for unit in step:
            salience = tuple(shown(float(value)) for value in panels[:, unit])
            nearby = lattice.neighbours[lattice.cell_of[unit]]
            neighbours = _influences(act, units, nearby, changes[:, unit])
            found[unit] = Explanation(rank, salience, neighbours, (*reasons.of(unit), *of_order[unit]))
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
