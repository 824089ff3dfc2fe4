"""Evaluation by meaning: systems and models against gold annotations at several lengths, together with ROUGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from lexlattice.errors import ConfigError
from lexlattice.evaluation.metrics.significance import confidence_interval, paired_bootstrap, wilcoxon
from lexlattice.research.experiments.runner import Results, Scores
from lexlattice.research.experiments.study import (
    ORACLES,
    ROUGE,
    TOKENIZER,
    Measurable,
    Study,
    length_of,
    name_of,
    over_seeds,
)
from lexlattice.research.experiments.tables import Cell, Column, Row, Table, row

MEANING_COLUMNS: Final = tuple(Column(name) for name in ("points", "precision", "F1"))
_SHOWN: Final = (*MEANING_COLUMNS, *ROUGE[:2])
"""The columns of the tables: measures of meaning, ROUGE-1 and ROUGE-2."""
_ABOUT: Final = (
    "Points of the official summary that the extract states, by weight; words that belong to the annotation; their "
    "harmonic mean. The annotations were made by a large language model and not checked by lawyers (data/gold)."
)

Found = Mapping[str, Sequence[Results]]
"""Results by system or model, and by seed."""


def points(study: Study) -> list[Table]:
    """A table of scores for each length, and a table of differences from one system."""
    if not study.settings.gold:
        raise ConfigError('The settings name no annotations; add gold = "validation", or a file.')
    models = study.settings.models
    trained = study.train(list(models), study.languages("train")) if models else {}
    note = f"{_ABOUT} {study.kept_weights(trained)}" if trained else _ABOUT
    tables, tests = [], []
    for budget in study.settings.lengths or (study.settings.budget,):
        by_language = {code: _found(study, trained, code, budget) for code in study.languages()}
        tables.append(_table(study, budget, by_language, note))
        if all(study.settings.against in found for found in by_language.values()):
            tests.append(_tests(study, budget, by_language))
    return tables + tests


def with_meaning(results: Sequence[Results], name: str) -> Scores:
    """The scores of every act, averaged over seeds; measures of meaning come first, if there are annotations."""
    rouge = over_seeds(results, name, TOKENIZER)
    if name not in results[0].meaning:
        return rouge
    return np.hstack([np.mean([one.meaning[name] for one in results], axis=0), rouge])


def cells(scores: Scores) -> list[Cell]:
    """A cell with mean and interval for each measure."""
    low, high = confidence_interval(scores)
    means = scores.mean(axis=0)
    return [Cell(float(mean), (float(low[i]), float(high[i]))) for i, mean in enumerate(means)]


def _found(
    study: Study, trained: Mapping[str, Sequence[Measurable]], code: str, budget: str | int
) -> dict[str, list[Results]]:
    found: dict[str, list[Results]] = {}
    if study.settings.systems:
        systems = study.systems(code, budget)
        found |= {name: [systems] for name in systems.scores}
    return found | {name: [one.on(code, budget) for one in some] for name, some in trained.items()}


def _table(study: Study, budget: str | int, by_language: Mapping[str, Found], note: str) -> Table:
    lines: list[Row] = []
    for code, found in by_language.items():
        group = name_of(code) if len(by_language) > 1 else ""
        for name, results in found.items():
            figures = cells(with_meaning(results, name)[:, : len(_SHOWN)])
            words = float(np.mean([one.words[name] for one in results]))
            lines.append(row(name, *figures, words, group=group, competes=name not in ORACLES))
    return Table(
        f"By meaning, {length_of(budget)}",
        f"Points, precision and F1 × 100 against gold annotations, and ROUGE F1 × 100, {length_of(budget)}.",
        (*_SHOWN, Column("words", best=None, digits=0)),
        tuple(lines),
        study.source(list(by_language), _acts(by_language)),
        note,
        paper="The paper has no such measure.",
    )


def _tests(study: Study, budget: str | int, by_language: Mapping[str, Found]) -> Table:
    other = study.settings.against
    lines: list[Row] = []
    for code, found in by_language.items():
        base = with_meaning(found[other], other)
        group = name_of(code) if len(by_language) > 1 else ""
        for name in found:
            if name != other:
                lines.append(row(name, *_compared(with_meaning(found[name], name), base), group=group))
    return Table(
        f"By meaning, against {other}, {length_of(budget)}",
        "Differences × 100 on the same acts, with 95 % paired bootstrap intervals, and p-values of Wilcoxon's test.",
        tuple(Column(f"{column.name}{what}", best=None) for column in _SHOWN for what in ("", ", p")),
        tuple(lines),
        study.source(list(by_language), _acts(by_language)),
        "Two-sided tests, not corrected for their number.",
        paper="The paper has no such measure.",
    )


def _compared(scores: Scores, base: Scores) -> list[Cell]:
    found = paired_bootstrap(scores, base)
    figures: list[Cell] = []
    for i in range(len(_SHOWN)):
        change, low, high = (float(part[i]) for part in (found.difference, found.low, found.high))
        p = wilcoxon(scores[:, i], base[:, i])
        figures.append(Cell(change, text=f"{change:+.2f} ({low:+.2f} to {high:+.2f})"))
        figures.append(Cell(p, text=f"{p:.1e}" if p < 0.001 else f"{p:.3f}"))
    return figures


def _acts(by_language: Mapping[str, Found]) -> int:
    return sum(len(next(iter(found.values()))[0].celex) for found in by_language.values())
