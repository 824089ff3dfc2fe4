"""What every experiment has in common: what it is told, where it works, and how its figures become cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.errors import DataError
from lexlattice.evaluation.metrics.rouge import MEASURES
from lexlattice.evaluation.metrics.significance import confidence_interval
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.reading.languages.grammar import load
from lexlattice.research.experiments.runner import Results, Scores, Trained, Workshop
from lexlattice.research.experiments.settings import Settings
from lexlattice.research.experiments.tables import Cell, Column, Source, Table

TITLES: Final = {"rouge1": "R-1", "rouge2": "R-2", "rougeL": "R-L", "rougeLsum": "R-Lsum"}
ROUGE: Final = tuple(Column(TITLES[measure]) for measure in MEASURES)
TOKENIZER: Final = TOKENIZERS[0]
"""The one that knows all scripts: what tables show first."""
ORACLES: Final = ("oracle", "oracle-greedy", "gold")
"""Systems that look at the summary or the annotation, and so are never the best."""
_LENGTHS: Final = {
    "reference": "at the length of the reference",
    "auto": "as long as official summaries of acts of that length",
}


@dataclass(frozen=True, slots=True)
class Study:
    """One experiment at work."""

    settings: Settings
    workshop: Workshop
    command: str

    def languages(self, split: str | None = None) -> list[str]:
        """Those that are asked for, or all there are."""
        return self.workshop.corpus.languages(self.settings.languages, split or self.settings.split)

    def source(self, languages: Sequence[str], acts: int, seeds: Sequence[int] | None = None) -> Source:
        """Where the figures of a table come from."""
        data = f"{self.workshop.corpus.name} ({', '.join(languages)}; {self.settings.split})"
        return Source(self.command, data, tuple(self.settings.seeds if seeds is None else seeds), acts)

    def train(self, names: Sequence[str], languages: Sequence[str]) -> dict[str, list[Measurable]]:
        """Some of the models, with every seed, on these languages."""
        models = self.settings.models
        tasks = [Trained(name, models[name], tuple(languages), seed) for name in names for seed in self.settings.seeds]
        paths = self.workshop.train(tasks, models)
        found: dict[str, list[Measurable]] = {}
        for task in tasks:
            found.setdefault(task.name, []).append(Measurable(self, task, paths[task]))
        return found

    @property
    def length(self) -> str:
        """How long extracts are, for captions."""
        return length_of(self.settings.budget)

    @property
    def only_model(self) -> str:
        """The name of the model, where one is tried in several ways."""
        if len(self.settings.models) != 1:
            raise DataError("One model is tried here; define one, and one only.")
        return next(iter(self.settings.models))

    def summaries(self, language: str, results: Results) -> list[str]:
        """The summaries of the acts that results are of."""
        source = self.workshop.corpus.source(language, self.settings.split) or ""
        rows = {row.line: row.summary for row in Rows(source, split=self.settings.split) if isinstance(row, Row)}
        return [rows[line["line"]] for line in results.lines]

    def systems(self, language: str, budget: str | int | None = None) -> Results:
        """The systems that need no training, on the acts of a language, at the length of the settings or another."""
        settings = self.settings
        named = {name: name for name in settings.systems}
        return self.workshop.measure(
            language,
            settings.split,
            named,
            settings.profile,
            encoder=settings.encoder,
            budget=settings.budget if budget is None else budget,
            gold=settings.gold,
        )


@dataclass(frozen=True, slots=True)
class Measurable:
    """A trained model."""

    study: Study
    task: Trained
    path: Path

    def on(self, language: str, budget: str | int | None = None) -> Results:
        """Its results on the acts of a language."""
        settings = self.study.settings
        length = settings.budget if budget is None else budget
        return self.study.workshop.of_model(self.task, self.path, language, settings.split, length, settings.gold)


Run = Callable[[Study], list[Table]]
"""An experiment: what it is asked → its tables."""


def length_of(budget: str | int) -> str:
    """How long extracts are, for captions."""
    return _LENGTHS.get(str(budget), f"at {budget} words")


def over_seeds(results: Sequence[Results], name: str, tokenizer: str = TOKENIZER) -> Scores:
    """The scores of every act, averaged over seeds; all have to be of the same acts."""
    if len({found.celex for found in results}) > 1:
        raise DataError("Results are of different acts; remove the folder 'measured', and run it again.")
    scores: Scores = np.mean([found.scores[name][tokenizer] for found in results], axis=0)
    return scores


def cells(scores: Scores, paper: Mapping[str, float] | None = None) -> list[Cell]:
    """Means with their intervals, a cell for each measure; and the paper's figures, by measure."""
    low, high = confidence_interval(scores)
    known = paper or {}
    return [
        Cell(float(scores[:, i].mean()), (float(low[i]), float(high[i])), paper=known.get(measure))
        for i, measure in enumerate(MEASURES)
    ]


def differences(scores: Scores, other: Scores) -> list[Cell]:
    """How much better the first is than the second on the same acts, with intervals."""
    change = scores - other
    low, high = confidence_interval(change)
    means = [float(value) for value in change.mean(axis=0)]
    return [Cell(mean, text=f"{mean:+.2f} ({low[i]:+.2f} to {high[i]:+.2f})") for i, mean in enumerate(means)]


def name_of(language: str) -> str:
    """In English, as tables have it."""
    return load(language).name
