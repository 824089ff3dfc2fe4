"""The numbers of articles and recitals as a reading has them: those that are missing, and those that come again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from lexlattice.act import Act, Section
from lexlattice.reading.numbering import from_roman

_STEPS: Final = re.compile(r"\.(?=[a-z]+-|q\b)")
_RECITAL: Final = re.compile(r"((?:.*\.)?)rec-(\w+?)(?:~\d+)?")
_NUMBER: Final = re.compile(r"\d+")


def steps_of(path: str) -> list[str]:
    """The steps of an id; a dotted number is one step."""
    return _STEPS.split(path)


@dataclass(frozen=True, slots=True)
class Numbered:
    """An article or a recital: what it stands in, what it counts, and how it is named."""

    container: str
    value: int
    """0 where its number counts nothing."""
    name: str
    number: str


def _numbered(container: str, number: str, name: str) -> Numbered:
    digits = _NUMBER.match(number)
    value = int(digits.group()) if digits else from_roman(number.lower())
    return Numbered(container, value, f"{name} ({container})" if container else name, number)


def articles_of(act: Act) -> list[Numbered]:
    """The articles in order; one without text stands where the one before it does."""
    found: list[Numbered] = []
    container = ""
    for section in act.sections:
        if section.units and section.kind in ("article", "annex"):
            container = _container(section)
        if section.kind == "article":
            found.append(_numbered(container, section.number, section.label or section.number))
    return found


def _container(section: Section) -> str:
    """The annex or attached act that a section stands in, or is, by the ids of its units; empty for the act itself."""
    steps = steps_of(section.units[0].id)
    for n, step in enumerate(steps):
        if step.startswith("art-"):
            return ".".join(steps[:n])
    return steps[0]


def recitals_of(act: Act) -> list[Numbered]:
    """The recitals in order, each once, however many sentences and points it has."""
    found: dict[str, Numbered] = {}
    for section in act.sections:
        if section.kind != "recitals":
            continue
        for unit in section.units:
            match = _RECITAL.fullmatch(unit.provision)
            if match is not None and unit.provision not in found:
                name = unit.citation if unit.id == unit.provision else unit.citation.rpartition(",")[0] or unit.citation
                found[unit.provision] = _numbered(match[1].rstrip("."), match[2], name)
    return list(found.values())


def _by_container(items: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    groups: dict[str, list[Numbered]] = {}
    for item in items:
        if item.value:
            groups.setdefault(item.container, []).append(item)
    yield from groups.values()


def gaps(items: Iterable[Numbered]) -> Iterator[str]:
    """Numbers up to the last that nothing has, each stretch once; an article that stands alone is an excerpt."""
    for group in _by_container(items):
        named = {item.value: item.name for item in reversed(group)}
        for before, after in pairwise([0, *sorted(named)] if len(named) > 1 else named):
            if after > before + 1:
                yield f"{named[before]} → {named[after]}" if before else f"before {named[after]}"


def repeats(items: Iterable[Numbered]) -> Iterator[str]:
    """Numbers that were there already, or come after a later one."""
    for group in _by_container(items):
        seen: set[str] = set()
        highest = 0
        for item in group:
            if item.number in seen or item.value < highest:
                yield item.name
            seen.add(item.number)
            highest = max(highest, item.value)
