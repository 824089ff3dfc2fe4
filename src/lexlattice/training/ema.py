"""How weights move: the learning rate over a stage, and the average of the weights on their way."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import torch
from torch import Tensor, nn

_FIRST_STEPS: Final = 10
"""The average follows the first steps faster, so that it soon forgets where it began."""


def rate(done: float, warm_up: float) -> float:
    """The share of the learning rate to take when this share of the stage is done: up on a line, down on a cosine.

    >>> [round(rate(done, 0.1), 2) for done in (0.05, 0.1, 0.55, 1.0)]
    [0.5, 1.0, 0.5, 0.0]
    """
    if done < warm_up:
        return done / warm_up
    return 0.5 * (1 + math.cos(math.pi * (done - warm_up) / (1 - warm_up)))


class Average:
    """A moving average of all weights: where they swing around, it is nearer to where they would come to rest."""

    def __init__(self, module: nn.Module, decay: float) -> None:
        self._module, self._decay = module, decay
        self._steps = 0
        self._weights = {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}

    def follow(self) -> None:
        """Take note of the weights after a step."""
        self._steps += 1
        decay = min(self._decay, self._steps / (self._steps + _FIRST_STEPS))
        with torch.no_grad():
            for name, tensor in self._module.state_dict().items():
                self._weights[name].lerp_(tensor, 1 - decay)

    @contextmanager
    def instead(self) -> Iterator[None]:
        """The module has the average for its weights, for a while."""
        weights = {name: tensor.clone() for name, tensor in self._module.state_dict().items()}
        self._module.load_state_dict(self._weights)
        try:
            yield
        finally:
            self._module.load_state_dict(weights)

    def state_dict(self) -> dict[str, object]:
        """For checkpoints."""
        return {"steps": self._steps, "weights": self._weights}

    def load_state_dict(self, state: Mapping[str, object]) -> None:
        """Go on from a checkpoint."""
        steps, weights = state["steps"], state["weights"]
        assert isinstance(steps, int) and isinstance(weights, dict)
        found: dict[str, Tensor] = weights
        self._steps, self._weights = steps, {name: tensor.clone() for name, tensor in found.items()}
