"""What people get: every provision complete, within the budget, and footnotes in moderation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexlattice import Act, read
from lexlattice.choosing import cover_complete, eligible
from lexlattice.coverage import PAIR_COUNTS, WORD_COUNTS, Chances, Coverage
from lexlattice.features.grams import grams_of
from lexlattice.features.layout import Layout, layout_of
from lexlattice.selection.dependencies import Ties
from made_acts import made

BEES = made(
    ("title", "", ["Regulation on bees"]),
    ("preamble", "", ["THE COUNCIL,"]),
    ("recitals", "", ["Bees matter a lot."]),
    ("article", "Label", ["The label shall be legible."]),
    (
        "notes",
        "",
        ["OJ L 5, p. 1.", "Council Directive 2001/110/EC of 20 December 2001 relating to honey (OJ L 10, p. 47)."],
    ),
)


@pytest.fixture(scope="module", params=["en", "de", "el", "mt"])
def act(request: pytest.FixtureRequest, examples: Path) -> Act:
    return read(examples / "short" / f"{request.param}.txt")


def coverage_of(act: Act, layout: Layout, seed: int = 0) -> Coverage:
    """With chances that are drawn, the same for all counts of a gram."""
    source, grams = np.random.default_rng(seed), grams_of([unit.text for unit in act.units])
    words = np.sort(source.random((len(grams.words), len(WORD_COUNTS)), np.float32), axis=1)[:, ::-1]
    pairs = np.sort(source.random((len(grams.pairs), len(PAIR_COUNTS)), np.float32), axis=1)[:, ::-1]
    return Coverage(grams, Chances(words, pairs), layout.words, 0.2 * source.random(len(act), np.float32))


def chosen(act: Act, budget: int, focus: str = "all", seed: int = 0) -> list[tuple[int, ...]]:
    layout, ties = layout_of(act), Ties.of(act)
    return cover_complete(coverage_of(act, layout, seed), layout, ties, eligible(layout, ties, focus), budget)


def test_a_point_needs_what_leads_it_in_and_a_sentence_the_one_before(act: Act) -> None:
    ties = Ties.of(act)
    needs = {act.units[i].id: act.units[need].id for i, need in enumerate(ties.needs) if need >= 0}
    assert needs["art-3.par-2.pt-a"] == "art-3.par-2"
    assert needs["art-3.par-2.pt-b.pt-ii"] == "art-3.par-2.pt-b"
    for name, need in needs.items():
        if "~" in name and not name.endswith("~1"):
            assert need.partition("~")[0] == name.partition("~")[0]


def test_what_only_leads_in_is_not_taken_by_itself(act: Act) -> None:
    layout, ties = layout_of(act), Ties.of(act)
    alone = {unit.id for unit, is_open in zip(act.units, eligible(layout, ties), strict=True) if is_open}
    assert "art-3.par-2" not in alone
    assert {"art-1.par-1", "art-3.par-2.pt-a"} <= alone


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 400), st.integers(0, 5), st.sampled_from(["all", "articles"]))
def test_provisions_are_complete_and_keep_the_budget(budget: int, seed: int, focus: str) -> None:
    act = read(Path(__file__).parent.parent / "examples" / "short" / "en.txt")
    ties = Ties.of(act)
    groups = chosen(act, budget, focus, seed)
    units = [unit for group in groups for unit in group]
    assert len(units) == len({*units})
    assert sum(act.units[unit].words for unit in units) <= budget
    assert all(ties.needs[unit] in (-1, *units) for unit in units)
    needed = {int(ties.needs[unit]) for unit in units}
    assert all(unit in needed for unit in units if ties.never_alone[unit]), "a lead-in has something to lead in"
    if focus == "articles":
        assert {act.sections[act.units[unit].section].kind for unit in units} <= {"article"}


def test_nothing_else_fits_in_the_end() -> None:
    act = read(Path(__file__).parent.parent / "examples" / "short" / "en.txt")
    ties, layout = Ties.of(act), layout_of(act)
    units = {unit for group in chosen(act, 200) for unit in group}
    left = 200 - sum(act.units[unit].words for unit in units)
    for unit in np.flatnonzero(eligible(layout, ties) & ~layout.in_kind("notes")):
        if unit not in units:
            missing, place = 0, int(unit)
            while place >= 0 and place not in units:
                missing += act.units[place].words
                place = int(ties.needs[place])
            assert missing > left


def test_title_and_formulas_are_left_out_and_a_bare_footnote_too() -> None:
    texts = {BEES.units[unit].text for group in chosen(BEES, 10_000) for unit in group}
    assert texts == {"Bees matter a lot.", "The label shall be legible.", BEES.units[-1].text}


def test_footnotes_have_a_tenth_of_the_words_at_most() -> None:
    texts = {BEES.units[unit].text for group in chosen(BEES, 60) for unit in group}
    assert BEES.units[-1].text not in texts


def test_what_was_chosen_first_comes_first() -> None:
    """More words never change what came before, as long as everything fits."""
    act = read(Path(__file__).parent.parent / "examples" / "short" / "en.txt")
    assert chosen(act, 5_000)[:3] == chosen(act, 10_000)[:3]


def test_an_act_without_ties_has_none() -> None:
    ties = Ties.of(BEES)
    assert (ties.needs == -1).all()
    assert ties.never_alone.tolist() == [True, True, *4 * [False]], "title and formula are labels"
    assert ties.levels() == []


def test_recitals_and_annexes_stand_back_as_long_as_articles_have_more_to_say() -> None:
    sentences = [f"Keepers of kind {number} shall register their hives." for number in range(30)]
    act = made(
        ("recitals", "", [f"Bees of kind {number} matter to everybody." for number in range(30)]),
        ("article", "Registration", sentences),
        ("annex", "", [f"The form of kind {number} shall be blue." for number in range(30)]),
    )
    words = dict.fromkeys(("recitals", "article", "annex"), 0)
    for unit in (unit for group in chosen(act, 200) for unit in group):
        words[act.sections[act.units[unit].section].kind] += act.units[unit].words
    assert words["recitals"] <= 50 + 7, "and what is left at the end"
    assert words["annex"] <= 50
    assert words["article"] >= 90
    short = made(
        ("recitals", "", [f"Bees of kind {n} matter to all." for n in range(30)]), ("article", "", sentences[:2])
    )
    assert sum(short.units[unit].words for group in chosen(short, 150) for unit in group) > 140, "the rest is filled"
