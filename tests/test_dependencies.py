"""What makes a provision complete: which units need which, and which never come alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice import Act, read
from lexlattice.selection.dependencies import Ties, _in_circles

COPIES = """Article 5

1. Temporary copies whose sole purpose is to enable:

(a) a transmission in a network, or

(b) a lawful use

of a work shall be exempted from the reproduction right.

2. Member States may provide for exceptions. They shall notify them.

However, no exception shall apply to computer programs.

3. The following table applies:

Article 6

Penalties

{long}

They shall be applied without delay.

Article 7

{long}
"""
LONG = " ".join(f"Member States shall lay down the penalties of kind {i} in national rules." for i in range(9))


@pytest.fixture(scope="module")
def act() -> Act:
    return read(COPIES.format(long=LONG), language="en")


def needed(act: Act, name: str) -> list[str]:
    """All that a unit needs, one after the other."""
    ties, found = Ties.of(act), []
    place = next(place for place, unit in enumerate(act.units) if unit.id == name)
    while (place := int(ties.needs[place])) >= 0:
        found.append(act.units[place].id)
    return found


def alone(act: Act) -> set[str]:
    return {unit.id for unit, never in zip(act.units, Ties.of(act).never_alone, strict=True) if not never}


def test_a_point_needs_what_closes_the_list_and_what_leads_it_in(act: Act) -> None:
    assert needed(act, "art-5.par-1.pt-b") == ["art-5.par-1.sub-2", "art-5.par-1"]
    assert not {"art-5.par-1", "art-5.par-1.sub-2"} & alone(act)
    assert {"art-5.par-1.pt-a", "art-5.par-1.pt-b"} <= alone(act)


def test_a_rule_comes_with_the_exception_behind_it(act: Act) -> None:
    assert needed(act, "art-5.par-2.sub-2") == ["art-5.par-2"]
    assert "art-5.par-2" not in alone(act)
    assert "art-5.par-2.sub-2" in alone(act)


def test_a_later_subparagraph_needs_the_first_and_a_sentence_the_one_before(act: Act) -> None:
    assert needed(act, "art-6.sub-2") == ["art-6"]
    assert needed(act, "art-7.s-3") == ["art-7.s-2", "art-7.s-1"]
    assert {"art-6", "art-6.sub-2", "art-7.s-1"} <= alone(act), "what is long may be taken in part"


def test_what_leads_to_nothing_that_can_be_cited_never_comes(act: Act) -> None:
    assert "art-5.par-3" not in alone(act)


def test_labels_repetitions_and_the_name_of_the_act_itself_never_come_alone() -> None:
    name = "Regulation (EU) 2024/9001 of the European Parliament and of the Council of 12 March 2024 on bees"
    act = read(
        f"{name.upper()}\n\nArticle 1\n\nPre-notification contacts\n\nGENERAL RULES ON THE KEEPING OF BEES.\n\n"
        "Hives shall be registered every year.\n\n"
        f"Article 2\n\nHives shall be registered every year.\n\nThe following is added: {name}.",
        language="en",
    )
    texts = {unit.text for unit in act.units if unit.id in alone(act)}
    assert texts == {"Hives shall be registered every year."}
    assert [unit.text for unit in act.units].count("Hives shall be registered every year.") == 2


@pytest.mark.parametrize("language", ["de", "el", "fi", "bg", "mt"])
def test_ties_are_the_same_in_every_language(language: str, examples: Path) -> None:
    english, other = (read(examples / "short" / f"{name}.txt") for name in ("en", language))
    assert [unit.id for unit in english] == [unit.id for unit in other]
    assert np.array_equal(Ties.of(english).needs, Ties.of(other).needs)


def test_what_is_needed_stands_in_the_same_section_and_never_in_a_circle(examples: Path) -> None:
    for path in sorted((examples / "short").glob("*.txt")):
        act = read(path)
        ties = Ties.of(act)
        assert sum(map(len, ties.levels())) == np.count_nonzero(ties.needs >= 0)
        for unit, need in zip(act.units, ties.needs, strict=True):
            assert need < 0 or act.units[need].section == unit.section


def test_what_is_needed_never_leads_back_to_what_needs_it() -> None:
    formulas = "".join(f"PCE{n} =\nthe reduced figure for exposure number {n};\n" for n in range(1, 5))
    act = read(
        "Article 1\nDirective 2009/1/EC is amended as follows:\n(1) the following Article is inserted:\n‘Article 50d\n"
        f"The figure shall be:\n(a) the first one;\n(b) the second one, where\n{formulas}and so on.’;\n(2) it ends.",
        language="en",
    )
    needs = Ties.of(act).needs
    for unit in range(len(act)):
        place, steps = unit, 0
        while place >= 0:
            place, steps = int(needs[place]), steps + 1
            assert steps <= len(act)


@given(st.lists(st.integers(-1, 7), min_size=8, max_size=8))
def test_circles_are_found_whatever_needs_what(needs: list[int]) -> None:
    def ends(unit: int) -> bool:
        for _ in range(len(needs) + 1):
            unit = needs[unit] if unit >= 0 else -1
        return unit < 0

    assert _in_circles(np.array(needs)).tolist() == [unit for unit in range(8) if not ends(unit)]
