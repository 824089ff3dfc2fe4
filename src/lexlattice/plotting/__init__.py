"""Figures of an act (its lattice, and how salience settles on it) and of experiments. Needs the extra `plot`.

Drawn without pyplot and without settings of its own: the same content gives the same file, byte by byte.
"""

from __future__ import annotations

from lexlattice.plotting.comparison import plot_comparison
from lexlattice.plotting.curves import plot_curves
from lexlattice.plotting.figures import plot_lattice, plot_salience
from lexlattice.plotting.saving import FORMATS, format_of, rendered, save_figure

__all__ = [
    "FORMATS",
    "format_of",
    "plot_comparison",
    "plot_curves",
    "plot_lattice",
    "plot_salience",
    "rendered",
    "save_figure",
]
