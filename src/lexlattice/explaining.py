"""Why a provision was chosen: when, how its salience moved from step to step, and which neighbours moved it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from lexlattice.act import Act
from lexlattice.features import Features, Floats, Integers
from lexlattice.lattice.cells import Lattice
from lexlattice.salience import Salience, chance
from lexlattice.summary import Explanation, Influence

_MOST: Final = 3
"""Neighbours that are named."""
_LEAST: Final = 0.005
"""What moves the salience by less is not worth naming."""


def explanations(
    act: Act, model: Salience, features: Features, lattice: Lattice, budget: int, groups: Sequence[Sequence[int]]
) -> dict[int, Explanation]:
    """For each unit that was chosen why it was; what was chosen together has the same rank.

    What a neighbour does is measured by looking away: the automaton runs again, once for each direction, and the chosen
    units do not see who stands there.
    """
    panels = chance(model.panels(features, lattice, budget))
    chosen = np.array([unit for group in groups for unit in group], dtype=np.int64)
    changes = _changes(model, features, lattice, budget, chosen, panels[-1])
    found = {}
    for rank, group in enumerate(groups, start=1):
        for unit in group:
            salience = tuple(round(float(value), 4) for value in panels[:, unit])
            found[unit] = Explanation(rank, salience, _influences(act, lattice, unit, changes[:, unit]))
    return found


def _changes(
    model: Salience, features: Features, lattice: Lattice, budget: int, chosen: Integers, salience: Floats
) -> Floats:
    """For each direction how much of the salience of units is due to who stands there."""
    cells = lattice.cell_of[chosen]
    directions = lattice.neighbours.shape[1]
    changes = np.zeros((directions, len(salience)), np.float32)
    for direction in range(directions):
        if direction == directions // 2:
            continue
        neighbours = lattice.neighbours.copy()
        neighbours[cells, direction] = len(lattice)
        blind = Lattice(lattice.cell_of, lattice.coordinates, neighbours)
        changes[direction] = salience - chance(model.panels(features, blind, budget)[-1])
    return changes


def _influences(act: Act, lattice: Lattice, unit: int, changes: Floats) -> tuple[Influence, ...]:
    around = lattice.neighbours[lattice.cell_of[unit]]
    named = []
    for direction in np.argsort(-np.abs(changes), kind="stable")[:_MOST].tolist():
        if around[direction] < len(lattice) and abs(changes[direction]) >= _LEAST:
            other = act.units[int(np.flatnonzero(lattice.cell_of == around[direction])[0])]
            named.append(Influence(other.id, other.citation, round(float(changes[direction]), 4)))
    return tuple(named)
