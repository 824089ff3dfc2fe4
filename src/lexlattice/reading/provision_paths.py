"""Paths to provisions as a text names them, level by level, and the ranges between two of them."""

from __future__ import annotations

from typing import Final, NamedTuple

from lexlattice.reading.numbering import from_roman, letter_value, to_letters
from lexlattice.reading.wording import LEVELS

Step = tuple[str, str]
"""A level and its number; "" for the one the text itself stands in ("this Article") or that has none ("the Annex")."""
Path = tuple[Step, ...]

LONGEST_RANGE: Final = 120


class Group(NamedTuple):
    """A word for a level with its numbers: "points (a) and (b)"."""

    paths: tuple[Path, ...]
    first: int
    """Its first token, and the one after its last."""
    last: int

    @property
    def rank(self) -> int:
        """How far out its level is: 0 for annexes."""
        return LEVELS.index(self.paths[0][0][0])

    @property
    def levels(self) -> set[str]:
        """All levels it names."""
        return {level for path in self.paths for level, _ in path}


def count_alike(before: Path, after: Path) -> bool:
    """Whether two items count in the same way."""
    for (level, number), (other, another) in zip(before, after, strict=False):
        if level == other and number[:1].isdigit() != another[:1].isdigit():
            return False
    return True


def through(first: Path, last: Path) -> list[Path]:
    """What a range holds after its first item."""
    (level, low), (_, high) = first[-1], last[-1]
    if len(first) != len(last) or first[:-1] != last[:-1]:
        return [last]
    if low.isdigit() and high.isdigit() and 0 < int(high) - int(low) <= LONGEST_RANGE:
        return [(*last[:-1], (level, str(n))) for n in range(int(low) + 1, int(high) + 1)]
    begin, end = from_roman(low), from_roman(high)
    if begin and end > begin and (len(low) > 1 or len(high) > 1 or level == "annex"):
        return [(*last[:-1], (level, _roman(n))) for n in range(begin + 1, end + 1)]
    begin, end = letter_value(low), letter_value(high)
    if begin and begin < end <= begin + 30:
        return [(*last[:-1], (level, to_letters(n))) for n in range(begin + 1, end)] + [last]
    return [last]


def _roman(value: int) -> str:
    """A lower-case Roman number, for the few that ranges need.

    >>> _roman(4), _roman(19)
    ('iv', 'xix')
    """
    text = ""
    for worth, sign in ((50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")):
        while value >= worth:
            text, value = text + sign, value - worth
    return text
