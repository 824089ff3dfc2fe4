"""The learning-rate schedule, and the exponential moving average (EMA) of the weights."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import torch
from torch import Tensor, nn

_RAMP: Final = 10
"""The decay grows as n / (n + 10) over the first n steps, so that the EMA soon forgets the initial weights."""


def warmup_cosine(done: float, warm_up: float) -> float:
    """Return the learning-rate factor after a share `done` of a stage: linear warm-up, then cosine decay to zero.

    >>> [round(warmup_cosine(done, 0.1), 2) for done in (0.05, 0.1, 0.55, 1.0)]
    [0.5, 1.0, 0.5, 0.0]
    """
    if done < warm_up:
        return done / warm_up
    return 0.5 * (1 + math.cos(math.pi * (done - warm_up) / (1 - warm_up)))


class EMA:
    """An exponential moving average of all weights of a module, which generalizes better than the last weights."""

    def __init__(self, module: nn.Module, decay: float) -> None:
        self._module, self._decay = module, decay
        self._steps = 0
        self._weights = {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}

    def update(self) -> None:
        """Average in the module's current weights; call it after each optimizer step."""
        self._steps += 1
        decay = min(self._decay, self._steps / (self._steps + _RAMP))
        with torch.no_grad():
            for name, tensor in self._module.state_dict().items():
                self._weights[name].lerp_(tensor, 1 - decay)

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Swap the average into the module; the weights come back at the end of the context."""
        weights = {name: tensor.clone() for name, tensor in self._module.state_dict().items()}
        self._module.load_state_dict(self._weights)
        try:
            yield
        finally:
            self._module.load_state_dict(weights)

    def state_dict(self) -> dict[str, object]:
        """The state for a checkpoint."""
        return {"steps": self._steps, "weights": self._weights}

    def load_state_dict(self, state: Mapping[str, object]) -> None:
        """Restore the state of a checkpoint."""
        steps, weights = state["steps"], state["weights"]
        assert isinstance(steps, int) and isinstance(weights, dict)
        found: dict[str, Tensor] = weights
        self._steps = steps
        self._weights = {name: tensor.to(self._weights[name], copy=True) for name, tensor in found.items()}
