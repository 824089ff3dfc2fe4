"""Salience step by step: whether it concentrates, and whether what is chosen lies together on the lattice.

The paper says that salience "is diffuse at t = 0 and progressively sharpens", and that chosen paragraphs "cluster in
contiguous lattice regions rather than isolated cells". Both are measured here for every act, beside selections that no
automaton made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice import encoding
from lexlattice._internal.processes import parallel_map
from lexlattice.act.document import Act
from lexlattice.errors import ConfigError, DataError
from lexlattice.evaluation.metrics.significance import confidence_interval
from lexlattice.evaluation.rows import BadRow, Row, Rows, act_of
from lexlattice.evaluation.systems import OURS
from lexlattice.lattice.grid import Lattice
from lexlattice.research.experiments.spatial import (
    Matrix,
    Neighbourhood,
    bright_share,
    entropy,
    top_share,
)
from lexlattice.research.experiments.study import ORACLES, Measurable, Study, name_of
from lexlattice.research.experiments.tables import Cell, Column, Table, row
from lexlattice.research.experiments.tables import Row as Line
from lexlattice.research.experiments.trajectories import (
    SYSTEMS,
    Source,
    chosen_by_scores,
    chosen_by_system,
    trajectory,
)
from lexlattice.summarizer import PATH as SHIPPED

FEWEST: Final = 10
"""Shorter acts are left out: a tenth of their units is less than one, and all of them may be chosen."""
DRAWS: Final = 200
"""Shuffled selections for each act."""
_SIGNIFICANT: Final = 0.05
STEP_COLUMNS: Final = tuple(
    Column(name, best=None, digits=3) for name in ("entropy", "mass of the top 10 %", "upper half", "Moran's I")
)
_CLUSTER_COLUMNS: Final = tuple(
    Column(name, best=None, digits=digits)
    for name, digits in (
        *(("chosen, %", 1), ("Moran's I", 3), ("shuffled", 3), ("p < 0.05, %", 1)),
        *(("shuffled in columns", 3), ("p < 0.05, %", 1)),
        *(("beside another, %", 1), ("shuffled, %", 1), ("shuffled in columns, %", 1)),
    )
)
_PERCENT: Final = (0, 3, 5, 6, 7, 8)
"""The places of shares."""
_ABOUT_STEPS: Final = (
    "Entropy: of salience as a distribution over units, divided by that of the uniform one (1 is diffuse); mass of the "
    "top 10 %: the part of that distribution on a tenth of the units; upper half: the share of units in the upper half "
    "of the scale, from the least to the greatest salience of the whole trajectory. The paper’s model gives logits, of "
    "which the softmax is taken, as in its loss; ours gives expected points, which are divided by their sum. "
    "Moran’s I: of salience on the lattice, 3×3 neighbourhoods. Readouts are trained on the last step only. Acts "
    f"with fewer than {FEWEST} units in either reading are left out."
)
_ABOUT_CLUSTERS: Final = (
    "Shuffled: the same number of units anywhere in the act; in columns: the same number in each column, that is, at "
    "each position within sections. After each, the share of acts that are more clustered than these at p < 0.05, "
    "one-sided; of random selections, 5 % are. Beside another: chosen units with a chosen neighbour. “t = 0” is "
    "selected by the salience before the first step. Only acts in which every row of the group chooses some but not "
    "all units."
)


@dataclass(frozen=True, slots=True)
class Measured:
    """The figures of one source on one act."""

    steps: Matrix | None
    """Before the first step and after each: the columns of `STEP_COLUMNS`; None without an automaton."""
    clusters: Mapping[str, Sequence[float]]
    """What is chosen in the end and, with an automaton, by the salience before its first step."""


def dynamics(study: Study) -> list[Table]:
    """A table of concentration by step, and one of the clustering of selections; draws the first as a figure."""
    settings = study.settings
    trained = study.train(list(settings.models), study.languages("train")) if settings.models else {}
    sources = [_trained(one) for models in trained.values() for one in models]
    profiles = list(dict.fromkeys([source.profile for source in sources] or [settings.profile]))
    if OURS in settings.systems:
        sources.append(Source(OURS, "provisions", "whole", str(SHIPPED)))
        profiles = list(dict.fromkeys([*profiles, "provisions"]))
    for name in settings.systems:
        if name not in (*SYSTEMS, OURS):
            raise ConfigError(f"'{name}' cannot be examined; choose from: {', '.join((OURS, *SYSTEMS))}.")
        if name != OURS:
            sources += [Source(name, profile, "paper" if profile == "paper" else "whole") for profile in profiles]
    if not sources:
        raise ConfigError("The settings name nothing to examine; add systems or models.")
    steps, clusters, acts = list[Line](), list[Line](), 0
    curves: dict[str, Matrix] = {}
    for code in study.languages():
        found = _measured(study, code, sources)
        acts += len(found)
        prefix = f"{name_of(code)}, " if len(study.languages()) > 1 else ""
        for name, table in _by_step(sources, found).items():
            steps += _step_lines(table, f"{prefix}{name}")
            curves[f"{prefix}{name}"] = table.mean(axis=0)
        for profile in profiles:
            kept = [place for place, source in enumerate(sources) if source.profile == profile]
            units = f"{prefix}{'the paper’s' if profile == 'paper' else 'our'} units"
            clusters += _cluster_lines([sources[k] for k in kept], [[act[k] for k in kept] for act in found], units)
    _draw(study, curves)
    return [
        Table(
            "Salience by step",
            "How concentrated salience is before the first step and after each, and how alike neighbours are.",
            STEP_COLUMNS,
            tuple(steps),
            study.source(study.languages(), acts),
            f"{_ABOUT_STEPS} {study.kept_weights(trained) if trained else ''}",
            paper="The paper shows one act, and says that salience is diffuse at t = 0 and sharpens.",
            head="Step",
        ),
        Table(
            "Clustering of what is chosen",
            f"Moran’s I of selections on the lattice, {study.length}, beside {DRAWS} shuffled selections of each act.",
            _CLUSTER_COLUMNS,
            tuple(clusters),
            study.source(study.languages(), acts),
            _ABOUT_CLUSTERS,
            paper="The paper says of one act that chosen paragraphs cluster in contiguous regions.",
        ),
    ]


def _trained(model: Measurable) -> Source:
    runner = model.study.runner
    config = runner.config(model.task.model)
    return Source(
        *(model.task.name, config.profile, config.selection.mode, str(model.path), config.encoder.name),
        runner.encoder_options(config.encoder.name),
    )


# Figures of single acts


def _measured(study: Study, language: str, sources: Sequence[Source]) -> list[list[Measured]]:
    """The figures of all sources on every act of a language that is long enough in every reading."""
    split = study.settings.split
    path = study.runner.corpus.source(language, split)
    rows = [item for item in Rows(path or "", split=split) if isinstance(item, Row)][: study.runner.acts]
    is_light = all(encoding.runs_in_workers(source.encoder) for source in sources)
    jobs = max(1, min(study.runner.jobs if is_light else 1, len(rows)))
    names = ", ".join(dict.fromkeys(source.name for source in sources))
    study.runner.note(f"examining {names} on {language}")
    shown = study.runner.tracked(rows, f"examining {language}")
    found = [act for act in parallel_map(partial(_examine, sources, language), shown, jobs) if act]
    if not found:
        raise DataError(f"No act of the {split} split in '{language}' has {FEWEST} units; name another language.")
    return found


def _examine(sources: Sequence[Source], language: str, row: Row) -> list[Measured]:
    """The figures of all sources on one act; none if it is too short in any reading."""
    acts: dict[str, tuple[Act, Neighbourhood]] = {}
    for profile in {source.profile for source in sources}:
        act = act_of(row, profile, language)
        if isinstance(act, BadRow) or len(act) < FEWEST:
            return []
        acts[profile] = act, Neighbourhood(Lattice.of(act))
    return [examine(source, *acts[source.profile], row.summary) for source in sources]


def examine(source: Source, act: Act, graph: Neighbourhood, summary: str) -> Measured:
    """The figures of one source on one act."""
    words = len(summary.split())
    if not source.weights:
        return Measured(None, {source.name: cluster(graph, chosen_by_system(source, act, summary, words))})
    panels, mass = trajectory(source, act)
    steps = np.stack([entropy(mass), top_share(mass), bright_share(panels), graph.moran(panels)], axis=1)
    rows = {f"{source.name}, t = 0": panels[0]} if len(panels) > 1 else {}
    rows[source.name] = panels[-1]
    chosen = {name: chosen_by_scores(source, act, scores, words) for name, scores in rows.items()}
    return Measured(steps, {name: cluster(graph, one) for name, one in chosen.items()})


def cluster(graph: Neighbourhood, chosen: NDArray[np.bool_]) -> list[float]:
    """The columns of the table of clustering; not numbers if nothing or everything is chosen."""
    if chosen.all() or not chosen.any() or not graph.pairs:
        return [float("nan")] * len(_CLUSTER_COLUMNS)
    anywhere, in_columns = (graph.null(chosen, DRAWS, seed=0, by_column=by_column) for by_column in (False, True))
    moran, joined = (float(figure[0]) for figure in graph.clustering(chosen[None]))
    return [
        *(float(chosen.mean()), moran),
        *(anywhere.moran, float(anywhere.p < _SIGNIFICANT), in_columns.moran, float(in_columns.p < _SIGNIFICANT)),
        *(joined, anywhere.joined, in_columns.joined),
    ]


# Rows of tables


def _by_step(sources: Sequence[Source], found: Sequence[Sequence[Measured]]) -> dict[str, Matrix]:
    """By model with an automaton: acts × steps × columns, averaged over seeds."""
    tables: dict[str, list[Matrix]] = {}
    for place, source in enumerate(sources):
        steps = [act[place].steps for act in found]
        if all(one is not None for one in steps):
            tables.setdefault(source.name, []).append(np.array(steps))
    means = {name: np.mean(of_seeds, axis=0) for name, of_seeds in tables.items()}
    return {name: table[np.isfinite(table).all(axis=(1, 2))] for name, table in means.items()}


def _step_lines(table: Matrix, group: str) -> list[Line]:
    lines = [row(f"t = {step}", *_cells(table[:, step]), group=group) for step in range(table.shape[1])]
    if table.shape[1] > 1:
        change = table[:, -1] - table[:, 0]
        low, high = confidence_interval(change)
        texts = [f"{mean:+.3f} ({low[i]:+.3f} to {high[i]:+.3f})" for i, mean in enumerate(change.mean(axis=0))]
        cells = [Cell(float(mean), text=text) for mean, text in zip(change.mean(axis=0), texts, strict=True)]
        lines.append(row(f"t = {table.shape[1] - 1} − t = 0", *cells, group=group, competes=False))
    return lines


def _cluster_lines(sources: Sequence[Source], found: Sequence[Sequence[Measured]], group: str) -> list[Line]:
    tables: dict[str, list[Matrix]] = {}
    for place, _ in enumerate(sources):
        for name in found[0][place].clusters:
            tables.setdefault(name, []).append(np.array([act[place].clusters[name] for act in found]))
    means = {name: np.mean(of_seeds, axis=0) for name, of_seeds in tables.items()}
    is_whole = np.all([np.isfinite(table).all(axis=1) for table in means.values()], axis=0)
    if not is_whole.any():
        raise DataError("In no act do all of these choose some but not all units; name fewer systems or more acts.")
    scale = np.where(np.isin(np.arange(len(_CLUSTER_COLUMNS)), _PERCENT), 100, 1)
    title = f"{group}, {is_whole.sum():,} acts"
    return [
        row(name, *_cells(table[is_whole] * scale), group=title, competes=name not in ORACLES)
        for name, table in means.items()
    ]


def _cells(table: Matrix) -> list[Cell]:
    low, high = confidence_interval(table)
    return [Cell(float(mean), (float(low[place]), float(high[place]))) for place, mean in enumerate(table.mean(axis=0))]


# The figure

_PANEL: Final = (3.3, 1.9)
_LEFT, _BELOW, _ABOVE = 0.45, 0.5, 0.25
"""Inches beside a panel, below and above it."""


def _draw(study: Study, curves: Mapping[str, Matrix]) -> None:
    """Draw entropy and Moran's I by step; without Matplotlib there are only the tables."""
    from lexlattice.errors import MissingExtraError
    from lexlattice.rendering.figures import save_figure
    from lexlattice.rendering.figures.canvas import FONT, GREY, SMALL, style
    from lexlattice.research.experiments.plots import LINES, Chart, look, mark, require_matplotlib

    try:
        require_matplotlib()
    except MissingExtraError as error:
        study.runner.note(str(error))
        return
    if not curves:
        return
    marks = [mark(name, linestyle="-", **look(number)) for number, name in enumerate(curves)]
    width = _LEFT + _PANEL[0]
    note = "Means over acts; entropy 1 is diffuse. Steps beyond a model’s last are not drawn."
    chart = Chart("Salience by step", [], note, (2 * width, _BELOW + _PANEL[1] + _ABOVE), marks)
    for panel, (title, column) in enumerate((("Entropy of salience", 0), ("Moran’s I of salience", 3))):
        axes = chart.axes(panel * width + _LEFT, _BELOW, *_PANEL, title)
        axes.grid(axis="y", color=LINES, linewidth=0.6)
        for number, steps in enumerate(curves.values()):
            axes.plot(range(len(steps)), steps[:, column], linewidth=1.2, markersize=4, **look(number))
        axes.set_title(title, loc="left", pad=5, **style(SMALL + 1, weight="bold"))
        axes.set_xlabel("step", fontfamily=FONT, fontsize=SMALL, color=GREY, labelpad=2)
    chart.figure.set_label(f"Entropy and Moran’s I of salience by step: {', '.join(curves)}.")
    folder = study.runner.folder / (study.name or "dynamics")
    folder.mkdir(parents=True, exist_ok=True)
    save_figure(chart.figure, folder / "dynamics.svg")
