"""The network, in NumPy only: features → grid → automaton (perceive, update) → readout.

- `features`: what the network reads of an act.
- `grid`: cells of units and their neighbours.
- `automaton`: one step of all cells, context from sections and references, the readout.
- `model`: the shipped network; `paper`: the paper's.
"""

from lexlattice.lattice.automaton import Automaton, Readout
from lexlattice.lattice.grid import Lattice, joined
from lexlattice.lattice.paper import Consolidator

__all__ = ["Automaton", "Consolidator", "Lattice", "Readout", "joined"]
