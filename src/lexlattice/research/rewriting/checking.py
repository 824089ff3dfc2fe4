"""Checks whether a sentence is supported by the provisions that it cites, without a language model.

It checks numbers (in digits and in words), dates, references, names, quotations, and small words that change a claim:
errors that a fluent text hides and that harm a reader. Each number must occur in the provisions next to the same word,
so that "Article 5" does not support "within 5 days"; dates, names and references must occur there as a whole. Checks
cannot tell whether a sentence keeps the sense of its provisions. In doubt a sentence is refused: the provisions
themselves can always be shown instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.languages.grammar import fold
from lexlattice.research.rewriting.names import (
    Named,
    is_act,
    is_code,
    kinds,
    without_article,
    without_body,
    without_name,
)
from lexlattice.research.rewriting.tokens import (
    Found,
    Lexicon,
    Line,
    Token,
    alike,
    dates,
    lexicon,
    normalised,
    vocabulary,
    without_date,
)

# Small words that change a claim: negations, "only", modal verbs, bounds, periods

_BOUNDS: Final = ("at_least", "at_most", "more_than", "less_than")
_KEPT: Final = ("negation", "prohibited", "only", "may")
_WEAKER: Final = {"may", "should"}
_STOP_INSIDE: Final = re.compile(r"[^\W\d_]{2}[.!?;:]\s+\S")
_BEFORE, _AFTER = 4, 3
"""The maximum distance in words of a number from its bound, before and after it."""


def without_claim(said: Line, cited: Sequence[Line], known: Lexicon) -> str:
    """How the negations, modal verbs, bounds or periods of a sentence differ from its provisions'; empty if not."""
    claims, given = known.claims.find(said), [known.claims.find(line) for line in cited]
    return _added(said, claims, given) or _moved(said, claims, cited, given) or _left_out(claims, cited, given)


def _added(said: Line, claims: Sequence[Found], given: Sequence[Sequence[Found]]) -> str:
    """The first such word of the sentence that no provision contains in any form."""
    together = {one.concept for found in given for one in found}
    for claim in claims:
        if claim.concept in together | {"neutral"}:
            continue
        if claim.concept == "must" and not together & _WEAKER:
            continue  # many languages express obligations in the indicative
        return f"'{said.text(claim.start, claim.end)}' does not stand so in the provisions"
    return ""


def _moved(said: Line, claims: Sequence[Found], cited: Sequence[Line], given: Sequence[Sequence[Found]]) -> str:
    """The first number whose bound differs from the provisions, or is missing on one side."""
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
    """A negation, restriction or permission of all provisions (of one sentence each) that the sentence omits."""
    if any(_STOP_INSIDE.search(line.source) for line in cited):
        return ""  # the sentence may be based on another sentence of it
    everywhere = set.intersection(*({one.concept for one in found} for found in given))
    missing = everywhere - {claim.concept for claim in claims}
    return next((f"it leaves out a word of the provisions ({concept})" for concept in _KEPT if concept in missing), "")


def _bounded(line: Line, found: Sequence[Found]) -> list[tuple[str, str]]:
    """Each bound with its number: the next one, else the last one before."""
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


# The checker

_DOUBLE: Final = re.compile('["“”„‟«»‹›]')
_SINGLE: Final = re.compile(r"(?<!\w)['‘‚‛](.+?)['’‘](?!\w)")
_OPEN: Final = re.compile(r"(?<!\w)['‘‚‛](?=\w)|[‘‚‛]")
_LINK: Final = re.compile(
    r"(?<!\S)\S*(?:@|://|www\.)\S*[\w/]|(?<![\w.-])[^\W_][\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}(?:/\S*\w/?)?(?!\w)"
)
_LETTER: Final = re.compile(r"(?<!\w)\(?([^\W\d_])\)|\(([^\W\d_]{1,4})\)")
_SCRIPTS: Final = (re.compile("[a-z]", re.I), re.compile("[\u0370-\u03ff]"), re.compile("[\u0400-\u04ff]"))
_LONG: Final = 4
_SHARE: Final = 1 / 3
"""The share of a sentence's longer words that must occur in the provisions in some form; fewer mean another subject or
language."""


class Checker:
    """Checks sentences against provisions of one act.

    Args:
        language: The language of the act.
        source: The text of the act, from which lower-case (ordinary) words are known.

    """

    def __init__(self, language: str, source: str) -> None:
        self._language = language
        self._known = vocabulary(language)
        self._lexicon = lexicon(language)
        words = re.findall(r"[^\W\d_]+", normalised(source))
        self._ordinary = frozenset(word for word in words if word.islower())

    def refusal(self, sentence: str, provisions: Sequence[str]) -> str:
        """The reason why provisions do not support a sentence; empty if they do.

        >>> checker = Checker("en", "Keepers shall register each beehive within 30 days.")
        >>> checker.refusal("Keepers must register each beehive within 60 days.", ["Keepers shall register … 30 days."])
        "'60' does not stand so in the provisions"
        """
        text, cited = normalised(sentence), [normalised(provision) for provision in provisions]
        if not any(map(str.isalpha, text)):
            return "it says nothing"
        if not cited:
            return "it cites no provision of the extract"
        if text in cited:
            return ""  # verbatim
        said, given = Line.of(text, self._language), [Line.of(provision, self._language) for provision in cited]
        all_given = [token for line in given for token in line.tokens]
        return (
            _misquoted(text, cited)
            or _not_there(without_date(said, given, self._lexicon))
            or _not_there(self._without_number(said, given))
            or _not_there(without_article(said, given, self._lexicon))
            or _without_letter(text, cited)
            or _not_there(self._without_name(said, given, all_given))
            or without_claim(said, given, self._lexicon)
            or _without_share(said.tokens, all_given)
        )

    def _without_number(self, said: Line, given: Sequence[Line]) -> str:
        """The first number or numeral outside dates that the provisions lack, or have next to other words."""
        known = [one for line in given for one in self._numbers(line)]
        for place, token, kind in self._numbers(said):
            if place == 0 and len(token.text) == 1 and token.text.isalpha():
                continue  # an article or a preposition, such as "A" or "I"
            if not any(self._is_same(token, other) and kind in ("", its_kind) for _, other, its_kind in known):
                return f"{token.left} {token.text}" if kind else token.text
        return ""

    def _numbers(self, line: Line) -> list[tuple[int, Token, str]]:
        """Numbers and numerals outside dates, each with the kind of act if it is the number of one."""
        in_dates = {place for date in dates(line, self._lexicon) for place in date.places}
        acts = kinds(line, self._lexicon)
        return [
            (place, token, acts.get(place, ""))
            for place, token in enumerate(line.tokens)
            if token.kind in ("number", "numeral") and place not in in_dates
        ]

    def _is_same(self, token: Token, other: Token) -> bool:
        """Whether two numbers are equal and count the same thing, by the head word before or the word after them."""
        if token.kind != other.kind or _number(token) != _number(other):
            return False
        if is_act(token.text) and sum(map(str.isdigit, token.text)) > _LONG:
            return True  # the number of an act is unique
        lefts, rights = (fold(token.left), fold(other.left)), (fold(token.right), fold(other.right))
        same_left, same_right = alike(*lefts), alike(*rights)
        if any(map(self._known.is_head, lefts)):
            return same_left
        if any(map(is_code, (token.left, other.left))):
            return same_left and same_right
        return same_right and (bool(rights[0]) or (same_left and bool(lefts[0])))

    def _without_name(self, said: Line, given: Sequence[Line], all_given: Sequence[Token]) -> str:
        """The first body or name that the provisions do not contain."""
        skipped = {place for date in dates(said, self._lexicon) for place in date.places}
        first = said.tokens[0]
        if (
            first.kind == "name"
            and not is_code(first.text)
            and self._is_ordinary(first.text, said.tokens[1:2], all_given)
        ):
            skipped.add(0)
        named, cited = Named(said, self._lexicon), [Named(line, self._lexicon) for line in given]
        return without_body(named, cited) or without_name(named, cited, self._lexicon, skipped)

    def _is_ordinary(self, word: str, following: Sequence[Token], given: Sequence[Token]) -> bool:
        """Whether the first word of a sentence is capitalized only for its position, being lower-case elsewhere."""
        small = [fold(one.text) for one in given if one.kind == "word"]
        if any(alike(fold(word), other) for other in small):
            return True
        if any(one.kind == "name" for one in following):
            return fold(word) in self._lexicon.joining
        return word.lower() in self._ordinary


def _misquoted(text: str, cited: Sequence[str]) -> str:
    """The first quotation, link or mixed-script word that is not verbatim, or a quotation without an end."""
    doubles = [match.start() for match in _DOUBLE.finditer(text)]
    if len(doubles) % 2:
        return "a quotation has no end"
    pairs = list(zip(doubles[::2], doubles[1::2], strict=True))
    singles = list(_SINGLE.finditer(text))
    inside = [match.span() for match in singles]
    for match in _OPEN.finditer(text):
        if not any(start <= match.start() < end for start, end in inside):
            return "a quotation has no end"
    quoted = [text[start + 1 : end].strip() for start, end in pairs] + [match[1].strip() for match in singles]
    for words in (*quoted, *_LINK.findall(text), *_in_two_scripts(text)):
        verbatim = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
        if not words:
            return "a quotation is empty"
        if not any(verbatim.search(provision) for provision in cited):
            return _not_there(words)
    return ""


def _in_two_scripts(text: str) -> list[str]:
    """Words that mix scripts, such as a Cyrillic "о" in a Latin name."""
    words = re.findall(r"[^\W\d_]+", text)
    return [word for word in words if sum(script.search(word) is not None for script in _SCRIPTS) > 1]


def _without_letter(text: str, cited: Sequence[str]) -> str:
    """The first point, such as (a), b) or (iv), that the provisions do not contain."""
    given = {(match[1] or match[2]).casefold() for provision in cited for match in _LETTER.finditer(provision)}
    letters = [(match[1] or match[2]) for match in _LETTER.finditer(text)]
    lettered = _after_word(text) - {pair for provision in cited for pair in _after_word(provision)}
    others = {word for provision in cited for word, _ in _after_word(provision)}
    wrong = [letter for letter in letters if letter.casefold() not in given]
    wrong += [letter for word, letter in sorted(lettered) if word in others]
    return _not_there(wrong[0]) if wrong else ""


def _after_word(text: str) -> set[tuple[str, str]]:
    """Single letters with the preceding word, such as "Buchstabe b"."""
    return {(fold(word), letter) for word, letter in re.findall(r"(?<![^\W\d_])([^\W\d_]{3,}) ([^\W\d_])(?!\w)", text)}


def _without_share(said: Sequence[Token], given: Sequence[Token]) -> str:
    long = [fold(token.text) for token in said if token.text.isalpha() and len(token.text) >= _LONG]
    known = {fold(token.text) for token in given}
    there = sum(any(alike(word, other) for other in known) for word in long)
    return "" if there >= _SHARE * len(long) else "it has little in common with the provisions"


def _number(token: Token) -> str:
    return fold(token.text) if token.kind == "numeral" else token.text


def _not_there(what: str) -> str:
    return f"'{what}' does not stand so in the provisions" if what else ""
