"""Texts as the trainer needs them: each a run of word numbers, each word a run of rows in the table of vectors."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from lexlattice.encoding.subwords import (
    Hashes32,
    Indices,
    Spelling,
    Words,
    embedding_rows,
    split_words,
    subwords,
    unique_words,
)

_TEXTS_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Runs:
    """Many runs of numbers in one array."""

    values: Indices
    lengths: Indices
    starts: Indices

    @classmethod
    def of(cls, values: Indices, lengths: Indices) -> Runs:
        """Runs of these lengths, one after the other."""
        return cls(values, lengths, np.cumsum(lengths) - lengths)

    def take(self, places: Indices) -> Runs:
        """Some of the runs."""
        lengths = self.lengths[places]
        starts = np.cumsum(lengths) - lengths
        index = np.repeat(self.starts[places] - starts, lengths) + np.arange(lengths.sum())
        return Runs(self.values[index], lengths, starts)

    def drop(self, share: float, rng: np.random.Generator) -> Runs:
        """The runs without some of their numbers."""
        kept = rng.random(len(self.values)) >= share
        owners = np.repeat(np.arange(len(self.lengths)), self.lengths)[kept]
        return Runs.of(self.values[kept], np.bincount(owners, minlength=len(self.lengths)))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words of some texts, and the rows that make up each."""

    texts: Runs
    """Word numbers of each text."""
    words: Runs
    """Rows of each word."""
    vocabulary: Hashes32
    """Hashes of the subwords that have a row of their own, sorted: the first rows of the table."""
    counts: NDArray[np.float64]
    """How often each row occurs in the texts; those that words share count as rare."""

    @classmethod
    def build(cls, texts: Sequence[str], spelling: Spelling, size: int, buckets: int) -> Lexicon:
        """With vectors for the most frequent subwords, `size` at most."""
        found, counts = _words(texts)
        unique, _, numbers = unique_words(found)
        frequency = np.bincount(numbers, minlength=len(unique.starts) - 1)
        parts = list(subwords(unique, spelling))
        hashes, places = np.unique(np.concatenate([part for _, part in parts]), return_inverse=True)
        owners = np.concatenate([owners for owners, _ in parts])
        occurs = np.bincount(places, weights=frequency[owners], minlength=len(hashes))
        frequent = np.sort(np.argsort(-occurs, kind="stable")[:size])
        vocabulary = hashes[frequent]
        return cls(
            Runs.of(numbers, counts),
            _rows(unique, spelling, vocabulary, buckets),
            vocabulary,
            np.concatenate([occurs[frequent], np.ones(buckets)]),
        )


def _words(texts: Sequence[str]) -> tuple[Words, Indices]:
    """The words of very many texts."""
    parts = [split_words(texts[first : first + _TEXTS_AT_ONCE]) for first in range(0, len(texts), _TEXTS_AT_ONCE)]
    letters = np.concatenate([words.letters for words, _ in parts])
    lengths = np.concatenate([words.lengths for words, _ in parts])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return Words(letters, starts), np.concatenate([counts for _, counts in parts])


def _rows(words: Words, spelling: Spelling, vocabulary: Hashes32, buckets: int) -> Runs:
    parts = list(embedding_rows(words, spelling, vocabulary, buckets))
    owners = np.concatenate([owners for owners, _ in parts])
    places = np.concatenate([places for _, places in parts])
    lengths = np.bincount(owners, minlength=len(words.starts) - 1)
    return Runs.of(places[np.argsort(owners, kind="stable")], lengths)


# Where training starts: singular vectors of which subwords occur in which rows, all languages of a row together.

_ROWS_AT_ONCE: Final = 1_000
_EXTRA: Final = 16
"""Directions beyond those wanted, so that the wanted ones come out right."""
_ROUNDS: Final = 3
_COMMON: Final = 1e-4
"""The share of all words from which on a subword is so common that its weight sinks."""


def initial_table(lexicon: Lexicon, rows: Runs, dimensions: int, generator: torch.Generator) -> torch.Tensor:
    """A vector for each row of the table, in the direction its company has and with a weight by its rarity.

    `rows` are the texts that say the same. What subwords share come out in no row's company: they start at random.
    """
    matrix = _weighted(lexicon, rows)
    transposed = matrix.t().to_sparse_csr()
    basis = matrix @ torch.randn(matrix.shape[1], dimensions + _EXTRA, generator=generator)
    for _ in range(_ROUNDS):
        basis = matrix @ (transposed @ torch.linalg.qr(basis).Q)
    projected = transposed @ torch.linalg.qr(basis).Q
    values, vectors = torch.linalg.eigh((projected.T @ projected).double())
    largest = slice(-dimensions, None)
    table = projected @ (vectors[:, largest] * values[largest].clamp(min=1e-12) ** -0.25).float()
    table = torch.nn.functional.normalize(table, dim=1)
    shared = table[len(lexicon.vocabulary) :]
    shared.copy_(torch.nn.functional.normalize(torch.randn(shared.shape, generator=generator), dim=1))
    return (table * torch.from_numpy(_rarity(lexicon))[:, None]).contiguous()


def random_table(lexicon: Lexicon, dimensions: int, generator: torch.Generator) -> torch.Tensor:
    """The same without company: random directions, weighted by rarity."""
    table = torch.nn.functional.normalize(torch.randn(len(lexicon.counts), dimensions, generator=generator), dim=1)
    return (table * torch.from_numpy(_rarity(lexicon))[:, None]).contiguous()


def _rarity(lexicon: Lexicon) -> NDArray[np.float32]:
    words = len(lexicon.texts.values)
    return (1 / (1 + lexicon.counts / words / _COMMON)).astype(np.float32)


def _weighted(lexicon: Lexicon, rows: Runs) -> torch.Tensor:
    """Occurrences of subwords in rows: logarithmic, by inverse frequency, each row of length one."""
    size = len(lexicon.counts)
    columns, counts, lengths = [], [], []
    for first in range(0, len(rows.lengths), _ROWS_AT_ONCE):
        some = rows.take(np.arange(first, min(first + _ROWS_AT_ONCE, len(rows.lengths))))
        texts = lexicon.texts.take(some.values)
        words = lexicon.words.take(texts.values)
        row = np.repeat(np.repeat(np.arange(len(some.lengths)), some.lengths), texts.lengths)
        keys, times = np.unique(np.repeat(row, words.lengths) * size + words.values, return_counts=True)
        columns.append(keys % size)
        counts.append(times)
        lengths.append(np.bincount(keys // size, minlength=len(some.lengths)))
    column = np.concatenate(columns)
    length = np.concatenate(lengths)
    frequency = np.bincount(column, minlength=size)
    rarity = np.log(len(length) / (1 + frequency)).clip(min=0)
    values = np.log1p(np.concatenate(counts)) * rarity[column]
    owners = np.repeat(np.arange(len(length)), length)
    norms = np.sqrt(np.bincount(owners, weights=values**2, minlength=len(length)))
    values /= np.maximum(norms, 1e-9)[owners]
    limits = np.concatenate([[0], np.cumsum(length)])
    parts = [torch.from_numpy(part) for part in (limits, column, values.astype(np.float32))]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that sparse matrices are still beta
        return torch.sparse_csr_tensor(parts[0], parts[1], parts[2], (len(length), size), check_invariants=True)
