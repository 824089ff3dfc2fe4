"""The judge: its arithmetic against replies written down beforehand, and what it is told and not told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import RECORDED as RECORDED_FOLDER
from helpers.llm_server import KEY, KEY_FROM, Failure, FakeLLM, Received, fake_llm
from lexlattice.errors import DataError
from lexlattice.evaluation.metrics.significance import wilcoxon
from lexlattice.research.judging import Document, Judgement, Score, estimate, judge
from lexlattice.research.judging.llm_judge import MEASURES, POINT_MARKS, UNIT_MARKS
from lexlattice.research.llm import Cap, Endpoint, EndpointError, ReplyCache, SpendingError
from lexlattice.research.llm import client as llm

RECORDED = json.loads(RECORDED_FOLDER.joinpath("judging.json").read_text("utf-8"))
DOCUMENTS = [Document(*(one[name] for name in Document._fields)) for one in RECORDED["documents"]]


def recorded(question: Received) -> str:
    """What the judge said of this."""
    asked = json.loads(question.prompt.partition("\n\nYou were asked")[0])
    if "summary" in asked:
        (found,) = (one for one in RECORDED["documents"] if one["reference"] == asked["summary"])
        return json.dumps({"points": found["points"]})
    units = list(asked["candidate"].values())
    (marks,) = (
        one["marks"][system]
        for one in RECORDED["documents"]
        for system, candidate in one["candidates"].items()
        if candidate == units and one["points"] == list(asked["points"].values())
    )
    numbered = {kind: {str(n): mark for n, mark in enumerate(marks[kind], 1)} for kind in marks}
    return json.dumps(numbered)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_FROM, KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(llm, "BACKOFF", 0.01)


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with fake_llm(recorded) as server:
        yield server


@pytest.fixture
def run(server: FakeLLM, tmp_path: Path) -> Callable[..., Judgement]:
    def run(
        documents: list[Document] = DOCUMENTS, kind: str = "openai", cap: Cap | None = None, **how: Any
    ) -> Judgement:
        config = server.config(kind, price_in=3.0, price_out=15.0, max_tokens=400)
        with Endpoint(config, ReplyCache(tmp_path), cap=cap) as endpoint:
            return judge(documents, endpoint, **how)

    return run


@pytest.mark.parametrize("kind", ["anthropic", "openai"])
def test_recorded_marks_give_the_figures_worked_out_by_hand(kind: str, run: Callable[..., Judgement]) -> None:
    judgement = run(kind=kind)
    expected = {(one["id"], name): one["expected"][name] for one in RECORDED["documents"] for name in one["expected"]}
    assert {(score.document, score.system) for score in judgement.scores} == set(expected)
    for score in judgement.scores:
        assert score.measures() == pytest.approx(expected[score.document, score.system])
    for system, figures in RECORDED["macro"].items():
        assert {name: judgement.macro(system, name) for name in MEASURES} == pytest.approx(figures)
    assert not judgement.failures


def test_systems_are_compared_over_documents(run: Callable[..., Judgement]) -> None:
    judgement = run()
    compared = {one.measure: one for one in judgement.comparisons()}
    assert compared["f1"].systems == ("lattice", "line")
    assert compared["f1"].documents == 3
    assert compared["f1"].p == 0.25, "the least that three documents can give"
    coverage = compared["coverage"]
    assert coverage.p == wilcoxon([0.625, 1, 0.5], [0.125, 0.5, 0])
    assert coverage.difference == pytest.approx(0.5)
    assert coverage.interval == pytest.approx((0.5, 0.5))
    assert judgement.compare("line", "lattice", "coverage").difference == pytest.approx(-0.5)


def test_a_difference_and_its_test_are_of_the_same_documents() -> None:
    """One Greek document for b, and nine English ones for a: macro means would say that they are equal."""
    marks = [("en", "covered", "missing")] * 9 + [("el", "missing", "covered")]
    found = tuple(
        Score(str(n), language, system, (mark,), ("relevant",))
        for n, (language, *both) in enumerate(marks)
        for system, mark in zip("ab", both, strict=True)
    )
    judgement = Judgement(found, {}, {}, "m", {}, 0)
    assert judgement.macro("a", "coverage") == judgement.macro("b", "coverage")
    (compared,) = (one for one in judgement.comparisons(resamples=200) if one.measure == "coverage")
    assert compared.difference == pytest.approx(0.8)
    assert compared.interval[0] <= 0.8 <= compared.interval[1]
    assert compared.p == wilcoxon([1] * 9 + [0], [0] * 9 + [1]) < 0.05


def test_no_prompt_names_a_system_and_the_seed_settles_the_order(server: FakeLLM, tmp_path: Path) -> None:
    orders = []
    for turn, seed in enumerate((1, 1, 2, 3, 4)):
        server.received.clear()
        with Endpoint(server.config(), ReplyCache(tmp_path / str(turn))) as endpoint:
            judgement = judge(DOCUMENTS, endpoint, seed=seed)
        assert not [one for one in server.received if "lattice" in f"{one.body}" or '"line"' in one.prompt]
        orders.append([one.prompt for one in server.received])
        assert [(score.document, score.system) for score in judgement.scores][:2] == [
            ("en-1", "lattice"),
            ("en-1", "line"),
        ]
    assert orders[0] == orders[1]
    assert len({tuple(order) for order in orders}) > 1


def test_references_are_taken_apart_once_and_a_second_run_asks_nothing(
    server: FakeLLM, run: Callable[..., Judgement]
) -> None:
    first = run()
    assert sum('"summary"' in one.prompt for one in server.received) == len(DOCUMENTS)
    asked = len(server.received)
    assert asked == 3 + 5, "an empty candidate is not asked about"
    assert run() == first
    others = [one._replace(candidates={**one.candidates, "third": one.candidates["lattice"]}) for one in DOCUMENTS]
    assert run(others).systems == ("lattice", "line", "third")
    assert len(server.received) == asked


def test_an_interrupted_run_resumes(server: FakeLLM, run: Callable[..., Judgement]) -> None:
    def say(question: Received) -> str:
        if len(server.received) == 5:
            server.failures.append(Failure(401))
        return recorded(question)

    server.respond = say
    with pytest.raises(EndpointError):
        run()
    assert len(server.received) == 6
    assert {score.system for score in run().scores} == {"lattice", "line"}
    assert len(server.received) == 6 + 3, "five of eight were kept"


def test_workers_change_nothing(run: Callable[..., Judgement], server: FakeLLM, tmp_path: Path) -> None:
    with Endpoint(server.config(), ReplyCache(tmp_path / "others")) as endpoint:
        assert judge(DOCUMENTS, endpoint, workers=4) == run()


def test_judging_that_would_exceed_the_cap_is_not_started(
    server: FakeLLM, run: Callable[..., Judgement], tmp_path: Path
) -> None:
    with pytest.raises(SpendingError):
        run(cap=Cap(money=0.001))
    assert not server.received
    with Endpoint(server.config(), ReplyCache(tmp_path)) as endpoint:
        before = estimate(DOCUMENTS, endpoint)
        assert before.requests == 8
        judge(DOCUMENTS, endpoint)
        assert estimate(DOCUMENTS, endpoint).requests == 0


def test_an_estimate_allows_for_the_script(server: FakeLLM, tmp_path: Path) -> None:
    """As many letters of Greek are more tokens than of English, in what is asked and in what is replied."""
    english = Document("1", "en", "Keepers tell of hives. " * 50, {"a": ["Keepers tell of hives."] * 9})
    greek = Document("1", "el", "Δηλώνονται οι κυψέλες. " * 50, {"a": ["Δηλώνονται οι κυψέλες."] * 9})
    assert len(greek.reference) == len(english.reference)
    with Endpoint(server.config(), ReplyCache(tmp_path)) as endpoint:
        few, many = estimate([english], endpoint), estimate([greek], endpoint)
    letters = sum(map(len, ["", greek.reference, greek.reference, *greek.candidates["a"]]))
    assert many.tokens_in - few.tokens_in > letters / 3
    assert many.tokens_out > 2 * few.tokens_out


def test_a_document_without_a_usable_reply_counts_for_no_system(server: FakeLLM, run: Callable[..., Judgement]) -> None:
    server.respond = lambda question: "no" if "addressed to nobody" in question.prompt else recorded(question)
    judgement = run()
    assert list(judgement.failures) == ["en-1"]
    assert {score.document for score in judgement.scores} == {"en-2", "el-1"}


def test_results_are_plain_json_with_their_settings(run: Callable[..., Judgement]) -> None:
    data = run(seed=7).to_dict(resamples=200)
    assert json.loads(json.dumps(data)) == data
    assert (data["model"], data["seed"]) == ("little", 7)
    assert set(data["prompts"]) == {"decompose", "mark"}
    assert all(len(digest) == 64 for digest in data["prompts"].values())
    assert data["points"]["en-2"] == ["Member States keep a register.", "The register is public."]
    coverage = data["systems"]["lattice"]["coverage"]
    assert coverage["languages"] == {"el": 0.5, "en": 0.8125}
    assert coverage["interval"][0] <= coverage["mean"] <= coverage["interval"][1]


@pytest.mark.parametrize(
    "documents",
    [
        [],
        [DOCUMENTS[0], DOCUMENTS[0]],
        [DOCUMENTS[0]._replace(reference=" ")],
        [DOCUMENTS[0], DOCUMENTS[1]._replace(candidates={"line": []})],
    ],
)
def test_invalid_documents_are_refused(documents: list[Document], run: Callable[..., Judgement]) -> None:
    with pytest.raises(DataError):
        run(documents)


# --- laws -------------------------------------------------------------------------------------------------

points, units = st.sampled_from(sorted(POINT_MARKS)), st.sampled_from(sorted(UNIT_MARKS))
scores = st.builds(
    Score,
    st.just("1"),
    st.just("en"),
    st.just("a"),
    st.lists(points, min_size=1).map(tuple),
    st.lists(units).map(tuple),
)


@given(scores)
def test_f1_lies_between_coverage_and_relevance(score: Score) -> None:
    low, high = sorted((score.coverage, score.relevance))
    assert low - 1e-12 <= score.f1 <= high + 1e-12


@given(scores)
def test_a_better_mark_never_lowers_a_figure(score: Score) -> None:
    better = Score("1", "en", "a", tuple("covered" for _ in score.points), score.units)
    assert better.coverage == 1
    assert better.f1 >= score.f1 - 1e-12


@given(st.lists(st.tuples(st.sampled_from(["en", "el"]), points), min_size=1, max_size=8), st.integers(0, 5))
def test_an_interval_is_fixed_by_its_seed_and_within_what_was_seen(marks: list[tuple[str, str]], seed: int) -> None:
    found = tuple(Score(str(n), language, "a", (mark,), ("relevant",)) for n, (language, mark) in enumerate(marks))
    judgement = Judgement(found, {}, {}, "m", {}, seed)
    low, high = judgement.interval("a", "coverage", resamples=50)
    assert (low, high) == judgement.interval("a", "coverage", resamples=50)
    values = judgement.of("a", "coverage")
    assert min(values) - 1e-12 <= low <= high <= max(values) + 1e-12


def test_a_language_counts_as_much_as_any_other() -> None:
    marks = [("en", "covered")] * 9 + [("el", "missing")]
    found = tuple(Score(str(n), language, "a", (mark,), ()) for n, (language, mark) in enumerate(marks))
    assert Judgement(found, {}, {}, "m", {}, 0).macro("a", "coverage") == 0.5
