"""The rules of the paper."""

from __future__ import annotations

import gzip
import json
from itertools import islice
from pathlib import Path

import pytest

from lexlattice import read
from lexlattice.reading import LANGUAGES


def test_there_are_four_kinds_of_sections_and_no_empty_ones(examples: Path) -> None:
    act = read(examples / "long" / "en.txt", profile="paper")
    assert {section.kind for section in act.sections} == {"preamble", "recitals", "article", "annex"}
    assert all(section.units for section in act.sections)


def test_numbers_alone_on_a_line_begin_recitals_and_paragraphs_alike() -> None:
    text = "Whereas:\n(1)\nHives matter.\nArticle 1\nFor this act:\n(1)\n'hive' is a box;\n(2)\n'bee' is an insect."
    act = read(text, profile="paper", language="en")
    found = [(section.kind, len(section.units)) for section in act.sections]
    assert found == [("preamble", 1), ("recitals", 1), ("article", 3)]


@pytest.mark.parametrize(("line", "begins"), [("CHAPTER II", True), ("TITLE II", True), ("PART II", False)])
def test_only_the_papers_five_head_words_separate_paragraphs(line: str, begins: bool) -> None:
    act = read(f"Article 1\nHives are registered.\n{line}\nBees are free.", profile="paper", language="en")
    assert len(act.units) == 1 + begins


@pytest.mark.data
def test_the_lattice_of_the_papers_figure(data: Path) -> None:
    with gzip.open(data / "eur-lex-sum" / "en" / "validation.jsonl.gz", "rt", encoding="utf-8") as rows:
        text = next(row["reference"] for row in map(json.loads, rows) if row["celex_id"] == "32007R0458")
    act = read(text, profile="paper")
    assert [len(section.units) for section in act.sections] == [1, 12, 1, 1, 3, 3, 3, 1, 4, 4, 1, 3, 4, 3]
    assert [section.kind for section in act.sections] == ["preamble", "recitals", *["article"] * 9, *["annex"] * 3]


@pytest.mark.data
@pytest.mark.slow
def test_sections_and_paragraphs_of_the_training_acts(data: Path) -> None:
    """The paper counts 29.2 sections and 115.7 paragraphs; docs/paper.md compares them. Every third act is read."""
    sections = paragraphs = acts = 0
    with gzip.open(data / "eur-lex-sum" / "en" / "train.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in islice(rows, 0, None, 3):
            act = read(json.loads(row)["reference"], language="en", profile="paper")
            acts, sections, paragraphs = acts + 1, sections + len(act.sections), paragraphs + len(act.units)
    assert acts == 377
    assert sections / acts == pytest.approx(29.2, rel=0.03)
    assert paragraphs / acts == pytest.approx(115.7, rel=0.05)


@pytest.mark.parametrize("language", LANGUAGES)
def test_headers_are_found_in_every_language(examples: Path, language: str) -> None:
    """Word-first and number-first layouts: the sections of every version are those of the English one."""
    act, english = (read(examples / "short" / f"{code}.txt", profile="paper") for code in (language, "en"))
    assert [section.kind for section in act.sections] == [section.kind for section in english.sections]
