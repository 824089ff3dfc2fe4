"""The main table: every system on every language, at the length of the reference."""

from __future__ import annotations

from collections.abc import Sequence

from lexlattice.experiments.published import reported
from lexlattice.experiments.study import ROUGE, TOKENIZER, Study, cells, name_of, over_seeds
from lexlattice.experiments.tables import Column, Row, Table, row
from lexlattice.experiments.workshop import Results
from lexlattice.tokens import TOKENIZERS

_MEASURES = ("rouge1", "rouge2", "rougeL")
_ORACLES = ("oracle", "oracle-greedy")


def comparison(study: Study) -> list[Table]:
    """A table for each tokenizer: systems and models by language, models trained on all languages together."""
    languages = study.languages()
    trained = study.train(list(study.settings.models), study.languages("train"))
    found = {code: study.systems(code) for code in languages}
    of_models = {
        code: {name: [one.on(code) for one in models] for name, models in trained.items()} for code in languages
    }
    acts = sum(len(results.celex) for results in found.values())
    tables = []
    for tokenizer in TOKENIZERS:
        lines = [line for code in languages for line in _lines(code, found[code], of_models[code], tokenizer)]
        tables.append(
            Table(
                f"All systems by language, tokenizer {tokenizer}",
                "ROUGE F1 × 100 at the length of the reference, and the mean number of words.",
                (*ROUGE, Column("words", best=None, digits=0)),
                tuple(lines),
                study.source(languages, acts),
                "1D, 2D and 2D + RLOO are the paper's models, trained here with its reading, oracle, losses and cut.",
                paper=_CAVEAT,
            )
        )
    return tables


_CAVEAT = (
    "The paper's figures are those of its test split, with mT5-base vectors and one seed; here it is the validation "
    "split, and the encoder that the configuration names. The paper's LexRank row has no limit of length."
)


def _lines(language: str, systems: Results, models: dict[str, list[Results]], tokenizer: str) -> list[Row]:
    group = name_of(language)
    lines = [
        row(name, *cells(scores[tokenizer]), systems.words[name], group=group, competes=name not in _ORACLES)
        for name, scores in systems.scores.items()
    ]
    for name, results in models.items():
        known = _paper(language, name) if tokenizer == TOKENIZER else {}
        words = sum(found.words[name] for found in results) / len(results)
        lines.append(row(name, *cells(over_seeds(results, name, tokenizer), known), words, group=group))
    if tokenizer == TOKENIZER and (published := reported("main", language, "published LexRank")):
        lines.append(row("published LexRank", *published[:3], None, None, group=group, competes=False))
    return lines


def _paper(language: str, name: str) -> dict[str, float]:
    figures: Sequence[float] = reported("main", language, name)
    return dict(zip(_MEASURES, figures, strict=False))
