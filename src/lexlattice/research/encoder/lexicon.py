"""Texts as ragged arrays of word indices, words as ragged arrays of table rows; and the initial table."""

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

_TEXT_CHUNK: Final = 20_000


@dataclass(frozen=True, slots=True)
class Ragged:
    """A ragged array: many runs of integers in one array."""

    values: Indices
    lengths: Indices
    starts: Indices

    @classmethod
    def of(cls, values: Indices, lengths: Indices) -> Ragged:
        """Build runs of these lengths, which follow each other."""
        return cls(values, lengths, np.cumsum(lengths) - lengths)

    def take(self, places: Indices) -> Ragged:
        """Return some of the runs."""
        lengths = self.lengths[places]
        starts = np.cumsum(lengths) - lengths
        index = np.repeat(self.starts[places] - starts, lengths) + np.arange(lengths.sum())
        return Ragged(self.values[index], lengths, starts)

    def drop(self, share: float, rng: np.random.Generator) -> Ragged:
        """Return the runs with a random share of their values removed."""
        kept = rng.random(len(self.values)) >= share
        owners = np.repeat(np.arange(len(self.lengths)), self.lengths)[kept]
        return Ragged.of(self.values[kept], np.bincount(owners, minlength=len(self.lengths)))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of all texts, and the table rows of each word."""

    texts: Ragged
    """Word indices of each text."""
    words: Ragged
    """Table rows of each word."""
    vocabulary: Hashes32
    """Sorted hashes of the subwords with a row of their own: the first rows of the table."""
    counts: NDArray[np.float64]
    """Frequency of each row in the texts; 1 for the shared rows (hash buckets)."""

    @classmethod
    def build(cls, texts: Sequence[str], spelling: Spelling, size: int, buckets: int) -> Lexicon:
        """Index texts, with rows for the `size` most frequent subwords and `buckets` shared rows for all others."""
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
            Ragged.of(numbers, counts),
            _rows(unique, spelling, vocabulary, buckets),
            vocabulary,
            np.concatenate([occurs[frequent], np.ones(buckets)]),
        )


def _words(texts: Sequence[str]) -> tuple[Words, Indices]:
    """Split texts into words, in chunks."""
    parts = [split_words(texts[first : first + _TEXT_CHUNK]) for first in range(0, len(texts), _TEXT_CHUNK)]
    letters = np.concatenate([words.letters for words, _ in parts])
    lengths = np.concatenate([words.lengths for words, _ in parts])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return Words(letters, starts), np.concatenate([counts for _, counts in parts])


def _rows(words: Words, spelling: Spelling, vocabulary: Hashes32, buckets: int) -> Ragged:
    parts = list(embedding_rows(words, spelling, vocabulary, buckets))
    owners = np.concatenate([owners for owners, _ in parts])
    places = np.concatenate([places for _, places in parts])
    lengths = np.bincount(owners, minlength=len(words.starts) - 1)
    return Ragged.of(places[np.argsort(owners, kind="stable")], lengths)


# --- initialization by a truncated SVD of subword occurrences in rows, with all languages of a row together ---

_ROW_CHUNK: Final = 1_000
_OVERSAMPLING: Final = 16
"""Extra directions of the randomized SVD, which make the wanted ones accurate."""
_POWER_ITERATIONS: Final = 3
_SIF: Final = 1e-4
"""Smooth inverse frequency: the relative frequency at which the weight of a subword is halved."""


def initial_table(lexicon: Lexicon, rows: Ragged, dimensions: int, generator: torch.Generator) -> torch.Tensor:
    """Initialize the table by a randomized SVD, with norms by inverse frequency.

    `rows` are groups of texts that are translations of each other. Shared rows start at random, because the subwords
    that collide in them have nothing in common.
    """
    matrix = _tf_idf(lexicon, rows)
    transposed = matrix.t().to_sparse_csr()
    basis = matrix @ torch.randn(matrix.shape[1], dimensions + _OVERSAMPLING, generator=generator)
    for _ in range(_POWER_ITERATIONS):
        basis = matrix @ (transposed @ torch.linalg.qr(basis).Q)
    projected = transposed @ torch.linalg.qr(basis).Q
    values, vectors = torch.linalg.eigh((projected.T @ projected).double())
    largest = slice(-dimensions, None)
    table = projected @ (vectors[:, largest] * values[largest].clamp(min=1e-12) ** -0.25).float()
    table = torch.nn.functional.normalize(table, dim=1)
    shared = table[len(lexicon.vocabulary) :]  # a view of the hash buckets
    shared.copy_(torch.nn.functional.normalize(torch.randn(shared.shape, generator=generator), dim=1))
    return (table * torch.from_numpy(_rarity(lexicon))[:, None]).contiguous()


def random_table(lexicon: Lexicon, dimensions: int, generator: torch.Generator) -> torch.Tensor:
    """Initialize the table with random directions, and norms by inverse frequency."""
    table = torch.nn.functional.normalize(torch.randn(len(lexicon.counts), dimensions, generator=generator), dim=1)
    return (table * torch.from_numpy(_rarity(lexicon))[:, None]).contiguous()


def _rarity(lexicon: Lexicon) -> NDArray[np.float32]:
    words = len(lexicon.texts.values)
    return (1 / (1 + lexicon.counts / words / _SIF)).astype(np.float32)


def _tf_idf(lexicon: Lexicon, rows: Ragged) -> torch.Tensor:
    """Return rows × subwords as a sparse TF-IDF matrix with normalized rows."""
    size = len(lexicon.counts)
    columns, counts, lengths = [], [], []
    for first in range(0, len(rows.lengths), _ROW_CHUNK):
        some = rows.take(np.arange(first, min(first + _ROW_CHUNK, len(rows.lengths))))
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
        warnings.simplefilter("ignore")  # sparse CSR tensors are in beta
        return torch.sparse_csr_tensor(parts[0], parts[1], parts[2], (len(length), size), check_invariants=True)
