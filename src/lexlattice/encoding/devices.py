"""The device that PyTorch computes on, for encoders, training, BERTScore and the models of others.

Everything that needs a GPU to run at all is in this module, in `parallel` (nccl) and in the few lines that say so.
Tests choose the device by a fake backend; the arithmetic itself is PyTorch's, the same code on every device.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from lexlattice.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    import torch

DEVICES: Final = ("auto", "cpu", "cuda", "mps")
"""The names that commands and functions accept; `auto` is cuda, mps or cpu, the first that there is."""
_LOCAL_RANK: Final = "LOCAL_RANK"
"""The number of a process on its machine, set by `torchrun`: the process uses the GPU of that number."""


def choose_device(name: str = "auto") -> torch.device:
    """Return the device of that name.

    Args:
        name: One of `DEVICES`.

    Returns:
        The device, for cuda with the number of the GPU.

    Raises:
        OptionError: There is no such name, or no such device on this machine.
        MissingExtraError: PyTorch is not installed.

    """
    if name not in DEVICES:
        raise OptionError(f"There is no device '{name}'; choose one of: {', '.join(DEVICES)}.")
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError("Choosing a device", "train") from error
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if name == "auto":
        name = next(kind for kind, is_there in available.items() if is_there)
    elif not available[name]:
        raise OptionError(
            f"PyTorch finds no device '{name}' here; choose cpu or auto, or install PyTorch and a driver for it."
        )
    return torch.device(name, _gpu()) if name == "cuda" else torch.device(name)


def _gpu() -> int:
    """The GPU of this process: the first one, or under `torchrun` the one with the number of the process."""
    import torch

    rank, count = os.environ.get(_LOCAL_RANK, "0"), torch.cuda.device_count()
    if not rank.isdecimal() or int(rank) >= count:
        raise OptionError(f"Process {rank} has no GPU, since there are {count}; start no more processes than GPUs.")
    return int(rank)


def is_gpu(device: torch.device) -> bool:
    """Whether a device is not the CPU."""
    return device.type != "cpu"


# --- random numbers: whatever matters is drawn on the CPU; only dropout draws on the device itself ---------


def seed(device: torch.device, number: int) -> None:
    """Seed the default generators of the CPU and of a device.

    `torch.manual_seed` would do so for all devices, and collect one more callback with each call where there is none.
    """
    import torch

    torch.default_generator.manual_seed(number)
    if device.type == "cuda":  # needs a GPU
        torch.cuda.default_generators[device.index].manual_seed(number)
    elif device.type == "mps":  # needs a GPU
        torch.mps.manual_seed(number)


def random_state(device: torch.device) -> torch.Tensor | None:
    """The state of a GPU's default generator; None for the CPU, whose state is that of PyTorch itself."""
    import torch

    if device.type == "cuda":  # needs a GPU
        return torch.cuda.get_rng_state(device)
    return torch.mps.get_rng_state() if device.type == "mps" else None


def set_random_state(device: torch.device, state: torch.Tensor | None) -> None:
    """Restore what `random_state` returned; the state of another kind of device is ignored."""
    import torch

    if state is not None and device.type == "cuda":  # needs a GPU
        torch.cuda.set_rng_state(state, device)
    elif state is not None and device.type == "mps":  # needs a GPU
        torch.mps.set_rng_state(state)


@contextmanager
def deterministic(device: torch.device) -> Iterator[None]:
    """Use deterministic algorithms, and leave the caller's random state untouched.

    On a GPU a few operations have no deterministic algorithm; there PyTorch warns instead of failing.
    """
    import torch

    before = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    if device.type == "cuda":  # needs a GPU; cuBLAS reads this when it is first used
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    state = random_state(device)
    torch.use_deterministic_algorithms(True, warn_only=is_gpu(device))
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        set_random_state(device, state)
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
