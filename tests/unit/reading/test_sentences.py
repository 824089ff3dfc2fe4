"""Sentence boundaries, by the abbreviations and ordinals of each language."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from helpers.timing import LINEAR, growth
from lexlattice import read
from lexlattice.reading.languages.grammar import LANGUAGES, load
from lexlattice.reading.languages.sentences import sentences

CASES = """
en Hives are kept under the law. ‖ The duty is met. ‖ The keeper marks what is her. ‖ It ends.
en Ms J. Doe and J. R. Roe sit for Smith & Co. Limited. ‖ They vote.
en It applies from 2004 to Article 5. ‖ Member States agree on Part A. ‖ Bees of class B. ‖ They fly.
en Is it so? ‖ It is “so.” ‖ (This holds.) ‖ Then 5.1. ‖ It ends; Then it goes on, etc. ‖ It ends.
en Hives are free.(3) ‖ Bees stay. (12) ‖ Drones go (see Part B. It is short) away. (13)
de Am 1. Januar gilt Artikel 5. ‖ Die Bienen, z. B. Königinnen bzw. Drohnen, bleiben. ‖ Nr. L 5 gilt.
es El Sr. Pérez cita el art. 5 de la ley. ‖ Los Estados miembros velan por él. ‖ Así es.
pt O Sr. Silva cita o art. 5.º da lei. ‖ Os Estados-Membros, cf. Anexo I, agem. ‖ É um fim.
nl Volgens art. 5, blz. 3, is dit wet. ‖ De bijen, bijv. Apis, zijn er. ‖ Zo gaat het uit. ‖ Het is op.
sv Enligt t.ex. EG-rätten, jfr. Artikel 5, är det så. ‖ Bin finns här nu. ‖ De ska bort.
hu A méh, pl. Apis, a II. melléklet 5. pontja szerint él. ‖ A tagállam adja meg. ‖ Az év az. ‖ Ez is.
hu Az a VII. A. mellékletben és a II. B részben van meg. ‖ A tagállam adja meg. ‖ Ez is.
hu ii. A tagállam adja meg. ‖ A Bizottság nem.
de Es gelten die Artikel 5, 6 und 7. ‖ Die Bienen der 5. und 6. Klasse bleiben. ‖ So ist es.
pl Państwa członkowskie stosują te przepisy nie później niż od dnia 1 maja 2004 r. ‖ Komisja to bada.
lv Saskaņā ar Nr. L 5, piem. Apis, un 5. pantu tas tā ir. ‖ Bites to dara. ‖ 1997. gadā tās ir te.
mt Skont in-Nru. L 5, eż. Apis, hu hekk. ‖ L-Istati Membri jagħmlu dan. ‖ In-naħal hu hawn.
ga De réir Uimh. L 5, e.g. Apis, lch. 3, is mar sin atá. ‖ Tá na Ballstáit ann. ‖ Tá sé.
"""
"""A language, and a text with a bar wherever a sentence ends."""


def cut(text: str, language: str) -> str:
    whole = text.replace(" ‖ ", " ")
    return " ‖ ".join(whole[a:b] for a, b in sentences(whole, load(language)))


@pytest.mark.parametrize(("language", "text"), [line.split(" ", 1) for line in CASES.split("\n") if line])
def test_a_stop_ends_a_sentence_unless_it_is_part_of_an_abbreviation_or_ordinal(language: str, text: str) -> None:
    assert cut(text, language) == text


def test_every_language_lists_its_abbreviations() -> None:
    for language in LANGUAGES:
        grammar = load(language)
        assert len(grammar.abbreviations) > 5
        assert len(grammar.numbered) > 5
        for word in grammar.abbreviations | grammar.numbered | grammar.years:
            assert word == word.casefold().strip(" .")


def test_a_list_in_one_line_is_split_before_its_numbers() -> None:
    text = "Member States keep bees. ‖ 2. They mark hives. ‖ 3. The keeper pays."
    assert cut(text, "en") == text


def test_the_sentences_of_a_recital_of_short_words_are_numbered() -> None:
    text = (
        "(1) Where a keeper acts under a duty laid down by law, the ground of the act should be found in the law. "
        "This does not ask for a rule of its own for each single act that a keeper does. A law may serve for several. "
        "It should also be for that law to say what the act is for, and whom the honey is given to."
    )
    act = read(f"REGULATION 1/2099\nWhereas:\n{text}\nHAS ADOPTED THIS REGULATION:\nArticle 1\nBees are free.")
    found = [(unit.id, unit.text.split()[0]) for unit in act if unit.provision == "rec-1"]
    assert found == [("rec-1.s-1", "(1)"), ("rec-1.s-2", "This"), ("rec-1.s-3", "A"), ("rec-1.s-4", "It")]


@pytest.mark.parametrize("stops", ["a. B. ", "1. 2. ", "(A. ", ". "])
def test_many_stops_take_linear_time(stops: str) -> None:
    few, many = stops * 2_500, stops * 20_000
    assert growth(lambda: sentences(few, load("en")), lambda: sentences(many, load("en"))) < LINEAR


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_revision_and_its_number_are_one_sentence_in_every_language(language: str) -> None:
    text = "NACE Rev. 1 ABC."
    assert len(sentences(text, load(language))) == 1


@pytest.mark.data
def test_versions_of_an_act_have_the_same_number_of_sentences(data: Path) -> None:
    """Except in decisions addressed to one state, whose translations are free."""
    same = both = 0
    with gzip.open(data / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            texts = json.loads(line)["text"]
            english = read(texts["en"], language="en", sentences_from=1)
            if english.type == "decision":
                continue
            expected = Counter(unit.provision for unit in english)
            for language in texts:
                counts = Counter(unit.provision for unit in read(texts[language], language=language, sentences_from=1))
                shared = [name for name in counts if max(counts[name], expected.get(name, 0)) > 1 and name in expected]
                both += len(shared)
                same += sum(counts[name] == expected[name] for name in shared)
    assert both > 700
    assert same > 0.92 * both


@pytest.mark.parametrize(("language", "number"), [("fr", "1 bis."), ("it", "2 ter."), ("en", "1a."), ("nl", "3 bis.")])
def test_an_inserted_number_is_not_a_sentence(language: str, number: str) -> None:
    text = f"{number} Lampas lucent. Noctes manent."
    assert [text[a:b] for a, b in sentences(text, load(language))] == [f"{number} Lampas lucent.", "Noctes manent."]
