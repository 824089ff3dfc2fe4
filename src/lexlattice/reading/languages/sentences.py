"""Sentence boundaries, by the abbreviations and ordinals listed in a language's file.

Only a stop before a capital, a digit or an opening bracket is examined: most abbreviations are followed by lower case
and need no entry. Acts cite sentences by number, so a missed boundary is as wrong as an invented one.
"""

from __future__ import annotations

import re
from typing import Final

from lexlattice.reading.languages.grammar import Grammar, fold
from lexlattice.reading.languages.numbering import dotted_marker, marker

_CLOSING: Final = "»”’\"'“)\\]"
_OPENING: Final = "«„“‘\"'(\\["
_STOPS: Final = ".!?…"
_END: Final = re.compile(rf"[{_STOPS}][{_CLOSING}]*(?:\s?\(\d{{1,3}}\))*+\s+(?=[{_OPENING}]*(?P<next>[^\W_]))")
"""A stop, closing marks and references to footnotes; then the possible start of a sentence."""
_SEPARATOR: Final = re.compile(rf"[{_OPENING}’/-]|(?<=\d)(?=[^\W\d_]{{2}})")
"""The boundary between two words without a space: "l'art.", "7ust."."""
_FOLLOWING: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"\d+[a-z]?\Z")
_NUMERAL: Final = re.compile(r"(?:[IVXLC]{1,6}|[^\W\d_])\Z")
_LISTED: Final = re.compile(r"\d{1,4}[.)]\s+[^\W\d_]")
_DOTTED: Final = re.compile(r"[^\W\d_]{1,4}(?:\.-?[^\W\d_]{1,4})+\Z")
"""Abbreviations with a stop inside ("e.g", "S.p.A"), which all languages have."""
_BEFORE: Final = 2000
"""Characters before a stop that are examined."""
_AFTER: Final = 60
"""Characters after a stop that contain the next word."""
_MAX_DATE: Final = 9
"""Words; a sentence that ends in a year is longer, and a shorter text is just its date ("Do dnia 1 maja 2004 r.")."""
_ENUMERATION: Final = 120
"""Characters before a stop that contain the numbers after a head-word."""
_MAX_ORDINAL: Final = 2
"""Digits of an ordinal."""
_MAX_NUMERAL: Final = 6
"""Characters of a Roman numeral with its stop at the start of a text."""
_MIN_WORD: Final = 4
"""Letters; a shorter word may be an unlisted abbreviation if a digit follows."""
_HEAD: Final = 4
"""Letters that identify a head-word in all its inflected forms."""


def sentences(text: str, grammar: Grammar) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a text.

    >>> from lexlattice.reading.languages.grammar import load
    >>> text = "It is laid down by law. See No. L 5, e.g. Art. 6. The Commission (Ms J. Doe) acts."
    >>> [text[a:b] for a, b in sentences(text, load("en"))]
    ['It is laid down by law.', 'See No. L 5, e.g. Art. 6.', 'The Commission (Ms J. Doe) acts.']
    >>> [b for _, b in sentences("Am 1. Januar gilt Artikel 5. Die Kommission handelt.", load("de"))]
    [28, 52]
    """
    spans: list[tuple[int, int]] = []
    start, after_marker = 0, _after_marker(text)
    # A plain search for the first stop is much faster than the pattern, and that of most texts is their last character.
    first = min((at for sign in _STOPS if (at := text.find(sign, after_marker)) >= 0), default=len(text))
    for match in _END.finditer(text, first) if first < len(text) - 1 else ():
        stop, following = match.start(), text[match.start("next") : match.start("next") + _AFTER]
        if not _may_begin(following) or (text[stop] == "…" and not text[stop - 1 : stop].isalnum()):
            continue
        if text[stop] == "." and not _is_boundary(text[max(start, stop - _BEFORE) : stop], following, grammar):
            continue
        if not any(map(str.isalpha, text[start:stop])):
            continue  # only a number: "7.2.1."
        spans.append((start, match.start() + len(match.group().rstrip())))
        start = match.end()
    spans.append((start, len(text)))
    return spans


def _after_marker(text: str) -> int:
    """Return where the text begins after its marker: neither "1 bis." nor "ii." is a sentence."""
    mark = marker(text) or (dotted_marker(text) if text[:1].islower() and "." in text[:_MAX_NUMERAL] else None)
    return mark.end if mark is not None else 0


def _may_begin(following: str) -> bool:
    """Whether a sentence may begin like this: with a capital or a digit."""
    return following[0].isupper() or following[0].isdigit()


def _is_boundary(before: str, following: str, grammar: Grammar) -> bool:
    """Whether a full stop ends a sentence, not an abbreviation, ordinal or initial."""
    before = before.rstrip()
    if before.count("(") > before.count(")") and before[0] != "(":  # inside brackets
        return False
    if before and not before[-1].isalnum():  # a stop after a bracket or quotation mark; not the dots of an omission
        return before[-1] != "."
    token, previous = _last_words(before)
    word = token.casefold()
    if not word or word in grammar.abbreviations or _DOTTED.match(token):
        return False
    upcoming = _FOLLOWING.match(following)
    after = upcoming.group() if upcoming else ""
    if word in grammar.years:
        return before.count(" ") > _MAX_DATE and not after[0].isdigit()
    if word in grammar.numbered and (after[0].isdigit() or _NUMERAL.match(after)):
        return False
    if _NUMBER.match(token) or (grammar.ordinals_in_text and len(token) > 1 and _NUMERAL.match(token)):
        return _is_boundary_after_number(token, before, after, following, grammar)
    if len(token) == 1:
        return _is_boundary_after_letter(token, previous, after, following, grammar)
    return not after[0].isdigit() or len(word) >= _MIN_WORD or _LISTED.match(following) is not None


def _last_words(before: str) -> tuple[str, str]:
    """Return the word before a stop, without opening marks, and the word before that."""
    words = before.rsplit(None, 2)[-2:]
    token = _SEPARATOR.split(words[-1])[-1] if words else ""
    return token, words[0] if len(words) > 1 else ""


def _is_boundary_after_number(number: str, before: str, after: str, following: str, grammar: Grammar) -> bool:
    """Whether a stop after a number ends the sentence; it may be a list marker, part of a date or an ordinal."""
    previous = _last_words(before)[1]
    has_head = _has_head(before, grammar)
    if not previous or (previous[-1] in ".;:" and not has_head) or fold(after) in grammar.months:
        return False
    if after[0].isdigit():
        return _LISTED.match(following) is not None
    if not grammar.ordinals_in_text:
        return True
    if _names_act(after, grammar) or (after.isupper() and len(after) > 1):
        return False
    if number.isalpha() and len(after) == 1 and following[1:2] == ".":
        return False  # "VII. A." is a number of two parts
    return has_head or (number[0].isdigit() and len(number) > _MAX_ORDINAL and before.count(" ") > _MAX_DATE)


def _has_head(before: str, grammar: Grammar) -> bool:
    """Whether the number at the end of a text follows a head-word, directly or in a list: "Artikel 5, 6 und 7"."""
    words = before[-_ENUMERATION:].split()
    at = len(words) - 1
    while at > 0:  # backwards over the numbers of the list, with "and" or commas between them
        if _is_head(words[at - 1], grammar):
            return True
        if words[at - 1][-1] == "," and _is_number(words[at - 1]):
            at -= 1
        elif at > 1 and words[at - 1].islower() and _is_number(words[at - 2]):
            at -= 2
        else:
            return False
    return False


def _is_number(word: str) -> bool:
    word = word.strip("(.,)")
    return _NUMBER.match(word) is not None or _NUMERAL.match(word) is not None


def _is_boundary_after_letter(letter: str, previous: str, after: str, following: str, grammar: Grammar) -> bool:
    """Whether a stop after a letter ends the sentence ("Annex A."), not an initial ("Ms J. Doe", "z. B.")."""
    if not previous or previous[-1] == "." or (len(after) == 1 and following[1:2] == "."):
        return False
    return _is_head(previous, grammar) or letter.islower() or not previous[0].isupper()


def _is_head(word: str, grammar: Grammar) -> bool:
    """Whether a word precedes numbers ("Article", "point"), in any of its forms."""
    return fold(word.strip("(.,"))[:_HEAD] in grammar.heads


def _names_act(word: str, grammar: Grammar) -> bool:
    """Whether a word names a kind of act, in any of its forms."""
    return fold(word).startswith(tuple(name[:_HEAD] for name, _ in grammar.types))
