"""`lexlattice encoder train`: from the data folder to quantized weights and a model card."""

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
from lexlattice.errors import OptionError, OutputError, TrainingError
from lexlattice.research.encoder.measure import model_card, retrieval, retrieval_sets
from lexlattice.research.encoder.texts import sources
from lexlattice.research.encoder.training import INITIALIZATIONS, Recipe, train

_LEVELS: Final = 16
_SCALE_FACTORS: Final = np.linspace(0.4, 1.0, 13)
"""Candidate scales, relative to the one that represents the largest value: clipping it may cost less overall."""


def write_weights(path: Path, vocabulary: Hashes32, table: NDArray[np.float32], spelling: Spelling) -> None:
    """Quantize the vectors, and write the file that `Static` reads."""
    numbers, scales = quantize(table)
    about = {"format": "lexlattice embedded encoder 1", "spelling": json.dumps(asdict(spelling))}
    weights.write_weights(path, {"hashes": vocabulary, "numbers": numbers, "scales": scales}, about)


def quantize(table: NDArray[np.float32]) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Quantize rows to four bits with a scale each; the second half of a row is in the high bits of the bytes."""
    widest = np.abs(table).max(axis=1, keepdims=True) / (_LEVELS / 2 - 0.5)
    if not (widest <= np.finfo(np.float16).max).all():
        raise TrainingError("The vectors are too large or not finite; train again with a lower learning rate.")
    best = np.full(len(table), np.inf, np.float32)
    scales = np.zeros((len(table), 1), np.float16)
    for share in _SCALE_FACTORS:
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


def train_encoder(data: Path, output: Path, changes: Mapping[str, Any], *, progress: bool = False) -> Path:
    """Train the embedded encoder, and write its weights and its model card.

    Args:
        data: the data folder that CONTRIBUTING.md describes.
        output: the weights file; the card gets the same name with the suffix .md.
        changes: overrides of `Recipe`.
        progress: whether to show a progress bar.

    Returns:
        The path of the model card.

    Raises:
        OptionError: an override is not valid.
        OutputError: the output cannot be written.
        DataError: the data cannot be read.

    """
    recipe = _recipe(changes)
    if not output.name or output.is_dir() or output.suffix == ".md" or not os.access(output.parent, os.W_OK):
        raise OutputError(f"'{output}' cannot be written; name a .safetensors file in an existing folder.")
    card = output.with_suffix(".md")
    texts, test_sets = sources(data), retrieval_sets(data)
    with tqdm(total=recipe.steps, desc="training", unit="step", disable=not progress) as bar:

        def report(step: int, loss: float) -> None:
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(step - bar.n)

        lexicon, table = train(texts, recipe, report)
    write_weights(output, lexicon.vocabulary, table, recipe.spelling)
    encoder = Static(output)
    quality = {name: retrieval(encoder.encode, rows) for name, rows in test_sets.items()}
    card.write_text(model_card(encoder, texts, recipe, lexicon, quality), "utf-8")
    return card


def _recipe(changes: Mapping[str, Any]) -> Recipe:
    recipe = replace(Recipe(), **changes)
    numbers = [
        getattr(recipe, field.name)
        for field in fields(recipe)
        if field.name in ("steps", "dimensions", "vocabulary", "buckets")
    ]
    if min(numbers) < 1 or recipe.dimensions % 2:
        raise OptionError("Steps, dimensions, vocabulary and buckets must be positive, and dimensions even.")
    if not 0 <= recipe.seed < 1 << 63:
        raise OptionError(f"The seed {recipe.seed} is out of range; choose one from 0 to 2^63 - 1.")
    if recipe.initial not in INITIALIZATIONS:
        raise OptionError(f"'{recipe.initial}' is not an initialization; choose one of: {', '.join(INITIALIZATIONS)}.")
    return recipe
