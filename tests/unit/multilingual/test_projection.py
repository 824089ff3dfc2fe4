"""One act in two languages: what corresponds to what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers.acts import LANGUAGES
from helpers.generated_acts import acts, made
from lexlattice import Act, read
from lexlattice.multilingual.projection import carried, project


def divided(*lengths: list[int]) -> Act:
    """Articles of one provision each, divided into sentences of so many words."""
    act = made(*(("article", "", ["word " * length for length in of_article]) for of_article in lengths))
    sections = []
    for section in act.sections:
        name = f"art-{section.index}"
        units = [unit._replace(id=f"{name}.s-{unit.position}", provision=name) for unit in section.units]
        sections.append(replace(section, units=tuple(units)))
    return replace(act, sections=tuple(sections))


lengths = st.lists(st.integers(1, 12), min_size=1, max_size=7)


@given(acts)
def test_an_act_corresponds_to_itself(act: Act) -> None:
    assert project(act, act) == {unit.id: (unit.id,) for unit in act.units}


@given(lengths)
def test_a_provision_that_is_not_there_corresponds_to_nothing(some: list[int]) -> None:
    here, there = divided(some, [3]), divided(some)
    assert project(here, there)["art-1.s-0"] == ()
    assert project(there, here).keys() == {unit.id for unit in there.units}


@given(lengths, lengths)
@example([3, 6], [5, 2, 10, 8, 11])  # the middle of the third is where the second part begins, but for rounding
def test_sentences_correspond_in_their_order_and_none_is_left_out(some: list[int], others: list[int]) -> None:
    there = divided(others)
    place = {unit.id: unit.position for unit in there.units}
    found = [[place[name] for name in names] for names in project(divided(some), there).values()]
    assert len(found) == len(some)
    assert all(found)
    assert all(group == sorted(group) for group in found)
    assert [group[0] for group in found] == sorted(group[0] for group in found)
    assert [group[-1] for group in found] == sorted(group[-1] for group in found)
    assert {name for group in found for name in group} == {*place.values()}


@given(lengths)
def test_as_many_sentences_correspond_one_to_one(some: list[int]) -> None:
    there = divided(some[::-1])
    assert project(divided(some), there) == {unit.id: (unit.id,) for unit in there.units}


def test_a_sentence_corresponds_to_what_stands_in_the_same_part() -> None:
    assert project(divided([10, 30]), divided([5, 5, 15, 15])) == {
        "art-0.s-0": ("art-0.s-0", "art-0.s-1"),
        "art-0.s-1": ("art-0.s-2", "art-0.s-3"),
    }
    assert project(divided([5, 5, 15, 15]), divided([10, 30])) == {
        **dict.fromkeys(("art-0.s-0", "art-0.s-1"), ("art-0.s-0",)),
        **dict.fromkeys(("art-0.s-2", "art-0.s-3"), ("art-0.s-1",)),
    }


@pytest.fixture(scope="module")
def english(examples: Path) -> Act:
    return read(examples / "short" / "en.txt")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_corresponds_as_a_whole_in_every_language(english: Act, examples: Path, language: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    for here, there in ((english, act), (act, english)):
        found = project(here, there)
        assert found.keys() == {unit.id for unit in here.units}
        assert all(found.values())
        assert {name for names in found.values() for name in names} == {unit.id for unit in there.units}
        assert all(there[name].provision == here[unit].provision for unit, names in found.items() for name in names)


# --- an extract in the other version ----------------------------------------------------------------------


@given(lengths, lengths, st.integers(0, 60), st.randoms(use_true_random=False))
def test_what_is_carried_over_is_an_extract_of_the_other_version(
    some: list[int], others: list[int], budget: int, draw: Random
) -> None:
    here, there = divided(some, [3], some), divided(others, [2], others[::-1])
    chosen = draw.sample(here.units, draw.randint(0, len(here)))
    extract = carried(chosen, here, there, budget)
    assert extract.budget == budget
    assert extract.words <= budget
    places = [there.units.index(unit) for unit in extract.units]
    assert places == sorted(set(places))
    wanted = {name for unit in chosen for name in project(here, there)[unit.id]}
    assert {unit.id for unit in extract.units} <= wanted
    left = budget - extract.words
    assert all(there[name] in extract.units or there[name].words > left for name in wanted)


@given(acts, st.randoms(use_true_random=False))
def test_what_is_carried_nowhere_stays_as_it_is(act: Act, draw: Random) -> None:
    chosen = draw.sample(act.units, draw.randint(0, len(act)))
    extract = carried(chosen, act, act, sum(unit.words for unit in chosen))
    assert extract.units == tuple(unit for unit in act.units if unit in chosen)


def test_where_room_is_short_the_most_important_goes_first() -> None:
    act = divided([5], [5])
    assert carried(act.units[::-1], act, act, 7).units == act.units[1:]
