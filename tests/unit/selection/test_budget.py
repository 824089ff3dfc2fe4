"""How long an extract may be, as it is written and what it comes to."""

from __future__ import annotations

import gzip
import json
import re
import statistics
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lexlattice.errors import OptionError
from lexlattice.selection import Budget


def test_what_a_budget_comes_to() -> None:
    assert Budget.parse("words:400").of(100) == 400
    assert Budget.parse("ratio:0.25").of(100) == 25
    assert Budget.parse("ratio:0.001").of(100) == 1
    assert Budget.parse("ratio:1").of(100) == 100
    assert Budget.parse("reference").of(100, "A summary\nof five words.") == 5
    assert Budget.parse("medium") == Budget()


@given(
    st.sampled_from(["medium", "reference"])
    | st.integers(1, 10**9).map("words:{}".format)
    | st.floats(0, 1, exclude_min=True).map("ratio:{}".format)
)
@example("words:1234567")
@example("ratio:0.1234567")
def test_a_budget_is_written_as_it_is_read(text: str) -> None:
    budget = Budget.parse(text)
    assert Budget.parse(str(budget)) == budget
    assert str(Budget.parse(str(budget))) == str(budget)


def test_budgets_are_written_plainly() -> None:
    plain = ["medium", "reference", "words:400", "words:1000000", "ratio:0.05"]
    assert [str(Budget.parse(text)) for text in plain] == plain


NO_BUDGETS = """
words:abc words:nan words:inf words:1.5 words: words
ratio:abc ratio: ratio
auto:3 auto: reference:3 nonsense nonsense:3 Auto 400 :400
"""


@pytest.mark.parametrize("text", [*NO_BUDGETS.split(), "", " "])
def test_what_is_no_budget_is_answered_with_the_choices(text: str) -> None:
    with pytest.raises(OptionError) as refused:
        Budget.parse(text)
    assert text in str(refused.value)


@pytest.mark.parametrize("kind", [5, None, "words"])
def test_a_budget_of_no_kind_is_answered_with_the_choices(kind: str) -> None:
    for make in (Budget, Budget.parse):
        with pytest.raises(OptionError):
            make(kind)


@pytest.mark.parametrize("text", "words:0 words:-3 ratio:0 ratio:-0.1 ratio:1.5 ratio:nan ratio:inf".split())
def test_an_amount_that_cannot_be_is_named(text: str) -> None:
    amount = text.partition(":")[2]
    with pytest.raises(OptionError, match=re.escape(amount)):
        Budget.parse(text)


@given(st.text(st.sampled_from("autoworsi:0123456789.-+e ")))
def test_any_text_is_a_budget_or_refused(text: str) -> None:
    try:
        budget = Budget.parse(text)
    except OptionError:
        return
    assert budget.of(1000, "a summary") >= 1


@pytest.mark.data
def test_the_curve_is_near_the_length_of_official_summaries(data: Path) -> None:
    with gzip.open(data / "eur-lex-sum" / "en" / "train.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, 400)]
    ratios = [len(row["summary"].split()) / Budget().of(len(row["reference"].split())) for row in rows]
    assert 0.9 < statistics.median(ratios) < 1.1


def test_the_length_of_the_reference_needs_a_reference() -> None:
    with pytest.raises(OptionError):
        Budget("reference").of(1000)


@given(st.integers(0, 3_000) | st.integers(0, 10_000_000), st.integers(0, 20) | st.integers(0, 1_000_000))
def test_longer_acts_get_no_shorter_extracts(words: int, more: int) -> None:
    assert 1 <= Budget().of(words) <= Budget().of(words + more)


@given(st.integers(1, 3_000) | st.integers(1, 10_000_000))
@example(3)
@example(121)
def test_no_extract_has_more_than_half_of_an_act_unless_it_is_its_own_summary(words: int) -> None:
    assert Budget().of(words) <= max(words / 2, min(words, 120))
    assert Budget().of(min(words, 120)) == min(words, 120)
