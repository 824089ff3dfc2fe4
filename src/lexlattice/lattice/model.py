"""The network for inference: features of an act → a score for each unit, in NumPy.

Each unit is read from its features, its section's features and its vectors; the automaton consolidates what units,
paragraphs and sections know of each other; the readout gives the logit that an editor would take the unit, and perhaps
the logarithm of the weight of the points that it states. A file holds one or several members, which are averaged.
`lexlattice.learning.network` is the same in PyTorch, where it learns.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.errors import LexLatticeError
from lexlattice.lattice.cells import Floats
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.member import Member, Reading, See, Wiring, whole
from lexlattice.threads import one_blas_thread
from lexlattice.weights import read_weights

FORMAT: Final = "lexlattice meaning 1"
AVERAGES: Final = ("logit", "probability")
"""In which space the scores of members are averaged."""
_MOST_MEMBERS: Final = 99


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Members whose scores are averaged."""

    members: tuple[Member, ...]
    average: str
    """One of `AVERAGES`."""
    encoder: str
    """Fingerprint of the encoder that the vectors have to come from."""
    parameters: int
    """How many numbers were learnt, in all members."""

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Network:
        """From a file of weights."""
        arrays, about = read_weights(path)
        try:
            if (found := about.get("format", "of no kind that is named")) != FORMAT:
                raise LexLatticeError(f"'{FORMAT}' was expected, and they are '{found}'; get or train them anew.")
            try:
                wirings = json.loads(about.get("members", ""))
            except (ValueError, RecursionError):
                wirings = None
            if not isinstance(wirings, list) or not 1 <= len(wirings) <= _MOST_MEMBERS:
                raise LexLatticeError("it is not said which members they have; get or train them anew.")
            if (average := about.get("average", "")) not in AVERAGES:
                raise LexLatticeError("it is not said how members are averaged; get or train them anew.")
            members = [Member.of(_own(arrays, number), Wiring.of(data)) for number, data in enumerate(wirings)]
            if len({(_asked(member), member.wiring.weight) for member in members}) != 1:
                raise LexLatticeError("their members do not fit each other; get or train them anew.")
        except LexLatticeError as error:
            raise LexLatticeError(f"The weights '{path}' are not those of the network: {error}") from error
        learnt = sum(array.size for name, array in arrays.items() if ".scales." not in name)
        return cls(tuple(members), average, about.get("fingerprint", ""), learnt)

    @one_blas_thread()
    def scores(self, features: MeaningFeatures, see: See = whole) -> Floats:
        """How much each unit matters, whatever the length: of the size of a probability, and the higher, the more.

        With `see`, cells perceive only some of their neighbours: what the others do is what is missing then.
        """
        if not len(features.units):
            return np.zeros(0, np.float32)
        panels = self._panels(features, record=False, see=see)
        return _finite(self._averaged([panel[-1] for panel in panels]))

    @one_blas_thread()
    def panels(self, features: MeaningFeatures) -> Floats:
        """The same before the first step and after each, a row each; a member with fewer steps stays at its last."""
        panels = self._panels(features, record=True)
        steps = range(max(map(len, panels)))
        return _finite(np.stack([self._averaged([p[min(step, len(p) - 1)] for p in panels]) for step in steps]))

    def _panels(self, features: MeaningFeatures, *, record: bool, see: See = whole) -> list[list[Reading]]:
        """What each member reads out of features, which have to be as wide as those that it learnt from."""
        widths = tuple(part.shape[1] for part in (features.units, features.sections, features.vectors))
        given, asked = (*widths, features.anchors.size), _asked(self.members[0])
        if given != asked:
            raise LexLatticeError(
                f"The weights are for features of other widths, {asked} and not {given}; get or train them anew."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            return [member.panels(features, record=record, see=see) for member in self.members]

    def _averaged(self, readings: list[Reading]) -> Floats:
        if self.average == "probability" or len(readings) == 1:
            mean: Floats = np.mean([reading.scores for reading in readings], axis=0, dtype=np.float32)
            return mean
        weights = [reading.weights for reading in readings if reading.weights is not None]
        logits: Floats = np.mean([reading.logits for reading in readings], axis=0, dtype=np.float32)
        weight: Floats | None = np.stack(weights).mean(axis=0) if weights else None
        return Reading(logits, weight, readings[0].share).scores


def _own(arrays: Mapping[str, NDArray[Any]], number: int) -> dict[str, NDArray[Any]]:
    prefix = f"members.{number}."
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _finite(scores: Floats) -> Floats:
    """Scores as they are, if all of them are numbers."""
    if not np.isfinite(scores).all():
        raise LexLatticeError("The weights are so large that scores are no numbers; get or train them anew.")
    return scores


def _asked(member: Member) -> tuple[int, ...]:
    """The widths of the features that a member takes."""
    scales = (len(mean) for mean, _ in member.scales.values())
    return (*scales, member.meanings["vectors"].weight.shape[1], member.topics["vectors"].weight.shape[1])
