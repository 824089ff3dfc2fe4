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
_FAR: Final = 4_000
"""Words of a summary, more than any length with a name has; what comes after them is not compared any more."""


class Overlap:
    """The words of what is chosen, as sets of bits, so that comparing two is one operation.

    Only words of what is chosen have a bit, and only so many words of it are compared: the cost of a bundle does not
    grow with the act.
    """

    def __init__(self, act: Act, bundles: Bundles) -> None:
        self._units, self._bundles = act.units, bundles
        self._places: dict[str, int] = {}
        self._known: dict[int, frozenset[str]] = {}
        self._chosen: list[int] = []
        self._length = 0
        self._seen: dict[int, tuple[int, float]] = {}

    def add(self, bundle: int) -> None:
        """The bundle is chosen."""
        if self._length < _FAR:
            self._length += int(self._bundles.words[bundle])
            places = self._places
            self._chosen.append(_bits([places.setdefault(word, len(places)) for word in self._words(bundle)]))

    def of(self, bundle: int) -> float:
        """From 0, nothing that counts, to 1, every word is in one chosen bundle."""
        compared, most = self._seen.get(bundle, (0, 0.0))
        if compared < len(self._chosen):
            words, places = self._words(bundle), self._places
            there = [places[word] for word in words if word in places]
            if len(words) >= _FEWEST and len(there) > max(_FROM, most) * len(words):
                bits = _bits(there)
                shared = max((bits & other).bit_count() for other in self._chosen[compared:])
                most = max(most, shared / len(words))
            self._seen[bundle] = len(self._chosen), most
        return max(0.0, (most - _FROM) / (1 - _FROM))

    def _words(self, bundle: int) -> frozenset[str]:
        found = self._known.get(bundle)
        if found is None:
            texts = (self._units[member].text.casefold() for member in self._bundles.members[bundle])
            found = self._known[bundle] = frozenset(word for text in texts for word in _WORD.findall(text))
        return found


def _bits(places: list[int]) -> int:
    """A set of places, as a number."""
    bits = 0
    for place in places:
        bits |= 1 << place
    return bits
