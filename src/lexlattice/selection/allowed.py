"""Which units of an act a summary may have, and which of them only stand back."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act
from lexlattice.grouping import formulas

Flags = NDArray[np.bool_]

FOCUSES: Final = ("all", "articles", "with-tables")
"""All text that can be cited; the articles alone, without recitals, annexes and footnotes; or all, and tables too."""
_AROUND: Final = ("title", "preamble")


def citable(act: Act, focus: str = "all") -> Flags:
    """Which units a summary may have at all."""
    kinds = [section.kind for section in act.sections for _ in section.units]
    if focus == "articles":
        return np.array([k == "article" and u.kind != "table" for k, u in zip(kinds, act.units, strict=True)], np.bool_)
    tables = focus == "with-tables"
    flags = [k not in _AROUND and (tables or u.kind != "table") for k, u in zip(kinds, act.units, strict=True)]
    return np.array(flags, np.bool_)


def choosable(act: Act, focus: str = "all") -> Flags:
    """Which units a summary may have unless it has everything: no formulas, and no footnotes."""
    footnotes = [section.kind == "notes" for section in act.sections for _ in section.units]
    notes = np.array(footnotes, np.bool_) | np.array([unit.kind == "note" for unit in act.units], np.bool_)
    return citable(act, focus) & ~notes & ~np.array(formulas(act), np.bool_)
