"""What a fluent sentence may get wrong in what it names: months, dates, bodies, numbers, references.

Each of these once passed as verified in some language. That faithful sentences go on passing is tested beside it.
"""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from helpers import RECORDED as RECORDED_FOLDER
from helpers import ROOT
from lexlattice import Act, read
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import load
from lexlattice.research.rewriting import Checker
from lexlattice.research.rewriting.tokens import Line, Phrases, lexicon, normalised

EXAMPLES = ROOT / "examples" / "short"
WORDS = json.loads(RECORDED_FOLDER.joinpath("rewriting_words.json").read_text("utf-8"))
"""Words that are not in the examples, by language."""


@cache
def act_in(language: str) -> Act:
    return read(EXAMPLES / f"{language}.txt")


def refusal(language: str, sentence: str, *provisions: str) -> str:
    return Checker(language, act_in(language).source).refusal(sentence, provisions)


def own(language: str, unit: str) -> str:
    """The first line of a provision, without its own number."""
    return re.sub(r"^\(?\d+[.)]+\s+", "", normalised(act_in(language)[unit].text.splitlines()[0]))


def replaced(language: str, text: str, phrases: Phrases, concept: str, by: str) -> str:
    """The text with other words in place of the first phrase for a concept."""
    line = Line.of(text, language)
    found = next(one for one in phrases.find(line) if one.concept == concept)
    phrase = r"\W+".join(re.escape(token.text) for token in line.tokens[found.start : found.end])
    return normalised(re.sub(rf"(?<!\w){phrase}(?!\w)", by, text, count=1))


# --- months and dates -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "sentence", "provision"),
    [
        ("bg", "Прилага се от януари 2024 г.", "Прилага се от февруари 2024 г."),
        ("cs", "Použije se v lednu 2024.", "Použije se v únoru 2024."),
        ("cs", "Použije se v červnu 2024.", "Použije se v červenci 2024."),
        ("da", "Den anvendes fra januar 2024.", "Den anvendes fra februar 2024."),
        ("de", "Sie gilt seit Anfang Januars 2024.", "Sie gilt seit Anfang Februars 2024."),
        ("el", "Εφαρμόζεται τον Ιανουάριο του 2024.", "Εφαρμόζεται τον Φεβρουάριο του 2024."),
        ("en", "It applies in january 2024.", "It applies in february 2024."),
        ("es", "Será aplicable en enero de 2024.", "Será aplicable en febrero de 2024."),
        ("et", "Määrust kohaldatakse alates 2024. aasta jaanuarist.", "Määrust kohaldatakse 2024. aasta veebruarist."),
        ("fi", "Sitä sovelletaan tammikuussa 2024.", "Sitä sovelletaan helmikuussa 2024."),
        ("fr", "Il s’applique en janvier 2024.", "Il s’applique en février 2024."),
        ("ga", "Beidh feidhm aige ó mhí Dheireadh Fómhair 2024.", "Beidh feidhm aige ó mhí Mheán Fómhair 2024."),
        ("hr", "Primjenjuje se u siječnju 2024.", "Primjenjuje se u veljači 2024."),
        ("hu", "A rendeletet 2024 januárjában alkalmazzák.", "A rendeletet 2024 februárjában alkalmazzák."),
        ("it", "Si applica nel gennaio 2024.", "Si applica nel febbraio 2024."),
        ("lt", "Jis taikomas 2024 m. sausį.", "Jis taikomas 2024 m. vasarį."),
        ("lv", "To piemēro 2024. gada janvārī.", "To piemēro 2024. gada februārī."),
        ("mt", "Japplika minn Jannar 2024.", "Japplika minn Frar 2024."),
        ("nl", "Zij is van toepassing in januari 2024.", "Zij is van toepassing in februari 2024."),
        ("pl", "Stosuje się je w styczniu 2024 r.", "Stosuje się je w lutym 2024 r."),
        ("pt", "É aplicável em janeiro de 2024.", "É aplicável em fevereiro de 2024."),
        ("ro", "Se aplică din ianuarie 2024.", "Se aplică din februarie 2024."),
        ("sk", "Uplatňuje sa v januári 2024.", "Uplatňuje sa vo februári 2024."),
        ("sl", "Uporablja se v januarju 2024.", "Uporablja se v februarju 2024."),
        ("sv", "Den tillämpas i januari 2024.", "Den tillämpas i februari 2024."),
    ],
)
def test_another_month_is_refused_in_any_case(language: str, sentence: str, provision: str) -> None:
    for end in (".", " etc."):  # a number without a word after it is refused more easily
        assert refusal(language, sentence.rstrip(".") + end, provision.rstrip(".") + end)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_month_is_known_in_the_form_that_dates_have(language: str) -> None:
    for month, number in load(language).months.items():
        found = lexicon(language).months.find(Line.of(f"1 {month} 2024", language))
        assert [one.concept for one in found] == [str(number)], month


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_date_is_not_put_together_from_two(language: str) -> None:
    text = own(language, "art-10.sub-2")
    wrong_day = re.sub(r"(?<!\d)1(?!\d)", "30", text)
    both = f"{text} {wrong_day.replace('2024', '2023')}"
    assert refusal(language, wrong_day, both)
    assert refusal(language, text.replace("2024", "2023"), both)
    assert refusal(language, wrong_day, text, wrong_day.replace("2024", "2023"))
    assert not refusal(language, text, both)


@pytest.mark.parametrize(
    "date", ["30 September 2024", "2024 September 30", "30-September-2024", "30 Sept. 2024", "September 30, 2024"]
)
def test_a_date_is_the_same_in_any_order(date: str) -> None:
    assert refusal("en", f"It applies from {date}.", "It applies from 1 September 2024 to 30 September 2023.")


def test_a_day_in_words_is_a_day() -> None:
    days = "It applies from the first of September 2024 and ends on the tenth of October 2024."
    assert refusal("en", "It applies from the tenth of September 2024.", days)
    assert not refusal("en", "It applies from the first of September 2024.", days)


def test_a_date_may_leave_out_the_day_but_not_bring_one() -> None:
    assert not refusal("en", "It applies from September 2024.", "It shall apply from 1 September 2024.")
    assert refusal("en", "It applies from 1 September 2024.", "It shall apply from September 2024.")
    assert refusal("en", "It applies from 1 September 2024.", "It shall apply each year from 1 September.")


def test_a_word_that_is_a_month_as_well_is_one_beside_a_number_only() -> None:
    assert not refusal("pl", "Znaki mają kolor.", "Te znaki powinny mieć kolor.")
    assert refusal("en", "It applies from 1 may 2024.", "It may apply from 1 June 2024.")
    assert refusal("en", "Keepers report every May.", "Keepers may report every June.")


# --- names and bodies -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "sentence", "provision"),
    [
        ("en", "Keepers inform the Court of Auditors.", "Keepers inform the Court of Justice; Auditors help keepers."),
        ("en", "Keepers inform the Council of Europe.", "Keepers inform the Council; keepers in Europe do so."),
        (
            "en",
            "Keepers inform the European Data Protection Supervisor.",
            "The European Board informs keepers on Data Protection and so does the Supervisor.",
        ),
        (
            "en",
            "Keepers inform the Standing Forestry Committee.",
            "The Standing Committee and the Forestry Board inform keepers.",
        ),
        ("en", "Keepers inform the Committee on Forests.", "The Committee informs keepers on Forests."),
        ("en", "Keepers inform the Forest Agency.", "Keepers inform the Forest. Agency staff inform keepers."),
        ("fr", "Les détenteurs informent la Cour des comptes.", "Les détenteurs informent la Cour et les comptes."),
        (
            "es",
            "Los tenedores informan al Tribunal de Cuentas.",
            "Los tenedores informan al Tribunal de Justicia y dan cuentas.",
        ),
        ("it", "I detentori informano la Corte dei conti.", "I detentori informano la Corte di giustizia."),
        ("de", "Halter melden es dem Europarat.", "Halter melden es dem Rat."),
        ("pl", "Posiadacze informują Radę Europy.", "Posiadacze informują Radę oraz organy Europy."),
        ("en", "Keepers inform europol.", "Keepers inform the authority."),
        ("fi", "Pitäjät ilmoittavat europolille.", "Pitäjät ilmoittavat viranomaiselle."),
        ("en", "Keepers inform enisa.", "Keepers inform the authority."),
        ("en", "Keepers inform the ecb.", "Keepers inform the authority."),
    ],
)
def test_a_body_is_not_put_together_from_words(language: str, sentence: str, provision: str) -> None:
    assert refusal(language, sentence, provision)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_body_in_small_letters_is_the_same_body(language: str) -> None:
    text, word = own(language, "rec-1"), WORDS[language]["council"]
    bodies = lexicon(language).bodies
    council = replaced(language, text, bodies, "commission", word)
    assert word in refusal(language, council, text)
    line = Line.of(normalised(text), language)
    (commission,) = {line.text(one.start, one.end) for one in bodies.find(line)}
    small = replaced(language, text, bodies, "commission", commission.lower())
    assert not refusal(language, small, text)


def test_letters_that_look_like_those_of_a_name_are_refused() -> None:
    assert refusal("en", "Keepers inform the c\N{CYRILLIC SMALL LETTER O}uncil.", "Keepers inform the authority.")


# --- numbers and references -------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_nought_is_a_number(language: str) -> None:
    text, word = own(language, "art-3.par-1"), WORDS[language]["nought"]
    assert word in refusal(language, text.replace("30", word), text)


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("en", "trillions"),
        ("sv", "etthundra"),
        ("sv", "tvåhundra"),
        ("da", "tohundrede"),
        ("de", "zweihundert"),
        ("nl", "tweehonderd"),
        ("it", "duecento"),
        ("fi", "kaksisataa"),
        ("hu", "kétszáz"),
    ],
)
def test_a_number_inside_a_longer_word_is_one(language: str, word: str) -> None:
    text = own(language, "art-3.par-1")
    assert word in refusal(language, text.replace("30", word), text)


@pytest.mark.parametrize(
    ("sentence", "provision"),
    [
        ("The limit is 102 units.", "The limit is 10² units."),
        ("The limit is 103 units.", "The limit is 10⁻³ units."),
        ("The limit is 101/2 units.", "The limit is 10½ units."),
        ("The limit is 102 units.", "The limit is 10₂ units."),
    ],
)
def test_a_superscript_is_not_part_of_a_number(sentence: str, provision: str) -> None:
    assert refusal("en", sentence, provision)
    assert not refusal("en", provision.replace("The", "A"), provision)


@pytest.mark.parametrize("address", ["example.eu", "europa.example.eu/bees", "Example.EU"])
def test_an_address_that_is_not_in_the_provisions_is_refused(address: str) -> None:
    assert refusal("en", f"Keepers register each beehive at {address} now.", "Keepers register each beehive.")


@pytest.mark.parametrize("language", [language for language in LANGUAGES if WORDS[language]["acts"]])
def test_the_directive_of_a_number_is_not_the_regulation_of_that_number(language: str) -> None:
    regulation, directive = WORDS[language]["acts"]
    both = f"{regulation} (EU) 2016/679, {directive} (EU) 2016/680"
    assert "2016/679" in refusal(language, f"{directive} (EU) 2016/679", both)
    assert "2016/680" in refusal(language, f"{regulation} (EU) 2016/680", both)
    assert not refusal(language, f"{directive} (EU) 2016/680", both)


def test_an_article_of_an_act_is_not_that_of_another() -> None:
    both = "Article 5 of Regulation (EU) 2016/679 and Article 6 of Directive (EU) 2016/680 apply."
    assert refusal("en", "Article 5 of Directive (EU) 2016/680 applies.", both)
    assert not refusal("en", "Article 6 of Directive (EU) 2016/680 applies.", both)


def test_in_hungarian_the_kind_follows_the_number() -> None:
    both = "az (EU) 2016/679 rendelet és az (EU) 2016/680 irányelv"
    assert refusal("hu", "az (EU) 2016/679 irányelv", both)
    assert refusal("hu", "az (EU) 2016/680 rendelet", both)
    assert not refusal("hu", "az (EU) 2016/680 irányelv", both)
