"""The text of an act in its view: what stands between the provisions, cross-references, and defined terms."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest
from typing import Any

from lexlattice.act.document import Act, Section
from lexlattice.apps.serve.view_front import bare, front_of, front_text


def furniture_of(act: Act) -> Iterator[dict[str, Any]]:
    """Yield all of the source that is neither a unit nor shown with a section, in the order of the source.

    Page headers are left out, except above the title of a consolidated text. Each piece stands before the unit at the
    place `before`, and below the headings of the section `section` (-1: above all sections); so a piece whose section
    is not yet that of the unit stands above the headings of the unit's section.
    """
    starts, units = [unit.start for unit in act.units], act.units
    headings = _Headings(act.sections)
    front = front_of(act)
    if front:
        yield {"kind": "page", "text": front_text(act, front), "before": 0, "section": -1}
    for piece in sorted(act.furniture, key=lambda piece: piece.start):
        if piece in front:
            continue
        before = bisect_left(starts, piece.start)
        # The sections whose headings may stand here: those after the previous unit's, up to that of the next unit.
        headings.move_to(
            units[before - 1].section if before else -1,
            units[before].section if before < len(units) else len(act.sections) - 1,
        )
        text = act.source[piece.start : piece.end]
        if piece.kind == "page" or (piece.kind == "heading" and headings.show(text)):
            continue
        yield {"kind": piece.kind, "text": text, "before": before, "section": headings.section}


class _Headings:
    """Which headings of the source are shown as label, heading or enclosing headings of a section."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._sections, self._enclosing = sections, enclosing_of(sections)
        self._between = (-2, -2)
        self._text = ""
        self._starts: dict[int, int] = {}  # where a heading may begin in the text → its section
        self.section = -1
        """The section below whose headings the current place is."""

    def move_to(self, above: int, below: int) -> None:
        """Go to the gap between a unit of one section and a unit of another, or of the same one."""
        if (above, below) == self._between:
            return
        self._between, self.section = (above, below), above
        self._text, self._starts = "", {}
        for index in range(above + 1, below + 1):
            section = self._sections[index]
            for text in (*self._new_enclosing(index), section.label, section.heading):
                if part := bare(text):
                    self._starts[len(self._text)] = index
                    self._text += part

    def _new_enclosing(self, index: int) -> tuple[str, ...]:
        """Return the enclosing headings of a section that the section before it does not have."""
        own, before = self._enclosing[index], self._enclosing[index - 1] if index else ()
        common = next((depth for depth, pair in enumerate(zip(own, before, strict=False)) if pair[0] != pair[1]), None)
        return own[min(len(own), len(before)) if common is None else common :]

    def show(self, text: str) -> bool:
        """Whether the page shows this text with a section; each is shown once."""
        words = bare(text)
        start = next((start for start in sorted(self._starts) if words and self._text.startswith(words, start)), None)
        if start is None:
            return False
        self.section = max(self.section, self._starts.pop(start))
        if start + len(words) < len(self._text):
            self._starts.setdefault(start + len(words), self.section)
        return True


def enclosing_of(sections: Sequence[Section]) -> list[tuple[str, ...]]:
    """Return the enclosing headings of each section, without the name of an attached text, which is a section itself.

    Its articles follow it, so the page would show the name twice.
    """
    texts = {bare(section.label + section.heading) for section in sections if section.kind == "body"}
    return [tuple(name for name in section.enclosing if bare(name) not in texts) for section in sections]


def references_of(act: Act) -> Iterator[list[Any]]:
    """Yield the references that lie inside units: place, start, end, target's place or -1, celex, provision, kind.

    They are in the order of the text and do not overlap, so that each can be a link.
    """
    places = {unit.id: place for place, unit in enumerate(act.units)}
    first = _first_places(act)
    references = sorted(act.references(), key=lambda found: (found.start, -found.end))
    for found, following in zip_longest(references, references[1:]):
        place = places[found.unit]
        unit = act.units[place]
        # "Article 6 and Article 9 of Regulation …" reaches to the end of the second one: both name the Regulation.
        end = min(found.end, following.start) if following is not None else found.end
        start, end = found.start - unit.start, end - unit.start
        end = start + len(unit.text[start:end].rstrip(" ,"))
        if 0 <= start < end <= len(unit.text):
            target = next((first[name] for name in found.targets if name in first), -1)
            yield [place, start, end, target, found.celex, found.provision, found.kind]


def _first_places(act: Act) -> dict[str, int]:
    """Return the first unit of each unit, provision and section, by id."""
    first: dict[str, int] = {}
    names = {section.index: section.id for section in act.sections}
    for place, unit in enumerate(act.units):
        for name in (names[unit.section], unit.id, *accumulate(unit.provision.split("."), "{}.{}".format)):
            first.setdefault(name, place)
    return first


def definitions_of(act: Act) -> list[dict[str, Any]]:
    """Return the terms that the act defines, each with the place of the unit that says what it means."""
    places = {unit.id: place for place, unit in enumerate(act.units)}
    return [{"term": found.term, "place": places[found.unit]} for found in act.definitions()]
