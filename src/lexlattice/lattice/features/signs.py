"""Features of the text of units that are the same in every language: figures, signs, capitals, dates, roles."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from lexlattice.act import Act
from lexlattice.grouping import applies_from, formulas, group_of
from lexlattice.lattice.cells import Floats
from lexlattice.lattice.features.mentions import Mentions
from lexlattice.lattice.features.places import columns

_YEAR: Final = re.compile(r"(?<![\d/])(?:19|20)\d\d(?![\d/])")
_FIGURE: Final = re.compile(r"\d+")
_QUOTE: Final = re.compile('[‘“„«"]')
_SENTENCE: Final = 100
"""Letters to which counts of signs are related."""


def unit_signs(act: Act, mentions: Mentions) -> Floats:
    """A row for each unit."""
    texts = [unit.prose for unit in act.units]
    lengths = np.array([max(1, len(text)) for text in texts])
    figures = [_FIGURE.findall(text) for text in texts]
    dates = np.zeros(len(texts))
    dates[applies_from(act)] = 1
    groups = group_of(act)
    return columns(
        [text.rstrip().endswith(":") for text in texts],
        np.array([sum(map(len, found)) for found in figures]) / lengths,
        [_YEAR.search(text) is not None for text in texts],
        ["%" in text for text in texts],
        np.array([len(_QUOTE.findall(text)) for text in texts]) / lengths * _SENTENCE,
        np.array([text.count(";") for text in texts]) / lengths * _SENTENCE,
        [text.isupper() for text in texts],
        [text[:1].islower() for text in texts],
        np.log1p(mentions.of_units),
        mentions.of_units / lengths * _SENTENCE,
        dates,
        formulas(act),
        [group == "aim" for group in groups],
        [group == "application" for group in groups],
    )
