"""Tables of contents are furniture wherever they are, and hide no article."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from helpers.laws import assert_laws
from lexlattice import Act, read
from lexlattice.reading import LANGUAGES

TITLE = "REGULATION (EU) 2031/7 OF THE COUNCIL of 3 May 2031 on lamps"
PREAMBLE = (
    "THE COUNCIL OF THE EUROPEAN UNION,\nHaving regard to the Treaty,\nWhereas:\n"
    "(1) Lamps are bright.\nHAS ADOPTED THIS REGULATION:"
)
LIST = (
    "CHAPTER I\nGENERAL PROVISIONS\nArticle 1\nSubject matter\nArticle 2\nDefinitions\nCHAPTER II\nFINAL PROVISIONS\n"
    "Article 3\nEntry into force\nANNEX I\nLIST OF LAMPS\nANNEX II\nCORRELATION TABLE"
)
TEXT = (
    "CHAPTER I\nGENERAL PROVISIONS\nArticle 1\nSubject matter\nThis Regulation lays down rules on lamps.\n"
    "Article 2\nDefinitions\nA lamp is a source of light.\nCHAPTER II\nFINAL PROVISIONS\nArticle 3\nEntry into force\n"
    "This Regulation shall enter into force in June.\nDone at Brussels, 3 May 2031.\nFor the Council\nThe President\n"
    "ANNEX I\nLIST OF LAMPS\n1. Oil lamps are old.\n2. Gas lamps are new.\nANNEX II\nCORRELATION TABLE\nNothing is old."
)


def paged(text: str) -> str:
    """A list with a page number below each heading, as some files have it."""
    lines = text.split("\n")
    return "\n".join(line if n % 2 == 0 else f"{line}\n{n // 4 + 3}" for n, line in enumerate(lines))


def skeleton(act: Act) -> list[tuple[str, str]]:
    return [(section.kind, section.units[0].id) for section in act.sections]


def furniture(act: Act, kind: str) -> list[str]:
    return [act.source[piece.start : piece.end] for piece in act.furniture if piece.kind == kind]


EXPECTED = [
    ("title", "title"),
    ("preamble", "pre-1"),
    ("recitals", "rec-1"),
    ("article", "art-1"),
    ("article", "art-2"),
    ("article", "art-3"),
    ("annex", "anx-I.pt-1"),
    ("annex", "anx-II"),
]


@pytest.mark.parametrize("name", ["CONTENTS\n", "TABLE OF CONTENTS\n", "Content\n", ""])
@pytest.mark.parametrize("listed", [LIST, paged(LIST)], ids=["plain", "with pages"])
def test_a_table_of_contents_below_the_preamble_is_furniture(name: str, listed: str) -> None:
    act = read(f"{TITLE}\n{PREAMBLE}\n{name}{listed}\n{TEXT}", language="en")
    assert skeleton(act) == EXPECTED
    assert next(s.enclosing for s in act.sections if s.kind == "article") == ("CHAPTER I GENERAL PROVISIONS",)
    assert "".join(furniture(act, "contents")).split() == f"{name}{listed}".split()
    assert_laws(act)


@pytest.mark.parametrize("listed", [LIST, paged(LIST)], ids=["plain", "with pages"])
def test_a_table_of_contents_above_the_preamble_is_furniture(listed: str) -> None:
    act = read(f"{TITLE}\nTABLE OF CONTENTS\n{listed}\n{PREAMBLE}\n{TEXT}", language="en")
    assert act.title == TITLE
    assert skeleton(act) == EXPECTED
    assert_laws(act)


def test_a_list_of_chapters_and_annexes_is_a_table_of_contents() -> None:
    listed = "TITLE 1 —\nSCOPE\nTITLE II —\nRATES\nTITLE III —\nEND\nANNEX I —\nLIST OF LAMPS"
    text = TEXT.replace("CHAPTER I\nGENERAL PROVISIONS", "TITLE I\nSCOPE").replace(
        "CHAPTER II\nFINAL PROVISIONS", "TITLE II\nRATES"
    )
    act = read(f"{TITLE}\n{PREAMBLE}\n{listed}\n{text}", language="en")
    assert skeleton(act) == EXPECTED


def test_a_table_of_contents_of_an_annex_is_furniture() -> None:
    annex = (
        "ANNEX\nMANUAL OF LAMPS\nTABLE OF CONTENTS\n1.\nINTRODUCTION\n3\n2.\nLIGHTING OF LAMPS.\n4\n3.\nDOUSING\n5\n"
        "1. INTRODUCTION\nLamps are lit at night.\n2. LIGHTING OF LAMPS\nWith a match.\n3. DOUSING\nWith a hat."
    )
    act = read(f"{TITLE}\n{PREAMBLE}\nArticle 1\nLamps shall be lit.\n{annex}", language="en")
    assert [unit.citation for unit in act.sections[-1].units] == [f"Annex, point {n}" for n in (1, 2, 3)]
    assert furniture(act, "contents")[0].startswith("TABLE OF CONTENTS")


def test_a_correlation_table_is_no_table_of_contents() -> None:
    table = "ANNEX\nCORRELATION TABLE\n" + "\n".join(f"Article {n}\nArticle {n + 1}" for n in range(1, 9))
    act = read(f"{TITLE}\n{PREAMBLE}\nArticle 1\nLamps shall be lit.\n{table}", language="en")
    assert not furniture(act, "contents")


def test_chapters_without_text_are_no_table_of_contents() -> None:
    act = read(f"{TITLE}\n{PREAMBLE}\n{TEXT}", language="en")
    assert skeleton(act) == EXPECTED
    assert not furniture(act, "contents")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_of_contents_changes_no_reading_in_any_language(examples: Path, language: str) -> None:
    text = (examples / "short" / f"{language}.txt").read_text("utf-8")
    act = read(text, language=language)
    listed = [line for s in act.sections if s.kind in ("article", "annex") for line in (s.label, s.heading) if line]
    lines = text.splitlines()
    place = next(n for n, line in enumerate(lines) if line.strip() == listed[0])
    again = read("\n".join([*lines[:place], *listed, *lines[place:]]), language=language)
    assert [s.units[0].id for s in again.sections] == [s.units[0].id for s in act.sections]
    assert furniture(again, "contents")


LISTED = {
    "train": {
        "32006L0112": 414,
        "32009L0065": 119,
        "32005R0302": 40,
        "21997A1212(03)": 31,
        "32014L0024": 94,
        "32014O0060": 192,
    },
    "validation": {"32021R1060": 119, "32021R1058": 18, "32021R1059": 65},
}


@pytest.mark.data
@pytest.mark.parametrize("split", ["train", "validation"])
def test_real_tables_of_contents_hide_no_article(data: Path, split: str) -> None:
    seen = 0
    with gzip.open(data / "eur-lex-sum" / "en" / f"{split}.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            articles = LISTED[split].get(row["celex_id"])
            if articles is None:
                continue
            act = read(row["reference"], language="en")
            own = [
                s.number for s in act.sections if s.kind == "article" and s.units and s.units[0].id.startswith("art-")
            ]
            assert len(own) >= articles and len(set(own)) == len(own), row["celex_id"]
            assert_laws(act)
            seen += 1
    assert seen == len(LISTED[split])
