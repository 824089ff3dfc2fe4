"""The sheet both figures are drawn on: a head, panels with the act's lattice, a foot.

Every size is worked out here, from the cell up: a layout engine would know nothing of lines and sections.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexlattice.act import Act
from lexlattice.plotting.folding import Folded, Line, Page, arrange, fold
from lexlattice.plotting.lettering import (
    GREY,
    INK,
    POINT,
    SMALL,
    TITLE,
    height_of,
    in_lines,
    name_of,
    plain,
    style,
    width_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

PADDING: Final = "#EDEDED"
MARGIN: Final = 0.3
LEGEND: Final = 0.4
"""Height of the row that explains the colours."""

_NARROWEST: Final = 5.0
_WANTED: Final = (11.0, 8.0)
"""How wide and how high what is drawn should be, if cells are neither too small nor too large for it."""
_CELLS: Final = (0.08, 0.24)
"""The smallest and the largest."""
_LARGEST_LABEL: Final = 7.5
_TITLE_LINES: Final = 4
_WIDEST, _WIDEST_OF_MANY = 32, 20
"""Most cells in a line of a panel that is alone, and of one that is not."""
_NUMBERS, _NAME = 0.17, 0.24
"""Room above panels, for the numbers of columns and for names."""
_BETWEEN_PANELS, _BETWEEN_STRIPS = 3.0, 1.0
"""Cells, where no labels stand."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large everything is, and where it stands in a panel; if nothing else is said, in cells."""

    folded: Folded
    page: Page
    rows: int
    """Of panels."""
    cell: float
    """In inches."""
    label: float
    """Size of letters."""
    label_width: float
    """With the space beside it."""

    @classmethod
    def of(cls, act: Act, panels: int, shape: float) -> Sizes:
        """What suits an act."""
        folded = fold([len(section.units) for section in act.sections], _WIDEST if panels == 1 else _WIDEST_OF_MANY)
        page = arrange(folded, panels, shape)
        rows = math.ceil(panels / page.columns)
        widest = max(width_of(name_of(section)) for section in act.sections[: folded.sections])
        cells = page.columns * (page.strips * (folded.width + _BETWEEN_STRIPS) + _BETWEEN_PANELS)
        across = (_WANTED[0] - page.strips * widest * SMALL * POINT) / cells
        down = _WANTED[1] / (rows * page.height)
        cell = min(_CELLS[1], max(_CELLS[0], min(across, down)))
        label = min(_LARGEST_LABEL, 0.8 * cell / POINT)
        return cls(folded, page, rows, cell, label, widest * label * POINT / cell + 0.8)

    def left_of(self, column: int) -> float:
        """What is before the panel in this column."""
        strips, width = self.page.strips, self.folded.width
        return sum(self.lead(c) + strips * width + (strips - 1) * self._gap(c) for c in range(column))

    def lead(self, column: int) -> float:
        """What is before the first strip of a panel: labels, if it comes first in its row."""
        return self.label_width if column == 0 else _BETWEEN_PANELS

    def strips(self, column: int) -> list[float]:
        """Where the strips begin in a panel of this column."""
        pitch = self.folded.width + self._gap(column)
        return [self.lead(column) + strip * pitch for strip in range(self.page.strips)]

    def lines(self, column: int) -> Iterator[tuple[Line, float, int]]:
        """The lines, each with where it begins in a panel of this column."""
        strips = self.strips(column)
        for number, line in enumerate(self.folded.lines):
            strip, row = divmod(number, self.page.height)
            yield line, strips[strip], row

    def _gap(self, column: int) -> float:
        return self.label_width if column == 0 else _BETWEEN_STRIPS


@dataclass(frozen=True, slots=True)
class Panel:
    """A lattice on the sheet; places are counted in cells, downwards."""

    axes: Axes
    corners: NDArray[np.float64]
    """The upper left one of each cell that holds a unit."""
    cell: float

    def paint(self, colours: ArrayLike) -> None:
        """Fill the cells, each with its colour."""
        from matplotlib.collections import PolyCollection

        cells = PolyCollection(
            [[(0, 0), (self.cell, 0), (self.cell, -self.cell), (0, -self.cell)]],
            offsets=self.corners,
            offset_transform=self.axes.transData,
            facecolors=colours,
            edgecolors="none",
            label="cells",
            zorder=2,
        )
        cells.set_transform(self.axes.figure.dpi_scale_trans)
        self.axes.add_collection(cells, autolim=False)


class Sheet:
    """A figure with a panel for each name, whose cells are still to be painted."""

    def __init__(self, act: Act, names: Sequence[str], shape: float, facts: Sequence[str], note: str) -> None:
        from matplotlib.figure import Figure

        self.sizes = sizes = Sizes.of(act, len(names), shape)
        self._names = [name_of(section) for section in act.sections]
        self.drawn = _drawn(act, sizes.folded)
        """The units that are drawn, by their place in the act."""

        columns = sizes.page.columns
        width = max(_NARROWEST, 2 * MARGIN + sizes.left_of(columns) * sizes.cell)
        room = width - 2 * MARGIN
        title = in_lines(plain(act.title) or "(no title)", room, TITLE, "bold", _TITLE_LINES)
        notes = in_lines(" ".join([note, *_remarks(act, sizes.folded)]), room, SMALL)
        head = MARGIN + height_of(title, TITLE)
        above = _NUMBERS + (_NAME if any(names) else 0)
        panel = above + sizes.page.height * sizes.cell
        self.foot = MARGIN + height_of(notes, SMALL)
        below = LEGEND + self.foot
        height = head + 2 * height_of("", SMALL) + sizes.rows * panel + below

        self.figure: Figure = Figure((width, height), facecolor="white")
        x, y = self.at(MARGIN, height - MARGIN)
        self.figure.suptitle(title, x=x, y=y, **style(TITLE, weight="bold", va="top"))
        self.write(MARGIN, height - head - 0.02, " · ".join(facts), color=GREY, va="top")
        self.write(MARGIN, MARGIN, notes, color=GREY, va="bottom")
        self.panels = [
            self._panel(name, column, below + (sizes.rows - 1 - row) * panel)
            for name, (row, column) in zip(names, (divmod(n, columns) for n in range(len(names))), strict=True)
        ]

    def at(self, x: float, y: float) -> tuple[float, float]:
        """A place on the sheet as matplotlib counts it, from inches."""
        width, height = self.figure.get_size_inches()
        return x / float(width), y / float(height)

    def write(self, x: float, y: float, text: str, **changes: Any) -> None:
        """Small print."""
        self.figure.text(*self.at(x, y), text, **style(SMALL, **changes))

    def axes(self, x: float, y: float, width: float, height: float, label: str) -> Axes:
        """A part of the sheet to draw in, without a frame."""
        axes = self.figure.add_axes((*self.at(x, y), *self.at(width, height)), label=label)
        axes.set_axis_off()
        return axes

    def _panel(self, name: str, column: int, bottom: float) -> Panel:
        sizes, cell = self.sizes, self.sizes.cell
        left, right = sizes.left_of(column), sizes.left_of(column + 1)
        axes = self.axes(MARGIN + left * cell, bottom, (right - left) * cell, sizes.page.height * cell, name)
        axes.set(xlim=(0, right - left), ylim=(sizes.page.height, 0))
        axes.text(sizes.lead(column), -_NUMBERS / cell, name, **style(SMALL + 1, weight="bold"))
        self._rule(axes, column)
        if column == 0:
            self._label(axes)
        corners = [(x + place, y) for line, x, y in sizes.lines(column) for place in range(line.count)]
        return Panel(axes, np.array(corners, np.float64).reshape(-1, 2), cell)

    def _rule(self, axes: Axes, column: int) -> None:
        """Padding under the cells, white lines over them, those between sections broader."""
        from matplotlib.collections import LineCollection, PolyCollection

        width, thin = self.sizes.folded.width, self.sizes.cell / POINT * 0.07
        broad = 2.5 * thin
        lines = list(self.sizes.lines(column))
        ends = {x: y + 1 for _, x, y in lines}
        strips = [[(x, 0), (x + width, 0), (x + width, end), (x, end)] for x, end in ends.items()]
        axes.add_collection(PolyCollection(strips, facecolors=PADDING, edgecolors="none", zorder=1), autolim=False)
        upright = [[(x + n, 0), (x + n, end)] for x, end in ends.items() for n in range(width + 1)]
        starts = [(x, y) for _, x, y in lines]
        level = [[(x, y), (x + width, y)] for x, y in (*starts, *ends.items())]
        strokes = [thin if line.first else broad for line, _, _ in lines] + [broad] * len(ends)
        for segments, widths in ((upright, [thin]), (level, strokes)):
            axes.add_collection(LineCollection(segments, colors="white", linewidths=widths, zorder=3), autolim=False)

    def _label(self, axes: Axes) -> None:
        """Names of sections, numbers of columns, and how many units are missing."""
        width, size = self.sizes.folded.width, self.sizes.label
        for line, x, y in self.sizes.lines(0):
            text = f"{line.first + 1}" if line.first and y else self._names[line.section]
            colour = GREY if line.first else INK
            axes.text(x - 0.4, y + 0.5, text, **style(size, ha="right", va="center", color=colour))
            if line.missing:
                more = f"+{line.missing:,}"
                axes.text(x + width - 0.2, y + 0.5, more, **style(0.9 * size, ha="right", va="center"))
        for x in self.sizes.strips(0):
            for place in (1, *range(5, width + 1, 5)):
                axes.text(x + place - 0.5, -0.25, f"{place}", **style(0.8 * size, ha="center", color=GREY))


def _drawn(act: Act, folded: Folded) -> list[int]:
    starts = np.cumsum([0, *(len(section.units) for section in act.sections)]).tolist()
    return [starts[line.section] + line.first + place for line in folded.lines for place in range(line.count)]


def _remarks(act: Act, folded: Folded) -> Iterator[str]:
    """What has to be said of sections that are not in one line each."""
    if any(line.first for line in folded.lines):
        yield f"Sections of more than {folded.width} units go on in the next line."
    if any(line.missing for line in folded.lines):
        yield "+n: so many more units of the section, which are not drawn."
    if hidden := act.sections[folded.sections :]:
        yield f"{len(hidden):,} more sections with {sum(len(s.units) for s in hidden):,} units are not drawn."
