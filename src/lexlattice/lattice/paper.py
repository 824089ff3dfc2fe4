"""The paper's model, for inference in NumPy: vectors of an act's units → automaton on the lattice → scores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from lexlattice._internal.weights import read_weights
from lexlattice.act.document import Act
from lexlattice.errors import WeightsError
from lexlattice.lattice.automaton import Automaton, Readout, array_of
from lexlattice.lattice.grid import GEOMETRIES, Floats, Lattice

FORMAT: Final = "lexlattice consolidator 1"
_MOST: Final = 10_000
"""The largest number of rows, columns or steps: a damaged file must not start a computation that takes days."""


@dataclass(frozen=True, slots=True, eq=False)
class Consolidator:
    """A trained automaton on a lattice, and the readout after it."""

    geometry: str
    rows: int
    columns: int
    steps: int
    automaton: Automaton | None
    """None if the model is the readout alone."""
    readout: Readout
    languages: Mapping[str, Floats]
    """A learned vector per language, added to the vectors of an act; empty if none was learned."""

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Consolidator:
        """Read a file of weights.

        Raises:
            WeightsError: If the file is missing, damaged or of another kind.

        """
        arrays, about = read_weights(path)
        try:
            if about.get("format") != FORMAT:
                raise WeightsError("they are of another kind, or of another version; get or train them again.")
            try:
                rows, columns, steps = (int(about[key]) for key in ("rows", "columns", "steps"))
            except (KeyError, ValueError):
                raise WeightsError("their sizes are not given; get or train them again.") from None
            geometry, codes = about.get("geometry", ""), about.get("languages", "").split()
            is_there = geometry in GEOMETRIES and (steps > 0) == (geometry != "none")
            if not is_there or min(rows, columns) < 1 or max(rows, columns, steps) > _MOST or steps < 0:
                raise WeightsError("there is no such lattice; get or train them again.")
            readout = Readout.of(arrays)
            table = array_of(arrays, "languages.weight", 2, len(codes)) if codes else ()
            automaton = Automaton.of(arrays) if steps else None
        except WeightsError as error:
            raise WeightsError(f"The weights '{path}' are not those of a consolidator: {error}") from error
        languages = dict(zip(codes, table, strict=True))
        return cls(geometry, rows, columns, steps, automaton, readout, languages)

    def scores(self, act: Act, vectors: Floats) -> Floats:
        """Return the salience of each unit, an unbounded number."""
        scores: Floats = self._salience(act, vectors, record=False)[0]
        return scores

    def panels(self, act: Act, vectors: Floats) -> Floats:
        """Return the salience before the first step and after each, one row each."""
        return self._salience(act, vectors, record=True)

    def _salience(self, act: Act, vectors: Floats, *, record: bool) -> Floats:
        states = np.asarray(vectors, np.float32) + self._language_vector(act.language)
        if self.automaton is None:
            return self.readout(states, states)[None]
        lattice = Lattice.of(act, self.geometry, self.rows, self.columns)
        run = self.automaton.run(lattice.tile(states), lattice, self.steps, record=record)
        panels = run if record else run[None]
        return np.stack([self.readout(states, lattice.untile(panel)) for panel in panels])

    def _language_vector(self, language: str) -> Floats:
        if self.languages and language not in self.languages:
            raise WeightsError(
                f"The weights were trained on acts in {', '.join(self.languages)}, not in '{language}'; use others."
            )
        return self.languages.get(language, np.zeros(1, np.float32))
