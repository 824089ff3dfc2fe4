"""What the decoder knows of each language: how sentences point back, lists are joined, and paragraphs are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexlattice import read
from lexlattice.reading import LANGUAGES
from lexlattice.selection.vocabulary import selection_wording

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
SEVERAL = {
    "bg": ("параграфи 1 и 2", "параграфи 1, 2 и 4", "параграфи 1—4"),
    "cs": ("odstavce 1 a 2", "odstavců 1, 2 a 4", "odstavce 1 až 4"),
    "da": ("stk. 1 og 2", "stk. 1, 2 eller 4", "stk. 1-4"),
    "de": ("Die Absätze 1 und 2", "der Absätze 1, 2 und 4", "Absätze 1 bis 4"),
    "el": ("οι παράγραφοι 1 και 2", "των παραγράφων 1, 2 και 4", "παράγραφοι 1 έως 4"),
    "en": ("Paragraphs 1 and 2 shall not apply", "paragraphs 1, 2 and 4", "paragraphs 1 to 4"),
    "es": ("los apartados 1 y 2", "apartados 1, 2 y 4", "apartados 1 a 4"),
    "et": ("lõikeid 1 ja 2", "lõigetes 1, 2 ja 4", "lõigetes 1–4"),
    "fi": ("Edellä 1 ja 2 kohdassa", "Edellä 1, 2 tai 4 kohdassa", "Edellä 1–4 kohdassa"),
    "fr": ("les paragraphes 1 et 2", "des paragraphes 1, 2 et 4", "paragraphes 1 à 4"),
    "ga": ("míreanna 1 agus 2", "míreanna 1, 2 agus 4", "míreanna 1 go 4"),
    "hr": ("stavci 1. i 2.", "stavcima 1., 2. i 4.", "stavci od 1. do 4."),
    "hu": ("az (1) és a (2) bekezdés", "az (1), (2) és (4) bekezdésben", "Az (1)–(4) bekezdés"),
    "it": ("i paragrafi 1 e 2", "paragrafi 1, 2 e 4", "paragrafi da 1 a 4"),
    "lt": ("1 ir 2 dalyse", "1, 2 ir 4 dalys", "1–4 dalyse"),
    "lv": ("1. un 2. punktā", "1., 2. un 4. punktu", "1.–4. punktā"),
    "mt": ("il-paragrafi 1 u 2", "il-paragrafi 1, 2 u 4", "paragrafi 1 sa 4"),
    "nl": ("de leden 1 en 2", "de leden 1, 2 en 4", "leden 1 tot en met 4"),
    "pl": ("w ust. 1 i 2", "ustępów 1, 2 i 4", "ust. 1–4"),
    "pt": ("os n.os 1 e 2", "nos n.os 1, 2 e 4", "n.os 1 a 4"),
    "ro": ("alineatele (1) și (2)", "alineatele (1), (2) și (4)", "alineatele (1)-(4)"),
    "sk": ("odseky 1 a 2", "odsekov 1, 2 a 4", "odsekoch 1 až 4"),
    "sl": ("odstavka 1 in 2", "odstavkov 1, 2 in 4", "odstavki 1 do 4"),
    "sv": ("punkterna 1 och 2", "punkterna 1, 2 och 4", "punkterna 1–4"),
}
SUBPARAGRAPH = {
    "bg": ("Първа алинея не се прилага.", "първа и втора алинея"),
    "cs": ("První pododstavec se nepoužije.", "první a druhý pododstavec"),
    "da": ("Første afsnit finder ikke anvendelse.", "første og andet afsnit"),
    "de": ("Unterabsatz 1 gilt nicht.", "die Unterabsätze 1 und 2"),
    "el": ("Το πρώτο εδάφιο δεν εφαρμόζεται.", "στο πρώτο και δεύτερο εδάφιο"),
    "en": ("The first subparagraph shall not apply.", "the first and second subparagraphs"),
    "es": ("El párrafo primero no se aplicará.", "los párrafos primero y segundo"),
    "et": ("Esimest lõiku ei kohaldata.", "esimeses ja teises lõigus"),
    "fi": ("Ensimmäistä alakohtaa ei sovelleta.", "ensimmäisessä ja toisessa alakohdassa"),
    "fr": ("Le premier alinéa ne s’applique pas.", "les premier et deuxième alinéas"),
    "ga": ("Ní bheidh feidhm ag an gcéad fhomhír.", "sa chéad agus sa dara fomhír"),
    "hr": ("Prvi podstavak ne primjenjuje se.", "prvi i drugi podstavak"),
    "hu": ("Az első albekezdés nem alkalmazandó.", "az első és a második albekezdés"),
    "it": ("Il primo comma non si applica.", "al primo e secondo comma"),
    "lt": ("Pirma pastraipa netaikoma.", "pirmoje ir antroje pastraipose"),
    "lv": ("Pirmo daļu nepiemēro.", "pirmajā un otrajā daļā"),
    "mt": ("L-ewwel subparagrafu ma għandux japplika.", "l-ewwel u t-tieni subparagrafi"),
    "nl": ("De eerste alinea is niet van toepassing.", "de eerste en de tweede alinea"),
    "pl": ("Akapit pierwszy nie ma zastosowania.", "akapit pierwszy i drugi"),
    "pt": ("O primeiro parágrafo não é aplicável.", "o primeiro e segundo parágrafos"),
    "ro": ("Primul paragraf nu se aplică.", "primul și al doilea paragraf"),
    "sk": ("Prvý pododsek sa neuplatňuje.", "prvý a druhý pododsek"),
    "sl": ("Prvi pododstavek se ne uporablja.", "prvi in drugi pododstavek"),
    "sv": ("Första stycket ska inte tillämpas.", "första och andra styckena"),
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
    assert set(BACK) == set(PARAGRAPH) == set(SEVERAL) == set(SUBPARAGRAPH) == set(LANGUAGES)


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
        ("de", "nach § 5 Absatz 2"),
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


@pytest.mark.parametrize("language", SEVERAL)
def test_every_paragraph_of_several_is_named(language: str) -> None:
    two, three, span = SEVERAL[language]
    words = selection_wording(language)
    assert [*words.paragraphs(two)] == ["1", "2"]
    assert [*words.paragraphs(three)] == ["1", "2", "4"]
    assert [*words.paragraphs(span)] == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("paragraphs 1, 2 and 4 to 6", ["1", "2", "4", "5", "6"]),
        ("paragraphs 1 to 3, 5 and 7", ["1", "2", "3", "5", "7"]),
        ("paragraphs 1(a) and 2(b)", ["1", "2"]),
        ("paragraph 1 and 30/2019", ["1"]),
        ("paragraphs 3a and 4", ["3a", "4"]),
        ("paragraphs 1 and 2 of Article 5", []),
        ("paragraph 1, 2 members", ["1"]),
        ("paragraph 1 to 180 days", ["1", "180"]),
    ],
)
def test_numbers_go_on_as_far_as_they_are_joined(text: str, numbers: list[str]) -> None:
    assert [*selection_wording("en").paragraphs(text)] == numbers


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("fi", "5 artiklan 1 ja 2 kohdassa"),
        ("lt", "5 straipsnio 1 ir 2 dalyse"),
        ("hu", "az 5. cikk (1)–(3) bekezdése"),
    ],
)
def test_several_paragraphs_of_another_article_are_not_meant(language: str, text: str) -> None:
    assert not [*selection_wording(language).paragraphs(text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_subparagraph_is_named_in_every_language(language: str) -> None:
    first, both = SUBPARAGRAPH[language]
    words = selection_wording(language)
    assert [*words.subparagraphs(first, has_numbers=True)] == [1]
    assert [*words.subparagraphs(both, has_numbers=True)] == [1, 2]
    assert not [*words.paragraphs(first)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "nach Artikel 5 Absatz 2 Unterabsatz 1"),
        ("en", "the first subparagraph of Article 5(3)"),
        ("en", "Article 5(3), first subparagraph"),
        ("en", "the second subparagraph of paragraph 4"),
        ("es", "en el apartado 3, párrafo primero"),
        ("fi", "5 artiklan 2 kohdan ensimmäisessä alakohdassa"),
        ("fi", "b alakohdan ensimmäisessä luetelmakohdassa"),
        ("fr", "au paragraphe 2, premier alinéa"),
        ("sv", "i artikel 5.2 första stycket"),
        ("pl", "w art. 5 ust. 2 akapit pierwszy"),
    ],
)
def test_a_subparagraph_of_another_paragraph_is_not_meant(language: str, text: str) -> None:
    assert not [*selection_wording(language).subparagraphs(text, has_numbers=True)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("da", "Stk. 1 finder ikke anvendelse."),
        ("de", "Absatz 1 gilt nicht."),
        ("en", "The first paragraph shall not apply."),
        ("fr", "Le premier alinéa ne s’applique pas."),
        ("hu", "Az első bekezdés nem alkalmazandó."),
    ],
)
def test_paragraphs_without_numbers_are_named_in_their_own_way(language: str, text: str) -> None:
    assert [*selection_wording(language).subparagraphs(text, has_numbers=False)] == [1]


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
