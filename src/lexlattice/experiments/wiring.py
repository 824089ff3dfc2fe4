"""Which parts of the network of meaning earn their place: the same training with one thing changed, over seeds."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.gold import load_gold
from lexlattice.evaluation.meaning import MEANINGS
from lexlattice.experiments.study import Measurable, Study
from lexlattice.experiments.tables import Cell, Column, Row, Table, row
from lexlattice.weights import read_weights


def wiring(study: Study) -> list[Table]:
    """A table for each group of models: points, precision and F1 of the best epoch on validation, over seeds."""
    if not study.settings.groups:
        raise LexLatticeError("Say which models are compared: [groups], and in it a list of names for each table.")
    names = list(dict.fromkeys(name for group in study.settings.groups.values() for name in group))
    languages = study.languages("train")
    trained = study.train(names, languages)
    tables = []
    for title, members in study.settings.groups.items():
        figures = {name: np.array([_figures(one) for one in trained[name]]) for name in members}
        lines = [_row(name, figures[name]) for name in members]
        lines += [_change(name, members[0], figures) for name in members[1:]]
        tables.append(
            Table(
                title,
                "Points covered, precision and F1 × 100 on gold validation acts; means over seeds.",
                (*(Column(name) for name in MEANINGS), Column("between seeds", best=None)),
                tuple(lines),
                study.source(languages, sum(1 for _ in load_gold(study.settings.split))),
                "The best epoch of each seed by F1; the last column is the standard deviation of F1 between seeds. "
                "Differences have their standard error over seeds.",
                paper="The paper has no measure of meaning.",
                head="Variant",
            )
        )
    return tables


def _figures(model: Measurable) -> list[float]:
    """What training measured on validation."""
    found = json.loads(read_weights(model.path).about.get("validation", "{}"))
    if not all(name in found for name in MEANINGS):
        raise LexLatticeError(f"'{model.task.name}' is not measured by meaning; compare networks of meaning here.")
    return [float(found[name]) for name in MEANINGS]


def _row(name: str, figures: NDArray[np.float64]) -> Row:
    spread = float(figures[:, -1].std(ddof=1)) if len(figures) > 1 else None
    return row(name, *(Cell(float(mean)) for mean in figures.mean(axis=0)), Cell(spread))


def _change(name: str, other: str, figures: dict[str, NDArray[np.float64]]) -> Row:
    """Seed by seed, since seeds are shared."""
    changes = figures[name] - figures[other]
    means, texts = changes.mean(axis=0), [f"{mean:+.2f}" for mean in changes.mean(axis=0)]
    if len(changes) > 1:
        errors = changes.std(axis=0, ddof=1) / len(changes) ** 0.5
        texts = [f"{text} ± {error:.2f}" for text, error in zip(texts, errors, strict=True)]
    cells = [Cell(float(mean), text=text) for mean, text in zip(means, texts, strict=True)]
    return row(f"{name}, less {other}", *cells, None, competes=False)
