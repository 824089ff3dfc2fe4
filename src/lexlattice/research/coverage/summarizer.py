"""The research system `coverage` as a `Summarizer`, with its own scores and decoder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from lexlattice import encoding
from lexlattice._internal.weights import read_weights
from lexlattice.act.document import Act
from lexlattice.act.summary import Explanation
from lexlattice.encoding.static import Static
from lexlattice.errors import OptionError
from lexlattice.lattice.grid import Floats, Lattice
from lexlattice.research import COVERAGE, path_of
from lexlattice.research.coverage.decoder import SALIENCE_WEIGHT, Coverage, cover
from lexlattice.research.coverage.features import Features, features_of
from lexlattice.research.coverage.model import Salience, sigmoid
from lexlattice.selection import Budget, SummaryOptions
from lexlattice.selection.candidates import is_selectable
from lexlattice.selection.decoder import NOTHING, Choice
from lexlattice.summarizer import Summarizer, encoder_for


class CoverageSummarizer(Summarizer):
    """Selects units that together cover the words expected in a summary; they need not be complete provisions."""

    def __init__(self, path: Path, model: Salience, encoder: encoding.Encoder) -> None:
        """Use `from_pretrained`."""
        self._path, self._salience, self._encoder = path, model, encoder
        self._words = encoder if isinstance(encoder, Static) else Static()

    @classmethod
    def from_pretrained(
        cls,
        name_or_path: str | os.PathLike[str] | None = None,
        encoder: str | encoding.Encoder | None = None,
    ) -> CoverageSummarizer:
        """Load the packaged model, or one that was trained with the configuration `coverage`."""
        path = path_of(COVERAGE if name_or_path is None else name_or_path)
        return cls(path, Salience.read(path), encoder_for(read_weights(path).about, encoder))

    def choose(self, act: Act, words: int, focus: str = "all") -> Choice:
        """Select units greedily by their gain in expected coverage for their length."""
        if not act.units:
            return NOTHING
        features, lattice = self._inputs(act)
        prediction = self._salience.predict(features, lattice, words)
        coverage = Coverage(
            features.ngrams,
            prediction.probabilities,
            features.layout.words,
            SALIENCE_WEIGHT * sigmoid(prediction.scores),
        )
        if focus == "articles":
            coverage.has_words = coverage.has_words & is_selectable(act, focus)
        return Choice(tuple((unit,) for unit in cover(coverage, features.layout.words, words)))

    def score(self, act: Act, words: int | None = None) -> Floats:
        """Return the selection probability of each unit, for a summary of `words` words (default: the usual length)."""
        scores: Floats = self.trajectory(act, words)[-1]
        return scores

    def trajectory(self, act: Act, words: int | None = None) -> Floats:
        """Return the scores before the automaton's first step and after each: steps + 1 rows."""
        length = Budget().of(act.words) if words is None else words
        return sigmoid(self._salience.panels(*self._inputs(act), length))

    def _decode(
        self, act: Act, words: int, options: SummaryOptions
    ) -> tuple[Floats, Choice, Mapping[int, Explanation]]:
        if options.explain:
            raise OptionError("The research system 'coverage' does not support explanations; use the default model.")
        return self.score(act, words), self.choose(act, words, options.focus), {}

    def _inputs(self, act: Act) -> tuple[Features, Lattice]:
        lattice = Lattice.of(act, self._salience.geometry)
        if self._encoder is self._words:
            return features_of(act, None, self._words), lattice
        vectors = encoding.vectors_of_units(self._encoder, [unit.text for unit in act.units])
        return features_of(act, vectors, self._words), lattice
