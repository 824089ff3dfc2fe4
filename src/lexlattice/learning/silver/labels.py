"""Which gold points each sentence of a summary states: what alignment is fitted on and measured by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from lexlattice.learning.silver.overlap import stems
from lexlattice.learning.silver.pairs import Floats, TextEncoder
from lexlattice.learning.silver.sentences import SummarySentence, in_words_of_acts

_BEST_SENTENCE: Final = 0.3
"""How similar a point must be to the sentence most similar to it, to be stated there."""
_BEST_POINT: Final = 0.42
"""How similar a sentence must be to the point most similar to it, if that is stated elsewhere too."""
_WORDS, _VECTORS, _ORDER = 0.6, 0.4, 0.25
"""Weights of shared words, of cosine similarity, and of distance: points follow the order of the summary."""


class GoldPoint(NamedTuple):
    """A gold point on an act as it was read."""

    text: str
    weight: int
    units: tuple[int, ...]


def rests_on(
    sentences: Sequence[SummarySentence], points: Sequence[GoldPoint], encoder: TextEncoder
) -> list[tuple[int, ...] | None]:
    """For each sentence the units of the points it states: none where the act does not state them; None if unknown."""
    if not sentences or not points:
        return [None] * len(sentences)
    similarity = _similarity(sentences, points, encoder)
    best_sentence, best_point = similarity.argmax(axis=0), similarity.argmax(axis=1)
    found: list[tuple[int, ...] | None] = []
    for number, row in enumerate(similarity):
        stated = {n for n in range(len(points)) if best_sentence[n] == number and row[n] >= _BEST_SENTENCE}
        if row[best_point[number]] >= _BEST_POINT:
            stated.add(int(best_point[number]))
        found.append(tuple(sorted({unit for n in stated for unit in points[n].units})) if stated else None)
    return found


def _similarity(sentences: Sequence[SummarySentence], points: Sequence[GoldPoint], encoder: TextEncoder) -> Floats:
    """Sentences × points."""
    texts = [in_words_of_acts(point.text) for point in points]
    theirs = [set(stems(text)) for text in texts]
    full = [set(stems(sentence.full)) for sentence in sentences]
    own = [set(stems(in_words_of_acts(sentence.text))) for sentence in sentences]
    frequency = Counter(word for words in (*full, *theirs) for word in words)
    count = len(full) + len(theirs)

    def mass(words: set[str]) -> float:
        return max(1e-6, sum(float(np.log((count + 1) / max(1, frequency[word]))) for word in words))

    masses = [mass(words) for words in theirs]
    overlap = np.zeros((len(sentences), len(points)))
    for some in (full, own):
        for row, words in enumerate(some):
            scale = mass(words)
            overlap[row] += [
                0.5 * mass(words & other) / np.sqrt(scale * size) for other, size in zip(theirs, masses, strict=True)
            ]
    cosine = encoder.encode([sentence.full for sentence in sentences]) @ encoder.encode(texts).T
    places = (np.arange(len(sentences)) + 0.5)[:, None] / len(sentences), (np.arange(len(points)) + 0.5) / len(points)
    similarity = _WORDS * overlap + _VECTORS * cosine - _ORDER * np.abs(places[0] - places[1])
    return similarity.astype(np.float32)
