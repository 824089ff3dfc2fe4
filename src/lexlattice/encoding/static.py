"""The embedded encoder: a bag of subwords for 24 languages, with NumPy only.

A bag-of-subwords model has no layers and ignores word order. Each subword (a whole word, a prefix of it, or a prefix of
its folded spelling; see `subwords`) has a trained vector. The vector of a word is the sum of its subwords' vectors, and
the vector of a text is the mean of its words', normalized to length one. Rare words have long vectors and frequent ones
short vectors, so that the sum weights words by their importance.

Vectors are quantized to four bits a number, memory-mapped from the file, and dequantized only for words that occur.
Words outside the vocabulary share rows by their hash, so that a name or number still matches itself in any language.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.lazy import cached_property
from lexlattice._internal.threads import one_blas_thread
from lexlattice._internal.weights import read_weights, sha256_of
from lexlattice.encoding.base import CHUNK_SIZE, EncodingError, Vectors, check_texts, progress_bar, warn_about_empty
from lexlattice.encoding.subwords import (
    MAX_LETTERS,
    Indices,
    Spelling,
    Words,
    embedding_rows,
    split_words,
    unique_words,
)
from lexlattice.errors import WeightsError

PATH: Final = Path(__file__).parent / "weights" / "static.safetensors"
_METHOD: Final = 1
"""Part of the fingerprint; increment it whenever this module or `subwords` computes different vectors."""
_BATCH_CHARACTERS: Final = 100_000
"""Characters that are encoded together: enough for words to recur, few enough to fit into a processor's cache."""
_CHUNK_GROUP: Final = 16
"""Chunks whose word vectors are gathered together."""
_WORD_BLOCK: Final = 256
"""Words whose subwords are dequantized together."""
_MAX_RECENT: Final = 8_192
"""Words whose vectors are kept for the next texts: 8 megabytes."""
_SLOT_BITS: Final = 16
_SLOT_SHIFT: Final = np.uint64(64 - _SLOT_BITS)
"""Shifting a hash by this leaves its first `_SLOT_BITS` bits."""
_ZERO_POINT: Final = np.float32(7.5)
"""Four bits are a number from 0 to 15; subtracting this centres it at zero."""


class _RecentWords(NamedTuple):
    """A cache of the vectors of recent words, immutable so that threads can share it."""

    hashes: NDArray[np.uint64]
    vectors: Vectors
    order: Indices
    """Indices that sort the hashes."""
    slots: NDArray[np.int32]
    """First bits of a hash → index of one word whose hash begins with them: finds most words without a search."""

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], vectors: Vectors) -> _RecentWords:
        """Build both indices."""
        slots = np.zeros(1 << _SLOT_BITS, np.int32)
        slots[hashes >> _SLOT_SHIFT] = np.arange(len(hashes))
        return cls(hashes, vectors, np.argsort(hashes), slots)

    def find(self, hashes: NDArray[np.uint64]) -> tuple[Indices, NDArray[np.bool_]]:
        """The index of each hash by binary search, and whether the hash is there at all."""
        at = np.minimum(np.searchsorted(self.hashes, hashes, sorter=self.order), len(self.order) - 1)
        indices = self.order[at]
        return indices, self.hashes[indices] == hashes


class Static:
    """The encoder that is part of the package, or one trained in the same way.

    Examples:
        >>> english, french, other = Static().encode(
        ...     [
        ...         "Member States shall inform the Commission.",
        ...         "Les États membres informent la Commission.",
        ...         "Hives are painted blue.",
        ...     ]
        ... )
        >>> bool(english @ french > english @ other)
        True
    """

    def __init__(self, path: str | os.PathLike[str] = PATH) -> None:
        """Open a weights file.

        Args:
            path: A safetensors file as `lexlattice encoder train` writes it.

        Raises:
            EncodingError: The file is missing or has no weights of such an encoder.
            WeightsError: The file that comes with the package is missing or damaged.
        """
        self.name = "static" if Path(path) == PATH else f"static:{path}"
        self._path = Path(path).expanduser().absolute()
        try:
            arrays, about = read_weights(self._path)
        except WeightsError as error:
            if self._path == PATH:  # not a wrong choice of the caller: the package itself is damaged
                raise
            raise EncodingError(str(error)) from error
        try:
            self._hashes, self._numbers, self._scales = (
                np.asarray(arrays[name]) for name in ("hashes", "numbers", "scales")
            )
            spelling = json.loads(about["spelling"])
            self._spelling = Spelling(**{kind: tuple(lengths) for kind, lengths in spelling.items()})
            self._check()
        except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise EncodingError(f"The file '{path}' has no weights of an embedded encoder.") from error
        self.dimensions: int = 2 * self._numbers.shape[1]
        self._recent = _RecentWords.of(np.zeros(1, np.uint64), np.zeros((1, self.dimensions), np.float32))

    def _check(self) -> None:
        """Refuse arrays that do not fit together: they would fail far from here, or give wrong vectors."""
        hashes, numbers, scales = self._hashes, self._numbers, self._scales
        lengths = (self._spelling.prefixes, self._spelling.folded, self._spelling.skeleton)
        if not (
            (hashes.dtype.name, hashes.ndim, numbers.dtype.name, numbers.ndim) == ("uint32", 1, "uint8", 2)
            and scales.dtype.kind == "f"
            and scales.shape == numbers.shape[:1]
            and 0 < len(hashes) < len(numbers)
            and numbers.shape[1] > 0
            and bool((hashes[1:] > hashes[:-1]).all())  # sorted, for binary search
            and all(type(length) is int and 0 < length <= MAX_LETTERS for some in lengths for length in some)
            and all(list(some) == sorted(set(some)) for some in lengths)
        ):
            raise ValueError

    def __reduce__(self) -> tuple[type[Static], tuple[Path]]:
        """Pickle the path instead of the weights."""
        return type(self), (self._path,)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the weights and of the method."""
        return hashlib.sha256(f"{sha256_of(self._path)} {_METHOD}".encode()).hexdigest()[:16]

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One vector of length one for each text: the mean of its words, or of its chunks if it is long."""
        listed = check_texts(texts)
        vectors = np.zeros((len(listed), self.dimensions), np.float32)
        with one_blas_thread(), progress_bar(len(listed), "text", progress) as advance:
            for batch in _batches(listed):
                vectors[batch] = self._mean_vectors(listed[batch])
                advance(batch.stop - batch.start)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, norms, out=vectors, where=norms > 0)
        warn_about_empty(vectors)
        return vectors

    @one_blas_thread()
    def encode_words(self, words: Sequence[str]) -> Vectors:
        """The vector of each word as it is added to that of a text; its length is the weight of the word.

        A string of several words gets the sum of their vectors.
        """
        found, counts = split_words(check_texts(words))
        vectors, indices = self._vectors_of(found)
        if (counts == 1).all():
            return vectors[indices]
        return _sum_runs(vectors, indices, np.cumsum(counts) - counts, counts)

    def _mean_vectors(self, texts: list[str]) -> Vectors:
        """The sum of each text's chunks, each the mean of its words; zero for texts without words."""
        words, counts = split_words(texts)
        vectors, indices = self._vectors_of(words)
        if counts.min(initial=1) > 0 and counts.max(initial=1) <= CHUNK_SIZE:  # one chunk each, as almost always
            means = _sum_runs(vectors, indices, np.cumsum(counts) - counts, counts)
            means /= counts[:, None].astype(np.float32)
            return means
        chunks = -(-counts // CHUNK_SIZE)  # rounded up
        # One entry for each chunk of each text: which text, and which chunk of it.
        text = np.repeat(np.arange(len(texts)), chunks)
        number = np.arange(len(text)) - np.repeat(np.cumsum(chunks) - chunks, chunks)
        # Chunks of a text differ by one word at most: the n-th of k chunks begins at word n * words // k.
        first = (np.cumsum(counts) - counts)[text]
        begins = first + counts[text] * number // chunks[text]
        lengths = first + counts[text] * (number + 1) // chunks[text] - begins
        means = _sum_runs(vectors, indices, begins, lengths)
        means /= lengths[:, None].astype(np.float32)
        # Almost all texts have one chunk: a plain assignment is much faster than `add.at`, which handles the rest.
        pooled = np.zeros((len(texts), self.dimensions), np.float32)
        pooled[text[number == 0]] = means[number == 0]
        np.add.at(pooled, text[number > 0], means[number > 0])
        return pooled

    def _vectors_of(self, words: Words) -> tuple[Vectors, Indices]:
        """A table of word vectors, and for each word its row in the table.

        Vectors of recent words are cached: an act is encoded by units and by words, and most of its words occur in the
        next act too. The cache is replaced as a whole, never changed, so that threads can share it.
        """
        recent, hashes = self._recent, words.hashes
        # First try: the one word in the slot of the hash. It is right for most words.
        indices = recent.slots[hashes >> _SLOT_SHIFT].astype(np.int64)
        missed = np.flatnonzero(recent.hashes[indices] != hashes)
        if not missed.size:
            return recent.vectors, indices
        # Second try: binary search for each distinct word that the slots missed.
        unique, missed_hashes, among = unique_words(words.take(missed))
        at, is_known = recent.find(missed_hashes)
        new = np.flatnonzero(~is_known)
        at[new] = len(recent.hashes) + np.arange(new.size)
        indices[missed] = at[among]
        if not new.size:
            return recent.vectors, indices
        # The rest is computed and appended to the table.
        all_hashes = np.concatenate([recent.hashes, missed_hashes[new]])
        vectors = np.concatenate([recent.vectors, self._compute(unique.take(new))])
        if len(all_hashes) <= _MAX_RECENT:
            self._recent = _RecentWords.of(all_hashes, vectors)
        elif len(used := np.unique(indices)) <= _MAX_RECENT:
            self._recent = _RecentWords.of(all_hashes[used], vectors[used])
        return vectors, indices

    def _compute(self, words: Words) -> Vectors:
        """The vector of each word: the sum of its subwords' vectors, dequantized block by block to stay in cache."""
        count, half = len(words.starts) - 1, self.dimensions // 2
        vectors = np.zeros((count, self.dimensions), np.float32)
        buffer = np.empty((_WORD_BLOCK, self.dimensions), np.float32)
        firsts = np.arange(0, count + _WORD_BLOCK, _WORD_BLOCK)
        buckets = len(self._numbers) - len(self._hashes)
        # Owners are sorted within a kind, so that a block of words is a slice of each kind.
        kinds = [
            (owners, rows, np.searchsorted(owners, firsts))
            for owners, rows in embedding_rows(words, self._spelling, self._hashes, buckets)
        ]
        for number, first in enumerate(firsts[:-1]):
            block = vectors[first : first + _WORD_BLOCK]
            for owners, rows, limits in kinds:
                some = slice(limits[number], limits[number + 1])
                packed = self._numbers[rows[some]]
                # A byte has a number of the first half of the vector in its low and one of the second half in its
                # high four bits.
                part = buffer[: len(packed)]
                part[:, :half] = packed & 15
                part[:, half:] = packed >> 4
                part -= _ZERO_POINT
                part *= self._scales[rows[some], None]
                # A plain `+=` is right, since no word occurs twice in a kind; `add.at` would be much slower.
                block[owners[some] - first] += part
        return vectors


def _sum_runs(vectors: Vectors, indices: Indices, begins: Indices, lengths: Indices) -> Vectors:
    """For each run of consecutive `indices`, the sum of the vectors they point to.

    A sum is computed as a product with ones, each run on its own: NumPy's matrix product is faster than its sum, and
    the result has the same bits whatever else is in the batch.
    """
    sums = np.zeros((len(begins), vectors.shape[1]), np.float32)
    longest = int(lengths.max(initial=0))
    ones = np.ones(longest, np.float32)
    ones_of = [ones[:count] for count in range(longest + 1)]
    totals = np.add.reduceat(lengths, np.arange(0, len(lengths), _CHUNK_GROUP)) if len(lengths) else lengths
    buffer = np.empty(
        (totals.max(initial=0), vectors.shape[1]), np.float32
    )  # reused: allocating costs more than summing
    for first, total in zip(range(0, len(begins), _CHUNK_GROUP), totals.tolist(), strict=True):
        start, counts = begins[first], lengths[first : first + _CHUNK_GROUP].tolist()
        # mode="clip" lets `take` write into `out` directly; no index is ever out of range.
        gathered = np.take(vectors, indices[start : start + total], axis=0, out=buffer[:total], mode="clip")
        end = 0
        for count, row in zip(counts, sums[first : first + _CHUNK_GROUP], strict=True):
            ones_of[count].dot(gathered[end : end + count], out=row)  # the method is much faster than the function
            end += count
    return sums


def _batches(texts: list[str]) -> Iterator[slice]:
    """Yield slices of consecutive texts with about `_BATCH_CHARACTERS` characters each."""
    first, characters = 0, 0
    for index, text in enumerate(texts):
        characters += len(text)
        if characters >= _BATCH_CHARACTERS:
            yield slice(first, index + 1)
            first, characters = index + 1, 0
    if first < len(texts):
        yield slice(first, len(texts))
