"""Vectors in four bits a number, and the file of weights that the embedded encoder reads."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.encoding.subwords import Hashes32, Spelling
from lexlattice.errors import LexLatticeError
from lexlattice.learning import weights

_LEVELS: Final = 16
_NARROWER: Final = np.linspace(0.4, 1.0, 13)
"""Scales that are tried, as shares of the one that reaches the largest number: cutting it off may cost less."""


def write_weights(path: Path, vocabulary: Hashes32, table: NDArray[np.float32], spelling: Spelling) -> None:
    """Pack the vectors, and write the file that `Static` reads."""
    numbers, scales = packed(table)
    about = {"format": "lexlattice embedded encoder 1", "spelling": json.dumps(asdict(spelling))}
    weights.write_weights(path, {"hashes": vocabulary, "numbers": numbers, "scales": scales}, about)


def packed(table: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Two numbers a byte, the second half of a vector above the first, and a scale for each row."""
    widest = np.abs(table).max(axis=1, keepdims=True) / (_LEVELS / 2 - 0.5)
    if not (widest <= np.finfo(np.float16).max).all():
        raise LexLatticeError("The vectors grew beyond all bounds, or are no numbers; train with a lower rate.")
    best = np.full(len(table), np.inf, np.float32)
    scales = np.zeros((len(table), 1), np.float16)
    for share in _NARROWER:
        tried = (widest * share).astype(np.float16)
        error = ((_rounded(table, tried) - (_LEVELS - 1) / 2) * tried.astype(np.float32) - table).__pow__(2).sum(axis=1)
        better = error < best
        best[better], scales[better] = error[better], tried[better]
    levels = _rounded(table, scales).astype(np.uint8)
    half = table.shape[1] // 2
    numbers: NDArray[np.uint8] = levels[:, :half] | np.left_shift(levels[:, half:], 4)
    return numbers, scales[:, 0]


def _rounded(table: NDArray[np.float32], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    steps = np.divide(table, scales.astype(np.float32), out=np.zeros_like(table), where=scales > 0)
    return np.clip(np.round(steps + (_LEVELS - 1) / 2), 0, _LEVELS - 1)
