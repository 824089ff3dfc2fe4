"""Contrastive training of the embedded encoder: translations must be closer to each other than to any other text.

Each batch comes from one source, with a random choice of languages for each row. The loss is InfoNCE in both
directions: each text must retrieve its translation among all texts of the batch. The only parameters are the subword
vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy, embedding_bag, normalize

from lexlattice.encoding.subwords import Indices, Spelling
from lexlattice.reading import LANGUAGES
from lexlattice.research.encoder.lexicon import Lexicon, Ragged, initial_table, random_table
from lexlattice.research.encoder.texts import Source
from lexlattice.training.threads import limit_threads

LANGUAGE_WEIGHTS: Final = {"en": 4.0, "ga": 3.0, "hr": 3.0, "mt": 2.0} | dict.fromkeys(
    ("bg", "el", "et", "fi", "hu", "lt", "pl"), 1.5
)
"""Sampling weights: higher for English, for languages with little text, and for those unrelated to the others."""
_SVD_ROWS: Final = 15_000
"""Rows of a source, at most, that the initialization by SVD uses."""
_BETAS: Final = (0.9, 0.999)
_WARM_UP_STEPS: Final = 50
_FINAL_RATE: Final = 0.02
"""Share of the learning rate that remains at the end."""
_REPORT_STEPS: Final = 10
"""Steps between two progress reports."""
INITIALIZATIONS: Final = ("svd", "random")


@dataclass(frozen=True, slots=True)
class Recipe:
    """The hyperparameters."""

    spelling: Spelling = field(default_factory=Spelling)
    vocabulary: int = 250_000
    buckets: int = 8_192
    dimensions: int = 256
    initial: str = "svd"
    """One of `INITIALIZATIONS`."""
    steps: int = 5_000
    batch: int = 384
    languages: int = 3
    """Languages per row of a batch."""
    rate: float = 0.015
    temperature: float = 0.12
    word_dropout: float = 0.05
    subword_dropout: float = 0.05
    shares: tuple[float, ...] = (6, 4, 4, 0.5, 1)
    """Relative number of batches from each source."""
    seed: int = 0


Report = Callable[[int, float], None]
"""Called with the step and the loss."""


def train(sources: Sequence[Source], recipe: Recipe, report: Report) -> tuple[Lexicon, NDArray[np.float32]]:
    """Train the encoder; return the lexicon and the table of subword vectors.

    It runs on one thread, because sums over several threads depend on their number.
    """
    is_deterministic = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        with limit_threads(1):
            return _trained(sources, recipe, report)
    finally:
        torch.use_deterministic_algorithms(is_deterministic)


def _trained(sources: Sequence[Source], recipe: Recipe, report: Report) -> tuple[Lexicon, NDArray[np.float32]]:
    texts = [text for source in sources for row in source.rows for text in row.values()]
    lexicon = Lexicon.build(texts, recipe.spelling, recipe.vocabulary, recipe.buckets)
    columns = _columns(sources, lexicon)
    generator = torch.Generator().manual_seed(recipe.seed)
    if recipe.initial == "svd":
        table = initial_table(lexicon, _svd_rows(sources), recipe.dimensions, generator)
    else:
        table = random_table(lexicon, recipe.dimensions, generator)
    trainer = _Trainer(lexicon, table, recipe)
    for step in range(recipe.steps):
        loss = trainer.step(trainer.sample_batch(columns), step)
        if step % _REPORT_STEPS == _REPORT_STEPS - 1:
            report(step + 1, loss)
    return lexicon, table.numpy()


def _svd_rows(sources: Sequence[Source]) -> Ragged:
    """Return the texts of each row, with large sources subsampled, so that their languages do not dominate the SVD."""
    lengths = np.array([len(row) for source in sources for row in source.rows])
    every = [-(-len(source.rows) // _SVD_ROWS) for source in sources]
    kept = np.concatenate(
        [np.arange(len(source.rows)) % step == 0 for source, step in zip(sources, every, strict=True)]
    )
    return Ragged.of(np.arange(lengths.sum()), lengths).take(np.flatnonzero(kept))


def _columns(sources: Sequence[Source], lexicon: Lexicon) -> list[Indices]:
    """Return for each source rows × languages: the index of the text, or -1."""
    place = 0
    columns = []
    for source in sources:
        numbers = np.full((len(source.rows), len(LANGUAGES)), -1)
        for row, texts in enumerate(source.rows):
            for language in texts:
                if lexicon.texts.lengths[place]:
                    numbers[row, LANGUAGES.index(language)] = place
                place += 1
        columns.append(numbers)
    return columns


class _Trainer:
    """The table with sparse Adam: each step updates only the rows of its texts."""

    def __init__(self, lexicon: Lexicon, table: torch.Tensor, recipe: Recipe) -> None:
        self._lexicon, self._table, self._recipe = lexicon, table, recipe
        self._first, self._second = torch.zeros_like(table), torch.zeros_like(table)
        self._times = torch.zeros(len(table))
        self._rng = np.random.default_rng(recipe.seed)
        self._shares = np.array(recipe.shares) / sum(recipe.shares)
        self._weights = np.array([LANGUAGE_WEIGHTS.get(language, 1.0) for language in LANGUAGES])

    def sample_batch(self, columns: Sequence[Indices]) -> Indices:
        """Sample the texts of a batch, languages × rows, without duplicates."""
        numbers = columns[self._rng.choice(len(columns), p=self._shares)]
        available = numbers >= 0
        languages = min(self._recipe.languages, int(np.median(available.sum(axis=1))))
        size = min(len(numbers), self._recipe.batch * self._recipe.languages // languages)
        rows = self._rng.choice(len(numbers), size, replace=False)
        # exponential keys: the smallest ones are a weighted sample without replacement
        keys = self._rng.exponential(size=(len(rows), len(LANGUAGES))) / self._weights
        keys[~available[rows]] = np.inf
        order = np.argsort(keys, axis=1)[:, :languages]
        complete = np.isfinite(np.take_along_axis(keys, order, axis=1)).all(axis=1)
        batch = np.take_along_axis(numbers[rows], order, axis=1)[complete]
        texts: Indices = batch[self._is_unique(batch)].T
        return texts

    def step(self, batch: Indices, step: int) -> float:
        """Update the table by the InfoNCE loss of a batch, and return the loss."""
        vectors, rows, used = self._encode(batch.ravel())
        sides = vectors.view(*batch.shape, -1)
        target = torch.arange(batch.shape[1])
        losses = []
        for one, other in combinations(sides, 2):
            similarity = one @ other.T / self._recipe.temperature
            losses.append((cross_entropy(similarity, target) + cross_entropy(similarity.T, target)) / 2)
        loss = torch.stack(losses).mean()
        torch.autograd.backward(loss)
        assert used.grad is not None
        self._update(rows, used.detach(), used.grad, step)
        return loss.item()

    def _encode(self, texts: Indices) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Encode texts with word and subword dropout; return the vectors, the rows used, and their values."""
        words = self._lexicon.texts.take(texts).drop(self._recipe.word_dropout, self._rng)
        unique, places = np.unique(words.values, return_inverse=True)
        subwords = self._lexicon.words.take(unique).drop(self._recipe.subword_dropout, self._rng)
        rows, of_rows = (torch.from_numpy(part) for part in np.unique(subwords.values, return_inverse=True))
        used = self._table[rows].requires_grad_()
        of_words = embedding_bag(of_rows, used, torch.from_numpy(subwords.starts), mode="sum")
        of_texts = embedding_bag(torch.from_numpy(places), of_words, torch.from_numpy(words.starts), mode="sum")
        return normalize(of_texts, dim=1), rows, used

    def _update(self, rows: torch.Tensor, values: torch.Tensor, gradient: torch.Tensor, step: int) -> None:
        """Adam, with the bias correction of each row's own number of updates."""
        rate = self._recipe.rate * min(1, (step + 1) / _WARM_UP_STEPS) * max(_FINAL_RATE, 1 - step / self._recipe.steps)
        self._times[rows] += 1
        times = self._times[rows][:, None]
        first = self._first[rows].mul_(_BETAS[0]).add_(gradient, alpha=1 - _BETAS[0])
        second = self._second[rows].mul_(_BETAS[1]).addcmul_(gradient, gradient, value=1 - _BETAS[1])
        self._first[rows], self._second[rows] = first, second
        spread = (second / (1 - _BETAS[1] ** times)).sqrt_().add_(1e-8)
        self._table[rows] = values.addcdiv_(first / (1 - _BETAS[0] ** times), spread, value=-rate)

    def _is_unique(self, batch: Indices) -> NDArray[np.bool_]:
        """Whether none of a row's texts occurs in an earlier row: duplicates would be false negatives."""
        seen: set[bytes] = set()
        is_unique = np.ones(len(batch), np.bool_)
        texts = self._lexicon.texts
        for row, numbers in enumerate(batch):
            keys = [
                texts.values[texts.starts[number] : texts.starts[number] + texts.lengths[number]].tobytes()
                for number in numbers
            ]
            is_unique[row] = seen.isdisjoint(keys)
            seen.update(keys)
        return is_unique
