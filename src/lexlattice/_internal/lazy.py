"""What is computed once for an object: a property, or a function of it. Without a lock.

Before Python 3.12, `functools.cached_property` takes one lock for all instances of a class. A process that is forked
while another thread holds it waits for ever. Here two threads may both compute a value, which is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, TypeVar, overload

S = TypeVar("S")
T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801  (named like the one in functools, which it replaces)
    """Computes a value at first access and stores it in the instance's dictionary, where it is found from then on."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[T]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> cached_property[T] | T:
        if instance is None:
            return self
        value: T = instance.__dict__.setdefault(self._name, self._compute(instance))
        return value


def once(compute: Callable[[S], T]) -> Callable[[S], T]:
    """Compute a function of an object once for each object, and keep the result with it, as a cached property does.

    For what several packages derive from the same object, above the one that defines it. The object must not change,
    and callers must not change the result.
    """
    name = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def computed_once(instance: S) -> T:
        kept: dict[str, Any] = instance.__dict__
        if name not in kept:
            kept.setdefault(name, compute(instance))
        value: T = kept[name]
        return value

    return computed_once
