"""One training in several processes, which `torchrun` starts: each has all weights, and a share of every batch.

All processes do the same in the same order; where they need what the others found, they sum it up. What each act draws
depends on the seed and on where the act stands, not on which process has it, so that the number of processes decides
nothing but the order of a few sums.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, TypeVar

import torch
from torch import Tensor, nn

from lexlattice.errors import LexLatticeError, brief

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

Item = TypeVar("Item")

_TOLD: Final = {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}
"""By `torchrun`, in the environment of each process it starts."""
_PATIENCE: Final = timedelta(days=7)
"""For the first process, which may have to prepare a lot of data. One that dies is noticed at once."""
_SPOKEN: Final = "lexlattice/spoken"


class Team:
    """The processes of a training, as one of them sees them."""

    def __init__(self, place: int, size: int, store: Store) -> None:
        self._place, self._store = place, store
        self._parent = os.getppid()
        self.size = size
        self.is_first = place == 0
        """The first process prepares data, writes and speaks for all."""

    def check(self, batch: int) -> None:
        """Refuse steps of so few acts that a process would have nothing to do."""
        if self.size > batch:
            raise LexLatticeError(
                f"There are {self.size} processes for {batch} acts a step; start fewer, or raise 'batch' in the "
                "configuration."
            )

    def meet(self) -> None:
        """Wait for all others; from then on, one that ends will end them all."""
        from torch import distributed

        with _meeting():
            distributed.init_process_group(
                "gloo", store=self._store, rank=self._place, world_size=self.size, timeout=_PATIENCE
            )
        signal.signal(signal.SIGTERM, _end)

    def share(self, items: Sequence[Item]) -> Sequence[Item]:
        """Those of the items that fall to this process."""
        return items[self._place :: self.size]

    def sum(self, values: Tensor) -> None:
        """Sum up what all processes have, in place; with zeros for the shares of others, that is: put it together."""
        from torch import distributed

        if os.getppid() != self._parent:
            raise _ended()
        try:
            distributed.all_reduce(values)
        except RuntimeError as error:  # somebody is gone
            raise _ended() from error

    def sum_gradients(self, module: nn.Module) -> None:
        """Sum up the gradients of all processes; a weight that nobody has one for is left without, so that it rests."""
        weights = [weight for weight in module.parameters() if weight.requires_grad]
        known = torch.tensor([float(weight.grad is not None) for weight in weights])
        flat = torch.cat([known, *(_gradient(weight).flatten() for weight in weights)])
        self.sum(flat)
        known, *sums = torch.split(flat, [len(weights), *(weight.numel() for weight in weights)])
        for weight, count, gradient in zip(weights, known.tolist(), sums, strict=True):
            weight.grad = gradient.view_as(weight) if count else None


@contextmanager
def joined() -> Iterator[Team | None]:
    """The team of this process, if `torchrun` started it; none for a process alone.

    Whatever ends a training ends it in all processes. The first one to know says why, and the others end silently.
    """
    if not os.environ.keys() >= _TOLD:
        yield None
        return
    from torch import distributed
    from torch.distributed.rendezvous import rendezvous

    with _meeting():
        store, place, size = next(rendezvous("env://"))
    try:
        yield Team(place, size, store)
    except LexLatticeError:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what is to be said will be said
        if _has_spoken(store):
            raise SystemExit(2) from None
        raise
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()


def _gradient(weight: nn.Parameter) -> Tensor:
    return torch.zeros_like(weight) if weight.grad is None else weight.grad


@contextmanager
def _meeting() -> Iterator[None]:
    """What fails here is that processes do not find each other."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise LexLatticeError(
            f"The processes of the training cannot reach each other ({brief(error)}); start them anew with torchrun."
        ) from error


def _end(*_: Any) -> None:
    """When one process ends, `torchrun` tells the others to end too."""
    raise _ended()


def _ended() -> LexLatticeError:
    return LexLatticeError(
        "The training was stopped, or one of its processes was; run the same command with --resume to go on."
    )


def _has_spoken(store: Store) -> bool:
    """Whether another process said already why the training ends; the next one to ask will be told that one did."""
    try:
        return store.add(_SPOKEN, 1) > 1
    except RuntimeError:
        return False
