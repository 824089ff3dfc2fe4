"""Footnotes inside a section."""

from __future__ import annotations

from laws import assert_laws
from lexlattice.reading.blocks import Block, Document, Role
from lexlattice.reading.grammar import load
from lexlattice.reading.provisions import read_provisions


def test_a_footnote_of_several_lines_is_one_unit_of_its_section() -> None:
    lines = [
        Block("REGULATION on bees", Role.TITLE),
        Block("ANNEX I", Role.ANNEX),
        Block("1. Bees fly."),
        Block("(1) This is a note.", Role.NOTE),
        Block("It goes on.", Role.NOTE),
        Block("(2) This is another.", Role.NOTE),
        Block("2. Bees sleep."),
    ]
    act = read_provisions(Document(lines, "html"), load("en"))
    assert_laws(act)
    notes = [(unit.id, unit.citation, unit.text) for unit in act.units if unit.kind == "note"]
    assert notes == [
        ("anx-I.note-1", "Annex I, footnote 1", "(1) This is a note. It goes on."),
        ("anx-I.note-2", "Annex I, footnote 2", "(2) This is another."),
    ]
