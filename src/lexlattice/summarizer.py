"""The five steps in one page: read, encode, consolidate, select; what is emitted is the act's own text."""

from __future__ import annotations

import os
from typing import Final

import numpy as np

from lexlattice import encoding
from lexlattice.act import Act
from lexlattice.coverage import SALIENCE, Coverage, cover
from lexlattice.encoding.static import Static
from lexlattice.errors import LexLatticeError
from lexlattice.features import Features, Floats, features_of
from lexlattice.lattice.cells import Lattice
from lexlattice.salience import Judgement, Salience
from lexlattice.selection import Budget, Extract
from lexlattice.weights import FOLDER

PATH: Final = FOLDER / "provisions.safetensors"


class Summarizer:
    """The provisions that matter, of any act in any of the 24 languages."""

    def __init__(self, model: Salience, encoder: encoding.Encoder, words: Static) -> None:
        """Use `from_pretrained`."""
        self._model, self._encoder, self._words = model, encoder, words

    @classmethod
    def from_pretrained(
        cls, path: str | os.PathLike[str] = PATH, encoder: str | encoding.Encoder | None = None
    ) -> Summarizer:
        """The model that comes with the package, or one that was trained with `lexlattice train`."""
        model, words = Salience.read(path), Static()
        found = words if encoder is None else encoding.load(encoder) if isinstance(encoder, str) else encoder
        encoding.require(found, model.encoder)
        return cls(model, found, words)

    def extract(self, act: Act, words: int | None = None) -> Extract:
        """The units to read, in at most so many words; as many as official summaries have if nothing is said."""
        budget = _budget(act, words)
        return Extract(tuple(act.units[unit] for unit in sorted(self.rank(act, budget))), budget)

    def rank(self, act: Act, words: int) -> list[int]:
        """The units of the same extract by their place in the act, the one that was chosen first before the others."""
        if not act.units:
            return []
        features = self._features(act)
        judged = self._judge(act, features, _budget(act, words))
        coverage = Coverage(features.grams, judged.chances, features.layout.words, SALIENCE * _chance(judged.scores))
        return cover(coverage, features.layout.words, words)

    def score(self, act: Act, words: int | None = None) -> Floats:
        """For each unit the chance, from 0 to 1, that it belongs into a summary of so many words."""
        budget = _budget(act, words)
        return _chance(self._judge(act, self._features(act), budget).scores)

    def trajectory(self, act: Act, words: int | None = None) -> Floats:
        """The same before the automaton's first step and after each, a row each."""
        budget = _budget(act, words)
        return _chance(self._model.panels(self._features(act), Lattice.of(act, self._model.geometry), budget))

    def _features(self, act: Act) -> Features:
        vectors = encoding.vectors_of_units(self._encoder, [unit.text for unit in act.units])
        return features_of(act, vectors, self._words)

    def _judge(self, act: Act, features: Features, budget: int) -> Judgement:
        return self._model.judge(features, Lattice.of(act, self._model.geometry), budget)


def _budget(act: Act, words: int | None) -> int:
    if words is not None and words < 0:
        raise LexLatticeError(f"An extract cannot have {words} words; ask for more, or leave the number out.")
    return Budget().of(act.words) if words is None else words


def _chance(odds: Floats) -> Floats:
    return (1 / (1 + np.exp(-np.clip(odds, -30, 30)))).astype(np.float32)
