"""Data-parallel training with `torchrun`: every process holds all weights and a shard of each batch.

All processes run the same loop in lockstep and all-reduce losses, rewards and gradients. Random numbers are seeded per
act, by the seed and the act's position, not per process; so the number of processes changes results by no more than the
order of a few sums.
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

from lexlattice.errors import ConfigError, LexLatticeError, TrainingError, brief

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

Item = TypeVar("Item")

_TORCHRUN_VARIABLES: Final = {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}
"""Set by `torchrun` in the environment of each process it starts."""
_TIMEOUT: Final = timedelta(days=7)
"""Long, since the main process may have to prepare a lot of data first. A process that dies is noticed at once."""
_ERROR_REPORTED: Final = "lexlattice/error-reported"
"""Key of the counter in the store by which only one process reports an error."""


class ProcessGroup:
    """The processes of a training run, from the point of view of one of them."""

    def __init__(self, rank: int, size: int, store: Store) -> None:
        self._rank, self._store = rank, store
        self._device = torch.device("cpu")
        """Where tensors are when they are summed: nccl sums on GPUs, gloo on the CPU."""
        self._parent = os.getppid()
        self.size = size
        self.is_main = rank == 0
        """The main process prepares data, writes files and reports progress."""

    def check(self, batch: int) -> None:
        """Raise ConfigError if a batch has fewer acts than there are processes."""
        if self.size > batch:
            raise ConfigError(
                f"There are {self.size} processes for a batch of {batch} acts; start fewer processes, or raise 'batch' "
                "in the configuration."
            )

    def connect(self, device: torch.device) -> None:
        """Wait for all other processes; from then on, one that ends will end them all.

        Args:
            device: where this process trains; with cuda, its own GPU.

        """
        from torch import distributed

        backend = backend_for(device)
        if backend == "nccl":  # needs a GPU
            torch.cuda.set_device(device)
            self._device = device
        with _connecting():
            distributed.init_process_group(
                backend, store=self._store, rank=self._rank, world_size=self.size, timeout=_TIMEOUT
            )
        signal.signal(signal.SIGTERM, _on_terminate)

    def shard(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return this process's share of the items."""
        return items[self._rank :: self.size]

    def all_reduce(self, values: Tensor) -> None:
        """Sum a tensor over all processes, in place. With zeros outside a process's shard, this gathers all shards."""
        from torch import distributed

        if os.getppid() != self._parent:  # torchrun is gone: nobody would ever end this process
            raise _interrupted()
        summed = values.to(self._device)  # the same tensor if it is there already
        try:
            distributed.all_reduce(summed)
        except RuntimeError as error:  # another process is gone
            raise _interrupted() from error
        if summed is not values:
            values.copy_(summed)

    def all_reduce_gradients(self, module: nn.Module) -> None:
        """Sum the gradients over all processes; parameters without a gradient anywhere keep none."""
        weights = [weight for weight in module.parameters() if weight.requires_grad]
        has_gradient = weights[0].new_tensor([float(weight.grad is not None) for weight in weights])
        gradients = [torch.zeros_like(weight) if weight.grad is None else weight.grad for weight in weights]
        # one flat buffer, so that a step needs a single all-reduce
        flat = torch.cat([has_gradient, *(gradient.flatten() for gradient in gradients)])
        self.all_reduce(flat)
        has_gradient, *sums = torch.split(flat, [len(weights), *(weight.numel() for weight in weights)])
        for weight, count, gradient in zip(weights, has_gradient.tolist(), sums, strict=True):
            # AdamW skips parameters without a gradient, and would decay those with a gradient of zero
            weight.grad = gradient.view_as(weight) if count else None


def backend_for(device: torch.device) -> str:
    """The backend of `torch.distributed`: nccl between GPUs of Nvidia, gloo between all others."""
    return "nccl" if device.type == "cuda" else "gloo"


@contextmanager
def process_group() -> Iterator[ProcessGroup | None]:
    """The process group if `torchrun` started this process; None for a single process.

    An error ends all processes. The first to notice reports it, and the others exit silently.
    """
    if not os.environ.keys() >= _TORCHRUN_VARIABLES:
        yield None
        return
    from torch import distributed
    from torch.distributed.rendezvous import rendezvous

    with _connecting():
        store, rank, size = next(rendezvous("env://"))
    try:
        yield ProcessGroup(rank, size, store)
    except LexLatticeError:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # let the error message be printed first
        if _is_reported(store):
            raise SystemExit(2) from None
        raise
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()


@contextmanager
def _connecting() -> Iterator[None]:
    """Translate the errors of processes that cannot find each other."""
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise TrainingError(
            f"The processes of the training cannot reach each other ({brief(error)}); restart them with torchrun."
        ) from error


def _on_terminate(*_: Any) -> None:
    """`torchrun` sends SIGTERM to the remaining processes when one ends."""
    raise _interrupted()


def _interrupted() -> TrainingError:
    return TrainingError("The training, or one of its processes, was stopped; resume it with --resume.")


def _is_reported(store: Store) -> bool:
    """Whether another process has reported the error; from now on, this one counts as the reporter."""
    try:
        return store.add(_ERROR_REPORTED, 1) > 1
    except RuntimeError:
        return False
