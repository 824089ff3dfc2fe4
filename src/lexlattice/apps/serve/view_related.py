"""Which recitals and articles of an act are about the same: by the cosine similarity of the encoder's vectors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from lexlattice.act.document import Act
from lexlattice.lattice.features import MeaningFeatures
from lexlattice.lattice.grid import Floats

MOST_RELATED: Final = 3
_LEAST_SIMILARITY: Final = 0.4
"""Chosen by reading the pairs of the AI Act, DORA and Regulation (EU) 2018/1725: above it nearly all are about the
same subject, below it most are not."""
_HEADING: Final = 0.5
"""The weight of an article's heading beside its text. With it, articles found the recital on their own subject more
often than without: the one on delegated acts found that on implementing powers and not one that merely names them."""
_SHRINKAGE: Final = 5
"""The mean of N vectors is subtracted with a weight of N / (N + this): that of a few says little."""
_KINDS: Final = ("article", "annex")


class Related(NamedTuple):
    """Links between recitals and articles, the most similar first, each with the similarity."""

    of_sections: dict[int, list[list[float]]]
    """For articles and annexes, by index: places of the first units of recitals."""
    of_units: dict[int, list[list[float]]]
    """For recitals, by the place of their first unit: indexes of sections."""


def related_of(act: Act, features: MeaningFeatures) -> Related:
    """Find up to three recitals for each article and annex, and the reverse.

    What all recitals have in common, and what all articles do, is subtracted first: otherwise everything would be
    similar to the provisions that summarize the act.
    """
    places = {unit.id: place for place, unit in enumerate(act.units)}
    recitals = [[places[unit.id] for unit in recital.units] for recital in act.recitals]
    sections = [section for section in act.sections if section.kind in _KINDS and section.units]
    if not recitals or not sections:
        return Related({}, {})
    texts = [[places[unit.id] for unit in section.units] for section in sections]
    articles = _centred(_means(act, features.vectors, texts))
    articles += _HEADING * _centred(_normalized(features.headings[[section.index for section in sections]]))
    similarity = _centred(_means(act, features.vectors, recitals)) @ _normalized(articles).T
    firsts, indexes = [places[0] for places in recitals], [section.index for section in sections]
    return Related(_closest(similarity.T, indexes, firsts), _closest(similarity, firsts, indexes))


def _means(act: Act, vectors: Floats, groups: Iterable[Sequence[int]]) -> Floats:
    """The directions of the mean vectors of groups of units, weighted by their words."""
    words = np.array([unit.words for unit in act.units], np.float32)
    return _normalized(np.stack([words[group] @ vectors[group] for group in map(list, groups)]))


def _centred(vectors: Floats) -> Floats:
    """Subtract what all have in common; a vector of zeros, as of a heading that is not there, stays one."""
    present = np.asarray(vectors.any(axis=1))
    count = int(present.sum())
    if count < 2:
        return vectors
    mean = vectors[present].mean(axis=0) * np.float32(count / (count + _SHRINKAGE))
    return _normalized(np.where(present[:, None], vectors - mean, np.float32(0)))


def _normalized(vectors: Floats) -> Floats:
    lengths: Floats = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.float32(1e-9)), np.float32)


def _closest(similarity: Floats, keys: Sequence[int], names: Sequence[int]) -> dict[int, list[list[float]]]:
    """For each row the names of its closest columns that are close enough."""
    order = np.argsort(-similarity, axis=1, kind="stable")[:, :MOST_RELATED]
    found = {}
    for row, key in enumerate(keys):
        near = [
            [names[column], round(min(1.0, float(similarity[row, column])), 2)]
            for column in order[row].tolist()
            if similarity[row, column] >= _LEAST_SIMILARITY
        ]
        if near:
            found[key] = near
    return found
