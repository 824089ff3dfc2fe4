"""Small words that turn a claim: negations, "only", modal verbs, bounds, periods. They must be the provisions' own.

Whether a sentence keeps the sense of a provision cannot be told from words; that it says "not", "may" or "at most"
where no provision does can. Words that stand in a provision for something else still excuse a sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.grammar import fold
from lexlattice.rewriting.lexicon import Found, Lexicon
from lexlattice.rewriting.tokens import Line

_BOUNDS: Final = ("at_least", "at_most", "more_than", "less_than")
_KEPT: Final = ("negation", "prohibited", "only", "may")
_WEAKER: Final = {"may", "should"}
_STOP_INSIDE: Final = re.compile(r"[^\W\d_]{2}[.!?;:]\s+\S")
_BEFORE, _AFTER = 4, 3
"""So many words before and after a bound may be the number that it bounds."""


def without_claim(said: Line, cited: Sequence[Line], known: Lexicon) -> str:
    """Why the negations, modal verbs, bounds and periods of a sentence are not those of its provisions, if so."""
    claims, given = known.claims.find(said), [known.claims.find(line) for line in cited]
    return _added(said, claims, given) or _moved(said, claims, cited, given) or _left_out(claims, cited, given)


def _added(said: Line, claims: Sequence[Found], given: Sequence[Sequence[Found]]) -> str:
    """The first word of its kind that no provision has in any form."""
    together = {one.concept for found in given for one in found}
    for claim in claims:
        if claim.concept in together | {"neutral"}:
            continue
        if claim.concept == "must" and not together & _WEAKER:
            continue  # many languages command in the indicative
        return f"'{said.text(claim.start, claim.end)}' does not stand so in the provisions"
    return ""


def _moved(said: Line, claims: Sequence[Found], cited: Sequence[Line], given: Sequence[Sequence[Found]]) -> str:
    """The first number that has another bound than in the provisions, or has one only here or only there."""
    theirs: Counter[tuple[str, str]] = Counter()
    numbers: Counter[str] = Counter()
    for line, found in zip(cited, given, strict=True):
        theirs.update(_bounded(line, found))
        numbers.update(_numbers(line).values())
    own = set(_bounded(said, claims))
    said_numbers = set(_numbers(said).values())
    wrong = [number for pair in sorted(own) if pair not in theirs for number in pair[1:]]
    wrong += [
        number
        for (bound, number), times in theirs.items()
        if number in said_numbers and (bound, number) not in own and times == numbers[number]
    ]
    return f"'{wrong[0]}' has another bound in the provisions" if wrong else ""


def _left_out(claims: Sequence[Found], cited: Sequence[Line], given: Sequence[Sequence[Found]]) -> str:
    """A negation, restriction or permission that the sentence has not, but every provision, of one sentence each."""
    if any(_STOP_INSIDE.search(line.source) for line in cited):
        return ""  # it may rest on the other sentence
    everywhere = set.intersection(*({one.concept for one in found} for found in given))
    missing = everywhere - {claim.concept for claim in claims}
    return next((f"it leaves out a word of the provisions ({concept})" for concept in _KEPT if concept in missing), "")


def _bounded(line: Line, found: Sequence[Found]) -> list[tuple[str, str]]:
    """Each bound with its number: the next one, else the last before it."""
    numbers = _numbers(line)
    pairs = []
    for one in found:
        if one.concept not in _BOUNDS:
            continue
        after = [number for place, number in numbers.items() if one.start <= place < one.end + _AFTER]
        before = [number for place, number in numbers.items() if one.start - _BEFORE <= place < one.start]
        pairs += [(one.concept, number) for number in (after[:1] or before[-1:])]
    return pairs


def _numbers(line: Line) -> dict[int, str]:
    return {place: fold(token.text) for place, token in enumerate(line.tokens) if token.kind in ("number", "numeral")}
