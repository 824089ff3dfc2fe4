"""Where the title of an act begins and ends, which date is the act's, and where the parties to an agreement are."""

from __future__ import annotations

import pytest

from helpers.laws import assert_laws
from lexlattice import Act, read

TEXT = "Article 1\nThe Parties shall cooperate in good faith.\nArticle 2\nThis Agreement enters into force at once."


TERMS = "HAVE AGREED AS FOLLOWS:\nArticle 1\nThe Parties light their quays."
RECITALS = [
    "RECOGNISING that their quays are dark and that ships which come by night cannot find them;",
    "DESIRING to light all quays,",
]


def agreement(*front: str) -> Act:
    act = read("\n".join([*front, *RECITALS, TERMS]), language="en")
    assert_laws(act)
    return act


def texts(act: Act, kind: str) -> list[str]:
    return [unit.text for section in act.sections if section.kind == kind for unit in section.units]


@pytest.mark.parametrize("text", ["a" * 20_000, "The Member States shall cooperate in all matters of trade. " * 800])
def test_a_line_that_is_too_long_is_no_title(text: str) -> None:
    act = read(text, language="en")
    assert act.title == ""
    assert sum(len(unit.text) for unit in act.units) >= len(text.strip()) - len(act.units)


def test_titles_of_a_thousand_characters_are_titles() -> None:
    title = "REGULATION (EU) 2019/2144 OF THE EUROPEAN PARLIAMENT AND OF THE COUNCIL repealing " + "No 12/2009, " * 90
    act = read(f"{title}and others\nTHE EUROPEAN PARLIAMENT,\nHaving regard to the Treaty,\n{TEXT}", language="en")
    assert act.title == f"{title}and others"


def test_the_name_of_an_institution_may_run_over_two_lines() -> None:
    act = read(
        "KOMMISSIONENS FORORDNING (EOEF) Nr. 2590/85\naf 13. september 1985\nom humleproducenter\n"
        "KOMMISSIONEN FOR DE EUROPAEISKE\nFAELLESSKABER HAR -\nunder henvisning til traktaten,\n"
        "UDSTEDT FOELGENDE FORORDNING:\nArtikel 1\nForordningen gaelder.",
        language="da",
    )
    assert act.title.endswith("om humleproducenter")
    assert texts(act, "preamble")[0] == "KOMMISSIONEN FOR DE EUROPAEISKE FAELLESSKABER HAR -"


@pytest.mark.parametrize(
    "party",
    [
        "THE EUROPEAN COMMUNITY (hereinafter 'the Community'), of the one part, and",
        "THE SWISS CONFEDERATION, of the other part",
        "THE EUROPEAN UNION and the GOVERNMENT OF NEW ZEALAND, hereinafter 'the Parties',",
    ],
)
def test_the_preamble_of_an_agreement_begins_with_its_parties(party: str) -> None:
    act = read(
        f"Agreement\nAGREEMENT on cooperation between the parties\n{party}\nCONSIDERING the importance of science;\n"
        f"HAVE AGREED AS FOLLOWS:\n{TEXT}",
        language="en",
    )
    assert act.title == "Agreement AGREEMENT on cooperation between the parties"
    assert texts(act, "preamble")[0] == party


def test_a_recital_that_ends_with_a_semicolon_is_not_in_the_title() -> None:
    reason = "DESIRING to improve their cooperation in the field of statistics and to define its principles;"
    act = read(f"Agreement on statistics\n{reason}\nHAVE AGREED AS FOLLOWS:\n{TEXT}", language="en")
    assert act.title == "Agreement on statistics"
    assert reason in texts(act, "preamble") + texts(act, "recitals")


def test_a_rubric_of_the_1960s_belongs_to_the_page() -> None:
    rubric = "COMMUNAUTÉ ÉCONOMIQUE EUROPÉENNE LE CONSEIL RÈGLEMENTS"
    title = "RÈGLEMENT Nº 59 DU CONSEIL portant modification du règlement nº 17"
    act = read(
        f"{rubric} {title}\nLE CONSEIL DE LA COMMUNAUTÉ ÉCONOMIQUE EUROPÉENNE,\nvu le traité,\n"
        "A ARRÊTÉ LE PRÉSENT RÈGLEMENT:\nArticle premier\nLe présent règlement entre en vigueur.",
        language="fr",
    )
    assert act.title == title
    assert [act.source[f.start : f.end] for f in act.furniture if f.kind == "page"] == [rubric]


def test_a_corrigendum_does_not_have_the_date_of_the_act_it_corrects() -> None:
    act = read(
        "Corrigendum to Regulation (EU) No 575/2013 of the European Parliament and of the Council of 26 June 2013\n"
        "On page 38, Article 19(2), point (c):\nfor:\n‘the first’,\nread:\n‘the second’.",
        language="en",
    )
    assert (act.type, act.date) == ("corrigendum", "")


def test_parties_named_in_small_letters_are_not_in_the_title() -> None:
    parties = [
        "The Union of Lighthouses, hereinafter referred to as ‘the Union’,",
        "and",
        "the Republic of Lanterna with all its quays and islands, hereinafter referred to as ‘Lanterna’,",
        "hereinafter jointly referred to as the ‘Parties’,",
    ]
    act = agreement("AGREEMENT BETWEEN THE UNION OF LIGHTHOUSES AND LANTERNA", *parties)
    assert act.title == "AGREEMENT BETWEEN THE UNION OF LIGHTHOUSES AND LANTERNA"
    assert texts(act, "preamble") == parties
    assert texts(act, "recitals") == RECITALS


def test_the_word_above_a_preamble_is_its_heading() -> None:
    act = agreement("CONVENTION", "on the lighting of quays", "PREAMBLE", "The Contracting Parties,")
    assert act.title == "CONVENTION on the lighting of quays"
    assert texts(act, "preamble") == ["The Contracting Parties,"]
    assert texts(act, "recitals") == RECITALS


def test_long_names_of_parties_are_no_recitals() -> None:
    parties = [
        "THE UNION OF LIGHTHOUSES,",
        "of the one part, and",
        "THE GOVERNMENT OF THE REPUBLIC OF LANTERNA, hereinafter referred to as ‘Lanterna’, of the other part,",
    ]
    act = agreement("AGREEMENT", "on the lighting of quays", *parties)
    assert texts(act, "preamble") == parties
    assert texts(act, "recitals") == RECITALS
