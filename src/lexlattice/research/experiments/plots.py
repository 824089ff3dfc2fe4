"""Figures of experiments: systems by language, training curves, and what earlier experiments left in the folder."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

from lexlattice.errors import DataError, MissingExtraError
from lexlattice.evaluation.sources import ACT, CELEX, LANGUAGE
from lexlattice.reading import read
from lexlattice.rendering.figures.canvas import (
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
from lexlattice.research.experiments.corpus import SPLITS
from lexlattice.research.experiments.study import Study
from lexlattice.research.experiments.tables import Table
from lexlattice.summarizer import shipped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D


LINES: Final = "#DDDDDD"
BARS: Final = "#C4C4C4"
PALETTE: Final = ("#6B6B6B", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#333333")
"""The palette of Okabe and Ito, after a grey for the system that others are compared with."""
MARKERS: Final = "osD^vPX*"
"""Distinguish systems without colour."""

_MARGIN: Final = 0.3
_LEGEND: Final = 0.35
_TITLE_LINES: Final = 3


def look(number: int) -> dict[str, Any]:
    """The colour and marker of a system, by its number."""
    return {
        "color": PALETTE[number % len(PALETTE)],
        "marker": MARKERS[(number + number // len(PALETTE)) % len(MARKERS)],
    }


class Chart:
    """A figure with a title, facts, a legend and a note margin the axes; lengths are in inches."""

    def __init__(
        self, title: str, facts: Sequence[str], note: str, size: tuple[float, float], marks: Sequence[Line2D] = ()
    ) -> None:
        require_matplotlib()
        from matplotlib.figure import Figure

        room = size[0]
        heading = in_lines(plain(title) or "(no title)", room, TITLE, "bold", _TITLE_LINES)
        facts_text = in_lines(" · ".join(facts), room, SMALL)
        notes = in_lines(plain(note), room, SMALL)
        foot = _MARGIN + (height_of(notes, SMALL) if notes else 0)
        columns, rows = _set_out(marks, room)
        self._bottom = foot + rows * _LEGEND * 0.7 + (_LEGEND * 0.3 if marks else 0)
        head = height_of(heading, TITLE) + height_of(facts_text, SMALL) + 0.1
        width, height = room + 2 * _MARGIN, self._bottom + size[1] + head + _MARGIN
        self.figure: Figure = Figure((width, height), facecolor="white")
        place = {"x": _MARGIN / width, "y": 1 - _MARGIN / height}
        self.figure.suptitle(heading, **place, **style(TITLE, weight="bold", va="top"))
        self._write(height - _MARGIN - height_of(heading, TITLE) - 0.02, facts_text, va="top")
        self._write(_MARGIN, notes, va="bottom")
        if marks:
            self._explain(marks, columns, (foot + self._bottom) / 2)

    def axes(self, x: float, y: float, width: float, height: float, label: str) -> Axes:
        """Add axes in the house style; positions are relative to the lower left corner of the plotting area."""
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
    """A legend entry; escapes "$" (formulas) and a leading "_" (hidden entries) of Matplotlib."""
    require_matplotlib()
    from matplotlib.lines import Line2D

    name = plain(label).replace("$", r"\$")
    name = f" {name}" if name.startswith("_") else name
    return Line2D([], [], label=name, **{"linestyle": "", "markersize": 5, **looks})


def require_matplotlib() -> None:
    """Raise `MissingExtraError` before anything is drawn."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("Drawing a figure", "plot") from error


def _set_out(marks: Sequence[Line2D], room: float) -> tuple[int, int]:
    """The columns and rows of the legend: as many columns of the widest entry as fit."""
    if not marks:
        return 1, 0
    widest = max(width_of(str(item.get_label())) for item in marks) * SMALL * POINT + 0.4
    columns = min(len(marks), max(1, int(room / widest)))
    return columns, -(-len(marks) // columns)


# Systems by language: a line for each language from its worst system to its best

Scores = Mapping[str, Mapping[str, float]]
"""By language: the score of each system that has one."""

_ROW: Final = 0.24
_PLOT: Final = 4.6
_BELOW: Final = 0.45
"""Inches for the tick labels and the axis label."""
_MIN_MARGIN: Final = 1e-9
"""The margin of an axis if all figures are equal."""


def plot_comparison(scores: Scores, measure: str, title: str, note: str = "") -> Figure:
    """Plot a line for each language with a marker for each system, the language with the best score first.

    Args:
        scores: By language, the score of each system; the first system is what the others are compared with.
        measure: The label of the axis.
        title: The title of the figure.
        note: A note below the figure.

    """
    require_matplotlib()
    if not any(scores.values()):
        raise DataError("There are no scores to compare; give those of at least one language.")
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
    margin = max(0.06 * (high - low), _MIN_MARGIN * max(1.0, abs(high)))
    axes.set(xlim=(low - margin, high + 1.8 * margin), ylim=(rows - 0.4, -0.6), yticks=[])
    axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    axes.grid(axis="x", color=LINES, linewidth=0.6)
    axes.set_xlabel(plain(measure), fontfamily=FONT, fontsize=SMALL + 1, color=INK, labelpad=4, parse_math=False)


def _gain(scores: Scores, systems: Sequence[str]) -> str:
    """The mean and least lead of the last system over the first, as text."""
    first, last = systems[0], systems[-1]
    gains = [row[last] - row[first] for row in scores.values() if first in row and last in row]
    if len(systems) < 2 or not gains:
        return ""
    return f"{plain(last)} − {plain(first)}: {fmean(gains):+.1f} on average, {min(gains):+.1f} at least"


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


# The experiment `figures`

_SHOWN: Final = ("lexrank", "lead", "2D", "lexlattice")
"""Systems of the main table that are drawn; the first is what the others are compared with."""
_MAIN: Final = "main"


def figures(study: Study) -> list[Table]:
    """Draw the figures of an act and of earlier experiments' results; returns no tables."""
    from lexlattice.rendering.figures import plot_lattice, plot_salience, save_figure
    from lexlattice.research.experiments.curves import plot_curves
    from lexlattice.research.experiments.panels import draw_panels

    settings = study.settings
    folder = study.runner.folder / (study.name or "figures")
    folder.mkdir(parents=True, exist_ok=True)
    row = _row(study)
    act = read(f"{row[ACT]}\n", language=str(row[LANGUAGE]), format="text", profile=settings.profile)
    save_figure(plot_lattice(act), folder / "lattice.svg")
    if settings.profile == "provisions":  # the shipped model's
        chosen = {item.id for item in shipped().summarize(act)}
        save_figure(plot_salience(act, shipped().trajectory(act), chosen), folder / "salience.svg")
    name = settings.table or _MAIN
    path = study.runner.folder / name / "1.json"
    if not path.is_file():
        raise DataError(f"The folder has no table '{name}'; run `lexlattice experiment main --config {name}` first.")
    table = Table.from_json(path.read_bytes())
    scores: dict[str, dict[str, float]] = {}
    for language, lines in table.groups.items():
        found = {line.name: line.cells[0].value for line in lines}
        shown = settings.shown or _SHOWN
        scores[language] = {name: value for name in shown if (value := found.get(name)) is not None}
    figure = plot_comparison(scores, "R-1", "Systems by language", f"The {settings.split} split.")
    save_figure(figure, folder / "comparison.svg")
    draw_panels(study, row, {line.name for line in table.rows}, folder)
    logs = sorted((study.runner.folder / "models").glob("*/seed-0/log.csv"))
    models = [log.parent.parent.name.rpartition("-") for log in logs]
    names = Counter(name for name, _, _ in models)
    for log, (name, _, key) in zip(logs, models, strict=True):
        label = name if names[name] == 1 else f"{name}-{key}"  # several models may have the same name
        save_figure(plot_curves(log, f"Training {name}"), folder / f"training-{label}.svg")
    study.runner.note(f"figures: {', '.join(sorted(path.name for path in folder.glob('*.svg')))}")
    return []


def _row(study: Study) -> Mapping[str, object]:
    """The act that the settings name, from whichever split has it, or the first of the split; in the first language."""
    settings, corpus = study.settings, study.runner.corpus
    if not settings.act:
        language = study.languages()[0]
        (row,) = corpus.rows([language], settings.split, 1)
        return row
    language = settings.languages[0] if settings.languages else "en"
    for split in SPLITS:
        for row in corpus.rows([language], split) if corpus.source(language, split) else ():
            if row[CELEX] == settings.act:
                return row
    raise DataError(f"'{corpus.name}' does not have the act {settings.act} in '{language}'; name another as 'act'.")
