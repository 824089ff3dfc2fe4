"""Invariants of reading, for any input, and comparisons of acts."""

from __future__ import annotations

import unicodedata

from lexlattice import Act


def assert_laws(act: Act) -> None:
    """Check that nothing is lost, added or reordered, and that ids and citations are unique."""
    spans = sorted([(x.start, x.end) for x in act.units] + [(x.start, x.end) for x in act.furniture])
    position = 0
    for start, end in spans:
        gap = act.source[position:start]
        assert start >= position, f"covered twice: {act.source[start:position]!r}"
        assert not gap.strip(), f"lost: {gap.strip()[:80]!r}"
        assert end > start
        assert act.source[start:end].strip(), f"blank span at {start}"
        position = end
    assert not act.source[position:].strip(), f"lost at the end: {act.source[position:].strip()[:80]!r}"
    starts = [unit.start for unit in act.units]
    assert starts == sorted(starts), "units are out of order"
    ids = [unit.id for unit in act.units]
    assert len(set(ids)) == len(ids), "ids are not unique"
    citations = [unit.citation for unit in act.units]
    assert act.profile == "paper" or len(set(citations)) == len(citations), "two units are cited alike"
    for unit in act.units:
        assert unit.text == act.source[unit.start : unit.end]
        assert unit.words == len(unit.text.split())
        assert unit.id == unit.provision or unit.id.startswith(f"{unit.provision}.s-")
    for index, section in enumerate(act.sections):
        assert section.index == index
        assert [unit.position for unit in section.units] == list(range(len(section.units)))
        assert all(unit.section == index for unit in section.units)


def letters(text: str) -> str:
    """A text without white space and invisible control characters, which reading must not change."""
    return "".join(c for c in "".join(text.split()) if unicodedata.category(c) not in ("Cc", "Cf"))


def skeleton(act: Act) -> list[tuple[str, str]]:
    """Kinds and numbers of the sections in order."""
    return [(section.kind, section.number) for section in act.sections]


def provisions(act: Act) -> list[tuple[str, str, int]]:
    """Kind, number and number of provisions of each section; tables do not count."""
    return [(s.kind, s.number, len({unit.provision for unit in s.units if unit.kind != "table"})) for s in act.sections]
