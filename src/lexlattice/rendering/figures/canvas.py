"""Figures as files: SVG, PNG or PDF, the same bytes each time, and there whole or not at all."""

from __future__ import annotations

import io
import math
import os
import threading
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape

import numpy as np

from lexlattice._internal.files import write_whole
from lexlattice.act.document import Act, Section
from lexlattice.errors import OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray


# Text on figures: how it looks, how wide it is, and what of an act's own words can be shown.

FONT: Final = "DejaVu Sans"
"""Comes with matplotlib, and has the letters of all 24 languages."""
INK: Final = "#222222"
GREY: Final = "#6B6B6B"
SMALL: Final = 7.0
TITLE: Final = 10.0
POINT: Final = 1 / 72
"""In inches; sizes of letters are in points, all other lengths in inches or in cells."""

_LEADING: Final = 1.35
_LONGEST_NAME: Final = 24
_LONGEST_TEXT: Final = 1000


def style(size: float, **changes: Any) -> dict[str, Any]:
    """How text looks; dollar signs in it are no formulas."""
    usual = {"fontfamily": FONT, "fontsize": size, "color": INK, "ha": "left", "va": "baseline", "parse_math": False}
    return {**usual, **changes}


def plain(text: str) -> str:
    r"""Text on one line, without what cannot be printed.

    >>> plain("Article\u00a05\nbis")
    'Article 5 bis'
    """
    shown = "".join(letter if letter.isprintable() else " " for letter in text[:_LONGEST_TEXT])
    return " ".join(shown.split())


def name_of(section: Section) -> str:
    """A section's label as the act has it, or what it is."""
    name = plain(section.label) or section.kind.capitalize()
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1].rstrip()}…"


def in_lines(text: str, room: float, size: float, weight: str = "normal", most: int | None = None) -> str:
    """Wrap text to the available width; lines beyond `most` are dropped."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, weight) * size * POINT <= room:
            lines[-1] = longer
        elif len(lines) == most:
            lines[-1] += " …"
            break
        else:
            lines.append(word)
    return "\n".join(lines)


def height_of(text: str, size: float) -> float:
    """Height of lines of text."""
    return (text.count("\n") + 1) * size * _LEADING * POINT


def width_of(text: str, weight: str = "normal") -> float:
    """Width of text on one line, for the size of its letters."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=FONT, weight=weight, size=1)
    with boxes_for_missing_glyphs():
        return float(text_to_path.get_text_width_height_descent(text, font, False)[0])


@contextmanager
def boxes_for_missing_glyphs() -> Iterator[None]:
    """A letter that the font has not is a box, and nothing to warn of."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        yield


# Figures as files: SVG, PNG or PDF, the same bytes each time, and there whole or not at all.

FORMATS: Final = ("svg", "png", "pdf")

_DOTS: Final = 150
"""To the inch, in PNG."""
_SETTINGS: Final[dict[Any, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "lexlattice",
    "pdf.fonttype": 42,
    "savefig.bbox": None,
}
"""Text stays text, names in the file are not drawn at random, and the page stays as large as it was planned."""
_FONTS: Final = f"'{FONT}', Verdana, sans-serif"
"""For those who open an SVG where the first one is not there."""
_ONE_AT_A_TIME: Final = threading.Lock()
"""matplotlib has one set of settings for all threads."""


def format_of(path: str | os.PathLike[str]) -> str:
    """The format that the name of a file ends with."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise OptionError(f"'{os.fspath(path)}' names no format for a figure; let it end in .svg, .png or .pdf.")
    return suffix


def rendered(figure: Figure, format: str) -> bytes:
    """The content of a file with the figure in it, its title and a description for those who cannot see it."""
    import matplotlib

    title, description = " ".join(figure.get_suptitle().split()), str(figure.get_label())
    notes: dict[str, Any] = {
        "svg": {"Title": title, "Description": description, "Date": None},
        "png": {"Title": title, "Description": description},
        "pdf": {"Title": title, "Subject": description, "CreationDate": None},
    }
    file = io.BytesIO()
    with _ONE_AT_A_TIME, matplotlib.rc_context(_SETTINGS), boxes_for_missing_glyphs():
        figure.savefig(file, format=format, dpi=_DOTS, metadata=notes[format], facecolor="white")
    content = file.getvalue()
    return _finished(content.decode(), description).encode() if format == "svg" else content


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure in the format that the name of the file ends with."""
    write_whole(Path(path), rendered(figure, format_of(path)))


def _finished(svg: str, description: str) -> str:
    """With a description where screen readers look for it, and with other fonts to fall back on."""
    described = svg.replace("</title>", f"</title>\n <desc>{escape(description)}</desc>", 1)
    return described.replace("<svg ", '<svg role="img" ', 1).replace(f"font-family: '{FONT}'", f"font-family: {_FONTS}")


# A lattice as wide as the longest section would be paper left empty: how it is folded to fit a page.

MOST_LINES: Final = 800
"""More of them cannot be read on one page."""

_FOLDING_NARROWEST: Final = 12
_ROOM: Final = 5
"""Cells left free on the last line of a section that is cut, to say how many units are missing."""
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
        range(min(widest, max(_FOLDING_NARROWEST, usual)), widest + 1),
        key=lambda width: (width + _LABEL) * sum(_lines(length, width) for length in lengths),
    )


def _lines(length: int, width: int) -> int:
    return max(1, math.ceil(length / width))


# The sheet both figures are drawn on: a head, panels with the act's lattice, a foot.

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
        yield "+n: n more units of the section are not drawn."
    if hidden := act.sections[folded.sections :]:
        yield f"{len(hidden):,} more sections with {sum(len(s.units) for s in hidden):,} units are not drawn."
