"""What a fluent sentence may get wrong in small words: negations, "only", modal verbs, periods, bounds."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from test_rewriting_holes import WORDS, own, refusal, replaced

import lexlattice.research.rewriting
from lexlattice.reading import LANGUAGES
from lexlattice.research.rewriting.tokens import lexicon

DATA = Path(lexlattice.research.rewriting.__file__).parent


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_negation_is_neither_added_nor_left_out(language: str) -> None:
    denied = own(language, "art-1.par-2")
    affirmed = WORDS[language]["affirmed"]
    assert "does not stand so" in refusal(language, denied, affirmed)
    assert "(negation)" in refusal(language, affirmed, denied)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_permission_is_neither_added_nor_left_out(language: str) -> None:
    may = own(language, "art-3.par-2.sub-2")
    plain = replaced(language, may, lexicon(language).claims, "may", "")
    assert "does not stand so" in refusal(language, may, plain)
    assert "(may)" in refusal(language, plain, may)


@pytest.mark.parametrize(
    ("language", "sentence", "provision"),
    [
        ("en", "Keepers must register beehives.", "Keepers may register beehives."),
        ("en", "Keepers must register beehives.", "Keepers should register beehives."),
        ("en", "Keepers are required to register beehives.", "Keepers may register beehives."),
        ("de", "Halter müssen Bienenstöcke registrieren.", "Halter können Bienenstöcke registrieren."),
        ("fr", "Les détenteurs doivent enregistrer les ruches.", "Les détenteurs peuvent enregistrer les ruches."),
        ("pl", "Posiadacze muszą rejestrować ule.", "Posiadacze mogą rejestrować ule."),
        ("bg", "Стопаните трябва да регистрират кошери.", "Стопаните могат да регистрират кошери."),
        ("hu", "A tartóknak jelenteniük kell.", "A tartók jelenthetnek."),
    ],
)
def test_a_permission_does_not_support_an_obligation(language: str, sentence: str, provision: str) -> None:
    assert refusal(language, sentence, provision)


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"fr", "ga"}))  # these say "not but" there
def test_a_restriction_is_neither_added_nor_left_out(language: str) -> None:
    only = own(language, "art-7.par-1")
    open_to_all = replaced(language, only, lexicon(language).claims, "only", "")
    assert "does not stand so" in refusal(language, only, open_to_all)
    assert "(only)" in refusal(language, open_to_all, only)


def test_an_obligation_does_not_support_a_prohibition() -> None:
    assert refusal("en", "Registration is prohibited for beehives.", "Registration is required for beehives.")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_period_is_not_another(language: str) -> None:
    text, word = own(language, "art-6"), WORDS[language]["monthly"]
    assert word in refusal(language, replaced(language, text, lexicon(language).claims, "year", word), text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bound_is_not_another(language: str) -> None:
    text, word = own(language, "rec-5"), WORDS[language]["at most"]
    other = replaced(language, text, lexicon(language).claims, "at_least", word)
    assert refusal(language, other, text)
    assert refusal(language, text, other)


@pytest.mark.parametrize(
    ("sentence", "provision"),
    [
        ("It lasts at least 10 years.", "It lasts at least 5 years and at most 10 years."),
        ("It lasts 5 years.", "It lasts at least 5 years."),
        ("It lasts at least 5 years.", "It lasts 5 years and costs at least 2 euros."),
        ("It ends no earlier than 5 days after.", "It ends no later than 5 days after."),
        ("It ends at the earliest after 5 days.", "It ends at the latest after 5 days."),
        ("It lasts more than 5 years.", "It lasts not more than 5 years."),
        ("Keepers report once a month.", "Keepers report once a year."),
    ],
)
def test_a_bound_stays_with_its_number(sentence: str, provision: str) -> None:
    assert refusal("en", sentence, provision)


# --- the data ---------------------------------------------------------------------------------------------


def test_every_language_has_words_of_every_kind() -> None:
    data = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in DATA.glob("*.toml")}
    claims = data["claims"]
    assert set(claims) == set(LANGUAGES)
    assert all(set(words) == set(claims["en"]) and all(words.values()) for words in claims.values())
    assert all(len(data["months"][language]) == 12 for language in LANGUAGES)
    for kind in ("bodies", "acts"):
        tables = {name: table for name, table in data[kind].items() if isinstance(table, dict) and name != "agencies"}
        assert all(set(table) == set(LANGUAGES) for table in tables.values())
