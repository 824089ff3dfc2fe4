"""How often a text finds its translation: what an encoder for several languages must be able to do."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

_ROUNDING: Final = 1e-6
"""Cosines that differ by less are equal: in which order a product is summed depends on the processor."""


def precision_at_1(queries: NDArray[np.float32], candidates: NDArray[np.float32]) -> float:
    """The share of queries whose own candidate, the one at the same place, is nearer by cosine than every other.

    A tie is a miss: a vector that is the same for all texts finds nothing.

    >>> precision_at_1(np.eye(3, dtype=np.float32), np.eye(3, dtype=np.float32))
    1.0
    >>> precision_at_1(np.ones((3, 2), np.float32), np.ones((3, 2), np.float32))
    0.0
    """
    if queries.shape != candidates.shape or not len(queries):
        raise ValueError("there must be as many candidates as queries, and one at least")
    nearness = _unit(queries) @ _unit(candidates).T
    own = nearness.diagonal().copy()
    np.fill_diagonal(nearness, -np.inf)
    return float((own > nearness.max(axis=1) + _ROUNDING).mean())


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled: NDArray[np.float32] = np.divide(vectors, largest, out=np.zeros_like(vectors), where=largest > 0)
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    np.divide(scaled, norms, out=scaled, where=norms > 0)
    return scaled
