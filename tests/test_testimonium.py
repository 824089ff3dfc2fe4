"""Where an agreement is signed in many languages, its last article ends."""

from __future__ import annotations

from laws import assert_laws
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
