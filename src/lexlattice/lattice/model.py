"""The network for inference: features of an act → a logit for each unit, in NumPy.

Each unit is read from its features, its section's features and its vectors; the automaton consolidates what units and
sections know of each other; readouts score units and sections. A file holds one or several members, whose scores are
averaged. `lexlattice.learning.network` is the same in PyTorch, where it learns.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.errors import LexLatticeError
from lexlattice.lattice.automaton import Automaton, Dense, Readout, array_of
from lexlattice.lattice.cells import Floats, Lattice
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.surroundings import Attention, Surroundings
from lexlattice.weights import read_weights

FORMAT: Final = "lexlattice meaning 1"
AVERAGES: Final = ("logit", "probability")
"""In which space the scores of members are averaged."""
LARGEST: Final = 6.0
"""Scaled features are clipped to this many standard deviations."""
OF_UNITS: Final = ("vectors", "leads")
OF_SECTIONS: Final = ("headings", "enclosing")
"""Vectors that are projected, and gated by a projection of the anchors."""
READOUTS: Final = ("none", "add", "multiply")
"""What the logit of a section does: nothing; it is added to that of its units; or the probabilities are multiplied."""
_NEIGHBOURS: Final = {"unbounded": 9, "line": 3, "none": 3}
"""For each geometry how many cells a cell looks at, itself among them."""
_MOST_STEPS: Final = 99
_MOST_MEMBERS: Final = 99


class Wiring(NamedTuple):
    """What cannot be told from the sizes of the layers: which parts a member has."""

    geometry: str
    """Units where they stand on the lattice, on a line, or without neighbours."""
    steps: int
    overview: bool
    """Whether cells perceive the means of their section and of the act."""
    references: bool
    """Whether they perceive the sections that refer to theirs, and those that theirs refers to."""
    attention: bool
    sections: str
    """One of `READOUTS`."""

    @property
    def context(self) -> int:
        """How many states a cell perceives besides its own and its neighbours'."""
        return 2 * self.overview + 2 * self.references + self.attention

    @classmethod
    def of(cls, data: Any) -> Wiring:
        """From what a file says of a member."""
        kinds = {"geometry": str, "steps": int, "overview": bool, "references": bool, "attention": bool} | {
            "sections": str
        }
        if not isinstance(data, dict) or {name: type(value) for name, value in data.items()} != kinds:
            raise LexLatticeError("what a member is made of is not given; get or train them anew.")
        wiring = cls(**data)
        is_there = wiring.geometry in _NEIGHBOURS and wiring.sections in READOUTS
        if not is_there or not 0 <= wiring.steps <= _MOST_STEPS or (wiring.context and not wiring.steps):
            raise LexLatticeError("there is no such network; get or train them anew.")
        return wiring


def lattice_of(features: MeaningFeatures, geometry: str) -> Lattice:
    """Units at their section and their position in it; or on a line, with neighbours or without."""
    count = len(features.section_of)
    if geometry != "unbounded":
        return Lattice.line(count) if geometry == "line" else Lattice.alone(count)
    order = np.argsort(features.section_of, kind="stable")
    starts = np.searchsorted(features.section_of[order], features.section_of)
    positions = np.empty(count, np.int64)
    positions[order] = np.arange(count)
    return Lattice.unbounded(features.section_of, positions - starts)


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One trained network."""

    wiring: Wiring
    scales: Mapping[str, tuple[Floats, Floats]]
    meanings: Mapping[str, Dense]
    topics: Mapping[str, Dense]
    first: Dense
    second: Dense
    automaton: Automaton | None
    """None where units do not inform each other."""
    attention: Attention | None
    readout: Readout
    of_sections: Readout | None

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], wiring: Wiring) -> Member:
        """From the arrays of one member."""
        names = (*OF_UNITS, *OF_SECTIONS)
        heads = ("query", "key", "value")
        member = cls(
            wiring,
            {name: _scale(arrays, name) for name in ("units", "sections")},
            {name: Dense.of(arrays, f"meanings.{name}") for name in names},
            {name: Dense.of(arrays, f"topics.{name}") for name in names},
            Dense.of(arrays, "first"),
            Dense.of(arrays, "second"),
            Automaton.of(arrays, context=wiring.context) if wiring.steps else None,
            Attention(*(Dense.of(arrays, f"attention.{head}") for head in heads)) if wiring.attention else None,
            Readout.of(arrays),
            None if wiring.sections == "none" else Readout.of(arrays, "section_readout"),
        )
        member._check()
        return member

    def _check(self) -> None:
        """Refuse layers that do not fit each other."""
        sizes = {name: len(layer.bias) for name, layer in self.meanings.items()}
        channels = len(self.second.bias)
        width = sum(len(mean) for mean, _ in self.scales.values()) + 2 * sum(sizes.values())
        readouts = [self.readout, *([self.of_sections] if self.of_sections else [])]
        heads = [self.attention.query, self.attention.key, self.attention.value] if self.attention else []
        fits = (
            self.first.weight.shape[1] == width
            and self.second.weight.shape[1] == len(self.first.bias)
            and all(len(self.topics[name].bias) == size for name, size in sizes.items())
            and len({layer.weight.shape[1] for layer in self.meanings.values()}) == 1
            and len({layer.weight.shape[1] for layer in self.topics.values()}) == 1
            and all(readout.hidden.weight.shape[1] == 2 * channels for readout in readouts)
            and all(head.weight.shape[1] == channels for head in heads)
            and (not heads or (len(heads[0].bias) == len(heads[1].bias) and len(heads[2].bias) == channels))
            and (self.automaton is None or self.automaton.kernel.shape == (_NEIGHBOURS[self.wiring.geometry], channels))
            and all((deviation > 0).all() for _, deviation in self.scales.values())
        )
        if not fits:
            raise LexLatticeError("their layers do not fit each other; get or train them anew.")

    def panels(self, features: MeaningFeatures, *, record: bool) -> Floats:
        """The logits of units after the last step; with `record` those before the first and after each, a row each."""
        before = self._read(features)
        lattice = lattice_of(features, self.wiring.geometry)
        section_of = np.empty(len(lattice), np.int64)
        section_of[lattice.cell_of] = features.section_of
        around = Surroundings.of(section_of, features.references)
        states = start = lattice.tile(before)
        panels = [states]
        for _ in range(self.wiring.steps):
            assert self.automaton is not None
            context = self._context(states, around)
            states = self.automaton.step(states, lattice, context, around.sections)
            panels.append(states)
        return np.stack(
            [self._logits(start, panel, around)[lattice.cell_of] for panel in (panels if record else panels[-1:])]
        )

    def _read(self, features: MeaningFeatures) -> Floats:
        """The states of units before the first step; what is the same in a section is computed once for it."""
        anchors = features.anchors.reshape(1, -1)
        of_units, of_sections = [self._scaled("units", features.units)], [self._scaled("sections", features.sections)]
        for names, columns in ((OF_UNITS, of_units), (OF_SECTIONS, of_sections)):
            for name in names:
                meaning = self.meanings[name](getattr(features, name))
                columns += [meaning, meaning * self.topics[name](anchors)]
        parts = self.first.parts(*(column.shape[1] for column in (*of_units, *of_sections)))
        hidden = self.first.bias + sum(c @ p.T for c, p in zip(of_sections, parts[len(of_units) :], strict=True))
        hidden = hidden[features.section_of]
        for column, part in zip(of_units, parts, strict=False):
            hidden += column @ part.T
        return _relu(self.second(_relu(hidden)))

    def _context(self, states: Floats, around: Surroundings) -> list[Floats]:
        """What sections know, in the order of the automaton's columns."""
        wiring, context = self.wiring, list[Floats]()
        if not wiring.context:
            return context
        means = around.means(states)
        if wiring.overview:
            context += [means, np.broadcast_to(states.mean(axis=0), means.shape)]
        if wiring.references:
            context += [around.citing @ means, around.cited @ means]
        if self.attention:
            context.append(self.attention(means))
        return context

    def _logits(self, before: Floats, after: Floats, around: Surroundings) -> Floats:
        logits = self.readout(before, after)
        if self.of_sections is None:
            return logits
        of_sections = self.of_sections(around.means(before), around.means(after))[around.sections]
        return logits + of_sections if self.wiring.sections == "add" else both(logits, of_sections)

    def _scaled(self, name: str, values: Floats) -> Floats:
        mean, deviation = self.scales[name]
        scaled: Floats = np.clip((values - mean) / deviation, -LARGEST, LARGEST)
        return scaled


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
            except ValueError:
                wirings = None
            if not isinstance(wirings, list) or not 1 <= len(wirings) <= _MOST_MEMBERS:
                raise LexLatticeError("it is not said which members they have; get or train them anew.")
            if (average := about.get("average", "")) not in AVERAGES:
                raise LexLatticeError("it is not said how members are averaged; get or train them anew.")
            members = [Member.of(_own(arrays, number), Wiring.of(data)) for number, data in enumerate(wirings)]
            if len({_asked(member) for member in members}) != 1:
                raise LexLatticeError("their members want different features; get or train them anew.")
        except LexLatticeError as error:
            raise LexLatticeError(f"The weights '{path}' are not those of the network: {error}") from error
        learnt = sum(array.size for name, array in arrays.items() if ".scales." not in name)
        return cls(tuple(members), average, about.get("fingerprint", ""), learnt)

    def scores(self, features: MeaningFeatures) -> Floats:
        """The logit of each unit: how likely an editor would take it."""
        if not len(features.units):
            return np.zeros(0, np.float32)
        scores: Floats = self._averaged([member.panels(features, record=False) for member in self.members])[0]
        return scores

    def panels(self, features: MeaningFeatures) -> Floats:
        """The same before the first step and after each, a row each; a member with fewer steps stays at its last."""
        panels = [member.panels(features, record=True) for member in self.members]
        longest = max(map(len, panels))
        return self._averaged([p[np.minimum(np.arange(longest), len(p) - 1)] for p in panels])

    def _averaged(self, panels: list[Floats]) -> Floats:
        if len(panels) == 1:
            return panels[0]
        if self.average == "logit":
            mean: Floats = np.mean(panels, axis=0)
            return mean
        return _logit(np.mean([np.exp(log_sigmoid(panel)) for panel in panels], axis=0))


def both(one: Floats, other: Floats) -> Floats:
    """The logit of the product of two probabilities."""
    logarithm = log_sigmoid(one) + log_sigmoid(other)
    product: Floats = logarithm - np.log(-np.expm1(np.minimum(logarithm, np.float32(-1e-6))))
    return product


def log_sigmoid(logits: Floats) -> Floats:
    """The logarithm of a probability, from its logit."""
    result: Floats = np.minimum(logits, 0) - np.log1p(np.exp(-np.abs(logits)))
    return result


def _logit(probability: Floats) -> Floats:
    held = np.clip(probability, 1e-7, 1 - 1e-7)
    logits: Floats = np.log(held / (1 - held)).astype(np.float32)
    return logits


def _own(arrays: Mapping[str, NDArray[Any]], number: int) -> dict[str, NDArray[Any]]:
    prefix = f"members.{number}."
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _asked(member: Member) -> tuple[int, ...]:
    """The widths of the features that a member takes."""
    scales = (len(mean) for mean, _ in member.scales.values())
    return (*scales, member.meanings["vectors"].weight.shape[1], member.topics["vectors"].weight.shape[1])


def _scale(arrays: Mapping[str, NDArray[Any]], name: str) -> tuple[Floats, Floats]:
    mean = array_of(arrays, f"scales.{name}.mean", 1)
    return mean, array_of(arrays, f"scales.{name}.deviation", 1, len(mean))


def _relu(values: Floats) -> Floats:
    return np.maximum(values, 0, out=values)
