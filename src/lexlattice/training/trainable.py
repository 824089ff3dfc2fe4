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

from lexlattice.evaluation.points import Points
from lexlattice.training.prepared import Example


class Rollouts(NamedTuple):
    """Extracts that were drawn for one act."""

    log_likelihoods: Tensor
    """One for each, to be differentiated."""
    texts: list[str]
    """What would be emitted, in the same order."""
    rewards: Sequence[float] | None = None
    """What each earns, from 0 to 1; the ROUGE of its text, where the trainee does not say."""


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


class Aligning(Trainee, Protocol):
    """A trainee that learns from silver alignment before stage 1."""

    def alignment_loss(self, examples: Sequence[Example]) -> Tensor:
        """How far the scores are from silver targets, as a mean over the examples."""


class Choosing(Trainee, Protocol):
    """A trainee whose choices are measured by meaning."""

    def choose(self, example: Example, words: int) -> list[int]:
        """The units of what `extract` emits, by index."""

    def points(self, example: Example) -> Points:
        """The measure of choices from an act with gold annotations."""
