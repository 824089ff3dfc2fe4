"""The terms that an act defines, and their positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexlattice import read
from lexlattice.reading.languages.grammar import LANGUAGES


def terms(text: str, language: str = "en") -> list[tuple[str, str]]:
    act = read(text, language=language)
    assert all(act.source[d.start : d.end] == d.term for d in act.definitions())
    return [(definition.term, definition.unit) for definition in act.definitions()]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_list_of_definitions_is_found_in_every_language(examples: Path, language: str) -> None:
    act = read(examples / "short" / f"{language}.txt")
    assert [definition.unit for definition in act.definitions()] == ["art-2.pt-1", "art-2.pt-2", "art-2.pt-3"]


def test_all_names_of_one_thing_are_terms() -> None:
    text = (
        "Regulation on lamps\nArticle 1\nDefinitions\nFor the purposes of this Regulation:\n"
        "(1) ‘lamp’ or ‘lantern’ means a thing that gives light;\n"
        "(2) ‘European Lamp Board’ (‘Board’) means the Board of Article 2;\n"
        "(3) ‘owner’, for the purposes of Article 2, is whoever has a lamp;\n"
        "Article 2\nThe Board meets.\n"
    )
    assert terms(text) == [
        ("lamp", "art-1.pt-1"),
        ("lantern", "art-1.pt-1"),
        ("European Lamp Board", "art-1.pt-2"),
        ("Board", "art-1.pt-2"),
        ("owner", "art-1.pt-3"),
    ]


def test_names_defined_within_a_sentence_are_terms() -> None:
    text = (
        "Regulation on lamps\nArticle 1\nThe European Lamp Agency (‘the Agency’) is set up.\n"
        "Article 2\nA register, hereinafter referred to as ‘the Register’, is kept.\n"
        "Article 3\n‘Lamp’ means a thing that gives light. The words ‘by night’ stand on it.\n"
    )
    assert terms(text) == [("the Agency", "art-1"), ("the Register", "art-2"), ("Lamp", "art-3")]


def test_definitions_inserted_into_another_act_are_ignored() -> None:
    text = (
        "Regulation on lamps\nArticle 1\nRegulation (EC) No 1/2004 is amended as follows:\n"
        "(1) in Article 2, the following points are added:\n‘(4) “lamp” means a thing that gives light;\n"
        "(5) “lantern” means a lamp that is carried;’;\nArticle 2\nThis Regulation enters into force tomorrow.\n"
    )
    assert terms(text) == []
