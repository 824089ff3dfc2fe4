"""Numbers in three alphabets and two notations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice.reading.languages.grammar import load
from lexlattice.reading.languages.numbering import CYRILLIC, canonical, from_roman, letter_value, marker, to_letters


def roman(value: int) -> str:
    pairs = zip((100, 90, 50, 40, 10, 9, 5, 4, 1), ("c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"), strict=True)
    text = ""
    for size, letters in pairs:
        text += letters * (value // size)
        value %= size
    return text


@given(st.integers(1, 399))
def test_roman_numerals_round_trip(value: int) -> None:
    assert from_roman(roman(value)) == value
    assert canonical(roman(value).upper()) == roman(value).upper()


@given(st.integers(1, 20_000))
def test_letters_round_trip(value: int) -> None:
    letters = to_letters(value)
    assert len(letters) > 2 or letter_value(letters) == value


def test_every_two_cyrillic_letters_have_a_name() -> None:
    names = {canonical(f"5{a}{b}") for a in CYRILLIC for b in CYRILLIC}
    assert len(names) == len(CYRILLIC) ** 2


def test_alphabets_give_the_same_values() -> None:
    assert [letter_value(c) for c in CYRILLIC[:4]] == [1, 2, 3, 4]
    assert [letter_value(c) for c in ("α", "ε", "στ", "ζ", "ι", "ια", "κ")] == [1, 5, 6, 7, 10, 11, 20]


@given(st.text(max_size=30))
def test_a_marker_never_reaches_past_its_line(line: str) -> None:
    line = " ".join(line.split())
    if line and (mark := marker(line)) is not None:
        assert 0 < mark.end <= len(line)
        assert mark.value or mark.roman or mark.style in ("dash", "dot", "paren", "multi")


def test_numbers_of_articles_in_all_notations() -> None:
    forms = ["5a", "5 bis", "5bis", "5 a", "5α", "5а", "5.o-A", "5.º-A", "5/A", "5-bis"]
    assert {canonical(form) for form in forms} == {"5a"}
    assert [canonical(f"5 {word}") for word in ("undecies", "duodecies", "terdecies")] == ["5j", "5k", "5l"]
    assert {canonical(form) for form in ["1", "1er", "1.o", "1o", "1 º", "1."]} == {"1"}


def test_latin_words_for_inserted_articles_follow_a_rule() -> None:
    words = (
        "octodecies",
        "vicies",
        "sexvicies",
        "septvicies",
        "octovicies",
        "tricies",
        "quinquadragies",
        "octosexagies",
    )
    assert [canonical(f"59 {word}") for word in words] == "59q 59s 59y 59z 59aa 59ac 59ar 59bo".split()
    assert canonical("29 quater bis") == "29ca"
    assert canonical("59 bis bis") == "59aa"
    assert canonical("VII quinquies") == "VIID"


def test_a_marker_may_have_any_latin_word() -> None:
    for line, number in (
        ("«2 unvicies. Texte", "2 unvicies"),
        ("3 ter bis. Texte", "3 ter bis"),
        ("«2 ter En ce cas", "2 ter"),
        ("2 ter En ce cas", None),
        ("«2 ter en ce cas", None),
        ("2 terrains.", None),
    ):
        mark = marker(line)
        assert (mark.number if mark is not None else None) == number


def test_an_o_after_a_number_is_a_letter_unless_ordinals_of_the_language_end_in_it() -> None:
    assert {language: load(language).header(line).number for language, line in _WITH_O.items()} == {  # type: ignore[union-attr]
        "en": "59o",
        "de": "59o",
        "pt": "59",
        "es": "59",
    }


_WITH_O = {"en": "Article 59o", "de": "Artikel 59o", "pt": "Artigo 59o", "es": "Artículo 59o"}


@pytest.mark.parametrize("code", ["4.A.1.", "4.A Forest land", "4.D.2.1.1"])
def test_a_code_of_digits_and_letters_is_not_a_marker(code: str) -> None:
    assert marker(code) is None
