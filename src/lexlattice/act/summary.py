"""A summary: the provisions of an act that matter, word for word, each with its citation and its place.

It keeps the act it was made of, so that whatever shows it can also show where everything stands. How it looks as text,
Markdown, a page, a document is the business of `lexlattice.rendering`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lexlattice.act.document import Act, Section, Unit, rows_of
from lexlattice.act.hierarchy import Cut, cuts_of

if TYPE_CHECKING:
    from lexlattice.rendering.blocks import Block

GROUPS: Final = ("aim", "key_points", "application", "background", "related")
"""Under which heading an item stands in a grouped summary, in the order in which they come."""

REASONS: Final = ("says_aim", "says_application", "first_paragraph", "referred_to", "near_title", "near_recitals")
"""What speaks for an item: it says what the act is for, or from when it applies; it is the first paragraph of its
article; so many articles refer to its article; so close to the title, or to the recitals, is what it says (cosine)."""


def shown(score: float) -> float:
    """A score as people see it: a probability, 1 at most, though a provision that states several points has more."""
    return round(min(1.0, score), 4)


@dataclass(frozen=True, slots=True)
class Influence:
    """A neighbour on the lattice, and how much higher or lower the salience of an item is because of it."""

    id: str
    citation: str
    change: float


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that speaks for an item, as data: whoever shows it says it in the reader's language."""

    key: str
    """One of `REASONS`."""
    value: float
    """How much of it there is: a number, a share, or 1."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an item was chosen."""

    rank: int
    """1 for what was chosen first."""
    salience: tuple[float, ...]
    """Before the automaton's first step and after each."""
    neighbours: tuple[Influence, ...]
    """Those that moved it, the one that moved it most before the others."""
    reasons: tuple[Reason, ...] = ()
    """What can be said of it in words."""

    def __str__(self) -> str:
        """In figures, which need no translation: № 3 · 0.21 → 0.35 · Article 4(1) +0.05."""
        moved = [f"{other.citation} {other.change:+.2f}" for other in self.neighbours]
        return " · ".join([f"№ {self.rank}", " → ".join(f"{value:.2f}" for value in self.salience), *moved])


@dataclass(frozen=True, slots=True)
class Item:
    """A provision, or a sentence of one: `text` is the act's own, from `start` to `end` of its source."""

    id: str
    citation: str
    heading: str
    """Of the section it stands in: "Penalties"; empty where there is none."""
    text: str
    start: int
    end: int
    words: int
    score: float
    """How likely an editor would take it, from 0 to 1."""
    section: int
    position: int
    group: str = field(compare=False)
    """One of `GROUPS`."""
    explanation: Explanation | None = field(default=None, compare=False)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Of a table its rows, each with its cells; of any other item none."""
        return rows_of(self.text) if self.id.rpartition(".")[2].startswith("tbl-") else ()

    @classmethod
    def of(cls, unit: Unit, section: Section, score: float, group: str, explanation: Explanation | None = None) -> Item:
        """The item that a unit becomes."""
        return cls(
            id=unit.id,
            citation=unit.citation,
            heading=section.heading,
            text=unit.text,
            start=unit.start,
            end=unit.end,
            words=unit.words,
            score=shown(score),
            section=unit.section,
            position=unit.position,
            group=group,
            explanation=explanation,
        )

    def to_dict(self, *, group: bool = False) -> dict[str, Any]:
        """As plain JSON types; with `group` under which heading it belongs, and why it was chosen if that is known."""
        data = asdict(self)
        name, explanation = data.pop("group"), data.pop("explanation")
        if group:
            data["group"] = name
        if explanation is not None:
            data["explanation"] = {
                **explanation,
                "salience": list(explanation["salience"]),
                "neighbours": list(explanation["neighbours"]),
                "reasons": list(explanation["reasons"]),
            }
        return data


@dataclass(frozen=True)
class Summary:
    """Items in the order of the act."""

    act: Act = field(repr=False)
    budget: int
    """Words that were allowed."""
    items: tuple[Item, ...]
    warnings: tuple[str, ...] = ()
    """What the reader of it should know, one sentence each."""

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> Item:
        return self.items[place]

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        from lexlattice.rendering import notebook

        return notebook.summary(self)

    @property
    def words(self) -> int:
        """Number of words in all items; never more than the budget, unless another version was chosen on."""
        return sum(item.words for item in self.items)

    @property
    def text(self) -> str:
        """The items, one a line, and nothing else: no marks of what is left out."""
        return "\n".join(item.text for item in self.items)

    @cached_property
    def cuts(self) -> tuple[Cut, ...]:
        """What is left out inside the lists and provisions that are shown, in the order of the act."""
        wanted = {item.id for item in self.items}
        return cuts_of(self.act, (place for place, unit in enumerate(self.act.units) if unit.id in wanted))

    def blocks(self) -> tuple[Block, ...]:
        """The items as people read them: a provision at a time, with points nested and cuts marked."""
        from lexlattice.rendering.blocks import blocks_of

        return blocks_of(self.act, self.items, self.cuts)

    def groups(self) -> dict[str, tuple[Item, ...]]:
        """The items under the headings people know from official summaries; only those that hold any."""
        found = {name: tuple(item for item in self.items if item.group == name) for name in GROUPS}
        return {name: items for name, items in found.items() if items}

    def to_dict(self, *, group: bool = False) -> dict[str, Any]:
        """As plain JSON types."""
        return {
            "celex": self.act.celex,
            "title": self.act.title,
            "language": self.act.language,
            "standing": self.act.status,
            "consolidated": self.act.consolidated,
            "consolidated_celex": self.act.consolidated_celex,
            "repealed": self.act.repealed,
            "incomplete": self.act.incomplete,
            "budget": self.budget,
            "words": self.words,
            "extract": [item.to_dict(group=group) for item in self.items],
            "left_out": [cut.to_dict() for cut in self.cuts],
            "warnings": list(self.warnings),
        }

    def to_json(self, *, group: bool = False, indent: int | None = None) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(group=group), ensure_ascii=False, indent=indent)

    def to_text(self, *, group: bool = False) -> str:
        """For a terminal or a mail."""
        from lexlattice.rendering.text import to_text

        return to_text(self, group=group)

    def to_markdown(self, *, group: bool = False) -> str:
        """For notes, wikis and chats."""
        from lexlattice.rendering.text import to_markdown

        return to_markdown(self, group=group)

    def to_html(self, *, group: bool = False) -> str:
        """One page: the act with the chosen provisions marked, the summary beside it; a click goes to the place."""
        from lexlattice.rendering.html import to_html

        return to_html(self, group=group)

    def to_docx(self, *, group: bool = False) -> bytes:
        """A document that can be handed on."""
        from lexlattice.rendering.docx import to_docx

        return to_docx(self, group=group)

    def to_pdf(self, *, group: bool = False) -> bytes:
        """The same, to be printed."""
        from lexlattice.rendering.pdf import to_pdf

        return to_pdf(self, group=group)

    def save(self, path: str | os.PathLike[str], *, group: bool = False) -> None:
        """Write it in the format that the name of the file ends with; whole or not at all."""
        from lexlattice.rendering import save

        save(self, path, group=group)
