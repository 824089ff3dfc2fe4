"""What the decoder knows of each language: how sentences point back, lists are joined, and paragraphs are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexlattice import read
from lexlattice.reading import LANGUAGES
from lexlattice.selection.wording import selection_wording

BACK = {
    "bg": "Тези мерки се прилагат без забавяне.",
    "cs": "Tato opatření se použijí neprodleně.",
    "da": "Disse foranstaltninger anvendes straks.",
    "de": "Diese Maßnahmen gelten unverzüglich.",
    "el": "Τα μέτρα αυτά εφαρμόζονται αμελλητί.",
    "en": "Those measures shall apply without delay.",
    "es": "Dichas medidas se aplicarán sin demora.",
    "et": "Neid meetmeid kohaldatakse viivitamata.",
    "fi": "Näitä toimenpiteitä sovelletaan viipymättä.",
    "fr": "Ces mesures s’appliquent sans délai.",
    "ga": "Beidh feidhm ag na bearta sin gan mhoill.",
    "hr": "Te se mjere primjenjuju bez odgode.",
    "hu": "Ezeket az intézkedéseket haladéktalanul alkalmazni kell.",
    "it": "Tali misure si applicano senza indugio.",
    "lt": "Šios priemonės taikomos nedelsiant.",
    "lv": "Šos pasākumus piemēro nekavējoties.",
    "mt": "Dawk il-miżuri għandhom japplikaw mingħajr dewmien.",
    "nl": "Die maatregelen gelden onverwijld.",
    "pl": "Te środki stosuje się niezwłocznie.",
    "pt": "Essas medidas são aplicáveis sem demora.",
    "ro": "Aceste măsuri se aplică fără întârziere.",
    "sk": "Tieto opatrenia sa uplatňujú bezodkladne.",
    "sl": "Ti ukrepi se uporabljajo brez odlašanja.",
    "sv": "Dessa åtgärder ska tillämpas utan dröjsmål.",
}
PARAGRAPH = {
    "bg": "Мерките по параграф 2 се прилагат.",
    "cs": "Opatření podle odstavce 2 se použijí.",
    "da": "Foranstaltningerne i stk. 2 anvendes.",
    "de": "Die Maßnahmen nach Absatz 2 gelten.",
    "el": "Τα μέτρα της παραγράφου 2 εφαρμόζονται.",
    "en": "The measures referred to in paragraph 2 shall apply.",
    "es": "Se aplicarán las medidas del apartado 2.",
    "et": "Kohaldatakse lõikes 2 osutatud meetmeid.",
    "fi": "Edellä 2 kohdassa tarkoitettuja toimenpiteitä sovelletaan.",
    "fr": "Les mesures visées au paragraphe 2 s’appliquent.",
    "ga": "Beidh feidhm ag na bearta dá dtagraítear i mír 2.",
    "hr": "Primjenjuju se mjere iz stavka 2.",
    "hu": "A (2) bekezdésben említett intézkedéseket alkalmazni kell.",
    "it": "Si applicano le misure di cui al paragrafo 2.",
    "lt": "Taikomos 2 dalyje nurodytos priemonės.",
    "lv": "Piemēro 2. punktā minētos pasākumus.",
    "mt": "Għandhom japplikaw il-miżuri msemmija fil-paragrafu 2.",
    "nl": "De in lid 2 bedoelde maatregelen gelden.",
    "pl": "Stosuje się środki, o których mowa w ust. 2.",
    "pt": "São aplicáveis as medidas referidas no n.º 2.",
    "ro": "Se aplică măsurile menționate la alineatul (2).",
    "sk": "Uplatňujú sa opatrenia uvedené v odseku 2.",
    "sl": "Uporabljajo se ukrepi iz odstavka 2.",
    "sv": "De åtgärder som avses i punkt 2 ska tillämpas.",
}
REPEALED = {
    "de": "Die Richtlinie 2001/5/EG wird aufgehoben.",
    "en": "Directive 2001/5/EC is repealed.",
    "fr": "La directive 2001/5/CE est abrogée.",
    "pl": "Dyrektywa 2001/5/WE traci moc.",
    "sv": "Direktiv 2001/5/EG ska upphöra att gälla.",
}
SCOPE = {"de": "Anwendungsbereich", "el": "Πεδίο εφαρμογής", "en": "Subject matter and scope", "hu": "Tárgy és hatály"}


def test_every_language_has_its_examples_here() -> None:
    assert set(BACK) == set(PARAGRAPH) == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_begins_with_those_measures_points_back(language: str) -> None:
    words = selection_wording(language)
    assert words.points_back(BACK[language])
    assert words.points_back(f"2. {BACK[language]}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_that_begins_with_the_act_itself_does_not(language: str, examples: Path) -> None:
    act = read(examples / "short" / f"{language}.txt", language=language)
    assert not selection_wording(language).points_back(act["art-1.par-1"].text)
    assert not selection_wording(language).points_back(act["art-10"].text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_paragraph_is_named_in_every_language(language: str) -> None:
    assert [*selection_wording(language).paragraphs(PARAGRAPH[language])] == ["2"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "gemäß Artikel 5 Absatz 2"),
        ("en", "in accordance with paragraph 2 of Article 5"),
        ("es", "en el artículo 5, apartado 2"),
        ("fr", "au paragraphe 2 de l’article 5"),
        ("hu", "az 5. cikk (2) bekezdésében"),
        ("lt", "5 straipsnio 2 dalyje"),
        ("pl", "w art. 5 ust. 2"),
    ],
)
def test_a_paragraph_of_another_article_is_not_meant(language: str, text: str) -> None:
    assert not [*selection_wording(language).paragraphs(text)]


@pytest.mark.parametrize(
    ("language", "both", "either"),
    [
        ("bg", "и", "или"),
        ("de", "und", "oder"),
        ("el", "και", "ή"),
        ("en", "and", "or"),
        ("fi", "ja", "tai"),
        ("fr", "et", "ou"),
        ("ga", "agus", "nó"),
        ("pl", "oraz", "lub"),
    ],
)
def test_what_joins_the_last_point_says_whether_all_are_meant(language: str, both: str, either: str) -> None:
    words = selection_wording(language)
    assert words.joins(f"(b) xxxx; {both}", "(c) xxxx.")
    assert words.joins("(b) xxxx;", f"(c) {both} xxxx.")
    assert not words.joins(f"(b) xxxx; {either}", "(c) xxxx.")
    assert not words.joins("(b) xxxx;", "(c) xxxx.")


@pytest.mark.parametrize("language", REPEALED)
def test_what_is_repealed_is_said_so(language: str) -> None:
    assert selection_wording(language).repeals(REPEALED[language])
    assert not selection_wording(language).repeals(BACK[language])


@pytest.mark.parametrize("language", SCOPE)
def test_a_heading_may_be_about_scope(language: str) -> None:
    assert selection_wording(language).heads_scope(SCOPE[language])
    assert not selection_wording("hu").heads_scope("Hatálybalépés")


def test_a_language_without_a_file_is_read_as_english() -> None:
    assert selection_wording("xx").points_back("Those measures shall apply.")
