"""The parties to an agreement are in its preamble, neither in its title nor among its recitals."""

from __future__ import annotations

from helpers.laws import assert_laws
from lexlattice import Act, read

TERMS = "HAVE AGREED AS FOLLOWS:\nArticle 1\nThe Parties light their quays."
REASONS = [
    "RECOGNISING that their quays are dark and that ships which come by night cannot find them;",
    "DESIRING to light all quays,",
]


def agreement(*front: str) -> Act:
    act = read("\n".join([*front, *REASONS, TERMS]), language="en")
    assert_laws(act)
    return act


def of(act: Act, kind: str) -> list[str]:
    return [unit.text for section in act.sections if section.kind == kind for unit in section.units]


def test_parties_named_in_small_letters_are_not_in_the_title() -> None:
    parties = [
        "The Union of Lighthouses, hereinafter referred to as ‘the Union’,",
        "and",
        "the Republic of Lanterna with all its quays and islands, hereinafter referred to as ‘Lanterna’,",
        "hereinafter jointly referred to as the ‘Parties’,",
    ]
    act = agreement("AGREEMENT BETWEEN THE UNION OF LIGHTHOUSES AND LANTERNA", *parties)
    assert act.title == "AGREEMENT BETWEEN THE UNION OF LIGHTHOUSES AND LANTERNA"
    assert of(act, "preamble") == parties
    assert of(act, "recitals") == REASONS


def test_the_word_above_a_preamble_is_its_heading() -> None:
    act = agreement("CONVENTION", "on the lighting of quays", "PREAMBLE", "The Contracting Parties,")
    assert act.title == "CONVENTION on the lighting of quays"
    assert of(act, "preamble") == ["The Contracting Parties,"]
    assert of(act, "recitals") == REASONS


def test_long_names_of_parties_are_no_recitals() -> None:
    parties = [
        "THE UNION OF LIGHTHOUSES,",
        "of the one part, and",
        "THE GOVERNMENT OF THE REPUBLIC OF LANTERNA, hereinafter referred to as ‘Lanterna’, of the other part,",
    ]
    act = agreement("AGREEMENT", "on the lighting of quays", *parties)
    assert of(act, "preamble") == parties
    assert of(act, "recitals") == REASONS
