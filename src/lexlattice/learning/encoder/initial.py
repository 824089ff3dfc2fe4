"""Where training starts: singular vectors of which subwords occur in which rows, all languages of a row together."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from lexlattice.learning.encoder.lexicon import Lexicon, Runs

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
