"""Features of the text of units that mean the same in every language: digits, signs, capitals, dates, roles."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lexlattice.act.document import Act
from lexlattice.lattice.features.position import columns
from lexlattice.lattice.grid import Floats, Integers
from lexlattice.reading.article_references import ArticleReferences
from lexlattice.reading.roles import application_units, groups_of, is_closing_formula

_FIGURE, _QUOTE, _SEMICOLON, _PERCENT, _SLASH = range(1, 6)
_SIGNS: Final = {_QUOTE: '‘“„«"', _SEMICOLON: ";", _PERCENT: "%", _SLASH: "/"}
_PLANE: Final = 0x10000
"""Characters that are classified: Unicode's basic plane, which has all signs and digits of acts."""
_CENTURIES: Final = tuple(tuple(map(ord, century)) for century in ("19", "20"))
_YEAR: Final = 4
"""Digits of a year."""
_SENTENCE: Final = 100
"""Counts of signs are per this many letters."""


def unit_signs(act: Act, references: ArticleReferences) -> Floats:
    """Compute one row for each unit."""
    texts = [unit.prose for unit in act.units]
    lengths = np.array([max(1, len(text)) for text in texts])
    dates = np.zeros(len(texts))
    dates[application_units(act)] = 1
    groups = groups_of(act)
    counts, has_year = _counted(texts)
    return columns(
        [text.rstrip().endswith(":") for text in texts],
        counts[_FIGURE] / lengths,
        has_year,
        counts[_PERCENT] > 0,
        counts[_QUOTE] / lengths * _SENTENCE,
        counts[_SEMICOLON] / lengths * _SENTENCE,
        [text.isupper() for text in texts],
        [text[:1].islower() for text in texts],
        np.log1p(references.counts),
        references.counts / lengths * _SENTENCE,
        dates,
        is_closing_formula(act),
        [group == "aim" for group in groups],
        [group == "application" for group in groups],
    )


def _counted(texts: list[str]) -> tuple[Integers, NDArray[np.bool_]]:
    """Count the signs of each kind in every text, one row per kind; and say whether each text names a year.

    All texts at once, as one array of code points: regular expressions take ten times as long.
    """
    points = np.frombuffer("\n".join([*texts, ""]).encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    kinds = _kinds().take(points, mode="clip")
    places = np.flatnonzero(kinds)
    ends = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)
    # How many places are before the end of each text: a search for each text, and not for each place.
    of_each = np.diff(np.searchsorted(places, ends), prepend=0)
    text_of, found = np.repeat(np.arange(len(texts)), of_each), kinds[places]
    # Kind and text as one number, so that one bincount fills the whole table.
    counts = np.bincount(np.int64(len(texts)) * found + text_of, minlength=(_SLASH + 1) * len(texts))
    is_figure = found == _FIGURE
    has_year = np.zeros(len(texts), np.bool_)
    has_year[text_of[is_figure][_years(points, kinds, places[is_figure])]] = True
    return counts.reshape(_SLASH + 1, len(texts)), has_year


def _years(points: NDArray[np.uint32], kinds: NDArray[np.uint8], figures: Integers) -> Integers:
    """The digits that begin a year, unless it is part of the number of an act, as in 2016/679."""
    # Runs of exactly four adjacent digits that begin with 19 or 20.
    starts = np.flatnonzero(np.diff(figures, prepend=-2) > 1)
    starts = starts[np.diff(starts, append=len(figures)) == _YEAR]
    places = figures[starts]
    is_near = np.logical_or.reduce([(points[places] == a) & (points[places + 1] == b) for a, b in _CENTURIES])
    years: Integers = starts[is_near & (kinds[places - 1] != _SLASH) & (kinds[places + _YEAR] != _SLASH)]
    return years


@cache
def _kinds() -> NDArray[np.uint8]:
    """The kind of each character; 0 for those that are not counted."""
    kinds = np.zeros(_PLANE, np.uint8)
    every = "".join(map(chr, range(_PLANE)))
    kinds[[found.start() for found in re.finditer(r"\d", every)]] = _FIGURE
    for kind, signs in _SIGNS.items():
        kinds[[ord(sign) for sign in signs]] = kind
    return kinds
