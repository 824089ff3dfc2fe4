"""Redundancy: how much of a candidate is already said by another one that is selected, by the words they share."""

from __future__ import annotations

import re
from typing import Final

from lexlattice.act.document import Act
from lexlattice.selection.candidates import Candidates

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_FEWEST: Final = 8
"""Candidates with fewer different words say too little to repeat another."""
_COINCIDENCE: Final = 0.5
"""Up to this share, common words are a coincidence."""
_COMPARED: Final = 4_000
"""Only the first N words of a summary are compared; no named length has more."""


class Redundancy:
    """The words of what is selected, as bit sets: comparing two candidates is one `&` and one popcount.

    Only words of selected candidates have a bit, and only the first words of a summary are compared, so the cost of a
    candidate does not grow with the act.
    """

    def __init__(self, act: Act, candidates: Candidates) -> None:
        self._units, self._candidates = act.units, candidates
        self._places: dict[str, int] = {}
        self._known: dict[int, frozenset[str]] = {}
        self._selected: list[int] = []
        self._length = 0
        self._seen: dict[int, tuple[int, float]] = {}

    def add(self, candidate: int) -> None:
        """Register a candidate as selected."""
        if self._length < _COMPARED:
            self._length += int(self._candidates.words[candidate])
            places = self._places
            self._selected.append(_bits([places.setdefault(word, len(places)) for word in self._words(candidate)]))

    def of(self, candidate: int) -> float:
        """Return 0 if nothing is repeated, up to 1 if every word is in one selected candidate."""
        compared, most = self._seen.get(candidate, (0, 0.0))
        if compared < len(self._selected):
            words, places = self._words(candidate), self._places
            there = [places[word] for word in words if word in places]
            if len(words) >= _FEWEST and len(there) > max(_COINCIDENCE, most) * len(words):
                bits = _bits(there)
                shared = max((bits & other).bit_count() for other in self._selected[compared:])
                most = max(most, shared / len(words))
            self._seen[candidate] = len(self._selected), most
        return max(0.0, (most - _COINCIDENCE) / (1 - _COINCIDENCE))

    def _words(self, candidate: int) -> frozenset[str]:
        found = self._known.get(candidate)
        if found is None:
            text = " ".join([self._units[member].text for member in self._candidates.members[candidate]])
            found = self._known[candidate] = frozenset(_WORD.findall(text.casefold()))
        return found


def _bits(places: list[int]) -> int:
    """A set of positions as an integer with these bits set."""
    bits = 0
    for place in places:
        bits |= 1 << place
    return bits
