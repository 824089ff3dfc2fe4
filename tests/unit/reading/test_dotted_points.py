"""Points "i. …", "ii. …" are recognised by their sequence in any language; words and initials are no points."""

from __future__ import annotations

import pytest

from lexlattice import read

ACT = """REGULATION (EU) 2031/7 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL
of 4 May 2031
on hives
THE EUROPEAN PARLIAMENT AND THE COUNCIL OF THE EUROPEAN UNION,
HAVE ADOPTED THIS REGULATION:
Article 1
{}
Article 2
This Regulation shall enter into force on the day after its publication."""


def ids(*lines: str) -> list[str]:
    act = read(ACT.format("\n".join(lines)), language="en")
    return [unit.id for unit in act.units if unit.id.startswith("art-1")]


def test_numerals_with_a_stop_are_points_of_the_text_that_introduces_them() -> None:
    lines = (
        "Keepers report:",
        "(a) on hives:",
        "i. their number;",
        "ii. their place;",
        "(b) on bees:",
        "i. age;",
        "ii. kin.",
    )
    points = ["pt-a", "pt-a.pt-i", "pt-a.pt-ii", "pt-b", "pt-b.pt-i", "pt-b.pt-ii"]
    assert ids(*lines) == ["art-1", *(f"art-1.{point}" for point in points)]


def test_letters_with_a_stop_contain_numerals_with_a_stop() -> None:
    lines = ("Keepers report:", "a. on hives:", "i. their number;", "ii. their place;", "b. on bees.")
    assert ids(*lines) == ["art-1", "art-1.pt-a", "art-1.pt-a.pt-i", "art-1.pt-a.pt-ii", "art-1.pt-b"]


@pytest.mark.parametrize(
    "line", ["i. the only one;", "v. Chr. hives stood here.", "b. hives;", "cf. Annex I.", "a. m."]
)
def test_a_single_such_line_is_no_point(line: str) -> None:
    assert ids("Keepers report:", line, "They do so each year.") == ["art-1", "art-1.sub-2", "art-1.sub-3"]


def test_a_list_ends_at_the_next_article() -> None:
    act = read(ACT.format("Keepers report:\ni. hives;\nArticle 1a\nOthers report:\nii. bees;"), language="en")
    assert not [unit.id for unit in act.units if ".pt-" in unit.id]
