"""The main job from Python: any source, any length, everything word for word, and reasons on request."""

from __future__ import annotations

import io
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.acts import LANGUAGES
from helpers.generated_acts import acts, made
from lexlattice import Act, Budget, Summarizer, Summary, SummaryOptions, read, summarize
from lexlattice.act.summary import GROUPS, SummaryRecord
from lexlattice.encoding.static import PATH as STATIC
from lexlattice.errors import OptionError, OutputError, WeightsError
from lexlattice.selection import Options
from lexlattice.summarizer import Source


@pytest.fixture(scope="module")
def act(examples: Path) -> Act:
    return read(examples / "short" / "en.txt")


@pytest.fixture(scope="module")
def long(examples: Path) -> Act:
    return read(examples / "long" / "en.txt")


def check_summary(summary: Summary) -> None:
    """Word for word, in the order of the act, within the budget, and every lead-in has its point."""
    act = summary.act
    assert summary.words <= summary.budget
    assert [item.start for item in summary] == sorted(item.start for item in summary)
    for item in summary:
        unit = act[item.id]
        assert item.text == unit.text == act.source[item.start : item.end]
        assert (item.citation, item.words, item.section, item.position) == (
            *(unit.citation, unit.words, unit.section, unit.position),
        )
        assert item.heading == act.sections[item.section].heading
        assert 0 <= item.score <= 1
        assert item.group in GROUPS
    assert all("\n" not in warning and warning.endswith(".") for warning in summary.warnings)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_is_summarized_word_for_word(examples: Path, language: str) -> None:
    summary = summarize(examples / "short" / f"{language}.txt", words=150)
    assert summary.act.language == language
    assert summary.words > 100
    check_summary(summary)


def test_whatever_holds_the_act_gives_the_same(examples: Path, act: Act) -> None:
    path = examples / "short" / "en.txt"
    expected = summarize(act, words=120).items
    text = path.read_text("utf-8")
    with path.open("rb") as file:
        sources: list[Source] = [str(path), path, text, text.encode(), file, io.StringIO(text)]
        assert all(summarize(source, words=120).items == expected for source in sources)


def test_the_length_can_be_said_in_words_as_a_share_or_by_name(long: Act) -> None:
    usual = summarize(long)
    assert summarize(long, words=100).budget == 100
    assert summarize(long, ratio=0.25).budget == round(0.25 * long.words)
    assert summarize(long, budget="short").budget < usual.budget == summarize(long, budget="medium").budget
    assert summarize(long, budget="short").words < usual.words
    with pytest.raises(OptionError):
        summarize(long, words=100, ratio=0.1)


@pytest.mark.parametrize(
    "length", [{"words": 0}, {"words": -5}, {"ratio": 0}, {"ratio": 1.5}, {"budget": "tiny"}, {"budget": "reference"}]
)
def test_no_length_at_all_is_one_sentence(act: Act, length: Options) -> None:
    with pytest.raises(OptionError) as error:
        summarize(act, **length)
    assert str(error.value).count("\n") == 0
    assert str(error.value).endswith(".")


def test_options_are_one_object_or_named_but_not_both(act: Act) -> None:
    options = SummaryOptions(words=100, focus="articles")
    expected = summarize(act, words=100, focus="articles")
    assert summarize(act, options) == summarize(act, options=options) == expected
    summarizer = Summarizer.from_pretrained()
    assert summarizer.summarize(act, options) == summarizer.summarize(act, words=100, focus="articles") == expected
    for call in (summarize, summarizer.summarize):
        with pytest.raises(OptionError):
            call(act, options, words=50)


@pytest.mark.parametrize("options", [400, "short", Budget("words", 400), {"words": 400}, [400]])
def test_what_are_no_options_is_refused_with_how_to_give_them(act: Act, options: SummaryOptions) -> None:
    with pytest.raises(OptionError, match="words=400"):
        summarize(act, options)


@pytest.mark.parametrize(
    "options",
    [
        *({"budget": budget} for budget in (5, 0.5, ["short"], "reference", Budget("reference"))),
        *({"words": words} for words in ("400", True, 1.0, np.array([400]))),
        *({"ratio": ratio} for ratio in ("0.5", True, np.float32(2), complex(0.5))),
        *({"language": language} for language in ("xx", "EN", "", 5, ["en"])),
    ],
)
def test_values_that_are_not_valid_are_refused_when_they_are_given(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        SummaryOptions(**options)


def test_numbers_of_numpy_are_numbers(act: Act) -> None:
    options = SummaryOptions(words=np.int64(100))  # type: ignore[arg-type]
    assert json.dumps(options.to_dict()) == '{"words": 100}'
    assert summarize(act, options) == summarize(act, words=100)
    assert json.dumps(SummaryOptions(ratio=np.float32(0.5)).to_dict()) == '{"ratio": 0.5}'  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "plain"),
    [
        (SummaryOptions(), {}),
        (SummaryOptions(budget="short", explain=True), {"budget": "short", "explain": True}),
        (SummaryOptions(budget=Budget("ratio", 0.5), language="de"), {"ratio": 0.5, "language": "de"}),
        (SummaryOptions(budget=Budget("medium")), {"budget": "medium"}),
    ],
)
def test_options_are_plain_data_without_defaults(options: SummaryOptions, plain: dict[str, object]) -> None:
    assert options.to_dict() == plain
    assert SummaryOptions(**plain).budget_for(5_000) == options.budget_for(5_000)  # type: ignore[arg-type]


def test_more_words_than_the_act_has_give_all_provisions_and_say_so(act: Act) -> None:
    summary = summarize(act, words=100_000)
    check_summary(summary)
    assert "All provisions" in summary.warnings[-1]
    ids = {item.id for item in summary}
    assert {unit.id for unit in act if act.sections[unit.section].kind in ("recitals", "article", "annex")} <= ids


def test_what_does_not_fit_is_said(act: Act) -> None:
    summary = summarize(act, words=1)
    assert len(summary) == 0
    assert summary.warnings[-1] == "What matters most of this act does not fit into 1 words; allow more."


def test_nothing_to_cite_is_said() -> None:
    summary = summarize(made())
    assert (len(summary), summary.text) == (0, "")
    assert "nothing in this act" in summary.warnings[-1]


def test_articles_alone_can_be_asked_for(long: Act) -> None:
    summary = summarize(long, focus="articles")
    check_summary(summary)
    assert {long.sections[item.section].kind for item in summary} == {"article"}
    recitals = made(("recitals", "", ["Bees matter."]))
    assert "no articles" in summarize(recitals, focus="articles", words=50).warnings[-1]
    with pytest.raises(OptionError) as refused:
        summarize(long, focus="recitals")
    assert "recitals" in str(refused.value)


def test_no_point_comes_without_what_leads_it_in(long: Act) -> None:
    for words in (50, 100, 200, 400):
        ids = {item.id for item in summarize(long, words=words)}
        for name in ids:
            parent = name.rpartition(".")[0]
            if name.rpartition(".")[2].startswith("pt-") and parent in long:
                assert parent in ids


@settings(max_examples=40, deadline=None)
@given(acts, st.integers(1, 60))
def test_no_act_is_too_odd(act: Act, words: int) -> None:
    check_summary(summarize(act, words=words, explain=True))


def test_threads_share_one_and_it_always_says_the_same(examples: Path) -> None:
    some = [read(examples / "short" / f"{language}.txt") for language in ("en", "el", "fi", "hu")]
    alone = [summarize(act, words=150).items for act in some]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda act: summarize(act, words=150).items, some * 3))
    assert together == alone * 3


# --- what it is as data -----------------------------------------------------------------------------------


def test_json_has_what_was_promised(act: Act) -> None:
    summary = summarize(act, words=100)
    data = json.loads(summary.to_json())
    status = ["status", "consolidated", "consolidated_celex", "repealed", "incomplete"]
    assert list(data) == ["celex", "title", "language", *status, "budget", "words", "extract", "left_out", "warnings"]
    assert [data[name] for name in status] == ["adopted", None, "", None, False]
    assert (data["celex"], data["language"], data["budget"]) == (act.celex, "en", 100)
    assert data["words"] == sum(item["words"] for item in data["extract"])
    assert list(data["extract"][0]) == [
        *("id", "citation", "heading", "text", "start", "end", "words", "score", "section", "position"),
    ]
    grouped = json.loads(summary.to_json(group=True))
    assert all(item["group"] in GROUPS for item in grouped["extract"])


def test_groups_part_the_items(long: Act) -> None:
    summary = summarize(long, budget="long")
    groups = summary.groups()
    assert list(groups) == [name for name in GROUPS if name in groups]
    assert len(groups) > 2
    assert sorted(item.id for items in groups.values() for item in items) == sorted(item.id for item in summary)


# --- why --------------------------------------------------------------------------------------------------


def test_reasons_are_given_on_request(long: Act) -> None:
    plain, explained = summarize(long, words=200), summarize(long, words=200, explain=True)
    assert plain.items == explained.items
    assert all(item.explanation is None for item in plain)
    ranks = []
    for item in explained:
        why = item.explanation
        assert why is not None
        assert why.salience[-1] == item.score
        assert len(why.salience) == len(Summarizer.from_pretrained().trajectory(long))
        assert all(other.id in long and other.id != item.id for other in why.neighbours)
        sizes = [abs(other.change) for other in why.neighbours]
        assert sizes == sorted(sizes, reverse=True)
        ranks.append(why.rank)
    assert sorted({*ranks}) == list(range(1, max(ranks) + 1))
    assert any(item.explanation.neighbours for item in explained if item.explanation)
    assert "explanation" in explained.to_dict()["extract"][0]


# --- models -----------------------------------------------------------------------------------------------


def test_a_model_that_was_saved_is_the_same(tmp_path: Path, act: Act) -> None:
    Summarizer.from_pretrained().save_pretrained(tmp_path / "mine")
    for place in (tmp_path / "mine", tmp_path / "mine" / "model.safetensors"):
        assert (
            Summarizer.from_pretrained(place).summarize(act, SummaryOptions(words=100)).items
            == summarize(act, words=100).items
        )


def test_a_model_cannot_be_saved_where_nothing_can(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError):
        Summarizer.from_pretrained().save_pretrained(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_a_corrupt_model_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"nonsense")
    with pytest.raises(WeightsError, match=r"model\.safetensors"):
        Summarizer.from_pretrained(tmp_path)


def test_weights_of_another_kind_are_named_with_what_was_expected_and_what_was_found() -> None:
    with pytest.raises(WeightsError) as error:
        Summarizer.from_pretrained(STATIC)
    for part in (str(STATIC), "'lexlattice meaning 1' was expected", "and they are "):
        assert part in str(error.value)


def test_the_words_around_do_not_change_what_is_chosen(act: Act) -> None:
    elsewhere = replace(act, celex="", title="")
    assert len(summarize(elsewhere, words=100)) > 0


def test_the_keywords_of_summarize_are_the_fields_of_the_options() -> None:
    assert {*Options.__annotations__} == {*SummaryOptions.names()}


def test_options_are_picked_out_of_a_mapping(long: Act) -> None:
    options = SummaryOptions.from_mapping({"words": 100, "focus": "articles", "output": "a.txt"})
    assert options == SummaryOptions(words=100, focus="articles")
    assert options.budget_for(long) == options.budget_for(long.words) == 100
    assert SummaryOptions(budget="medium").budget_for(long) == SummaryOptions().budget_for(long)


def test_a_summary_makes_a_round_trip_through_json(long: Act) -> None:
    summary = summarize(long, words=300, explain=True)
    for group in (True, False):
        data = json.loads(summary.to_json(group=group))
        record = SummaryRecord.from_dict(data)
        assert record.to_dict(group=group) == data
        assert record.extract == summary.items
        assert record.left_out == summary.cuts
    assert [item.explanation for item in record.extract] == [item.explanation for item in summary]
