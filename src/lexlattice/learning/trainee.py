"""What can be trained: anything that scores units and has weights. The loop of `training` knows no more of a model.

All that is drawn comes from PyTorch: from the generator that is given, or, inside the module (dropout), from PyTorch's
own. Both are kept in checkpoints; randomness from anywhere else would not be the same again after a resumed run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from lexlattice.learning.prepared import Example


class Rollouts(NamedTuple):
    """Extracts that were drawn for one act."""

    log_likelihoods: Tensor
    """One for each, to be differentiated."""
    texts: list[str]
    """What would be emitted, in the same order."""


class Trainee(Protocol):
    """A model in training: the weights, what is to become smaller, and what it emits."""

    @property
    def module(self) -> torch.nn.Module:
        """The weights, all of them; the loop moves those that have gradients, and sets `train` and `eval`."""

    def loss(self, examples: Sequence[Example]) -> Tensor:
        """Stage 1: how far the scores are from the oracle's order, as a mean over the examples."""

    def rollouts(self, example: Example, count: int, generator: torch.Generator) -> Rollouts:
        """Stage 2: so many extracts of one act, drawn by the scores and put together as `extract` does it."""

    def extract(self, example: Example, words: int) -> str:
        """What is emitted at evaluation time: units in document order, one a line, at most so many words."""

    def save(self, path: Path, about: Mapping[str, str]) -> None:
        """Write the weights for inference, as safetensors, with what is to be said of them; whole or not at all."""
