"""Classical summarizers, to be compared with at equal length: each gives every unit of an act a score."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, count
from statistics import median
from typing import Final, NamedTuple, TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act
from lexlattice.encoding.tokens import tokenizer

# LexRank, TextRank and the centroid: the units most like all others, in time linear in the act's length.

Vector: TypeAlias = NDArray[np.float64]

_DAMPING: Final = 0.85
_SETTLED: Final = 1e-12
"""Scores sum to one; once a step moves less than this of it in all, the walk has come to rest."""

_NEGLIGIBLE: Final = 1e-9
"""What TextRank's factors 1 / (log + log) may be wrong by; they are never below 0.03."""

_TILE: Final = 1 << 23
"""Similarities of vectors held at once: 32 megabytes."""


def lexrank(act: Act) -> Vector:
    """Continuous LexRank (Erkan and Radev, 2004): a damped walk among units by the cosines of their TF-IDF vectors."""
    return lexrank_of_texts(_texts(act))


def centroid(act: Act) -> Vector:
    """The cosine of each unit's TF-IDF vector with that of the whole act (Radev and others, 2004)."""
    return centroid_of_texts(_texts(act))


def textrank(act: Act) -> Vector:
    """TextRank (Mihalcea and Tarau, 2004): a damped walk among units by the words they share."""
    return textrank_of_texts(_texts(act))


def lexrank_of_texts(texts: Sequence[str]) -> Vector:
    """As `lexrank`, for texts that are no act.

    >>> lexrank_of_texts(["Hives are registered.", "The hives are public.", "The end."]).round(2).tolist()
    [0.33, 0.35, 0.32]
    """
    return _damped_walk(_tf_idf(texts).with_unit_rows().gram, len(texts))


def centroid_of_texts(texts: Sequence[str]) -> Vector:
    """As `centroid`, for texts that are no act."""
    weighted = _tf_idf(texts)
    whole = weighted.transposed_times(np.ones(len(texts)))
    return weighted.with_unit_rows().times(whole / (np.linalg.norm(whole) or 1.0))


def textrank_of_texts(texts: Sequence[str]) -> Vector:
    """As `textrank`, for texts that are no act."""
    counts = _Matrix.of(texts)
    words = _sums(counts.rows, counts.values, len(texts))
    shared = counts.where(words[counts.rows] > 1)
    shared = shared.where(shared.frequencies()[shared.columns] > 1).with_ones()
    lengths, which = np.unique(np.maximum(words, 2), return_inverse=True)
    factors = _inverse_sums(np.log(lengths))[:, which]
    loops = np.bincount(shared.rows, minlength=len(texts)) * (factors**2).sum(axis=0)

    def similarities_times(vector: Vector) -> Vector:
        product: Vector = -loops * vector
        for factor in factors:
            product += factor * shared.gram(factor * vector)
        return product

    return _damped_walk(similarities_times, len(texts))


def lexrank_of_vectors(vectors: NDArray[np.float32]) -> Vector:
    """LexRank over sentence vectors as the authors of EUR-Lex-Sum have it: undamped, by cosines or their exponentials.

    The exponentials are taken if any cosine is not positive. Either way similarities are symmetric, and a walk by
    symmetric weights rests on each place in proportion to the sum of its weights: there is nothing to iterate.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = (vectors / np.where(norms, norms, 1)).astype(np.float32, copy=False)
    if all(cosines.min() > 0 for cosines in _cosines(unit)):
        sums = unit @ unit.sum(axis=0, dtype=np.float64)
    else:
        sums = np.concatenate([np.exp(cosines).sum(axis=1, dtype=np.float64) for cosines in _cosines(unit)])
    return np.asarray(sums / sums.sum(), np.float64)


class _Matrix(NamedTuple):
    """A sparse matrix, units by terms; its entries are in the order of rows, then columns."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    values: Vector
    shape: tuple[int, int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> _Matrix:
        """How often each text has each term; terms are numbered as they are met."""
        tokens = tokenizer("unicode")
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        numbered = [[numbers[token] for token in tokens(text)] for text in texts]
        columns = np.fromiter(chain.from_iterable(numbered), np.int64)
        rows = np.repeat(np.arange(len(texts)), [len(line) for line in numbered])
        places, counts = np.unique(rows * len(numbers) + columns, return_counts=True)
        return cls(*np.divmod(places, max(len(numbers), 1)), counts.astype(np.float64), (len(texts), len(numbers)))

    def where(self, kept: NDArray[np.bool_]) -> _Matrix:
        """The matrix with some of its entries."""
        return self._replace(rows=self.rows[kept], columns=self.columns[kept], values=self.values[kept])

    def with_ones(self) -> _Matrix:
        """The matrix with all its entries made one."""
        return self._replace(values=np.ones(len(self.values)))

    def with_unit_rows(self) -> _Matrix:
        """The matrix with its rows, if they have entries at all, made one long."""
        lengths = np.sqrt(_sums(self.rows, self.values**2, self.shape[0]))
        return self._replace(values=self.values / lengths[self.rows])

    def frequencies(self) -> NDArray[np.intp]:
        """In how many rows each column has an entry."""
        return np.bincount(self.columns, minlength=self.shape[1])

    def times(self, vector: Vector) -> Vector:
        return _sums(self.rows, self.values * vector[self.columns], self.shape[0])

    def transposed_times(self, vector: Vector) -> Vector:
        return _sums(self.columns, self.values * vector[self.rows], self.shape[1])

    def gram(self, vector: Vector) -> Vector:
        """The products of all rows with each other, times a vector."""
        return self.times(self.transposed_times(vector))


def _sums(places: NDArray[np.intp], values: Vector, size: int) -> Vector:
    """What stands at each place, summed up in order; of the same type also where there is nothing."""
    return np.bincount(places, values, size).astype(np.float64, copy=False)


def _texts(act: Act) -> list[str]:
    return [unit.text for unit in act.units]


def _tf_idf(texts: Sequence[str]) -> _Matrix:
    """Counts by the logarithm of how rare a term is among the texts; one that all of them have weighs nothing."""
    counts = _Matrix.of(texts)
    rarity = np.log(len(texts) / counts.frequencies())[counts.columns]
    return counts._replace(values=counts.values * rarity).where(rarity > 0)


def _damped_walk(weights_times: Callable[[Vector], Vector], size: int) -> Vector:
    """Where a walk by symmetric weights is found, if at times it starts anew anywhere; so it does from a dead end."""
    if not size:
        return np.zeros(0)
    sums = weights_times(np.ones(size))
    shares = np.divide(_DAMPING, sums, out=np.zeros(size), where=sums > 0)
    anywhere = (1 - _DAMPING) / size
    scores: Vector = np.full(size, 1 / size)
    moved = 1.0
    while moved > _SETTLED:
        before = scores
        scores = anywhere + weights_times(shares * before)
        moved = np.abs(scores - before).sum()
    return scores / float(scores.sum())


def _inverse_sums(values: Vector) -> Vector:
    """Few rows, of which the products summed up are 1 / (a + b) for any two of the values.

    These quotients make a positive definite matrix, of which the eigenvalues fall so fast that a dozen suffice.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(1 / (values[:, None] + values))
    kept = eigenvalues > _NEGLIGIBLE
    return np.asarray((eigenvectors[:, kept] * np.sqrt(eigenvalues[kept])).T)


def _cosines(unit: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """All products of rows that are one long, so many of them at a time as memory may hold."""
    height = max(1, _TILE // max(len(unit), 1))
    for start in range(0, len(unit), height):
        yield unit[start : start + height] @ unit.T


# The two that need no thought, and without which no other figure means anything.


def lead(act: Act) -> NDArray[np.float64]:
    """The earlier, the better."""
    return -np.arange(len(act.units), dtype=np.float64)


def random(act: Act, seed: int = 0, draws: int | None = None) -> NDArray[np.float64]:
    """Scores at random, or a row of them for each of several draws; they depend on the seed and the act alone."""
    chance = np.random.default_rng([seed, crc32(act.source.encode("utf-8", "surrogatepass"))])
    return chance.random(len(act.units) if draws is None else (draws, len(act.units)))


# Classical summarizers, to be compared with at equal length: each gives every unit of an act a score.

__all__ = ["centroid", "lead", "lexrank", "lexrank_of_vectors", "random", "textrank"]


# The LexRank row of the EUR-Lex-Sum paper (Aumiller and others, 2022), by its authors' own rule.

ENGLISH_RATIO: Final = 127 / 37
"""R of the 1,129 English training acts."""

_FEWEST_WORDS: Final = 5


def segments(text: str) -> list[str]:
    r"""The lines that count: not headings, which begin with "=", and of five words or more.

    >>> segments("= Title of the act =\nArticle 1\n  The register is open to all. ")
    ['The register is open to all.']
    """
    lines = map(str.strip, text.split("\n"))
    return [line for line in lines if not line.startswith("=") and len(line.split(" ")) >= _FEWEST_WORDS]


def median_ratio(pairs: Iterable[tuple[str, str]]) -> float:
    """How many lines an act has for one of its summary, by the median of pairs of both."""
    counts = ((len(segments(act)), len(segments(summary))) for act, summary in pairs)
    return median(lines / wanted for lines, wanted in counts if wanted)


def extract(text: str, centrality: Callable[[list[str]], NDArray[np.floating]], ratio: float = ENGLISH_RATIO) -> str:
    """The most central lines of an act, in its own order; of equally central ones the first."""
    lines = segments(text)
    if not lines:
        return ""
    wanted = max(1, round(len(lines) / ratio))
    chosen = np.argsort(-centrality(lines), kind="stable")[:wanted]
    return "\n".join(lines[index] for index in sorted(chosen))
