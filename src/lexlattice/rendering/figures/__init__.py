"""Figures of an act (its lattice, and how salience settles on it). Needs the extra `plot`.

Drawn without pyplot and without settings of its own: the same content gives the same file, byte by byte.
"""

from __future__ import annotations

from lexlattice.rendering.figures.act import plot_lattice, plot_salience
from lexlattice.rendering.figures.canvas import FORMATS, format_of, rendered, save_figure

__all__ = [
    "FORMATS",
    "format_of",
    "plot_lattice",
    "plot_salience",
    "rendered",
    "save_figure",
]
