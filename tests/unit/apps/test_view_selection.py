"""The selection in the view of an act: orders, lengths, and why each provision was taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lexlattice import Act, read
from lexlattice.act.summary import REASONS
from lexlattice.apps.serve.view import view_of
from lexlattice.selection import SummaryOptions
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import shipped, summarize


@pytest.fixture(scope="module", params=["long", "short"])
def act(request: pytest.FixtureRequest, examples: Path) -> Act:
    return read(examples / request.param / "en.txt")


@pytest.fixture(scope="module")
def view(act: Act) -> dict[str, Any]:
    return view_of(act)


def taken(view: dict[str, Any], order: list[list[int]], words: int) -> list[int]:
    """The units of an order that fit into N words."""
    places: list[int] = []
    left = words
    for step in order:
        left -= sum(view["units"][place]["words"] for place in step)
        if left < 0:
            break
        places += step
    return sorted(places)


def test_presets_are_the_lengths_of_the_library(act: Act, view: dict[str, Any]) -> None:
    selection = view["selection"]
    assert selection["presets"] == {
        name: SummaryOptions(budget=name).budget_for(act) for name in ("short", "medium", "long")
    }
    assert selection["default"] == selection["presets"]["medium"]
    assert set(selection["presets"].values()) <= set(selection["stops"])


def test_articles_only_selects_like_the_library(act: Act, view: dict[str, Any]) -> None:
    selection = view["selection"]
    for words in selection["stops"]:
        wanted = [item.id for item in summarize(act, words=words, focus="articles")]
        articles = selection["articles"]
        places = articles["whole"] if words >= act.words else taken(view, articles["order"], words)
        assert [view["units"][place]["id"] for place in places] == wanted, words
    places = {place for step in selection["articles"]["order"] for place in step}
    assert {view["sections"][view["units"][place]["section"]]["kind"] for place in places} == {"article"}


def test_each_automaton_step_has_the_order_of_its_scores(act: Act, view: dict[str, Any]) -> None:
    panels, words = shipped().trajectory(act), view["selection"]["default"]
    assert len(view["step_orders"]) == len(view["steps"]) == len(panels)
    assert view["step_orders"][-1] == view["selection"]["all"]["order"]
    for order, panel in zip(view["step_orders"], panels, strict=True):
        assert taken(view, order, words) == list(choose(act, panel, words).units)
    assert view["step_orders"][0] != view["step_orders"][-1]


def test_every_unit_of_an_order_has_reasons(act: Act, view: dict[str, Any]) -> None:
    choices = [view["selection"][focus] for focus in ("all", "articles")]
    places = {place for choice in choices for step in (choice["whole"], *choice["order"]) for place in step}
    assert {int(place) for place in view["reasons"]} == places
    ranks = {
        place: rank for choice in reversed(choices) for rank, step in enumerate(choice["order"], 1) for place in step
    }
    for place, why in view["reasons"].items():
        assert why["rank"] == ranks.get(int(place), why["rank"]) > 0
        assert why["salience"] == pytest.approx([step[int(place)] for step in view["steps"]], abs=0.0011)
        assert why["reasons"]
        assert {key for key, _ in why["reasons"]} <= set(REASONS)
        assert all(0 <= other < len(act) != int(place) for other, _ in why["neighbours"])
    assert any(why["neighbours"] for why in view["reasons"].values())


def reasons(act: Act) -> dict[str, dict[str, float]]:
    """The reasons for each unit of an act, by its id."""
    view = view_of(act)
    return {view["units"][int(place)]["id"]: dict(why["reasons"]) for place, why in view["reasons"].items()}


def test_reasons_say_what_a_provision_is_for(examples: Path) -> None:
    found = reasons(read(examples / "long" / "en.txt"))
    assert {"says_aim", "first_paragraph", "needed"} <= found["art-1.par-1"].keys()
    assert {"says_scope", "referred_to"} <= found["art-2.par-1"].keys()
    assert "says_repeal" in found["art-27"]
    assert "says_application" in found["art-30.par-1"]
    assert "defines_terms" in reasons(read(examples / "short" / "en.txt"))["art-2"]


def test_what_is_needed_counts_what_was_selected_with_it(examples: Path) -> None:
    act = read(examples / "long" / "en.txt")
    view, found = view_of(act), reasons(act)
    step = next(step for step in view["selection"]["all"]["order"] if len(step) > 3)
    lead, *points = (act.units[place].id for place in step)
    assert found[lead]["needed"] == len(points)
    assert all(found[point]["with_others"] == 1 for point in points)


def test_a_paragraph_that_a_selected_one_points_to_says_so() -> None:
    text = (
        "Article 1\n\n1. Keepers shall register each hive with the authority within one month, subject to paragraph 2."
        "\n\n2. Hives of schools that hold no more than two colonies need not be registered with the authority.\n\n"
        "Article 2\n\n1. The authority shall publish the register each year.\n\n2. The register shall be free.\n"
    )
    found = reasons(read(text, language="en"))
    assert "pointed_at" in found["art-1.par-2"]
    assert "pointed_at" not in found["art-2.par-1"]


def test_an_act_that_is_no_longer_in_force_has_nothing_selected(examples: Path) -> None:
    view = view_of(read(examples / "patterns" / "repealed.html"))
    assert view["status"]["kind"] == "repealed"
    assert (
        view["selection"]["stops"] == view["selection"]["all"]["order"] == view["selection"]["articles"]["whole"] == []
    )
    assert view["reasons"] == {}
    assert view["step_orders"] == [[] for _ in view["steps"]]
