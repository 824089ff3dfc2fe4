"""The view of an act: verbatim units in order, and the data from which the page selects like the library."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lexlattice import read
from lexlattice.act.summary import GROUPS
from lexlattice.apps.serve.jobs import extract_of
from lexlattice.apps.serve.view import view_of
from lexlattice.apps.serve.view_selection import MIN_WORDS
from lexlattice.reading import LANGUAGES
from lexlattice.reading.citations.forms import Cite, cite, cite_sentences, sentence_forms
from lexlattice.reading.languages.grammar import load
from lexlattice.selection import Budget
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import shipped, summarize


@pytest.fixture(scope="module")
def content(examples: Path) -> bytes:
    return (examples / "long" / "en.txt").read_bytes()


@pytest.fixture(scope="module")
def view(content: bytes) -> dict[str, Any]:
    return view_of(read(content))


def test_units_are_verbatim(content: bytes, view: dict[str, Any]) -> None:
    act = read(content)
    assert [unit["id"] for unit in view["units"]] == [unit.id for unit in act.units]
    assert all(act.source[unit["start"] : unit["end"]] == unit["text"] for unit in view["units"])
    assert [section["label"] for section in view["sections"]] == [section.label for section in act.sections]
    assert [section["name"] for section in view["sections"]][:4] == ["Title", "Preamble", "Recitals", "Article 1"]
    assert view["words"] == act.words
    assert {unit["group"] for unit in view["units"]} <= set(GROUPS) == set(view["groups"])


def test_the_view_is_plain_json_and_deterministic(content: bytes, view: dict[str, Any]) -> None:
    assert json.loads(json.dumps(view)) == view == view_of(read(content))


def test_every_unit_has_a_salience_at_every_step(view: dict[str, Any]) -> None:
    assert len(view["steps"]) > 2
    assert {len(step) for step in view["steps"]} == {len(view["units"])}
    assert all(0 <= value <= 1 for step in view["steps"] for value in step)
    assert [unit["score"] for unit in view["units"]] == view["steps"][-1]
    assert all(before != after for before, after in pairwise(view["steps"]))


def chosen(view: dict[str, Any], words: int) -> list[str]:
    """What the page selects from the view, as `selection.js` does."""
    places: list[int] = []
    left = words
    for step in view["selection"]["all"]["order"]:
        left -= sum(view["units"][place]["words"] for place in step)
        if left < 0:
            break
        places += step
    return [
        view["units"][place]["id"]
        for place in sorted(view["selection"]["all"]["whole"] if words >= view["words"] else places)
    ]


@pytest.mark.parametrize("name", ["long/en.txt", "short/en.txt", "short/el.txt"])
def test_the_page_selects_the_units_of_the_summary_at_every_budget(examples: Path, name: str) -> None:
    act = read(examples / name)
    view, scores = view_of(act), shipped().score(act)
    for words in {
        *range(view["selection"]["least"], view["selection"]["most"], 7),
        *range(view["selection"]["most"] - 30, view["selection"]["most"] + 30),
        *view["selection"]["stops"],
    }:
        wanted = [act.units[place].id for place in choose(act, scores, words).units]
        assert chosen(view, words) == wanted, words


def test_the_stops_of_the_slider_include_the_named_lengths(view: dict[str, Any]) -> None:
    lengths = view["selection"]["stops"]
    assert (lengths[0], lengths[-1]) == (view["selection"]["least"], view["selection"]["most"])
    assert view["selection"]["most"] > view["selection"]["default"] > view["selection"]["least"] == MIN_WORDS
    assert set(lengths) >= {Budget(name).of(view["words"]) for name in ("short", "medium", "long")}
    assert all(before < after < 2 * before for before, after in pairwise(lengths))


def test_sentences_of_one_line_continue_it() -> None:
    text = "Decision\nArticle 1\nScope\n1. " + "Honey shall be labelled. Wax may be sold. " * 20 + "\n2. Bees are free."
    units = view_of(read(text, language="en"))["units"]
    assert [unit["continues"] for unit in units if unit["provision"] == "art-1.par-1"][:3] == [False, True, True]
    assert not units[-1]["continues"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_disclaimer_and_headings(examples: Path, language: str) -> None:
    view = view_of(read(examples / "short" / f"{language}.txt"))
    assert view["language"] == language
    assert view["disclaimer"]
    assert all(view["groups"].values())
    assert all(section["name"] for section in view["sections"])
    assert view["status"]["kind"] == "adopted"
    assert view["status"]["is_act"]


def test_a_consolidated_text_has_its_date_and_number(examples: Path) -> None:
    status = view_of(read(examples / "formats" / "act.consolidated.html"))["status"]
    assert (status["kind"], status["date"], status["celex"]) == ("consolidated", "2024-03-12", "02024R9001-20240312")
    assert status["facts"]


def test_a_text_that_is_cut_off_says_so(examples: Path) -> None:
    view = view_of(read(examples / "patterns" / "cut-off.txt"))
    assert view["status"]["incomplete"]
    assert len(view["notices"]) == 1
    assert view["warnings"] == []


RECIPE = """Pancakes

Ingredients:
- 2 eggs and 300 ml of milk
- 150 g of flour

Method
1. Whisk the eggs and the milk together in a large bowl until they are well mixed.
2. Add the flour and a pinch of salt and whisk until the batter is smooth.
"""
NEWS = """Leaders meet in Brussels

Leaders of the European Union met on Thursday to discuss the new regulation on artificial intelligence. The Commission
said that Article 5 of the regulation was the most important one.

"We are happy with the result," said the President of the Council. The Member States have two years to apply it.
"""


@pytest.mark.parametrize(("text", "code"), [(RECIPE, "no-articles"), (NEWS, "no-headings")])
def test_a_text_that_is_no_act_says_so(text: str, code: str) -> None:
    view = view_of(read(text, language="en"))
    assert not view["status"]["is_act"]
    assert view["status"]["kind"] == ""
    assert [warning["code"] for warning in view["warnings"]] == [code]
    assert [unit["text"] for unit in view["units"]]


def test_an_act_without_articles_is_an_act(examples: Path) -> None:
    assert view_of(read(examples / "patterns" / "recommendation.txt"))["status"]["is_act"]


def test_warnings_have_codes_and_values(examples: Path) -> None:
    act = read(examples / "patterns" / "bilingual.txt")
    warning = {"code": "second-language", "text": act.warnings[0], "values": {"language": "en", "other": "fr"}}
    assert view_of(act)["warnings"] == [warning]
    saved = view_of(type(act).from_json(act.to_json()))["warnings"]
    assert saved == [{**warning, "code": "other", "values": {}}]


def test_sections_name_their_first_and_last_units(view: dict[str, Any]) -> None:
    for section in view["sections"]:
        places = [place for place, unit in enumerate(view["units"]) if unit["section"] == section["index"]]
        assert (section["first"], section["last"]) == (places[0], places[-1])
        assert section["words"] == sum(view["units"][place]["words"] for place in places)


def test_a_short_act_can_be_shown_whole_in_order_of_importance(examples: Path) -> None:
    act = read(examples / "short" / "en.txt")
    view = view_of(act)
    assert view["selection"]["most"] == act.words > view["selection"]["default"]
    assert chosen(view, act.words) == [item.id for item in summarize(act, words=act.words)]
    order = [place for step in view["selection"]["all"]["order"] for place in step]
    assert order != sorted(order)
    assert set(order) < set(view["selection"]["all"]["whole"])


def test_a_very_short_act_is_shown_whole() -> None:
    act = read("Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free.", language="en")
    view = view_of(act, name="bees.txt")
    assert chosen(view, view["selection"]["default"]) == [unit.id for unit in act]
    assert view["title"] == "bees.txt"
    assert view["selection"]["least"] <= view["selection"]["default"] <= view["selection"]["most"]


def test_an_extract_has_the_units_named_in_document_order(content: bytes, view: dict[str, Any]) -> None:
    ids = [view["units"][unit]["id"] for unit in (30, 12, 20)]
    summary = extract_of(read(content), [*ids, "art-999"])
    assert [item.id for item in summary] == [ids[1], ids[2], ids[0]]
    assert [item.text for item in summary] == [view["units"][unit]["text"] for unit in (12, 20, 30)]
    assert [item.score for item in summary] == pytest.approx(
        [view["units"][unit]["score"] for unit in (12, 20, 30)], abs=0.001
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_runs_of_sentences_can_be_cited_from_the_view(language: str) -> None:
    grammar = load(language)
    forms = sentence_forms(30, grammar)
    for first in range(30):
        citation = f"4{forms.one[first]}"
        assert cite(Cite(Cite(None, "within", "4"), "sentence", str(first + 1), first + 1), grammar).endswith(
            forms.one[first].removeprefix(", ")
        )
        for last in range(first + 1, 30):
            joined = forms.two[first] if last == first + 1 else forms.opening[first] + forms.closing[last]
            assert cite_sentences(citation, first + 1, last + 1, grammar) == f"4{joined}"


def test_there_are_sentence_forms_for_the_longest_provision() -> None:
    text = "Decision\nArticle 1\nScope\n1. " + "Honey shall be labelled. Wax may be sold. " * 20 + "\n2. Bees are free."
    view = view_of(read(text, language="en"))
    assert view["provisions"] == {"art-1.par-1": "Article 1(1)"}
    assert {name: len(forms) for name, forms in view["sentences"].items()} == dict.fromkeys(
        ("one", "two", "opening", "closing"), 40
    )
    short = view_of(read("Article 1\n\nBees are free.", language="en"))
    assert (short["provisions"], short["sentences"]["one"]) == ({}, [])
