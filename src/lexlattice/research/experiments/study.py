"""What all experiments share: settings, runner, and the conversion of scores into table cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from lexlattice._internal.weights import read_weights
from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.errors import ConfigError, DataError
from lexlattice.evaluation.metrics.rouge import MEASURES
from lexlattice.evaluation.metrics.significance import confidence_interval
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.evaluation.sources import SUMMARY
from lexlattice.evaluation.systems import ORACLES as ORACLES
from lexlattice.reading.languages.grammar import load
from lexlattice.research.experiments.runner import Results, Runner, Scores, TrainingTask
from lexlattice.research.experiments.settings import STAGES, Settings
from lexlattice.research.experiments.stemming import with_stems
from lexlattice.research.experiments.tables import Cell, Column, Source, Table

TITLES: Final = {"rouge1": "R-1", "rouge2": "R-2", "rougeL": "R-L", "rougeLsum": "R-Lsum"}
ROUGE: Final = tuple(Column(TITLES[measure]) for measure in MEASURES)
TOKENIZER: Final = TOKENIZERS[0]
"""The tokenizer for all scripts, which tables show first."""
RLOO: Final = STAGES[-1]
_LENGTHS: Final = {
    "reference": "at the length of the reference",
    "medium": "at the length of official summaries of acts of that size",
}


@dataclass(frozen=True, slots=True)
class Study:
    """One run of an experiment."""

    settings: Settings
    runner: Runner
    command: str
    name: str = ""
    """The name of the settings, which is also that of the folder for what is made."""

    def languages(self, split: str | None = None) -> list[str]:
        """The languages of the settings, or all that the data have; without a split, those to evaluate on."""
        found = self.runner.corpus.languages(self.settings.languages, split or self.settings.split)
        if split is not None or not self.settings.tested:
            return found
        if not (tested := [code for code in found if code in self.settings.tested]):
            raise DataError(
                f"'{self.runner.corpus.name}' has none of the languages to evaluate on; change the setting 'tested'."
            )
        return tested

    def source(self, languages: Sequence[str], acts: int, seeds: Sequence[int] | None = None) -> Source:
        """The source note of a table."""
        data = f"{self.runner.corpus.name} ({', '.join(languages)}; {self.settings.split})"
        return Source(self.command, data, tuple(self.settings.seeds if seeds is None else seeds), acts)

    def train(self, names: Sequence[str], languages: Sequence[str]) -> dict[str, list[Measurable]]:
        """Train some of the models on these languages, with every seed."""
        self.languages()  # fail before hours of work if there is nothing to evaluate on
        models = self.settings.models
        tasks = [
            TrainingTask(name, models[name], tuple(languages), seed) for name in names for seed in self.settings.seeds
        ]
        paths = self.runner.train(tasks, models)
        found: dict[str, list[Measurable]] = {}
        for task in tasks:
            found.setdefault(task.name, []).append(Measurable(self, task, paths[task]))
        return found

    @property
    def length(self) -> str:
        """The length of extracts, for captions."""
        return length_of(self.settings.budget)

    @property
    def only_model(self) -> str:
        """The name of the settings' only model."""
        if len(self.settings.models) != 1:
            raise ConfigError("This experiment evaluates one model; define exactly one.")
        return next(iter(self.settings.models))

    def summaries(self, language: str, results: Results) -> list[str]:
        """The official summaries of the acts in these results."""
        source = self.runner.corpus.source(language, self.settings.split) or ""
        rows = {row.line: row.summary for row in Rows(source, split=self.settings.split) if isinstance(row, Row)}
        return [rows[line["line"]] for line in results.lines]

    def references(self, language: str) -> list[str]:
        """The official summaries of all acts that are evaluated on in a language."""
        rows = self.runner.corpus.rows([language], self.settings.split, self.settings.acts)
        return [str(row[SUMMARY]) for row in rows]

    def systems(self, language: str, budget: str | int | None = None) -> Results:
        """Evaluate the systems without training on the acts of a language, at the settings' length or another."""
        settings = self.settings
        named = {name: name for name in settings.systems}
        results = self.runner.measure(
            language,
            settings.split,
            named,
            settings.profile,
            encoder=settings.encoder,
            budget=settings.budget if budget is None else budget,
            gold=settings.gold,
        )
        return self.stemmed(language, results)

    def stemmed(self, language: str, results: Results) -> Results:
        """The results with scores by stems too, if the settings ask for them."""
        if not self.settings.stemming:
            return results
        return with_stems(results, self.summaries(language, results), self.runner)

    def kept_weights(self, trained: Mapping[str, Sequence[Measurable]]) -> str:
        """Which weights training kept, for notes: a figure on the acts that chose the weights is not a test."""
        is_same = self.settings.split == "validation"
        where = "on the acts that are reported" if is_same else "on the validation split"
        sentences = [f"Training keeps the weights of the epoch with the best validation score, {where}."]
        for name, models in trained.items():
            if RLOO in models[0].task.model.stages:
                unchanged = sum(read_weights(one.path).about.get("stage") != RLOO for one in models)
                sentences.append(
                    f"{name} keeps the warm-start weights unless validation improves, {where}: it has kept them with "
                    f"{unchanged} of {len(models)} seeds."
                )
        return " ".join(sentences)

    def source_systems(self, source: str, target: str) -> Results:
        """Evaluate the systems that read acts in another language than that of the summaries."""
        settings = self.settings
        return self.runner.measure(
            target,
            settings.split,
            settings.source_systems,
            settings.profile,
            encoder=settings.encoder,
            budget=settings.budget,
            acts_in=source,
        )


@dataclass(frozen=True, slots=True)
class Measurable:
    """A trained model."""

    study: Study
    task: TrainingTask
    path: Path

    def on(self, language: str, budget: str | int | None = None) -> Results:
        """Its results on the acts of a language."""
        settings = self.study.settings
        length = settings.budget if budget is None else budget
        results = self.study.runner.measure_model(self.task, self.path, language, settings.split, length, settings.gold)
        return self.study.stemmed(language, results)


Run = Callable[[Study], list[Table]]
"""An experiment: a function from a study to its tables."""


def length_of(budget: str | int) -> str:
    """The length of extracts, for captions."""
    return _LENGTHS.get(str(budget), f"at {budget} words")


def over_seeds(results: Sequence[Results], name: str, tokenizer: str = TOKENIZER) -> Scores:
    """The scores of every act, averaged over seeds; all results must be of the same acts."""
    if len({found.celex for found in results}) > 1:
        raise DataError("The results are of different acts; remove the folder 'measured' and run it again.")
    scores: Scores = np.mean([found.scores[name][tokenizer] for found in results], axis=0)
    return scores


def cells(scores: Scores, paper: Mapping[str, float] | None = None) -> list[Cell]:
    """A cell with mean and interval for each measure, and the paper's figure if there is one."""
    low, high = confidence_interval(scores)
    known = paper or {}
    return [
        Cell(float(scores[:, i].mean()), (float(low[i]), float(high[i])), paper=known.get(measure))
        for i, measure in enumerate(MEASURES)
    ]


def differences(scores: Scores, other: Scores) -> list[Cell]:
    """Cells with the mean differences on the same acts and their intervals."""
    change = scores - other
    low, high = confidence_interval(change)
    means = [float(value) for value in change.mean(axis=0)]
    return [Cell(mean, text=f"{mean:+.2f} ({low[i]:+.2f} to {high[i]:+.2f})") for i, mean in enumerate(means)]


def name_of(language: str) -> str:
    """The English name of a language, for tables."""
    return load(language).name
