"""Parts of an annex restart their numbering, are siblings, and are steps of ids and citations."""

from __future__ import annotations

import pytest

from helpers.laws import assert_laws
from lexlattice import Act, read
from lexlattice.reading import LANGUAGES
from lexlattice.reading.formats.blocks import Block, Document, Role
from lexlattice.reading.languages.grammar import load
from lexlattice.reading.structure.provisions import read_provisions

HEAD = "COUNCIL REGULATION (EC) No 12/2003\nof 3 May 2003\non bees\nTHE COUNCIL,\nHAS ADOPTED THIS REGULATION:\n"
BODY = "Article 1\nIt applies.\nDone at Brussels, 3 May 2003.\n"


def annex(text: str) -> Act:
    act = read(f"{HEAD}{BODY}ANNEX I\nRULES ON BEES\n{text}", language="en")
    assert_laws(act)
    return act


def ids(act: Act) -> list[str]:
    return [unit.id for unit in act.sections[-1].units]


def headings(act: Act) -> list[str]:
    return [act.source[piece.start : piece.end] for piece in act.furniture if piece.kind == "heading"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("A. HIVES", "B. HONEY"),
        ("A.\nHives and what they are made of", "B.\nHoney"),
        ("PART A\nHIVES", "PART B\nHONEY"),
        ("Part A — Hives", "Part B — Honey"),
        ("A.   Hives", "B.   Honey"),
    ],
)
def test_lettered_parts_are_siblings(first: str, second: str) -> None:
    act = annex(f"This Annex sets out rules.\n{first}\n1. One.\n2. Two.\n{second}\n1. Three.\n2. Four:\n(a) five.")
    parts = ["anx-I.part-A.pt-1", "anx-I.part-A.pt-2", "anx-I.part-B.pt-1", "anx-I.part-B.pt-2"]
    assert ids(act) == ["anx-I", *parts, "anx-I.part-B.pt-2.pt-a"]
    assert act["anx-I.part-B.pt-2.pt-a"].citation == "Annex I, Part B, point 2(a)"


def test_roman_parts_contain_lettered_parts() -> None:
    act = annex("I. HIVES\nA. Wood\n1. One.\nB. Straw\n1. Two.\nII. HONEY\nA. Comb\n1. Three.\nB. Jar\n1. Four.")
    assert ids(act) == [f"anx-I.part-{roman}.part-{letter}.pt-1" for roman in ("I", "II") for letter in "AB"]
    assert act.sections[-1].units[3].citation == "Annex I, Part II, Part B, point 1"


def test_letters_out_of_sequence_are_no_parts() -> None:
    act = annex("The experts are:\nA. Apis\nJ. Drone\n1. They meet.")
    assert not [name for name in ids(act) if "part" in name]


def test_a_lettered_sentence_is_the_text_of_its_part() -> None:
    act = annex("A. The keeper shall:\n1. feed;\n2. water.\nB. The authority shall act.")
    assert ids(act) == ["anx-I.part-A", "anx-I.part-A.pt-1", "anx-I.part-A.pt-2", "anx-I.part-B"]
    assert act["anx-I.part-B"].text == "B. The authority shall act."


def test_a_heading_with_nothing_below_it_is_content() -> None:
    act = annex("A. Hives\nB. Honey")
    assert [(unit.id, unit.text) for unit in act.sections[-1].units] == [
        ("anx-I.part-A", "A. Hives"),
        ("anx-I.part-B", "B. Honey"),
    ]


def test_unnumbered_headings_are_parts_only_if_numbers_restart_below_them() -> None:
    act = annex("It lists rules.\nHives\n1. One.\n2. Two.\nHoney\n3. Three.")
    assert ids(act) == ["anx-I", "anx-I.pt-1", "anx-I.pt-2", "anx-I.pt-3"]
    assert {"Hives", "Honey"} <= set(headings(act))
    act = annex("It lists rules.\nHives\n1. One.\n2. Two.\nHoney\n1. Three.")
    assert ids(act) == ["anx-I", "anx-I.hd-1.pt-1", "anx-I.hd-1.pt-2", "anx-I.hd-2.pt-1"]
    assert act["anx-I.hd-2.pt-1"].citation == "Annex I, Honey, point 1"


def test_a_numbered_heading_above_prose_is_no_text_of_its_point() -> None:
    act = annex("1. SCOPE\nThis Annex applies to all hives:\n(a) old;\n(b) new.\n2. AIMS\nIt aims at healthy bees.")
    assert ids(act) == ["anx-I.pt-1", "anx-I.pt-1.pt-a", "anx-I.pt-1.pt-b", "anx-I.pt-2"]
    assert act["anx-I.pt-2"].text == "It aims at healthy bees."


def test_a_point_that_is_a_heading_does_not_count_among_the_texts_below_it() -> None:
    act = annex("1. Scope\nThis Annex applies to all hives.\n(a) old;\n2. Aims\nIt aims at:\n(a) bees.\n3. End.")
    below = ["pt-1", "pt-1.sub-1", "pt-1.pt-a", "pt-2", "pt-2.sub-1", "pt-2.sub-1.pt-a", "pt-3"]
    assert ids(act) == [f"anx-I.{step}" for step in below]


def test_a_list_that_continues_below_a_new_text_belongs_to_that_text() -> None:
    act = annex(
        "1. LIMITS\nFrom 2003, hives shall meet the following requirement:\n(a) clean.\n"
        "From 2005, they shall meet the following requirement:\n(b) dry.\nAll shall be measured yearly."
    )
    assert ids(act) == [
        "anx-I.pt-1",
        "anx-I.pt-1.pt-a",
        "anx-I.pt-1.sub-2",
        "anx-I.pt-1.sub-2.pt-b",
        "anx-I.pt-1.sub-3",
    ]


def test_table_cells_are_not_nested() -> None:
    act = annex("Limits\nName\nUnit\n—\nlead\nmg\nyearly\n—\ncadmium\nmg\nmonthly")
    assert max(name.count("sub-") for name in ids(act)) == 1


def test_points_of_a_recommendation_are_units_of_their_own() -> None:
    act = read(
        HEAD.replace("HAS ADOPTED THIS REGULATION:", "HEREBY RECOMMENDS:")
        + "Aim and scope\n1. It aims at bees.\n2. It covers hives.\nMeans\n3. Keepers should:\n(a) feed;\n(b) water.",
        language="en",
    )
    points = [(unit.id, unit.citation) for unit in act.units if unit.kind == "point"]
    assert points == [
        ("body.pt-1", "Point 1"),
        ("body.pt-2", "Point 2"),
        ("body-2.pt-3", "Point 3"),
        ("body-2.pt-3.pt-a", "Point 3(a)"),
        ("body-2.pt-3.pt-b", "Point 3(b)"),
    ]


def test_a_quoted_point_without_an_introduction_is_not_in_the_list_above_it() -> None:
    act = annex("They commit themselves.\n1. One.\n2. Two.\n‘(b)\nbring their laws into line.’\n3. Three.")
    assert ids(act) == ["anx-I", "anx-I.pt-1", "anx-I.pt-2", "anx-I.sub-2", "anx-I.pt-3"]


def test_chapters_with_separate_numbers_do_not_name_points_that_run_through() -> None:
    act = annex("1. BASIC RULES\n1. One.\n2. Two.\n3. Three.\n2. FURTHER RULES\n4. Four.\n5. Five.")
    assert ids(act) == [f"anx-I.pt-{n}" for n in range(1, 6)]
    act = annex("1. BASIC RULES\n1. One.\n2. Two.\n2. FURTHER RULES\n1. Three.\n2. Four.")
    assert ids(act) == [f"anx-I.section-{chapter}.pt-{n}" for chapter in (1, 2) for n in (1, 2)]


def grouped(*groups: tuple[str, int]) -> Act:
    """An act whose annex has headings by mark-up; what has no depth is text."""
    blocks = [Block("Article 1", Role.ARTICLE), Block("It applies."), Block("ANNEX I", Role.ANNEX)]
    blocks += [Block("RULES ON BEES", Role.HEADING)]
    blocks += [Block(text, Role.GROUP if level else None, level) for text, level in groups]
    act = read_provisions(Document(blocks, "html"), load("en"))
    assert_laws(act)
    return act


def test_markup_shows_parts_and_their_depth() -> None:
    act = grouped(
        ("PART A", 1), ("1. General", 2), ("Hives shall be dry.", 0), ("1.1. Wood", 3), ("It shall be oak.", 0),
        ("B. Honey", 1), ("1. Comb", 2), ("(a) One.", 0), ("Closing rule", 2), ("All shall obey.", 0),
    )  # fmt: skip
    assert [(unit.id, unit.citation) for unit in act.sections[-1].units] == [
        ("anx-I.part-A.pt-1", "Annex I, Part A, point 1"),
        ("anx-I.part-A.pt-1.1", "Annex I, Part A, point 1.1"),
        ("anx-I.part-B.pt-1.pt-a", "Annex I, Part B, point 1(a)"),
        ("anx-I.part-B.hd-1", "Annex I, Part B, Closing rule"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_ids_of_parts_are_the_same_in_every_language(language: str) -> None:
    part = load(language).written["part"][0].upper()
    header = "{0}. " + part if load(language).number_first else part + " {0}"
    lines = [text for letter in "AB" for text in (header.format(letter), "1. x x x.", "2. y y y.")]
    blocks = [Block("x", Role.ARTICLE), Block("x x x."), Block("x", Role.ANNEX), *map(Block, lines)]
    act = read_provisions(Document(blocks, "html"), load(language))
    assert ids(act) == [f"anx.part-{letter}.pt-{n}" for letter in "AB" for n in (1, 2)]


@pytest.mark.parametrize("mark", ["{}.", "({})", "{})"])
def test_a_heading_between_points_is_furniture_for_every_marker_style(mark: str) -> None:
    first, second = mark.format(1), mark.format(2)
    act = annex(f"Practices\n{first}\nHiding a hive.\nAggressive practices\n{second}\nShaking a hive.\n")
    assert "Aggressive practices" in headings(act)
