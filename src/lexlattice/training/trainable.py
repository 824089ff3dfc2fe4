"""The interface between the training loop and a model: `TrainableModel`.

All randomness must come from PyTorch: from the generator that is passed in or, inside the module (dropout), from
PyTorch's default generator. Checkpoints save the state of both; other sources would break bit-for-bit resuming.
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
    """Sampled extracts of one act."""

    log_likelihoods: Tensor
    """One per rollout, differentiable; on the CPU, where rewards are."""
    texts: list[str]
    """The texts of the extracts, in the same order."""
    rewards: Sequence[float] | None = None
    """One per rollout, from 0 to 1; None for the ROUGE of its text."""


class TrainableModel(Protocol):
    """A model that the loop can train: weights, a loss, rollouts and extracts."""

    @property
    def module(self) -> torch.nn.Module:
        """The network with all weights; the loop calls `train` and `eval` and optimizes what requires gradients."""

    def loss(self, examples: Sequence[Example]) -> Tensor:
        """Stage 1: the mean imitation loss of some examples."""

    def rollouts(self, example: Example, count: int, generator: torch.Generator) -> Rollouts:
        """Stage 2: sample `count` extracts of one act in proportion to the scores."""

    def extract(self, example: Example, words: int) -> str:
        """The extract at evaluation time: units in document order, one per line, at most `words` words."""

    def save(self, path: Path, about: Mapping[str, str]) -> None:
        """Write the weights for inference as safetensors, atomically, with `about` as metadata."""


class SilverTrainable(TrainableModel, Protocol):
    """A model that is pretrained on silver alignment before stage 1."""

    def silver_loss(self, examples: Sequence[Example]) -> Tensor:
        """The mean loss against the silver targets of some examples."""


class GoldTrainable(TrainableModel, Protocol):
    """A model that is validated on gold annotations."""

    def choose(self, example: Example, words: int) -> list[int]:
        """The indices of the units that `extract` selects."""

    def points(self, example: Example) -> Points:
        """The scorer of selections from an act with gold annotations."""
