"""The experiment that compares wirings of the network of meaning: its table is what trainings measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from lexlattice._internal.weights import write_weights
from lexlattice.errors import ConfigError
from lexlattice.research.experiments.ablations import architecture
from lexlattice.research.experiments.runner import TrainingTask
from lexlattice.research.experiments.settings import Model, Settings
from lexlattice.research.experiments.study import Measurable, Study
from lexlattice.research.experiments.tables import Source

FIGURES = {"2D": [(50.0, 60.0, 54.0), (52.0, 62.0, 56.0)], "1D": [(49.0, 60.0, 53.0), (50.0, 61.0, 54.0)]}


class Done:
    """A study whose models are trained already."""

    def __init__(self, folder: Path, groups: dict[str, tuple[str, ...]], names: tuple[str, ...]) -> None:
        self.settings = Settings(groups=groups, seeds=(0, 1))
        self._folder, self._names = folder, names

    def languages(self, split: str) -> list[str]:
        return ["en"]

    def source(self, languages: list[str], acts: int) -> Source:
        return Source("lexlattice experiment architecture", "little acts", (0, 1), acts)

    def train(self, names: list[str], languages: list[str]) -> dict[str, list[Measurable]]:
        return {name: [self._model(name, seed) for seed in (0, 1)] for name in names}

    def _model(self, name: str, seed: int) -> Measurable:
        path = self._folder / f"{name}-{seed}.safetensors"
        figures = dict(zip(self._names, FIGURES[name][seed], strict=True))
        write_weights(path, {"x": np.zeros(1, np.float32)}, {"validation": json.dumps(figures)})
        return Measurable(cast("Any", self), TrainingTask(name, Model(Path("meaning.toml")), ("en",), seed), path)


def test_variants_are_compared_seed_by_seed(tmp_path: Path) -> None:
    study = Done(tmp_path, {"Neighbours": ("2D", "1D")}, ("points", "precision", "f1"))
    (table,) = architecture(cast("Study", study))
    assert [row.name for row in table.rows] == ["2D", "1D", "1D − 2D"]
    assert [cell.value for cell in table.rows[0].cells[:3]] == [51.0, 61.0, 55.0]
    assert table.rows[0].cells[3].value == pytest.approx(2**0.5)
    assert [cell.text for cell in table.rows[2].cells[:3]] == ["-1.50 ± 0.50", "-0.50 ± 0.50", "-1.50 ± 0.50"]


def test_models_that_are_not_measured_by_meaning_are_refused(tmp_path: Path) -> None:
    study = Done(tmp_path, {"Neighbours": ("2D",)}, ("unicode_rouge1", "unicode_rouge2", "unicode_rougeLsum"))
    with pytest.raises(ConfigError):
        architecture(cast("Study", study))
    with pytest.raises(ConfigError):
        architecture(cast("Study", Done(tmp_path, {}, ())))
