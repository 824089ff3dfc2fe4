"""Ablations: the same model with one thing changed, compared over seeds on the same acts."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.weights import read_weights
from lexlattice.errors import ConfigError
from lexlattice.evaluation.gold import load_gold
from lexlattice.evaluation.points import MEANINGS
from lexlattice.research.experiments.points import MEANING_COLUMNS, cells, with_meaning
from lexlattice.research.experiments.study import ROUGE, Measurable, Study, differences, name_of
from lexlattice.research.experiments.tables import Cell, Column, Row, Table, row


def ablations(study: Study) -> list[Table]:
    """A table for each group of models; each model is compared with the group's first, or in a chain with the previous.

    Systems without training are listed too, if the settings name some.
    """
    if not study.settings.groups:
        raise ConfigError("The settings name no models to compare; add [groups] with a list of names for each table.")
    languages = study.languages()
    names = list(dict.fromkeys(name for group in study.settings.groups.values() for name in group))
    trained = study.train(names, study.languages("train"))
    columns = (*(MEANING_COLUMNS if study.settings.gold else ()), *ROUGE)
    main_measure = "F1 by meaning" if study.settings.gold else "R-1"
    main_column = [column.name for column in columns].index("F1" if study.settings.gold else "R-1")
    tables = []
    for title, members in study.settings.groups.items():
        lines, acts = [], 0
        for code in languages:
            found = {name: [one.on(code) for one in trained[name]] for name in members}
            scores = {name: with_meaning(results, name) for name, results in found.items()}
            acts += len(scores[members[0]])
            group = name_of(code) if len(languages) > 1 else ""
            for name in members:
                means = [with_meaning([results], name).mean(axis=0)[main_column] for results in found[name]]
                spread = float(np.std(means, ddof=1)) if len(means) > 1 else None
                lines.append(row(name, *cells(scores[name]), Cell(spread), group=group))
            if study.settings.systems:
                others = study.systems(code)
                for name in others.scores:
                    lines.append(row(name, *cells(with_meaning([others], name)), None, group=group, competes=False))
            for place, name in enumerate(members[1:]):
                other = members[place if title in study.settings.chains else 0]
                change = differences(scores[name], scores[other])
                lines.append(row(f"{name} − {other}", *change, None, group=group, competes=False))
        tables.append(
            Table(
                title,
                f"{'Meaning and ROUGE' if study.settings.gold else 'ROUGE'} F1 × 100 {study.length}; means over seeds.",
                (*columns, Column("between seeds", best=None)),
                tuple(lines),
                study.source(languages, acts),
                f"Trained on {study.settings.limit or 'all'} acts of each language; the last column is the standard "
                f"deviation of {main_measure} between seeds.",
                paper="The paper reports 1D and 2D on its test split only, with one seed.",
                head="Variant",
            )
        )
    return tables


def architecture(study: Study) -> list[Table]:
    """A table for each group of architectures, with the best epoch's scores on validation over seeds."""
    if not study.settings.groups:
        raise ConfigError("The settings name no models to compare; add [groups] with a list of names for each table.")
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
    """The validation scores that training stored with the weights."""
    found = json.loads(read_weights(model.path).about.get("validation", "{}"))
    if not all(name in found for name in MEANINGS):
        raise ConfigError(f"'{model.task.name}' has no scores by meaning; compare models of provisions here.")
    return [float(found[name]) for name in MEANINGS]


def _row(name: str, figures: NDArray[np.float64]) -> Row:
    spread = float(figures[:, -1].std(ddof=1)) if len(figures) > 1 else None
    return row(name, *(Cell(float(mean)) for mean in figures.mean(axis=0)), Cell(spread))


def _change(name: str, other: str, figures: dict[str, NDArray[np.float64]]) -> Row:
    """The difference of two models, paired by seed."""
    changes = figures[name] - figures[other]
    means, texts = changes.mean(axis=0), [f"{mean:+.2f}" for mean in changes.mean(axis=0)]
    if len(changes) > 1:
        errors = changes.std(axis=0, ddof=1) / len(changes) ** 0.5
        texts = [f"{text} ± {error:.2f}" for text, error in zip(texts, errors, strict=True)]
    cells = [Cell(float(mean), text=text) for mean, text in zip(means, texts, strict=True)]
    return row(f"{name} − {other}", *cells, None, competes=False)
