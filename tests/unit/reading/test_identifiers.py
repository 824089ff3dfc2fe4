"""What people type to name an act: CELEX numbers, numbers in 24 languages, addresses; and texts that name none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice.reading.celex import normalize_celex
from lexlattice.reading.citations.vocabulary import fold_letters
from lexlattice.reading.identifiers import MAX_CHARACTERS, act_name, identify_act
from lexlattice.reading.languages.grammar import LANGUAGES, raw

LETTERS = {"regulation": "R", "directive": "L", "decision": "D", "recommendation": "H"}


def numbers(text: str) -> list[str]:
    found = identify_act(text)
    return [act.celex for act in found.candidates] if found else []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("32016R0679", ["32016R0679"]),
        (" celex:32016r0679\n", ["32016R0679"]),
        ("02016R0679-20160504", ["02016R0679-20160504"]),
        ("12012M/TXT", ["12012M/TXT"]),
        ("Regulation 2016/679", ["32016R0679"]),
        ("REGULATION (EU) 2016/679 OF THE EUROPEAN PARLIAMENT of 27 April 2016 on data", ["32016R0679"]),
        ("Regulation (EEC) No 2913/92", ["31992R2913"]),
        ("Regulation 575/2013", ["32013R0575"]),
        ("Directive 95/46/EC", ["31995L0046"]),
        ("(EU) 2016/679 rendelet", ["32016R0679"]),
        ("Rámcové rozhodnutí 2002/584/SVV", ["32002F0584"]),
        ("2016/679", ["32016R0679", "32016L0679", "32016D0679"]),
        ("(EU) 2016 / 679", ["32016R0679", "32016L0679", "32016D0679"]),
        ("95/46", ["31995L0046", "31995D0046"]),
        ("1999/468/EC", ["31999L0468", "31999D0468"]),
        ("No 575/2013", ["32013R0575", "32013D0575"]),
        ("http://data.europa.eu/eli/reg/2016/679/oj", ["32016R0679"]),
        ("eli/dir/2019/790", ["32019L0790"]),
        ("eur-lex.europa.eu/eli/dec/2002/584", ["32002D0584"]),
        ("https://eur-lex.europa.eu/legal-content/DE/TXT/?uri=CELEX%3A32016R0679", ["32016R0679"]),
        (
            "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=OJ:L_202401689",
            ["32024R1689", "32024L1689", "32024D1689"],
        ),
    ],
)
def test_an_act_is_understood_however_it_is_named(text: str, expected: list[str]) -> None:
    assert numbers(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", "Bees", "Article 5", "1/2", "12/13/14/15", "the year 2016/679 was good", "https://example.com/a/b"],
)
def test_a_text_that_names_no_act_is_not_understood(text: str) -> None:
    assert identify_act(text) is None


def test_the_text_of_an_act_is_not_a_name() -> None:
    assert identify_act("Regulation (EU) 2016/679 " + "of " * MAX_CHARACTERS) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_for_kinds_of_acts_are_known_in_every_language(language: str) -> None:
    for kind, letter in LETTERS.items():
        word = raw(language)["types"][kind][0]
        for text in (f"{word} (EU) 2019/790", f"(EU) 2019/790 {word.upper()}"):
            found = identify_act(text)
            assert found is not None, text
            assert [(act.celex, act.kind) for act in found.candidates] == [(f"32019{letter}0790", kind)], text
            assert found.language in (language, None), text


def test_most_languages_are_recognized_by_their_word() -> None:
    texts = {language: f"{raw(language)['types']['regulation'][0]} 2019/790" for language in LANGUAGES}
    found = {language: identify_act(text) for language, text in texts.items()}
    assert sum(one is not None and one.language == language for language, one in found.items()) >= len(LANGUAGES) - 8


@given(st.sampled_from(sorted(LETTERS.values())), st.integers(1994, 2090), st.integers(1, 9999))
def test_the_name_of_an_act_leads_back_to_its_number(letter: str, year: int, number: int) -> None:
    celex = f"3{year}{letter}{number:04d}"
    assert celex in numbers(act_name(celex))
    assert numbers(fold_letters(act_name(celex)))[0] in numbers(act_name(celex))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_name_of_an_act_is_understood_in_every_language(language: str) -> None:
    for celex in ("32016R0679", "32013R0575", "32004R0139", "31985R2137", "31995L0046", "32019L0790", "32012L0027"):
        assert numbers(act_name(celex, language)) == [celex], act_name(celex, language)


@given(st.text(alphabet=st.sampled_from("CELEX:32016R0679/()- regulationdécision.eli%europa"), max_size=40))
def test_any_text_gives_numbers_in_normal_form_or_nothing(text: str) -> None:
    for number in numbers(text):
        assert number == number.upper()
        assert normalize_celex(number).act
