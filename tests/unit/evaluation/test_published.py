"""The rule behind the published LexRank figures, and that it is the one its authors applied."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexlattice.evaluation.baselines import ENGLISH_RATIO, extract_lines, lexrank_of_texts, median_ratio, segments

LINES = st.lists(st.sampled_from(["one two three four five", "six words that make a line", "Article 1", "= Title", ""]))


def rows(data: Path, split: str) -> Iterator[dict[str, str]]:
    with gzip.open(data / "eur-lex-sum" / "en" / f"{split}.jsonl.gz", "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def numbered(count: int) -> str:
    return "\n".join(f"This is line number {n}" for n in range(count))


def by_number(lines: list[str]) -> NDArray[np.float64]:
    """The last lines are the most central."""
    return np.array([float(line.split()[-1]) for line in lines])


def membership(chosen: set[str]) -> Callable[[list[str]], NDArray[np.float64]]:
    """The chosen lines are the most central."""
    return lambda lines: np.array([float(line in chosen) for line in lines])


def test_lines_that_count() -> None:
    text = "\n  = A heading of some five words\nArticle 5\n\n one two three four \n one two three four five \n"
    assert segments(text) == ["one two three four five"]


def test_the_ratio_is_a_median_of_counted_lines() -> None:
    pairs = [(numbered(10), numbered(5)), (numbered(9) + "\nshort", numbered(1)), (numbered(8), numbered(2))]
    assert median_ratio(pairs) == 4
    assert median_ratio([*pairs, (numbered(1000), "= nothing that counts")]) == 4


def test_so_many_lines_as_the_ratio_allows_in_document_order() -> None:
    assert extract_lines(numbered(10), by_number, ratio=4.1) == "This is line number 8\nThis is line number 9"
    assert extract_lines(numbered(10), lambda lines: np.zeros(len(lines)), ratio=5) == numbered(2)


@given(LINES, st.floats(0.5, 1000))
def test_at_least_one_line_and_only_lines_of_the_act(lines: list[str], ratio: float) -> None:
    counted = segments("\n".join(lines))
    taken = extract_lines("\n".join(lines), lexrank_of_texts, ratio).split("\n") if counted else []
    assert len(taken) == min(len(counted), max(bool(counted), round(len(counted) / ratio)))
    rest = iter(counted)
    assert all(line in rest for line in taken)


def test_nothing_from_nothing() -> None:
    assert extract_lines("Article 1\n= Title =", lexrank_of_texts) == ""


@pytest.mark.data
def test_the_ratio_of_the_english_training_acts(data: Path) -> None:
    assert median_ratio((row["reference"], row["summary"]) for row in rows(data, "train")) == ENGLISH_RATIO


@pytest.mark.data
def test_the_extracts_the_authors_published_are_so_many_lines_of_those_that_count(data: Path) -> None:
    folder = data / "eur-lex-sum" / "lexrank-extracts" / "english"
    published = {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.txt"))}
    acts = {row["celex_id"]: row["reference"] for row in rows(data, "validation") if row["celex_id"] in published}
    assert len(acts) == len(published) == 2
    for celex, wanted in published.items():
        assert extract_lines(acts[celex], membership(set(wanted.split("\n")))) == wanted
