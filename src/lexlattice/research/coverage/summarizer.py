"""The research system `coverage` behind the face of the product: scores, extracts and summaries by its own decoder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from lexlattice import encoding
from lexlattice.act.document import Act
from lexlattice.act.summary import Explanation
from lexlattice.encoding.static import Static
from lexlattice.errors import OptionError
from lexlattice.lattice.grid import Floats, Lattice
from lexlattice.research import COVERAGE, path_of
from lexlattice.research.coverage.decoder import SALIENCE, Coverage, cover
from lexlattice.research.coverage.features import Features, features_of
from lexlattice.research.coverage.model import Salience, chance
from lexlattice.selection import Budget, SummaryOptions
from lexlattice.selection.candidates import is_selectable
from lexlattice.selection.decoder import NOTHING, Choice
from lexlattice.summarizer import Summarizer, encoder_for


class CoverageSummarizer(Summarizer):
    """Units that together hold most of the words that a summary would have; they need not be complete provisions."""

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
        """The model that comes with the package, or one that was trained with `configs/coverage.toml`."""
        path = path_of(COVERAGE if name_or_path is None else name_or_path)
        model = Salience.read(path)
        return cls(path, model, encoder_for(path, model.encoder, encoder))

    def choose(self, act: Act, words: int, focus: str = "all") -> Choice:
        """The units that add most for their length, one after the other."""
        if not act.units:
            return NOTHING
        features, lattice = self._described(act)
        judgement = self._salience.judge(features, lattice, words)
        coverage = Coverage(
            features.grams, judgement.chances, features.layout.words, SALIENCE * chance(judgement.scores)
        )
        if focus == "articles":
            coverage.has_words = coverage.has_words & is_selectable(act, focus)
        return Choice(tuple((unit,) for unit in cover(coverage, features.layout.words, words)))

    def score(self, act: Act, words: int | None = None) -> Floats:
        """For each unit the probability that it belongs into a summary of so many words; the usual, if none."""
        scores: Floats = self.trajectory(act, words)[-1]
        return scores

    def trajectory(self, act: Act, words: int | None = None) -> Floats:
        """The same before the automaton's first step and after each, a row each."""
        length = Budget().of(act.words) if words is None else words
        return chance(self._salience.panels(*self._described(act), length))

    def _decode(
        self, act: Act, words: int, options: SummaryOptions
    ) -> tuple[Floats, Choice, Mapping[int, Explanation]]:
        if options.explain:
            raise OptionError("The research system 'coverage' does not say why it chose; leave the model out.")
        return self.score(act, words), self.choose(act, words, options.focus), {}

    def _described(self, act: Act) -> tuple[Features, Lattice]:
        lattice = Lattice.of(act, self._salience.geometry)
        if self._encoder is self._words:
            return features_of(act, None, self._words), lattice
        vectors = encoding.vectors_of_units(self._encoder, [unit.text for unit in act.units])
        return features_of(act, vectors, self._words), lattice
