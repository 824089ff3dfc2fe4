"""The main table: every system on every language at the same length, with paired tests of the differences."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.files import sha256, write_whole
from lexlattice.encoding.tokens import STEMMED, TOKENIZERS
from lexlattice.evaluation.metrics.bertscore import BertScore
from lexlattice.evaluation.metrics.significance import confidence_interval, paired_bootstrap, wilcoxon
from lexlattice.research.experiments.runner import Results, Scores
from lexlattice.research.experiments.statistics import reported
from lexlattice.research.experiments.study import (
    ORACLES,
    ROUGE,
    TITLES,
    TOKENIZER,
    Measurable,
    Study,
    cells,
    name_of,
    over_seeds,
)
from lexlattice.research.experiments.tables import Cell, Column, Row, Table, row


def bertscores(study: Study, language: str, results: Sequence[Results]) -> dict[str, NDArray[np.float64]]:
    """BERTScore F1 × 100 of every act by system, for the first draw or seed; cached, since it takes very long."""
    model = study.settings.bertscore
    texts = {
        name: [entry["systems"][name]["texts"][0] for entry in one.lines]
        for one in reversed(results)
        for name in one.scores
    }
    summaries = study.summaries(language, results[0])
    key = sha256(json.dumps([model, study.settings.layers, texts, summaries], sort_keys=True).encode())
    path = study.runner.folder / "measured" / f"{language}-bertscore-{key[:12]}.json"
    if not path.is_file():
        study.runner.note(f"BERTScore on {language}")
        scorer = BertScore(model, study.settings.layers, threads=study.runner.jobs, device=study.runner.device)
        found: dict[str, list[float]] = {name: [] for name in texts}
        # act by act, so that each summary is encoded once
        for place, summary in enumerate(study.runner.tracked(summaries, f"BERTScore on {language}")):
            for name, extracts in texts.items():
                found[name].append(100 * scorer.score(extracts[place], summary).f1)
        write_whole(path, json.dumps(found).encode())
    return {name: np.array(values) for name, values in json.loads(path.read_bytes()).items()}


_REPORTED: Final = ("rouge1", "rouge2", "rougeL")
_PARTS: Final = [(measure, part) for measure in _REPORTED for part in ("precision", "recall")]
_BERTSCORE: Final = len(_REPORTED)
"""Its index in the paper's rows."""
_CAVEAT: Final = (
    "The paper's figures are those of its test split, with mT5-base vectors and one seed; those here are of the "
    "{split} split, with the encoder that the configuration names. The paper's LexRank row has no limit of length, and "
    "the R-L of its own models in English lies between plain ROUGE-L and R-Lsum; how it was computed is not reported, "
    "nor whether words were stemmed."
)
_BESIDE_PAPER: Final = (TOKENIZER, "compat-stemmed")
"""Tokenizers whose tables have the paper's figures: the headline one, and the other that the paper may have used."""
_STEMS: Final = (
    "Words are reduced to their stems by the English Porter stemmer, in other languages too; compat-stemmed equals "
    "rouge-score with use_stemmer=True."
)
_NOT_REPORTED: Final = "The paper reports no such figures."

BertScores = Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class _Language:
    """All results on the acts of one language."""

    code: str
    systems: Results
    models: Mapping[str, list[Results]]
    """By seed."""
    bertscores: BertScores | None

    @property
    def results(self) -> dict[str, list[Results]]:
        """The results of systems and models, in the order of the settings."""
        return {**{name: [self.systems] for name in self.systems.scores}, **self.models}

    def scores(self, name: str, tokenizer: str = TOKENIZER) -> Scores:
        return over_seeds(self.results[name], name, tokenizer)


def comparison(study: Study) -> list[Table]:
    """A table for each tokenizer, one of precision and recall, and one of differences with paired tests.

    Models are trained on all languages together. With stemming, a table for each tokenizer with stems follows.
    """
    models = study.train(list(study.settings.models), study.languages("train")) if study.settings.models else {}
    trained = _trained(study, models)
    languages = [_measured(study, code, trained) for code in study.languages()]
    source = study.source([found.code for found in languages], sum(len(found.systems.celex) for found in languages))
    is_papers = bool(study.settings.models) and study.settings.budget == "reference"
    columns = [*ROUGE, Column("words", best=None, digits=0)]
    note = ""
    if study.settings.models:
        note = f"{' and '.join(_listed(list(study.settings.models)))} were trained as their configurations say."
        note += f" {study.kept_weights(models)}"
    if study.settings.bertscore:
        columns.insert(len(ROUGE), Column("BERTScore"))
        note += f" BERTScore by {study.settings.bertscore}, in chunks, so that the whole text counts."
    by_tokenizer = {
        tokenizer: Table(
            f"All systems by language, tokenizer {tokenizer}",
            f"ROUGE F1 × 100 {study.length}, and the mean number of words.",
            tuple(columns),
            tuple(line for found in languages for line in _lines(found, tokenizer, is_papers)),
            source,
            f"{note} {_STEMS if tokenizer in STEMMED else ''}".strip(),
            paper=_CAVEAT.format(split=study.settings.split) if is_papers else _NOT_REPORTED,
        )
        for tokenizer in (*TOKENIZERS, *(STEMMED if study.settings.stemming else ()))
    }
    tables = [by_tokenizer.pop(tokenizer) for tokenizer in TOKENIZERS]
    tables.append(
        Table(
            "Precision and recall",
            f"Means over acts × 100 {study.length}, tokenizer {TOKENIZER}.",
            tuple(Column(f"{TITLES[measure]} {part}", best=None) for measure, part in _PARTS),
            tuple(line for found in languages for line in _parts(found)),
            source,
            "",
            paper=_NOT_REPORTED,
        )
    )
    other = study.settings.against
    if all(other in found.results for found in languages):
        tests = [
            Column(f"{TITLES[measure]}{what}", best=None)
            for measure in _REPORTED[:2]
            for what in (f" − {other}", ", p bootstrap", ", p Wilcoxon")
        ]
        tables.append(
            Table(
                f"Against {other}",
                f"Differences of ROUGE F1 × 100 on the same acts, {study.length}, tokenizer {TOKENIZER}.",
                tuple(tests),
                tuple(line for found in languages for line in _tests(found, other)),
                source,
                "After a difference: its 95 % paired bootstrap interval over acts. Two-sided tests, not corrected for "
                "their number; a p-value of the bootstrap is never below 1 / 5001.",
                paper=_NOT_REPORTED,
            )
        )
    return [*tables, *by_tokenizer.values()]


Trained = Mapping[str, list[Results]]


def _trained(study: Study, models: Mapping[str, Sequence[Measurable]]) -> Mapping[str, Trained]:
    """The results of the models on the acts of each language."""
    return {code: {name: [one.on(code) for one in some] for name, some in models.items()} for code in study.languages()}


def _measured(study: Study, code: str, trained: Mapping[str, Trained]) -> _Language:
    systems, models = study.systems(code), trained[code]
    if not study.settings.bertscore:
        return _Language(code, systems, models, None)
    first = [results[0] for results in models.values()]
    return _Language(code, systems, models, bertscores(study, code, [systems, *first]))


def _lines(found: _Language, tokenizer: str, is_papers: bool) -> list[Row]:
    """The rows of one language; the paper's figures are in some tables only, and only at the paper's length."""
    group, has_paper = name_of(found.code), is_papers and tokenizer in _BESIDE_PAPER
    lines = []
    for name, results in found.results.items():
        figures = reported("main", found.code, name) if has_paper and name in found.models else []
        known = dict(zip(_REPORTED, figures, strict=False))
        extra = _bertscore(found.bertscores, name, figures[_BERTSCORE] if len(figures) > _BERTSCORE else None)
        words = sum(one.words[name] for one in results) / len(results)
        figures_here = [*cells(found.scores(name, tokenizer), known), *extra]
        lines.append(row(name, *figures_here, words, group=group, competes=name not in ORACLES))
    if has_paper and (published := reported("main", found.code, "published LexRank")):
        empty = [None] * (1 if found.bertscores is None else 2)
        lines.append(row("published LexRank", *published[:_BERTSCORE], None, *empty, group=group, competes=False))
    return lines


def _bertscore(scores: BertScores | None, name: str, paper: float | None) -> list[Cell]:
    """The cell of BERTScore, if the table has that column."""
    if scores is None:
        return []
    low, high = confidence_interval(scores[name][:, None])
    return [Cell(float(scores[name].mean()), (float(low[0]), float(high[0])), paper=paper)]


def _parts(found: _Language) -> list[Row]:
    """Precision and recall of each system."""
    lines = []
    for name, results in found.results.items():
        of_seeds = [
            [[entry["systems"][name][TOKENIZER][measure][part] for measure, part in _PARTS] for entry in one.lines]
            for one in results
        ]
        table = np.mean(of_seeds, axis=0)
        low, high = confidence_interval(table)
        figures = zip(table.mean(axis=0), low, high, strict=True)
        shown = [Cell(float(mean), (float(least), float(most))) for mean, least, most in figures]
        lines.append(row(name, *shown, group=name_of(found.code)))
    return lines


def _tests(found: _Language, other: str) -> list[Row]:
    """Each system's difference from another, with two paired tests."""
    lines, base = [], found.scores(other)
    for name in found.results:
        if name == other:
            continue
        scores = found.scores(name)
        bootstrap = paired_bootstrap(scores, base)
        tests: list[Cell] = []
        for place in range(len(_REPORTED[:2])):
            change, low, high = (float(part[place]) for part in (bootstrap.difference, bootstrap.low, bootstrap.high))
            tests.append(Cell(change, text=f"{change:+.2f} ({low:+.2f} to {high:+.2f})"))
            for p in (float(bootstrap.p[place]), wilcoxon(scores[:, place], base[:, place])):
                tests.append(Cell(p, text=f"{p:.1e}" if p < 0.001 else f"{p:.3f}"))
        lines.append(row(name, *tests, group=name_of(found.code)))
    return lines


def _listed(names: list[str]) -> list[str]:
    """Names in two parts, to be joined by `and`.

    >>> " and ".join(_listed(["1D", "2D", "none"]))
    '1D, 2D and none'
    """
    return [", ".join(names[:-1]), names[-1]] if len(names) > 1 else names
