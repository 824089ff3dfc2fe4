"""Phrases: every language has all of them, complete and its own."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from difflib import SequenceMatcher
from itertools import combinations, permutations
from pathlib import Path
from string import Formatter, ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexlattice.rendering.phrases
from lexlattice.act.summary import GROUPS
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import raw
from lexlattice.rendering.phrases import SHARED, Phrases, phrases

FOLDER = Path(lexlattice.rendering.phrases.__file__).parent
PLACEHOLDERS = {"words": {"words", "total"}, "page": {"page", "pages"}, "status.repealed": {"act"}, "made": {"date"}}
NOTICES = ("ended", "empty", "cut_off")
STATUS = ("adopted", "corrigendum", "repealed", "ended")
SENTENCES = ("contents_note", "disclaimer", "reader.advice", *(f"notices.{name}" for name in NOTICES))
NAMES = re.compile(
    r"\{\w+\}|\d+R\d+|byte|CELEX|EUR-Lex|ELI|EU|HTML|XML|PDF|Word|DOCX|ZIP|OCR|JSON|MB|UTF-8|Unicode|Windows|LexLattice|lexlattice"
)
"""Names that every language writes in Latin letters, and placeholders."""
SAME_AS_IN_ENGLISH = {
    *(("fr", "date"), ("ro", "act"), ("ro", "reader.act")),
    *((language, "reader.pause") for language in ("da", "de", "fr")),
}
BETWEEN_NUMBERS = "reader.of"
IN_THE_ACT = ("reader.recitals", "reader.notes", "reader.title", "reader.preamble")
"""Names of sections, as long as the language makes them: the page cuts them to what there is room for."""
SHORT, LONGER = 16, 2.2
"""A button holds so many characters whatever they say, or so many times those it has in English."""


def entries(language: str) -> dict[str, str]:
    """Every entry of a file, those of the groups and of the web reader too, by its name."""
    found = phrases(language)
    plain = {field.name: getattr(found, field.name) for field in fields(Phrases) if field.type == "str"}
    del plain["language"]
    groups = {f"groups.{name}": heading for name, heading in found.groups.items()}
    shown = {f"{table}.{name}": text for table in ("status", "notices") for name, text in getattr(found, table).items()}
    errors = {f"errors.{name}": text for name, text in found.errors.items()}
    return plain | groups | shown | errors | {f"reader.{name}": words for name, words in found.reader.items()}


def placeholders(text: str) -> list[str]:
    """The names in braces."""
    return sorted(field for _, field, _, _ in Formatter().parse(text) if field is not None)


def test_there_is_a_file_for_each_language_and_no_other() -> None:
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_entry(language: str) -> None:
    found = tomllib.loads((FOLDER / f"{language}.toml").read_text("utf-8"))
    assert set(found) == {field.name for field in fields(Phrases)} - {"language"}
    assert tuple(found["groups"]) == GROUPS
    assert (tuple(found["status"]), tuple(found["notices"])) == (STATUS, NOTICES)
    assert phrases(language).language == language


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_entry_is_empty_or_has_blanks_around_it(language: str) -> None:
    for name, text in entries(language).items():
        assert text, name
        assert text == " ".join(text.split()), name
        assert "'" not in text, f"{name} has a typewriter's apostrophe"


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders_are_those_that_will_be_filled(language: str) -> None:
    english = entries("en")
    for name, text in entries(language).items():
        assert placeholders(text) == placeholders(english[name]), name
    assert all(placeholders(english[name]) == sorted(found) for name, found in PLACEHOLDERS.items())
    filled = phrases(language).words.format(words=417, total=8203), phrases(language).page.format(page=3, pages=12)
    assert ("417" in filled[0], "8203" in filled[0], "3" in filled[1], "12" in filled[1]) == (True,) * 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_notes_are_sentences_and_headings_are_not(language: str) -> None:
    english = entries("en")
    assert all(english[name].endswith(".") for name in SENTENCES)
    for name, text in entries(language).items():
        assert text.endswith(".") == english[name].endswith("."), name
        is_clause = name == BETWEEN_NUMBERS or name.startswith("reader.reason_")
        assert text[0].isupper() != is_clause or not text[0].isalpha(), name
    assert len(set(phrases(language).groups.values())) == len(GROUPS)


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_no_language_speaks_english(language: str) -> None:
    english = entries("en")
    same = {(language, name) for name, text in entries(language).items() if text == english[name]}
    assert same <= SAME_AS_IN_ENGLISH


def test_no_two_languages_have_the_same_sentences() -> None:
    for one, other in combinations(LANGUAGES, 2):
        for name in SENTENCES:
            assert entries(one)[name] != entries(other)[name]


@pytest.mark.parametrize("language", LANGUAGES)
def test_letters_are_those_of_the_language(language: str) -> None:
    """A letter that its alphabet lacks was typed on the wrong keyboard: ş for ș, a Latin o among Cyrillic ones."""
    texts = [NAMES.sub("", text) for text in entries(language).values()]
    used = {c for c in "".join(texts).lower() if c.isalpha()}
    own = raw(language)["letters"]
    assert used <= set(own if language in ("bg", "el") else own + ascii_lowercase)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_disclaimer_names_the_official_journal_as_acts_do(examples: Path, language: str) -> None:
    act = (examples / "short" / f"{language}.txt").read_text("utf-8")
    disclaimer = phrases(language).disclaimer
    shared = SequenceMatcher(None, act, disclaimer, autojunk=False).find_longest_match()
    assert shared.size >= len("Euroopa Liidu Teatajas")


CLOSING = ("force", "transposed", "binding", "addressed")


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_that_close_an_act_are_there_for_each_kind_in_lower_case_and_its_own_letters(language: str) -> None:
    closing = raw(language)["closing"]
    assert tuple(closing) == CLOSING
    own = raw(language)["letters"]
    for name, parts in closing.items():
        assert parts, name
        for part in parts:
            assert part == part.lower() == " ".join(part.split())
            assert {c for c in part if c.isalpha()} <= set(own if language in ("bg", "el") else own + ascii_lowercase)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_that_closes_an_act_is_part_of_another(language: str) -> None:
    parts = [part for several in raw(language)["closing"].values() for part in several]
    assert not [(one, other) for one, other in permutations(parts, 2) if one in other]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reader_has_all_its_words_no_two_the_same_and_in_the_terms_of_summaries(language: str) -> None:
    found, english = phrases(language), phrases("en")
    assert list(found.reader) == list(english.reader)
    same = [name for name in found.reader if not name.startswith(("key_", "status_", "notice_"))]
    assert len({found.reader[name] for name in same}) == len(same)
    assert [found.reader[name] for name in SHARED] == [getattr(found, name) for name in SHARED]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_readers_words_fit_where_the_english_ones_do(language: str) -> None:
    english = phrases("en").reader
    for name, words in phrases(language).reader.items():
        if name == "advice" or f"reader.{name}" in IN_THE_ACT:  # a sentence below everything else, where there is room
            continue
        assert len(words) <= max(SHORT, LONGER * len(english[name])), f"{name}: {words}"
        assert words.endswith("…") == (name == "working")


@pytest.mark.parametrize("language", LANGUAGES)
def test_sections_without_a_label_are_named_as_their_units_are_cited(language: str) -> None:
    reader, cited = phrases(language).reader, raw(language)["citation"]
    assert (reader["title"], reader["preamble"]) == (cited["title"]["final"], cited["preamble"]["final"])
    for several, one in (("recitals", "recital"), ("notes", "note")):
        stems = {word[:3] for word in reader[several].lower().split()}
        assert stems & {word[:3] for word in cited[one]["final"].lower().split()}, several


@given(st.text(max_size=8))
def test_a_language_without_phrases_gets_english_ones(language: str) -> None:
    if language not in LANGUAGES:
        assert phrases(language) is phrases("en")


def test_a_language_is_never_taken_for_a_path() -> None:
    assert phrases("../phrases/de") is phrases("en")
    assert phrases("README.md") is phrases("en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_errors_have_the_codes_and_values_of_the_english_ones_and_are_sentences(language: str) -> None:
    english, found = phrases("en").errors, phrases(language).errors
    assert list(found) == list(english)
    for code, sentence in found.items():
        names = [{field for _, field, _, _ in Formatter().parse(text) if field} for text in (sentence, english[code])]
        assert names[0] == names[1], code
        assert sentence == " ".join(sentence.split()) and sentence.endswith((".", "].")), code
        assert "'" not in sentence, code


COUNTED = {
    "cs": {1: "další bod", 2: "další body", 5: "dalších bodů", 22: "dalších bodů"},
    "fr": {1: "autre point", 4: "autres points"},
    "ga": {3: "phointe", 7: "bpointe", 30: " pointe"},
    "hr": {1: "točka", 3: "točke", 11: "točaka", 21: "točka"},
    "hu": {1: "pont]", 7: "pont]"},
    "lt": {1: "punktas", 9: "punktai", 10: "punktų", 11: "punktų", 21: "punktas"},
    "lv": {1: "punkts", 9: "punkti", 10: "punktu", 11: "punktu", 21: "punkts"},
    "mt": {1: "1 punt", 4: "4 punti", 11: "11-il punt", 20: "20 punt"},
    "pl": {1: "punkt]", 2: "punkty", 5: "punktów", 12: "punktów", 22: "punkty"},
    "ro": {1: "1 punct]", 19: "19 puncte", 20: "20 de puncte", 101: "101 puncte"},
    "sl": {1: "točka", 2: "točki", 4: "točke", 5: "točk]", 101: "točka"},
}


@pytest.mark.parametrize("language", COUNTED)
def test_points_are_counted_as_the_language_counts(language: str) -> None:
    for count, word in COUNTED[language].items():
        assert word in phrases(language).more_points(count)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_mark_has_its_number_in_brackets_and_every_form_is_used(language: str) -> None:
    found, forms = phrases(language), set[str]()
    for count in range(1, 200):
        mark = found.more_points(count)
        assert mark.startswith("[… ")
        assert mark.endswith("]")
        assert str(count) in mark
        assert mark == " ".join(mark.split())
        forms.add(mark.replace(str(count), "{count}", 1))
    assert forms == set(found.left_out["points"])
    assert list(found.left_out) == ["plural", "points", "numbers"]
    own = raw(language)["letters"]
    used = {c for form in forms for c in form.replace("{count}", "").lower() if c.isalpha()}
    assert used <= set(own if language in ("bg", "el") else own + ascii_lowercase)
