"""How good a model in training is: ROUGE of what it emits for acts that it does not learn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from statistics import fmean
from typing import Final

import torch

from lexlattice.learning.parallel import Team
from lexlattice.learning.prepared import Example
from lexlattice.learning.rloo import MEASURES
from lexlattice.learning.trainee import Trainee
from lexlattice.metrics.rouge import Reference
from lexlattice.selection import Budget
from lexlattice.tokens import TOKENIZERS

Figures = Mapping[str, float]
"""Mean F1 × 100 by tokenizer and measure, under the names of `FIGURES`."""

FIGURES: Final = tuple(f"{tokenizer}_{measure}" for tokenizer in TOKENIZERS for measure in MEASURES)
DECISIVE: Final = "unicode"
"""The tokenizer whose figures decide which weights are the best: the one that counts words in every language."""


class Validation:
    """The acts, with their summaries made ready to be compared with."""

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


def value(figures: Figures) -> float:
    """The one number that is to become larger: the mean of ROUGE-1, -2 and -Lsum."""
    return fmean(figures[f"{DECISIVE}_{measure}"] for measure in MEASURES)


def told(figures: Figures) -> str:
    """The figures for people: R-1 / R-2 / R-Lsum by tokenizer."""
    parts = []
    for tokenizer in TOKENIZERS:
        numbers = (f"{figures[f'{tokenizer}_{measure}']:.2f}" for measure in MEASURES)
        parts.append(f"{' / '.join(numbers)} ({tokenizer})")
    return ", ".join(parts)
