"""From the data folder to weights and a model card: the training of the embedded encoder, from end to end."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from lexlattice._internal import weights
from lexlattice.encoding.static import Static
from lexlattice.encoding.subwords import Hashes32, Spelling
from lexlattice.errors import LexLatticeError
from lexlattice.research.encoder.measure import model_card, retrieval, sets
from lexlattice.research.encoder.texts import sources
from lexlattice.research.encoder.training import Recipe, train

# Vectors in four bits a number, and the file of weights that the embedded encoder reads.

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


# From the data folder to weights and a model card: the training of the embedded encoder, from end to end.


def train_encoder(data: Path, output: Path, changes: Mapping[str, Any], *, progress: bool = False) -> Path:
    """Write the weights and, beside them, the model card, whose path is returned."""
    recipe = _recipe(changes)
    if not output.name or output.is_dir() or output.suffix == ".md" or not os.access(output.parent, os.W_OK):
        raise LexLatticeError(f"'{output}' cannot be written; name a .safetensors file in a folder that exists.")
    card = output.with_suffix(".md")
    found, asked = sources(data), sets(data)
    with tqdm(total=recipe.steps, desc="training", unit="step", disable=not progress) as bar:

        def report(step: int, loss: float) -> None:
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(step - bar.n)

        lexicon, table = train(found, recipe, report)
    write_weights(output, lexicon.vocabulary, table, recipe.spelling)
    encoder = Static(output)
    quality = {name: retrieval(encoder.encode, rows) for name, rows in asked.items()}
    card.write_text(model_card(encoder, found, recipe, lexicon, quality), "utf-8")
    return card


def _recipe(changes: Mapping[str, Any]) -> Recipe:
    recipe = replace(Recipe(), **changes)
    numbers = [
        getattr(recipe, field.name)
        for field in fields(recipe)
        if field.name in ("steps", "dimensions", "vocabulary", "buckets")
    ]
    if min(numbers) < 1 or recipe.dimensions % 2:
        raise LexLatticeError("Steps, dimensions and vocabulary must be positive, and dimensions even.")
    if not 0 <= recipe.seed < 1 << 63:
        raise LexLatticeError("The seed must not be negative, and have less than 64 bits.")
    if recipe.initial not in ("company", "random"):
        raise LexLatticeError(f"Training cannot start from '{recipe.initial}'; choose company or random.")
    return recipe
