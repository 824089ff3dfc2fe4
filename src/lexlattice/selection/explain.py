"""Explanations of a selection: rank, salience step by step, influence of neighbours, and reasons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

import numpy as np

from lexlattice._internal.threads import one_blas_thread
from lexlattice.act.document import Act
from lexlattice.act.summary import Explanation, Influence, Reason, shown
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.grid import Floats, Integers, Lattice
from lexlattice.lattice.model import Network, lattice_of
from lexlattice.selection.reasons import Reasons, reasons_of_order

_MOST_NEIGHBOURS: Final = 3
_LEAST_CHANGE: Final = 0.005
"""Neighbours that change the salience by less are not named."""
_NEXT_BEST: Final = Reason("next_best", 1)
"""For units that nothing else speaks for: the decoder takes what has the highest gain per word of what is left."""


class Explainer:
    """Explains selections of some units of an act."""

    def __init__(
        self, act: Act, model: Network, features: MeaningFeatures, units: Iterable[int], panels: Floats | None = None
    ) -> None:
        """Measure the influence of the neighbours of the units.

        This is done by ablation: the automaton runs again, once for each direction, with the units not perceiving the
        neighbour in that direction.

        Args:
            act: The act.
            model: The network that scored it.
            features: The features that it was scored by.
            units: All units that will be explained.
            panels: The scores before the automaton's first step and after each, if they are known already.

        """
        self._act = act
        self._panels = model.panels(features) if panels is None else panels
        self._lattice = lattice_of(features, model.wiring.geometry)
        self._unit_of_cell = np.argsort(self._lattice.cell_of)
        chosen = np.array(sorted(set(units)), dtype=np.int64)
        self._changes = _changes(model, features, self._lattice, chosen, self._panels[-1])
        self._reasons = Reasons(act, features, self._panels[-1])

    def explain(self, steps: Sequence[Sequence[int]]) -> dict[int, Explanation]:
        """Explain each unit that was selected; units that were selected together have the same rank."""
        of_order = reasons_of_order(self._act, steps)
        return {
            unit: Explanation(
                rank,
                tuple(shown(float(value)) for value in self._panels[:, unit]),
                self._influences(unit),
                (*self._reasons.of(unit), *of_order[unit]) or (_NEXT_BEST,),
            )
            for rank, step in enumerate(steps, start=1)
            for unit in step
        }

    def _influences(self, unit: int) -> tuple[Influence, ...]:
        """The neighbours that changed a unit most."""
        nearby, changes = self._lattice.neighbours[self._lattice.cell_of[unit]], self._changes[:, unit]
        named = []
        for direction in np.argsort(-np.abs(changes), kind="stable")[:_MOST_NEIGHBOURS].tolist():
            if nearby[direction] < len(self._lattice) and abs(changes[direction]) >= _LEAST_CHANGE:
                other = self._act.units[int(self._unit_of_cell[nearby[direction]])]
                named.append(Influence(other.id, other.citation, round(float(changes[direction]), 4)))
        return tuple(named)


@one_blas_thread()
def explanations(
    act: Act, model: Network, features: MeaningFeatures, steps: Sequence[Sequence[int]]
) -> dict[int, Explanation]:
    """Explain each unit of one selection."""
    return Explainer(act, model, features, (unit for step in steps for unit in step)).explain(steps)


def _changes(model: Network, features: MeaningFeatures, lattice: Lattice, chosen: Integers, salience: Floats) -> Floats:
    """For each direction how much of the salience of each unit is due to the neighbour there."""
    cells, directions = lattice.cell_of[chosen], lattice.neighbours.shape[1]
    changes = np.zeros((directions, len(salience)), np.float32)
    has_neighbours = np.any(lattice.neighbours[cells] < len(lattice), axis=0).tolist()
    # The middle one is the cell itself.
    tried = [direction for direction in range(directions) if has_neighbours[direction] and direction != directions // 2]
    masked = model.masked_scores(features, [partial(_masked, cells, direction) for direction in tried])
    for direction, scores in zip(tried, masked, strict=True):
        changes[direction] = salience - scores
    return changes


def _masked(cells: Integers, direction: int, lattice: Lattice) -> Lattice:
    """Remove the neighbours of some cells in one direction."""
    neighbours = lattice.neighbours.copy(order="K")
    neighbours[cells, direction] = len(lattice)
    return Lattice(lattice.cell_of, lattice.coordinates, neighbours)
