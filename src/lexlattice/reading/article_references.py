"""Which articles of an act refer to which, counted fast: the word of the act's own labels beside a number.

It works in every language without a vocabulary, and is what the lattice and the decoder need. What exactly a reference
points at is the business of `lexlattice.reading.citations`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.lazy import once
from lexlattice.act.document import Act

Integers = NDArray[np.int64]

_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_STEM: Final = 3
"""Letters of the word for an article that stay the same in all its forms."""
_ABBREVIATED: Final = 2
"""The fewest letters that its abbreviation has, as in Czech."""
_NUMBER: Final = r"\d+[a-z]?\b"
_BELOW: Final = r"(?:\s?\(\d+\w?\))*"
_AFTER: Final = re.compile(rf"\w*\.?\s{_NUMBER}{_BELOW}(?:,\s{_NUMBER}{_BELOW})*(?:\s\w{{1,4}}\s{_NUMBER})?")
"""Numbers behind the word: "Articles 5(1), 6 and 7"; the short word between the last two is "and" or "to"."""
_BEFORE: Final = re.compile(rf"(?<![\d/])(?:{_NUMBER}\.?,\s)*(?:{_NUMBER}\.?\s\w{{1,4}}\s)?{_NUMBER}\.?\s$")
"""Numbers before the word, as Hungarian, Latvian or Lithuanian write them."""
_REACH: Final = 40
"""Characters before the word in which its numbers may stand."""
_NUMBERS: Final = re.compile(rf"(?<![\d(])({_NUMBER})")


class ArticleReferences(NamedTuple):
    """References between the articles of an act."""

    pairs: Integers
    """The referring section and the section referred to, one row for each reference to another section."""
    units: Integers
    """The unit of each of these rows."""
    counts: Integers
    """How many articles each unit refers to, its own included."""

    @property
    def distinct(self) -> Integers:
        """Each pair once, sorted."""
        return np.array(sorted({(source, target) for source, target in self.pairs.tolist()}), np.int64).reshape(-1, 2)


@once
def article_references(act: Act) -> ArticleReferences:
    """Find all references to the act's articles in its units."""
    counts = np.zeros(len(act.units), np.int64)
    numbers: dict[str, int] = {}
    stem, is_before, pairs = "", False, []
    for section in act.sections:
        if section.kind == "article" and section.number and section.units:
            numbers.setdefault(section.number.casefold(), section.index)
            if not stem and (word := _WORD.search(section.label)):
                stem, is_before = word.group().lower()[:_STEM], section.label[:1].isdigit()
    if stem:
        text, starts = act.source.lower(), [unit.start for unit in act.units]
        forms = rf"{re.escape(stem[:_ABBREVIATED])}(?:{re.escape(stem[_ABBREVIATED:])}|\.)"
        # Lower-casing changes the length of some texts ("İ"); offsets would be wrong then.
        for found in re.finditer(forms, text if len(text) == len(act.source) else act.source):
            beside = _numbers(found, is_before)
            place = bisect_right(starts, found.start()) - 1 if beside else -1
            if place < 0 or found.start() >= act.units[place].end:
                continue
            for number in _NUMBERS.findall(beside):
                if (target := numbers.get(number)) is not None:
                    counts[place] += 1
                    pairs.append((act.units[place].section, target, place))
    elsewhere = np.array([pair for pair in pairs if pair[0] != pair[1]], np.int64).reshape(-1, 3)
    return ArticleReferences(elsewhere[:, :2], elsewhere[:, 2], counts)


def _numbers(word: re.Match[str], is_before: bool) -> str:
    """The numbers beside the word for an article: behind it, or before it where labels have them there."""
    text, start = word.string, word.start()
    if start and text[start - 1].isalpha():
        return ""
    found = _BEFORE.search(text, max(0, start - _REACH), start) if is_before else _AFTER.match(text, word.end())
    return found.group() if found else ""
