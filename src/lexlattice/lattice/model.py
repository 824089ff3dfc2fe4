"""The shipped network, for inference in NumPy: features → states → automaton on the lattice → scores of units."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.threads import one_blas_thread
from lexlattice._internal.weights import Weights, read_weights
from lexlattice.errors import WeightsError
from lexlattice.lattice.automaton import Attention, Automaton, Dense, Groups, GroupStates, Links, Readout, array_of
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.grid import Floats, Integers, Lattice

LARGEST: Final = 4.0
"""Scaled features are clipped to this many standard deviations."""
OF_UNITS: Final = ("vectors", "leads", "openings")
OF_SECTIONS: Final = ("headings", "enclosing")
"""Vectors that are projected."""
GATED: Final = ("vectors", "headings")
"""Those that are also multiplied with a projection of the anchors: what they mean in this act."""
USUAL_WEIGHT: Final = 2.0
"""Expected weights of points are divided by it, so that they have the magnitude of probabilities."""
HIGHEST: Final = 3.0
"""Logarithms of expected weights approach it from below."""
READOUTS: Final = ("none", "add", "multiply")
"""What the logit of a section does: nothing; it is added to that of its units; or the probabilities are multiplied."""
_NEIGHBOURS: Final = {"unbounded": 9, "line": 3, "none": 3}
"""For each geometry how many cells a cell perceives, itself included."""
_MOST_STEPS: Final = 99
FORMAT: Final = "lexlattice meaning 1"
_PREFIX: Final = "members.0."
"""What the names of all arrays in a file begin with."""


class Wiring(NamedTuple):
    """What the sizes of the layers do not say: which parts the network has."""

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
        """Read it from the metadata of a file of weights."""
        if not isinstance(data, dict) or {name: type(value) for name, value in data.items()} != _KINDS:
            raise WeightsError("their architecture is not given; get or train them again.")
        wiring = cls(**data)
        is_there = wiring.geometry in _NEIGHBOURS and wiring.sections in READOUTS
        is_bounded = 0 <= wiring.steps <= _MOST_STEPS and 0 <= wiring.weight <= 1
        if not is_there or not is_bounded or (wiring.context and not wiring.steps):
            raise WeightsError("there is no such architecture; get or train them again.")
        return wiring


_KINDS: Final = dict(zip(Wiring._fields, (str, int, bool, bool, bool, bool, str, float), strict=True))


def lattice_of(features: MeaningFeatures, geometry: str) -> Lattice:
    """Place units at their section and their position in it; or on a line, with or without neighbours."""
    count = len(features.section_of)
    if geometry != "unbounded":
        return Lattice.line(count) if geometry == "line" else Lattice.alone(count)
    # The position of a unit is its rank within its section: its rank in a stable sort by section, minus the rank at
    # which the section starts.
    order = np.argsort(features.section_of, kind="stable")
    starts = np.searchsorted(features.section_of[order], features.section_of)
    positions = np.empty(count, np.int64)
    positions[order] = np.arange(count)
    return Lattice.unbounded(features.section_of, positions - starts)


Mask = Callable[[Lattice], Lattice]
"""Removes neighbours from a lattice, so that cells do not perceive them."""


class Prediction(NamedTuple):
    """What the network predicts for each unit of an act."""

    logits: Floats
    """Of being taken into a summary."""
    weights: Floats | None
    """Logarithms of the expected weight of points, before they are bounded; None if the network has no such output."""
    share: float
    """The share of the latter in the score."""

    @property
    def scores(self) -> Floats:
        """The probability that an editor would take a unit, mixed with the weight of the points it states."""
        taken: Floats = np.exp(log_sigmoid(self.logits))
        if self.weights is None:
            return taken
        # HIGHEST + log_sigmoid(x - HIGHEST - 1) is about x - 1 for small x and never exceeds HIGHEST: exp is bounded.
        expected = np.exp(HIGHEST + log_sigmoid(self.weights - np.float32(HIGHEST + 1))) / np.float32(USUAL_WEIGHT)
        mixed: Floats = np.float32(1 - self.share) * taken + np.float32(self.share) * expected
        return mixed


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """A trained network: nothing in it changes, so threads can share it."""

    wiring: Wiring
    scales: Mapping[str, tuple[Floats, Floats]]
    """Mean and standard deviation of the features of units and of sections."""
    meanings: Mapping[str, Dense]
    """Projections of vectors."""
    topics: Mapping[str, Dense]
    """Projections of the anchors, for the vectors that are `GATED`."""
    first: Dense
    second: Dense
    automaton: Automaton | None
    """None where units do not inform each other."""
    attention: Attention | None
    readout: Readout
    of_sections: Readout | None
    encoder: str = ""
    """Fingerprint of the encoder that the vectors have to come from."""
    parameters: int = 0
    """How many numbers were learned."""

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Network:
        """Read a file of weights.

        Raises:
            WeightsError: If the file is missing, damaged or of another kind.

        """
        return cls.of_file(path, read_weights(path))

    @classmethod
    def of_file(cls, path: str | os.PathLike[str], weights: Weights) -> Network:
        """Build the network from the content of a file; a WeightsError if it is of another kind."""
        arrays, about = weights
        try:
            if (found := about.get("format", "of no kind that is named")) != FORMAT:
                raise WeightsError(f"'{FORMAT}' was expected, and they are '{found}'; get or train them again.")
            try:
                (wiring,) = json.loads(about.get("members", ""))
            except (ValueError, TypeError, RecursionError):
                raise WeightsError("their architecture is not given; get or train them again.") from None
            own = {name.removeprefix(_PREFIX): array for name, array in arrays.items() if name.startswith(_PREFIX)}
            network = cls.of(own, Wiring.of(wiring))
        except WeightsError as error:
            raise WeightsError(f"The weights '{path}' are not those of the network: {error}") from error
        learned = sum(array.size for name, array in arrays.items() if ".scales." not in name)
        return replace(network, encoder=about.get("fingerprint", ""), parameters=learned)

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], wiring: Wiring) -> Network:
        """Build the network from its arrays."""
        names = (*OF_UNITS, *OF_SECTIONS)
        heads = ("query", "key", "value")
        network = cls(
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
        network._check()
        return network

    @one_blas_thread()
    def scores(self, features: MeaningFeatures) -> Floats:
        """Return how much each unit matters, whatever the length of a summary; of the magnitude of a probability."""
        if not len(features.units):
            return np.zeros(0, np.float32)
        return _finite(self.predict(features)[-1].scores)

    @one_blas_thread()
    def masked_scores(self, features: MeaningFeatures, masks: Iterable[Mask]) -> list[Floats]:
        """Return the scores with neighbours removed that cells should not perceive, once for each mask.

        The difference to the scores without a mask is the influence of these neighbours.
        """
        self._check_widths(features)
        with np.errstate(over="ignore", invalid="ignore"):
            states = self._embed(features)  # no cell perceives another one yet
            return [_finite(self._run(features, states, mask=mask)[-1].scores) for mask in masks]

    @one_blas_thread()
    def panels(self, features: MeaningFeatures) -> Floats:
        """Return the scores before the first step and after each, one row each."""
        return _finite(np.stack([prediction.scores for prediction in self.predict(features, record=True)]))

    def predict(self, features: MeaningFeatures, *, record: bool = False) -> list[Prediction]:
        """Return the prediction after the last step; with `record` also before the first and after each."""
        self._check_widths(features)
        with np.errstate(over="ignore", invalid="ignore"):  # `_finite` reports weights that are too large
            return self._run(features, self._embed(features), record=record)

    def _run(
        self, features: MeaningFeatures, embedded: Floats, *, record: bool = False, mask: Mask | None = None
    ) -> list[Prediction]:
        """Run the automaton from the states of the units before the first step."""
        lattice = lattice_of(features, self.wiring.geometry)
        lattice = lattice if mask is None else mask(lattice)
        order = np.argsort(lattice.cell_of)  # the unit of each cell
        sections, paragraphs = Groups(features.section_of[order]), Groups(features.paragraph_of[order])
        links = Links.of(sections, features.references) if self.wiring.references else None
        states = before = embedded[order]
        panels = [states]
        for _ in range(self.wiring.steps):
            assert self.automaton is not None
            states = self.automaton.step(states, lattice, self._context(states, sections, paragraphs, links))
            panels.append(states)
        kept = panels if record else panels[-1:]
        return [self._read_out(before, panel, sections, lattice.cell_of) for panel in kept]

    def _check_widths(self, features: MeaningFeatures) -> None:
        """Raise a WeightsError if the features are not as wide as those that the network was trained on."""
        widths = [part.shape[1] for part in (features.units, features.sections, features.vectors)]
        given = (*widths, features.anchors.size)
        scales = (len(mean) for mean, _ in self.scales.values())
        expected = (*scales, self.meanings["vectors"].weight.shape[1], self.topics["vectors"].weight.shape[1])
        if given != expected:
            raise WeightsError(
                f"The weights are for features of other widths, {expected} and not {given}; get or train them again."
            )

    def _check(self) -> None:
        """Raise a WeightsError if the layers do not fit each other."""
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
            raise WeightsError("their layers do not fit each other; get or train them again.")

    def _embed(self, features: MeaningFeatures) -> Floats:
        """The states of units before the first step."""
        anchors = features.anchors.reshape(1, -1)
        of_units, of_sections = [self._scaled("units", features.units)], [self._scaled("sections", features.sections)]
        for names, columns in ((OF_UNITS, of_units), (OF_SECTIONS, of_sections)):
            for name in names:
                columns.append(self.meanings[name](getattr(features, name)))
                if name in GATED:
                    columns.append(columns[-1] * self.topics[name](anchors))
        # The first layer is split by columns: what all units of a section share is multiplied once per section, and
        # its product is gathered for each unit.
        parts = self.first.parts(*(column.shape[1] for column in (*of_units, *of_sections)))
        hidden = self.first.bias + sum(c @ p.T for c, p in zip(of_sections, parts[len(of_units) :], strict=True))
        hidden = hidden[features.section_of]
        own = np.concatenate(of_units, axis=1)
        hidden += own @ self.first.weight[:, : own.shape[1]].T
        return _relu(self.second(_relu(hidden)))

    def _context(self, states: Floats, sections: Groups, paragraphs: Groups, links: Links | None) -> list[GroupStates]:
        """The states of sections and paragraphs that cells perceive, in the order of the automaton's columns."""
        wiring, context = self.wiring, list[Floats]()
        means = sections.means(states) if wiring.context > wiring.paragraphs else states
        if wiring.overview:
            context += [means, np.broadcast_to(means.mean(axis=0), means.shape)]
        if links:
            context += [links.citing.of(means), links.cited.of(means)]
        if self.attention:
            context.append(self.attention(means))
        of_paragraphs = [GroupStates(paragraphs.means(states), paragraphs.of)] if wiring.paragraphs else []
        return [*(GroupStates(known, sections.of) for known in context), *of_paragraphs]

    def _read_out(self, before: Floats, after: Floats, sections: Groups, cell_of: Integers) -> Prediction:
        """Predict from the states before the first step and after the last; cells → units."""
        scores = self.readout.all(before, after)
        logits = scores[:, 0]
        if self.of_sections is not None:
            of_sections = self.of_sections(sections.means(before), sections.means(after))[sections.of]
            logits = logits + of_sections if self.wiring.sections == "add" else both(logits, of_sections)
        return Prediction(logits[cell_of], scores[cell_of, 1] if self.wiring.weight else None, self.wiring.weight)

    def _scaled(self, name: str, values: Floats) -> Floats:
        mean, deviation = self.scales[name]
        scaled: Floats = np.clip((values - mean) / deviation, -LARGEST, LARGEST)
        return scaled


def both(one: Floats, other: Floats) -> Floats:
    """The logit of the product of two probabilities."""
    logarithm = log_sigmoid(one) + log_sigmoid(other)
    # logit(p) = log p - log(1 - p); expm1 keeps digits for small p, the bound keeps log(0) away from p = 1.
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


def _finite(scores: Floats) -> Floats:
    """Return the scores if all of them are numbers."""
    if not np.isfinite(scores).all():
        raise WeightsError("The weights are so large that scores are not finite; get or train them again.")
    return scores
