"""Gold annotations of one version of an act, projected onto another: a second language, or another file of the act."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from lexlattice.act import Act
from lexlattice.evaluation.gold import Gold, Place, Places
from lexlattice.versions import counterparts

_MOST: Final = 0.5
"""The share of a unit's words that a place must have for the unit to belong to it."""


def project_gold(gold: Gold, source: Act, target: Act, reference: str | None = None) -> Gold:
    """The annotation with places in the words of `target.source`.

    Each place becomes the places of the units that correspond to its own, whole units only; what has no counterpart is
    lost: a point without any is one that the version does not state. The length is that of the annotation times the
    ratio of the versions' lengths, since the same provisions have more words in one language than in another.

    `reference` is the text that `source` was read from, whose words the places count; its own source if none.
    """
    pairs = counterparts(source, target).pairs
    here = _Here(source, reference)
    there = _unit_places(target)

    def projected(place: Place) -> list[Place]:
        names = {name for unit in here.units(place) for name in pairs.get(unit, ())}
        return sorted(there[name] for name in names if name in there)

    return Gold(
        gold.celex,
        target.language,
        max(1, round(gold.words * target.words / max(1, source.words))),
        tuple(
            replace(point, places=tuple(dict.fromkeys(at for place in point.places for at in projected(place))))
            for point in gold.points
        ),
        tuple(dict.fromkeys(at for place in gold.extract for at in projected(place))),
    )


class _Here:
    """The annotated version: which of its units belong to a place."""

    def __init__(self, act: Act, reference: str | None) -> None:
        self._act = act
        self._owners = Places(act, reference).owners()
        self._sizes = np.bincount(self._owners[self._owners >= 0], minlength=len(act.units))

    def units(self, place: Place) -> list[str]:
        """The ids of units that are mostly at a place; of a place within a unit that unit."""
        owners = self._owners[place.start : place.end]
        found, counts = np.unique(owners[owners >= 0], return_counts=True)
        most = found[counts >= _MOST * self._sizes[found]]
        if not len(most) and len(found):
            most = found[np.argmax(counts, keepdims=True)]
        return [self._act.units[index].id for index in most]


def _unit_places(act: Act) -> dict[str, Place]:
    """Where each unit that has a word stands, in words of the act's source."""
    found, first, counts = np.unique(Places(act).owners(), return_index=True, return_counts=True)
    return {
        act.units[index].id: Place(start, start + count)
        for index, start, count in zip(found.tolist(), first.tolist(), counts.tolist(), strict=True)
        if index >= 0
    }
