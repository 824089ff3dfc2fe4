"""Where each unit of an act stands: all that words, pairs and units are told of an act's structure."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice.act import SECTION_KINDS, UNIT_KINDS, Act

Integers = NDArray[np.int64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

_SECTION: Final = {kind: place for place, kind in enumerate(SECTION_KINDS)}
LEARNT_KINDS: Final = tuple(kind for kind in UNIT_KINDS if kind != "table")
"""Kinds of units that models tell apart; a table, which is never chosen, is a paragraph to them."""
_UNIT: Final = {kind: place for place, kind in enumerate(LEARNT_KINDS)} | {"table": LEARNT_KINDS.index("paragraph")}

FIRST_RECITALS: Final = 4
SHORT, LONG = 12, 40  # words


class Layout(NamedTuple):
    """For each unit of an act in reading order; numbers count from 0, and -1 means that it has none."""

    sections: Integers
    section_kinds: Integers
    unit_kinds: Integers
    positions: Integers
    """Within the section."""
    depths: Integers
    """How deep the numbering goes: 0 for an article's only paragraph, 2 for a point of an indent."""
    words: Integers
    articles: Integers
    """Which article it belongs to, in the order of the act; annexes and recitals have none."""
    recitals: Integers
    """Which recital it belongs to."""
    tables: Integers
    """1 for a table, 0 for any other unit."""

    @property
    def places(self) -> Floats:
        """From 0, where the act begins, to 1, where it ends."""
        count = len(self.words)
        return ((np.arange(count) + 0.5) / max(1, count)).astype(np.float32)

    @property
    def section_count(self) -> int:
        """Sections with units; they are numbered without a gap."""
        return int(self.sections.max()) + 1 if self.sections.size else 0

    @property
    def article_count(self) -> int:
        """Articles with units."""
        return int(self.articles.max()) + 1 if self.articles.size else 0

    def in_kind(self, kind: str) -> Flags:
        """Which units are in sections of a kind."""
        return np.asarray(self.section_kinds == _SECTION[kind])

    def regions(self) -> list[Flags]:
        """Stretches of an act where summaries find more than elsewhere, or less."""
        in_article, in_recital = self.articles >= 0, self.recitals >= 0
        return [
            self.articles == 0,
            self.articles == 1,
            (self.articles >= 2) & (self.articles < 5),
            in_article & (self.articles >= self.article_count - 2),
            in_recital & (self.recitals < 2),
            in_recital & (self.recitals >= 2) & (self.recitals < 6),
            in_article & (self.positions == 0),
            self.words < SHORT,
            self.words >= LONG,
        ]


def layout_of(act: Act) -> Layout:
    """The layout of an act."""
    units = act.units
    kinds = {section.index: section.kind for section in act.sections}
    filled = [section.index for section in act.sections if section.units]
    row = {index: place for place, index in enumerate(filled)}
    article = {index: place for place, index in enumerate(index for index in filled if kinds[index] == "article")}
    recitals = [unit.position if kinds[unit.section] == "recitals" else -1 for unit in units]
    columns: list[list[int]] = [
        [row[unit.section] for unit in units],
        [_SECTION[kinds[unit.section]] for unit in units],
        [_UNIT[unit.kind] for unit in units],
        [unit.position for unit in units],
        [unit.provision.count(".") for unit in units],
        [unit.words for unit in units],
        [article.get(unit.section, -1) for unit in units],
        recitals,
        [int(unit.kind == "table") for unit in units],
    ]
    return Layout(*(np.array(column, dtype=np.int64) for column in columns))
