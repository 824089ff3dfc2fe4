"""The threads of a training: one unless more are asked for.

Acts are small: a step multiplies matrices of a few hundred rows, and on two threads it takes longer than on one. On a
busy machine, threads that wait for each other take several times as long. One thread also gives the same weights on
every machine, since sums over several threads depend on their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from threadpoolctl import threadpool_limits

from lexlattice.errors import OptionError


def check_threads(count: int) -> None:
    """Raise an OptionError if there cannot be N threads."""
    if count < 1:
        raise OptionError(f"A training cannot use {count} threads; give a number from 1.")


@contextmanager
def limit_threads(count: int) -> Iterator[None]:
    """Let PyTorch and NumPy use N threads within the block, and as many as before after it."""
    before = torch.get_num_threads()
    with threadpool_limits(limits=count):
        torch.set_num_threads(count)
        try:
            yield
        finally:
            torch.set_num_threads(before)
