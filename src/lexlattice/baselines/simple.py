"""The two that need no thought, and without which no other figure means anything."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import Act


def lead(act: Act) -> NDArray[np.float64]:
    """The earlier, the better."""
    return -np.arange(len(act.units), dtype=np.float64)


def random(act: Act, seed: int = 0, draws: int | None = None) -> NDArray[np.float64]:
    """Scores at random, or a row of them for each of several draws; they depend on the seed and the act alone."""
    chance = np.random.default_rng([seed, crc32(act.source.encode("utf-8", "surrogatepass"))])
    return chance.random(len(act.units) if draws is None else (draws, len(act.units)))
