"""Quoting a provision of an act exactly, with its parts and position: for assistants and for the REST service."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from lexlattice.act.document import Act, Provision, Unit
from lexlattice.errors import NoSuchProvisionError
from lexlattice.reading.structure.provisions import SENTENCES_FROM


class Quotation(NamedTuple):
    """A provision, the act that has it, and the units that follow one another in the source."""

    act: Act
    provision: Provision
    units: Sequence[Unit]

    @property
    def text(self) -> str:
        """The text as the act has it, line breaks included."""
        return self.act.source[self.start : self.end]

    @property
    def start(self) -> int:
        """Where it begins in the act's source."""
        return self.units[0].start

    @property
    def end(self) -> int:
        """Where it ends in the act's source."""
        return self.units[-1].end

    @property
    def words(self) -> int:
        """Number of words in its units."""
        return sum(unit.words for unit in self.units)


def quote(read: Callable[[int], Act], cited: str) -> Quotation:
    """Find a provision by its id or citation.

    Args:
        read: Reads the act; its argument is `sentences_from` of `lexlattice.read`.
        cited: Anything that `Act.find` understands.

    Raises:
        NoSuchProvisionError: The act has none; the message names the nearest ones.

    """
    # Split into sentences first, so that single sentences can be found, too; those of short ones are rarely cited.
    act = read(SENTENCES_FROM)
    try:
        found = act.find(cited)
    except NoSuchProvisionError as missing:
        act = read(1)
        try:
            found = act.find(cited)
        except NoSuchProvisionError:
            raise missing from None
    if found.units[0].id != found.id or found.units[0].provision == found.id:  # not a sentence of a provision
        act = read(0)
        found = act.provision(found.id)
    return Quotation(act, found, _together(act, found.units))


def to_dict(quotation: Quotation) -> dict[str, Any]:
    """Return a quotation with its full position, as plain JSON types."""
    act, provision, units = quotation
    section = act.sections[units[0].section]
    steps = list(accumulate(provision.id.split("."), "{}.{}".format))[:-1]
    return {
        "celex": act.celex,
        "title": act.title,
        "language": act.language,
        "id": provision.id,
        "citation": provision.citation,
        "cited_as": act.cite(provision.id),
        "eli": act.eli(provision.id),
        "text": quotation.text,
        "start": quotation.start,
        "end": quotation.end,
        "words": quotation.words,
        "section": section.index,
        "heading": section.heading,
        "enclosing": list(section.enclosing),
        "above": [{"id": name, "citation": act.provision(name).citation} for name in steps],
        "parts": [
            {
                "id": unit.id,
                "citation": unit.citation,
                "kind": unit.kind,
                "number": unit.number,
                "text": unit.text,
                "start": unit.start,
                "end": unit.end,
                "section": unit.section,
                "position": unit.position,
            }
            for unit in units
        ],
    }


def _together(act: Act, found: Sequence[Unit]) -> Sequence[Unit]:
    """Return the units that directly follow the first: footnotes of a provision are elsewhere in the act."""
    if found[0] not in act.units:  # the row of a table
        return found
    first = act.units.index(found[0])
    return [unit for unit, other in zip(act.units[first:], found, strict=False) if unit is other]
