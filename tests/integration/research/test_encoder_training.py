"""The embedded encoder's training, on a data folder of made-up languages: what it reads, learns and writes."""

import gzip
import hashlib
import json
import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from lexlattice._internal.weights import read_weights
from lexlattice.encoding.static import Static
from lexlattice.encoding.subwords import Spelling
from lexlattice.errors import DataError, LexLatticeError, OptionError, OutputError
from lexlattice.reading import LANGUAGES
from lexlattice.research.encoder.lexicon import Lexicon
from lexlattice.research.encoder.measure import retrieval, retrieval_sets
from lexlattice.research.encoder.run import quantize, train_encoder, write_weights
from lexlattice.research.encoder.texts import (
    Source,
    _numbered,
    _repaired,
    held_out_acts,
    held_out_rows,
    held_out_sentences,
    modern_sentences,
    news,
    sources,
    validation_acts,
    without_near_duplicates,
)
from lexlattice.research.encoder.training import Recipe, _columns, _Trainer, train

CONCEPTS = 60
LEARNED, VALIDATED, HELD_OUT = "31990L0001", "32001R0001", [f"3199{year}D0007" for year in range(8)]
SMALL = {"steps": 30, "dimensions": 16, "vocabulary": 3000}
ALLOWED = ("EU reuse", "CC BY 2.0", "CC BY 4.0", "public domain")
JRC, VALIDATION, ACTS = "parallel/jrc-acquis", "eur-lex-sum/en/validation.jsonl.gz", "acts/en-fr.jsonl.gz"
MODERN = "acts/multi-eurlex.jsonl.gz"
RECIPE = Recipe(vocabulary=20_000, buckets=64, dimensions=32, initial="random", steps=250, batch=64)


# The made-up world: words that no two languages share, sentences that are seven of them, known by their number.


def word(concept: int, code: str) -> str:
    drawn = random.Random(f"{concept} {code}")
    latin = "".join(drawn.choice("bdfgklmnprstv") + drawn.choice("aeiou") for _ in range(4))
    return latin.translate(str.maketrans("bdfgklmnprstvaeiou", "бдфгклмнпрствaеиоу")) if code == "bg" else latin


def sentence(number: int, code: str) -> str:
    return " ".join(word(concept, code) for concept in random.Random(number).sample(range(CONCEPTS), 7))


def article(number: int, code: str) -> str:
    if number % 2:
        return f"Article {number}\n      {sentence(5000 + number, code)}\n"
    parts = [f"({part}) {sentence(5000 + 10 * number + part, code)}" for part in (1, 2)]
    return "\n".join([f"{number}. head", *parts, ""])


def write_data(folder: Path) -> Path:
    """The layout of the real folder, in small. Acts of 150 rows and more are learned from, the small ones held out."""
    acts = [LEARNED] * 300 + [VALIDATED] * 150 + [act for act in HELD_OUT for _ in range(15)]
    write_lines(folder / "parallel" / "jrc-acquis" / "acts.txt.gz", acts)
    for code in LANGUAGES:
        if code not in ("ga", "hr"):
            texts = [sentence(number, code) for number in range(len(acts))]
            write_lines(folder / "parallel" / "jrc-acquis" / f"{code}.txt.gz", texts)
        labels = {str(concept): word(concept, code) for concept in range(CONCEPTS) if code == "en" or concept % 7}
        write_text(folder / "parallel" / "eurovoc" / f"{code}.json", json.dumps(labels))
        write_text(folder / "parallel" / "udhr" / f"{code}.txt", "\n".join(article(n, code) for n in range(1, 9)))
        write_text(
            folder / "parallel" / "ntrex" / f"{code}.txt", "\n".join(sentence(n, code) for n in range(9000, 9060))
        )
    tatoeba = folder / "parallel" / "tatoeba"
    for code, name in (("eng", "en"), ("fra", "fr")):
        write_text(tatoeba / f"tatoeba.fra-eng.{code}", "\n".join(sentence(n, name) for n in range(2000, 2080)) + "\n")
    pairs = [f"eng\tgle\t{sentence(n, 'en')}\t{sentence(n, 'ga')}" for n in range(2100, 2180)]
    write_text(tatoeba / "eng-gle.test.txt", "\n".join(pairs))
    both = {"32015R0009": range(3000, 3100), VALIDATED: range(3100, 3130), HELD_OUT[0]: range(3130, 3160)}
    rows = [{"celex_id": act, "text": lines_of(numbers)} for act, numbers in both.items()]
    write_lines(folder / ACTS, [json.dumps(row) for row in rows])
    many = [code for code in LANGUAGES if code != "ga"]
    modern = [lines_of(range(7000, 7040), many), lines_of(range(7030, 7060), many)]
    write_lines(folder / MODERN, [json.dumps({"celex_id": "32020R0001", "text": text}) for text in modern])
    validation = {"celex_id": VALIDATED, "reference": sentence(3100, "en"), "summary": sentence(3101, "en")}
    write_lines(folder / VALIDATION, [json.dumps(validation)])
    return folder


def lines_of(numbers: range, languages: Sequence[str] = ("en", "fr")) -> dict[str, str]:
    return {code: "\n".join(sentence(number, code) for number in numbers) for code in languages}


def write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def write_lines(path: Path, lines: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
    torch.use_deterministic_algorithms(False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data"))


@pytest.fixture
def own(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(made, tmp_path / "data"))


class Trained:
    """One longer training, which several tests look at."""

    def __init__(self, data: Path, folder: Path) -> None:
        self.losses: list[float] = []
        self.lexicon, self.table = train(sources(data), RECIPE, lambda step, loss: self.losses.append(loss))
        self.path = folder / "trained.safetensors"
        write_weights(self.path, self.lexicon.vocabulary, self.table, RECIPE.spelling)
        self.encoder = Static(self.path)
        self.texts = [text for source in sources(data) for row in source.rows for text in row.values()]


@pytest.fixture(scope="module")
def trained(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return Trained(made, tmp_path_factory.mktemp("trained"))


@pytest.fixture(scope="module")
def written(made: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Weights and model card of a short training from end to end."""
    output = tmp_path_factory.mktemp("written") / "tiny.safetensors"
    return output, train_encoder(made, output, SMALL)


def learned_texts(data: Path) -> set[str]:
    return {text for source in sources(data) for row in source.rows for text in row.values()}


# What is read


def test_every_source_is_read_with_its_languages(made: Path) -> None:
    found = {source.name: source.rows for source in sources(made)}
    assert {name: len(rows) for name, rows in found.items()} == {
        "JRC-Acquis": 300,
        "EuroVoc": CONCEPTS,
        "Tatoeba": 160,
        "Universal Declaration of Human Rights": 8 + 4 * 2,
        "acts in English and French": 100,
    }
    assert found["JRC-Acquis"][0] == {c: sentence(0, c) for c in LANGUAGES if c not in ("ga", "hr")}
    assert set(found["EuroVoc"][0]) == {"en"} and set(found["EuroVoc"][1]) == set(LANGUAGES)
    assert {"en": sentence(2100, "en"), "ga": sentence(2100, "ga")} in found["Tatoeba"]


@pytest.mark.parametrize("kind", ["held out", "validated"])
def test_acts_that_are_kept_apart_are_never_learned_from_in_any_language(made: Path, kind: str) -> None:
    numbers = {
        "held out": [*range(450, 570), *range(3130, 3160)],
        "validated": [*range(300, 450), *range(3100, 3130)],
    }[kind]
    assert learned_texts(made).isdisjoint(sentence(number, code) for number in numbers for code in LANGUAGES)


@pytest.mark.parametrize("apart", [VALIDATED, HELD_OUT[0]])
@pytest.mark.parametrize("version", ["{}R(01)", "{}R(12)", "0{}-20160504"])
def test_other_versions_of_acts_that_are_kept_apart_are_never_learned_from(own: Path, apart: str, version: str) -> None:
    act = version.format(apart if version.startswith("{") else apart[1:])
    row = {"celex_id": act, "text": lines_of(range(3200, 3230))}
    write_lines(own / ACTS, [json.dumps(row)])
    assert learned_texts(own).isdisjoint(sentence(number, "en") for number in range(3200, 3230))


def test_what_a_validation_act_says_is_not_learned_from_another_act_either(own: Path) -> None:
    """In any language of the row, however it is spaced and whether in capitals."""
    said = "\n".join([sentence(0, "en").upper(), "  ".join(sentence(3000, "en").split()), "30 days"])
    write_lines(own / VALIDATION, [json.dumps({"celex_id": VALIDATED, "reference": said})])
    learned = learned_texts(own)
    assert learned.isdisjoint(sentence(number, code) for number in (0, 3000) for code in LANGUAGES)
    assert sentence(1, "en") in learned
    assert sentence(3001, "fr") in learned


def test_news_is_measured_with_but_never_learned_from(made: Path) -> None:
    texts = {text for row in news(made) for text in row.values()}
    assert len(news(made)) == 60 and learned_texts(made).isdisjoint(texts)


def test_the_acts_kept_apart_are_what_the_folder_says(made: Path) -> None:
    assert held_out_acts(made) == set(HELD_OUT) and validation_acts(made) == {VALIDATED}
    assert [row["en"] for row in held_out_rows(made)] == [sentence(number, "en") for number in range(450, 570)]


def test_a_held_out_sentence_that_another_act_has_too_is_not_asked_for(own: Path) -> None:
    assert len(held_out_sentences(own)) == 120
    path = own / "parallel" / "jrc-acquis" / "en.txt.gz"
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    lines[0] = lines[500]
    write_lines(path, lines[:-1])
    asked = {row["en"] for row in held_out_sentences(own)}
    assert len(asked) == 119 and lines[500] not in asked


@pytest.mark.parametrize("name", [f"{JRC}/fi.txt.gz", "parallel/udhr/fi.txt", "parallel/eurovoc/fi.json"])
def test_a_held_out_sentence_that_is_learned_in_any_language_is_not_asked_for(own: Path, name: str) -> None:
    said = sentence(500, "fi").upper()
    if name.endswith(".gz"):
        lines = gzip.decompress((own / name).read_bytes()).decode().removesuffix("\n").split("\n")
        write_lines(own / name, [said, *lines[1:]])
    else:
        write_text(own / name, json.dumps({"1": said}) if name.endswith(".json") else f"Article 1\n{said}\n")
    asked = {row["en"] for row in held_out_sentences(own)}
    assert len(asked) == 119 and sentence(500, "en") not in asked


def test_modern_law_is_asked_in_all_languages_but_irish_each_line_once(made: Path) -> None:
    rows = modern_sentences(made)
    assert rows == [{c: sentence(number, c) for c in LANGUAGES if c != "ga"} for number in range(7000, 7060)]
    assert learned_texts(made).isdisjoint(text for row in rows for text in row.values())


@pytest.mark.parametrize("how", ["a language fewer", "a line fewer", "short lines", "an empty line"])
def test_modern_acts_whose_lines_may_not_be_the_same_are_not_asked_for(own: Path, how: str) -> None:
    text = lines_of(range(7100, 7110), [code for code in LANGUAGES if code != "ga"])
    expected = [sentence(number, "en") for number in range(7100, 7110)]
    match how:
        case "a language fewer":
            del text["hr"]
            expected = []
        case "a line fewer":
            text["sv"] = text["sv"].rpartition("\n")[0]
            expected = []
        case "short lines":
            text = {code: f"Article 1 here\n{lines}" for code, lines in text.items()}
        case "an empty line":
            text["sv"] = text["sv"].removeprefix(sentence(7100, "sv"))
            expected = expected[1:]
    write_lines(own / MODERN, [json.dumps({"celex_id": "32020R0001", "text": text})])
    assert [row["en"] for row in modern_sentences(own)] == expected


def test_sentences_that_are_the_same_but_for_a_word_are_told_apart() -> None:
    first = "one two three four five six seven eight nine ten"
    near, far = first.replace("ten", "eleven"), first.replace("nine ten", "twelve thirteen")
    assert [row["en"] for row in without_near_duplicates([{"en": text} for text in (first, near, far)])] == [first, far]
    assert [row["en"] for row in without_near_duplicates([{"en": text} for text in (first, first.upper(), "ten")])] == [
        first,
        "ten",
    ]
    assert without_near_duplicates([]) == []


def test_a_near_double_in_the_law_is_asked_for_in_its_own_set_only(own: Path) -> None:
    path = own / JRC / "en.txt.gz"
    lines = gzip.decompress(path.read_bytes()).decode().removesuffix("\n").split("\n")
    shared = " ".join(word(concept, "en") for concept in range(20))
    lines[500], lines[540] = f"{shared} {word(30, 'en')}", f"{shared} {word(31, 'en')}"
    write_lines(path, lines)
    asked = {name: {row["en"] for row in rows} for name, rows in retrieval_sets(own).items()}
    assert len(asked["law"] & {lines[500], lines[540]}) == 1
    assert asked["law, near-duplicates"] >= {lines[500], lines[540]}


def test_every_set_has_its_texts(made: Path) -> None:
    found = retrieval_sets(made)
    assert {name: len(rows) for name, rows in found.items()} == {
        "law": 120,
        "law, near-duplicates": 120,
        "modern law": 60,
        "news": 60,
        "law, paragraphs": 40,
        "news, paragraphs": 20,
    }
    assert found["news, paragraphs"][1]["el"] == " ".join(sentence(number, "el") for number in range(9003, 9006))


def test_bulgarian_that_was_misread_is_mended() -> None:
    right = "Като има предвид, че Съветът прие щ ъ ь ю я"
    misread = right.encode("cp1251").decode("latin-1")
    assert misread != right and _repaired(misread, "bg") == right
    assert _repaired(right, "bg") == right
    assert _repaired(misread, "fr") == misread


@pytest.mark.parametrize(
    "text",
    [
        "- в Италия: la società per azioni;",
        "2. Форматът на формулярите е 210 × 297 mm.",
        "210 × 297",
        "× ÷",
        "Société générale",
        "",
    ],
)
def test_foreign_words_in_bulgarian_texts_stay_as_they_are(text: str) -> None:
    assert _repaired(text, "bg") == text


@pytest.mark.parametrize(
    ("text", "articles"),
    [
        ("Title\n Preamble text \n\n Article 1\n  All humans.\n", {1: ["All humans."]}),
        ("1. cikk\nMinden.\n2. cikk\nMindenki.", {1: ["Minden."], 2: ["Mindenki."]}),
        ("Άρθρο 3\nΚάθε.\n\n\nΆρθρο 4\nΚανείς.", {3: ["Κάθε."], 4: ["Κανείς."]}),
        ("Article 5\n1. Everyone has the right to a nationality.\n2. No one shall be deprived of it, ever.",
         {5: ["1. Everyone has the right to a nationality.", "2. No one shall be deprived of it, ever."]}),
        ("Член 6\nедно\nЧлен 6\nдве", {6: ["едно", "две"]}),
        ("Article 7\ntext\nArticle 31\nmore", {7: ["text", "Article 31", "more"]}),
        ("Article 8\nAdopted on 10 December 1948", {8: ["Adopted on 10 December 1948"]}),
        ("\t Članak 9. \r\n\tNitko.\r\n", {9: ["Nitko."]}),
        ("Article 10", {10: []}),
        ("No headings at all.\nNot one.", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_articles_of_the_declaration_are_told_by_their_number(text: str, articles: dict[int, list[str]]) -> None:
    assert _numbered(text) == articles


def test_paragraphs_of_the_declaration_are_rows_only_where_a_language_has_as_many_as_english(own: Path) -> None:
    path = own / "parallel" / "udhr" / "de.txt"
    path.write_text("2. head\nnur ein Absatz\n", "utf-8")
    rows = next(source.rows for source in sources(own) if source.name.startswith("Universal"))
    german = [row["de"] for row in rows if "de" in row]
    assert german == ["nur ein Absatz"]
    assert len(rows) == 8 + 4 * 2


# What cannot be read


def damaged(path: Path, how: str) -> None:
    content = path.read_bytes()
    match how:
        case "missing":
            path.unlink()
        case "a folder":
            path.unlink()
            path.mkdir()
        case "cut off":
            path.write_bytes(content[: len(content) // 2])
        case "other bytes":
            path.write_bytes(b"\xff\xfe no such file \xff")
        case "garbled":
            middle = len(content) // 2
            path.write_bytes(
                content[:middle] + bytes(byte ^ 0x55 for byte in content[middle : middle + 99]) + content[middle + 99 :]
            )
        case "fewer lines":
            write_lines(path, gzip.decompress(content).decode().split("\n")[:5])
        case "fewer pairs":
            path.write_text("\n".join(content.decode().split("\n")[:5]), "utf-8")
        case "no JSON":
            path.write_text("{", "utf-8")
        case "no JSON lines":
            write_lines(path, ["{"])
        case "a list":
            path.write_text("[]", "utf-8")
        case "other keys":
            write_lines(path, [json.dumps({"id": "x"})])
        case "no reference":
            write_lines(path, [json.dumps({"celex_id": "x"})])
        case "no object":
            write_lines(path, [json.dumps({"celex_id": "x", "text": "text"})])
        case "other languages":
            write_lines(path, [json.dumps({"celex_id": "x", "text": {"xx": "text"}})])
        case _:
            raise AssertionError(how)


@pytest.mark.parametrize(
    ("name", "how"),
    [
        (f"{JRC}/acts.txt.gz", "missing"),
        (f"{JRC}/sv.txt.gz", "missing"),
        (f"{JRC}/sv.txt.gz", "a folder"),
        (f"{JRC}/sv.txt.gz", "cut off"),
        (f"{JRC}/sv.txt.gz", "other bytes"),
        (f"{JRC}/sv.txt.gz", "garbled"),
        (f"{JRC}/sv.txt.gz", "fewer lines"),
        ("parallel/eurovoc/mt.json", "missing"),
        ("parallel/eurovoc/mt.json", "other bytes"),
        ("parallel/eurovoc/mt.json", "no JSON"),
        ("parallel/udhr/ga.txt", "missing"),
        ("parallel/tatoeba/tatoeba.fra-eng.fra", "other bytes"),
        ("parallel/tatoeba/tatoeba.fra-eng.fra", "fewer pairs"),
        (ACTS, "missing"),
        (ACTS, "no JSON lines"),
        (ACTS, "other keys"),
        (VALIDATION, "missing"),
        (VALIDATION, "cut off"),
        (VALIDATION, "other keys"),
        (VALIDATION, "no reference"),
        (ACTS, "no object"),
        (ACTS, "other languages"),
        (MODERN, "missing"),
        (MODERN, "cut off"),
        (MODERN, "no JSON lines"),
        (MODERN, "other keys"),
        (MODERN, "no object"),
        ("parallel/eurovoc/mt.json", "a list"),
        ("parallel/ntrex/en.txt", "missing"),
        ("parallel/ntrex/en.txt", "other bytes"),
        ("parallel/ntrex/sv.txt", "fewer pairs"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_named_in_one_sentence_and_nothing_is_written(
    own: Path, tmp_path: Path, name: str, how: str
) -> None:
    damaged(own / name, how)
    output = tmp_path / "out" / "weights.safetensors"
    output.parent.mkdir()
    with pytest.raises(DataError) as caught:
        train_encoder(own, output, {"steps": 1, "dimensions": 2, "vocabulary": 10})
    assert Path(name).name in str(caught.value) and "\n" not in str(caught.value)
    assert not list(output.parent.iterdir())


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": 0},
        {"steps": -5},
        {"dimensions": 0},
        {"dimensions": -2},
        {"dimensions": 15},
        {"vocabulary": 0},
        {"seed": -1},
        {"buckets": 0},
        {"initial": "nonsense"},
    ],
)
def test_a_recipe_that_cannot_be_is_refused_in_one_sentence_and_nothing_is_written(
    made: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    with pytest.raises(OptionError) as caught:
        train_encoder(made, tmp_path / "weights.safetensors", {"steps": 1, "dimensions": 2} | changes)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["nowhere/weights.safetensors", "weights.md"])
def test_a_place_that_cannot_be_written_to_is_refused_before_anything_is_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError):
        train_encoder(tmp_path / "no data either", tmp_path / name, {})


# What is learned


def test_the_loss_falls(trained: Trained) -> None:
    assert len(trained.losses) == RECIPE.steps // 10
    assert np.isfinite(trained.losses).all() and np.isfinite(trained.table).all()
    assert np.mean(trained.losses[-5:]) < 0.5 * np.mean(trained.losses[:5])


def test_translations_that_were_not_learned_from_find_each_other(made: Path, trained: Trained, tmp_path: Path) -> None:
    start, table = train(sources(made), replace(RECIPE, steps=1, rate=0.0), lambda step, loss: None)
    write_weights(tmp_path / "start.safetensors", start.vocabulary, table, RECIPE.spelling)
    rows = held_out_sentences(made)
    languages = ("en", "fr", "bg", "fi")
    before = retrieval(Static(tmp_path / "start.safetensors").encode, rows, languages)
    after = retrieval(trained.encoder.encode, rows, languages)
    assert max(before.values()) < 0.1
    assert min(after.values()) > 0.6


@pytest.mark.parametrize("initial", ["svd", "random"])
def test_both_starts_give_numbers_of_the_right_shape(made: Path, initial: str) -> None:
    recipe = replace(RECIPE, steps=2, dimensions=24, initial=initial)
    lexicon, table = train(sources(made), recipe, lambda step, loss: None)
    assert table.shape == (len(lexicon.vocabulary) + recipe.buckets, 24) and np.isfinite(table).all()


def test_company_alone_already_knows_translations(made: Path, tmp_path: Path) -> None:
    recipe = replace(RECIPE, initial="svd", steps=1, rate=0.0)
    lexicon, table = train(sources(made), recipe, lambda step, loss: None)
    write_weights(tmp_path / "company.safetensors", lexicon.vocabulary, table, recipe.spelling)
    found = retrieval(Static(tmp_path / "company.safetensors").encode, held_out_sentences(made), ("en", "fr", "bg"))
    assert min(found.values()) > 0.3


def test_no_text_stands_in_two_rows_of_a_batch() -> None:
    """Though many rows share their English, and in some it is written otherwise."""
    rows = [
        {"en": (str.upper, str.title)[number % 2](sentence(number // 4, "en")), "fr": sentence(number, "fr")}
        for number in range(80)
    ]
    texts = [text for row in rows for text in row.values()]
    lexicon = Lexicon.build(texts, Spelling(), 1000, 8)
    learner = _Trainer(lexicon, torch.zeros(1, 2), replace(RECIPE, shares=(1,)))
    for _ in range(20):
        batch = learner.sample_batch(_columns([Source("made up", "none", rows)], lexicon))
        drawn = [texts[number].lower() for number in batch.ravel()]
        assert len(batch) == 2 and batch.shape[1] > 10
        assert len(set(drawn)) == len(drawn)


def test_every_row_of_a_batch_is_in_other_languages() -> None:
    """A row that has too few of them, or whose text has no words, is left out."""
    rows = [{"en": sentence(number, "en"), "fr": "§" if number % 2 else sentence(number, "fr")} for number in range(80)]
    rows += [{"en": sentence(number, "en")} for number in range(80, 100)]
    rows += [{code: sentence(number, code) for code in LANGUAGES[:9]} for number in range(100, 200)]
    texts = [text for row in rows for text in row.values()]
    of_row = [number for number, row in enumerate(rows) for _ in row]
    lexicon = Lexicon.build(texts, Spelling(), 1000, 8)
    learner = _Trainer(lexicon, torch.zeros(1, 2), replace(RECIPE, shares=(1,), batch=200))
    for _ in range(20):
        batch = learner.sample_batch(_columns([Source("made up", "none", rows)], lexicon))
        assert len(batch) == RECIPE.languages and batch.min() >= 0
        for column in batch.T:
            assert len({of_row[number] for number in column}) == 1
            assert len(set(column.tolist())) == RECIPE.languages
        assert "§" not in [texts[number] for number in batch.ravel()]


def test_inference_in_numpy_is_what_was_trained_in_torch(trained: Trained) -> None:
    places = np.arange(0, len(trained.texts), 7)
    ours = trained.encoder.encode([trained.texts[place] for place in places])
    exact = unpacked(trained.path)
    assert np.abs(as_trained(trained, exact, places) - ours).max() < 1e-5
    cosines = (as_trained(trained, trained.table, places) * ours).sum(axis=1)
    assert cosines.min() > 0.98


def as_trained(trained: Trained, table: NDArray[np.float32], places: NDArray[np.int64]) -> NDArray[np.float32]:
    """What the trainer makes of texts when it leaves nothing out."""
    recipe = replace(RECIPE, word_dropout=0.0, subword_dropout=0.0)
    vectors, _, _ = _Trainer(trained.lexicon, torch.from_numpy(table), recipe)._encode(places)
    found: NDArray[np.float32] = vectors.detach().numpy()
    return found


def unpacked(path: Path) -> NDArray[np.float32]:
    arrays = read_weights(path).arrays
    return whole(np.asarray(arrays["numbers"]), np.asarray(arrays["scales"]))


def whole(numbers: NDArray[np.uint8], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    levels = np.concatenate([numbers % 16, numbers // 16], axis=1).astype(np.float32)
    return (levels - np.float32(7.5)) * scales.astype(np.float32)[:, None]


# What is written


@pytest.mark.slow
def test_the_same_seed_gives_the_same_numbers_in_this_process_and_in_another(
    made: Path, written: tuple[Path, Path], tmp_path: Path
) -> None:
    again, elsewhere, other = (tmp_path / f"{name}.safetensors" for name in ("again", "elsewhere", "other"))
    train_encoder(made, again, SMALL)
    options = [part for name, value in SMALL.items() for part in (f"--{name}", str(value))]
    command = [sys.executable, "-m", "lexlattice", "encoder", "train", str(made), "-o", str(elsewhere), "--quiet"]
    subprocess.run([*command, *options], check=True, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True)
    train_encoder(made, other, SMALL | {"seed": 1})
    assert again.read_bytes() == elsewhere.read_bytes() == written[0].read_bytes()
    assert again.with_suffix(".md").read_bytes() == elsewhere.with_suffix(".md").read_bytes() == written[1].read_bytes()
    assert contents(other)["numbers"] != contents(written[0])["numbers"]
    assert contents(other)["hashes"] == contents(written[0])["hashes"]


def contents(path: Path) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in read_weights(path).arrays.items()}


def test_the_same_numbers_give_the_same_file_and_so_the_same_fingerprint(tmp_path: Path) -> None:
    table = np.random.default_rng(0).standard_normal((12, 8)).astype(np.float32)
    digests = set()
    for number in range(30):
        path = tmp_path / f"{number}.safetensors"
        write_weights(path, np.arange(10, dtype=np.uint32), table, Spelling())
        digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
    assert len(digests) == 1


def test_what_was_written_loads_and_nothing_else_is_left(written: tuple[Path, Path]) -> None:
    output, card = written
    assert sorted(output.parent.iterdir()) == sorted([output, card]) and card == output.with_suffix(".md")
    encoder = Static(output)
    assert encoder.dimensions == SMALL["dimensions"]
    assert np.allclose(np.linalg.norm(encoder.encode([sentence(1, "en"), sentence(1, "el")]), axis=1), 1)


def test_the_weights_can_be_read_by_whoever_can_read_other_new_files(written: tuple[Path, Path]) -> None:
    weights, card = (stat.S_IMODE(path.stat().st_mode) for path in written)
    assert weights == card


def test_weights_that_are_there_stay_whole_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "weights.safetensors"
    arguments = np.arange(3, dtype=np.uint32), np.ones((4, 2), np.float32), Spelling()
    write_weights(path, *arguments)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises((LexLatticeError, OSError)):
        write_weights(path, *arguments)
    assert path.read_bytes() == before


def test_nothing_partial_is_left_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    path.mkdir()
    with pytest.raises(OutputError) as error:
        write_weights(path, np.arange(3, dtype=np.uint32), np.ones((4, 2), np.float32), Spelling())
    assert path.name in str(error.value)
    assert list(tmp_path.iterdir()) == [path]


def test_the_model_card_names_every_source_with_its_licence_and_has_every_language(
    made: Path, written: tuple[Path, Path]
) -> None:
    card = written[1].read_text("utf-8")
    lines = card.split("\n")
    for source in sources(made):
        languages = {code for row in source.rows for code in row}
        assert f"| {source.name} | {len(source.rows):,} | {len(languages)} | {source.licence} |" in lines
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in lines if line.startswith("| ")}
    assert set(LANGUAGES) - {"en"} <= set(rows)
    found = retrieval_sets(made)
    assert f"| into English from | {' | '.join(found)} |" in lines
    for code in set(LANGUAGES) - {"en"}:
        cells = [cell.strip(" |") != "–" for cell in rows[code].split(" | ")[1:]]
        assert cells == [all(code in row for row in texts) for texts in found.values()]
    assert f"`{Static(written[0]).fingerprint}`" in card and "steps 30" in card and "24 official languages" in card


def test_every_licence_allows_weights_to_be_passed_on(made: Path) -> None:
    for source in sources(made):
        assert all(part.startswith(ALLOWED) or part == "© European Union" for part in source.licence.split(", "))
        assert "SA" not in source.licence and "NC" not in source.licence


# Four bits a number


def test_packing_loses_little() -> None:
    table = np.random.default_rng(1).standard_normal((500, 256)).astype(np.float32)
    numbers, scales = quantize(table)
    assert numbers.shape == (500, 128) and numbers.dtype == np.uint8 and scales.dtype == np.float16
    back = whole(numbers, scales)
    assert np.linalg.norm(back - table) / np.linalg.norm(table) < 0.13
    cosines = (back * table).sum(axis=1) / np.linalg.norm(back, axis=1) / np.linalg.norm(table, axis=1)
    assert cosines.min() > 0.98


def test_the_packed_table_points_where_the_trained_one_does(trained: Trained) -> None:
    back, table = unpacked(trained.path), trained.table
    cosines = (back * table).sum(axis=1) / np.linalg.norm(back, axis=1) / np.linalg.norm(table, axis=1)
    assert cosines.min() > 0.97 and np.median(cosines) > 0.98


def test_rows_of_nothing_stay_nothing() -> None:
    table = np.random.default_rng(2).standard_normal((5, 8)).astype(np.float32)
    table[[1, 4]] = 0
    back = whole(*quantize(table))
    assert not back[[1, 4]].any() and back[[0, 2, 3]].all()


@pytest.mark.parametrize(
    ("row", "tolerance"),
    [
        ([1000.0, -1000.0, 1000.0, -1000.0], 0.01),
        ([1e-4, -1e-4, 1e-4, -1e-4], 0.05),
        ([1.0, 0.0, 0.0, 0.0], 0.2),
        ([3.0, 3.0, 3.0, 3.0], 0.01),
        ([100_000.0, -20_000.0, 60_000.0, 5_000.0], 0.1),
        ([1e-9, -1e-9, 1e-9, 1e-9], 1.01),
    ],
)
def test_extreme_rows_keep_their_numbers(row: list[float], tolerance: float) -> None:
    table = np.array([row], np.float32)
    assert np.linalg.norm(whole(*quantize(table)) - table) <= tolerance * np.linalg.norm(table)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", [1e7, np.nan])
def test_rows_that_cannot_be_packed_do_not_silently_become_nothing(value: float) -> None:
    try:
        back = whole(*quantize(np.array([[value, 1.0, -value, 1.0]], np.float32)))
    except LexLatticeError:
        return
    assert back.any()


# The real folder


@pytest.fixture(scope="module")
def real(data: Path) -> list[Source]:
    return sources(data)


@pytest.fixture(scope="module")
def asked(data: Path) -> dict[str, list[dict[str, str]]]:
    return retrieval_sets(data)


def lines_in(text: str) -> Iterator[str]:
    return (line for line in text.split("\n") if len(line.split()) > 5)


def validation_lines(data: Path) -> set[str]:
    with gzip.open(data / VALIDATION, "rt", encoding="utf-8") as rows:
        return {line for row in rows for line in lines_in(json.loads(row)["reference"])}


def lines_of_others(data: Path) -> set[str]:
    """What acts say that are not for validation: they may share a formula with one that is."""
    apart = validation_acts(data)
    with gzip.open(data / ACTS, "rt", encoding="utf-8") as rows:
        acts = [json.loads(row) for row in rows]
    found = {line for act in acts if act["celex_id"] not in apart for line in lines_in(act["text"]["en"])}
    folder = data / "parallel" / "jrc-acquis"
    names, texts = (
        gzip.decompress((folder / f"{name}.txt.gz").read_bytes()).decode().split("\n") for name in ("acts", "en")
    )
    return found | {text for name, text in zip(names, texts, strict=True) if name not in apart}


@pytest.mark.data
@pytest.mark.slow
def test_what_only_validation_acts_say_is_never_learned_from(data: Path, real: list[Source]) -> None:
    own = validation_lines(data) - lines_of_others(data)
    assert len(own) > 10_000
    assert own.isdisjoint(row["en"] for source in real for row in source.rows if "en" in row)


@pytest.mark.data
@pytest.mark.slow
def test_no_long_line_of_a_validation_act_is_learned_from(data: Path, real: list[Source]) -> None:
    long = {line for line in validation_lines(data) if len(line.split()) > 25}
    assert long.isdisjoint(row["en"] for source in real for row in source.rows if "en" in row)


@pytest.mark.data
@pytest.mark.slow
def test_no_sentence_of_law_that_is_measured_with_is_learned_from_in_any_language(
    real: list[Source], asked: dict[str, list[dict[str, str]]]
) -> None:
    rows = [row for source in real for row in source.rows[::4]]
    known = {" ".join(text.lower().split()) for row in rows for text in row.values()}
    texts = {" ".join(text.lower().split()) for row in asked["law"] for text in row.values()}
    assert len(asked["law"]) == 500
    assert len(texts) > 10_000
    assert texts.isdisjoint(known)


@pytest.mark.data
@pytest.mark.parametrize("name", ["modern law", "news"])
@pytest.mark.slow
def test_no_english_sentence_that_is_measured_with_is_learned_from(
    real: list[Source], asked: dict[str, list[dict[str, str]]], name: str
) -> None:
    texts = {row["en"] for row in asked[name]}
    assert len(texts) > 300
    assert texts.isdisjoint(row["en"] for source in real for row in source.rows if "en" in row)


@pytest.mark.data
@pytest.mark.slow
def test_the_real_sets_have_the_languages_that_they_promise(asked: dict[str, list[dict[str, str]]]) -> None:
    missing = {
        name: {code for code in LANGUAGES if any(code not in row for row in rows)} for name, rows in asked.items()
    }
    assert missing["modern law"] == {"ga"}
    assert missing["news"] == missing["news, paragraphs"] == set()
    assert missing["law"] == missing["law, paragraphs"] == {"ga", "hr"}


@pytest.mark.data
@pytest.mark.slow
def test_the_real_sources_have_all_languages_and_licences_that_allow_passing_on(real: list[Source]) -> None:
    assert {code for source in real for row in source.rows for code in row} == set(LANGUAGES)
    for source in real:
        assert source.rows and source.licence.startswith(ALLOWED)
