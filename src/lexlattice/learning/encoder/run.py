"""From the data folder to weights and a model card: the training of the embedded encoder, from end to end."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from tqdm import tqdm

from lexlattice.encoding.static import Static
from lexlattice.errors import LexLatticeError
from lexlattice.learning.encoder.card import model_card
from lexlattice.learning.encoder.measure import retrieval, sets
from lexlattice.learning.encoder.packing import write_weights
from lexlattice.learning.encoder.texts import sources
from lexlattice.learning.encoder.training import Recipe, train


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
