"""The automaton in PyTorch, where it learns.

One set of weights, run in two ways. `dense` is the paper's text: a padded grid, a depthwise convolution, two 1×1
convolutions, and a mask that keeps the padding at zero at every step. `forward` computes the same over the occupied
cells alone, by the indices of their neighbours: what training uses, since acts of any size can stand side by side in a
batch, and no empty cell costs anything.

A unit's initial state is its own vector, also where several share a cell and the automaton starts from their mean:
otherwise the readout could not tell them apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, relu

from lexlattice.lattice.grid import Lattice
from lexlattice.reading import LANGUAGES
from lexlattice.training.config import PaperShape

_WIDTH: Final = 3


class Automaton(nn.Module):
    """The rule by which every cell changes; untrained it changes nothing.

    With `overview`, which the paper does not have, cells also perceive the means of their row and of all cells.
    """

    def __init__(self, channels: int, hidden: int, geometry: str = "grid", *, overview: bool = False) -> None:
        super().__init__()
        self._overview = overview
        convolution = nn.Conv2d if geometry in ("grid", "unbounded") else nn.Conv1d
        self.perception = convolution(channels, channels, _WIDTH, padding=_WIDTH // 2, groups=channels)
        self.hidden = nn.Linear((4 if overview else 2) * channels, hidden)
        self.change = nn.Linear(hidden, channels)
        nn.init.zeros_(self.change.weight)
        nn.init.zeros_(self.change.bias)

    def dense(self, states: Tensor, mask: Tensor, steps: int) -> Tensor:
        """Batch × channels × rows × columns (on a line batch × channels × units); the mask is 0 where nobody is."""
        states = states * mask
        for _ in range(steps):
            seen = torch.cat([states, self.perception(states)], dim=1)
            change = self._change(seen.movedim(1, -1)).movedim(-1, 1)
            states = (states + change) * mask
        return states

    def forward(self, vectors: Tensor, lattice: Lattice, steps: int) -> Tensor:
        """From the vectors of units to the states of their cells: tile, run over the occupied cells, un-tile."""
        cell_of, neighbours = torch.from_numpy(lattice.cell_of), torch.from_numpy(lattice.neighbours)
        rows = torch.from_numpy(lattice.coordinates[:, 0]) if self._overview else None
        kernel, bias = self.perception.weight.flatten(1).T, self.perception.get_parameter("bias")
        states = means(vectors, cell_of, len(lattice))
        for _ in range(steps):
            seen = [states, depthwise(states, neighbours, kernel) + bias]
            if rows is not None:
                of_rows = means(states, rows, int(rows.max()) + 1)
                seen += [of_rows.index_select(0, rows), states.mean(0, keepdim=True).expand_as(states)]
            states = states + self._change(torch.cat(seen, dim=1))
        return states.index_select(0, cell_of)

    def _change(self, seen: Tensor) -> Tensor:
        """The two 1×1 convolutions: dense layers over the channels of every cell."""
        change: Tensor = self.change(relu(self.hidden(seen)))
        return change


def depthwise(states: Tensor, neighbours: Tensor, kernel: Tensor) -> Tensor:
    """The sum of what stands around each cell, weighted by the kernel's row for that neighbour, channel by channel."""
    around: Tensor = _Depthwise.apply(states, neighbours, kernel)  # type: ignore[no-untyped-call]
    return around


class _Depthwise(torch.autograd.Function):
    """Who is my left neighbour has me as their right one.

    So the gradient passes through the same sum, with the kernel turned around, and nothing that was gathered is kept.
    """

    @staticmethod
    def forward(context: Any, states: Tensor, neighbours: Tensor, kernel: Tensor) -> Tensor:
        context.save_for_backward(states, neighbours, kernel)
        return _gathered(states, neighbours, kernel)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, Tensor]:
        states, neighbours, kernel = context.saved_tensors
        (gradient,) = gradients
        of_kernel = torch.stack([(gradient * beside).sum(0) for beside in _beside(states, neighbours)])
        return _gathered(gradient, neighbours, kernel.flip(0)), None, of_kernel


def _gathered(states: Tensor, neighbours: Tensor, kernel: Tensor) -> Tensor:
    total = torch.zeros_like(states)
    for beside, weights in zip(_beside(states, neighbours), kernel, strict=True):
        total.addcmul_(beside, weights)
    return total


def _beside(states: Tensor, neighbours: Tensor) -> Iterator[Tensor]:
    """The states of the first neighbours of all cells, of the second ones, and so on."""
    with_nothing = torch.cat([states, states.new_zeros(1, states.shape[1])])
    return (with_nothing.index_select(0, indices) for indices in neighbours.T)


class Readout(nn.Module):
    """One score of what a unit was before the first step and what it is after the last."""

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(2 * channels, hidden)
        self.score = nn.Linear(hidden, 1)

    def forward(self, before: Tensor, after: Tensor) -> Tensor:
        """The scores of units, from two states of each."""
        scores: Tensor = self.score(gelu(self.hidden(torch.cat([before, after], dim=1))))
        return scores.squeeze(1)


class Consolidator(nn.Module):
    """The whole model of the paper after the encoder: vectors of units → their scores."""

    def __init__(self, shape: PaperShape, channels: int) -> None:
        super().__init__()
        self.shape = shape
        self.languages = nn.Embedding(len(LANGUAGES), channels) if shape.language_embedding else None
        if self.languages is not None:
            nn.init.zeros_(self.languages.weight)
        self.automaton = Automaton(channels, shape.hidden, shape.geometry) if shape.steps else None
        self.readout = Readout(channels, shape.readout)

    def forward(self, vectors: Tensor, lattice: Lattice, languages: Tensor | None = None) -> Tensor:
        """Scores of units: `lattice` is of one act or of several joined, `languages` has the place of each unit's.

        Languages are asked for only where there is an embedding of them.
        """
        before = self._with_accents(vectors, languages)
        if self.automaton is None:
            return self._read(before, before)
        return self._read(before, self.automaton(before, lattice, self.shape.steps))

    def dense(self, vectors: Tensor, rows: Tensor, columns: Tensor, languages: Tensor | None = None) -> Tensor:
        """The same for one act, as the paper has it: on the whole grid, or on the whole line."""
        before = self._with_accents(vectors, languages)
        if self.automaton is None:
            return self._read(before, before)
        if self.shape.geometry == "grid":
            states, mask = tiled(before, rows, columns, self.shape.rows, self.shape.columns)
            after = self.automaton.dense(states[None], mask[None], self.shape.steps)[0]
            return self._read(before, untiled(after, rows, columns))
        line = before.T[None]
        return self._read(before, self.automaton.dense(line, torch.ones_like(line[:, :1]), self.shape.steps)[0].T)

    def _with_accents(self, vectors: Tensor, languages: Tensor | None = None) -> Tensor:
        """On every unit rather than every occupied cell, which is the same: a cell is the mean of its units."""
        return vectors if self.languages is None else vectors + self.languages(languages)

    def _read(self, before: Tensor, after: Tensor) -> Tensor:
        scores: Tensor = self.readout(before, after)
        return scores


def tiled(vectors: Tensor, rows: Tensor, columns: Tensor, height: int, width: int) -> tuple[Tensor, Tensor]:
    """Clamp and merge: channels × height × width, a cell being the mean of its units, and where there are any."""
    places = _places(rows, columns, height, width)
    grid = means(vectors, places, height * width).T.reshape(-1, height, width)
    mask = torch.zeros(height * width, dtype=vectors.dtype).index_fill(0, places, 1.0)
    return grid, mask.view(1, height, width)


def untiled(grid: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Units × channels: each unit gets the state of its cell."""
    return grid.flatten(1).index_select(1, _places(rows, columns, *grid.shape[1:])).T


def _places(rows: Tensor, columns: Tensor, height: int, width: int) -> Tensor:
    return rows.clamp(max=height - 1) * width + columns.clamp(max=width - 1)


def means(vectors: Tensor, cell_of: Tensor, cells: int) -> Tensor:
    """The mean vector of each cell, or of each row; zero where nobody is."""
    sums = vectors.new_zeros(cells, vectors.shape[1]).index_add(0, cell_of, vectors)
    return sums / torch.bincount(cell_of, minlength=cells).clamp(min=1)[:, None]
