"""How good a model in training is, for acts that it does not learn from: ROUGE of what it emits, or its meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Final

import torch

from lexlattice.encoding.tokens import TOKENIZERS
from lexlattice.evaluation.metrics.rouge import Reference
from lexlattice.evaluation.points import MEANINGS
from lexlattice.selection import Budget
from lexlattice.training.parallel import Team
from lexlattice.training.prepared import Example
from lexlattice.training.rloo import MEASURES
from lexlattice.training.trainable import Choosing, Trainee

Figures = Mapping[str, float]
"""Means × 100: F1 by tokenizer and measure, under the names of `FIGURES`; or the measures of meaning."""

FIGURES: Final = tuple(f"{tokenizer}_{measure}" for tokenizer in TOKENIZERS for measure in MEASURES)
DECISIVE: Final = "unicode"
"""The tokenizer whose figures decide which weights are the best: the one that counts words in every language."""


_MEANING: Final = MEANINGS[-1]


class Validation:
    """The acts, with their summaries made ready to be compared with."""

    names = FIGURES

    def __init__(self, examples: Sequence[Example], budget: Budget) -> None:
        self._examples = examples
        self._budget = budget
        self._references = cache(self._made)

    def measure(self, trainee: Trainee, team: Team | None = None) -> Figures:
        """The mean over all acts; a team divides them, and all of it have the same figures."""
        trainee.module.eval()
        rows = torch.zeros(len(self._examples), len(FIGURES), dtype=torch.float64)
        everything = range(len(self._examples))
        with torch.no_grad():
            for number in team.share(everything) if team else everything:
                example = self._examples[number]
                text = trainee.extract(example, self._budget.of(example.act.words, example.summary))
                scores = [reference.score(text, MEASURES) for reference in self._references(number)]
                figures = [100 * score[measure].f1 for score in scores for measure in MEASURES]
                rows[number] = torch.tensor(figures, dtype=torch.float64)
        if team:
            team.sum(rows)
        return dict(zip(FIGURES, map(fmean, rows.T.tolist()), strict=True))

    def _made(self, number: int) -> list[Reference]:
        return [Reference(self._examples[number].summary, tokenizer) for tokenizer in TOKENIZERS]


class MeaningValidation:
    """Acts with gold annotations: points and precision of what is chosen, at the gold extract's length."""

    names = MEANINGS

    def __init__(self, examples: Sequence[Example]) -> None:
        self._examples = examples

    def measure(self, trainee: Choosing, team: Team | None = None) -> Figures:
        """The mean over all acts; a team divides them, and all of it have the same figures."""
        trainee.module.eval()
        rows = torch.zeros(len(self._examples), len(MEANINGS), dtype=torch.float64)
        everything = range(len(self._examples))
        with torch.no_grad():
            for number in team.share(everything) if team else everything:
                points = trainee.points(self._examples[number])
                found = points.score(trainee.choose(self._examples[number], points.gold.words))
                rows[number] = 100 * torch.tensor(found, dtype=torch.float64)
        if team:
            team.sum(rows)
        return dict(zip(MEANINGS, map(fmean, rows.T.tolist()), strict=True))


def value(figures: Figures) -> float:
    """The one number that is to become larger: the F1 of meaning, or the mean of ROUGE-1, -2 and -Lsum."""
    if _MEANING in figures:
        return figures[_MEANING]
    return fmean(figures[f"{DECISIVE}_{measure}"] for measure in MEASURES)


def told(figures: Figures) -> str:
    """The figures for people: points / precision / F1; or R-1 / R-2 / R-Lsum by tokenizer."""
    if _MEANING in figures:
        return f"{' / '.join(MEANINGS)} {' / '.join(f'{figures[name]:.2f}' for name in MEANINGS)}"
    parts = []
    for tokenizer in TOKENIZERS:
        numbers = (f"{figures[f'{tokenizer}_{measure}']:.2f}" for measure in MEASURES)
        parts.append(f"{' / '.join(numbers)} ({tokenizer})")
    return f"R-1 / R-2 / R-Lsum {', '.join(parts)}"
