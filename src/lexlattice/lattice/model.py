"""One trained network in NumPy: how its layers read an act, consolidate it, and read it out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.threads import one_blas_thread
from lexlattice._internal.weights import read_weights
from lexlattice.errors import LexLatticeError
from lexlattice.lattice.automaton import Attention, Automaton, Dense, Groups, Known, Links, Readout, array_of
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.grid import Floats, Integers, Lattice

LARGEST: Final = 4.0
"""Scaled features are clipped to this many standard deviations."""
OF_UNITS: Final = ("vectors", "leads", "openings")
OF_SECTIONS: Final = ("headings", "enclosing")
"""Vectors that are projected."""
GATED: Final = ("vectors", "headings")
"""Of these, those that are also multiplied with a projection of the anchors: what they mean in this act."""
USUAL_WEIGHT: Final = 2.0
"""Of a point: expected weights are divided by it, to be of the size of probabilities."""
HIGHEST: Final = 3.0
"""Logarithms of expected weights approach it from below."""
READOUTS: Final = ("none", "add", "multiply")
"""What the logit of a section does: nothing; it is added to that of its units; or the probabilities are multiplied."""
_NEIGHBOURS: Final = {"unbounded": 9, "line": 3, "none": 3}
"""For each geometry how many cells a cell looks at, itself among them."""
_MOST_STEPS: Final = 99


class Wiring(NamedTuple):
    """What cannot be told from the sizes of the layers: which parts a member has."""

    geometry: str
    """Units where they stand on the lattice, on a line, or without neighbours."""
    steps: int
    overview: bool
    """Whether cells perceive the means of their section and of the act."""
    paragraphs: bool
    """Whether they perceive the mean of their paragraph."""
    references: bool
    """Whether they perceive the sections that refer to theirs, and those that theirs refers to."""
    attention: bool
    sections: str
    """One of `READOUTS`."""
    weight: float
    """The share of the expected weight of points in a score, beside the probability; 0 where it is not read out."""

    @property
    def context(self) -> int:
        """How many states a cell perceives besides its own and its neighbours'."""
        return 2 * self.overview + self.paragraphs + 2 * self.references + self.attention

    @classmethod
    def of(cls, data: Any) -> Wiring:
        """From what a file says of a member."""
        if not isinstance(data, dict) or {name: type(value) for name, value in data.items()} != _KINDS:
            raise LexLatticeError("what a member is made of is not given; get or train them anew.")
        wiring = cls(**data)
        is_there = wiring.geometry in _NEIGHBOURS and wiring.sections in READOUTS
        is_bounded = 0 <= wiring.steps <= _MOST_STEPS and 0 <= wiring.weight <= 1
        if not is_there or not is_bounded or (wiring.context and not wiring.steps):
            raise LexLatticeError("there is no such network; get or train them anew.")
        return wiring


_KINDS: Final = dict(zip(Wiring._fields, (str, int, bool, bool, bool, bool, str, float), strict=True))


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


See = Callable[[Lattice], Lattice]
"""Which neighbours cells perceive: some of those that they have."""


def whole(lattice: Lattice) -> Lattice:
    """All of them."""
    return lattice


class Reading(NamedTuple):
    """What one member reads out of an act."""

    logits: Floats
    """Of being taken, for each unit."""
    weights: Floats | None
    """Logarithms of the expected weight of points, before they are bounded."""
    share: float
    """Of the latter in the score."""

    @property
    def scores(self) -> Floats:
        """The probability that an editor would take a unit, mixed with the weight of the points it states."""
        taken: Floats = np.exp(log_sigmoid(self.logits))
        if self.weights is None:
            return taken
        expected = np.exp(HIGHEST + log_sigmoid(self.weights - np.float32(HIGHEST + 1))) / np.float32(USUAL_WEIGHT)
        mixed: Floats = np.float32(1 - self.share) * taken + np.float32(self.share) * expected
        return mixed


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
            {name: Dense.of(arrays, f"topics.{name}") for name in GATED},
            Dense.of(arrays, "first"),
            Dense.of(arrays, "second"),
            Automaton.of(arrays, context=wiring.context) if wiring.steps else None,
            Attention(*(Dense.of(arrays, f"attention.{head}") for head in heads)) if wiring.attention else None,
            Readout.of(arrays, scores=2 if wiring.weight else 1),
            None if wiring.sections == "none" else Readout.of(arrays, "section_readout"),
        )
        member._check()
        return member

    def _check(self) -> None:
        """Refuse layers that do not fit each other."""
        sizes = {name: len(layer.bias) for name, layer in self.meanings.items()}
        channels = len(self.second.bias)
        width = (
            sum(len(mean) for mean, _ in self.scales.values())
            + sum(sizes.values())
            + sum(sizes[name] for name in GATED)
        )
        readouts = [self.readout, *([self.of_sections] if self.of_sections else [])]
        heads = [self.attention.query, self.attention.key, self.attention.value] if self.attention else []
        fits = (
            self.first.weight.shape[1] == width
            and self.second.weight.shape[1] == len(self.first.bias)
            and all(len(self.topics[name].bias) == sizes[name] for name in GATED)
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

    def panels(self, features: MeaningFeatures, *, record: bool, see: See = whole) -> list[Reading]:
        """What is read out after the last step; with `record` before the first and after each."""
        lattice = see(lattice_of(features, self.wiring.geometry))
        order = np.argsort(lattice.cell_of)
        sections, paragraphs = Groups(features.section_of[order]), Groups(features.paragraph_of[order])
        links = Links.of(sections, features.references) if self.wiring.references else None
        states = before = self._read(features)[order]
        panels = [states]
        for _ in range(self.wiring.steps):
            assert self.automaton is not None
            states = self.automaton.step(states, lattice, self._context(states, sections, paragraphs, links))
            panels.append(states)
        kept = panels if record else panels[-1:]
        return [self._reading(before, panel, sections, lattice.cell_of) for panel in kept]

    def _read(self, features: MeaningFeatures) -> Floats:
        """The states of units before the first step; what is the same in a section is computed once for it."""
        anchors = features.anchors.reshape(1, -1)
        of_units, of_sections = [self._scaled("units", features.units)], [self._scaled("sections", features.sections)]
        for names, columns in ((OF_UNITS, of_units), (OF_SECTIONS, of_sections)):
            for name in names:
                columns.append(self.meanings[name](getattr(features, name)))
                if name in GATED:
                    columns.append(columns[-1] * self.topics[name](anchors))
        parts = self.first.parts(*(column.shape[1] for column in (*of_units, *of_sections)))
        hidden = self.first.bias + sum(c @ p.T for c, p in zip(of_sections, parts[len(of_units) :], strict=True))
        hidden = hidden[features.section_of]
        read = np.concatenate(of_units, axis=1)
        hidden += read @ self.first.weight[:, : read.shape[1]].T
        return _relu(self.second(_relu(hidden)))

    def _context(self, states: Floats, sections: Groups, paragraphs: Groups, links: Links | None) -> list[Known]:
        """What is known of sections and paragraphs, in the order of the automaton's columns."""
        wiring, context = self.wiring, list[Floats]()
        means = sections.means(states) if wiring.context > wiring.paragraphs else states
        if wiring.overview:
            context += [means, np.broadcast_to(means.mean(axis=0), means.shape)]
        if links:
            context += [links.citing.of(means), links.cited.of(means)]
        if self.attention:
            context.append(self.attention(means))
        of_paragraphs = [Known(paragraphs.means(states), paragraphs.of)] if wiring.paragraphs else []
        return [*(Known(known, sections.of) for known in context), *of_paragraphs]

    def _reading(self, before: Floats, after: Floats, sections: Groups, cell_of: Integers) -> Reading:
        scores = self.readout.all(before, after)
        logits = scores[:, 0]
        if self.of_sections is not None:
            of_sections = self.of_sections(sections.means(before), sections.means(after))[sections.of]
            logits = logits + of_sections if self.wiring.sections == "add" else both(logits, of_sections)
        return Reading(logits[cell_of], scores[cell_of, 1] if self.wiring.weight else None, self.wiring.weight)

    def _scaled(self, name: str, values: Floats) -> Floats:
        mean, deviation = self.scales[name]
        scaled: Floats = np.clip((values - mean) / deviation, -LARGEST, LARGEST)
        return scaled


def both(one: Floats, other: Floats) -> Floats:
    """The logit of the product of two probabilities."""
    logarithm = log_sigmoid(one) + log_sigmoid(other)
    product: Floats = logarithm - np.log(-np.expm1(np.minimum(logarithm, np.float32(-1e-6))))
    return product


def log_sigmoid(logits: Floats) -> Floats:
    """The logarithm of a probability, from its logit."""
    result: Floats = np.minimum(logits, 0) - np.log1p(np.exp(-np.abs(logits)))
    return result


def _scale(arrays: Mapping[str, NDArray[Any]], name: str) -> tuple[Floats, Floats]:
    mean = array_of(arrays, f"scales.{name}.mean", 1)
    return mean, array_of(arrays, f"scales.{name}.deviation", 1, len(mean))


def _relu(values: Floats) -> Floats:
    return np.maximum(values, 0, out=values)


# The network for inference: features of an act → a score for each unit, in NumPy.

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
