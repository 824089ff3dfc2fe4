"""The shipped network in PyTorch, for training: layer by layer what `lexlattice.lattice.model` computes in NumPy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import gelu, logsigmoid, relu

from lexlattice.lattice.automaton import Groups, Links
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.grid import Lattice
from lexlattice.lattice.model import GATED, HIGHEST, LARGEST, OF_SECTIONS, OF_UNITS, USUAL_WEIGHT, Wiring, lattice_of
from lexlattice.training.config import ProvisionsShape
from lexlattice.training.models.automaton import Scale, depthwise, means


class Inputs(NamedTuple):
    """The features of an act as tensors, and its lattice."""

    units: Tensor
    sections: Tensor
    section_of: Tensor
    vectors: Tensor
    leads: Tensor
    openings: Tensor
    headings: Tensor
    enclosing: Tensor
    anchors: Tensor
    neighbours: Tensor
    """Cells × neighbours, as indices of cells; every unit has its own cell."""
    order: Tensor
    """The unit of each cell."""
    cell_of: Tensor
    rows: Tensor
    """The section of each cell, numbered without empty sections."""
    paragraphs: Tensor
    """The paragraph of each cell."""
    citing: Tensor
    cited: Tensor

    @classmethod
    def of(cls, features: MeaningFeatures, geometry: str) -> Inputs:
        """Convert the features of an act."""
        lattice: Lattice = lattice_of(features, geometry)
        order = np.argsort(lattice.cell_of)
        sections, paragraphs = Groups(features.section_of[order]), Groups(features.paragraph_of[order])
        links = Links.of(sections, features.references)
        arrays: tuple[NDArray[Any], ...] = (
            *(features.units, features.sections, features.section_of, features.vectors, features.leads),
            *(features.openings, features.headings, features.enclosing, features.anchors.reshape(1, -1)),
            *(lattice.neighbours, order, lattice.cell_of, sections.of, paragraphs.of),
            *(links.citing.matrix(), links.cited.matrix()),
        )
        return cls(*map(_tensor, arrays))

    def to(self, device: torch.device) -> Inputs:
        """Return the same on a device."""
        return Inputs(*(tensor.to(device) for tensor in self))


class Outputs(NamedTuple):
    """What the network predicts for an act."""

    logits: Tensor
    """Per unit: that an editor would select it."""
    weights: Tensor | None
    """Per unit: the logarithm of the expected weight of the points it states, if there is a readout for it."""
    sections: Tensor | None
    """Logits of the non-empty sections, if there is a readout for them."""
    rows: Tensor
    """The index of each unit's section among these."""


class Widths(NamedTuple):
    """The number of features of each kind."""

    units: int
    sections: int
    vectors: int
    anchors: int

    @classmethod
    def of(cls, features: MeaningFeatures) -> Widths:
        """Read off the features of any act."""
        return cls(
            features.units.shape[1], features.sections.shape[1], features.vectors.shape[1], len(features.anchors)
        )


class SectionAutomaton(nn.Module):
    """The update rule of all cells, which perceives neighbours and section context; initially the identity."""

    def __init__(self, channels: int, hidden: int, wiring: Wiring) -> None:
        super().__init__()
        self._wiring = wiring
        convolution = nn.Conv2d if wiring.geometry == "unbounded" else nn.Conv1d
        self.perception = convolution(channels, channels, 3, padding=1, groups=channels)
        self.hidden = nn.Linear((2 + wiring.context) * channels, hidden)
        self.change = nn.Linear(hidden, channels)
        # zero initialization: an untrained step changes nothing, so training starts from the MLP without the automaton
        nn.init.zeros_(self.change.weight)
        nn.init.zeros_(self.change.bias)

    def forward(self, states: Tensor, inputs: Inputs, attention: Attention | None) -> Tensor:
        """Return the states of all cells after one step."""
        kernel, bias = self.perception.weight.flatten(1).T, self.perception.get_parameter("bias")
        # perceive: own state, neighbours, then the context of the section and the paragraph, broadcast to their cells
        perceived = [states, depthwise(states, inputs.neighbours, kernel) + bias]
        perceived += [context.index_select(0, inputs.rows) for context in self._context(states, inputs, attention)]
        if self._wiring.paragraphs:
            perceived.append(means(states, inputs.paragraphs).index_select(0, inputs.paragraphs))
        # update: a residual step
        change: Tensor = self.change(relu(self.hidden(torch.cat(perceived, dim=1))))
        return states + change

    def _context(self, states: Tensor, inputs: Inputs, attention: Attention | None) -> list[Tensor]:
        """Return what cells perceive of other sections, per section; the order is that of the weights' columns."""
        if self._wiring.context == self._wiring.paragraphs:
            return []
        of_sections, context = means(states, inputs.rows), list[Tensor]()
        if self._wiring.overview:
            context += [of_sections, of_sections.mean(0, keepdim=True).expand_as(of_sections)]
        if self._wiring.references:
            context += [inputs.citing @ of_sections, inputs.cited @ of_sections]
        if attention is not None:
            context.append(attention(of_sections))
        return context


class Attention(nn.Module):
    """Single-head attention of sections to each other."""

    def __init__(self, channels: int, size: int) -> None:
        super().__init__()
        self.query, self.key = nn.Linear(channels, size), nn.Linear(channels, size)
        self.value = nn.Linear(channels, channels)

    def forward(self, sections: Tensor) -> Tensor:
        """Return the attention output of each section, from the mean states of all sections."""
        query, key = self.query(sections), self.key(sections)
        weights = (query @ key.T * query.shape[1] ** -0.5).softmax(dim=1)
        mixed: Tensor = weights @ self.value(sections)
        return mixed


class ProvisionsNetwork(nn.Module):
    """The network; its layers have the names that `lexlattice.lattice.model` reads."""

    def __init__(self, shape: ProvisionsShape, width: Widths) -> None:
        super().__init__()
        self.shape, self.wiring = shape, wiring_of(shape)
        kinds = {"vectors": shape.meaning} | {name: getattr(shape, name) for name in (*OF_UNITS[1:], *OF_SECTIONS)}
        self.scales = nn.ModuleDict({"units": Scale(width.units, LARGEST), "sections": Scale(width.sections, LARGEST)})
        self.meanings = nn.ModuleDict({name: nn.Linear(width.vectors, size) for name, size in kinds.items()})
        self.topics = nn.ModuleDict({name: nn.Linear(width.anchors * width.vectors, kinds[name]) for name in GATED})
        self.input_dropout, self.dropout = nn.Dropout(shape.input_dropout), nn.Dropout(shape.dropout)
        read = width.units + width.sections + sum(kinds.values()) + sum(kinds[name] for name in GATED)
        self.first = nn.Linear(read, shape.first)
        self.second = nn.Linear(shape.first, shape.channels)
        self.automaton = SectionAutomaton(shape.channels, shape.hidden, self.wiring) if shape.steps else None
        self.attention = Attention(shape.channels, shape.attention) if shape.attention else None
        self.readout = Readout(shape.channels, shape.readout, 2 if shape.weight else 1)
        self.section_readout = None if shape.sections == "none" else Readout(shape.channels, shape.readout, 1)

    def forward(self, inputs: Inputs) -> Outputs:
        """Return the predictions for an act."""
        # units are in document order, cells in the order of the lattice: `order` and `cell_of` map one to the other
        before = self._read(inputs).index_select(0, inputs.order)
        after = before
        if self.automaton is not None:
            for _ in range(self.shape.steps):
                after = self.automaton(after, inputs, self.attention)
        states = self.dropout(torch.cat([before, after], dim=1))
        read = self.readout(states)
        logits, of_rows = read[:, 0], None
        if self.section_readout is not None:
            of_rows = self.section_readout(means(states, inputs.rows))[:, 0]
            of_cells = of_rows.index_select(0, inputs.rows)
            logits = logits + of_cells if self.shape.sections == "add" else both(logits, of_cells)
        weights = bounded(read[:, 1]).index_select(0, inputs.cell_of) if self.shape.weight else None
        rows = inputs.rows.index_select(0, inputs.cell_of)
        return Outputs(logits.index_select(0, inputs.cell_of), weights, of_rows, rows)

    def scores(self, outputs: Outputs) -> Tensor:
        """Return the score of each unit: its probability, mixed with its expected point weight."""
        taken = outputs.logits.sigmoid()
        if outputs.weights is None:
            return taken
        return (1 - self.shape.weight) * taken + self.shape.weight * outputs.weights.exp() / USUAL_WEIGHT

    def _read(self, inputs: Inputs) -> Tensor:
        """Return the states of units before the first automaton step."""
        of_units, of_sections = [self.scales["units"](inputs.units)], [self.scales["sections"](inputs.sections)]
        for names, columns in ((OF_UNITS, of_units), (OF_SECTIONS, of_sections)):
            for name in names:
                columns.append(self.meanings[name](getattr(inputs, name)))
                if name in GATED:  # multiplied with a projection of the anchors: what the vectors mean in this act
                    columns.append(columns[-1] * self.topics[name](inputs.anchors))
        # section features are computed once per section, and then broadcast to its units
        section_columns = torch.cat(of_sections, dim=1).index_select(0, inputs.section_of)
        read = self.input_dropout(torch.cat([*of_units, section_columns], dim=1))
        states: Tensor = relu(self.second(self.dropout(relu(self.first(read)))))
        return states


class Readout(nn.Module):
    """An MLP over the states of a unit before the first and after the last step."""

    def __init__(self, channels: int, hidden: int, scores: int) -> None:
        super().__init__()
        self.hidden, self.score = nn.Linear(2 * channels, hidden), nn.Linear(hidden, scores)

    def forward(self, states: Tensor) -> Tensor:
        """Return one column per score."""
        scores: Tensor = self.score(gelu(self.hidden(states)))
        return scores


def wiring_of(shape: ProvisionsShape) -> Wiring:
    """Return the optional parts of a network of this shape."""
    return Wiring(
        shape.geometry,
        shape.steps,
        shape.overview,
        shape.paragraphs,
        shape.references,
        shape.attention > 0,
        shape.sections,
        float(shape.weight),
    )


def bounded(weights: Tensor) -> Tensor:
    """Bound the logarithms of expected weights below `HIGHEST`, so that their exponential cannot overflow."""
    return HIGHEST + logsigmoid(weights - (HIGHEST + 1))


def both(one: Tensor, other: Tensor) -> Tensor:
    """Return the logit of the product of two probabilities, given by their logits."""
    logarithm = logsigmoid(one) + logsigmoid(other)
    return logarithm - (-torch.expm1(logarithm.clamp(max=-1e-6))).log()


def _tensor(values: NDArray[np.generic]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values))
