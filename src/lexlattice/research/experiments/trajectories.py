"""The salience that a model gives the units of an act step by step, and what it and other systems choose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice import encoding
from lexlattice._internal.weights import read_weights
from lexlattice.act.document import Act
from lexlattice.evaluation import baselines
from lexlattice.evaluation.oracle import Oracle
from lexlattice.lattice.paper import FORMAT as PAPER
from lexlattice.lattice.paper import Consolidator
from lexlattice.research import load
from lexlattice.research.experiments.spatial import Matrix, Vector, softmax
from lexlattice.selection import select
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import Summarizer

_SCORES: Final = {"lead": baselines.lead, "random": baselines.random, "lexrank": baselines.lexrank}
_ORACLES: Final = {"oracle": "budgeted", "oracle-greedy": "greedy"}
_TINY: Final = 1e-12
"""Keeps a sum above zero if no unit has a score."""
SYSTEMS: Final = (*_SCORES, *_ORACLES)
"""Systems without an automaton whose selections can be examined."""


@dataclass(frozen=True, slots=True)
class Source:
    """A model or system whose selections are examined, as plain data for worker processes."""

    name: str
    profile: str
    """How acts are read for it."""
    mode: str = "paper"
    """How the last unit meets the budget."""
    weights: str = ""
    """Empty for systems without an automaton."""
    encoder: str = "static"
    options: encoding.Options = encoding.DEFAULTS
    """How the encoder is loaded."""


def trajectory(source: Source, act: Act) -> tuple[Matrix, Matrix]:
    """The salience of units before the first step and after each, and the same as distributions over units.

    The paper's model gives logits, of which the softmax is taken, as in its loss; other networks give expected points,
    which are divided by their sum.
    """
    model, encoder = _loaded(source.weights, source.encoder, source.options)
    if isinstance(model, Consolidator):
        vectors = encoding.vectors_of_units(encoder, [unit.text for unit in act.units])
        panels = model.panels(act, vectors).astype(np.float64)
        return panels, softmax(panels)
    panels = np.asarray(model.trajectory(act), np.float64)
    positive = np.maximum(panels, 0) + _TINY
    return panels, positive / positive.sum(axis=1, keepdims=True)


def chosen_by_scores(source: Source, act: Act, scores: Vector, words: int) -> NDArray[np.bool_]:
    """Whether each unit is chosen by a model or system that gives it that score, within a number of words."""
    model = _loaded(source.weights, source.encoder, source.options)[0] if source.weights else None
    if isinstance(model, Summarizer):  # has its own decoder
        return _is_among(act, choose(act, scores.astype(np.float32), words).units)
    taken = {unit.id for unit in select(act, scores, words, mode=source.mode).units}
    return np.array([unit.id in taken for unit in act.units])


def chosen_by_system(source: Source, act: Act, summary: str, words: int) -> NDArray[np.bool_]:
    """Whether each unit is chosen by one of `SYSTEMS`, of which only oracles look at the summary."""
    if source.name in _ORACLES:
        return _is_among(act, Oracle(_ORACLES[source.name]).choose(act.units, summary, words).order)
    return chosen_by_scores(source, act, _SCORES[source.name](act), words)


@cache
def _loaded(path: str, encoder: str, options: encoding.Options) -> tuple[Consolidator | Summarizer, encoding.Encoder]:
    """The model in a file with its encoder, loaded once in each process."""
    found = options.load(encoder)
    is_papers = read_weights(path).about.get("format") == PAPER
    return (Consolidator.read(path) if is_papers else load(path, found)), found


def _is_among(act: Act, units: Sequence[int]) -> NDArray[np.bool_]:
    found = np.zeros(len(act), bool)
    found[list(units)] = True
    return found
