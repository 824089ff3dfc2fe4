"""Citations as people type them: with their own abbreviations ("rec. 5", "art. 3 § 2", "apdo. 2"), in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, product
from typing import Final

from lexlattice.reading.citations.mentions import Mention
from lexlattice.reading.citations.tokens import Token, is_lettered
from lexlattice.reading.citations.vocabulary import fold_letters, load_vocabulary
from lexlattice.reading.languages.grammar import LANGUAGES, raw

ENGLISH: Final = "en"
MAX_READINGS: Final = 16
MAX_CHARACTERS: Final = 200
"""Longer texts are no citations."""
_LEVELS: Final = "article paragraph recital annex point subparagraph indent sentence chapter section title part".split()
"""The levels that an abbreviation may stand for, the most usual first."""
_PIECE: Final = re.compile(r"(?P<word>[^\W\d_]{2,12})(?P<stop>\.?)|(?P<sign>§)")
_LETTER: Final = re.compile(r"\s?\(?[^\W\d_]\b(?!['’.])")
"""The letter of a point after the abbreviation of a word."""
_SHORTEST: Final = 3
"""Letters of an abbreviation without a stop."""
_NUMBERS: Final = ("paren", "half", "decimal", "figure")


def languages_of(cited: str, language: str) -> Iterator[str]:
    """Yield the languages in which a citation may be written: that of the act, English, then all others."""
    yield from dict.fromkeys((language, ENGLISH, *(LANGUAGES if len(cited) <= MAX_CHARACTERS else ())))


def readings(cited: str, language: str) -> Iterator[str]:
    """Yield what a citation may say in a language: as it is written, then with its abbreviations written out.

    >>> list(readings("Rec. 5", "en"))
    ['Rec. 5', 'recital 5']
    >>> list(readings("art. 3, apdo. 2", "es"))
    ['art. 3, apdo. 2', 'art. 3, apartado 2']
    """
    yield cited
    if len(cited) > MAX_CHARACTERS:
        return
    pieces: list[Sequence[str]] = []
    folded, end = fold_letters(cited), 0
    for match in _PIECE.finditer(folded):
        words = _written_out(match, folded, language)
        if words:
            pieces += [(cited[end : match.start()],), words]
            end = match.end()
    if pieces:
        pieces.append((cited[end:],))
        for parts in islice(product(*pieces), MAX_READINGS):
            yield "".join(parts)


def is_whole(mention: Mention, tokens: Sequence[Token]) -> bool:
    """Whether a mention accounts for all numbers and levels of a text: a part of what was asked for is no answer."""
    for index, token in enumerate(tokens):
        if mention.first <= index < mention.last or token.kind == "act":
            continue
        is_letter = token.kind == "word" and len(token.text) == 1 and index >= mention.last
        is_number = token.kind in _NUMBERS or token.roman or (is_letter and is_lettered(token.text))
        if is_number or token.role.levels or token.role.ordinal:
            return False
    return True


def _written_out(match: re.Match[str], folded: str, language: str) -> list[str]:
    """Return the words that a piece of a citation can be short for; none if it is a word of its own."""
    if match["sign"]:
        return [_words(language)["paragraph"][0]]
    word, has_stop = match["word"], bool(match["stop"])
    if load_vocabulary(language).role(word).levels:
        return []
    found = []
    for level, full in _words(language).items():
        begun = [each for each in full if len(word) >= _SHORTEST - has_stop and each.startswith(word)]
        contracted = [each for each in full if has_stop and _is_contracted(word, each)]
        found += (begun or contracted)[:1]
        if level == "point" and has_stop and not begun and _LETTER.match(folded, match.end()):
            found.append(full[0])  # "lit. a", in languages that do not have that word
    # "par." is short for a paragraph, and only as a last resort for a part.
    return list(dict.fromkeys(found))


def _is_contracted(word: str, full: str) -> bool:
    """Whether a word has letters of another one in their order, from its first one on: "apdo" of "apartado"."""
    letters = iter(full)
    return word[0] == full[0] and len(word) < len(full) and all(letter in letters for letter in word)


@cache
def _words(language: str) -> dict[str, list[str]]:
    """Return the words of a language for each level, folded; only those that can be shortened."""
    table = raw(language)["references"]
    return {
        level: [word for entry in table[level] if (word := fold_letters(entry).strip("*")).isalpha()] or [level]
        for level in _LEVELS
    }
