"""The two figures: where the units of an act stand, and how salience settles on them, step by step."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final

import numpy as np

from lexlattice.act.document import SECTION_KINDS, Act
from lexlattice.errors import DataError, MissingExtraError
from lexlattice.rendering.figures.canvas import FONT, GREY, INK, LEGEND, MARGIN, PADDING, POINT, SMALL, Sheet, plain

if TYPE_CHECKING:
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import ArrayLike, NDArray

COLOURS: Final = {
    "title": "#333333",
    "preamble": "#CC79A7",
    "recitals": "#0072B2",
    "article": "#009E73",
    "annex": "#D55E00",
    "notes": "#56B4E9",
    "body": "#E69F00",
}
"""Okabe's and Ito's, which everybody can tell apart; kinds that the paper draws have its colours."""

_MAP: Final = "viridis"
_LATTICE_SHAPE, _SALIENCE_SHAPE = 1.0, 2.0
"""Width of the page, for its height."""
_BAR: Final = (0.55, 1.8)
"""Where the colour bar begins, and how long it is, in inches."""


def plot_lattice(act: Act) -> Figure:
    """The act's lattice: a row for each section, a cell for each unit, coloured by what the section is."""
    _require(act)
    facts = _facts(act)
    note = "A row is a section, a cell is a unit at its place in the section; grey cells are empty."
    sheet = Sheet(act, [""], _LATTICE_SHAPE, facts, note)
    kinds = [act.sections[act.units[unit].section].kind for unit in sheet.drawn]
    sheet.panels[0].paint([COLOURS[kind] for kind in kinds])
    present = [kind for kind in SECTION_KINDS if kind in kinds]
    _explain(sheet, MARGIN, [_mark("s", COLOURS[kind], kind.capitalize()) for kind in present])
    sheet.figure.set_label(
        f"The lattice of {_named(act)}: {', '.join(facts)}. Kinds of sections: {', '.join(present)}."
    )
    return sheet.figure


def plot_salience(act: Act, trajectory: ArrayLike, chosen: Collection[str]) -> Figure:
    """The salience of each unit before the automaton's first step and after each, a panel each.

    `trajectory` has a row for each panel and a column for each unit. Units whose ids are in `chosen` have a star in
    the last panel.
    """
    _require(act)
    values = np.asarray(trajectory, np.float64)
    if values.ndim != 2 or not len(values) or values.shape[1] != len(act):
        raise ValueError(f"{len(act)} units need rows of as many values, not an array of shape {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("a value is not a finite number")
    if unknown := [unit for unit in chosen if unit not in act]:
        raise ValueError(f"the act has no unit {unknown[0]!r}")

    taken = {unit.id: unit.words for unit in act.units if unit.id in set(chosen)}
    facts = [*_facts(act), f"chosen: {_count(len(taken), 'unit')}, {_count(sum(taken.values()), 'word')}"]
    note = "A row is a section, a cell is a unit; its colour is its salience at first (t = 0) and after each step."
    sheet = Sheet(act, [f"t = {step}" for step in range(len(values))], _SALIENCE_SHAPE, facts, note)
    scale = _scale(values)
    for panel, row in zip(sheet.panels, values, strict=True):
        panel.paint(scale.to_rgba(row[sheet.drawn]))
    is_starred = [act.units[unit].id in taken for unit in sheet.drawn]
    _star(sheet, is_starred)
    _bar(sheet, scale)
    unseen = len(taken) - sum(is_starred)
    label = f"chosen ({unseen:,} more are not drawn)" if unseen else "chosen"
    _explain(sheet, MARGIN + sum(_BAR) + 0.45, [_mark("*", "white", label, edge=INK), _mark("s", PADDING, "empty")])
    sheet.figure.set_label(f"Salience of the units of {_named(act)}, at first and after each step: {', '.join(facts)}.")
    return sheet.figure


def _require(act: Act) -> None:
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Drawing a figure", "plot") from error
    if not act.units:
        raise DataError("The act has no units, so there is nothing to draw; give one with text.")


def _facts(act: Act) -> list[str]:
    counts = _count(len(act.sections), "section"), _count(len(act), "unit"), _count(act.words, "word")
    return [fact for fact in (act.celex, act.language, *counts) if fact]


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _named(act: Act) -> str:
    return f"“{title}”" if (title := plain(act.title)) else "an act without a title"


def _scale(values: NDArray[np.float64]) -> ScalarMappable:
    """One for all panels, from nothing to the most there is."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    low, high = min(0.0, float(values.min())), float(values.max())
    return ScalarMappable(Normalize(low, high if high > low else low + 1), _MAP)


def _star(sheet: Sheet, is_starred: list[bool]) -> None:
    panel = sheet.panels[-1]
    x, y = (panel.corners[is_starred] + 0.5).T
    size = 0.9 * panel.cell / POINT
    stars = panel.axes.scatter(x, y, s=size**2, marker="*", c="white", linewidths=size / 18, label="chosen", zorder=4)
    stars.set_edgecolor(INK)


def _bar(sheet: Sheet, scale: ScalarMappable) -> None:
    middle = sheet.foot + LEGEND / 2
    sheet.write(MARGIN, middle, "salience", va="center")
    axes = sheet.axes(MARGIN + _BAR[0], middle - 0.05, _BAR[1], 0.1, "salience")
    axes.set_axis_on()
    bar = sheet.figure.colorbar(scale, cax=axes, orientation="horizontal")
    bar.outline.set_visible(False)
    axes.tick_params(labelsize=SMALL - 1, labelcolor=GREY, labelfontfamily=FONT, length=0, pad=2)


def _mark(marker: str, colour: str, label: str, edge: str = "none") -> Line2D:
    from matplotlib.lines import Line2D

    mark = Line2D([], [], linestyle="", marker=marker, markersize=7, color=colour, label=label)
    mark.set(markeredgecolor=edge, markeredgewidth=0.5)
    return mark


def _explain(sheet: Sheet, x: float, marks: list[Line2D]) -> None:
    """What marks and colours mean, beside each other."""
    sheet.figure.legend(
        handles=marks,
        loc="center left",
        bbox_to_anchor=sheet.at(x, sheet.foot + LEGEND / 2),
        ncols=len(marks),
        frameon=False,
        prop={"family": FONT, "size": SMALL},
        labelcolor=INK,
        borderpad=0,
        borderaxespad=0,
        handlelength=1,
        handletextpad=0.4,
        columnspacing=1.4,
    )
