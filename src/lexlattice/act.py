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
from typing import Any, Final, NamedTuple

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
)
"""What a unit can be."""

FURNITURE_KINDS: Final = ("heading", "formula", "page", "signature", "contents", "table")
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
        """Rebuild an act from `to_dict`'s result."""
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
        return cls(**{**data, **rest})

    @classmethod
    def from_json(cls, text: str) -> Act:
        """Rebuild an act from `to_json`'s result."""
        return cls.from_dict(json.loads(text))
