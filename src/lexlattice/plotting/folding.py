"""A lattice as wide as the longest section would be paper left empty: how it is folded to fit a page.

A section that is too long for one line goes on in the next; when there are too many lines, the longest sections end
early. Lines are set in strips beside each other, as a newspaper sets its columns.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MOST_LINES: Final = 800
"""More of them cannot be read on one page."""

_NARROWEST: Final = 12
_ROOM: Final = 5
"""So many cells of its last line a section that ends early leaves free, to say how many units are missing."""
_LABEL: Final = 6
"""About as many cells wide is the label of a line."""
_HEAD: Final = 3
"""About as many cells high is what stands above a panel."""
_SHORTEST_STRIP: Final = 40


@dataclass(frozen=True, slots=True)
class Line:
    """Units of one section that stand side by side."""

    section: int
    first: int
    """Place of its first unit in the section."""
    count: int
    missing: int
    """Units of the section that come after it and are not drawn."""


@dataclass(frozen=True, slots=True)
class Folded:
    """The lines that are drawn, each of `width` cells at most."""

    width: int
    lines: tuple[Line, ...]
    sections: int
    """How many sections are drawn, from the first on."""


@dataclass(frozen=True, slots=True)
class Page:
    """How lines and panels are set."""

    strips: int
    """In a panel."""
    height: int
    """Lines of a strip."""
    columns: int
    """Panels in a row."""


def fold(lengths: Sequence[int], widest: int, most_lines: int = MOST_LINES) -> Folded:
    """The lines for sections of these lengths, none of more cells than `widest`.

    >>> [(line.section, line.first, line.count) for line in fold([4] * 9 + [40], widest=32).lines[8:]]
    [(8, 0, 4), (9, 0, 12), (9, 12, 12), (9, 24, 12), (9, 36, 4)]
    """
    width = _width(lengths, widest)
    needed = [_lines(length, width) for length in lengths]
    depths = range(1, max(needed, default=1) + 1)
    depth = max(1, bisect_right(depths, most_lines, key=lambda depth: sum(min(lines, depth) for lines in needed)))
    lines: list[Line] = []
    for section, length in enumerate(lengths[:most_lines]):
        drawn = length if needed[section] <= depth else depth * width - _ROOM
        for first in range(0, max(1, drawn), width):
            missing = length - drawn if first + width >= drawn else 0
            lines.append(Line(section, first, min(width, drawn - first), missing))
    return Folded(width, tuple(lines), min(len(lengths), most_lines))


def arrange(folded: Folded, panels: int, shape: float) -> Page:
    """The setting whose page comes close to `shape`, its width for its height, with few strips and no empty places."""
    count = len(folded.lines)

    def cost(page: Page) -> float:
        width = page.strips * (page.columns * (folded.width + 1) + _LABEL)
        height = math.ceil(panels / page.columns) * (page.height + _HEAD)
        return abs(math.log(width / height / shape)) + 0.25 * (page.strips - 1) + 0.2 * (-panels % page.columns)

    heights = {strips: math.ceil(count / strips) for strips in range(1, max(1, count // _SHORTEST_STRIP) + 1)}
    pages = (Page(s, height, columns) for s, height in heights.items() for columns in range(1, panels + 1))
    return min(pages, key=cost)


def _width(lengths: Sequence[int], widest: int) -> int:
    """Whole rows if they fit; else the width that leaves least of the page empty, with most sections in one line."""
    longest = max(lengths, default=1)
    if longest <= widest:
        return max(1, longest)
    usual = sorted(lengths)[(len(lengths) - 1) * 9 // 10]
    return min(
        range(min(widest, max(_NARROWEST, usual)), widest + 1),
        key=lambda width: (width + _LABEL) * sum(_lines(length, width) for length in lengths),
    )


def _lines(length: int, width: int) -> int:
    return max(1, math.ceil(length / width))
