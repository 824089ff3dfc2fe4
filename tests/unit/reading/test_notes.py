"""Footnotes inside a section."""

from __future__ import annotations

from helpers.laws import assert_laws
from lexlattice.reading.formats.blocks import Block, Document, Role
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.structure.provisions import read_provisions


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


def test_a_footnote_with_an_asterisk_keeps_its_number() -> None:
    lines = [
        Block("REGULATION on bees", Role.TITLE),
        Block("ANNEX I", Role.ANNEX),
        Block("1. Bees fly."),
        Block("(*11) This is a note.", Role.NOTE),
        Block("(3) This is another.", Role.NOTE),
        Block("2. Bees sleep."),
        Block("ANNEX II", Role.ANNEX),
        Block("Bees wake."),
        Block("(*12) This is a note at the end.", Role.NOTE),
    ]
    act = read_provisions(Document(lines, "html"), load("en"))
    assert_laws(act)
    assert [(unit.id, unit.citation) for unit in act.units if unit.kind == "note"] == [
        ("anx-I.note-star11", "Annex I, footnote *11"),
        ("anx-I.note-3", "Annex I, footnote 3"),
        ("note-star12", "Footnote *12"),
    ]


def test_footnotes_that_share_a_number_are_counted() -> None:
    lines = [Block("ANNEX I", Role.ANNEX), Block("1. Bees fly.")]
    lines += [Block(f"(1) This is note {letter}.", Role.NOTE) for letter in "ab"]
    act = read_provisions(Document([*lines, Block("2. Bees sleep.")], "html"), load("en"))
    assert_laws(act)
    assert [unit.citation[-10:] for unit in act.units if unit.kind == "note"] == ["footnote 1", "footnote 2"]
