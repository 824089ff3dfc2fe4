"""The research system `coverage`, but small: every size of it is what a test can afford."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from helpers.acts import little_rows, write_rows
from lexlattice import Act
from lexlattice.encoding import EmptyTextWarning
from lexlattice.encoding.static import Static
from lexlattice.research.coverage.training import TrainableCoverageModel
from lexlattice.training.config import Config, CoverageShape, find_config, read_config
from lexlattice.training.prepare import prepare
from lexlattice.training.prepared import Example

COVERAGE = find_config("coverage")
SMALL = {
    "[model]": {
        **{"steps": 2, "channels": 6, "hidden": 7, "readout": 5, "meaning": 4, "words": 9, "bigrams": 8, "message": 3},
        **{"dropout": 0.1, "bigram_weight": 4.0},
    },
    "[warm_start]": {"bce": 0.3, "epochs": 2, "batch": 2, "learning_rate": 3e-3, "patience": 3, "ema": 0.5},
    "[rloo]": {"rollouts": 2, "epochs": 1, "batch": 2, "patience": 2, "ema": 0.5},
}


def _small() -> str:
    """The shipped file, with small sizes."""
    table, lines = "", []
    for line in COVERAGE.read_text("utf-8").splitlines():
        table = line if line.startswith("[") else table
        key = line.partition(" = ")[0]
        lines.append(f"{key} = {SMALL[table][key]}" if key in SMALL.get(table, {}) else line)
    return "\n".join(lines) + "\n"


CONFIG = _small()
SHAPES = [
    *(("unbounded", 2, False), ("unbounded", 2, True), ("line", 2, False), ("line", 2, True)),
    *(("none", 2, False), ("none", 2, True), ("unbounded", 0, False)),
]
"""Geometries, steps, and whether cells have an overview."""

torch.set_num_threads(1)  # sums over more threads need not be equal bit for bit


def little_config(folder: Path, geometry: str = "unbounded", steps: int = 2, overview: bool = True) -> Config:
    (folder / "little.toml").write_text(CONFIG)
    config = read_config(folder / "little.toml")
    assert isinstance(config.model, CoverageShape)
    return replace(config, model=replace(config.model, geometry=geometry, steps=steps, overview=overview))


def little_examples(folder: Path, count: int = 4) -> Sequence[Example]:
    """So many little acts, prepared."""
    config = little_config(folder)
    rows = write_rows(folder / "little.jsonl", little_rows(count))
    return list(prepare([rows], folder / "prepared", oracle=config.oracle))


def stirred(trainable: TrainableCoverageModel, seed: int = 0) -> TrainableCoverageModel:
    """With weights of some size everywhere, so that every part has a say; an automaton begins with none."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in trainable.module.parameters():
            size = 0.4 / max(1.0, parameter.shape[-1] / 4) ** 0.5
            parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=size)
    trainable.module.eval()
    return trainable


def saved(trainable: TrainableCoverageModel, path: Path, **about: str) -> Path:
    trainable.save(path, {"fingerprint": Static().fingerprint, "encoder": "static", **about})
    return path


def encoded(act: Act, summary: str = "") -> Example:
    """An act as if it had been prepared; the oracle's choice is the first units."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyTextWarning)
        vectors = Static().encode([unit.text for unit in act.units])
    words = len(summary.split()) or max(1, act.words // 5)
    return Example(0, "", act, np.asarray(vectors), tuple(range(min(2, len(act)))), summary, words)
