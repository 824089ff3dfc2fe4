"""How much of a bundle is said by another one that is there already, by the words they share."""

from __future__ import annotations

import re
from typing import Final

from lexlattice.act import Act
from lexlattice.selection.bundles import Bundles

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_FEWEST: Final = 8
"""Bundles of fewer different words say too little to repeat another."""
_FROM: Final = 0.5
"""Up to this share, words are shared by chance."""


class Overlap:
    """The words of what is chosen, as sets of bits, so that comparing two is one operation."""

    def __init__(self, act: Act, bundles: Bundles) -> None:
        self._units, self._bundles = act.units, bundles
        self._places: dict[str, int] = {}
        self._sets: dict[int, int] = {}
        self._chosen: list[int] = []
        self._seen: dict[int, tuple[int, float]] = {}

    def add(self, bundle: int) -> None:
        """The bundle is chosen."""
        self._chosen.append(self._set(bundle))

    def of(self, bundle: int) -> float:
        """From 0, nothing that counts, to 1, every word is in one chosen bundle."""
        if not self._chosen:
            return 0.0
        words = self._set(bundle)
        size = words.bit_count()
        if size < _FEWEST:
            return 0.0
        compared, most = self._seen.get(bundle, (0, 0.0))
        for other in self._chosen[compared:]:
            most = max(most, (words & other).bit_count() / size)
        self._seen[bundle] = len(self._chosen), most
        return max(0.0, (most - _FROM) / (1 - _FROM))

    def _set(self, bundle: int) -> int:
        found = self._sets.get(bundle)
        if found is None:
            places, found = self._places, 0
            for member in self._bundles.members[bundle]:
                for word in dict.fromkeys(_WORD.findall(self._units[member].text.casefold())):
                    found |= 1 << places.setdefault(word, len(places))
            self._sets[bundle] = found
        return found
