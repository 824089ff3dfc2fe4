"""The extract that follows scores: whole units for readers, cut text for the paper."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from helpers.timing import fastest
from lexlattice import Act, Section, Unit, read
from lexlattice.act.hierarchy import lead_ins
from lexlattice.reading import LANGUAGES
from lexlattice.selection import MODES, Extract, select

Node = tuple[str, str]


def made_act(nodes: Sequence[Node]) -> Act:
    """An act of one section, from ids and texts."""
    source = "\n".join(text for _, text in nodes)
    units: list[Unit] = []
    for position, (name, text) in enumerate(nodes):
        start = units[-1].end + 1 if units else 0
        part = name.rpartition(".")[2]
        kind = "point" if part.startswith("pt-") else "indent" if part.startswith("ind-") else "paragraph"
        end = start + len(text)
        units.append(Unit(name, name, 0, position, kind, "", name, text, start, end, len(text.split())))
    section = Section(0, "article", "1", "Article 1", "", (), tuple(units))
    return Act("", "", "regulation", "", "en", "provisions", (section,), (), source)


def act_of(texts: Sequence[str]) -> Act:
    return made_act([(f"art-{n}", text) for n, text in enumerate(texts, 1)])


@st.composite
def made_acts(draw: st.DrawFn) -> Act:
    """Lists in lists, of few words, so that units have much in common."""
    words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=7).map(" ".join)
    path: list[str] = []
    nodes = []
    for n, (depth, text) in enumerate(draw(st.lists(st.tuples(st.integers(0, 3), words), max_size=12))):
        path = path[:depth]
        path.append(f"{draw(st.sampled_from(['pt', 'ind'])) if path else 'art'}-{n}")
        nodes.append((".".join(path), text))
    return made_act(nodes)


class Case(NamedTuple):
    """What a selection is made from."""

    act: Act
    scores: list[int]
    budget: int

    def extract(self, mode: str = "whole", redundancy: float | None = None) -> Extract:
        return select(self.act, self.scores, self.budget, mode=mode, redundancy=redundancy)

    def by_score(self) -> list[Unit]:
        ranks = sorted(range(len(self.act)), key=lambda index: (-self.scores[index], index))
        return [self.act.units[index] for index in ranks]


def cases(acts: st.SearchStrategy[Act]) -> st.SearchStrategy[Case]:
    """Few different scores, so that there are ties, and budgets from none to more than enough."""

    def of(act: Act) -> st.SearchStrategy[Case]:
        scores = st.lists(st.integers(-1, 4), min_size=len(act), max_size=len(act))
        return st.builds(Case, st.just(act), scores, st.integers(0, 30) | st.integers(0, act.words + 5))

    return acts.flatmap(of)


@pytest.fixture(scope="module", params=["made", "read"])
def any_case(request: pytest.FixtureRequest, examples: Path) -> st.SearchStrategy[Case]:
    """Cases of small acts made at random, and of the example in all languages."""
    if request.param == "made":
        return cases(made_acts())
    return cases(st.sampled_from([read(examples / "short" / f"{language}.txt") for language in LANGUAGES]))


@pytest.fixture(scope="module")
def english(examples: Path) -> Act:
    return read(examples / "short" / "en.txt")


any_redundancy = st.sampled_from([None, 0.0, 0.5, 1.0])


def lead_in(act: Act, unit: Unit) -> Unit | None:
    """What a point hangs from, in an act where no id is used twice."""
    above = act.sentences(unit.provision.rpartition(".")[0])
    return above[0] if above and unit.kind in ("point", "indent") else None


def chain(act: Act, unit: Unit) -> set[Unit]:
    """A unit with all it hangs from."""
    above = lead_in(act, unit)
    return {unit} if above is None else {unit} | chain(act, above)


def word_count(units: Sequence[Unit] | set[Unit]) -> int:
    return sum(unit.words for unit in units)


def preferring(act: Act, *names: str) -> list[int]:
    """Scores that put the units of these names first, in this order, and make no difference among the others."""
    return [len(names) - names.index(unit.id) if unit.id in names else 0 for unit in act.units]


def ids(extract: Extract) -> list[str]:
    return [unit.id for unit in extract.units]


# Whole units


@given(samples=st.data(), redundancy=any_redundancy)
def test_an_extract_has_whole_units_in_their_order_and_none_twice(
    any_case: st.SearchStrategy[Case], samples: st.DataObject, redundancy: float | None
) -> None:
    case = samples.draw(any_case)
    extract = case.extract(redundancy=redundancy)
    assert all(case.act[unit.id] is unit for unit in extract.units)
    assert all(before.start < after.start for before, after in pairwise(extract.units))
    assert extract.text.split("\n") == [unit.text for unit in extract.units] or not extract.units
    assert extract.words == len(extract.text.split())


@given(samples=st.data(), redundancy=any_redundancy)
def test_an_extract_is_as_long_as_allowed_and_not_longer(
    any_case: st.SearchStrategy[Case], samples: st.DataObject, redundancy: float | None
) -> None:
    case = samples.draw(any_case)
    extract = case.extract(redundancy=redundancy)
    left_out = set(case.act.units) - set(extract.units)
    assert extract.budget == case.budget
    assert extract.words <= case.budget
    assert all(extract.words + unit.words > case.budget for unit in left_out)
    assert bool(extract.units) == any(unit.words <= case.budget for unit in case.act.units)


@given(samples=st.data(), redundancy=any_redundancy)
def test_points_come_with_what_leads_them_in_unless_it_does_not_fit(
    any_case: st.SearchStrategy[Case], samples: st.DataObject, redundancy: float | None
) -> None:
    case = samples.draw(any_case)
    extract = case.extract(redundancy=redundancy)
    for unit in extract.units:
        above = lead_in(case.act, unit)
        assert above is None or above in extract.units or extract.words + above.words > case.budget


def test_what_fits_of_a_chain_of_lead_ins_comes_along() -> None:
    nodes = [("art-1", "a " * 100), ("art-1.pt-a", "b " * 5), ("art-1.pt-a.ind-1", "c " * 5), ("art-2", "d " * 13)]
    act = made_act([(name, text.strip()) for name, text in nodes])
    assert [unit.id for unit in select(act, [0, 1, 3, 2], 12).units] == ["art-1.pt-a", "art-1.pt-a.ind-1"]
    assert [unit.id for unit in select(act, [0, 1, 3, 2], 9).units] == ["art-1.pt-a.ind-1"]


@given(samples=st.data())
def test_the_best_units_are_in_as_long_as_they_fit_with_what_leads_them_in(
    any_case: st.SearchStrategy[Case], samples: st.DataObject
) -> None:
    case = samples.draw(any_case)
    chosen = set(case.extract().units)
    wanted: set[Unit] = set()
    for unit in case.by_score():
        wanted |= chain(case.act, unit)
        if word_count(wanted) > case.budget:
            break
        assert wanted <= chosen


@given(samples=st.data(), redundancy=any_redundancy)
def test_the_best_unit_that_fits_with_what_leads_it_in_is_always_in(
    any_case: st.SearchStrategy[Case], samples: st.DataObject, redundancy: float | None
) -> None:
    case = samples.draw(any_case)
    fitting = (unit for unit in case.by_score() if word_count(chain(case.act, unit)) <= case.budget)
    best = next(fitting, None)
    assert best is None or chain(case.act, best) <= set(case.extract(redundancy=redundancy).units)


@given(samples=st.data())
def test_of_equals_the_earlier_is_taken(any_case: st.SearchStrategy[Case], samples: st.DataObject) -> None:
    case = samples.draw(any_case)
    chosen = case.extract().units
    leads = {lead_in(case.act, unit) for unit in case.act.units}
    first: dict[tuple[int, int], Unit] = {}
    for unit, score in zip(case.act.units, case.scores, strict=True):
        if lead_in(case.act, unit) is None and unit not in leads:
            earlier = first.setdefault((score, unit.words), unit)
            assert unit not in chosen or earlier in chosen


def test_without_any_preference_an_extract_is_the_beginning() -> None:
    act = act_of(["two words"] * 5)
    for mode in MODES:
        assert ids(select(act, [0] * 5, 6, mode=mode)) == ["art-1", "art-2", "art-3"]


@pytest.mark.parametrize("mode", MODES)
@given(samples=st.data(), redundancy=any_redundancy)
def test_only_the_order_of_the_scores_counts(
    any_case: st.SearchStrategy[Case], samples: st.DataObject, mode: str, redundancy: float | None
) -> None:
    case = samples.draw(any_case)
    extract = case.extract(mode, redundancy)
    curved = np.exp(np.array(case.scores, dtype=np.float32))
    assert case.extract(mode, redundancy) == extract
    assert select(case.act, curved, case.budget, mode=mode, redundancy=redundancy) == extract
    assert select(case.act.units, case.scores, case.budget, mode=mode, redundancy=redundancy) == extract


# Lead-ins


def test_a_point_brings_all_it_hangs_from(english: Act) -> None:
    scores = preferring(english, "art-3.par-2.pt-b.pt-ii")
    assert ids(select(english, scores, 24)) == ["art-3.par-2", "art-3.par-2.pt-b", "art-3.par-2.pt-b.pt-ii"]


def test_a_point_whose_lead_in_does_not_fit_lets_others_go_first(english: Act) -> None:
    scores = preferring(english, "art-3.par-2.pt-b.pt-ii")
    assert ids(select(english, scores, 23)) == ["title.s-1", "pre-1"]


@pytest.mark.parametrize(
    ("budget", "chosen"),
    [
        (3, []),
        (4, ["pt-ii"]),
        (9, ["pt-ii"]),
        (10, ["par-2"]),
        (14, ["par-2", "pt-ii"]),
        (20, ["par-2", "pt-b"]),
        (24, ["par-2", "pt-b", "pt-ii"]),
    ],
)
def test_a_point_comes_alone_if_it_is_all_that_fits(english: Act, budget: int, chosen: list[str]) -> None:
    units = [english[name] for name in ("art-3.par-2", "art-3.par-2.pt-b", "art-3.par-2.pt-b.pt-ii")]
    assert [name.rpartition(".")[2] for name in ids(select(units, [0, 0, 1], budget))] == chosen


def test_a_lead_in_that_is_there_already_costs_nothing() -> None:
    act = made_act([("art-1", "The label shall be:"), ("art-1.ind-1", "— legible,"), ("art-1.ind-2", "— of metal.")])
    assert ids(select(act, [0, 1, 2], 9)) == ["art-1", "art-1.ind-1", "art-1.ind-2"]
    assert ids(select(act, [0, 1, 2], 7)) == ["art-1", "art-1.ind-2"]


def leads(act: Act) -> dict[str, str | None]:
    found = lead_ins(act.units)
    return {unit.id: None if lead is None else act.units[lead].id for unit, lead in zip(act.units, found, strict=True)}


def test_only_points_and_indents_have_lead_ins(english: Act) -> None:
    found = leads(english)
    assert {english[name].kind for name, lead in found.items() if lead} == {"point", "indent"}
    assert found["art-5.par-2.ind-3"] == "art-5.par-2"
    assert found["art-3.par-2.pt-b.pt-i"] == "art-3.par-2.pt-b"
    assert found["art-3.par-2.sub-2"] is None
    assert found["anx.pt-1"] is None


@given(made_acts())
def test_points_hang_from_the_item_above_them(act: Act) -> None:
    for name, lead in leads(act).items():
        assert lead == (name.rpartition(".")[0] or None)


def test_points_of_a_provision_met_again_hang_from_its_latest_text() -> None:
    names = ["art-1", "art-1.pt-a", "art-1~2", "art-1.pt-a~2", "art-1.pt-a.ind-1", "art-1.pt-b", "art-1~3"]
    assert leads(made_act([(name, "text") for name in names])) == {
        "art-1": None,
        "art-1.pt-a": "art-1",
        "art-1~2": None,
        "art-1.pt-a~2": "art-1~2",
        "art-1.pt-a.ind-1": "art-1.pt-a~2",
        "art-1.pt-b": "art-1~2",
        "art-1~3": None,
    }


def test_points_hang_from_nothing_in_another_section() -> None:
    act = read(
        "COUNCIL REGULATION (EC) No 12/2003\nof 3 May 2003\non labels\nTHE COUNCIL OF THE EUROPEAN UNION,\n"
        "HAS ADOPTED THIS REGULATION:\nArticle 1\nText.\nANNEX\nOld labels are:\n(a) red.\nANNEX\n(a) green.",
        language="en",
    )
    found = leads(act)
    assert act["anx.pt-a~2"].text == "(a) green."
    assert (found["anx.pt-a"], found["anx.pt-a~2"]) == ("anx", None)


# What is said already

RULES = [
    "The keeper shall register each beehive.",
    "Each label shall be legible.",
    "The keeper shall register each beehive at once.",
    "Penalties shall be effective.",
]


def test_what_is_said_already_waits_until_nothing_else_is_left() -> None:
    act, scores = act_of(RULES), [4, 1, 3, 2]
    assert ids(select(act, scores, 15)) == ["art-1", "art-3"]
    assert ids(select(act, scores, 15, redundancy=0.5)) == ["art-1", "art-2", "art-4"]
    assert ids(select(act, scores, 23, redundancy=0.5)) == ["art-1", "art-2", "art-3", "art-4"]
    assert ids(select(act, scores, 8, redundancy=0.5)) == ["art-1"]


def test_what_is_said_already_is_used_rather_than_nothing() -> None:
    act = act_of([RULES[0], RULES[0]])
    assert select(act, [1, 1], 12, redundancy=0.5).words == 12


def test_what_is_said_already_still_comes_with_what_leads_it_in() -> None:
    act = made_act([("art-1", "a b c d e f"), ("art-2", "a b c"), ("art-2.pt-a", "c d"), ("art-3", "e f")])
    assert ids(select(act, [9, 1, 3, 2], 11, redundancy=0.5)) == ["art-1", "art-2", "art-2.pt-a"]


def test_what_a_lead_in_says_is_said_already() -> None:
    act = made_act([("art-1", "a b c"), ("art-1.pt-a", "d e"), ("art-2", "a b c"), ("art-3", "f g h")])
    assert ids(select(act, [0, 3, 2, 1], 8, redundancy=0.5)) == ["art-1", "art-1.pt-a", "art-3"]


def test_how_much_may_be_said_already_is_a_share() -> None:
    act, scores = act_of(["a b c d e", "a b c x y", "v w x y z"]), [3, 2, 1]
    assert ids(select(act, scores, 10, redundancy=0.5)) == ["art-1", "art-2"], "half is not more than half"
    assert ids(select(act, scores, 10, redundancy=0.4)) == ["art-1", "art-3"]


@given(samples=st.data())
def test_all_may_be_said_already_if_the_share_is_one(any_case: st.SearchStrategy[Case], samples: st.DataObject) -> None:
    case = samples.draw(any_case)
    assert case.extract(redundancy=1.0) == case.extract()


# The paper's cut


@given(samples=st.data())
def test_the_papers_extract_is_the_beginning_of_what_was_accepted(
    any_case: st.SearchStrategy[Case], samples: st.DataObject
) -> None:
    case = samples.draw(any_case)
    accepted: list[Unit] = []
    for unit in case.by_score():
        if word_count(accepted) >= case.budget:
            break
        accepted.append(unit)
    words = " ".join(unit.text for unit in sorted(accepted, key=lambda unit: unit.start)).split()
    extract = case.extract("paper")
    assert extract.text.split() == words[: case.budget]
    assert {unit.id for unit in extract.units} <= {unit.id for unit in accepted}


@given(samples=st.data())
def test_the_papers_extract_has_exactly_as_many_words_as_allowed(
    any_case: st.SearchStrategy[Case], samples: st.DataObject
) -> None:
    case = samples.draw(any_case)
    extract = case.extract("paper")
    assert extract.words == len(extract.text.split()) == min(case.budget, case.act.words)
    assert case.budget < case.act.words or extract.units == case.act.units


@given(samples=st.data())
def test_what_the_paper_cuts_is_still_a_slice_of_the_source(
    any_case: st.SearchStrategy[Case], samples: st.DataObject
) -> None:
    case = samples.draw(any_case)
    extract = case.extract("paper")
    for unit in extract.units:
        assert case.act.source[unit.start : unit.end] == unit.text == unit.text.strip()
        assert case.act[unit.id].text.startswith(unit.text)
    assert all(case.act[unit.id] is unit for unit in extract.units[:-1])
    assert all(before.start < after.start for before, after in pairwise(extract.units))


def test_the_paper_cuts_the_last_unit_not_the_worst() -> None:
    act = act_of(["one two three", "four five six", "seven eight nine"])
    assert select(act, [1, 2, 3], 5, mode="paper").text == "four five six\nseven eight"
    assert select(act, [1, 3, 2], 7, mode="paper").text == "one two three\nfour five six\nseven"
    assert select(act, [1, 3, 2], 6, mode="paper").text == "four five six\nseven eight nine"


def test_units_behind_the_cut_are_gone() -> None:
    act = act_of(["one two three four", "five", "six"])
    assert select(act, [1, 2, 3], 3, mode="paper").text == "one two three"


# What cannot be


@pytest.mark.parametrize("mode", MODES)
def test_an_act_without_units_has_an_empty_extract(mode: str) -> None:
    extract = select([], [], 100, mode=mode)
    assert (extract.units, extract.words, extract.text, extract.budget) == ((), 0, "", 100)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scores", [[], [1, 2], [1, 2, 3, 4], [[1, 2, 3]], [[1], [2], [3]], 5.0])
def test_there_is_one_score_for_each_unit(mode: str, scores: ArrayLike) -> None:
    with pytest.raises(ValueError):
        select(act_of(["a", "b", "c"]), scores, 10, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf")])
def test_scores_are_finite(mode: str, score: float) -> None:
    with pytest.raises(ValueError):
        select(act_of(["a", "b", "c"]), [1, score, 2], 10, mode=mode)


def test_an_unknown_mode_is_answered_with_the_choices() -> None:
    with pytest.raises(ValueError) as refused:
        select(act_of(["a"]), [1], 10, mode="half")
    assert "'half'" in str(refused.value)


# What it costs


@pytest.fixture(scope="module")
def million_words() -> list[Unit]:
    """60,000 units of 17 words, every fifth a paragraph that the next four hang from."""
    drawn = random.Random(1).choices(
        [f"w{rank}" for rank in range(3000)], [1 / rank for rank in range(1, 3001)], k=60_000 * 17
    )
    units = []
    for n in range(60_000):
        name = f"art-{n // 5}" if n % 5 == 0 else f"art-{n // 5}.pt-{n % 5}"
        kind = "point" if n % 5 else "paragraph"
        text = " ".join(drawn[17 * n : 17 * n + 17])
        units.append(Unit(name, name, n // 5, n % 5, kind, "", name, text, 0, len(text), 17))
    return units


@pytest.mark.parametrize("budget", [1_500, 500_000])
@pytest.mark.parametrize(("mode", "redundancy", "limit"), [("whole", None, 6), ("paper", None, 6), ("whole", 0.5, 20)])
def test_a_million_words_take_moments(
    million_words: list[Unit], budget: int, mode: str, redundancy: float | None, limit: float
) -> None:
    scores = np.random.default_rng(1).random(len(million_words))
    extracts = []

    def work() -> None:
        extracts.append(select(million_words, scores, budget, mode=mode, redundancy=redundancy))

    assert fastest(work, enough=limit) < limit
    assert budget - 17 < extracts[0].words <= budget
