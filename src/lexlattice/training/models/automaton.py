"""The neural cellular automaton and the paper's model in PyTorch, for training.

The automaton has one set of weights and two implementations. `dense` follows the paper: a padded grid, a depthwise
convolution, two 1×1 convolutions, and a mask that resets the padding to zero after every step. `forward` computes the
same over the occupied cells only, by indices of neighbours. Training uses the latter, because acts of any size can be
concatenated into a batch, and empty cells cost nothing.

The readout sees each unit's own vector, even if several units share a cell and the automaton starts from their mean;
otherwise it could not tell them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import gelu, relu

from lexlattice.lattice.grid import Lattice
from lexlattice.reading import LANGUAGES
from lexlattice.training.config import PaperShape

_WIDTH: Final = 3


class Automaton(nn.Module):
    """The update rule of all cells: perceive, update, mask. Initially it is the identity.

    With `overview`, which the paper does not have, cells also perceive the mean states of their row and of all cells.
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
        """Run on a dense grid, batch × channels × rows × columns (or × units); the mask is 0 at empty cells."""
        states = states * mask
        for _ in range(steps):
            perceived = torch.cat([states, self.perception(states)], dim=1)
            change = self._update(perceived.movedim(1, -1)).movedim(-1, 1)
            states = (states + change) * mask
        return states

    def forward(self, vectors: Tensor, lattice: Lattice, steps: int) -> Tensor:
        """Return the final cell state of each unit: tile the vectors, run over the occupied cells, un-tile."""
        cell_of, neighbours, rows = (
            torch.from_numpy(indices).to(vectors.device)
            for indices in (lattice.cell_of, lattice.neighbours, lattice.coordinates[:, 0])
        )
        kernel, bias = self.perception.weight.flatten(1).T, self.perception.get_parameter("bias")
        states = means(vectors, cell_of, len(lattice))
        for _ in range(steps):
            perceived = [states, depthwise(states, neighbours, kernel) + bias]
            if self._overview:
                of_rows = means(states, rows, int(rows.max()) + 1)
                perceived += [of_rows.index_select(0, rows), states.mean(0, keepdim=True).expand_as(states)]
            states = states + self._update(torch.cat(perceived, dim=1))
        return states.index_select(0, cell_of)

    def _update(self, perceived: Tensor) -> Tensor:
        """The two 1×1 convolutions, as dense layers over the channels of every cell."""
        change: Tensor = self.change(relu(self.hidden(perceived)))
        return change


def depthwise(states: Tensor, neighbours: Tensor, kernel: Tensor) -> Tensor:
    """Depthwise convolution over indexed neighbours: the kernel has one row per neighbour, one column per channel."""
    apply = cast("Callable[[Tensor, Tensor, Tensor], Tensor]", _Depthwise.apply)  # PyTorch leaves it untyped
    return apply(states, neighbours, kernel)


class _Depthwise(torch.autograd.Function):
    """The convolution with its own backward pass, which saves no gathered neighbours.

    Neighbourhood is symmetric: the left neighbour's right neighbour is the cell itself. So the gradient of the states
    is the same convolution with a flipped kernel.
    """

    @staticmethod
    def forward(context: Any, states: Tensor, neighbours: Tensor, kernel: Tensor) -> Tensor:
        context.save_for_backward(states, neighbours, kernel)
        return _convolve(states, neighbours, kernel)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, Tensor]:
        states, neighbours, kernel = context.saved_tensors
        (gradient,) = gradients
        kernel_gradient = torch.stack([(gradient * gathered).sum(0) for gathered in _gather(states, neighbours)])
        return _convolve(gradient, neighbours, kernel.flip(0)), None, kernel_gradient


def _convolve(states: Tensor, neighbours: Tensor, kernel: Tensor) -> Tensor:
    total = torch.zeros_like(states)
    for gathered, weights in zip(_gather(states, neighbours), kernel, strict=True):
        total.addcmul_(gathered, weights)
    return total


def _gather(states: Tensor, neighbours: Tensor) -> Iterator[Tensor]:
    """Yield the states of the first neighbour of every cell, then of the second, and so on."""
    padded = torch.cat([states, states.new_zeros(1, states.shape[1])])  # the last row stands for missing neighbours
    return (padded.index_select(0, indices) for indices in neighbours.T)


class Readout(nn.Module):
    """An MLP that scores a unit by its states before the first and after the last step."""

    def __init__(self, channels: int, hidden: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(2 * channels, hidden)
        self.score = nn.Linear(hidden, 1)

    def forward(self, before: Tensor, after: Tensor) -> Tensor:
        """Return one score per unit."""
        scores: Tensor = self.score(gelu(self.hidden(torch.cat([before, after], dim=1))))
        return scores.squeeze(1)


class Consolidator(nn.Module):
    """The paper's model after the encoder: unit vectors → unit scores."""

    def __init__(self, shape: PaperShape, channels: int) -> None:
        super().__init__()
        self.shape = shape
        self.languages = nn.Embedding(len(LANGUAGES), channels) if shape.language_embedding else None
        if self.languages is not None:
            nn.init.zeros_(self.languages.weight)
        self.automaton = Automaton(channels, shape.hidden, shape.geometry) if shape.steps else None
        self.readout = Readout(channels, shape.readout)

    def forward(self, vectors: Tensor, lattice: Lattice, languages: Tensor | None = None) -> Tensor:
        """Return the scores of units.

        Args:
            vectors: units × channels, of one act or several.
            lattice: the lattice of the same acts, joined.
            languages: the language index of each unit; needed only with a language embedding.

        """
        before = self._with_languages(vectors, languages)
        if self.automaton is None:
            return self._read(before, before)
        return self._read(before, self.automaton(before, lattice, self.shape.steps))

    def dense(self, vectors: Tensor, rows: Tensor, columns: Tensor, languages: Tensor | None = None) -> Tensor:
        """Return the same for one act by the dense implementation, on the whole grid or line."""
        before = self._with_languages(vectors, languages)
        if self.automaton is None:
            return self._read(before, before)
        if self.shape.geometry == "grid":
            states, mask = tiled(before, rows, columns, self.shape.rows, self.shape.columns)
            after = self.automaton.dense(states[None], mask[None], self.shape.steps)[0]
            return self._read(before, untiled(after, rows, columns))
        line = before.T[None]
        return self._read(before, self.automaton.dense(line, torch.ones_like(line[:, :1]), self.shape.steps)[0].T)

    def _with_languages(self, vectors: Tensor, languages: Tensor | None = None) -> Tensor:
        """Add the language embedding to every unit, which equals adding it to every cell: a cell is a mean of units."""
        return vectors if self.languages is None else vectors + self.languages(languages)

    def _read(self, before: Tensor, after: Tensor) -> Tensor:
        scores: Tensor = self.readout(before, after)
        return scores


def tiled(vectors: Tensor, rows: Tensor, columns: Tensor, height: int, width: int) -> tuple[Tensor, Tensor]:
    """Clamp and merge units into a grid; return it (channels × height × width) and the mask of occupied cells."""
    cells = _cell_indices(rows, columns, height, width)
    grid = means(vectors, cells, height * width).T.reshape(-1, height, width)
    mask = vectors.new_zeros(height * width).index_fill(0, cells, 1.0)
    return grid, mask.view(1, height, width)


def untiled(grid: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return units × channels: each unit gets the state of its cell."""
    return grid.flatten(1).index_select(1, _cell_indices(rows, columns, *grid.shape[1:])).T


def _cell_indices(rows: Tensor, columns: Tensor, height: int, width: int) -> Tensor:
    return rows.clamp(max=height - 1) * width + columns.clamp(max=width - 1)


def means(vectors: Tensor, group_of: Tensor, groups: int = 0) -> Tensor:
    """Return the mean vector of each group (a cell, row or section); zero for empty ones."""
    counts = torch.bincount(group_of, minlength=groups)
    sums = vectors.new_zeros(len(counts), vectors.shape[1]).index_add(0, group_of, vectors)
    return sums / counts.clamp(min=1)[:, None]


class Scale(nn.Module):
    """Standardizes features to the mean and deviation of the training data, and clips outliers."""

    mean: Tensor
    deviation: Tensor

    def __init__(self, width: int, largest: float) -> None:
        """`largest` is the number of deviations to which features are clipped."""
        super().__init__()
        self._largest = largest
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("deviation", torch.ones(width))

    def fit(self, rows: NDArray[np.float32], smallest_deviation: float) -> None:
        """Set mean and deviation to those of some rows; the deviation is at least `smallest_deviation`."""
        self.mean.copy_(torch.from_numpy(rows.mean(0)))
        self.deviation.copy_(torch.from_numpy(rows.std(0).clip(smallest_deviation)))

    def forward(self, values: Tensor) -> Tensor:
        """Return the scaled features."""
        return ((values - self.mean) / self.deviation).clamp(-self._largest, self._largest)
