"""ROUGE-1, -2, -L and -Lsum: equal to the `rouge-score` package, a hundred times faster where that is slow.

>>> scores = score("The register is public.", "The register of beehives is public.")
>>> scores.tokenizer, round(scores["rouge1"].f1, 3), round(scores["rouge2"].recall, 3)
('unicode', 0.8, 0.4)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Final, NamedTuple, TypeVar

from lexlattice.errors import LexLatticeError
from lexlattice.metrics import lcs
from lexlattice.tokens import tokenizer as named_tokenizer

Gram = TypeVar("Gram")


class Score(NamedTuple):
    """What one measure says of one candidate."""

    precision: float
    recall: float
    f1: float


class Scores(dict[str, Score]):
    """Scores by the name of the measure; they mean nothing without the tokenizer they were made with."""

    def __init__(self, scores: Mapping[str, Score], tokenizer: str, stem: bool) -> None:
        super().__init__(scores)
        self.tokenizer: Final = tokenizer
        self.stem: Final = stem


class Reference:
    """A reference text, prepared once and compared with as many candidates as wanted.

    Lines are the sentences of ROUGE-Lsum, as in `rouge-score`.
    """

    def __init__(self, text: str, tokenizer: str = "unicode", *, stem: bool = False) -> None:
        self.stem: Final = stem
        self._tokenizer = named_tokenizer(tokenizer, stem=stem)
        self._text = text
        self.tokens: Final = self._tokenizer(text)

    def score(self, candidate: str, measures: Iterable[str] | None = None) -> Scores:
        """All measures, or only those named."""
        tokens = self._tokenizer(candidate)
        scores = {}
        for name in MEASURES if measures is None else measures:
            if name not in _MEASURES:
                raise LexLatticeError(f"There is no measure '{name}'; choose among: {', '.join(MEASURES)}.")
            hits = _MEASURES[name](self, tokens, candidate)
            shorter_by = 1 if name == "rouge2" else 0
            scores[name] = _score(hits, len(tokens) - shorter_by, len(self.tokens) - shorter_by)
        return Scores(scores, self._tokenizer.name, self.stem)

    @cached_property
    def _words(self) -> Counter[str]:
        return Counter(self.tokens)

    @cached_property
    def _pairs(self) -> Counter[tuple[str, str]]:
        return Counter(pairwise(self.tokens))

    @cached_property
    def _lines(self) -> list[list[str]]:
        return self._tokenizer.lines(self._text)

    def _shared_words(self, tokens: list[str], _: str) -> int:
        return _overlap(self._words, tokens)

    def _shared_pairs(self, tokens: list[str], _: str) -> int:
        return _overlap(self._pairs, pairwise(tokens))

    def _common_subsequence(self, tokens: list[str], _: str) -> int:
        return lcs.length(self.tokens, tokens)

    def _common_subsequences(self, tokens: list[str], candidate: str) -> int:
        """Each place of the reference on a common subsequence with any line of the candidate counts once.

        A word counts no more often than the candidate has it.
        """
        lines = self._tokenizer.lines(candidate)
        if len(lines) == len(self._lines) == 1:
            return lcs.length(self.tokens, tokens)
        words = Counter(tokens)
        return sum(min(words[word], places) for word, places in lcs.union(self._lines, lines).items())


_MEASURES: Final[dict[str, Callable[[Reference, list[str], str], int]]] = {
    "rouge1": Reference._shared_words,
    "rouge2": Reference._shared_pairs,
    "rougeL": Reference._common_subsequence,
    "rougeLsum": Reference._common_subsequences,
}
MEASURES: Final = tuple(_MEASURES)


def score(
    candidate: str,
    reference: str,
    tokenizer: str = "unicode",
    *,
    stem: bool = False,
    measures: Iterable[str] | None = None,
) -> Scores:
    """Scores of one candidate, by measure; all measures, or only those named."""
    return Reference(reference, tokenizer, stem=stem).score(candidate, measures)


def score_batch(
    candidates: Sequence[str],
    references: Sequence[str],
    tokenizer: str = "unicode",
    *,
    stem: bool = False,
    measures: Iterable[str] | None = None,
) -> list[Scores]:
    """Scores of many pairs; a reference that is met several times is prepared once."""
    if len(candidates) != len(references):
        raise LexLatticeError(f"{len(candidates)} candidates cannot be paired with {len(references)} references.")
    measures = MEASURES if measures is None else tuple(measures)
    prepared = {text: Reference(text, tokenizer, stem=stem) for text in dict.fromkeys(references)}
    return [
        prepared[reference].score(candidate, measures)
        for candidate, reference in zip(candidates, references, strict=True)
    ]


def _overlap(reference: Counter[Gram], candidate: Iterable[Gram]) -> int:
    shared = Counter(filter(reference.__contains__, candidate))
    return sum(map(min, map(reference.__getitem__, shared), shared.values()))


def _score(hits: int, candidate: int, reference: int) -> Score:
    precision = hits / max(candidate, 1)
    recall = hits / max(reference, 1)
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return Score(precision, recall, f1)
