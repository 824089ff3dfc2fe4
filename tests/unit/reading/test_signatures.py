"""The last article of an agreement ends where it is signed in many languages."""

from __future__ import annotations

from helpers.laws import assert_laws
from lexlattice import Act, read

ARTICLES = "Article 1\nThe Parties light their quays.\nArticle 2\nThis Agreement is drawn up in six languages."
DONE = [
    "Hecho en Lanterna, el dos de mayo de dos mil seis.",
    "Lanternas, divi tūkstoši sestā gada maijā.",
    "Geschehen zu Lanterna am zweiten Mai zweitausendsechs.",
    "Done at Lanterna on the second day of May in the year two thousand and six.",
    "Fait à Lanterna, le deux mai deux mille six.",
    "Fatto a Lanterna, addì due maggio duemilasei.",
]
SIGNED = ["Por la Comunidad de Faros", "Für die Gemeinschaft der Leuchttürme", "For the Community of Lighthouses"]


def agreement(*lines: str) -> Act:
    act = read("\n".join(["AGREEMENT ON QUAYS", "HAVE AGREED AS FOLLOWS:", ARTICLES, *lines]), language="en")
    assert_laws(act)
    return act


def test_signatures_in_many_languages_are_no_paragraphs_of_the_last_article() -> None:
    act = agreement(*DONE, *SIGNED, "ANNEX", "Each lantern is lit at dusk.")
    assert [unit.id for unit in act.units if unit.id.startswith("art-2")] == ["art-2"]
    assert [act.source[x.start : x.end] for x in act.furniture if x.kind == "signature"] == [
        "\n".join([*DONE, *SIGNED])
    ]
    assert act.units[-1].citation == "Annex"


def test_an_act_that_quotes_a_closing_formula_or_two_is_not_signed_there() -> None:
    quoted = ["Done at night, the lighting of quays costs more.", "Fait à Lanterna is written on each lantern."]
    act = agreement(*quoted)
    assert act.units[-1].text == quoted[-1]


FOR_WHOM = [
    "Voor het Koninkrijk Lanterna",
    "Pour le Royaume de Lanterna",
    "Für das Königreich Lanterna",
    "Deze handtekening verbindt eveneens de Gemeenschap van de Vuurtorens, de Gemeenschap van de Kaden en alle.",
    "За Република Лантерна",
    "Za Lanternskou republiku",
    "Por el Reino de Lanterna",
    "Per la Repubblica di Lanterna",
    "Lanternas Republikas vārdā –",
]


def test_signatories_of_an_agreement_are_no_paragraphs_of_its_last_article() -> None:
    act = agreement(*FOR_WHOM, "ANNEX", "Each lantern is lit at dusk.")
    assert [unit.id for unit in act.units if unit.id.startswith("art-2")] == ["art-2"]
    assert [x.kind for x in act.furniture][-2:] == ["signature", "heading"]


def test_a_date_in_words_closes_an_act_if_a_signature_is_below_it() -> None:
    done = "Done at Lanterna on the second day of May in the year two thousand and six."
    act = agreement(done, "For the Community of Lighthouses")
    assert [act.source[x.start : x.end] for x in act.furniture if x.kind == "signature"] == [
        f"{done}\nFor the Community of Lighthouses"
    ]


def test_a_declaration_below_the_signatures_is_an_attached_text() -> None:
    declared = "The Parties declare that they will light the quays of all their islands as well."
    act = agreement("Done at Lanterna, 2 May 2006.", "For the Union", "JOINT DECLARATION", "on islands", declared)
    assert act.units[-1].text == declared
    assert act.sections[-1].label == "JOINT DECLARATION"
    assert act.units[-1].citation.startswith("Attached text 1")


def test_a_protocol_between_two_rows_of_signatures_is_read() -> None:
    act = agreement(*FOR_WHOM, "PROTOCOL", "The Parties light their islands too.", *FOR_WHOM)
    assert act.units[-1].text == "The Parties light their islands too."
