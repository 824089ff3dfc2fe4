"""Where units stand, who stands beside them, and the automaton that lets them talk: vectors → scores, in NumPy only."""

from lexlattice.lattice.automaton import Automaton, Readout
from lexlattice.lattice.grid import Lattice, joined
from lexlattice.lattice.paper import Consolidator

__all__ = ["Automaton", "Consolidator", "Lattice", "Readout", "joined"]
