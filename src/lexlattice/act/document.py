"""The document model: Act, Section, Unit and what belongs to them; every other package uses it.

An act is its normalised source text, cut without a gap: every non-blank character belongs to exactly one unit or
one piece of furniture (headings, page headers, signatures, tables …). A unit's text is a slice of the source, so
whatever is shown to a reader can be pointed at.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lexlattice._internal.lazy import cached_property
from lexlattice.act.remarks import Remark
from lexlattice.errors import DataError

if TYPE_CHECKING:
    from lexlattice.reading.citations.act_names import ActForm

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

STATUSES: Final = ("adopted", "consolidated", "corrigendum", "repealed")
"""What an act's text can be: as adopted, as amended until some day, a correction, or of an act no longer in force."""

CUT_OFF: Final = Remark(
    "cut-off", "The text seems to be cut off: what should follow is missing, and so it is in anything made of it."
)
"""The warning of an act that is incomplete."""

REFERENCE_KINDS: Final = ("internal", "external", "treaty", "other")
"""Where a reference leads: into this act, to an act with a number, to a treaty, or where the text alone cannot say."""

_COLLECTIVE: Final = {"title": "title", "preamble": "pre", "recitals": "recitals", "notes": "notes"}
"""Ids of the sections whose units are numbered without them."""
_ENCLOSING: Final = ("anx", "app", "prot", "att-")
"""How the step of an id begins that names what encloses a section."""
_SECTION_STEPS: Final = {"article": ("art-", "art~"), "annex": ("anx", "app", "prot")}
"""How the step of an id begins that names the section itself."""


def rows_of(table: str) -> tuple[tuple[str, ...], ...]:
    """The rows of a table's text, each with its cells; no other unit's text has line breaks or tabs."""
    return tuple(tuple(row.split("\t")) for row in table.split("\n"))


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
    def prose(self) -> str:
        """Its text, or nothing if it is a table: tables are looked up, not summarized."""
        return "" if self.kind == "table" else self.text

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Of a table its rows, each with its cells; of any other unit none.

        In the text of a table a line is a row, and tabs stand between its cells.
        """
        return rows_of(self.text) if self.kind == "table" else ()

    def __repr__(self) -> str:
        return f"<Unit {shortened(self.id, 30)}: {shortened(self.text, 50)!r}>"


@dataclass(frozen=True, slots=True, repr=False)
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

    @property
    def id(self) -> str:
        """What the ids of its units begin with: "art-5", "anx-I", "att-1.art-1"; or "pre", "recitals", "notes"."""
        steps = self.units[0].provision.split(".") if self.units else []
        if self.kind in _COLLECTIVE:
            enclosing = [step for step in steps[:-1] if step.startswith(_ENCLOSING)]
            return ".".join([*enclosing, _COLLECTIVE[self.kind]])
        names = _SECTION_STEPS.get(self.kind, ())
        ends = [place for place, step in enumerate(steps, 1) if step.startswith(names)] if names else []
        if ends:  # an article's number may have a stop in it: "art-2.1"
            return ".".join(steps[: ends[0] + (self.number.count(".") if self.kind == "article" else 0)])
        return steps[0] if steps else "-".join(filter(None, (self.kind, self.number)))

    @property
    def text(self) -> str:
        """The texts of its units, each provision on a line of its own, without headers and headings."""
        return _joined(self.units)

    @property
    def start(self) -> int:
        """Where its first unit begins in the act's source."""
        return self.units[0].start if self.units else 0

    @property
    def end(self) -> int:
        """Where its last unit ends in the act's source."""
        return self.units[-1].end if self.units else 0

    @property
    def words(self) -> int:
        """Number of words in its units."""
        return sum(unit.words for unit in self.units)

    def __repr__(self) -> str:
        name = shortened(f"{self.label} {self.heading}".strip(), 35)
        return f"<Section {shortened(self.id, 20)} {name!r}: {len(self.units)} units, {self.words:,} words>"


@dataclass(frozen=True, slots=True, repr=False)
class Provision:
    """A provision with all that is below it: an article, a paragraph with its points, a recital."""

    id: str
    citation: str
    """How it is cited in the act's own language."""
    units: tuple[Unit, ...]
    """Its units in document order; never empty."""

    @property
    def text(self) -> str:
        """The texts of its units; sentences of one provision share a line."""
        return _joined(self.units)

    @property
    def start(self) -> int:
        """Where it begins in the act's source."""
        return self.units[0].start

    @property
    def end(self) -> int:
        """Where it ends in the act's source."""
        return max(unit.end for unit in self.units)

    @property
    def words(self) -> int:
        """Number of words in its units."""
        return sum(unit.words for unit in self.units)

    def __iter__(self) -> Iterator[Unit]:
        return iter(self.units)

    def __len__(self) -> int:
        return len(self.units)

    def __repr__(self) -> str:
        return f"<Provision {shortened(self.id, 25)} {shortened(self.citation, 20)!r}: {shortened(self.text, 35)!r}>"

    def _repr_html_(self) -> str:
        from lexlattice.rendering import notebook  # what notebooks show is needed in notebooks only

        return notebook.provision(self)


class Reference(NamedTuple):
    """A place where the act cites a provision of its own, another act, or a provision of that."""

    unit: str
    """Id of the unit it stands in."""
    start: int
    end: int
    text: str
    targets: tuple[str, ...]
    """Ids of the provisions of this act it points at; none where it points elsewhere, or at nothing that is there."""
    celex: str
    """CELEX number of the other act; empty for this act and where none can be said with certainty."""
    provision: str
    """What is cited in the other act, as ids would have it: "art-5.par-1"; several with spaces between."""
    kind: str
    """One of `REFERENCE_KINDS`."""


class Definition(NamedTuple):
    """A term that the act defines, and where."""

    term: str
    unit: str
    """Id of the unit that says what it means."""
    start: int
    """Where the term itself stands in the act's source."""
    end: int


@dataclass(frozen=True, slots=True)
class Furniture:
    """A stretch of the source that is not a provision: kept, named, and out of the way."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, repr=False)
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
    consolidated_celex: str = ""
    """Of a consolidated text its own number, "02014R1030-20210628", where number and day are known."""
    repealed: str | None = None
    """What repealed the act, where the file says so; empty if it says only that it is no longer in force."""
    incomplete: bool = False
    """Whether the text seems to be cut off; `CUT_OFF` is among the warnings then."""
    wholes: Mapping[str, str] = field(default_factory=dict, hash=False)
    """How each provision that comes in sentences is cited as a whole, by its id."""
    hierarchy: str = ""
    """Of a document that is no EU act the name of the hierarchy that it was read by; empty for EU acts."""

    @property
    def status(self) -> str:
        """What kind of text this is, one of `STATUSES`: what matters most to a reader comes first."""
        if self.repealed is not None:
            return "repealed"
        if self.type == "corrigendum":
            return "corrigendum"
        return "adopted" if self.consolidated is None else "consolidated"

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
        try:
            return self._by_id[unit_id]
        except KeyError:
            from lexlattice.reading.citations import lookup  # words of 24 languages are needed for suggestions only

            raise lookup.no_such_id(self, self._below, unit_id) from None

    def sentences(self, provision_id: str) -> tuple[Unit, ...]:
        """Return the units of exactly this provision: one, its sentences, or none if the act has no such provision."""
        return self._by_provision.get(provision_id, ())

    def provision(self, provision_id: str) -> Provision:
        """Return a provision with everything below it.

        Args:
            provision_id: Such as "art-5", "art-5.par-1", "anx-I" or "recitals".

        Raises:
            NoSuchProvisionError: If the act has none; the message names the nearest ones.

        """
        from lexlattice.reading.citations import lookup, tables

        units = self._below.get(provision_id)
        row = tables.table_row(self, self._below, provision_id) if units is None else None
        if row is not None:
            return Provision(row.id, row.citation, (row,))
        if units is None:
            raise lookup.no_such_id(self, self._below, provision_id)
        return Provision(provision_id, lookup.cite_provision(self, self._below, provision_id), tuple(units))

    def find(self, cited: str) -> Provision:
        """Return the provision with this citation.

        Args:
            cited: As acts or as people write it, in the act's language or any other of the 24: "Article 5(1)(a)",
                "art. 5 par. 1 (a)", "Artikel 5 Absatz 1", "5.1", "Recital 12", "Annex II".

        Raises:
            NoSuchProvisionError: If the act has none, or the citation says more than one provision ("Articles 1 to
                3") or other words; the message names the nearest ones.

        """
        from lexlattice.reading.citations import lookup

        return self.provision(lookup.find_provision(self, self._below, cited))

    @property
    def name(self) -> str:
        """Short name in the act's language: "Regulation (EU) 2016/679"; empty if the act has no number."""
        return self._form.name

    def cite(self, provision_id: str) -> str:
        """Return how others cite a provision of this act, in the act's language.

        Args:
            provision_id: Id of a provision or of a unit, such as "art-6.par-1".

        Returns:
            "Article 6(1) of Regulation (EU) 2016/679"; of an act without a number the provision alone.

        Raises:
            NoSuchProvisionError: If the act has none; the message names the nearest ones.

        """
        unit = self._by_id.get(provision_id)
        return self._form.cite(self.provision(provision_id).citation if unit is None else unit.citation)

    def eli(self, provision_id: str = "") -> str:
        """Return the European Legislation Identifier of the act or of a provision.

        Args:
            provision_id: Such as "art-6.par-1"; a provision without an identifier has that of what encloses it.

        Returns:
            "http://data.europa.eu/eli/reg/2016/679/art_6/par_1/oj"; empty if it cannot be said with certainty.

        """
        from lexlattice.reading.citations import eli

        return eli.eli_of(self, provision_id)

    @cached_property
    def _form(self) -> ActForm:
        from lexlattice.reading.citations import act_names

        return act_names.form_of(self)

    @cached_property
    def articles(self) -> tuple[Section, ...]:
        """The act's own articles, without those of annexes and attached acts."""
        return tuple(s for s in self.sections if s.kind == "article" and s.id.startswith("art"))

    @cached_property
    def recitals(self) -> tuple[Provision, ...]:
        """The recitals, one by one."""
        units = [unit for section in self.sections if section.kind == "recitals" for unit in section.units]
        depth = 1 if self.profile == "provisions" else 2
        return tuple(map(self.provision, dict.fromkeys(".".join(u.provision.split(".")[:depth]) for u in units)))

    @cached_property
    def annexes(self) -> tuple[Section, ...]:
        """The annexes."""
        return tuple(section for section in self.sections if section.kind == "annex")

    def references(self) -> tuple[Reference, ...]:
        """Return what each provision cites in this act and in others, in document order."""
        return self._references

    def definitions(self) -> tuple[Definition, ...]:
        """Return the terms that the act defines, in document order."""
        return self._definitions

    @cached_property
    def _references(self) -> tuple[Reference, ...]:
        from lexlattice.reading.citations import references

        return references.find_references(self, self._below)

    @cached_property
    def _definitions(self) -> tuple[Definition, ...]:
        from lexlattice.reading.citations import definitions

        return definitions.find_definitions(self)

    @cached_property
    def _below(self) -> dict[str, list[Unit]]:
        """The units below each id: of units, provisions, whatever holds several of them, and sections."""
        below: dict[str, list[Unit]] = {}
        for section in self.sections:
            name = section.id
            for unit in section.units:
                names = {name, unit.id, *accumulate(unit.provision.split("."), "{}.{}".format)}
                for each in names:
                    below.setdefault(each, []).append(unit)
        return below

    @cached_property
    def _by_provision(self) -> dict[str, tuple[Unit, ...]]:
        groups: dict[str, list[Unit]] = {}
        for unit in self.units:
            groups.setdefault(unit.provision, []).append(unit)
        return {provision: tuple(units) for provision, units in groups.items()}

    @cached_property
    def _by_id(self) -> dict[str, Unit]:
        return {unit.id: unit for unit in self.units}

    def __repr__(self) -> str:
        name = f"{self.celex} " if self.celex else ""
        counts = f"{len(self.articles)} articles, {self.words:,} words"
        return f"<Act {name}{self.language} {shortened(self.title, 40)!r}: {counts}>"

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: the fields, without what is derived from them on first use."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    def _repr_html_(self) -> str:
        from lexlattice.rendering import notebook

        return notebook.act(self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON types; `from_dict` rebuilds the act from it."""
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
        return {**rest, "sections": sections, "furniture": furniture, "warnings": list(map(str, self.warnings))}

    def to_json(self, *, indent: int | None = None) -> str:
        """Return JSON as described by the schema in `act.schema.json`."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=indent)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Act:
        """Rebuild an act from what `to_dict` returned.

        Raises:
            DataError: If the data are not those of an act, or were changed.

        """
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
        """Rebuild an act from what `to_json` returned."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _no_act("it is not JSON") from error
        return cls.from_dict(data)


def _joined(units: tuple[Unit, ...]) -> str:
    """Texts of units that follow one another: sentences of one provision on one line."""
    pieces = [unit.text for unit in units[:1]]
    for before, after in pairwise(units):
        pieces += [" " if before.provision == after.provision else "\n", after.text]
    return "".join(pieces)


def shortened(text: str, length: int) -> str:
    """A text on one line, with at most N characters."""
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def _no_act(why: str) -> DataError:
    return DataError(f"The data are not those of an act ({why}); read the act again.")


def _is_typed(act: Act) -> bool:
    """Whether all texts are valid strings, all positions integers, and all kinds known."""
    units = act.units
    texts = [act.celex, act.title, act.type, act.date, act.language, act.profile, act.source, *act.warnings]
    texts.append(act.hierarchy)
    texts += [text for text in (act.consolidated, act.repealed) if text is not None] + [act.consolidated_celex]
    if not isinstance(act.wholes, dict):
        return False
    texts += [text for whole in act.wholes.items() for text in whole]
    texts += [text for s in act.sections for text in (s.kind, s.number, s.label, s.heading, *s.enclosing)]
    texts += [text for u in units for text in (u.id, u.provision, u.kind, u.number, u.citation, u.text)]
    places = [section.index for section in act.sections]
    places += [place for u in units for place in (u.section, u.position, u.start, u.end, u.words)]
    places += [place for piece in act.furniture for place in (piece.start, piece.end)]
    if not all(type(text) is str for text in texts) or not all(type(place) is int for place in places):
        return False
    if type(act.incomplete) is not bool:
        return False
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:  # JSON can escape half of a character
        return False
    kinds = (SECTION_KINDS, act.sections), (UNIT_KINDS, units), (FURNITURE_KINDS, act.furniture)
    return all(one.kind in known for known, several in kinds for one in several)


def _is_whole(act: Act) -> bool:
    """Whether no character is lost or covered twice, and every unit matches its place in the source."""
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
