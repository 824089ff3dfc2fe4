"""A GPU made of the CPU: tensors that refuse to meet those of the CPU, so that tests find what would fail on a GPU.

`DEVICE` stands for it. Within `fake_gpu()`, whatever is created there or moved there becomes a `OnGpu` tensor. An
operation on such a tensor and one of the CPU raises an AssertionError, as does `numpy()` without `force`. Gradients are
not followed: call losses and rollouts within, and `backward` never.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map_only

DEVICE = torch.device("meta")
"""A device that every PyTorch knows, and that nothing in the package uses."""
_READING = ("item", "tolist", "__float__", "__int__", "__bool__", "__repr__", "__len__", "__format__")


class OnGpu(Tensor):
    """A tensor on the fake GPU."""

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func == Tensor.device.__get__:  # a new object with every access
            return DEVICE
        name = getattr(func, "__name__", "")
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        beside = [tensor for tensor in tensors if not isinstance(tensor, OnGpu) and _plain(tensor).dim()]
        assert not beside or name in ("to", "copy_"), f"{name} has tensors on two devices"
        assert name != "numpy" or kwargs.get("force"), "numpy() needs force=True on a GPU"
        if name == "cpu" or (name == "to" and _target(args[1:], kwargs) == torch.device("cpu")):
            return _plain(args[0])
        args, kwargs = tree_map_only(Tensor, _plain, (args, kwargs))
        args, kwargs = tree_map_only(torch.device, lambda device: torch.device("cpu"), (args, kwargs))
        with torch._C.DisableTorchFunctionSubclass():
            result = func(*args, **kwargs)
        return result if name in (*_READING, "numpy") else tree_map_only(Tensor, _wrapped, result)


class _Moving(TorchFunctionMode):
    """Creates tensors on the fake GPU, and moves them there."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if kwargs.get("device") == DEVICE:
            return _wrapped(func(*args, **{**kwargs, "device": "cpu"}))
        is_moved = getattr(func, "__name__", "") == "to" and _target(args[1:], kwargs) == DEVICE
        return _wrapped(args[0]) if is_moved and not isinstance(args[0], OnGpu) else func(*args, **kwargs)


@contextmanager
def fake_gpu(*modules: nn.Module) -> Iterator[None]:
    """Put modules on the fake GPU for good, and let tensors go there within the block."""
    for module in modules:
        for part in module.modules():
            for name, weight in part._parameters.items():
                part._parameters[name] = None if weight is None else nn.Parameter(_wrapped(weight.detach()))
            for name, buffer in part._buffers.items():
                part._buffers[name] = None if buffer is None else _wrapped(buffer)
    with _Moving():
        yield


def _target(args: tuple[Any, ...], kwargs: dict[str, Any]) -> torch.device | None:
    """The device that `to` moves to; None if it changes the type only."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, Tensor | torch.device):
            return value if isinstance(value, torch.device) else value.device
        if value in ("cpu", "meta"):
            return torch.device(value)
    return None


def _wrapped(tensor: Tensor) -> Tensor:
    return tensor.as_subclass(OnGpu)


def _plain(tensor: Tensor) -> Tensor:
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.as_subclass(Tensor)
