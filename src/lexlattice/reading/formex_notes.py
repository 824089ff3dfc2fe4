"""Footnotes of Formex files: what they are numbered, and to which table they belong."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lexlattice.reading.blocks import Block
from lexlattice.reading.tables import Table

if TYPE_CHECKING:
    from lxml.etree import _Element


class NotedTable(Table):
    """A table with the notes below it, which it counts for itself."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.notes: list[Block] = []
        self.counts: Counter[str] = Counter()


class NoteNumbers:
    """The numbers of the footnotes in one file: those of the text, and those of each table."""

    def __init__(self, earlier: NoteNumbers | None = None) -> None:
        self.counts: Counter[str] = Counter()
        self._earlier = earlier.counts if earlier is not None else Counter[str]()
        self._given: dict[str, str] = {}  # by the ids of the notes

    def number(self, note: _Element, table: NotedTable | None) -> str:
        """Give a footnote its number: each file and each table counts its own, in a series for each style."""
        key, style = note.get("NOTE.REF") or note.get("NOTE.ID"), note.get("NUMBERING", "ARAB")
        if key in self._given:
            return self._given[key]
        counts = self.counts if table is None else table.counts
        if not counts[style] and note.get("NUMBERING.CONTINUED") == "YES":
            counts[style] = self._earlier[style]
        counts[style] += 1
        letter = chr(ord("a") + (counts[style] - 1) % 26)
        shown = {"STAR": f"*{counts[style]}", "alpha": letter, "ALPHA": letter.upper(), "NONE": ""}
        number = f"({shown.get(style, counts[style])})".replace("()", "")
        if key:
            self._given[key] = number
        return number


def is_listed(note: _Element) -> bool:
    """Whether a note stands in the list of a table's notes, and not where the text calls it."""
    return next(note.iterancestors("GR.NOTES"), None) is not None
