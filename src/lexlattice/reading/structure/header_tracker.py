"""Tracks article and annex numbers, to tell the act's own headers from others.

Amending acts quote whole articles of other acts, tables list them, and annexes restart their count. The word "Article"
proves little, but a number that follows the last one proves much, in every language.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from lexlattice.reading.languages.grammar import Header
from lexlattice.reading.languages.numbering import OPENING_QUOTES, from_roman, letter_value
from lexlattice.reading.structure.lines import Lines

_LEADING_NUMBER: Final = re.compile(r"\d+")
"""The number in "5a" or "12"."""
_LONGEST_GAP: Final = 200
"""Missing numbers before a header that are checked; acts have a few hundred articles."""


class HeaderTracker:
    """Tracks the numbers seen and to come, and whether another act is being quoted."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.last_article = 0
        self.last_decimal = (0, 0)
        """Chapter and place of the last article numbered by both, as in trade agreements: 2.1."""
        self.last_annex: tuple[str, int] | None = None
        self.last_lettered = ""
        """The number of the last annex if it ends with a letter in brackets: "1(a)"."""
        self.in_quotation = False
        articles = (h for h in lines.headers if h is not None and h.kind == "article" and "." not in h.number)
        self.upcoming = Counter(map(article_value, articles))
        """How many headers below have each article number."""

    def track_quotation(self, i: int) -> None:
        """Notice where quoted text of another act begins: its headers are not this act's."""
        line = self.lines.texts[i]
        if line[0] not in OPENING_QUOTES:
            return
        inner = line.lstrip(OPENING_QUOTES + " ")
        if not inner:
            self.in_quotation = i + 1 < len(self.lines) and self.lines.headers[i + 1] is not None
        elif self.lines.grammar.header(inner) is not None:
            self.in_quotation = True

    def accepts_article(self, i: int, header: Header, *, in_annex: bool) -> bool:
        """Whether an article header opens an article of this act."""
        if "." in header.number:
            return not in_annex and _steps(self.last_decimal, _decimal(header))
        value = article_value(header)
        self.upcoming[value] -= 1
        if not header.number:  # "Sole Article"
            return not self.last_article
        due = value == self.last_article + 1
        if self.in_quotation:
            return due
        # "5a" after "5", which has the same value.
        inserted = value == self.last_article and header.number != str(value)
        if in_annex:  # tables of annexes list articles, which have no sentences below them
            return (due or (inserted and value > 0)) and self.lines.has_sentence(i, self._next_header(i))
        if due or inserted:
            return True
        if value > self.last_article:
            return self._may_skip_to(value)
        return value == 1 and self.last_article > 0  # the first article of an attached act

    def _may_skip_to(self, value: int) -> bool:
        """Whether the numbers before this one are missing, rather than this one being out of order."""
        if self.upcoming[self.last_article + 1]:
            return False
        # The number is plausible if at least as many numbers follow it as are still to come before it.
        between = range(self.last_article + 1, min(value, self.last_article + _LONGEST_GAP))
        beyond = range(value + 1, value + len(between) + 1)
        return sum(self.upcoming[n] > 0 for n in between) <= sum(self.upcoming[n] > 0 for n in beyond)

    def accepts_annex(self, i: int, header: Header, *, in_terms: bool) -> bool:
        """Whether an annex header opens an annex: it is in capitals, or its number is the next one.

        It does not if it is the whole text of a point, nor among the articles (`in_terms`) if the next of them follows.
        """
        written = self.lines.texts[i][: header.end]
        rest = self.lines.texts[i][header.end :].strip(" .:-–—")
        name = written.partition("(")[0]
        is_capitals = name.upper() == name
        if (not is_capitals and self._is_item(i)) or (in_terms and self._articles_continue(i)):
            return False
        ends_a_sentence = self.lines.texts[i].endswith(".") and not header.number
        if header.kind == "appendix" or ((rest or ends_a_sentence) and not is_capitals):
            return False
        if not header.number:
            return is_capitals or (header.kind == "annex" and self.last_annex is None)
        if self.last_annex is None:
            return True
        style, value = annex_value(header.number)
        last_style, last = self.last_annex
        if self.last_lettered and header.written.endswith(")") and header.written[:-2] == self.last_lettered[:-2]:
            return header.written > self.last_lettered
        if style == last_style and value <= last and header.kind == "annex":  # a reference to an earlier annex
            return False
        return is_capitals or value == last + 1

    def _is_item(self, i: int) -> bool:
        """Whether the line above is only a marker, "(c)", whose text this line is."""
        mark = self.lines.marks[i - 1] if i else None
        return mark is not None and mark.end >= len(self.lines.texts[i - 1]) and mark.style in ("paren", "letter")

    def _articles_continue(self, i: int) -> bool:
        """Whether the next article below is the act's next one, and not the first of an annex."""
        if not self.last_article or not self.upcoming[self.last_article + 1]:
            return False
        headers = self.lines.headers
        below = (j for j in range(i + 1, len(self.lines)) if (h := headers[j]) is not None and h.kind == "article")
        place = next(below, None)
        if place is None or (header := headers[place]) is None or article_value(header) != self.last_article + 1:
            return False
        return self.lines.has_sentence(place, self._next_header(place))

    def record_article(self, header: Header) -> bool:
        """Record an article; true if its number restarts the count, as in an attached act."""
        if "." in header.number:
            self.last_decimal = _decimal(header)
            self.in_quotation = False
            return False
        value = article_value(header)
        restarts = value == 1 and self.last_article >= 1 and header.number in ("1", "I")
        self.last_article = value
        self.in_quotation = False
        return restarts

    def record_annex(self, header: Header) -> None:
        """Record an annex; articles inside it count from one."""
        self.in_quotation = False
        self.last_article = 0
        if header.number:
            self.last_annex = annex_value(header.number)
            self.last_lettered = header.written if header.written.endswith(")") else ""
        elif self.last_annex is None:
            self.last_annex = ("sole", 1)

    def _next_header(self, i: int) -> int:
        stop = min(len(self.lines), i + 40)
        return next((j for j in range(i + 1, stop) if self.lines.headers[j] is not None), stop)


def _decimal(header: Header) -> tuple[int, int]:
    chapter, _, place = header.number.partition(".")
    return int(chapter), int(place)


def _steps(last: tuple[int, int], number: tuple[int, int]) -> bool:
    """Whether a number follows another: the next of its chapter, or the first of the next chapter."""
    return number in ((last[0], last[1] + 1), (last[0] + 1, 1)) and number[0] > 0


def article_value(header: Header) -> int:
    """The value of an article's number, Arabic or Roman; 0 if it has none."""
    digits = _LEADING_NUMBER.match(header.number)
    return int(digits.group()) if digits else from_roman(header.number.lower())


def annex_value(number: str) -> tuple[str, int]:
    """The style of an annex's number, and its value."""
    digits = _LEADING_NUMBER.match(number)
    if digits:
        return "digits", int(digits.group())
    roman = from_roman(number.lower())
    return ("roman", roman) if roman else ("letter", letter_value(number.lower()))
