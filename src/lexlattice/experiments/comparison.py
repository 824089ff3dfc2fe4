"""The main table: every system on every language, at the length of the reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.experiments.meaning import meanings
from lexlattice.experiments.published import reported
from lexlattice.experiments.study import ROUGE, TOKENIZER, Study, cells, name_of, over_seeds
from lexlattice.experiments.tables import Cell, Column, Row, Table, row
from lexlattice.experiments.workshop import Results
from lexlattice.metrics.significance import confidence_interval
from lexlattice.tokens import TOKENIZERS

_MEASURES: Final = ("rouge1", "rouge2", "rougeL")
_BERTSCORE: Final = len(_MEASURES)
"""Where it stands in the paper's rows."""
_ORACLES: Final = ("oracle", "oracle-greedy")
_CAVEAT: Final = (
    "The paper's figures are those of its test split, with mT5-base vectors and one seed; here it is the validation "
    "split, and the encoder that the configuration names. The paper's LexRank row has no limit of length, and "
    "its R-L of its own models in English lies between plain ROUGE-L and R-Lsum: how it was made is not said."
)

Meanings = Mapping[str, NDArray[np.float64]]


def comparison(study: Study) -> list[Table]:
    """A table for each tokenizer: systems and models by language, models trained on all languages together."""
    languages = study.languages()
    trained = study.train(list(study.settings.models), study.languages("train"))
    found = {code: study.systems(code) for code in languages}
    models = {code: {name: [one.on(code) for one in some] for name, some in trained.items()} for code in languages}
    of_all: dict[str, Meanings] = {}
    if study.settings.bertscore:
        for code in languages:
            first = [results[0] for results in models[code].values()]
            of_all[code] = meanings(study, code, [found[code], *first])
    columns = [*ROUGE, Column("words", best=None, digits=0)]
    note = "1D, 2D and 2D + RLOO are the paper's models, trained here with its reading, oracle, losses and cut."
    if of_all:
        columns.insert(len(ROUGE), Column("BERTScore"))
        note += f" BERTScore by {study.settings.bertscore}, in chunks, so that all of a text counts."
    tables = []
    for tokenizer in TOKENIZERS:
        lines = [
            line for code in languages for line in _lines(code, found[code], models[code], tokenizer, of_all.get(code))
        ]
        tables.append(
            Table(
                f"All systems by language, tokenizer {tokenizer}",
                "ROUGE F1 × 100 at the length of the reference, and the mean number of words.",
                tuple(columns),
                tuple(lines),
                study.source(languages, sum(len(results.celex) for results in found.values())),
                note,
                paper=_CAVEAT,
            )
        )
    return tables


def _lines(
    language: str,
    systems: Results,
    models: Mapping[str, list[Results]],
    tokenizer: str,
    meaning: Meanings | None,
) -> list[Row]:
    group, is_first = name_of(language), tokenizer == TOKENIZER
    lines = []
    for name, scores in systems.scores.items():
        own = [*cells(scores[tokenizer]), *_meaning(meaning, name, None)]
        lines.append(row(name, *own, systems.words[name], group=group, competes=name not in _ORACLES))
    for name, results in models.items():
        figures = reported("main", language, name) if is_first else []
        known = dict(zip(_MEASURES, figures, strict=False))
        extra = _meaning(meaning, name, figures[_BERTSCORE] if len(figures) > _BERTSCORE else None)
        words = sum(found.words[name] for found in results) / len(results)
        lines.append(row(name, *cells(over_seeds(results, name, tokenizer), known), *extra, words, group=group))
    if is_first and (published := reported("main", language, "published LexRank")):
        empty = [None] * (1 if meaning is None else 2)
        lines.append(row("published LexRank", *published[:_BERTSCORE], None, *empty, group=group, competes=False))
    return lines


def _meaning(meaning: Meanings | None, name: str, paper: float | None) -> list[Cell]:
    """The cell of BERTScore, if there is such a column."""
    if meaning is None:
        return []
    low, high = confidence_interval(meaning[name][:, None])
    return [Cell(float(meaning[name].mean()), (float(low[0]), float(high[0])), paper=paper)]
