"""Points counted by small letters or Roman numerals with a stop: "i. …", "ii. …", as Hungarian and Croatian write.

One such line by itself may be a word or an abbreviation, so only a sequence that counts from its first is a list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from lexlattice.reading.grammar import Header
from lexlattice.reading.numbering import Marker, dotted_marker

_SHAPE: Final = re.compile(r"[^\W\d_]{1,5}\.\s+[^\s.]")
_LONGEST: Final = 6
"""Characters up to the stop of such a number."""
_FEWEST: Final = 2
"""So many lines that count on make a list."""
_FARTHEST: Final = 60
"""So many lines, at most, stand between two points of one list."""


@dataclass(slots=True)
class _Run:
    """A list that may be one: how it counts, how far it has come, and its lines."""

    roman: bool
    value: int = 0
    latest: int = 0
    lines: dict[int, Marker] = field(default_factory=dict)

    def takes(self, mark: Marker, line: int) -> bool:
        """Whether a marker is the next of the list, and near enough."""
        return self.count(mark) == self.value + 1 and line - self.latest <= _FARTHEST

    def count(self, mark: Marker) -> int:
        return mark.roman if self.roman else mark.value

    def add(self, mark: Marker, line: int) -> None:
        self.value, self.latest = self.count(mark), line
        self.lines[line] = mark


def dotted_points(
    texts: Sequence[str], marks: Sequence[Marker | None], headers: Sequence[Header | None]
) -> dict[int, Marker]:
    """The lines that are points "i. …", "ii. …" or "a. …", "b. …", with their markers."""
    found: dict[int, Marker] = {}
    runs: list[_Run] = []
    latest = 0
    for line in [i for i, text in enumerate(texts) if "." in text[1:_LONGEST] and text[0].islower()]:
        mark = dotted_marker(texts[line]) if marks[line] is None and _SHAPE.match(texts[line]) else None
        if mark is None:
            continue
        if any(headers[latest + 1 : line + 1]):
            runs.clear()
        latest = line
        run = next((run for run in reversed(runs) if run.takes(mark, line)), None)
        if run is None and 1 in (mark.value, mark.roman) and _is_led(texts, marks, line):
            run = _Run(roman=mark.value != 1)
            if run.roman in (alike := [other.roman for other in runs]):  # no list is inside another of its kind
                del runs[alike.index(run.roman) :]
            runs.append(run)
        if run is not None:
            del runs[runs.index(run) + 1 :]
            run.add(mark, line)
            if len(run.lines) >= _FEWEST:
                found.update(run.lines)
    return found


def _is_led(texts: Sequence[str], marks: Sequence[Marker | None], line: int) -> bool:
    """Whether a line may begin a list: something leads it in, a list is open, or it ends as a point does."""
    if texts[line][-1] in ";,:":
        return True
    return line > 0 and (texts[line - 1][-1] == ":" or marks[line - 1] is not None)
