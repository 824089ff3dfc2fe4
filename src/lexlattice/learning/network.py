"""The network in PyTorch, where it learns: what `lexlattice.lattice.model` computes in NumPy, layer by layer."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import logsigmoid, relu

from lexlattice.lattice.cells import Lattice
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.model import OF_SECTIONS, OF_UNITS, Wiring, lattice_of
from lexlattice.lattice.surroundings import Surroundings
from lexlattice.learning.automaton import Readout, depthwise
from lexlattice.learning.config import MeaningShape
from lexlattice.learning.salience import Dropout, Scale


class Inputs(NamedTuple):
    """The features of an act as tensors, and where its units stand."""

    units: Tensor
    sections: Tensor
    section_of: Tensor
    vectors: Tensor
    leads: Tensor
    headings: Tensor
    enclosing: Tensor
    anchors: Tensor
    neighbours: Tensor
    """Of units: here each has a cell of its own, in the order of the cells."""
    order: Tensor
    """The unit of each cell."""
    cell_of: Tensor
    rows: Tensor
    """The section of each cell, counted without those that have no unit."""
    citing: Tensor
    cited: Tensor

    @classmethod
    def of(cls, features: MeaningFeatures, geometry: str) -> Inputs:
        """What the network is told of an act."""
        lattice: Lattice = lattice_of(features, geometry)
        order = np.argsort(lattice.cell_of)
        around = Surroundings.of(features.section_of[order], features.references)
        arrays: tuple[NDArray[Any], ...] = (
            *(features.units, features.sections, features.section_of, features.vectors, features.leads),
            *(features.headings, features.enclosing, features.anchors.reshape(1, -1), lattice.neighbours, order),
            *(lattice.cell_of, around.sections, around.citing, around.cited),
        )
        return cls(*map(_tensor, arrays))


class Outputs(NamedTuple):
    """What the network makes of an act."""

    logits: Tensor
    """Of units."""
    sections: Tensor | None
    """Logits of the sections that have units, if there is a readout for them."""
    rows: Tensor
    """Which of these each unit is of."""


class Widths(NamedTuple):
    """How wide the features are."""

    units: int
    sections: int
    vectors: int
    anchors: int

    @classmethod
    def of(cls, features: MeaningFeatures) -> Widths:
        """From the features of any act."""
        return cls(
            features.units.shape[1], features.sections.shape[1], features.vectors.shape[1], len(features.anchors)
        )


class SectionAutomaton(nn.Module):
    """The rule by which every cell changes, told of its neighbours and its section; untrained it changes nothing."""

    def __init__(self, channels: int, hidden: int, wiring: Wiring) -> None:
        super().__init__()
        self._wiring = wiring
        convolution = nn.Conv2d if wiring.geometry == "unbounded" else nn.Conv1d
        self.perception = convolution(channels, channels, 3, padding=1, groups=channels)
        self.hidden = nn.Linear((2 + wiring.context) * channels, hidden)
        self.change = nn.Linear(hidden, channels)
        nn.init.zeros_(self.change.weight)
        nn.init.zeros_(self.change.bias)

    def forward(self, states: Tensor, inputs: Inputs, attention: Attention | None) -> Tensor:
        """The states of cells after a step."""
        kernel, bias = self.perception.weight.flatten(1).T, self.perception.get_parameter("bias")
        seen = [states, depthwise(states, inputs.neighbours, kernel) + bias]
        context = self._context(states, inputs, attention)
        seen += [known.index_select(0, inputs.rows) for known in context]
        change: Tensor = self.change(relu(self.hidden(torch.cat(seen, dim=1))))
        return states + change

    def _context(self, states: Tensor, inputs: Inputs, attention: Attention | None) -> list[Tensor]:
        if not self._wiring.context:
            return []
        means, context = row_means(states, inputs), list[Tensor]()
        if self._wiring.overview:
            context += [means, states.mean(0, keepdim=True).expand_as(means)]
        if self._wiring.references:
            context += [inputs.citing @ means, inputs.cited @ means]
        if attention is not None:
            context.append(attention(means))
        return context


class Attention(nn.Module):
    """Single-head attention of sections to each other."""

    def __init__(self, channels: int, size: int) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(channels, size), nn.Linear(channels, size)
        self.value = nn.Linear(channels, channels)

    def forward(self, means: Tensor) -> Tensor:
        """What each section takes from all sections."""
        query, key = self.query(means), self.key(means)
        weights = (query @ key.T * query.shape[1] ** -0.5).softmax(dim=1)
        mixed: Tensor = weights @ self.value(means)
        return mixed


class MeaningNetwork(nn.Module):
    """The network; layers are named as `lexlattice.lattice.model.Member` reads them."""

    def __init__(self, shape: MeaningShape, width: Widths) -> None:
        super().__init__()
        self.shape, self.wiring = shape, wiring_of(shape)
        sizes = {**dict.fromkeys(OF_UNITS, shape.meaning), **dict.fromkeys(OF_SECTIONS, shape.headings)}
        self.scales = nn.ModuleDict({"units": Scale(width.units), "sections": Scale(width.sections)})
        self.meanings = nn.ModuleDict({name: _projection(width.vectors, size) for name, size in sizes.items()})
        self.topics = nn.ModuleDict(
            {name: _projection(width.anchors * width.vectors, size, width.anchors) for name, size in sizes.items()}
        )
        self.input_dropout, self.dropout = Dropout(shape.input_dropout), Dropout(shape.dropout)
        self.first = nn.Linear(width.units + width.sections + 2 * sum(sizes.values()), shape.first)
        self.second = nn.Linear(shape.first, shape.channels)
        self.automaton = SectionAutomaton(shape.channels, shape.hidden, self.wiring) if shape.steps else None
        self.attention = Attention(shape.channels, shape.attention) if shape.attention else None
        self.readout = Readout(shape.channels, shape.readout)
        self.section_readout = None if shape.sections == "none" else Readout(shape.channels, shape.readout)

    def forward(self, inputs: Inputs) -> Outputs:
        """Logits of units, and of sections."""
        before = self._read(inputs).index_select(0, inputs.order)
        after = before
        if self.automaton is not None:
            for _ in range(self.shape.steps):
                after = self.automaton(after, inputs, self.attention)
        after_dropout = self.dropout(after)
        logits = self.readout(before, after_dropout)
        of_rows = None
        if self.section_readout is not None:
            of_rows = self.section_readout(row_means(before, inputs), row_means(after_dropout, inputs))
            of_cells = of_rows.index_select(0, inputs.rows)
            logits = logits + of_cells if self.shape.sections == "add" else both(logits, of_cells)
        rows = inputs.rows.index_select(0, inputs.cell_of)
        return Outputs(logits.index_select(0, inputs.cell_of), of_rows, rows)

    def _read(self, inputs: Inputs) -> Tensor:
        """The states of units before the first step."""
        columns = {
            "units": [self.scales["units"](inputs.units)],
            "sections": [self.scales["sections"](inputs.sections)],
        }
        for names, into in ((OF_UNITS, columns["units"]), (OF_SECTIONS, columns["sections"])):
            for name in names:
                meaning = self.meanings[name](getattr(inputs, name))
                into += [meaning, meaning * self.topics[name](inputs.anchors)]
        of_sections = torch.cat(columns["sections"], dim=1).index_select(0, inputs.section_of)
        read = self.input_dropout(torch.cat([*columns["units"], of_sections], dim=1))
        states: Tensor = self.dropout(relu(self.second(self.dropout(relu(self.first(read))))))
        return states


def wiring_of(shape: MeaningShape) -> Wiring:
    """Which parts a network of that shape has."""
    return Wiring(shape.geometry, shape.steps, shape.overview, shape.references, shape.attention > 0, shape.sections)


def row_means(states: Tensor, inputs: Inputs) -> Tensor:
    """The mean state of each section's cells."""
    count = len(inputs.citing)
    sums = states.new_zeros(count, states.shape[1]).index_add(0, inputs.rows, states)
    return sums / torch.bincount(inputs.rows, minlength=count)[:, None]


def both(one: Tensor, other: Tensor) -> Tensor:
    """The logit of the product of two probabilities."""
    logarithm = logsigmoid(one) + logsigmoid(other)
    return logarithm - (-torch.expm1(logarithm.clamp(max=-1e-6))).log()


def _projection(width: int, size: int, vectors: int = 1) -> nn.Linear:
    """A layer whose outputs begin with a deviation of about 1 for so many vectors of length 1, as features have it."""
    layer = nn.Linear(width, size)
    nn.init.normal_(layer.weight, std=vectors**-0.5)
    nn.init.zeros_(layer.bias)
    return layer


def _tensor(values: NDArray[np.generic]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values))
