"""The page of a chart of figures: a head, places to draw in, what the marks mean, and a note."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from lexlattice.errors import MissingExtraError
from lexlattice.plotting.lettering import (
    FONT,
    GREY,
    INK,
    POINT,
    SMALL,
    TITLE,
    height_of,
    in_lines,
    plain,
    style,
    width_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

LINES: Final = "#DDDDDD"
BARS: Final = "#C4C4C4"
PALETTE: Final = ("#6B6B6B", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#333333")
"""Okabe's and Ito's, after a grey for what the others are compared with."""
MARKERS: Final = "osD^vPX*"
"""Those who see no colours tell systems by them."""

_MARGIN: Final = 0.3
_LEGEND: Final = 0.35
_TITLE_LINES: Final = 3


def look(number: int) -> dict[str, Any]:
    """Colour and marker of the system of that number."""
    return {
        "color": PALETTE[number % len(PALETTE)],
        "marker": MARKERS[(number + number // len(PALETTE)) % len(MARKERS)],
    }


class Chart:
    """A figure with room for what is to be drawn; lengths are in inches, from its lower left corner."""

    def __init__(
        self, title: str, facts: Sequence[str], note: str, size: tuple[float, float], marks: Sequence[Line2D] = ()
    ) -> None:
        require_matplotlib()
        from matplotlib.figure import Figure

        room = size[0]
        heading = in_lines(plain(title) or "(no title)", room, TITLE, "bold", _TITLE_LINES)
        told = in_lines(" · ".join(facts), room, SMALL)
        notes = in_lines(plain(note), room, SMALL)
        foot = _MARGIN + (height_of(notes, SMALL) if notes else 0)
        columns, rows = _set_out(marks, room)
        self._bottom = foot + rows * _LEGEND * 0.7 + (_LEGEND * 0.3 if marks else 0)
        head = height_of(heading, TITLE) + height_of(told, SMALL) + 0.1
        width, height = room + 2 * _MARGIN, self._bottom + size[1] + head + _MARGIN
        self.figure: Figure = Figure((width, height), facecolor="white")
        place = {"x": _MARGIN / width, "y": 1 - _MARGIN / height}
        self.figure.suptitle(heading, **place, **style(TITLE, weight="bold", va="top"))
        self._write(height - _MARGIN - height_of(heading, TITLE) - 0.02, told, va="top")
        self._write(_MARGIN, notes, va="bottom")
        if marks:
            self._explain(marks, columns, (foot + self._bottom) / 2)

    def axes(self, x: float, y: float, width: float, height: float, label: str) -> Axes:
        """A place to draw in, counted from the lower left corner of the room, with quiet lines and letters."""
        page_width, page_height = map(float, self.figure.get_size_inches())
        place = (x + _MARGIN) / page_width, (y + self._bottom) / page_height, width / page_width, height / page_height
        axes = self.figure.add_axes(place, label=label)
        axes.tick_params(labelsize=SMALL, labelcolor=GREY, labelfontfamily=FONT, length=0, pad=3)
        for side, spine in axes.spines.items():
            spine.set(visible=side == "bottom", color=LINES, linewidth=0.8)
        axes.set_axisbelow(True)
        return axes

    def _write(self, y: float, text: str, **changes: Any) -> None:
        width, height = map(float, self.figure.get_size_inches())
        self.figure.text(_MARGIN / width, y / height, text, **style(SMALL, color=GREY, **changes))

    def _explain(self, marks: Sequence[Line2D], columns: int, y: float) -> None:
        width, height = map(float, self.figure.get_size_inches())
        self.figure.legend(
            handles=list(marks),
            loc="center left",
            bbox_to_anchor=(_MARGIN / width, y / height),
            ncols=columns,
            frameon=False,
            prop={"family": FONT, "size": SMALL},
            labelcolor=INK,
            borderpad=0,
            borderaxespad=0,
            handlelength=1.4,
            handletextpad=0.5,
            columnspacing=1.6,
        )


def mark(label: str, **looks: Any) -> Line2D:
    """An entry of the legend; dollar signs in its name are no formulas, and none is hidden for how it begins."""
    require_matplotlib()
    from matplotlib.lines import Line2D

    name = plain(label).replace("$", r"\$")
    name = f" {name}" if name.startswith("_") else name
    return Line2D([], [], label=name, **{"linestyle": "", "markersize": 5, **looks})


def require_matplotlib() -> None:
    """Say what is missing before anything is drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Drawing a figure", "plot") from error


def _set_out(marks: Sequence[Line2D], room: float) -> tuple[int, int]:
    """Columns and rows for the legend: as many columns as find room if all were as wide as the widest."""
    if not marks:
        return 1, 0
    widest = max(width_of(str(item.get_label())) for item in marks) * SMALL * POINT + 0.4
    columns = min(len(marks), max(1, int(room / widest)))
    return columns, -(-len(marks) // columns)
