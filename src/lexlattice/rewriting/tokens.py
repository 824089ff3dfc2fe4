"""What of a text can be checked: its numbers, in figures and in words, its names, and what stands beside them.

The same for all scripts; what differs between languages (months, ordinals, head-words, numerals) comes from data.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

from lexlattice.reading.grammar import LANGUAGES, fold, load

_RUN: Final = r"[^\W_]*\d[^\W_]*"
_NUMBER: Final = (
    r"(?:(?<![\w)\]])(?:[-−–+]|[±<>≤≥~≈] ?))?"  # a sign that is no hyphen
    rf"(?:\d{{1,3}}(?: \d{{3}}(?!\d))+(?:[.,]\d+)?|{_RUN}(?:[.,:/'’⁄–−-]{_RUN})*)"  # 1 000,50; 2016/679; 12.3.2024
    r"(?:\([^\W_]{1,5}\))*"  # 5(1)(a)
)
_TOKEN: Final = re.compile(
    rf"(?P<number>{_NUMBER})|(?P<word>[^\W\d_](?::[^\W\d_]+)|[^\W\d_]+)|(?P<sign>[%‰€$£°§])|(?P<stop>[.,;:!?()\[\]—–])"
)
_BEFORE_NUMBER: Final = re.compile(r"\. ?\d")
_ROMAN: Final = re.compile(r"[IVXLCDM]+")
_SHORT: Final = 3
"""Beginnings of numerals up to this length are whole words."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


class Token(NamedTuple):
    """A word, a number or a sign, with its neighbours; empty where there is a stop or an end instead."""

    kind: str
    """number, numeral, month, name or word."""
    text: str
    left: str = ""
    right: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What is known of a language."""

    months: frozenset[str]
    numerals: frozenset[str]
    """Whole words, ordinals among them."""
    beginnings: tuple[str, ...]
    heads: frozenset[str]
    """Words before a number that say what it counts: "Article", "Annex", "Directive", and the months."""

    def is_numeral(self, word: str) -> bool:
        """Whether a folded word stands for a number."""
        return word in self.numerals or word.startswith(self.beginnings)

    def is_head(self, word: str) -> bool:
        """Whether a folded word is a head-word, in any of its forms."""
        return any(alike(word, head) for head in self.heads)


@cache
def vocabulary(language: str) -> Vocabulary:
    """That of a language; of one that is not among the 24, the English one."""
    grammar = load(language if language in LANGUAGES else "en")
    numerals = tomllib.loads(files(__package__).joinpath("numerals.toml").read_text("utf-8"))[grammar.language]
    forms = " ".join(form for level in grammar.citation.values() for form in level).replace("{ordinal}", " ")
    heads = {*grammar.words, *(name for name, _ in grammar.types), *_WORD.findall(fold(forms)), *grammar.months}
    return Vocabulary(
        months=frozenset(grammar.months),
        numerals=frozenset({word for word in numerals if len(word) <= _SHORT} | set(grammar.ordinal_values)),
        beginnings=tuple(word for word in numerals if len(word) > _SHORT),
        heads=frozenset(heads),
    )


def normalised(text: str) -> str:
    """One kind of space and of compatible letters, so that texts can be compared."""
    return " ".join(unicodedata.normalize("NFKC", text).split())


def tokens(text: str, language: str) -> list[Token]:
    """Of a normalised text.

    >>> [token[1:] for token in tokens("within 30 days (Article 5(1)).", "en") if token.kind == "number"]
    [('30', 'within', 'days'), ('5(1)', 'Article', '')]
    """
    known = vocabulary(language)
    found: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text):
        kind, piece = str(match.lastgroup), match.group()
        if piece == "." and _goes_on(text, match.start(), found):
            continue
        kind = _kind(piece, known) if kind == "word" else kind
        found.append((kind, _written(piece) if match["number"] else piece))
    padded = [("stop", ""), *found, ("stop", "")]
    return [
        Token(kind, piece, *("" if side[0] == "stop" else side[1] for side in (padded[index], padded[index + 2])))
        for index, (kind, piece) in enumerate(found)
        if kind != "stop"
    ]


def alike(word: str, other: str) -> bool:
    """Whether two folded words are forms of one: days and day, Monat and Monate; but not million and milliard.

    >>> alike("days", "day"), alike("million", "milliard"), alike("kg", "km")
    (True, False, False)
    """
    if word == other:
        return True
    shared = 0
    for a, b in zip(word, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= 3 and max(len(word), len(other)) - shared <= 2


def _goes_on(text: str, place: int, before: list[tuple[str, str]]) -> bool:
    """Whether the dot at this place ends no sentence, as far as that can be told: "12. März", "Nr. 5"."""
    is_after_number = bool(before) and before[-1][0] == "number" and place + 1 < len(text)
    return is_after_number or _BEFORE_NUMBER.match(text, place) is not None


def _kind(word: str, known: Vocabulary) -> str:
    folded = fold(word)
    if known.is_numeral(folded):
        return "numeral"
    if folded in known.months:
        return "month"
    if _ROMAN.fullmatch(word) or (len(word) == 1 and word.isupper()):
        return "number"
    return "name" if any(letter.isupper() for letter in word) else "word"


def _written(number: str) -> str:
    """One sign for each kind of dash and apostrophe, and none of it apart."""
    return re.sub("[−–]", "-", re.sub("(?<=[±<>≤≥~≈]) ", "", number)).replace("’", "'").replace("⁄", "/")
