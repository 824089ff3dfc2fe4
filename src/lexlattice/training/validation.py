"""Validation of a model in training: ROUGE of its extracts, or points and precision against gold annotations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Any, ClassVar, Final

import torch

from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.evaluation.metrics.rouge import Reference
from lexlattice.evaluation.points import MEANINGS
from lexlattice.selection import Budget
from lexlattice.training.parallel import ProcessGroup
from lexlattice.training.prepared import Example
from lexlattice.training.rloo import MEASURES
from lexlattice.training.trainable import GoldTrainable, TrainableModel

Figures = Mapping[str, float]
"""Means × 100 by name: `ROUGE_FIGURES`, or `MEANINGS` for gold annotations."""

ROUGE_FIGURES: Final = tuple(f"{tokenizer}_{measure}" for tokenizer in TOKENIZERS for measure in MEASURES)
_TOKENIZER: Final = "unicode"
"""The tokenizer whose figures select the best checkpoint: the one that splits words in every language."""
_GOLD_F1: Final = MEANINGS[-1]


class Validation(ABC):
    """Measures a model on validation acts; a process group divides the acts and shares the figures."""

    names: ClassVar[Sequence[str]]

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = examples

    def measure(self, model: Any, group: ProcessGroup | None = None) -> Figures:
        """Return the mean figures over all acts."""
        model.module.eval()
        rows = torch.zeros(len(self._examples), len(self.names), dtype=torch.float64)
        indices = range(len(self._examples))
        with torch.no_grad():
            for index in group.shard(indices) if group else indices:
                rows[index] = torch.tensor(self._measure_act(model, index), dtype=torch.float64)
        if group:
            group.all_reduce(rows)
        return dict(zip(self.names, map(fmean, rows.T.tolist()), strict=True))

    @abstractmethod
    def _measure_act(self, model: Any, index: int) -> Sequence[float]:
        """The figures of one act, × 100."""


class RougeValidation(Validation):
    """ROUGE-1, -2 and -Lsum F1 by tokenizer, of extracts that fit the budget."""

    names = ROUGE_FIGURES

    def __init__(self, examples: Sequence[Example], budget: Budget) -> None:
        super().__init__(examples)
        self._budget = budget
        self._references = cache(self._tokenized)  # tokenizing a summary takes longer than comparing an extract

    def _measure_act(self, model: TrainableModel, index: int) -> Sequence[float]:
        example = self._examples[index]
        text = model.extract(example, self._budget.of(example.act.words, example.summary))
        scores = [reference.score(text, MEASURES) for reference in self._references(index)]
        return [100 * score[measure].f1 for score in scores for measure in MEASURES]

    def _tokenized(self, index: int) -> list[Reference]:
        return [Reference(self._examples[index].summary, tokenizer) for tokenizer in TOKENIZERS]


class GoldValidation(Validation):
    """Points, precision and F1 of selections from acts with gold annotations, at the gold extract's length."""

    names = MEANINGS

    def _measure_act(self, model: GoldTrainable, index: int) -> Sequence[float]:
        example = self._examples[index]
        points = model.points(example)
        return [100 * figure for figure in points.score(model.choose(example, points.gold.words))]


def objective(figures: Figures) -> float:
    """Return the figure that selects the best checkpoint: gold F1, or the mean of ROUGE-1, -2 and -Lsum."""
    if _GOLD_F1 in figures:
        return figures[_GOLD_F1]
    return fmean(figures[f"{_TOKENIZER}_{measure}"] for measure in MEASURES)


def format_figures(figures: Figures) -> str:
    """Format figures for people: "points / precision / F1 …", or "R-1 / R-2 / R-Lsum …" by tokenizer."""
    if _GOLD_F1 in figures:
        return f"{' / '.join(MEANINGS)} {' / '.join(f'{figures[name]:.2f}' for name in MEANINGS)}"
    parts = []
    for tokenizer in TOKENIZERS:
        numbers = (f"{figures[f'{tokenizer}_{measure}']:.2f}" for measure in MEASURES)
        parts.append(f"{' / '.join(numbers)} ({tokenizer})")
    return f"R-1 / R-2 / R-Lsum {', '.join(parts)}"
