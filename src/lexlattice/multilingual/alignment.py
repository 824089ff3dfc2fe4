"""Align two language versions of one act: find the units of one that say what the units of the other say.

`align` is the only way to find corresponding units. It combines three sources of evidence:

1. Numbers that the act itself prints (article, paragraph, point, numbered recital) are trusted.
2. Numbers that the reader counted (indents, subparagraphs, recitals without a number) are trusted only where both
   versions have the same ids; elsewhere one missing line shifts all that follow.
3. The rest is compared by the cosine similarity of its vectors, in order, by dynamic programming over 1-1, 2-1 and
   1-2 beads. What has no similar counterpart stays unaligned: nothing is guessed.

A number is also rejected if the texts that share it have nothing in common.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice import encoding
from lexlattice._internal.threads import one_blas_thread
from lexlattice.act.document import Act, Unit

Vectors = NDArray[np.float32]
Encode = Callable[[list[str]], Vectors]
"""Returns a vector of length one for each text; texts with the same meaning have similar vectors in any language."""

MIN_SIMILARITY: Final = 0.5
"""Provisions with a lower cosine similarity are not aligned by similarity; `benchmarks/alignment.py` shows why."""
MIN_WORDS: Final = 16
"""Provisions with the same id are compared only if one of them has this many words; shorter texts say too little."""
MAX_LENGTH_RATIO: Final = 3
"""Provisions with the same id are not the same if one is more than this many times as long as the other."""
MIN_SIMILARITY_SAME_ID: Final = 0.1
"""Provisions with the same id are not the same if they are less similar than this …"""
MIN_SIMILARITY_DOUBTFUL: Final = 0.3
"""… or less similar than this where the ids around them differ between the versions."""
MERGE_PENALTY: Final = 0.1
"""Two provisions correspond to one only if together they are this much more similar to it than either alone."""
BAND: Final = 400
"""Half the width of the dynamic-programming band around the diagonal, in provisions: bounds time and memory."""

_STEP: Final = (
    r"(?:q?pt-[^.~]+(?:\.\d+)*|(?:art|par|rec|part|title|chapter|section|subsection|anx|app|prot)(?:-[^.~]+)?)"
)
_NUMBERED: Final = re.compile(rf"{_STEP}(?:\.{_STEP})*")
"""Ids in which every step is a number that the act itself prints, rather than one that the reader counted."""

Indices = Sequence[int]
"""Provisions of a version by their index in reading order."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which units of the target version say what each unit of the source version says.

    Attributes:
        pairs: Id of each aligned source unit → ids of the corresponding target units in reading order, at least one.
        unaligned: Ids of all other source units, in reading order.
        how: Provision of each aligned source unit → what decided it: "number" or "similarity".
    """

    pairs: Mapping[str, tuple[str, ...]]
    unaligned: tuple[str, ...]
    how: Mapping[str, str]


@cache
def _embedded_encoder() -> encoding.Encoder:
    return encoding.load()


def embedded(texts: list[str]) -> Vectors:
    """Encode texts with the encoder of the package, which is loaded at the first call."""
    return encoding.vectors_of_units(_embedded_encoder(), texts)


@one_blas_thread()
def align(source: Act, target: Act, encode: Encode | None = embedded) -> Alignment:
    r"""Align the units of two versions of an act.

    Sections are paired by kind and number, and the acts are cut into segments at these pairs. Within a segment,
    provisions that both versions number alike are paired, and what lies between them is compared by similarity.

    Args:
        source: The version whose units are looked up.
        target: The version in which their counterparts are found.
        encode: Returns the vectors that texts are compared by; the embedded encoder by default. With None, units are
            aligned by their numbers alone.

    Returns:
        The aligned pairs and the source units that have no counterpart.

    Examples:
        >>> from lexlattice import read
        >>> english = read("Article 1\nKeepers shall register.\nArticle 2\nRegistration is free.", language="en")
        >>> french = read("Article premier\nLes apiculteurs s'enregistrent.", language="fr")
        >>> found = align(english, french)
        >>> found.pairs, found.unaligned
        ({'art-1': ('art-1',)}, ('art-2',))
    """
    source_version, target_version = _Version(source), _Version(target)
    comparison = _Comparison(source_version, target_version, encode)
    pairs: dict[str, tuple[str, ...]] = {}
    how: dict[str, str] = {}
    for segment in _segments(source_version, target_version):
        for bead in comparison.beads(*segment):
            units = source_version.units(bead.source)
            pairs |= pair_sentences(units, target_version.units(bead.target))
            how |= {unit.provision: bead.how for unit in units}
    return Alignment(pairs, tuple(unit.id for unit in source.units if unit.id not in pairs), how)


class _Bead(NamedTuple):
    """Provisions that correspond: one of each version, or two of one version and one of the other."""

    source: Indices
    target: Indices
    how: str


def pair_sentences(units: Sequence[Unit], others: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    """Pair the sentences of corresponding provisions.

    Equal numbers of sentences are paired in order. Otherwise a sentence corresponds to the others whose middle lies
    within it, both measured as shares of the provision's words, or to the nearest one. No sentence is left out.
    """
    if len(units) == len(others):
        return {unit.id: (other.id,) for unit, other in zip(units, others, strict=True)}
    words, other_words = (np.array([unit.words for unit in some], dtype=np.int64) for some in (units, others))
    # Positions on a common integer scale (twice the product of both totals), so that no tie is lost by rounding.
    ends = 2 * np.cumsum(words) * other_words.sum()
    centres = ends - words * other_words.sum()
    middles = (2 * np.cumsum(other_words) - other_words) * words.sum()
    owners = np.minimum(np.searchsorted(ends, middles, side="right"), len(units) - 1)
    found = {}
    for index, (unit, centre) in enumerate(zip(units, centres, strict=True)):
        inside = np.flatnonzero(owners == index)
        nearest = np.argmin(np.abs(middles - centre), keepdims=True)
        found[unit.id] = tuple(others[int(other)].id for other in (inside if inside.size else nearest))
    return found


class _Version:
    """An act as a list of provisions in reading order."""

    def __init__(self, act: Act) -> None:
        self.act = act
        self.ids = list(dict.fromkeys(unit.provision for unit in act.units))
        self._index = {name: index for index, name in enumerate(self.ids)}
        self.words = [sum(unit.words for unit in act.sentences(name)) for name in self.ids]

    def units(self, indices: Indices) -> tuple[Unit, ...]:
        return tuple(unit for index in indices for unit in self.act.sentences(self.ids[index]))

    def provisions_in(self, sections: set[int]) -> list[int]:
        """All provisions of some sections."""
        units = (unit for index in sorted(sections) for unit in self.act.sections[index].units)
        return [self._index[name] for name in dict.fromkeys(unit.provision for unit in units)]

    def sections(self) -> dict[tuple[str, str, str], list[int]]:
        """Sections by kind, number, and the annex or attached act that an article belongs to."""
        found: dict[tuple[str, str, str], list[int]] = {}
        for section in self.act.sections:
            if section.units:
                parent = section.units[0].provision.partition("art-")[0] if section.kind == "article" else ""
                found.setdefault((section.kind, section.number, parent), []).append(section.index)
        return found

    def children(self, indices: Indices) -> dict[int, dict[str, int]]:
        """For each provision its direct children in reading order: "pt-a", "pt-b" and so on."""
        found: dict[int, dict[str, int]] = {}
        for index in indices:
            parent, _, step = self.ids[index].rpartition(".")
            if parent in self._index:
                found.setdefault(self._index[parent], {})[step] = index
        return found

    def is_numbered(self, index: int) -> bool:
        """Whether the act itself prints the whole number of a provision, and no other provision has the same."""
        name = self.ids[index]
        if not _NUMBERED.fullmatch(name) or f"{name}~2" in self._index:
            return False
        # Recitals have an id even where the act prints no number; the unit then has none.
        head = self.act.sentences(name.partition(".")[0])
        return not name.startswith("rec-") or (head != () and head[0].number != "")


def _segments(source: _Version, target: _Version) -> Iterator[tuple[Indices, Indices]]:
    """Yield the provisions to compare with each other: from one pair of sections to the next.

    A section that only one version has, or has more often, belongs to the segment it is in: in the other version its
    header may be lost, or may not be a header. Sections that moved form a segment each.
    """
    target_sections = target.sections()
    paired = sorted(
        pair
        for key, sections in source.sections().items()
        if len(sections) == len(target_sections.get(key, ()))
        for pair in zip(sections, target_sections[key], strict=True)
    )
    in_order = _longest_increasing(paired)
    moved = sorted(set(paired) - set(in_order))
    ends = (len(source.act.sections), len(target.act.sections))
    for (first, target_first), (end, target_end) in pairwise([(0, 0), *in_order, ends]):
        sections = set(range(first, end)) - {index for index, _ in moved}
        others = set(range(target_first, target_end)) - {index for _, index in moved}
        yield source.provisions_in(sections), target.provisions_in(others)
    for index, target_index in moved:
        yield source.provisions_in({index}), target.provisions_in({target_index})


def _longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of pairs, sorted by their first number, whose second numbers increase too."""
    # Patience sorting: `lowest[n]` is the smallest last number of an increasing subsequence of length n + 1,
    # `ends[n]` the index of the pair it ends with, and `before` links each pair to its predecessor.
    lowest: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(lowest, second)
        before.append(ends[length - 1] if length else -1)
        lowest[length : length + 1] = [second]
        ends[length : length + 1] = [index]
    found = []
    index = ends[-1] if ends else -1
    while index >= 0:
        found.append(pairs[index])
        index = before[index]
    return found[::-1]


class _Texts(NamedTuple):
    """The vectors of some provisions, a row each, and their lengths in words."""

    vectors: Vectors
    words: Vectors

    @classmethod
    def of(cls, version: _Version, encode: Encode) -> _Texts:
        groups = [version.act.sentences(name) for name in version.ids]
        texts = [" ".join(unit.text for unit in group) for group in groups]
        return cls(encode(texts), np.array(version.words, np.float32))

    def take(self, indices: Indices) -> _Texts:
        return _Texts(self.vectors[list(indices)], self.words[list(indices)])

    def merged(self, count: int) -> Vectors:
        """A vector of length one for each run of `count` consecutive texts: their mean weighted by words."""
        weighted = self.vectors * self.words[:, None]
        rows = len(weighted) - count + 1
        sums: Vectors = np.sum([weighted[shift : shift + rows] for shift in range(count)], axis=0)
        lengths: Vectors = np.linalg.norm(sums, axis=1, keepdims=True)
        lengths[lengths == 0] = 1  # texts without words keep their zero vector
        return sums / lengths


def _similarity(source: _Texts, target: _Texts) -> float:
    """Cosine similarity of all source texts taken as one and all target texts taken as one."""
    return float(source.merged(len(source.words))[0] @ target.merged(len(target.words))[0])


def _best_subset(source: _Texts, a: range, target: _Texts, b: range) -> tuple[range, range, float]:
    """The given bead, or the 1-1 bead within it that is as similar after the merge penalty; and the similarity."""
    singles = [(range(i, i + 1), range(j, j + 1)) for i in a for j in b]
    options = [(x, y, _similarity(source.take(x), target.take(y))) for x, y in dict.fromkeys([(a, b), *singles])]
    return max(options, key=lambda option: option[2] - MERGE_PENALTY * (len(option[0]) + len(option[1]) - 2))


class _Comparison:
    """Two versions, and the vectors of their provisions if there is an encoder."""

    def __init__(self, source: _Version, target: _Version, encode: Encode | None) -> None:
        self._source, self._target = source, target
        self._texts = (_Texts.of(source, encode), _Texts.of(target, encode)) if encode is not None else None

    def beads(self, mine: Indices, other: Indices) -> Iterator[_Bead]:
        """The beads of a segment: by id if all ids agree; otherwise by printed numbers, and by similarity between."""
        if self._ids_agree(mine, other):
            yield from self._by_id(mine, other)
            return
        source, target = self._source, self._target
        numbered = {target.ids[place]: index for index, place in enumerate(other) if target.is_numbered(place)}
        shared = [
            (index, numbered[source.ids[place]])
            for index, place in enumerate(mine)
            if source.ids[place] in numbered and source.is_numbered(place)
        ]
        anchors = [
            (a, b)
            for a, b in _longest_increasing(shared)
            if self._is_plausible(mine[a], other[b], MIN_SIMILARITY_DOUBTFUL)
        ]
        yield from (_Bead([mine[a]], [other[b]], "number") for a, b in anchors)
        for (a, b), (c, d) in pairwise([(-1, -1), *anchors, (len(mine), len(other))]):
            between = mine[a + 1 : c], other[b + 1 : d]
            yield from self._by_id(*between) if self._ids_agree(*between) else self._by_similarity(*between)

    def _ids_agree(self, mine: Indices, other: Indices) -> bool:
        """Whether two runs of provisions have the same ids, and no text is more similar to one with another id."""
        if [self._source.ids[place] for place in mine] != [self._target.ids[place] for place in other]:
            return False
        pairs = set(zip(mine, other, strict=True))
        if all(self._is_plausible(*pair, MIN_SIMILARITY_DOUBTFUL) for pair in pairs):
            return True
        return all((bead.source[0], bead.target[0]) in pairs for bead in self._by_similarity(mine, other))

    def _by_id(self, mine: Indices, other: Indices) -> list[_Bead]:
        pairs = zip(mine, other, strict=True)
        return [_Bead([a], [b], "number") for a, b in pairs if self._is_plausible(a, b, MIN_SIMILARITY_SAME_ID)]

    def _by_similarity(self, mine: Indices, other: Indices) -> list[_Bead]:
        if self._texts is None or not mine or not other:
            return []
        source, target = self._texts[0].take(mine), self._texts[1].take(other)
        found = []
        for a, b in _best_path(source, target):
            a, b, similarity = _best_subset(source, a, target, b)
            if similarity >= MIN_SIMILARITY:
                found.append(_Bead(mine[a.start : a.stop], other[b.start : b.stop], "similarity"))
        return [*found, *self._children_of(found, mine, other)]

    def _children_of(self, found: Sequence[_Bead], mine: Indices, other: Indices) -> Iterator[_Bead]:
        """Pair the children of aligned provisions by id where both have the same ones and none is aligned elsewhere.

        Points are often too short to be aligned by their own similarity.
        """
        children, other_children = self._source.children(mine), self._target.children(other)
        aligned = {place: bead.target for bead in found for place in bead.source}
        claimed = {place for bead in found for place in bead.target}
        queue = [(bead.source[0], bead.target[0]) for bead in found if len(bead.source) == len(bead.target)]
        while queue:
            place, other_place = queue.pop()
            some, others = children.get(place, {}), other_children.get(other_place, {})
            pairs = [(some[step], others[step]) for step in some if step in others]
            if list(some) != list(others) or any(aligned[a] != [b] if a in aligned else b in claimed for a, b in pairs):
                continue
            new = [(a, b) for a, b in pairs if a not in aligned]
            queue += new
            yield from (_Bead([a], [b], "number") for a, b in new if self._is_plausible(a, b, MIN_SIMILARITY_SAME_ID))

    def _is_plausible(self, index: int, other: int, min_similarity: float) -> bool:
        """Whether two provisions with the same id can be the same, judging by their lengths and similarity."""
        shorter, longer = sorted((self._source.words[index], self._target.words[other]))
        if longer < MIN_WORDS:
            return True
        if longer > MAX_LENGTH_RATIO * shorter:
            return False
        if self._texts is None:
            return True
        return _similarity(self._texts[0].take([index]), self._texts[1].take([other])) >= min_similarity


_STEPS: Final = ((1, 0), (0, 1), (1, 1), (2, 1), (1, 2))
"""How many provisions of the source and the target each step takes: one is skipped, or one or two go with one."""


def _best_path(source: _Texts, target: _Texts) -> list[tuple[range, range]]:
    """The monotonic sequence of beads with the highest total similarity, by banded dynamic programming.

    Row by row over the source, `best[j]` is the highest total that is reachable with the first j target provisions.
    Skipping a provision costs nothing, so a total never falls from one row to the next, and values outside the band
    can stay as they are.
    """
    rows, count = len(source.words), len(target.words)
    source_twos, target_twos = source.merged(2), target.merged(2)
    best, before = np.zeros(count + 1), np.zeros(count + 1)  # totals of the last row and of the one before it
    trace: list[tuple[int, NDArray[np.int8]]] = []
    high = 0
    for row, vector in enumerate(source.vectors):
        reached, centre = high, (row + 1) * count // rows
        low, high = max(1, centre - BAND), min(count, centre + BAND)
        best[reached + 1 : high + 1] = best[reached]  # columns that enter the band: skip to them from the last one
        # One row for each of `_STEPS` but (0, 1), one column for each target provision of the band.
        totals = np.full((len(_STEPS), high - low + 1), -np.inf)
        totals[0] = best[low : high + 1]
        totals[2] = best[low - 1 : high] + target.vectors[low - 1 : high] @ vector
        if row > 0:
            totals[3] = before[low - 1 : high] + target.vectors[low - 1 : high] @ source_twos[row - 1] - MERGE_PENALTY
        second = max(2, low)  # a step over two target provisions needs two of them
        totals[4, second - low :] = (
            best[second - 2 : high - 1] + target_twos[second - 2 : high - 1] @ vector - MERGE_PENALTY
        )
        steps, values = totals.argmax(axis=0).astype(np.int8), totals.max(axis=0)
        # Step (0, 1) depends on the column to its left in the same row: a running maximum does all columns at once.
        reachable = np.maximum.accumulate(np.maximum(values, best[low - 1]))
        steps[reachable > values] = 1
        before[low - 1 : high + 1] = best[low - 1 : high + 1]
        best[low : high + 1] = reachable
        trace.append((low, steps))
    return _backtrace(trace, count)


def _backtrace(trace: list[tuple[int, NDArray[np.int8]]], count: int) -> list[tuple[range, range]]:
    """Follow the recorded steps from the last row to the first, and return the beads in reading order."""
    found = []
    row, column = len(trace), count
    while row and column:
        low, steps = trace[row - 1]
        column = min(column, low + len(steps) - 1)  # right of the band, skipping is the only step
        taken, other_taken = _STEPS[steps[column - low]] if column >= low else (1, 0)
        if taken and other_taken:
            found.append((range(row - taken, row), range(column - other_taken, column)))
        row, column = row - taken, column - other_taken
    return found[::-1]
