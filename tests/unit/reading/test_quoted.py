"""Quoted paragraphs are paragraphs in every language."""

from __future__ import annotations

import pytest

from lexlattice import Act, read

ENGLISH = """COUNCIL REGULATION (EC) No 12/2003
of 3 May 2003
on something
THE COUNCIL OF THE EUROPEAN UNION,
Having regard to the Treaty,
Whereas:
(1) It is so.
HAS ADOPTED THIS REGULATION:
Article 1
Regulation (EC) No 5/1999 is amended as follows:
"""
FRENCH = """RÈGLEMENT (CE) No 12/2003 DU CONSEIL
du 3 mai 2003
concernant les abeilles
LE CONSEIL DE L'UNION EUROPÉENNE,
vu le traité,
considérant ce qui suit:
(1) Il en est ainsi.
A ADOPTÉ LE PRÉSENT RÈGLEMENT:
Article premier
Le règlement (CE) no 5/1999 est modifié comme suit:
"""
GERMAN = """VERORDNUNG (EG) Nr. 12/2003 DES RATES
vom 3. Mai 2003
über Bienen
DER RAT DER EUROPÄISCHEN UNION —
gestützt auf den Vertrag,
in Erwägung nachstehender Gründe:
(1) So ist es.
HAT FOLGENDE VERORDNUNG ERLASSEN:
Artikel 1
Die Verordnung (EG) Nr. 5/1999 wird wie folgt geändert:
"""


def quoted(act: Act) -> dict[str, str]:
    return {unit.id: unit.citation for unit in act.units if ".q" in unit.id}


@pytest.mark.parametrize(
    ("language", "text", "citation"),
    [
        (
            "en",
            f"{ENGLISH}(1) in Article 5, paragraph 2 is replaced by the following:\n‘2. Bees fly:\n(a) far;’;\n"
            "(2) in Article 6, the second sentence is deleted.",
            "Article 1, point (1), quoted text, paragraph 2",
        ),
        (
            "fr",
            f"{FRENCH}1) à l’article 5, le paragraphe 2 est remplacé comme suit:\n«2. Elles volent:\na) loin;»;\n"
            "2) à l’article 6, la deuxième phrase est supprimée.",
            "Article 1er, point 1), texte cité, paragraphe 2",
        ),
        (
            "de",
            f"{GERMAN}1. Artikel 5 Absatz 2 erhält folgende Fassung:\n„(2) Bienen fliegen:\na) weit;“\n"
            "2. In Artikel 6 wird der zweite Satz gestrichen.",
            "Artikel 1 Nummer 1, zitierter Text Absatz 2",
        ),
    ],
)
def test_a_quoted_paragraph_has_the_same_id_in_all_languages(language: str, text: str, citation: str) -> None:
    units = quoted(read(text, language=language))
    assert list(units) == ["art-1.pt-1.q.par-2", "art-1.pt-1.q.par-2.pt-a"]
    assert units["art-1.pt-1.q.par-2"] == citation


def test_an_article_with_a_number_in_brackets_names_a_paragraph() -> None:
    act = read(
        f"{ENGLISH}(1) Article 5(2) is replaced by the following:\n‘2. Bees fly.’;\n(2) that is all.", language="en"
    )
    assert list(quoted(act)) == ["art-1.pt-1.q.par-2"]


def test_quoted_points_stay_points() -> None:
    point = "(1) in paragraph 1 of Article 2, point 5 is replaced by the following:\n‘5. “bee” means an insect.’;"
    annex = "(2) in the Annex, the following is added:\n‘5. Bees fly.’."
    act = read(f"{ENGLISH}{point}\n{annex}", language="en")
    assert list(quoted(act)) == ["art-1.pt-1.q.pt-5", "art-1.pt-2.q.pt-5"]
