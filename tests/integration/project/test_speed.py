"""The work of a summary, counted instead of timed: the same on every machine, however busy it is."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from lexlattice import read, summarize

MOST_READING, MOST_IN_ALL = 11.0, 18.0
"""Calls of functions, Python's own included, per word of the act; with Python 3.11 they are 8.1 and 13.0."""


def calls(work: Callable[[], object]) -> Counter[str]:
    """How often each function is called, by its name."""
    counts: Counter[str] = Counter()

    def count(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            counts[frame.f_code.co_name] += 1
        elif event == "c_call":
            counts["C"] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counts


@pytest.fixture(scope="module")
def text(examples: Path) -> str:
    text = (examples / "long" / "en.txt").read_text("utf-8")
    summarize(text).to_json()  # patterns are compiled, and the words of the act are known
    return text


def test_reading_takes_a_few_calls_per_word(text: str) -> None:
    assert calls(lambda: read(text)).total() < MOST_READING * len(text.split())


def test_a_summary_takes_a_few_calls_per_word(text: str) -> None:
    assert calls(lambda: summarize(text, words=400).to_json()).total() < MOST_IN_ALL * len(text.split())


def test_what_several_stages_need_of_an_act_is_derived_once(text: str) -> None:
    counts = calls(lambda: summarize(text, words=400).to_json())
    assert [counts[name] for name in ("article_references", "lead_ins", "groups_of", "own_articles")] == [1, 1, 1, 1]
