"""Texts attached to an act have their own ids and citations; annexes neither contain later articles nor lose text."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from helpers.laws import assert_laws
from lexlattice import Act, read
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import load

DECISION = (
    "COUNCIL DECISION of 3 May 2031 on the conclusion of the Convention on lamps\nTHE COUNCIL OF THE EUROPEAN UNION,\n"
    "Having regard to the Treaty,\nWhereas:\n(1) Lamps cross borders.\nHAS DECIDED AS FOLLOWS:\n"
    "Article 1\nThe Convention is approved.\nArticle 2\nThe text of the Convention is attached.\n"
    "Done at Brussels, 3 May 2031.\nFor the Council\nThe President\nA. LIGHT"
)
TERMS = "Article 1\nScope\nThe Convention applies to lamps.\nArticle 2\nEnd\nThe Convention ends in 2040."


def articles(act: Act) -> list[tuple[str, str]]:
    return [(s.units[0].id, s.units[0].citation) for s in act.sections if s.kind == "article"]


@pytest.mark.parametrize("note", ["", "(1) OJ L 12, 3.4.2030, p. 6.\n"])
def test_an_attached_convention_is_an_attachment(note: str) -> None:
    act = read(
        f"{DECISION}\n{note}CONVENTION\non lamps that cross borders\nTHE PARTIES TO THIS CONVENTION,\n"
        f"NOTING that lamps cross borders every day and every night,\nHAVE AGREED AS FOLLOWS:\n{TERMS}",
        language="en",
    )
    assert articles(act) == [
        ("art-1", "Article 1"),
        ("art-2", "Article 2"),
        ("att-1.art-1", "Attached text 1, Article 1"),
        ("att-1.art-2", "Attached text 1, Article 2"),
    ]
    opening = next(section for section in act.sections if section.label == "CONVENTION")
    assert (opening.kind, opening.heading) == ("body", "on lamps that cross borders")
    assert [unit.id for unit in opening.units] == ["att-1.sub-1", "att-1.sub-2"]
    assert act.sections[-1].enclosing == ("CONVENTION on lamps that cross borders",)
    assert_laws(act)


def test_articles_that_restart_without_a_title_are_an_attachment() -> None:
    act = read(f"{DECISION}\nThe text of the statute, as it was agreed upon, is as follows.\n{TERMS}", language="en")
    assert [unit_id for unit_id, _ in articles(act)][2:] == ["att-1.art-1", "att-1.art-2"]
    assert len({citation for _, citation in articles(act)}) == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_can_cite_an_attached_text(language: str) -> None:
    assert "{n}" in load(language).citation["attachment"].final


def test_a_protocol_right_below_an_annex_is_its_heading() -> None:
    act = read(f"{DECISION}\nANNEX I\nPROTOCOL\non lamps\n{TERMS}\nANNEX II\nNothing else is lit.", language="en")
    assert articles(act)[2] == ("anx-I.art-1", "Annex I, Article 1")
    assert [(s.number, s.heading) for s in act.sections if s.kind == "annex"] == [
        ("I", "PROTOCOL on lamps"),
        ("II", ""),
    ]


def test_a_numbered_protocol_is_cited_as_one() -> None:
    act = read(f"{DECISION}\nPROTOCOL 3\non lamps\n{TERMS}", language="en")
    assert articles(act)[2] == ("prot-3.art-1", "Protocol 3, Article 1")


REGULATION = "REGULATION (EU) 2031/7 of 3 May 2031 on lamps\nTHE COUNCIL,\nHaving regard to the Treaty,\n"


def test_a_point_that_only_names_an_annex_opens_none() -> None:
    act = read(
        f"{REGULATION}HAS ADOPTED THIS REGULATION:\nArticle 1\n1. The Commission may amend:\n(a)\n"
        "point 3 of Annex I;\n(b)\nAnnex V.\nThose measures shall be adopted.\nArticle 2\nA committee assists it.\n"
        "Done at Brussels, 3 May 2031.\nANNEX I\nLamps are listed here.",
        language="en",
    )
    sections = [(s.kind, s.number) for s in act.sections if s.kind in ("article", "annex")]
    assert sections == [("article", "1"), ("article", "2"), ("annex", "I")]


def test_an_article_may_have_the_heading_annexes() -> None:
    act = read(
        f"{REGULATION}HAS ADOPTED THIS REGULATION:\nArticle 1\nScope\nIt applies to lamps.\nArticle 2\nAnnexes\n"
        "The Annexes form part of this Regulation.\nArticle 3\nAnnex\nIt may be amended.\nANNEX\nLamps are old.",
        language="en",
    )
    assert [(s.number, s.heading) for s in act.sections if s.kind == "article"] == [
        ("1", "Scope"),
        ("2", "Annexes"),
        ("3", "Annex"),
    ]
    assert [s.label for s in act.sections if s.kind == "annex"] == ["ANNEX"]


def test_short_lines_are_the_text_of_a_part_that_has_nothing_else() -> None:
    act = read(
        f"{REGULATION}HAS ADOPTED THIS REGULATION:\nArticle 1\nPets are listed in Annex I.\nANNEX I\nSpecies of pets\n"
        "PART A\nDogs (Canis)\nCats (Felis)\nPART B\nGeneral rules\n1. Birds fly.\n2. Fish swim.",
        language="en",
    )
    assert [unit.text for unit in act.sections[-1].units] == [
        "Dogs (Canis)",
        "Cats (Felis)",
        "1. Birds fly.",
        "2. Fish swim.",
    ]


def test_an_annex_continues_below_a_note() -> None:
    act = read(
        f"{REGULATION}HAS ADOPTED THIS REGULATION:\nArticle 1\nLamps are listed in the Annexes.\nANNEX I\nLIST\n"
        "1. Oil lamps (1) are old.\n(1) OJ L 12, 3.4.2005, p. 6.\n2. Gas lamps are new.\nPART B\nColours\n"
        "1. Red lamps are warm.\n(2) OJ L 13, 3.4.2005, p. 6.\nANNEX II\nNothing.",
        language="en",
    )
    assert [(s.kind, s.number) for s in act.sections[-4:]] == [
        ("article", "1"),
        ("annex", "I"),
        ("notes", ""),
        ("annex", "II"),
    ]
    annex = act.sections[-3]
    assert [(unit.kind, unit.id) for unit in annex.units] == [
        ("point", "anx-I.pt-1"),
        ("note", "anx-I.note-1"),
        ("point", "anx-I.pt-2"),
        ("point", "anx-I.part-B.pt-1"),
    ]
    assert_laws(act)


ATTACHED = {"32006D0515": "anx-1a.art-35", "32008D0202": "att-1.art-23", "32013D0040": "att-1.art-53"}


@pytest.mark.data
def test_real_attachments_have_citations_of_their_own(data: Path) -> None:
    seen = 0
    with gzip.open(data / "eur-lex-sum" / "en" / "train.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            last = ATTACHED.get(row["celex_id"])
            if last is None:
                continue
            act = read(row["reference"], language="en")
            own = {citation for unit_id, citation in articles(act) if unit_id.startswith("art-")}
            assert not own & {citation for unit_id, citation in articles(act) if not unit_id.startswith("art-")}
            assert any(unit.id.startswith(last) for unit in act.units), row["celex_id"]
            assert_laws(act)
            seen += 1
    assert seen == len(ATTACHED)


@pytest.mark.data
def test_the_toy_safety_directive_has_all_its_articles(data: Path) -> None:
    with gzip.open(data / "eur-lex-sum" / "en" / "train.jsonl.gz", "rt", encoding="utf-8") as rows:
        text = next(row["reference"] for row in map(json.loads, rows) if row["celex_id"] == "32009L0048")
    act = read(text, language="en")
    assert [s.number for s in act.sections if s.kind == "article"] == [str(n) for n in range(1, 58)]
    assert [s.number for s in act.sections if s.kind == "annex"] == ["I", "II", "III", "IV", "V"]


def test_annexes_that_differ_by_a_letter_in_brackets_are_separate() -> None:
    act = read(
        "Article 1\nThe Council approves the rules.\nArticle 2\nThey are attached.\nDone at Lanterna, 2 May 2006.\n"
        "ANNEX 1(a)\nRules on quays\nQuays are lit.\nANNEX 1(b)\nRules on islands\nIslands are lit.\nANNEX 2\nFees\n"
        "Light is free.",
        language="en",
    )
    assert_laws(act)
    assert [(s.number, s.units[0].citation) for s in act.annexes] == [
        ("1a", "Annex 1(a)"),
        ("1b", "Annex 1(b)"),
        ("2", "Annex 2"),
    ]
