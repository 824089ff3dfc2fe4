"""Ablations: the same model with one thing changed, compared over seeds on the same acts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.weights import read_weights
from lexlattice.encoding.tokens import STEMMED
from lexlattice.errors import ConfigError
from lexlattice.evaluation.gold import load_gold
from lexlattice.evaluation.metrics.rouge import MEASURES
from lexlattice.evaluation.points import MEANINGS
from lexlattice.research.experiments.points import MEANING_COLUMNS, cells, with_meaning
from lexlattice.research.experiments.runner import Results
from lexlattice.research.experiments.study import ROUGE, TITLES, Measurable, Study, differences, name_of
from lexlattice.research.experiments.tables import Cell, Column, Row, Table, row


def ablations(study: Study) -> list[Table]:
    """A table for each group of models; each model is compared with the group's first, or in a chain with the previous.

    Systems without training are listed too, if the settings name some. With several seeds, a table for each group
    follows that has all measures of these comparisons, and how much they vary between seeds.
    """
    if not study.settings.groups:
        raise ConfigError("The settings name no models to compare; add [groups] with a list of names for each table.")
    languages = study.languages()
    names = list(dict.fromkeys(name for group in study.settings.groups.values() for name in group))
    trained = study.train(names, study.languages("train"))
    columns = (*(MEANING_COLUMNS if study.settings.gold else ()), *ROUGE)
    main_measure = "F1 by meaning" if study.settings.gold else "R-1"
    kept = {
        title: study.kept_weights({name: trained[name] for name in members})
        for title, members in study.settings.groups.items()
    }
    main_column = [column.name for column in columns].index("F1" if study.settings.gold else "R-1")
    tables, over_seeds = [], []
    for title, members in study.settings.groups.items():
        lines, compared, acts = [], list[Row](), 0
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
                pair = f"{group}: {name} − {other}" if group else f"{name} − {other}"
                compared += compare_seeds(found, name, other, group=pair)
        tables.append(
            Table(
                title,
                f"{'Meaning and ROUGE' if study.settings.gold else 'ROUGE'} F1 × 100 {study.length}; means over seeds.",
                (*columns, Column("between seeds", best=None)),
                tuple(lines),
                study.source(languages, acts),
                f"Trained on {study.settings.limit or 'all'} acts of each language; the last column is the standard "
                f"deviation of {main_measure} between seeds. {kept[title]}",
                paper="The paper reports 1D and 2D on its test split only, with one seed.",
                head="Variant",
            )
        )
        if compared and len(study.settings.seeds) > 1:
            over_seeds.append(
                Table(
                    f"{title}, over {len(study.settings.seeds)} seeds",
                    f"Means over acts and seeds × 100 {study.length}, and their difference on the same acts.",
                    SEED_COLUMNS,
                    tuple(compared),
                    study.source(languages, acts),
                    "After a difference: its 95 % paired bootstrap interval over acts, of scores averaged over seeds. "
                    "Then the standard deviation of the mean difference between seeds, and the number of seeds for "
                    f"which it is positive. {kept[title]}",
                    paper="The paper reports one seed.",
                    head="Measure",
                )
            )
    return tables + over_seeds


SEED_COLUMNS: Final = (
    *(Column(name, best=None) for name in ("variant", "baseline", "difference", "between seeds")),
    Column("seeds above 0", best=None, digits=0),
)


def compare_seeds(found: Mapping[str, Sequence[Results]], name: str, other: str, group: str) -> list[Row]:
    """A row for each measure: the means of two models, their difference paired by act, and its spread over seeds.

    Args:
        found: The results of each model by seed, all on the same acts and with the same seeds.
        name: The variant.
        other: The baseline.
        group: The group of the rows.

    """
    names, variant = _measures(found[name], name)
    _, baseline = _measures(found[other], other)
    changes = variant - baseline  # seeds × acts × measures
    cells = differences(variant.mean(axis=0), baseline.mean(axis=0))
    by_seed = changes.mean(axis=1)
    spread = by_seed.std(axis=0, ddof=1) if len(by_seed) > 1 else None
    return [
        row(
            measure,
            *(float(scores[..., place].mean()) for scores in (variant, baseline)),
            cells[place],
            None if spread is None else float(spread[place]),
            Cell(float((by_seed[:, place] > 0).sum()), text=f"{(by_seed[:, place] > 0).sum()} of {len(by_seed)}"),
            group=group,
        )
        for place, measure in enumerate(names)
    ]


def _measures(results: Sequence[Results], name: str) -> tuple[list[str], NDArray[np.float64]]:
    """All measures that were made: their names, and the scores, seeds × acts × measures."""
    rouge = [TITLES[measure] for measure in MEASURES]
    stems = [tokenizer for tokenizer in STEMMED[:1] if tokenizer in results[0].scores[name]]  # of the same words
    meanings = [column.name for column in MEANING_COLUMNS] if name in results[0].meaning else []
    names = [*meanings, *rouge, *(f"{title}, {tokenizer}" for tokenizer in stems for title in rouge)]
    by_seed = [
        np.hstack([with_meaning([one], name), *(one.scores[name][tokenizer] for tokenizer in stems)]) for one in results
    ]
    return names, np.stack(by_seed)


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
