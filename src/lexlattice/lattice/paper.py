"""The paper's model for inference, from the file that training writes: vectors of an act's units → their scores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from lexlattice._internal.weights import read_weights
from lexlattice.act.document import Act
from lexlattice.errors import LexLatticeError
from lexlattice.lattice.automaton import Automaton, Readout, array_of
from lexlattice.lattice.grid import GEOMETRIES, Floats, Lattice

FORMAT: Final = "lexlattice consolidator 1"
_MOST: Final = 10_000
"""Rows, columns and steps: a file that asks for more would have us compute for days."""


@dataclass(frozen=True, slots=True, eq=False)
class Consolidator:
    """An automaton on a lattice, and the readout after it."""

    geometry: str
    rows: int
    columns: int
    steps: int
    automaton: Automaton | None
    """None where the readout stands alone."""
    readout: Readout
    languages: Mapping[str, Floats]
    """What is added to the vectors of an act in each language, where that was learned; otherwise empty."""

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Consolidator:
        """From a file of weights."""
        arrays, about = read_weights(path)
        try:
            if about.get("format") != FORMAT:
                raise LexLatticeError("they are of another kind, or of another version; get or train them anew.")
            try:
                rows, columns, steps = (int(about[key]) for key in ("rows", "columns", "steps"))
            except (KeyError, ValueError):
                raise LexLatticeError("their sizes are not given; get or train them anew.") from None
            geometry, codes = about.get("geometry", ""), about.get("languages", "").split()
            is_there = geometry in GEOMETRIES and (steps > 0) == (geometry != "none")
            if not is_there or min(rows, columns) < 1 or max(rows, columns, steps) > _MOST or steps < 0:
                raise LexLatticeError("there is no such lattice; get or train them anew.")
            readout = Readout.of(arrays)
            table = array_of(arrays, "languages.weight", 2, len(codes)) if codes else ()
            automaton = Automaton.of(arrays) if steps else None
        except LexLatticeError as error:
            raise LexLatticeError(f"The weights '{path}' are not those of a consolidator: {error}") from error
        languages = dict(zip(codes, table, strict=True))
        return cls(geometry, rows, columns, steps, automaton, readout, languages)

    def scores(self, act: Act, vectors: Floats) -> Floats:
        """How salient each unit is; any number, and the higher, the more."""
        scores: Floats = self._salience(act, vectors, record=False)[0]
        return scores

    def panels(self, act: Act, vectors: Floats) -> Floats:
        """The same before the first step and after each: a row each."""
        return self._salience(act, vectors, record=True)

    def _salience(self, act: Act, vectors: Floats, *, record: bool) -> Floats:
        states = np.asarray(vectors, np.float32) + self._accent(act.language)
        if self.automaton is None:
            return self.readout(states, states)[None]
        lattice = Lattice.of(act, self.geometry, self.rows, self.columns)
        run = self.automaton.run(lattice.tile(states), lattice, self.steps, record=record)
        panels = run if record else run[None]
        return np.stack([self.readout(states, lattice.untile(panel)) for panel in panels])

    def _accent(self, language: str) -> Floats:
        if self.languages and language not in self.languages:
            raise LexLatticeError(
                f"These weights know no acts in '{language}', only in: {', '.join(self.languages)}; use others."
            )
        return self.languages.get(language, np.zeros(1, np.float32))
