"""Sections of acts without articles, headings among recitals, page marks and second languages."""

from __future__ import annotations

import gc
import gzip
import json
from pathlib import Path

import pytest

from helpers.laws import assert_laws
from lexlattice import Act, read

TOP = "THE EUROPEAN COMMISSION,\nHaving regard to the Treaty,\nWhereas:\n(1) Lamps are bright.\n(2) Nights are dark.\n"
RECOMMENDATION = f"COMMISSION RECOMMENDATION of 3 May 2031 on lamps\n{TOP}"


def furniture(act: Act, kind: str) -> list[str]:
    return [act.source[piece.start : piece.end] for piece in act.furniture if piece.kind == kind]


def bodies(act: Act) -> list[tuple[tuple[str, ...], str, list[str]]]:
    return [(s.enclosing, s.heading, [u.citation for u in s.units]) for s in act.sections if s.kind == "body"]


def test_points_numbered_through_are_cited_by_number_below_their_headings() -> None:
    act = read(
        f"{RECOMMENDATION}HAS ADOPTED THIS RECOMMENDATION:\n1. INTRODUCTION\nPurpose\n1.\nLamps should be lit.\n2.\n"
        "They should be:\n(a)\nclean;\n(b)\nbright.\nScope\n3.\nIt concerns lamps.\n2. MEANS OF LIGHTING\n4.\nUse it.",
        language="en",
    )
    assert bodies(act) == [
        (("1. INTRODUCTION",), "Purpose", ["Point 1", "Point 2", "Point 2(a)", "Point 2(b)"]),
        (("1. INTRODUCTION",), "Scope", ["Point 3"]),
        ((), "2. MEANS OF LIGHTING", ["Point 4"]),
    ]
    assert_laws(act)


def test_points_that_continue_the_enacting_formula_belong_to_it() -> None:
    act = read(
        f"{RECOMMENDATION}HEREBY RECOMMENDS THAT MEMBER STATES:\n1.\nlight all lamps at night;\n2.\nclean all lamps.",
        language="en",
    )
    units = act.sections[-1].units
    assert [(unit.id, unit.text) for unit in units] == [
        ("body", "HEREBY RECOMMENDS THAT MEMBER STATES:"),
        ("body.pt-1", "1. light all lamps at night;"),
        ("body.pt-2", "2. clean all lamps."),
    ]
    assert [unit.citation for unit in units[1:]] == ["Point 1", "Point 2"]


REASONS = "(2) Nights are dark.\nB. PRODUCT (3) Oil lamps are old.\n(4) Gas lamps are new.\n"


@pytest.mark.parametrize(
    ("language", "top", "heading", "end"),
    [
        ("en", "Having regard to the Treaty,\nWhereas:", "A. PROCEDURE", "HAS ADOPTED THIS REGULATION:\nArticle 1"),
        ("de", "gestützt auf den Vertrag,\nin Erwägung nachstehender Gründe:", "A. VERFAHREN", "Artikel 1"),
        ("fr", "vu le traité,\nconsidérant ce qui suit:", "A. PROCÉDURE", "Article premier"),
        ("el", "Έχοντας υπόψη τη συνθήκη,\nΕκτιμώντας ότι:", "Α. ΔΙΑΔΙΚΑΣΙΑ", "Άρθρο 1"),
    ],
)
def test_a_heading_on_the_line_of_a_recital_is_cut_off(language: str, top: str, heading: str, end: str) -> None:
    act = read(
        f"REGULATION (EEC) No 7/93\nTHE COUNCIL,\n{top}\n{heading} (1) In 1992 lamps were bright.\n{REASONS}{end}\n"
        "The lamps shall be lit.",
        language=language,
    )
    recitals = next(section for section in act.sections if section.kind == "recitals")
    assert [unit.id for unit in recitals.units] == ["rec-1", "rec-2", "rec-3", "rec-4"]
    assert heading in furniture(act, "heading")
    assert_laws(act)


@pytest.mark.parametrize(("before", "behind"), [("L 236 33 ", ""), ("", " L 351"), ("L 236/33 ", " L 351/1"), ("", "")])
def test_page_marks_are_no_part_of_the_title(before: str, behind: str) -> None:
    title = "COUNCIL REGULATION (EC) No 7/2031 of 3 May 2031 on lamps"
    act = read(
        f"{before}{title}{behind}\n{TOP}HAS ADOPTED THIS REGULATION:\nArticle 1\nLamps shall be lit.", language="en"
    )
    assert act.title == title
    assert furniture(act, "page") == [mark.strip() for mark in (before, behind) if mark]


def test_a_reference_to_the_official_journal_stays_in_the_title() -> None:
    title = "Corrigendum to Council Regulation (EC) No 7/2031, OJ L 351"
    act = read(f"{title}\nOn page 3:\nfor:\n‘lamp’,\nread:\n‘lamps’.", language="en")
    assert act.title == title


def test_marks_of_consolidation_are_no_headings() -> None:
    act = read(
        f"REGULATION (EC) No 7/2031 on lamps\n{TOP}HAS ADOPTED THIS REGULATION:\nArticle 1\n►(1) M1\nScope\n▼B\n"
        "It applies to lamps.\n▼M2\nIt applies at night.",
        language="en",
    )
    assert act.sections[-1].heading == "Scope"
    assert [unit.text for unit in act.sections[-1].units] == ["It applies to lamps.", "It applies at night."]
    assert furniture(act, "page") == ["►(1) M1", "▼B", "▼M2"]


def test_a_page_header_below_the_signatures_is_furniture() -> None:
    act = read(
        f"COUNCIL DECISION of 3 May 2031 on lamps\n{TOP}HAS DECIDED AS FOLLOWS:\nArticle 1\nIt is approved.\n"
        "Article 2\nIt is attached.\nArticle 3\nIt enters into force at once.\nDone at Brussels, 3 May 2031.\n"
        "For the Council\nThe President\nA. LIGHT\n(1) OJ L 12, 3.4.2005, p. 6.\n6.5.2031\nEN\n"
        "Official Journal of the European Union\nL 62/24\nAGREEMENT\non lamps\nArticle 1\nLamps are lit.",
        language="en",
    )
    assert furniture(act, "page") == ["6.5.2031\nEN\nOfficial Journal of the European Union\nL 62/24"]
    assert next(s for s in act.sections if s.kind == "notes").units[0].text == "(1) OJ L 12, 3.4.2005, p. 6."


ENGLISH = [
    "This Convention applies to all lamps that are kept for the lighting of streets at night.",
    "Each Party shall keep its lamps clean and shall light all of them at night.",
    "The Parties shall inform each other of the lamps that they keep and light.",
    "This Convention shall apply to each of the Parties from the first night of May.",
]
FRENCH = [
    "La présente convention s'applique aux lampes qui éclairent les rues pendant la nuit.",
    "Chaque partie veille à la propreté de ses lampes et les allume toutes chaque soir.",
    "Les parties se communiquent les renseignements sur les lampes qu'elles possèdent.",
    "La présente convention s'appliquera à chacune des parties dès la première nuit de mai.",
]


def test_a_second_language_is_left_out_with_a_warning() -> None:
    english = "\n".join(f"Article {n}\n{line}" for n, line in enumerate(ENGLISH, 1))
    french = "\n".join(f"Article {n if n > 1 else 'premier'}\n{line}" for n, line in enumerate(FRENCH, 1))
    act = read(
        f"CONVENTION ON LAMPS\nTHE PARTIES TO THIS CONVENTION,\nConsidering that nights are dark,\n"
        f"HAVE AGREED AS FOLLOWS:\n{english}\nLES PARTIES À LA PRÉSENTE CONVENTION,\nSONT CONVENUES DE CE QUI SUIT:\n"
        f"{french}\nANNEX\nThe lamps of each of the Parties are those that it shall light at night.",
        language="en",
    )
    assert [unit.text for s in act.sections if s.kind == "article" for unit in s.units] == ENGLISH
    assert any("French" in warning for warning in act.warnings)
    assert furniture(act, "translation")[0].startswith("LES PARTIES")
    assert act.sections[-1].kind == "annex"
    assert_laws(act)


def test_the_last_provision_before_a_second_language_is_kept() -> None:
    english = "\n".join(f"Article {n}\n{line}" for n, line in enumerate(ENGLISH, 1))
    french = "\n".join(f"Article {n}\n{line}" for n, line in enumerate(FRENCH, 1))
    last = "4. Practical availability of alternative, less costly oil lamps and of the means to light them."
    act = read(f"CONVENTION ON LAMPS\nHAVE AGREED AS FOLLOWS:\n{english}\nANNEX\n{last}\n{french}", language="en")
    assert any(unit.text == last for unit in act.units)
    assert furniture(act, "translation")[0].startswith("Article 1")


def test_lists_in_all_languages_are_no_translation() -> None:
    english = "\n".join(f"Article {n}\n{line}" for n, line in enumerate(ENGLISH, 1))
    lists = [
        "gatulampor som tänds varje kväll och släcks varje morgon av stadens egna tjänstemän",
        "katuvalot jotka sytytetään joka ilta ja sammutetaan joka aamu kaupungin toimesta",
        "lampy uliczne zapalane co wieczór i gaszone co rano przez urzędników miejskich",
        "utcai lámpák amelyeket minden este meggyújtanak és minden reggel eloltanak a városban",
    ]
    listed = "\n".join(f"Liste {n}\n{line}" for n, line in enumerate(lists, 1))
    act = read(f"CONVENTION ON LAMPS\nHAVE AGREED AS FOLLOWS:\n{english}\nANNEX\n{listed}", language="en")
    assert not furniture(act, "translation")


def test_an_attached_text_in_the_same_language_is_no_translation() -> None:
    articles = "\n".join(f"Article {n}\n{line}" for n, line in enumerate(ENGLISH, 1))
    act = read(
        f"DECISION on lamps\n{TOP}HAS DECIDED AS FOLLOWS:\n{articles}\nAGREEMENT\non lamps\n{articles}", language="en"
    )
    assert not furniture(act, "translation")


@pytest.mark.data
def test_real_recommendations_and_bilingual_conventions(data: Path) -> None:
    wanted = {"32010H0572", "32013H0172", "32006H0961", "21978A1117(01)", "32013R0576"}
    acts = {}
    for split in ("train", "validation"):
        with gzip.open(data / "eur-lex-sum" / "en" / f"{split}.jsonl.gz", "rt", encoding="utf-8") as rows:
            for row in map(json.loads, rows):
                if row["celex_id"] in wanted:
                    acts[row["celex_id"]] = read(row["reference"], language="en")
    assert set(acts) == wanted
    for celex, last in (("32010H0572", 42), ("32013H0172", 22)):
        numbers = [u.number for s in acts[celex].sections if s.kind == "body" for u in s.units if u.kind == "point"]
        counted = list(dict.fromkeys(int(number) for number in numbers if number.isdigit()))
        assert counted[:last] == list(range(1, last + 1)), celex
    body = next(section for section in acts["32006H0961"].sections if section.kind == "body")
    assert body.units[0].text.startswith("HEREBY RECOMMEND") and body.units[1].id == "body.pt-1"
    assert "French" in acts["21978A1117(01)"].warnings[0]
    annex = next(section for section in acts["32013R0576"].sections if section.kind == "annex")
    assert annex.units[0].text.startswith("Dogs")
    for act in acts.values():
        assert_laws(act)


def test_articles_numbered_within_their_chapter_are_articles() -> None:
    act = read(
        "AGREEMENT ON LAMPS\nTHE PARTIES,\nConsidering that nights are dark,\nHAVE AGREED AS FOLLOWS:\n"
        "CHAPTER ONE\nOBJECTIVES\nARTICLE 1.1\nScope\nIt applies to lamps, except as Article 2.1\nprovides.\n"
        "ARTICLE 1.2\nTerms\nA lamp is a light.\n"
        "CHAPTER TWO\nDUTIES\nARTICLE 2.1\nLight\nEach Party lights its lamps.",
        language="en",
    )
    articles = [(s.number, s.heading, s.enclosing) for s in act.sections if s.kind == "article"]
    assert articles == [
        ("1.1", "Scope", ("CHAPTER ONE OBJECTIVES",)),
        ("1.2", "Terms", ("CHAPTER ONE OBJECTIVES",)),
        ("2.1", "Light", ("CHAPTER TWO DUTIES",)),
    ]
    assert act.units[-1].citation == "Article 2.1"


def test_reading_leaves_no_cycles_to_the_garbage_collector() -> None:
    text = f"{RECOMMENDATION}HAS ADOPTED THIS RECOMMENDATION:\n1. Light lamps.\n2. Clean them.\nANNEX\nLamps\n1. Oil."
    read(text, language="en")  # loads what is loaded once
    gc.collect()
    assert gc.isenabled()
    gc.disable()
    try:
        read(text, language="en")
        assert gc.collect() == 0
    finally:
        gc.enable()
