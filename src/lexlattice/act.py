"""Act, Section, Unit: what every other room of the library talks about.

An act is its normalised source text, cut without a gap: every non-blank character belongs to exactly one unit or
one piece of furniture (headings, page headers, signatures, tables …). A unit's text is a slice of the source, so
whatever is shown to a reader can be pointed at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, NamedTuple

from lexlattice.errors import LexLatticeError

SECTION_KINDS: Final = ("title", "preamble", "recitals", "article", "annex", "notes", "body")
"""What a row of the lattice can be."""

UNIT_KINDS: Final = (
    "title",
    "citation",
    "recital",
    "paragraph",
    "subparagraph",
    "point",
    "indent",
    "quoted",
    "note",
    "table",
)
"""What a unit can be."""

FURNITURE_KINDS: Final = ("heading", "formula", "page", "signature", "contents", "table", "translation")
"""What is kept apart from the units."""


class Unit(NamedTuple):
    """The smallest provision a lawyer would cite, or one of the sentences it was divided into.

    A named tuple, because an act has thousands and they are made eight times faster than frozen data classes.
    """

    id: str
    provision: str
    """The id without the sentence part: what language versions of one act have in common."""
    section: int
    position: int
    kind: str
    number: str
    """The unit's own number as the act writes it, without brackets; empty where it has none."""
    citation: str
    text: str
    start: int
    end: int
    words: int

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Of a table its rows, each with its cells; of any other unit none.

        In the text of a table a line is a row, and tabs stand between its cells.
        """
        if self.kind != "table":
            return ()
        return tuple(tuple(row.split("\t")) for row in self.text.split("\n"))


@dataclass(frozen=True, slots=True)
class Section:
    """A row of the lattice: the title, the recitals, an article, an annex and so on."""

    index: int
    kind: str
    number: str
    """The number in one notation for all languages: "5a" for "5 bis", "I" for a Roman one; empty for none."""
    label: str
    """The header as the act writes it: "Article 5"; empty where there is none."""
    heading: str
    enclosing: tuple[str, ...]
    """Headings of the chapters, titles and sections around it, outermost first."""
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True)
class Furniture:
    """A stretch of the source that is not a provision: kept, named, and out of the way."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True)
class Act:
    """A legal act, addressable to the character."""

    celex: str
    title: str
    type: str
    date: str
    """Date of the act as ISO 8601; empty where none was found."""
    language: str
    profile: str
    sections: tuple[Section, ...]
    furniture: tuple[Furniture, ...]
    source: str
    """The normalised source text that all spans refer to."""
    warnings: tuple[str, ...] = field(default=())
    """What the reader wants the user to know, one sentence each."""
    consolidated: str | None = None
    """Of a consolidated text the day it shows, as ISO 8601, or empty where none is said; None for an act as adopted."""

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """All units in document order."""
        return tuple(unit for section in self.sections for unit in section.units)

    @cached_property
    def words(self) -> int:
        """Number of words in all units."""
        return sum(unit.words for unit in self.units)

    def __iter__(self) -> Iterator[Unit]:
        return iter(self.units)

    def __len__(self) -> int:
        return len(self.units)

    def __contains__(self, unit_id: object) -> bool:
        return unit_id in self._by_id

    def __getitem__(self, unit_id: str) -> Unit:
        return self._by_id[unit_id]

    def provision(self, provision_id: str) -> tuple[Unit, ...]:
        """The units of a provision: one, or the sentences it was divided into; none if there is no such provision."""
        return self._by_provision.get(provision_id, ())

    @cached_property
    def _by_provision(self) -> dict[str, tuple[Unit, ...]]:
        groups: dict[str, list[Unit]] = {}
        for unit in self.units:
            groups.setdefault(unit.provision, []).append(unit)
        return {provision: tuple(units) for provision, units in groups.items()}

    @cached_property
    def _by_id(self) -> dict[str, Unit]:
        return {unit.id: unit for unit in self.units}

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain JSON types; `from_dict` takes it back."""
        sections = [
            {
                "index": section.index,
                "kind": section.kind,
                "number": section.number,
                "label": section.label,
                "heading": section.heading,
                "enclosing": list(section.enclosing),
                "units": [unit._asdict() for unit in section.units],
            }
            for section in self.sections
        ]
        furniture = [{"kind": piece.kind, "start": piece.start, "end": piece.end} for piece in self.furniture]
        rest = asdict(replace(self, sections=(), furniture=()))
        return {**rest, "sections": sections, "furniture": furniture, "warnings": list(self.warnings)}

    def to_json(self, *, indent: int | None = None) -> str:
        """The JSON that the schema in `act.schema.json` describes."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Act:
        """Rebuild an act from `to_dict`'s result; what is no such thing, or was changed since, is refused."""
        try:
            sections = tuple(
                Section(
                    **{
                        **section,
                        "enclosing": tuple(section["enclosing"]),
                        "units": tuple(Unit(**unit) for unit in section["units"]),
                    }
                )
                for section in data["sections"]
            )
            furniture = tuple(Furniture(**piece) for piece in data["furniture"])
            rest = {"sections": sections, "furniture": furniture, "warnings": tuple(data["warnings"])}
            act = cls(**{**data, **rest})
        except (KeyError, TypeError) as error:
            raise _no_act("it lacks something, or has something that acts do not have") from error
        if not _is_typed(act):
            raise _no_act("something in it is of another kind than in acts")
        if not _is_whole(act):
            raise _no_act("its provisions are not those of its text")
        return act

    @classmethod
    def from_json(cls, text: str) -> Act:
        """Rebuild an act from `to_json`'s result."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _no_act("it is not JSON") from error
        return cls.from_dict(data)


def _no_act(why: str) -> LexLatticeError:
    return LexLatticeError(f"What should be an act is none ({why}); read the act anew.")


def _is_typed(act: Act) -> bool:
    """Whether texts are texts that can be written, places are places, and kinds are known."""
    units = act.units
    texts = [act.celex, act.title, act.type, act.date, act.language, act.profile, act.source, *act.warnings]
    texts += [] if act.consolidated is None else [act.consolidated]
    texts += [text for s in act.sections for text in (s.kind, s.number, s.label, s.heading, *s.enclosing)]
    texts += [text for u in units for text in (u.id, u.provision, u.kind, u.number, u.citation, u.text)]
    places = [section.index for section in act.sections]
    places += [place for u in units for place in (u.section, u.position, u.start, u.end, u.words)]
    places += [place for piece in act.furniture for place in (piece.start, piece.end)]
    if not all(type(text) is str for text in texts) or not all(type(place) is int for place in places):
        return False
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:  # JSON can escape half of a character
        return False
    kinds = (SECTION_KINDS, act.sections), (UNIT_KINDS, units), (FURNITURE_KINDS, act.furniture)
    return all(one.kind in known for known, several in kinds for one in several)


def _is_whole(act: Act) -> bool:
    """Whether no letter is lost or covered twice, and every unit is where and what it says."""
    position = 0
    spans = [(unit.start, unit.end) for unit in act.units] + [(piece.start, piece.end) for piece in act.furniture]
    for start, end in sorted(spans):
        if not position <= start < end <= len(act.source) or act.source[position:start].strip():
            return False
        position = end
    return (
        not act.source[position:].strip()
        and all(unit.text == act.source[unit.start : unit.end] and unit.text.strip() for unit in act.units)
        and all(unit.words == len(unit.text.split()) for unit in act.units)
        and all(unit.id in (unit.provision, f"{unit.provision}.s-{unit.id.rpartition('.s-')[2]}") for unit in act.units)
        and len(act._by_id) == len(act.units)
        and all(before.start < after.start for before, after in pairwise(act.units))
        and all(section.index == index for index, section in enumerate(act.sections))
        and all(
            (unit.section, unit.position) == (section.index, position)
            for section in act.sections
            for position, unit in enumerate(section.units)
        )
    )
