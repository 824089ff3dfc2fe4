"""What is nothing by itself: what closes a list, labels, and what was said before."""

from __future__ import annotations

import pytest

from lexlattice import Act, read
from lexlattice.act.hierarchy import lead_ins
from lexlattice.selection.dependencies import closed_lists, is_repetition, says_nothing

COPIES = """Article 5

1. Temporary copies whose sole purpose is to enable:

(a) a transmission in a network, or

(b) a lawful use, where it is

(i) private, or

(ii) free of charge,

{tail}

2. The following table applies:
"""
CLOSED = "of a work shall be exempted from the reproduction right."
OTHER = "Such a work shall be exempted from the reproduction right."


def closed(act: Act) -> list[tuple[str, str]]:
    pairs = closed_lists(act.units, lead_ins(act.units))
    return [(act.units[lead].id, act.units[tail].id) for lead, tail in pairs]


def silent(act: Act) -> set[str]:
    """The texts that say nothing."""
    leads = lead_ins(act.units)
    return {unit.text for place, unit in enumerate(act.units) if says_nothing(act, unit, leads[place] is not None)}


def test_a_sentence_that_goes_on_after_a_list_closes_it_whatever_is_below_its_points() -> None:
    assert closed(read(COPIES.format(tail=CLOSED), language="en")) == [("art-5.par-1", "art-5.par-1.sub-2")]


def test_a_sentence_of_its_own_after_a_list_closes_nothing() -> None:
    act = read(COPIES.format(tail=OTHER), language="en")
    assert "art-5.par-1.sub-2" in {unit.id for unit in act.units}
    assert closed(act) == []


def test_quoted_text_is_no_list_that_could_be_closed() -> None:
    act = read(
        "Article 1\n1. In Article 3 the following paragraph is inserted:\n‘Hives shall be registered.’\n"
        "and the second one is deleted.\n2. Article 4 is deleted.",
        language="en",
    )
    assert closed(act) == []


def test_lead_ins_to_nothing_headings_and_cells_say_nothing_but_short_points_do() -> None:
    act = read(
        "Article 1\n\nBees\n\nPre-notification contacts\n\nGENERAL RULES ON THE KEEPING OF BEES.\n\n"
        "Hives shall be registered every year.\n\nThe label shall show the following:\n\n"
        "(a) the name of the keeper\n\n(b) wax.\n\nArticle 2\n\nThe following table applies:",
        language="en",
    )
    spoken = {unit.text for unit in act.units} - silent(act)
    assert spoken == {"Hives shall be registered every year.", "(a) the name of the keeper"}


@pytest.mark.parametrize("repeated", ["Hives shall be registered every year.", "HIVES shall be registered every year."])
def test_what_repeats_another_unit_was_is_repetition(repeated: str) -> None:
    act = read(f"Article 1\n\nHives shall be registered every year.\n\nArticle 2\n\n{repeated}", language="en")
    assert is_repetition(act).tolist() == [False, True]


def test_the_name_of_the_act_itself_was_is_repetition() -> None:
    name = "Regulation (EU) 2024/9001 of the European Parliament and of the Council of 12 March 2024 on bees"
    act = read(
        f"{name.upper()}\n\nArticle 1\n\nThe following is added: {name}.\n\nArticle 2\n\nBees are free.", language="en"
    )
    said = dict(zip((unit.id for unit in act.units), is_repetition(act).tolist(), strict=True))
    assert said["art-1"]
    assert not said["art-2"]
