"""ROUGE-1, -2, -L and -Lsum: equal to the `rouge-score` package, and a hundred times faster where that is slow.

Longest common subsequences are computed bit-parallel (Hyyrö's recurrence), with Python's integers as very long machine
words. The reference has one bit per token, and the tokens of the candidate are processed in order; after each of them a
bit says whether the classical dynamic-programming table grows at that place. All lines of a reference lie side by side
in one integer, with a gap bit after each that stops the carry, so that a line of the candidate is compared with all of
them at once. Tokens that the other text does not contain are left out: they are in no common subsequence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Final, NamedTuple, TypeVar

from lexlattice._internal.lazy import cached_property
from lexlattice.encoding.tokens import Tokenizer
from lexlattice.encoding.tokens import tokenizer as named_tokenizer
from lexlattice.errors import OptionError

_BLOCK: Final = 2048
"""States held in memory; longer lines are processed twice instead."""


def length(reference: Sequence[str], candidate: Sequence[str]) -> int:
    """The length of the longest common subsequence of two token sequences.

    >>> length("the register is public".split(), "a public register is the rule".split())
    2
    """
    board = _Board.of([reference], set(candidate))
    places = rest = board.places
    for mask in filter(None, map(board.masks.get, candidate)):
        found = rest & mask
        rest = ((rest + found) | (rest - found)) & places
    return (places ^ rest).bit_count()


def union(reference: Iterable[Sequence[str]], candidate: Sequence[Sequence[str]]) -> dict[str, int]:
    """For each token, the number of its places in the reference that are on an LCS with any line of the candidate.

    Among equally long subsequences it takes the one that `rouge-score` finds: backwards, a match is taken at once; else
    the reference's token is dropped, unless that shortens the subsequence.

    >>> union([["hives", "are", "registered"]], [["registered", "hives"], ["are", "they", "registered"]])
    {'hives': 1, 'are': 1, 'registered': 1}
    """
    board = _Board.of(reference, set().union(*candidate))
    matched = 0
    for line in candidate:
        matched |= board.matches(list(_without_runs(map(board.masks.get, line))))
    return {token: count for token, mask in board.masks.items() if (count := (matched & mask).bit_count())}


def _without_runs(masks: Iterable[int | None]) -> Iterator[int]:
    """Collapse runs of tokens that the reference does not contain into one."""
    before: int | None = 1
    for mask in masks:
        if mask or before:
            yield mask or 0
        before = mask


class _Board(NamedTuple):
    """The lines of a reference as bits, without the tokens that cannot match."""

    masks: dict[str, int]
    """For each token, the bits of its places."""
    places: int
    smears: list[tuple[int, int]]
    """Shifts that spread the highest bit of each line down to its first, each with a mask of the allowed targets."""

    @classmethod
    def of(cls, lines: Iterable[Sequence[str]], vocabulary: Collection[str]) -> _Board:
        masks: dict[str, int] = {}
        spans = []
        bit = 1
        for line in lines:
            first = bit
            for token in line:
                if token in vocabulary:
                    masks[token] = masks.get(token, 0) | bit
                    bit <<= 1
            if bit != first:
                spans.append((first, bit))
                bit <<= 1
        widest = max((end.bit_length() - first.bit_length() for first, end in spans), default=0)
        smears = [
            (shift, sum((end >> shift) - first for first, end in spans if end >> shift > first))
            for shift in (1 << power for power in range(max(0, widest - 1).bit_length()))
        ]
        return cls(masks, sum(end - first for first, end in spans), smears)

    def matches(self, masks: list[int]) -> int:
        """The places on the LCS of each line with a line of the candidate, given by its masks."""
        blocks = [masks[start : start + _BLOCK] for start in range(0, len(masks), _BLOCK)]
        starts = [self.places]
        for block in blocks[:-1]:
            starts.append(self._states(starts[-1], block)[-1])
        matched, still_open = 0, self.places
        for block in reversed(blocks):
            found, still_open = self._walk_back(still_open, self._states(starts.pop(), block), block)
            matched |= found
        return matched

    def _states(self, rest: int, masks: list[int]) -> list[int]:
        """The state after each token: a bit is 0 where the table grows from the previous place, else 1."""
        places = self.places
        states = []
        for mask in masks:
            if mask:
                found = rest & mask
                rest = ((rest + found) | (rest - found)) & places
            states.append(rest)
        return states

    def _walk_back(self, still_open: int, states: list[int], masks: list[int]) -> tuple[int, int]:
        """Trace back from the last token to the first: the matched places, and the remaining part of each line.

        A line remains up to a place that matches or where the table grows. Where the table grows, it does so for all
        earlier tokens too, until that place is matched: new ends have to be found only after a match.
        """
        _, places, smears = self
        matched = ends = 0
        is_moved = True
        for state, mask in zip(reversed(states), reversed(masks), strict=True):
            if is_moved:
                still_open &= (places ^ state) | mask
                for shift, inside in smears:
                    still_open |= (still_open >> shift) & inside
                ends = still_open ^ (still_open >> 1)
            hits = mask & ends
            is_moved = hits != 0
            if is_moved:
                matched |= hits
                still_open ^= hits
        return matched, still_open


# Scores

NGram = TypeVar("NGram")


class Score(NamedTuple):
    """The score of one candidate by one measure."""

    precision: float
    recall: float
    f1: float


class Scores(dict[str, Score]):
    """Scores by measure, with the tokenizer that they depend on."""

    def __init__(self, scores: Mapping[str, Score], tokenizer: str) -> None:
        super().__init__(scores)
        self.tokenizer: Final = tokenizer


class _Text:
    """A text's tokens, computed once, and by line only if a measure needs lines."""

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self._text = text
        self._tokenizer = tokenizer
        self.lines: list[list[str]] = []

    @cached_property
    def tokens(self) -> list[str]:
        return list(chain.from_iterable(self.lines)) if self.lines else self._tokenizer(self._text)

    def divide(self) -> None:
        self.lines = self.lines or self._tokenizer.lines(self._text)


class Reference:
    """A reference text, prepared once and compared with any number of candidates.

    Lines are the sentences of ROUGE-Lsum, as in `rouge-score`.

    Examples:
        >>> round(Reference("Keepers register hives.").score("Keepers move hives.")["rouge1"].f1, 2)
        0.67

    """

    def __init__(self, text: str, tokenizer: str = "unicode") -> None:
        self._tokenizer = named_tokenizer(tokenizer)
        self._text = _Text(text, self._tokenizer)

    @property
    def tokens(self) -> list[str]:
        """The tokens of the reference."""
        return self._text.tokens

    def score(self, candidate: str, measures: Iterable[str] | None = None) -> Scores:
        """Score a candidate by all measures, or only those named.

        Raises:
            OptionError: There is no such measure.

        """
        text = _Text(candidate, self._tokenizer)
        names = MEASURES if measures is None else tuple(measures)
        if "rougeLsum" in names:
            text.divide()
            self._text.divide()
        scores = {}
        for name in names:
            if name not in _MEASURES:
                raise OptionError(f"There is no measure '{name}'; choose among: {', '.join(MEASURES)}.")
            hits = _MEASURES[name](self, text)
            fewer = 1 if name == "rouge2" else 0
            scores[name] = _score(hits, len(text.tokens) - fewer, len(self.tokens) - fewer)
        return Scores(scores, self._tokenizer.name)

    @cached_property
    def _unigrams(self) -> Counter[str]:
        return Counter(self.tokens)

    @cached_property
    def _bigrams(self) -> Counter[tuple[str, str]]:
        return Counter(pairwise(self.tokens))

    def _shared_unigrams(self, candidate: _Text) -> int:
        return _overlap(self._unigrams, candidate.tokens)

    def _shared_bigrams(self, candidate: _Text) -> int:
        return _overlap(self._bigrams, pairwise(candidate.tokens))

    def _common_subsequence(self, candidate: _Text) -> int:
        return length(self.tokens, candidate.tokens)

    def _common_subsequences(self, candidate: _Text) -> int:
        """The size of the union LCS; a token counts at most as often as in the candidate."""
        if len(candidate.lines) == len(self._text.lines) == 1:
            return self._common_subsequence(candidate)
        words = Counter(candidate.tokens)
        found = union(self._text.lines, candidate.lines)
        return sum(min(words[word], places) for word, places in found.items())


_MEASURES: Final[dict[str, Callable[[Reference, _Text], int]]] = {
    "rouge1": Reference._shared_unigrams,
    "rouge2": Reference._shared_bigrams,
    "rougeL": Reference._common_subsequence,
    "rougeLsum": Reference._common_subsequences,
}
MEASURES: Final = tuple(_MEASURES)


def score(
    candidate: str,
    reference: str,
    tokenizer: str = "unicode",
    *,
    measures: Iterable[str] | None = None,
) -> Scores:
    """Score one candidate against one reference, by all measures or only those named."""
    return Reference(reference, tokenizer).score(candidate, measures)


def score_batch(
    candidates: Sequence[str],
    references: Sequence[str],
    tokenizer: str = "unicode",
    *,
    measures: Iterable[str] | None = None,
) -> list[Scores]:
    """Score candidates against references, pairwise; repeated references are prepared once."""
    if len(candidates) != len(references):
        raise OptionError(f"{len(candidates)} candidates cannot be paired with {len(references)} references.")
    measures = MEASURES if measures is None else tuple(measures)
    prepared = {text: Reference(text, tokenizer) for text in dict.fromkeys(references)}
    return [
        prepared[reference].score(candidate, measures)
        for candidate, reference in zip(candidates, references, strict=True)
    ]


def _overlap(reference: Counter[NGram], candidate: Iterable[NGram]) -> int:
    shared = Counter(filter(reference.__contains__, candidate))
    return sum(map(min, map(reference.__getitem__, shared), shared.values()))


def _score(hits: int, candidate: int, reference: int) -> Score:
    precision = hits / max(candidate, 1)
    recall = hits / max(reference, 1)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return Score(precision, recall, f1)
