"""One act in two languages: which units of the other version say what a unit of this one says."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from lexlattice.act.document import Act, Unit
from lexlattice.selection import Extract


def project(source: Act, target: Act) -> dict[str, tuple[str, ...]]:
    """For the id of each unit of one version the ids of the units in the other that hold the same text.

    Versions share the ids of provisions. Where one is divided into as many sentences in both, these correspond; where
    not, a sentence corresponds to those whose middle lies within it, as shares of the provision's words, or to the
    nearest. A provision that the other version does not have, or numbers otherwise, has no counterpart.
    """
    found: dict[str, tuple[str, ...]] = {}
    for provision, parts in _provisions(source).items():
        others = target.sentences(provision)
        if not others:
            found |= {part.id: () for part in parts}
        elif len(parts) == len(others):
            found |= {part.id: (other.id,) for part, other in zip(parts, others, strict=True)}
        else:
            found |= by_share(parts, others)
    return found


def carried(chosen: Iterable[Unit], source: Act, target: Act, budget: int) -> Extract:
    """What was chosen in one version, the most important first, as an extract of the other that keeps a budget."""
    counterparts = project(source, target)
    taken: dict[str, Unit] = {}
    for unit in chosen:
        for other in (target[name] for name in counterparts[unit.id]):
            if other.id not in taken and other.words <= budget:
                taken[other.id] = other
                budget -= other.words
    spent = sum(unit.words for unit in taken.values())
    return Extract(tuple(unit for unit in target.units if unit.id in taken), budget + spent)


def _provisions(act: Act) -> dict[str, tuple[Unit, ...]]:
    return {unit.provision: act.sentences(unit.provision) for unit in act.units}


def by_share(parts: tuple[Unit, ...], others: tuple[Unit, ...]) -> dict[str, tuple[str, ...]]:
    """Which of the others hold the text of each part.

    Each of the others goes to one part; places are whole numbers of both, so that none is lost by rounding.
    """
    here, there = (np.array([unit.words for unit in units], dtype=np.int64) for units in (parts, others))
    ends = 2 * np.cumsum(here) * there.sum()
    centres = ends - here * there.sum()
    middles = (2 * np.cumsum(there) - there) * here.sum()
    owners = np.minimum(np.searchsorted(ends, middles, side="right"), len(parts) - 1)
    found = {}
    for place, (part, centre) in enumerate(zip(parts, centres, strict=True)):
        inside = np.flatnonzero(owners == place)
        nearest = np.argmin(np.abs(middles - centre), keepdims=True)
        found[part.id] = tuple(others[other].id for other in (inside if inside.size else nearest))
    return found
