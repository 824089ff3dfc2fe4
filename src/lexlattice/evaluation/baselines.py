"""Classical summarizers as baselines: each gives every unit of an act a score.

LexRank, TextRank and the centroid prefer the units that are most similar to all others. They never build the matrix of
similarities, so their time is linear in the length of the act.
"""

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

Vector: TypeAlias = NDArray[np.float64]

_DAMPING: Final = 0.85
_CONVERGED: Final = 1e-12
"""Scores sum to one; the power iteration ends once a step changes them by less than this in total."""

_NEGLIGIBLE: Final = 1e-9
"""Tolerated error of TextRank's factors 1 / (log + log), which are never below 0.03."""

_TILE: Final = 1 << 23
"""Cosine similarities held in memory at once: 32 MB."""


def lexrank(act: Act) -> Vector:
    """Continuous LexRank (Erkan and Radev, 2004): PageRank over the cosine similarities of TF-IDF vectors."""
    return lexrank_of_texts(_texts(act))


def centroid(act: Act) -> Vector:
    """The cosine similarity of each unit's TF-IDF vector to that of the whole act (Radev et al., 2004)."""
    return centroid_of_texts(_texts(act))


def textrank(act: Act) -> Vector:
    """TextRank (Mihalcea and Tarau, 2004): PageRank over the number of shared words, normalized by length."""
    return textrank_of_texts(_texts(act))


def lexrank_of_texts(texts: Sequence[str]) -> Vector:
    """LexRank of any texts.

    >>> lexrank_of_texts(["Hives are registered.", "The hives are public.", "The end."]).round(2).tolist()
    [0.33, 0.35, 0.32]
    """
    return _pagerank(_tf_idf(texts).with_unit_rows().gram, len(texts))


def centroid_of_texts(texts: Sequence[str]) -> Vector:
    """Centroid scores of any texts."""
    weighted = _tf_idf(texts)
    whole = weighted.transposed_times(np.ones(len(texts)))
    return weighted.with_unit_rows().times(whole / (np.linalg.norm(whole) or 1.0))


def textrank_of_texts(texts: Sequence[str]) -> Vector:
    """TextRank of any texts."""
    counts = _Matrix.of(texts)
    words = _sums(counts.rows, counts.values, len(texts))
    shared = counts.where(words[counts.rows] > 1)
    shared = shared.where(shared.frequencies()[shared.columns] > 1).with_ones()
    # The similarity of units i and j is (words shared) / (log |i| + log |j|). `_inverse_sums` writes the quotients as a
    # sum of a dozen products f(i) · f(j), so multiplying by the matrix of similarities takes a dozen sparse products.
    lengths, which = np.unique(np.maximum(words, 2), return_inverse=True)
    factors = _inverse_sums(np.log(lengths))[:, which]
    # Similarities of units to themselves, which do not count.
    loops = np.bincount(shared.rows, minlength=len(texts)) * (factors**2).sum(axis=0)

    def similarities_times(vector: Vector) -> Vector:
        product: Vector = -loops * vector
        for factor in factors:
            product += factor * shared.gram(factor * vector)
        return product

    return _pagerank(similarities_times, len(texts))


def lexrank_of_vectors(vectors: NDArray[np.float32]) -> Vector:
    """LexRank over sentence vectors by the rule of the authors of EUR-Lex-Sum: undamped.

    Similarities are cosines, or their exponentials if any cosine is not positive. They are symmetric either way, and
    the stationary distribution of a random walk with symmetric weights is proportional to the sums of weights: there
    is no need to iterate.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = (vectors / np.where(norms, norms, 1)).astype(np.float32, copy=False)
    if all(cosines.min() > 0 for cosines in _cosines(unit)):
        sums = unit @ unit.sum(axis=0, dtype=np.float64)
    else:
        sums = np.concatenate([np.exp(cosines).sum(axis=1, dtype=np.float64) for cosines in _cosines(unit)])
    return np.asarray(sums / sums.sum(), np.float64)


class _Matrix(NamedTuple):
    """A sparse matrix, units × terms, with its entries sorted by row, then column."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    values: Vector
    shape: tuple[int, int]

    @classmethod
    def of(cls, texts: Sequence[str]) -> _Matrix:
        """Count the terms of each text; terms are numbered in order of first occurrence."""
        tokens = tokenizer("unicode")
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        numbered = [[numbers[token] for token in tokens(text)] for text in texts]
        columns = np.fromiter(chain.from_iterable(numbered), np.int64)
        rows = np.repeat(np.arange(len(texts)), [len(line) for line in numbered])
        # One code per (row, column), so that `unique` counts and sorts the entries.
        places, counts = np.unique(rows * len(numbers) + columns, return_counts=True)
        return cls(*np.divmod(places, max(len(numbers), 1)), counts.astype(np.float64), (len(texts), len(numbers)))

    def where(self, kept: NDArray[np.bool_]) -> _Matrix:
        """The matrix with only these entries."""
        return self._replace(rows=self.rows[kept], columns=self.columns[kept], values=self.values[kept])

    def with_ones(self) -> _Matrix:
        """The matrix with all entries set to one."""
        return self._replace(values=np.ones(len(self.values)))

    def with_unit_rows(self) -> _Matrix:
        """The matrix with its non-empty rows normalized to unit length."""
        lengths = np.sqrt(_sums(self.rows, self.values**2, self.shape[0]))
        return self._replace(values=self.values / lengths[self.rows])

    def frequencies(self) -> NDArray[np.intp]:
        """The number of rows with an entry, by column (document frequency)."""
        return np.bincount(self.columns, minlength=self.shape[1])

    def times(self, vector: Vector) -> Vector:
        return _sums(self.rows, self.values * vector[self.columns], self.shape[0])

    def transposed_times(self, vector: Vector) -> Vector:
        return _sums(self.columns, self.values * vector[self.rows], self.shape[1])

    def gram(self, vector: Vector) -> Vector:
        """The Gram matrix (all products of rows) times a vector, without building the matrix."""
        return self.times(self.transposed_times(vector))


def _sums(places: NDArray[np.intp], values: Vector, size: int) -> Vector:
    """Sum values by place; also float64 when there are no values, where `bincount` returns integers."""
    return np.bincount(places, values, size).astype(np.float64, copy=False)


def _texts(act: Act) -> list[str]:
    return [unit.text for unit in act.units]


def _tf_idf(texts: Sequence[str]) -> _Matrix:
    """Term counts × log(texts / document frequency), without the terms that occur in every text."""
    counts = _Matrix.of(texts)
    idf = np.log(len(texts) / counts.frequencies())[counts.columns]
    return counts._replace(values=counts.values * idf).where(idf > 0)


def _pagerank(weights_times: Callable[[Vector], Vector], size: int) -> Vector:
    """PageRank by power iteration; `weights_times` multiplies a vector by the symmetric matrix of weights.

    Nodes without weights teleport, like the random jumps of the damping.
    """
    if not size:
        return np.zeros(0)
    sums = weights_times(np.ones(size))
    shares = np.divide(_DAMPING, sums, out=np.zeros(size), where=sums > 0)
    teleport = (1 - _DAMPING) / size
    scores: Vector = np.full(size, 1 / size)
    change = 1.0
    while change > _CONVERGED:
        before = scores
        scores = teleport + weights_times(shares * before)
        change = np.abs(scores - before).sum()
    return scores / float(scores.sum())


def _inverse_sums(values: Vector) -> Vector:
    """A low-rank factorization F of the matrix 1 / (a + b) over all pairs of values: its entries are those of FᵀF.

    The (Cauchy) matrix is positive definite, and its eigenvalues fall so fast that about a dozen suffice.
    """
    eigenvalues, eigenvectors = np.linalg.eigh(1 / (values[:, None] + values))
    kept = eigenvalues > _NEGLIGIBLE
    return np.asarray((eigenvectors[:, kept] * np.sqrt(eigenvalues[kept])).T)


def _cosines(unit: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """All cosine similarities of unit vectors, in blocks of rows that fit into memory."""
    height = max(1, _TILE // max(len(unit), 1))
    for start in range(0, len(unit), height):
        yield unit[start : start + height] @ unit.T


# Trivial baselines


def lead(act: Act) -> NDArray[np.float64]:
    """Score units by position: the earlier, the higher."""
    return -np.arange(len(act.units), dtype=np.float64)


def random(act: Act, seed: int = 0, draws: int | None = None) -> NDArray[np.float64]:
    """Random scores, or a row of them for each of several draws; determined by the seed and the act."""
    rng = np.random.default_rng([seed, crc32(act.source.encode("utf-8", "surrogatepass"))])
    return rng.random(len(act.units) if draws is None else (draws, len(act.units)))


# The LexRank baseline of the EUR-Lex-Sum paper (Aumiller et al., 2022), by its authors' rule for length

ENGLISH_RATIO: Final = 127 / 37
"""Lines of an act per line of its summary: the median of the 1,129 English training acts."""

_MIN_WORDS: Final = 5


def segments(text: str) -> list[str]:
    r"""The lines of at least five words that are not headings (which begin with "=").

    >>> segments("= Title of the act =\nArticle 1\n  The register is open to all. ")
    ['The register is open to all.']
    """
    lines = map(str.strip, text.split("\n"))
    return [line for line in lines if not line.startswith("=") and len(line.split(" ")) >= _MIN_WORDS]


def median_ratio(pairs: Iterable[tuple[str, str]]) -> float:
    """The median ratio of an act's lines to its summary's lines, over pairs of act and summary."""
    counts = ((len(segments(act)), len(segments(summary))) for act, summary in pairs)
    return median(lines / summary for lines, summary in counts if summary)


def extract_lines(
    text: str, centrality: Callable[[list[str]], NDArray[np.floating]], ratio: float = ENGLISH_RATIO
) -> str:
    """The most central lines of an act in document order; of equally central lines the first."""
    lines = segments(text)
    if not lines:
        return ""
    count = max(1, round(len(lines) / ratio))
    chosen = np.argsort(-centrality(lines), kind="stable")[:count]
    return "\n".join(lines[index] for index in sorted(chosen))
