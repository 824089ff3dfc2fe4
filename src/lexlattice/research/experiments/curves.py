"""Training curves from the log of a training: loss and reward by step, validation by epoch."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from lexlattice.errors import DataError
from lexlattice.rendering.figures.canvas import FONT, GREY, SMALL, style
from lexlattice.research.experiments.plots import BARS, LINES, PALETTE, Chart, look, mark, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

ROUGE: Final = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeLsum": "ROUGE-Lsum"}

_COLUMNS: Final = ("stage", "epoch", "step", "loss", "reward", "seconds")
_PANEL: Final = (3.3, 1.9)
_MARGINS: Final = (0.45, 0.5, 0.25)
"""Inches to the left of a panel, below it and above it."""
_SHARE: Final = 25
"""A running mean is over 1 / 25 of a panel's steps."""
_TAILS: Final = (1, 99)
"""Percentiles of the steps that a panel contains at least."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the log."""

    stage: str
    epoch: int
    step: int | None
    """None in the row at the end of an epoch."""
    figures: Mapping[str, float]


def plot_curves(log: str | os.PathLike[str], title: str = "Training", tokenizer: str = "unicode") -> Figure:
    """Plot loss and reward by step and ROUGE on validation by epoch, a panel for each.

    Args:
        log: The CSV file that a training writes, which may still be running.
        title: The title of the figure.
        tokenizer: The tokenizer of the ROUGE scores.

    """
    require_matplotlib()
    lines = _read(Path(log))
    stages = list(dict.fromkeys(line.stage for line in lines))
    steps = [line for line in lines if line.step is not None]
    epochs = [line for line in lines if line.step is None]
    curves = {
        f"{what.capitalize()}, {stage}": values
        for what in ("loss", "reward")
        for stage in stages
        if (values := [line.figures[what] for line in steps if line.stage == stage and what in line.figures])
    }
    measures = [name for name in ROUGE if any(f"{tokenizer}_{name}" in line.figures for line in epochs)]
    if not curves and not measures:
        raise DataError(f"'{os.fspath(log)}' contains no training step yet; wait for the first ones.")

    panels = [*curves, *(["validation"] if measures else [])]
    columns = min(2, len(panels))
    rows = math.ceil(len(panels) / columns)
    width, height = _MARGINS[0] + _PANEL[0], _MARGINS[1] + _PANEL[1] + _MARGINS[2]
    marks = [mark("one step", linestyle="-", color=BARS), mark("running mean", linestyle="-", color=PALETTE[1])]
    marks += [mark(ROUGE[name], linestyle="-", **look(number + 2)) for number, name in enumerate(measures)]
    facts = [_count(len(epochs), "epoch"), _count(len(steps), "step"), *_best(epochs, tokenizer, measures)]
    is_cut = any(_is_outside(values) for values in curves.values())
    note = (
        f"A running mean is over {100 // _SHARE} % of the steps of its panel."
        f"{' Steps far from all others are beyond the edge of their panel.' if is_cut else ''}"
        f"{f' Validation: F1 × 100, tokenizer {tokenizer}.' if measures else ''}"
    )
    chart = Chart(title, facts, note, (columns * width, rows * height), marks)
    for number, name in enumerate(panels):
        row, column = divmod(number, columns)
        place = column * width + _MARGINS[0], (rows - 1 - row) * height + _MARGINS[1]
        axes = chart.axes(*place, *_PANEL, name)
        axes.grid(axis="y", color=LINES, linewidth=0.6)
        if name in curves:
            _draw_steps(axes, name, np.array(curves[name]))
        else:
            _draw_validation(axes, epochs, [f"{tokenizer}_{measure}" for measure in measures])
    chart.figure.set_label(f"{title}: {', '.join(facts)}. Panels: {', '.join(panels)}.")
    return chart.figure


def _read(path: Path) -> list[_Line]:
    """The rows of a log, without a last one that is still being written."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise DataError(f"'{path}' cannot be read ({reason}); name the log.csv of a training.") from error
    whole = text[: text.rfind("\n") + 1]
    reader = csv.DictReader(whole.splitlines())
    if not set(_COLUMNS) <= set(reader.fieldnames or ()):
        raise DataError(f"'{path}' is not the log of a training; name the log.csv in its folder.")
    try:
        return [_line(row) for row in reader]
    except (ValueError, TypeError, AttributeError, csv.Error) as error:
        raise DataError(f"'{path}' is damaged at line {reader.line_num}; name the log of another run.") from error


def _line(row: dict[str, str]) -> _Line:
    figures = {name: float(text) for name, text in row.items() if text and name not in _COLUMNS[:3]}
    if not all(map(math.isfinite, figures.values())):
        raise ValueError("a figure is not a finite number")
    return _Line(row["stage"], int(row["epoch"]), int(row["step"]) if row["step"] else None, figures)


def _best(epochs: Sequence[_Line], tokenizer: str, measures: Sequence[str]) -> Iterable[str]:
    """The first epoch with the best mean of the measures, whose weights training keeps."""
    found = _best_place(epochs, [f"{tokenizer}_{name}" for name in measures])
    if found is not None:
        figures = " / ".join(f"{epochs[found].figures[f'{tokenizer}_{name}']:.2f}" for name in measures)
        yield f"best after {epochs[found].stage}, epoch {epochs[found].epoch}: {figures}"


def _best_place(epochs: Sequence[_Line], columns: Sequence[str]) -> int | None:
    whole = [n for n, line in enumerate(epochs) if columns and all(name in line.figures for name in columns)]
    return max(whole, key=lambda n: fmean(epochs[n].figures[name] for name in columns), default=None)


def _draw_steps(axes: Axes, name: str, values: NDArray[np.float64]) -> None:
    places, window = np.arange(1, len(values) + 1), _window(values)
    axes.plot(places, values, color=BARS, linewidth=0.7, label="steps", zorder=2)
    means = np.convolve(values, np.full(window, 1 / window), "valid")
    middle = places[window - 1 :] - (window - 1) / 2
    axes.plot(middle, means, color=PALETTE[1], linewidth=1.4, label="mean", zorder=3)
    if len(values) == 1:
        axes.plot(places, values, color=PALETTE[1], marker="o", markersize=3, label="only")
    axes.set_ylim(*_reach(values))
    _name(axes, name, "step")


def _draw_validation(axes: Axes, epochs: Sequence[_Line], columns: Sequence[str]) -> None:
    best = _best_place(epochs, columns)
    for number, column in enumerate(columns):
        points = [(n + 1, line.figures[column]) for n, line in enumerate(epochs) if column in line.figures]
        x, y = zip(*points, strict=True)
        axes.plot(x, y, linewidth=1.2, markersize=4, label=column, zorder=3, **look(number + 2))
        if best is not None:
            figure = epochs[best].figures[column]
            away = (0, -5 if number else 5)
            look_of = style(SMALL - 1, ha="center", va="top" if number else "bottom")
            axes.annotate(f"{figure:.1f}", (best + 1, figure), away, textcoords="offset points", **look_of)
    starts = [n for n in range(1, len(epochs)) if epochs[n].stage != epochs[n - 1].stage]
    for start in [0, *starts]:
        if start:
            axes.axvline(start + 0.5, color=GREY, linewidth=0.6, linestyle=":")
        stage = epochs[start].stage
        axes.text(start + 0.58, 0.02, stage, transform=axes.get_xaxis_transform(), **style(SMALL - 1, color=GREY))
    axes.set_xlim(0.5, len(epochs) + 0.5)
    axes.margins(y=0.22)
    _name(axes, "Validation, ROUGE", "epoch")


def _name(axes: Axes, name: str, places: str) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))
    axes.set_title(name, loc="left", pad=5, **style(SMALL + 1, weight="bold"))
    axes.set_xlabel(places, fontfamily=FONT, fontsize=SMALL, color=GREY, labelpad=2)


def _window(values: NDArray[np.float64]) -> int:
    return max(1, len(values) // _SHARE)


def _reach(values: NDArray[np.float64]) -> tuple[float, float]:
    """The limits of a panel's axis, which exclude outliers."""
    low, high = np.percentile(values, _TAILS)
    margin = 0.15 * float(high - low) or 0.05 * abs(float(high)) or 1.0
    return float(low) - margin, float(high) + margin


def _is_outside(values: Sequence[float]) -> bool:
    low, high = _reach(np.array(values))
    return min(values) < low or max(values) > high


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"
