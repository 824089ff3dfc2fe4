"""A summary: the provisions of an act that matter, word for word, each with its citation and its place.

It keeps the act it was made of, so that whatever shows it can also show where everything stands. How it looks as text,
Markdown, a page, a document is the business of `lexlattice.rendering`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Final, cast

from lexlattice._internal.lazy import cached_property
from lexlattice.act.document import Act, Section, Unit, rows_of, shortened
from lexlattice.act.hierarchy import Cut, cuts_of

if TYPE_CHECKING:
    from lexlattice.rendering.blocks import Block

GROUPS: Final = ("aim", "key_points", "application", "background", "related")
"""Under which heading an item stands in a grouped summary, in the order in which they come."""

REASONS: Final = (
    "says_aim",
    "says_application",
    "says_scope",
    "says_repeal",
    "defines_terms",
    "first_paragraph",
    "referred_to",
    "near_title",
    "near_recitals",
    "high_salience",
    "new_chapter",
    "pointed_at",
    "needed",
    "with_others",
    "next_best",
)
"""What speaks for an item: it says what the act is for, from when it applies, what it applies to, or what it repeals;
it is in the article that defines terms; it is the first paragraph of its article; N articles refer to its article; its
cosine similarity with the title, or with the recitals; its salience is among the highest N % of the act; it was the
first to be selected of its chapter; something selected before points ahead to it; N others, selected with it, cannot be
read without it; it was selected with N others without which it cannot be read; or it merely was among the strongest,
for its length, of what was left."""


def _about(kind: str, name: str, language: str, items: int, words: int) -> str:
    """A summary in one line."""
    return f"<{kind} of {shortened(name, 40)!r} {language}: {items:,} items, {words:,} words>"


def shown(score: float) -> float:
    """Round a score for display; at most 1, though a provision that states several points may have more."""
    return round(min(1.0, score), 4)


@dataclass(frozen=True, slots=True)
class Influence:
    """A neighbour on the lattice, and how much higher or lower the salience of an item is because of it."""

    id: str
    citation: str
    change: float


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for selecting an item, as data, so that it can be shown in any language."""

    key: str
    """One of `REASONS`."""
    value: float
    """How much of it there is: a number, a share, or 1."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why an item was selected."""

    rank: int
    """1 for what was selected first."""
    salience: tuple[float, ...]
    """Before the automaton's first step and after each."""
    neighbours: tuple[Influence, ...]
    """Those that changed it most, the strongest first."""
    reasons: tuple[Reason, ...] = ()
    """Reasons that can be put into words."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Explanation:
        """Rebuild an explanation from what `to_dict` returned."""
        return cls(
            rank=data["rank"],
            salience=tuple(data["salience"]),
            neighbours=tuple(Influence(**neighbour) for neighbour in data["neighbours"]),
            reasons=tuple(Reason(**reason) for reason in data["reasons"]),
        )

    def __str__(self) -> str:
        """In figures, which need no translation: № 3 · 0.21 → 0.35 · Article 4(1) +0.05."""
        moved = [f"{other.citation} {other.change:+.2f}" for other in self.neighbours]
        return " · ".join([f"№ {self.rank}", " → ".join(f"{value:.2f}" for value in self.salience), *moved])


@dataclass(frozen=True, slots=True, repr=False)
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
    group: str = field(default="", compare=False)
    """One of `GROUPS`; empty if it was read from data without groups."""
    explanation: Explanation | None = field(default=None, compare=False)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Of a table its rows, each with its cells; of any other item none."""
        return rows_of(self.text) if self.id.rpartition(".")[2].startswith("tbl-") else ()

    def __repr__(self) -> str:
        return f"<Item {shortened(self.citation, 30)!r}: {shortened(self.text, 50)!r}>"

    @classmethod
    def of(cls, unit: Unit, section: Section, score: float, group: str, explanation: Explanation | None = None) -> Item:
        """Make an item from a unit."""
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
        """Return plain JSON types: with `group` the group too, and the explanation if there is one."""
        data = {name: getattr(self, name) for name in self.__slots__ if name != "explanation"}
        if not group:
            del data["group"]
        if self.explanation is not None:
            data["explanation"] = self.explanation.to_dict()
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Item:
        """Rebuild an item from what `to_dict` returned."""
        why = data.get("explanation")
        return cls(**{**data, "explanation": None if why is None else Explanation.from_dict(why)})


@dataclass(frozen=True, slots=True, repr=False)
class SummaryRecord:
    """A summary as plain data, without the text of the act: what files, the REST service and its client exchange."""

    celex: str
    title: str
    language: str
    status: str
    """One of `lexlattice.act.document.STATUSES`."""
    consolidated: str | None
    consolidated_celex: str
    repealed: str | None
    incomplete: bool
    budget: int
    words: int
    extract: tuple[Item, ...]
    """The selected provisions in document order."""
    left_out: tuple[Cut, ...]
    """What is left out inside the lists and provisions that are shown."""
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        return _about("SummaryRecord", self.celex or self.title, self.language, len(self.extract), self.words)

    def to_dict(self, *, group: bool = False) -> dict[str, Any]:
        """Return plain JSON types; with `group` each item has its group."""
        data = {field.name: getattr(self, field.name) for field in fields(self)}
        return data | {
            "extract": [item.to_dict(group=group) for item in self.extract],
            "left_out": [cut.to_dict() for cut in self.left_out],
            "warnings": list(map(str, self.warnings)),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> SummaryRecord:
        """Rebuild a record from what `to_dict` returned."""
        lists = {
            "extract": tuple(map(Item.from_dict, data["extract"])),
            "left_out": tuple(map(Cut.from_dict, data["left_out"])),
            "warnings": tuple(data["warnings"]),
        }
        return cls(**{**data, **lists})


@dataclass(frozen=True, repr=False)
class Summary:
    """A summary: the selected provisions in document order, with the act they come from."""

    act: Act
    budget: int
    """The number of words that were allowed."""
    items: tuple[Item, ...]
    warnings: tuple[str, ...] = ()
    """What a reader should know, one sentence each."""

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> Item:
        return self.items[place]

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return _about("Summary", self.act.celex or self.act.title, self.act.language, len(self.items), self.words)

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

    def groups(self) -> dict[str, tuple[Item, ...]]:
        """The items under the headings people know from official summaries; only those that hold any."""
        found = {name: tuple(item for item in self.items if item.group == name) for name in GROUPS}
        return {name: items for name, items in found.items() if items}

    @cached_property
    def record(self) -> SummaryRecord:
        """The summary as plain data, without the text of the act."""
        return SummaryRecord(
            celex=self.act.celex,
            title=self.act.title,
            language=self.act.language,
            status=self.act.status,
            consolidated=self.act.consolidated,
            consolidated_celex=self.act.consolidated_celex,
            repealed=self.act.repealed,
            incomplete=self.act.incomplete,
            budget=self.budget,
            words=self.words,
            extract=self.items,
            left_out=self.cuts,
            warnings=self.warnings,
        )

    def to_dict(self, *, group: bool = False) -> dict[str, Any]:
        """Return plain JSON types; with `group` each item says under which heading it belongs."""
        return self.record.to_dict(group=group)

    def to_json(self, *, group: bool = False, indent: int | None = None) -> str:
        """Return the same as JSON."""
        return json.dumps(self.to_dict(group=group), ensure_ascii=False, indent=indent)

    def to_text(self, *, group: bool = False) -> str:
        """Return plain text, for a terminal or an e-mail."""
        return cast(str, self.render("text", group=group))

    def to_markdown(self, *, group: bool = False) -> str:
        """Return Markdown, for notes, wikis and chats."""
        return cast(str, self.render("md", group=group))

    def to_html(self, *, group: bool = False) -> str:
        """Return one HTML page: the summary beside the act, with the selected provisions marked and linked."""
        return cast(str, self.render("html", group=group))

    def to_docx(self, *, group: bool = False) -> bytes:
        """Return the bytes of a Word document; needs the extra `docx`."""
        return cast(bytes, self.render("docx", group=group))

    def to_pdf(self, *, group: bool = False) -> bytes:
        """Return the bytes of a PDF; needs the extra `pdf`."""
        return cast(bytes, self.render("pdf", group=group))

    # The document model lies below `lexlattice.rendering`. The methods below are its only way there; they import it
    # when they are called, so that reading and summarizing never load it.

    def render(self, format: str, *, group: bool = False) -> str | bytes:
        """Return the summary in a format.

        Args:
            format: One of `lexlattice.rendering.FORMATS`: text, md, html, json, docx or pdf.
            group: Whether provisions stand under the headings of official summaries.

        Returns:
            A string, or bytes for docx and pdf.

        Raises:
            OptionError: If there is no such format.
            MissingExtraError: If the format needs an optional dependency that is not installed.

        """
        from lexlattice import rendering

        return rendering.render(self, format, group=group)

    def blocks(self) -> tuple[Block, ...]:
        """The items as people read them: one provision at a time, with points nested and cuts marked."""
        from lexlattice import rendering

        return rendering.blocks_of(self.act, self.items, self.cuts)

    def save(self, path: str | os.PathLike[str], *, group: bool = False) -> None:
        """Write a file in the format that its suffix names; it is written completely or not at all."""
        from lexlattice import rendering

        rendering.save(self, path, group=group)

    def _repr_html_(self) -> str:
        from lexlattice import rendering

        return rendering.notebook.summary(self)
