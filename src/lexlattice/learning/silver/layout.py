"""Where each unit of an act stands: its section, its paragraph, and what leads it in."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act
from lexlattice.selection import lead_ins

Integers = NDArray[np.intp]

_PARAGRAPH: Final = re.compile(r"^.*?\.par-[^.]*")


class Layout(NamedTuple):
    """Where each unit of an act stands."""

    section: Integers
    paragraph: Integers
    """A number for each paragraph, or for each section without numbered paragraphs."""
    lead_in: Integers
    """The unit that leads each unit in; -1 for none."""


def layout_of(act: Act) -> Layout:
    """Sections, paragraphs and lead-ins of all units."""
    units = act.units
    paragraphs: dict[tuple[int, str], int] = {}
    keys = [(unit.section, _paragraph_of(act, unit.section, unit.provision)) for unit in units]
    return Layout(
        np.array([unit.section for unit in units], np.intp),
        np.array([paragraphs.setdefault(key, len(paragraphs)) for key in keys], np.intp),
        np.array([-1 if lead is None else lead for lead in lead_ins(units)], np.intp),
    )


def _paragraph_of(act: Act, section: int, provision: str) -> str:
    """The paragraph of an article; elsewhere the first two steps of the id."""
    found = _PARAGRAPH.match(provision)
    if found:
        return found[0]
    return "" if act.sections[section].kind == "article" else ".".join(provision.split(".")[:2])
