"""The embedded encoder: a vector for each subword, summed over words and texts; NumPy only, 24 languages, no network.

A text is the bag of its words, a word the bag of its subwords. Vectors are kept in four bits a number, mapped from
the file, and made whole for the words that occur; words outside the vocabulary share rows by their hash, so that a
name or number still meets itself in another language.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.threads import one_blas_thread
from lexlattice._internal.weights import read_weights
from lexlattice.encoding.base import CHUNK, EncodingError, Vectors, checked, progress_bar, report_empty
from lexlattice.encoding.subwords import LONGEST, Places, Spelling, Words, distinct, rows, split
from lexlattice.errors import LexLatticeError

PATH: Final = Path(__file__).parent / "weights" / "static.safetensors"
_METHOD: Final = 1
"""To be raised whenever this module or `subwords` makes other vectors of the same weights."""
_BATCH: Final = 100_000
"""Characters that are encoded together: enough for words to recur, few enough to fit into a processor's cache."""
_GROUP: Final = 16
"""Chunks whose words are summed together."""
_BLOCK: Final = 256
"""Words whose subwords are made whole together."""
_REMEMBERED: Final = 8_192
"""Words whose vectors are kept for the next texts: 8 megabytes."""
_SLOT_BITS: Final = 16
_NOT_SLOT: Final = np.uint64(64 - _SLOT_BITS)
_MIDDLE: Final = np.float32(7.5)
"""Four bits are a number from 0 to 15; taken from this, positive or negative."""


class _Recent(NamedTuple):
    """Words that were met lately: their hashes, their vectors, and two ways to find them."""

    hashes: NDArray[np.uint64]
    vectors: Vectors
    order: Places
    """Their places by rising hash."""
    slots: NDArray[np.int32]
    """By the first bits of a hash the place of one word that has them: most words are found without a search."""

    @classmethod
    def of(cls, hashes: NDArray[np.uint64], vectors: Vectors) -> _Recent:
        """Words that can be found."""
        slots = np.zeros(1 << _SLOT_BITS, np.int32)
        slots[hashes >> _NOT_SLOT] = np.arange(len(hashes))
        return cls(hashes, vectors, np.argsort(hashes), slots)

    def find(self, hashes: NDArray[np.uint64]) -> tuple[Places, NDArray[np.bool_]]:
        """The place of each word, and whether it is there."""
        at = np.minimum(np.searchsorted(self.hashes, hashes, sorter=self.order), len(self.order) - 1)
        places = self.order[at]
        return places, self.hashes[places] == hashes


class Static:
    """The encoder that comes with the package, or one trained in the same way."""

    def __init__(self, path: str | os.PathLike[str] = PATH) -> None:
        self.name = "static" if Path(path) == PATH else f"static:{path}"
        self._path = Path(path).expanduser().absolute()
        try:
            arrays, about = read_weights(self._path)
        except LexLatticeError as error:
            raise EncodingError(str(error)) from error
        try:
            self._hashes, self._numbers, self._scales = (
                np.asarray(arrays[name]) for name in ("hashes", "numbers", "scales")
            )
            spelling = json.loads(about["spelling"])
            self._spelling = Spelling(**{kind: tuple(lengths) for kind, lengths in spelling.items()})
            self._check()
        except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise EncodingError(f"The file '{path}' holds no weights of an embedded encoder.") from error
        self.dimensions: int = 2 * self._numbers.shape[1]
        self._recent = _Recent.of(np.zeros(1, np.uint64), np.zeros((1, self.dimensions), np.float32))

    def _check(self) -> None:
        """Arrays that do not belong together would end in an error far from here, or in nonsense."""
        hashes, numbers, scales = self._hashes, self._numbers, self._scales
        lengths = (self._spelling.prefixes, self._spelling.folded, self._spelling.skeleton)
        if not (
            (hashes.dtype.name, hashes.ndim, numbers.dtype.name, numbers.ndim) == ("uint32", 1, "uint8", 2)
            and scales.dtype.kind == "f"
            and scales.shape == numbers.shape[:1]
            and 0 < len(hashes) < len(numbers)
            and numbers.shape[1] > 0
            and bool((hashes[1:] > hashes[:-1]).all())
            and all(type(length) is int and 0 < length <= LONGEST for some in lengths for length in some)
            and all(list(some) == sorted(set(some)) for some in lengths)
        ):
            raise ValueError

    def __reduce__(self) -> tuple[type[Static], tuple[Path]]:
        """To another process goes the path, not the numbers."""
        return type(self), (self._path,)

    @cached_property
    def fingerprint(self) -> str:
        """Digest of the weights, and of the way they are used."""
        with self._path.open("rb") as file:
            weights = hashlib.file_digest(file, "sha256").hexdigest()
        return hashlib.sha256(f"{weights} {_METHOD}".encode()).hexdigest()[:16]

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One vector of length one for each text: the mean of its words; of its chunks, where it is long."""
        listed = checked(texts)
        vectors = np.zeros((len(listed), self.dimensions), np.float32)
        with one_blas_thread(), progress_bar(len(listed), "text", progress) as done:
            for batch in _batches(listed):
                vectors[batch] = self._pooled(listed[batch])
                done(batch.stop - batch.start)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        np.divide(vectors, norms, out=vectors, where=norms > 0)
        report_empty(vectors)
        return vectors

    @one_blas_thread()
    def encode_words(self, words: Sequence[str]) -> Vectors:
        """The vector of each word as it goes into the sum of a text: its length is the word's weight.

        A string of several words has the sum of theirs.
        """
        found, counts = split(checked(words))
        vectors, places = self._distinct_vectors(found)
        if (counts == 1).all():
            return vectors[places]
        return _sums(vectors, places, np.cumsum(counts) - counts, counts)

    def _pooled(self, texts: list[str]) -> Vectors:
        """The mean of each text's chunks, each the mean of its words; zero for texts without words."""
        words, counts = split(texts)
        vectors, places = self._distinct_vectors(words)
        chunks = -(-counts // CHUNK)
        text = np.repeat(np.arange(len(texts)), chunks)
        number = np.arange(len(text)) - np.repeat(np.cumsum(chunks) - chunks, chunks)
        first = (np.cumsum(counts) - counts)[text]
        begins = first + counts[text] * number // chunks[text]
        lengths = first + counts[text] * (number + 1) // chunks[text] - begins
        means = _sums(vectors, places, begins, lengths) / lengths[:, None].astype(np.float32)
        pooled = np.zeros((len(texts), self.dimensions), np.float32)
        pooled[text[number == 0]] = means[number == 0]
        np.add.at(pooled, text[number > 0], means[number > 0])
        return pooled

    def _distinct_vectors(self, words: Words) -> tuple[Vectors, Places]:
        """Vectors of words, and where each word's is.

        Those of the last texts are remembered: an act is encoded by its units and by its words, and most of its words
        are in the next act too. What is remembered is replaced as a whole, so that threads can share it.
        """
        known, hashes = self._recent, words.hashes
        places = known.slots[hashes >> _NOT_SLOT].astype(np.int64)
        missed = np.flatnonzero(known.hashes[places] != hashes)
        if not missed.size:
            return known.vectors, places
        unique, missing, among = distinct(words.take(missed))
        at, is_known = known.find(missing)
        new = np.flatnonzero(~is_known)
        at[new] = len(known.hashes) + np.arange(new.size)
        places[missed] = at[among]
        if not new.size:
            return known.vectors, places
        together = np.concatenate([known.hashes, missing[new]])
        vectors = np.concatenate([known.vectors, self._word_vectors(unique.take(new))])
        if len(together) <= _REMEMBERED:
            self._recent = _Recent.of(together, vectors)
        elif len(used := np.unique(places)) <= _REMEMBERED:
            self._recent = _Recent.of(together[used], vectors[used])
        return vectors, places

    def _word_vectors(self, words: Words) -> Vectors:
        """Sums of subwords, some words at a time and kind by kind, so that all that is added to stays near."""
        count, half = len(words.starts) - 1, self.dimensions // 2
        vectors = np.zeros((count, self.dimensions), np.float32)
        whole = np.empty((_BLOCK, self.dimensions), np.float32)
        firsts = np.arange(0, count + _BLOCK, _BLOCK)
        kinds = [
            (owners, places, np.searchsorted(owners, firsts))
            for owners, places in rows(words, self._spelling, self._hashes, len(self._numbers) - len(self._hashes))
        ]
        for number, first in enumerate(firsts[:-1]):
            block = vectors[first : first + _BLOCK]
            for owners, places, limits in kinds:
                some = slice(limits[number], limits[number + 1])
                packed = self._numbers[places[some]]
                part = whole[: len(packed)]
                part[:, :half] = packed & 15
                part[:, half:] = packed >> 4
                part -= _MIDDLE
                part *= self._scales[places[some], None]
                block[owners[some] - first] += part
        return vectors


def _sums(vectors: Vectors, places: Places, begins: Places, lengths: Places) -> Vectors:
    """Sums of the vectors at stretches of places that follow one another.

    As products with ones, each stretch by itself: NumPy multiplies faster than it adds, and a sum has the same bits
    whatever else is summed with it.
    """
    sums = np.zeros((len(begins), vectors.shape[1]), np.float32)
    ones = np.ones(lengths.max(initial=0), np.float32)
    totals = np.add.reduceat(lengths, np.arange(0, len(lengths), _GROUP)) if len(lengths) else lengths
    space = np.empty((totals.max(initial=0), vectors.shape[1]), np.float32)  # once: fresh memory costs more than sums
    for first, total in zip(range(0, len(begins), _GROUP), totals.tolist(), strict=True):
        start, counts = begins[first], lengths[first : first + _GROUP].tolist()
        gathered = np.take(vectors, places[start : start + total], axis=0, out=space[:total], mode="clip")
        end = 0
        for row, count in enumerate(counts, first):
            np.dot(ones[:count], gathered[end : end + count], out=sums[row])
            end += count
    return sums


def _batches(texts: list[str]) -> Iterator[slice]:
    """Texts that follow one another, a certain number of characters together."""
    first, characters = 0, 0
    for place, text in enumerate(texts):
        characters += len(text)
        if characters >= _BATCH:
            yield slice(first, place + 1)
            first, characters = place + 1, 0
    if first < len(texts):
        yield slice(first, len(texts))
