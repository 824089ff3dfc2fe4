"""Reading loses nothing, invents nothing and keeps the order: for examples, random input and real acts."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.laws import assert_laws, letters
from lexlattice import LexLatticeError, read
from lexlattice.reading import LANGUAGES

PIECES = (
    """
Article 1|Article 2|Article 3a|‘Article 7|Article premier|ANNEX|ANNEX II|CHAPTER I|TITLE II|Section 2|TABLE|Whereas:
x|«|€|(1)|(2)|(a)|(i)|1.|1.1.|—|- a|and|;|’.|a) b) c)|12 345,6|2. The Commission shall|A short heading|For the Council
(1) OJ L 1, 1.1.2001, p. 1.|HAS ADOPTED THIS REGULATION:|Having regard to the Treaty,|Done at Brussels, 1 May 2001.
THE COUNCIL OF THE EUROPEAN UNION,|Official Journal of the European Union|COUNCIL REGULATION (EC) No 1/2001
A sentence that ends here. Another one follows it.
""".strip()
    .replace("\n", "|")
    .split("|")
)
PIECES += ["|", "1 234,5 | 7 |", "\u00a0"]
scraps = st.one_of(st.sampled_from(PIECES), st.text(max_size=40))


@given(st.lists(scraps, min_size=1, max_size=40), st.sampled_from(LANGUAGES), st.sampled_from(["provisions", "paper"]))
def test_random_lines_are_read_without_loss(lines: list[str], language: str, profile: str) -> None:
    text = "\n".join(lines)
    try:
        act = read(text.encode("utf-8", "ignore"), language=language, profile=profile, format="text")
    except LexLatticeError:
        return
    assert_laws(act)


@given(st.lists(st.sampled_from(PIECES), min_size=2, max_size=60))
def test_reading_changes_no_letter(lines: list[str]) -> None:
    text = "\n".join(["Something", *lines])
    act = read(text, language="en")
    assert letters(act.source) == letters(text)


@given(st.lists(st.sampled_from(PIECES), min_size=5, max_size=60))
def test_joined_random_lines_keep_every_letter(lines: list[str]) -> None:
    text = "x" * 700 + " ".join(lines)
    act = read(text.encode(), language="en", format="text")
    assert_laws(act)
    assert letters(act.source) == letters(text)


@given(st.binary(max_size=400))
def test_random_bytes_are_read_or_refused_in_one_sentence(data: bytes) -> None:
    try:
        assert_laws(read(data))
    except LexLatticeError as error:
        assert "\n" not in str(error)
        assert str(error).endswith((".", "?"))


def test_examples_are_read_without_loss(examples: Path) -> None:
    for path in [*examples.glob("short/*.txt"), *examples.glob("long/*.txt")]:
        for profile in ("provisions", "paper"):
            act = read(path, profile=profile)
            assert_laws(act)
            assert letters(act.source) == letters(path.read_text("utf-8"))


def test_all_formats_are_read_without_loss(examples: Path) -> None:
    for path in examples.glob("formats/*"):
        assert_laws(read(path))


@pytest.mark.data
def test_english_acts_are_read_without_loss(data: Path) -> None:
    """A sample of EUR-Lex-Sum; `make bench` reads all of it."""
    for name in ("train", "validation"):
        with gzip.open(data / "eur-lex-sum" / "en" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                if number % 32 == 0:
                    text = json.loads(line)["reference"]
                    act = read(text, language="en")
                    assert_laws(act)
                    assert letters(act.source) == letters(text)
                    assert_laws(read(text, language="en", profile="paper"))


@pytest.mark.data
@pytest.mark.parametrize("name", ["multi-eurlex", "en-fr"])
def test_multilingual_acts_are_read_without_loss(data: Path, name: str) -> None:
    with gzip.open(data / "acts" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, 1 if name == "multi-eurlex" else 9):
            for language, text in json.loads(line)["text"].items():
                assert_laws(read(text, language=language))


@pytest.mark.data
def test_files_from_eurlex_are_read_without_loss(data: Path) -> None:
    for path in sorted((data / "acts" / "raw").glob("*/*/*")):
        assert_laws(read(path))


@pytest.mark.data
def test_acts_of_other_legislators_are_read_without_loss(data: Path) -> None:
    with gzip.open(data / "other" / "billsum-100.jsonl.gz", "rt", encoding="utf-8") as lines:
        acts = [read(json.loads(line)["text"]) for line in lines]
    for act in acts:
        assert_laws(act)
        assert act.warnings
        assert act.language == "en"
    assert sum(len(act.sections) > 1 for act in acts) >= 90
