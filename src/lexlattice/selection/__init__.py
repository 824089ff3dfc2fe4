"""Selection: scores of units → the provisions that people get, within a length.

`decoder.choose` is what the product uses; `select` takes units by score alone, for baselines and research systems.
"""

from lexlattice.selection.budget import Budget
from lexlattice.selection.extract import MODES, Extract, select

__all__ = ["MODES", "Budget", "Extract", "select"]
