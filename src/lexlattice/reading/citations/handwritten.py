"""Citations as people type them: with their own abbreviations ("rec. 5", "art. 3 § 2", "apdo. 2"), in any language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, product
from typing import Final

from lexlattice.reading.citations.mentions import Mention
from lexlattice.reading.citations.tokens import Token, is_lettered
from lexlattice.reading.citations.vocabulary import ACTS, fold_letters, load_vocabulary
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
_PUNCTUATION: Final = frozenset(",.;:'’‘“”\"()[]")
_NAMING: Final = frozenset({"of", "the", "this", "maker"})
"""What words around the name of an act can be: "of this Commission Regulation"."""


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


def is_whole(mention: Mention, tokens: Sequence[Token], text: str, kind: str) -> bool:
    """Whether a mention is all that a text says, but for the name of the act: a part of it is no answer.

    Args:
        mention: A mention in the text.
        tokens: The tokens of the text.
        text: The text.
        kind: The type of the act: "this Directive" is none of its names if it is a regulation.

    """
    if any(character.isalnum() for character in text[: tokens[0].start]):  # a marker, which `tokenize` leaves out
        return False
    before, after = tokens[: mention.first], tokens[mention.last :]
    if any(token.kind == "word" and len(token.text) == 1 and is_lettered(token.text) for token in after):
        return False  # the letter of a point, even if it is also a word
    return all(_is_of_act(token, kind) for token in (*before, *after))


def _is_of_act(token: Token, kind: str) -> bool:
    """Whether a token belongs to the name of the act, or is punctuation."""
    if token.kind == "act" or token.text in _PUNCTUATION:
        return True
    if token.kind in _NUMBERS or token.roman or token.role.levels or token.role.ordinal:
        return False
    named = "decision" if token.role.act == "framework" else token.role.act
    return named == kind if named and kind in ACTS else bool(named or token.role.flags & _NAMING)


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
