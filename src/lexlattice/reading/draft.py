"""The outline in the making: where the pass over the lines stands, and the place that each line was given so far."""

from __future__ import annotations

from typing import Final

from lexlattice.reading.lines import Lines
from lexlattice.reading.sections import Part, Sections

FRONT: Final = ("front", "title")
"""States before the act's own text."""
TERMS: Final = ("article", "annex", "body", "heading")
"""States in which lines belong to what the act lays down."""


class Draft:
    """What all readers of lines share: the open section, the state, and what is furniture.

    The state says what may come next: `front`, `title`, `preamble`, `recitals`, `body`, `division` and `heading` (just
    below the header of a chapter, or of an article or annex), `article`, `annex`, `signature`, `notes`, `attached`.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.grammar = lines.grammar
        self.sections = Sections()
        self.parts = self.sections.parts
        self.state = "front"
        self.furniture: dict[int, str] = {}
        self.notes: set[int] = set()
        """Footnotes among the lines of a section."""
        self.tables: dict[int, int] = {}
        """Rows of tables among the lines of a section, each with the number of its table."""
        self.groups: dict[int, int] = {}
        """Headings inside annexes by mark-up, each with its depth."""
        self.heading_due = 0
        """The line that may be the heading of a part of an annex."""

    @property
    def part(self) -> Part:
        """The open section."""
        return self.parts[-1]

    @property
    def kind(self) -> str:
        """The kind of the open section, if there is one."""
        return self.parts[-1].kind if self.parts else ""

    def add(self, i: int) -> None:
        """Add a line to the open section."""
        self.parts[-1].lines.append(i)

    def add_to(self, kind: str, i: int) -> None:
        """Add a line to the section of a kind, which is opened unless it is open, and go on in it."""
        self.sections.add(kind, i, anew=self.state == "division")
        self.state = kind

    def in_article(self, i: int, line: str) -> bool:
        """Below an article's header and heading: its text."""
        self.add(i)
        return True
