"""Whether a sentence says only what can be found in the provisions it cites. No model is asked.

Checked are numbers (in figures and in words), dates, references, names, quotations, and small words that turn a claim:
the places where a fluent text goes wrong unnoticed and a reader is harmed. Each number must stand in the provisions
beside the same word, so that "within 5 days" is not excused by "Article 5"; dates, names and references must stand
there as wholes. Whether a sentence keeps the sense of what it rests on cannot be told in this way. In doubt a sentence
is refused: the act's own words are always there to take its place.
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

# Small words that turn a claim: negations, "only", modal verbs, bounds, periods. They must be the provisions' own.

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


# Whether a sentence says only what can be found in the provisions it cites. No model is asked.

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
"""So many of a sentence's longer words must stand in the provisions, in some form; fewer are another matter, or another
language."""


class Checker:
    """Checks sentences against provisions of one act; `source` is the act, from which ordinary words are known."""

    def __init__(self, language: str, source: str) -> None:
        self._language = language
        self._known = vocabulary(language)
        self._lexicon = lexicon(language)
        words = re.findall(r"[^\W\d_]+", normalised(source))
        self._ordinary = frozenset(word for word in words if word.islower())

    def refusal(self, sentence: str, provisions: Sequence[str]) -> str:
        """Why a sentence may not be shown as resting on these provisions; empty if it may.

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
            return ""  # the act's own words
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
        """The first number or numeral outside dates that the provisions do not have, or have beside other words."""
        known = [one for line in given for one in self._numbers(line)]
        for place, token, kind in self._numbers(said):
            if place == 0 and len(token.text) == 1 and token.text.isalpha():
                continue  # an article, or a preposition
            if not any(self._is_same(token, other) and kind in ("", its_kind) for _, other, its_kind in known):
                return f"{token.left} {token.text}" if kind else token.text
        return ""

    def _numbers(self, line: Line) -> list[tuple[int, Token, str]]:
        """Numbers and numerals that are no part of a date, with the kind of act where they are the number of one."""
        in_dates = {place for date in dates(line, self._lexicon) for place in date.places}
        acts = kinds(line, self._lexicon)
        return [
            (place, token, acts.get(place, ""))
            for place, token in enumerate(line.tokens)
            if token.kind in ("number", "numeral") and place not in in_dates
        ]

    def _is_same(self, token: Token, other: Token) -> bool:
        """The same number, and of the same thing: of the head-word before it, else of the word that follows."""
        if token.kind != other.kind or _number(token) != _number(other):
            return False
        if is_act(token.text) and sum(map(str.isdigit, token.text)) > _LONG:
            return True  # one of its kind
        lefts, rights = (fold(token.left), fold(other.left)), (fold(token.right), fold(other.right))
        same_left, same_right = alike(*lefts), alike(*rights)
        if any(map(self._known.is_head, lefts)):
            return same_left
        if any(map(is_code, (token.left, other.left))):
            return same_left and same_right
        return same_right and (bool(rights[0]) or (same_left and bool(lefts[0])))

    def _without_name(self, said: Line, given: Sequence[Line], all_given: Sequence[Token]) -> str:
        """The first body or name that the provisions do not have."""
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
        """Whether the first word of a sentence has its capital from there: the provisions or the act write it small."""
        small = [fold(one.text) for one in given if one.kind == "word"]
        if any(alike(fold(word), other) for other in small):
            return True
        if any(one.kind == "name" for one in following):
            return fold(word) in self._lexicon.joining
        return word.lower() in self._ordinary


def _misquoted(text: str, cited: Sequence[str]) -> str:
    """The first quotation, address or word in two scripts that is not verbatim, and any quotation without an end."""
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
    """Words with letters that only look like those of another: a Cyrillic "о" in a Latin name."""
    words = re.findall(r"[^\W\d_]+", text)
    return [word for word in words if sum(script.search(word) is not None for script in _SCRIPTS) > 1]


def _without_letter(text: str, cited: Sequence[str]) -> str:
    """The first point, such as (a), b) or (iv), that the provisions do not have."""
    given = {(match[1] or match[2]).casefold() for provision in cited for match in _LETTER.finditer(provision)}
    letters = [(match[1] or match[2]) for match in _LETTER.finditer(text)]
    lettered = _after_word(text) - {pair for provision in cited for pair in _after_word(provision)}
    others = {word for provision in cited for word, _ in _after_word(provision)}
    wrong = [letter for letter in letters if letter.casefold() not in given]
    wrong += [letter for word, letter in sorted(lettered) if word in others]
    return _not_there(wrong[0]) if wrong else ""


def _after_word(text: str) -> set[tuple[str, str]]:
    """Single letters with the word before them: "Buchstabe b" is not "Buchstabe a"."""
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
