"""Text that an amendment quotes belongs to it, and ends at the closing mark."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.laws import assert_laws
from lexlattice import Act, read
from lexlattice.reading.structure.quotations import match_quotations

HEAD = "COUNCIL DIRECTIVE (EU) 2020/285\nof 3 May 2020\non something\nTHE COUNCIL,\nHAS ADOPTED THIS DIRECTIVE:\n"
MARKS = ["‘’", "“”", "„“", "„”", "«»", '""', "””"]


def article(text: str) -> Act:
    return read(f"{HEAD}Article 1\n{text}", language="en")


def ids(act: Act) -> list[str]:
    return [unit.id for section in act.sections if section.kind == "article" for unit in section.units]


@pytest.mark.parametrize("marks", MARKS)
def test_the_numbers_of_the_amendment_continue_after_the_quotation(marks: str) -> None:
    act = article(
        "The Directive is amended as follows:\n(8) in Title XII the following Section is inserted:\n"
        f"{marks[0]} Section ‐1\nDefinitions\nFor this Chapter the following applies:\n"
        f"(1) turnover means the value of supplies;\n(2) value means the price.{marks[1]};\n"
        "(9) the heading of Section 2 is deleted;\n(10) Article 282 is deleted."
    )
    assert act["art-1.pt-9"].citation == "Article 1, point (9)"
    assert ids(act)[-2:] == ["art-1.pt-9", "art-1.pt-10"]
    quoted = [unit for unit in ids(act) if unit.startswith("art-1.pt-8.")]
    assert len(quoted) == 5
    assert [unit for unit in quoted if unit.endswith(("pt-1", "pt-2"))]


def test_numbers_inside_a_quotation_do_not_continue_those_of_the_amendment() -> None:
    act = article(
        "It is amended as follows:\n(1) the following is added:\n‘(2) a quoted point;\n(3) another.’;\n(2) it ends."
    )
    assert ids(act) == ["art-1", "art-1.pt-1", "art-1.pt-1.q.pt-2", "art-1.pt-1.q.pt-3", "art-1.pt-2"]


def test_a_quotation_without_a_closing_mark_ends_at_the_next_instruction() -> None:
    act = article("It is amended:\n(1) the following is added:\n‘The text of it.\nMore of it.\n(2) it ends.")
    assert ids(act) == ["art-1", "art-1.pt-1", "art-1.pt-1.q", "art-1.pt-1.q.sub-2", "art-1.pt-2"]


def test_a_defined_term_is_no_quotation() -> None:
    assert match_quotations(["the following definitions apply:", "‘originator’ means an entity:", "it is ‘good’"]) == {}


@given(st.lists(st.sampled_from(["‘a", "b’;", "«a", "c», d", "lead:", "x", "“y” z:", "’", '"q']), max_size=30))
def test_quotations_do_not_overlap(lines: list[str]) -> None:
    spans = sorted(match_quotations(lines).items())
    assert all(first <= last < len(lines) for first, last in spans)
    assert all(before[1] < after[0] for before, after in pairwise(spans))


def test_for_and_read_stay_with_the_quotation_below_them() -> None:
    act = read(
        "Corrigendum to Directive 2014/65/EU\nOn page 38, Article 19(2), point (c):\nfor:\n‘(c)\n… the first.’,\n"
        "read:\n‘(c)\n… the second.’.\nOn page 40, the heading:\nfor:\n‘Scope’,\nread:\n‘Aim’.",
        language="en",
    )
    texts = [unit.text for unit in act.units]
    assert "for: ‘(c) … the first.’," in texts
    assert "read: ‘(c) … the second.’." in texts
    assert texts[-2:] == ["for: ‘Scope’,", "read: ‘Aim’."]


@pytest.mark.parametrize(
    "text",
    [
        "is replaced by the following:\n‘1. following:\n‘1.",
        "is amended as follows:\n(1)\n‘(4) “label” means a radio.’;\n(2)",
        "is amended as follows:\n(1)\n‘(4) “label” means a radio.’;\n(2) Article 5 is deleted.",
    ],
)
def test_damaged_quotations_lose_nothing_and_repeat_nothing(text: str) -> None:
    assert_laws(read(f"Article 1\n{text}\nArticle 2\nText.", language="en"))
    assert_laws(read(text, language="en"))
