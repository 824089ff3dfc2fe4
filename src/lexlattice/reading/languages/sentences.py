"""Where sentences end, by what a language's file says of its abbreviations and ordinals.

Only a stop before a capital, a figure or an opening bracket is looked at: most abbreviations go on in small letters and
need no entry. Acts cite sentences by number, so one missed is as wrong as one too many.
"""

from __future__ import annotations

import re
from typing import Final

from lexlattice.reading.languages.grammar import Grammar, fold
from lexlattice.reading.languages.numbering import dotted_marker, marker

_CLOSING: Final = "»”’\"'“)\\]"
_OPENING: Final = "«„“‘\"'(\\["
_END: Final = re.compile(rf"[.!?…][{_CLOSING}]*(?:\s?\(\d{{1,3}}\))*+\s+(?=[{_OPENING}]*(?P<next>[^\W_]))")
"""A stop, what closes with it, and the number of a footnote; then what may begin a sentence."""
_APART: Final = re.compile(rf"[{_OPENING}’/-]|(?<=\d)(?=[^\W\d_]{{2}})")
"""What stands between a word and another glued to it: "l'art.", "7ust."."""
_FOLLOWING: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"\d+[a-z]?\Z")
_NUMERAL: Final = re.compile(r"(?:[IVXLC]{1,6}|[^\W\d_])\Z")
_LISTED: Final = re.compile(r"\d{1,4}[.)]\s+[^\W\d_]")
_DOTTED: Final = re.compile(r"[^\W\d_]{1,4}(?:\.-?[^\W\d_]{1,4})+\Z")
"""Abbreviations with a stop inside ("e.g", "S.p.A"), as all languages have."""
_LONGEST: Final = 2000
"""Characters before a stop that are looked at."""
_CONTEXT: Final = 60
"""Characters after a stop that hold the word that follows."""
_DATE: Final = 9
"""A sentence that ends in a year has more words than this; fewer are only its date ("Do dnia 1 maja 2004 r.")."""
_ENUMERATION: Final = 120
"""Characters before a stop that hold the numbers a head-word counts."""
_DAY: Final = 2
"""Figures of an ordinal."""
_LONGEST_NUMERAL: Final = 6
"""Characters of a Roman numeral with its stop that leads a text."""
_LEAST: Final = 4
"""A word of fewer letters that no file knows may be an abbreviation where a figure follows."""
_HEAD: Final = 4
"""So many letters tell a head-word in all its inflected forms."""


def sentences(text: str, grammar: Grammar) -> list[tuple[int, int]]:
    """Spans of the sentences of a text.

    >>> from lexlattice.reading.languages.grammar import load
    >>> text = "It is laid down by law. See No. L 5, e.g. Art. 6. The Commission (Ms J. Doe) acts."
    >>> [text[a:b] for a, b in sentences(text, load("en"))]
    ['It is laid down by law.', 'See No. L 5, e.g. Art. 6.', 'The Commission (Ms J. Doe) acts.']
    >>> [b for _, b in sentences("Am 1. Januar gilt Artikel 5. Die Kommission handelt.", load("de"))]
    [28, 52]
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _END.finditer(text, _after_marker(text)):
        stop, following = match.start(), text[match.start("next") : match.start("next") + _CONTEXT]
        if not _begins(following) or (text[stop] == "…" and not text[stop - 1 : stop].isalnum()):
            continue
        if text[stop] == "." and not _ends(text[max(start, stop - _LONGEST) : stop], following, grammar):
            continue
        if not any(map(str.isalpha, text[start:stop])):
            continue  # a mere number: "7.2.1."
        spans.append((start, match.start() + len(match.group().rstrip())))
        start = match.end()
    spans.append((start, len(text)))
    return spans


def _after_marker(text: str) -> int:
    """Where the text begins after what counts it: neither "1 bis." nor "ii." is a sentence."""
    mark = marker(text) or (dotted_marker(text) if text[:1].islower() and "." in text[:_LONGEST_NUMERAL] else None)
    return mark.end if mark is not None else 0


def _begins(following: str) -> bool:
    """Whether a sentence may begin so: with a capital or a figure."""
    return following[0].isupper() or following[0].isdigit()


def _ends(before: str, following: str, grammar: Grammar) -> bool:
    """Whether a full stop between two texts ends a sentence, and no abbreviation, ordinal or initial."""
    before = before.rstrip()
    if before.count("(") > before.count(")") and before[0] != "(":
        return False
    if before and not before[-1].isalnum():
        return before[-1] != "."
    token, previous = _last_words(before)
    word = token.casefold()
    if not word or word in grammar.abbreviations or _DOTTED.match(token):
        return False
    upcoming = _FOLLOWING.match(following)
    after = upcoming.group() if upcoming else ""
    if word in grammar.years:
        return before.count(" ") > _DATE and not after[0].isdigit()
    if word in grammar.numbered and (after[0].isdigit() or _NUMERAL.match(after)):
        return False
    if _NUMBER.match(token) or (grammar.ordinals_in_text and len(token) > 1 and _NUMERAL.match(token)):
        return _number_ends(token, before, after, following, grammar)
    if len(token) == 1:
        return _letter_ends(token, previous, after, following, grammar)
    return not after[0].isdigit() or len(word) >= _LEAST or _LISTED.match(following) is not None


def _last_words(before: str) -> tuple[str, str]:
    """The word before a stop, without what opens before it, and the one before that."""
    words = before.rsplit(None, 2)[-2:]
    token = _APART.split(words[-1])[-1] if words else ""
    return token, words[0] if len(words) > 1 else ""


def _number_ends(number: str, before: str, after: str, following: str, grammar: Grammar) -> bool:
    """Whether a figure ends its sentence: it may lead an item of a list, a date, or be an ordinal."""
    previous = _last_words(before)[1]
    heads = _is_headed(before, grammar)
    if not previous or (previous[-1] in ".;:" and not heads) or fold(after) in grammar.months:
        return False
    if after[0].isdigit():
        return _LISTED.match(following) is not None
    if not grammar.ordinals_in_text:
        return True
    if _names_act(after, grammar) or (after.isupper() and len(after) > 1):
        return False
    if number.isalpha() and len(after) == 1 and following[1:2] == ".":
        return False  # "VII. A." counts what is named after it
    return heads or (number[0].isdigit() and len(number) > _DAY and before.count(" ") > _DATE)


def _is_headed(before: str, grammar: Grammar) -> bool:
    """Whether a head-word counts the number a text ends in, by itself or after others: "Artikel 5, 6 und 7"."""
    words = before[-_ENUMERATION:].split()
    at = len(words) - 1
    while at > 0:
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


def _letter_ends(letter: str, previous: str, after: str, following: str, grammar: Grammar) -> bool:
    """Whether a letter ends its sentence ("Annex A.") and is no initial ("Ms J. Doe", "z. B.") and no marker."""
    if not previous or previous[-1] == "." or (len(after) == 1 and following[1:2] == "."):
        return False
    return _is_head(previous, grammar) or letter.islower() or not previous[0].isupper()


def _is_head(word: str, grammar: Grammar) -> bool:
    """Whether a word says what the number after it counts, in any of its forms."""
    return fold(word.strip("(.,"))[:_HEAD] in grammar.heads


def _names_act(word: str, grammar: Grammar) -> bool:
    """Whether a word names a kind of act, in any of its forms."""
    return fold(word).startswith(tuple(name[:_HEAD] for name, _ in grammar.types))
