"""What a unit points to: earlier provisions that it names, and the one before that it goes on with."""

from __future__ import annotations

import numpy as np
import pytest

from lexlattice import Act, read
from lexlattice.act.hierarchy import lead_ins
from lexlattice.selection.decoder import choose
from lexlattice.selection.dependencies import TextReferences

TEXT = """REGULATION (EU) 2031/77 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL
of 3 March 2031
on lanterns
THE EUROPEAN PARLIAMENT AND THE COUNCIL OF THE EUROPEAN UNION,
Whereas:
(1) Lanterns light the harbours of many coastal regions.
(2) Those lanterns should be lit in the same way everywhere.
(3) It is appropriate to lay down rules on their oil.
(4) This Regulation should apply to all harbours.
HAVE ADOPTED THIS REGULATION:
Article 1
Lighting
1. Harbour masters shall light each lantern before sunset on every day of the year.
2. Harbour masters shall keep a register of all lanterns in their harbour.
3. Lanterns on private piers may be lit later with the consent of the harbour master.
4. Paragraphs 1 and 2 shall not apply to lanterns on ships.
5. Paragraphs 1 to 3 shall not apply to lanterns in museums.
Article 2
Oil
1. Lanterns shall burn only oil that bears the mark of the Union.
Oil from fish may be burnt until the end of the year.
The first subparagraph shall not apply to lanterns older than a century.
The second subparagraph of paragraph 2 shall apply to such lanterns.
2. The Commission shall keep a list of oils.
The list shall be published each year.
Article 3
Entry into force
This Regulation shall enter into force on 1 May 2031.
The first paragraph shall not apply to lighthouses.
"""


@pytest.fixture(scope="module")
def lanterns() -> Act:
    return read(TEXT, language="en")


def back(act: Act, name: str) -> set[str]:
    pointing = TextReferences(act, lead_ins(act.units))
    place = next(place for place, unit in enumerate(act.units) if unit.id == name)
    return {act.units[other].id for other in pointing.back(place)}


def test_a_paragraph_needs_all_those_it_names(lanterns: Act) -> None:
    assert back(lanterns, "art-1.par-4") == {"art-1.par-1", "art-1.par-2"}
    assert back(lanterns, "art-1.par-5") == {"art-1.par-1", "art-1.par-2", "art-1.par-3"}


def test_a_subparagraph_needs_an_earlier_one_that_it_names(lanterns: Act) -> None:
    assert back(lanterns, "art-2.par-1.sub-3") == {"art-2.par-1"}
    assert back(lanterns, "art-2.par-1.sub-2") == set()


def test_a_subparagraph_of_another_paragraph_is_none_of_its_own(lanterns: Act) -> None:
    assert back(lanterns, "art-2.par-1.sub-4") == set()


def test_paragraphs_without_numbers_are_named_by_their_order(lanterns: Act) -> None:
    assert back(lanterns, "art-3.sub-2") == {"art-3"}


def test_a_recital_that_begins_by_pointing_back_needs_the_one_before(lanterns: Act) -> None:
    assert back(lanterns, "rec-2") == {"rec-1"}


@pytest.mark.parametrize("name", ["rec-1", "rec-3", "rec-4"])
def test_a_recital_that_begins_on_its_own_needs_none(lanterns: Act, name: str) -> None:
    assert back(lanterns, name) == set()


@pytest.mark.parametrize("name", ["rec-2", "art-1.par-4", "art-2.par-1.sub-3"])
def test_what_is_chosen_comes_with_what_it_points_back_to(lanterns: Act, name: str) -> None:
    scores = np.array([0.9 if unit.id == name else 0.1 for unit in lanterns.units], np.float32)
    for words in range(20, 150, 10):
        chosen = {lanterns.units[place].id for place in choose(lanterns, scores, words).units}
        assert name not in chosen or back(lanterns, name) <= chosen
