"""Comparisons of two models over seeds: paired by act, with the spread between seeds."""

from __future__ import annotations

import numpy as np
import pytest

from lexlattice.encoding.tokens import TOKENIZERS

pytest.importorskip("torch")

from lexlattice.research.experiments.ablations import compare_seeds
from lexlattice.research.experiments.runner import Results

ACTS = 30


def results(name: str, scores: np.ndarray, meaning: np.ndarray | None = None) -> Results:
    celex = tuple(map(str, range(ACTS)))
    return Results(celex, {name: dict.fromkeys(TOKENIZERS, scores)}, {}, [], {} if meaning is None else {name: meaning})


def test_differences_are_paired_by_act_and_spread_over_seeds() -> None:
    acts = np.random.default_rng(0).normal(50, 10, (ACTS, 1)) * np.ones(4)  # acts differ much more than models
    gains = (1.0, 2.0, -0.5)
    found = {
        "1D": [results("1D", acts) for _ in gains],
        "2D": [results("2D", acts + gain) for gain in gains],
    }
    lines = compare_seeds(found, "2D", "1D", group="2D − 1D")
    assert [line.name for line in lines] == ["R-1", "R-2", "R-L", "R-Lsum"]
    variant, baseline, difference, spread, above = lines[0].cells
    assert (variant.value or 0) - (baseline.value or 0) == pytest.approx(difference.value)
    assert difference.value == pytest.approx(np.mean(gains))
    assert difference.text == "+0.83 (+0.83 to +0.83)", "every act gains the same"
    assert spread.value == pytest.approx(np.std(gains, ddof=1))
    assert above.text == "2 of 3"


def test_measures_of_meaning_come_first() -> None:
    scores, meaning = np.zeros((ACTS, 4)), np.ones((ACTS, 3))
    found = {name: [results(name, scores, meaning * place)] for place, name in enumerate(("1D", "2D"))}
    lines = compare_seeds(found, "2D", "1D", group="")
    assert [line.name for line in lines[:3]] == ["points", "precision", "F1"]
    assert lines[0].cells[2].value == 1
    assert lines[0].cells[3].value is None, "one seed has no spread"
