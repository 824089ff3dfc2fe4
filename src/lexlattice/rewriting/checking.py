"""Whether a sentence says only what can be found in the provisions it cites. No model is asked.

Checked are numbers (in figures and in words), dates, references, names and quotations: the places where a fluent text
goes wrong unnoticed and a reader is harmed. Each number must stand in the provisions beside the same word, so that
"within 5 days" is not excused by "Article 5". Whether a sentence keeps the sense of what it rests on cannot be told in
this way. In doubt a sentence is refused: the act's own words are always there to take its place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lexlattice.reading.grammar import fold
from lexlattice.rewriting.tokens import Token, alike, normalised, tokens, vocabulary

_DOUBLE: Final = re.compile('["“”„‟«»‹›]')
_SINGLE: Final = re.compile(r"(?<!\w)['‘‚‛](.+?)['’‘](?!\w)")
_OPEN: Final = re.compile(r"(?<!\w)['‘‚‛](?=\w)|[‘‚‛]")
_LINK: Final = re.compile(r"\S*(?:@|://|www\.)\S*[\w/]")
_LETTER: Final = re.compile(r"(?<!\w)\(?([^\W\d_])\)|\(([^\W\d_]{1,4})\)")
_LONG: Final = 4
_SHARE: Final = 1 / 3
"""So many of a sentence's longer words must stand in the provisions, in some form; fewer are another matter, or another
language."""


class Checker:
    """Checks sentences against provisions of one act; `source` is the act, from which ordinary words are known."""

    def __init__(self, language: str, source: str) -> None:
        self._language = language
        self._known = vocabulary(language)
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
        said = tokens(text, self._language)
        given = [token for provision in cited for token in tokens(provision, self._language)]
        return (
            _misquoted(text, cited)
            or self._without_number(said, given)
            or _without_letter(text, cited)
            or self._without_name(said, given)
            or _without_share(said, given)
        )

    def _without_number(self, said: Sequence[Token], given: Sequence[Token]) -> str:
        """The first number, numeral or month that the provisions do not have, or have beside other words."""
        for place, token in enumerate(said):
            if place == 0 and len(token.text) == 1 and token.text.isalpha():
                continue  # an article, or a preposition
            if token.kind == "month":
                found = any(fold(one.text) == fold(token.text) for one in given if one.kind == "month")
            elif token.kind in ("number", "numeral"):
                found = any(self._is_same(token, one) for one in given)
            else:
                continue
            if not found:
                return _not_there(token.text)
        return ""

    def _is_same(self, token: Token, other: Token) -> bool:
        """The same number, and of the same thing: of the head-word before it, else of the word that follows."""
        if token.kind != other.kind or _number(token) != _number(other):
            return False
        if "/" in token.text and sum(map(str.isdigit, token.text)) > _LONG:
            return True  # the number of an act, which is one of its kind
        lefts, rights = (fold(token.left), fold(other.left)), (fold(token.right), fold(other.right))
        same_left, same_right = alike(*lefts), alike(*rights)
        if any(map(self._known.is_head, lefts)):
            return same_left
        if any(map(_is_code, (token.left, other.left))):
            return same_left and same_right
        return same_right and (bool(rights[0]) or (same_left and bool(lefts[0])))

    def _without_name(self, said: Sequence[Token], given: Sequence[Token]) -> str:
        """The first name that the provisions do not have, letter for letter from its capital on."""
        names = {_capital(one.text).casefold() for one in given if one.kind == "name"}
        exact = {one.text for one in given}
        for place, token in enumerate(said):
            if token.kind != "name":
                continue
            if _is_code(token.text):
                found = token.text in exact
            else:
                found = _capital(token.text).casefold() in names or (
                    place == 0 and self._is_ordinary(token.text, said[1:2], given)
                )
            if not found:
                return _not_there(token.text)
        return ""

    def _is_ordinary(self, word: str, following: Sequence[Token], given: Sequence[Token]) -> bool:
        """Whether the first word of a sentence has its capital from there: the provisions or the act write it small."""
        if any(one.text.casefold() == word.casefold() for one in given):
            return True
        if any(one.kind == "name" for one in following):
            return False
        small = (fold(one.text) for one in given if one.kind == "word")
        return word.lower() in self._ordinary or any(alike(fold(word), other) for other in small)


def _misquoted(text: str, cited: Sequence[str]) -> str:
    """The first quotation that is not verbatim, and any quotation mark that has no other; addresses likewise."""
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
    for words in (*quoted, *_LINK.findall(text)):
        verbatim = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
        if not words or not any(verbatim.search(provision) for provision in cited):
            return _not_there(words)
    return ""


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
    return {(fold(word), letter) for word, letter in re.findall(r"([^\W\d_]{3,}) ([^\W\d_])(?!\w)", text)}


def _without_share(said: Sequence[Token], given: Sequence[Token]) -> str:
    long = [fold(token.text) for token in said if token.text.isalpha() and len(token.text) >= _LONG]
    known = {fold(token.text) for token in given}
    there = sum(any(alike(word, other) for other in known) for word in long)
    return "" if there >= _SHARE * len(long) else "it has little in common with the provisions"


def _number(token: Token) -> str:
    return fold(token.text) if token.kind == "numeral" else token.text


def _is_code(word: str) -> bool:
    """An acronym, or the sign or code of a currency."""
    return sum(map(str.isupper, word)) > 1 or word in ("€", "$", "£", "§")


def _capital(word: str) -> str:
    """From the first capital on: Irish writes "an tAontas", "gCoimisiún"."""
    return word[next((place for place, letter in enumerate(word) if letter.isupper()), 0) :]


def _not_there(what: str) -> str:
    return f"'{what}' does not stand so in the provisions"
