"""Systems language by language: a line for each language from its worst system to its best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final

from lexlattice.errors import LexLatticeError
from lexlattice.plotting.chart import BARS, LINES, Chart, look, mark, require_matplotlib
from lexlattice.plotting.lettering import FONT, GREY, INK, POINT, SMALL, plain, style, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Scores = Mapping[str, Mapping[str, float]]
"""The figure of each system, by language; a system may be without one in some."""

_ROW: Final = 0.24
_PLOT: Final = 4.6
_BELOW: Final = 0.45
"""Room for the numbers and the name of the axis."""
_LEAST: Final = 1e-9
"""Half a range of figures that are all the same."""


def plot_comparison(scores: Scores, measure: str, title: str, note: str = "") -> Figure:
    """A dumbbell for each language, the one with the best figure first.

    Systems are in the order in which they come; the first is what the others are compared with.
    """
    require_matplotlib()
    if not any(scores.values()):
        raise LexLatticeError("There are no figures to compare; give those of one language at least.")
    if not all(math.isfinite(figure) for row in scores.values() for figure in row.values()):
        raise ValueError("a figure is not a finite number")
    rows = sorted((item for item in scores.items() if item[1]), key=lambda item: (-max(item[1].values()), item[0]))
    systems = list(dict.fromkeys(name for row in scores.values() for name in row))
    names = [plain(language) for language, _ in rows]
    left = max(map(width_of, names)) * (SMALL + 1) * POINT + 0.15
    height = _BELOW + _ROW * len(rows)
    gain = _gain(scores, systems)
    facts = [_count(len(rows), "language"), _count(len(systems), "system"), *([gain] if gain else [])]
    marks = [mark(system, **look(number)) for number, system in enumerate(systems)]
    chart = Chart(title, facts, note, (left + _PLOT, height), marks)
    axes = chart.axes(left, _BELOW, _PLOT, height - _BELOW, "comparison")
    _lay_out(axes, [figure for _, row in rows for figure in row.values()], len(rows), measure)
    beside = axes.get_yaxis_transform()
    for y, (name, (_, row)) in enumerate(zip(names, rows, strict=True)):
        low, high = min(row.values()), max(row.values())
        axes.text(-0.1 / _PLOT, y, name, transform=beside, **style(SMALL + 1, ha="right", va="center"))
        axes.plot([low, high], [y, y], color=BARS, linewidth=1.6, solid_capstyle="butt", zorder=2)
        axes.annotate(
            f"{high:.1f}", (high, y), (6, 0), textcoords="offset points", **style(SMALL - 1, color=GREY, va="center")
        )
    for number, system in enumerate(systems):
        points = [(row[system], y) for y, (_, row) in enumerate(rows) if system in row]
        x, y_places = zip(*points, strict=True)
        axes.plot(x, y_places, linestyle="", markersize=5, label=plain(system), zorder=3 + number, **look(number))
    best = f"The best is {names[0]} with {max(rows[0][1].values()):.1f}."
    chart.figure.set_label(f"{plain(measure)} by language: {', '.join(facts)}. {best}")
    return chart.figure


def _lay_out(axes: Axes, figures: Sequence[float], rows: int, measure: str) -> None:
    from matplotlib.ticker import MaxNLocator

    low, high = min(figures), max(figures)
    around = max(0.06 * (high - low), _LEAST * max(1.0, abs(high)))
    axes.set(xlim=(low - around, high + 1.8 * around), ylim=(rows - 0.4, -0.6), yticks=[])
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.grid(axis="x", color=LINES, linewidth=0.6)
    axes.set_xlabel(plain(measure), fontfamily=FONT, fontsize=SMALL + 1, color=INK, labelpad=4, parse_math=False)


def _gain(scores: Scores, systems: Sequence[str]) -> str:
    """What the last system is ahead of the first, where both have a figure."""
    first, last = systems[0], systems[-1]
    gains = [row[last] - row[first] for row in scores.values() if first in row and last in row]
    if len(systems) < 2 or not gains:
        return ""
    return f"{plain(last)} − {plain(first)}: {fmean(gains):+.1f} on average, {min(gains):+.1f} at least"


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"
