"""What was measured of very many acts, as numbers alone: a report of all of them has to fit into memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast, overload

from lexlattice.evaluation.meaning import MEANINGS
from lexlattice.evaluation.measure import MEANING, PARTS, Measured

_WORDS: Final = ("words", "seconds")
Layout = dict[str, Any]
"""Where a number stands among those of an act, by system, tokenizer, measure and part."""


class Figures(Sequence[Measured]):
    """Rows that `Evaluate` made, as `evaluate` would have measured the acts: some hundred bytes for each."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._layout: Layout = {}
        self._numbers = array("d")
        self._width = self._length = 0
        for row in rows:
            if not self._length:
                self._width = _lay_out(self._layout, row)
            self._numbers.extend(self._of(row))
            self._length += 1

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> Measured: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Measured]: ...
    def __getitem__(self, place: int | slice) -> Measured | Sequence[Measured]:
        if isinstance(place, slice):
            return [self[inner] for inner in range(*place.indices(self._length))]
        if not 0 <= place < self._length:
            raise IndexError(place)
        systems = _View(self._layout, self._numbers, place * self._width)
        return Measured(0, "", "", 0, 0, cast(dict[str, dict[str, Any]], systems))

    def _of(self, row: Mapping[str, Any]) -> list[float]:
        numbers = [0.0] * self._width
        for length in row["lengths"]:
            numbers[self._layout[length["system"]]["words"]] = length["words"]
        for score in row["scores"]:
            places = self._layout[score["system"]][score["tokenizer"]][score["measure"]]
            for part in PARTS:
                numbers[places[part]] = score[part]
        for meaning in row["meaning"]:
            for name in MEANINGS:
                numbers[self._layout[meaning["system"]][MEANING][name]] = meaning[name]
        return numbers


def _lay_out(layout: Layout, row: Mapping[str, Any]) -> int:
    """A place for every number that acts have; how many there are."""
    places = iter(range(1 << 30))
    for length in row["lengths"]:
        layout[length["system"]] = {name: next(places) for name in _WORDS}
    for score in row["scores"]:
        of_tokenizer = layout[score["system"]].setdefault(score["tokenizer"], {})
        of_tokenizer[score["measure"]] = {part: next(places) for part in PARTS}
    for meaning in row["meaning"]:
        layout[meaning["system"]][MEANING] = {name: next(places) for name in MEANINGS}
    return next(places)


class _View(Mapping[str, Any]):
    """The numbers of one act as the mappings they came from."""

    __slots__ = ("_layout", "_numbers", "_start")

    def __init__(self, layout: Layout, numbers: array[float], start: int) -> None:
        self._layout, self._numbers, self._start = layout, numbers, start

    def __getitem__(self, name: str) -> Any:
        found = self._layout[name]
        return (
            _View(found, self._numbers, self._start) if isinstance(found, dict) else self._numbers[self._start + found]
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._layout)

    def __len__(self) -> int:
        return len(self._layout)
