"""Selection: scores of units → the provisions that people get, within a length.

`decoder.choose` is what the product uses; `select` takes units by score alone, for baselines and research systems.
"""

from lexlattice.selection.budget import Budget
from lexlattice.selection.extract import MODES, Extract, select
from lexlattice.selection.options import FOCUSES, LENGTHS, Focus, Length, Options, SummaryOptions

__all__ = [
    "FOCUSES",
    "LENGTHS",
    "MODES",
    "Budget",
    "Extract",
    "Focus",
    "Length",
    "Options",
    "SummaryOptions",
    "select",
]
