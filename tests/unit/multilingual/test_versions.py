"""One act in several languages: the same provisions in each, and warnings for what one of them lacks."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import lexlattice
from helpers.acts import EXAMPLES, LANGUAGES
from helpers.generated_acts import made
from helpers.service import fetched_before
from lexlattice import Act, SummaryOptions, Unit, read
from lexlattice.act.summary import Explanation, Influence, Item, Summary
from lexlattice.errors import OptionError
from lexlattice.multilingual.alignment import Encode, align, embedded
from lexlattice.multilingual.versions import Score, project_extract, project_units, summarize_acts
from lexlattice.reading.roles import application_units, groups_of
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import Source, shipped

BUDGET = 150
Summarize = Callable[[Act], Summary]


@dataclass
class Fake:
    """A summarizer that is made of two functions."""

    by: Summarize
    scores: Score

    def summarize(self, source: Act, options: SummaryOptions, /) -> Summary:
        return self.by(source)

    def score(self, act: Act, /) -> NDArray[np.float32]:
        return self.scores(act)


def versions(
    acts: Sequence[Act],
    by: Summarize,
    scores: Score,
    *,
    focus: str = "all",
    base: str | None = None,
    encode: Encode = embedded,
) -> dict[str, Summary]:
    return summarize_acts(acts, Fake(by, scores), SummaryOptions(focus=focus), base=base, encode=encode)


@cache
def example(language: str) -> Act:
    return read(EXAMPLES / f"{language}.txt")


def score(act: Act) -> NDArray[np.float32]:
    """At random, but each language always the same, and not quite the same in each."""
    common = {unit.provision: Random(unit.provision).random() for unit in act.units}
    own = Random(act.language)
    return np.array([0.8 * common[unit.provision] + 0.2 * own.random() for unit in act.units], np.float32)


def summary_by(scores: Score, words: int = BUDGET, focus: str = "all") -> Summarize:
    """A summarizer of one version that has these scores."""

    def summarize(act: Act) -> Summary:
        known, groups = scores(act), groups_of(act)
        items = tuple(
            Item.of(act.units[place], act.sections[act.units[place].section], float(known[place]), groups[place])
            for place in choose(act, known, words, focus).units
        )
        return Summary(act, words, items, act.warnings)

    return summarize


summarize = summary_by(score)


def drawn(seed: int) -> Score:
    """Scores at random, other ones for each seed and language."""

    def score(act: Act) -> NDArray[np.float32]:
        draw = Random(f"{seed} {act.language}")
        return np.array([draw.random() ** 2 for _ in act.units], np.float32)

    return score


def damaged(language: str, *lost: str) -> Act:
    """The example without some provisions."""
    whole = example(language)
    gone = {unit.text for name in lost for unit in whole.sentences(name)}
    lines = [line for line in whole.source.split("\n") if line not in gone]
    return read("\n".join(lines), language=language)


@cache
def undated(language: str) -> Act:
    """The example without the article that says from when it applies."""
    act = damaged(language, "art-10", "art-10.sub-2")
    assert application_units(act) == []
    return act


def dates_of(summary: Summary) -> set[str]:
    """The provisions of a summary that say from when the act applies."""
    act = summary.act
    return {act.units[place].provision for place in application_units(act)} & provisions(summary, act)


def provisions(units: Sequence[Unit] | Summary, act: Act) -> set[str]:
    return {act[unit.id].provision for unit in units}


# --- projecting a selection to another version --------------------------------------------------------------

choices = st.sets(st.sampled_from([unit.id for unit in example("en").units]))
languages = st.sampled_from(LANGUAGES)


@given(choices, languages, languages)
def test_the_same_provisions_come_out_in_every_language(names: set[str], first: str, second: str) -> None:
    english, source, target = example("en"), example(first), example(second)
    chosen, missing = project_units(
        [english[name] for name in sorted(names)], english, source, align(english, source, None)
    )
    emitted, missing_there = project_units(chosen, source, target, align(source, target, None))
    assert missing == missing_there == []
    assert provisions(emitted, target) == provisions(chosen, source) == {english[name].provision for name in names}
    assert [unit for unit in target.units if unit in emitted] == emitted
    back, _ = project_units(emitted, target, english, align(target, english, None))
    assert {unit.id for unit in back} >= names
    assert provisions(back, english) == {english[name].provision for name in names}


@given(choices, languages)
def test_a_round_trip_returns_the_same_selection(names: set[str], language: str) -> None:
    english, act = example("en"), example(language)
    assert [unit.id for unit in english.units] == [unit.id for unit in act.units]
    there, _ = project_units([english[name] for name in names], english, act, align(english, act, None))
    back, _ = project_units(there, act, english, align(act, english, None))
    assert {unit.id for unit in back} == names


@given(choices, st.lists(st.sampled_from(["art-1.par-2", "art-4.par-1", "anx.pt-3", "rec-2"]), unique=True))
@settings(max_examples=25)
def test_a_missing_provision_is_reported_and_not_replaced(names: set[str], lost: list[str]) -> None:
    english, act = example("en"), damaged("de", *lost)
    alignment = align(english, act, None)
    emitted, missing = project_units([english[name] for name in names], english, act, alignment)
    assert {english[name].provision for name in missing} >= {english[name].provision for name in names} & {*lost}
    assert missing == [unit.id for unit in english.units if unit.id in names and unit.id in alignment.unaligned]
    whole = {unit.text for name in names for unit in example("de").sentences(english[name].provision)}
    assert {unit.text for unit in emitted} <= whole


def words_as_units(words: Sequence[int]) -> Act:
    return made(*(("article", "", ["word " * count]) for count in words))


word_counts = st.lists(st.integers(1, 12), min_size=1, max_size=7)


@given(word_counts, st.integers(0, 60), st.randoms(use_true_random=False))
def test_a_projected_extract_keeps_the_budget_and_skips_only_what_does_not_fit(
    counts: list[int], budget: int, draw: Random
) -> None:
    source, target = words_as_units(counts), words_as_units(counts[::-1])
    ranked = draw.sample(source.units, draw.randint(0, len(source)))
    alignment = align(source, target, None)
    extract = project_extract(ranked, target, alignment, budget)
    assert extract.budget == budget
    assert extract.words <= budget
    assert list(extract.units) == [unit for unit in target.units if unit in extract.units]
    wanted = {name for unit in ranked for name in alignment.pairs.get(unit.id, ())}
    assert {unit.id for unit in extract.units} <= wanted
    left = budget - extract.words
    assert all(target[name] in extract.units or target[name].words > left for name in wanted)


def test_a_projected_extract_takes_the_most_important_units_first() -> None:
    act = words_as_units([5, 5])
    assert project_extract(act.units[::-1], act, align(act, act, None), 7).units == act.units[1:]


# --- consensus --------------------------------------------------------------------------------------------

seeds = st.integers(0, 10**6)
lengths = st.integers(0, 500)
several = st.lists(languages, min_size=2, max_size=4, unique=True)


@settings(max_examples=40, deadline=None)
@given(several, seeds, lengths)
def test_a_consensus_never_parts_a_list_or_a_date(some: list[str], seed: int, words: int) -> None:
    scores = drawn(seed)
    found = versions([example(language) for language in some], summary_by(scores, words), scores)
    for summary in found.values():
        chosen = {item.id for item in summary}
        dates = {summary.act.units[place].id for place in application_units(summary.act)}
        assert len(dates) == 2
        assert not chosen & dates or dates <= chosen
        assert not [cut for cut in summary.cuts if cut.kind == "points"], "all lists of the example are short"


@settings(max_examples=20, deadline=None)
@given(several, seeds, lengths)
def test_a_consensus_has_the_dates_that_single_summaries_have(some: list[str], seed: int, words: int) -> None:
    scores = drawn(seed)
    alone = summary_by(scores, words)
    found = versions([example(language) for language in some], alone, scores)
    chief = found["en" if "en" in some else min(some)]
    date = sum(chief.act.units[place].words for place in application_units(chief.act))
    for language, summary in found.items():
        if date <= words:  # else it does not fit into the version in which provisions are selected
            assert dates_of(summary) >= dates_of(alone(example(language)))
    assert chief.words <= words


def test_the_date_of_one_version_is_shown_in_all() -> None:
    """Its mean score is too low for so short a summary; only the German version has it there."""

    def score(act: Act) -> NDArray[np.float32]:
        dated = 0.9 if act.language == "de" else 0.001
        return np.array([dated if unit.provision.startswith("art-10") else 0.5 for unit in act.units], np.float32)

    alone, others = summary_by(score, 100), ("fr", "it", "en", "es", "nl")
    assert dates_of(alone(example("de"))) == {"art-10", "art-10.sub-2"}
    found = versions([example(language) for language in ("de", *others)], alone, score)
    assert all(dates_of(summary) == {"art-10", "art-10.sub-2"} for summary in found.values())


@pytest.mark.data
@pytest.mark.parametrize(("celex", "words"), [("31998R0994", 100), ("32006L0070", 150), ("32008L0008", 100)])
def test_real_acts_keep_their_dates(data: Path, celex: str, words: int) -> None:
    """Each of these lost the date of at least one version when only mean scores decided."""
    with gzip.open(data / "acts" / "en-fr.jsonl.gz", "rt") as lines:
        texts = next(json.loads(line)["text"] for line in lines if celex in line[:40])
    acts = [read(text, language=language) for language, text in texts.items()]
    single = {act.language: dates_of(lexlattice.summarize(act, words=words)) for act in acts}
    found = lexlattice.summarize_versions(acts, words=words)
    assert any(single.values())
    assert all(dates_of(found[language]) >= dates for language, dates in single.items())


@settings(max_examples=15, deadline=None)
@given(several, seeds, lengths, lengths)
def test_a_longer_consensus_contains_a_shorter_one(some: list[str], seed: int, one: int, other: int) -> None:
    scores, acts = drawn(seed), [example(language) for language in some]
    short, long = (versions(acts, summary_by(scores, words), scores) for words in sorted((one, other)))
    for language, summary in long.items():
        assert {item.id for item in short[language]} <= {item.id for item in summary}


@settings(max_examples=20, deadline=None)
@given(seeds, lengths, st.sampled_from(["all", "articles"]))
def test_versions_with_the_same_scores_agree_on_what_each_would_choose(seed: int, words: int, focus: str) -> None:
    english = undated("en")
    once = drawn(seed)(english)
    alone = summary_by(lambda act: once, words, focus)
    twin = replace(english, language="fi")
    found = versions([twin, english], alone, lambda act: once, focus=focus)
    assert found["en"] == alone(english)
    assert found["fi"].items == alone(english).items


@settings(max_examples=20, deadline=None)
@given(several, seeds, st.randoms(use_true_random=False))
def test_the_order_of_versions_does_not_matter(some: list[str], seed: int, draw: Random) -> None:
    scores = drawn(seed)
    first = versions([example(language) for language in some], summary_by(scores), scores)
    shuffled = [example(language) for language in draw.sample(some, len(some))]
    assert versions(shuffled, summary_by(scores), scores) == first


@pytest.mark.parametrize("focus", ["all", "articles"])
def test_a_consensus_is_chosen_once_by_the_mean_of_all_scores(focus: str) -> None:
    acts = [undated(language) for language in LANGUAGES]
    found = versions(acts, summarize, score, focus=focus)["en"]
    means = np.mean([score(act).astype(np.float64) for act in acts], axis=0)
    places = choose(undated("en"), means, BUDGET, focus).units
    assert [item.id for item in found] == [undated("en").units[place].id for place in places]
    assert [item.score for item in found] == pytest.approx(means[[*places]].tolist(), abs=1e-4)


def test_a_version_that_lacks_a_provision_has_no_say_in_it() -> None:
    english, finnish = example("en"), damaged("fi", "art-7.par-1")

    def liked_in_english(act: Act) -> NDArray[np.float32]:
        return np.full(len(act), 0.9 if act.language == "en" else 0.1, np.float32)

    whole = summary_by(liked_in_english, english.words)
    found = {item.id: item.score for item in versions([english, finnish], whole, liked_in_english)["en"]}
    assert found["art-7.par-1"] == pytest.approx(0.9)
    assert found["art-5.par-1"] == pytest.approx(0.5)


def test_reasons_of_the_chief_version_stay_where_a_consensus_has_its_provisions() -> None:
    why = Explanation(1, (0.1, 0.4), ())

    def explained(act: Act) -> Summary:
        whole = summarize(act)
        return replace(whole, items=tuple(replace(item, explanation=why) for item in whole))

    english = example("en")
    own = {item.id for item in summarize(english)}
    found = versions([english, example("mt"), example("fi")], explained, score)["en"]
    assert {item.id for item in found if item.explanation == why} == own & {item.id for item in found} != set()
    assert all(item.explanation is None for item in found if item.id not in own)


# --- summaries --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [None, "fi", "mt"])
def test_summaries_of_all_versions_hold_the_same_provisions(base: str | None) -> None:
    acts = [example(language) for language in LANGUAGES]
    found = versions(acts, summarize, score, base=base)
    assert list(found) == LANGUAGES
    chief = found[base or "en"]
    assert len(chief) > 3
    assert chief.words <= chief.budget == BUDGET
    for language, summary in found.items():
        assert summary.act is example(language)
        assert summary.budget == BUDGET
        assert summary.warnings == ()
        assert provisions(summary, summary.act) == provisions(chief, chief.act)
        assert [(item.score, item.group) for item in summary] == [(item.score, item.group) for item in chief]
        for item in summary:
            assert summary.act.source[item.start : item.end] == item.text
            assert item.citation == summary.act[item.id].citation
    if base:
        assert found[base] == summarize(example(base))


def test_without_english_the_first_version_by_its_code_keeps_the_budget() -> None:
    found = versions([example("pl"), example("de")], summarize, score)
    assert found["de"].words <= BUDGET
    assert provisions(found["de"], found["de"].act) == provisions(found["pl"], found["pl"].act)


def test_a_missing_provision_is_a_warning() -> None:
    english = example("en")
    lost = ["art-1.par-2", "art-5.par-1"]
    everything = Summary(
        english, 900, tuple(Item.of(u, english.sections[u.section], 0.5, "key_points") for u in english.units)
    )
    finnish = replace(damaged("fi", *lost), warnings=("A page is missing.",))
    found = versions([finnish, english], lambda act: everything, score, base="en")
    assert found["en"] == everything
    assert found["fi"].warnings[0] == "A page is missing."
    for name in lost:
        sentence = f"{english[name].citation} has no counterpart in the Finnish version."
        assert sentence in found["fi"].warnings
    assert "Article 1(2) has no counterpart in the Finnish version." in found["fi"].warnings
    texts = {unit.text for unit in example("fi").units}
    assert {item.text for item in found["fi"]} <= texts


def test_a_provision_that_only_another_version_has_is_a_warning() -> None:
    """A consensus is made in English; what the Finnish version alone would have had is not there."""
    english, finnish = damaged("en", "anx.pt-3"), example("fi")

    def chosen(act: Act) -> Summary:
        units = act.sentences("anx.pt-3")
        return Summary(act, 900, tuple(Item.of(u, act.sections[u.section], 0.5, "key_points") for u in units))

    found = versions([english, finnish], chosen, score)
    lost = finnish["anx.pt-3"].citation
    assert found["fi"].warnings == (f"{lost} has no counterpart in the English version.",)
    assert finnish["anx.pt-3"].text not in {item.text for item in found["fi"]}
    assert provisions(found["fi"], finnish) == provisions(found["en"], english) != set()


def test_explanations_cite_neighbours_in_the_language_of_the_version() -> None:
    english, greek = example("en"), example("el")
    unit, neighbour = english["art-1.par-1"], english["art-1.par-2"]
    why = Explanation(1, (0.1, 0.4), (Influence(neighbour.id, neighbour.citation, 0.3),))
    item = Item.of(unit, english.sections[unit.section], 0.4, "aim", why)
    found = versions([english, greek], lambda act: Summary(act, 99, (item,)), score, base="en")
    expected = Influence(neighbour.id, greek[neighbour.id].citation, 0.3)
    assert found["el"][0].explanation == replace(why, neighbours=(expected,))


@pytest.mark.parametrize(
    ("languages", "base", "named"),
    [([], None, ""), (["en"], "en", ""), (["en", "fi", "en"], None, "English"), (["en", "fi"], "sv", "'sv'")],
)
def test_versions_that_do_not_fit_together_are_refused(languages: list[str], base: str | None, named: str) -> None:
    with pytest.raises(OptionError) as refused:
        versions([example(language) for language in languages], summarize, score, base=base)
    assert named in str(refused.value)


def test_different_acts_are_refused_and_unknown_numbers_are_not() -> None:
    english, finnish = example("en"), example("fi")
    with pytest.raises(OptionError) as refused:
        versions([english, replace(finnish, celex="32016R0679")], summarize, score)
    assert "32016R0679" in str(refused.value) and english.celex in str(refused.value)
    unknown = replace(finnish, celex="")
    assert versions([english, unknown], summarize, score)["fi"].items


def test_versions_are_given_as_sources_or_by_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    paths = [EXAMPLES / f"{language}.txt" for language in ("fr", "en")]
    expected = summarize_acts([read(path) for path in paths], shipped(), SummaryOptions(words=90))
    assert lexlattice.summarize_versions(paths, words=90) == expected
    assert lexlattice.summarize_versions(paths, SummaryOptions(words=90), languages=("fr", "en")) == expected
    mixed: list[Source] = [read(paths[0]), paths[1].read_text("utf-8")]
    assert lexlattice.summarize_versions(mixed, words=90) == expected
    with paths[1].open("rb") as file:
        assert lexlattice.summarize_versions([paths[0], file], words=90, base="fr")["fr"] == lexlattice.summarize(
            paths[0], words=90
        )
    for language, path in zip(("fr", "en"), paths, strict=True):
        fetched_before(tmp_path, "32016R0679", language, path.read_bytes())
    monkeypatch.setenv("LEXLATTICE_CACHE", str(tmp_path))
    by_number = lexlattice.summarize_versions("32016R0679", words=90, languages=("fr", "en"))
    assert {language: summary.items for language, summary in by_number.items()} == {
        language: summary.items for language, summary in expected.items()
    }


def test_calls_that_name_no_versions_are_refused() -> None:
    path = EXAMPLES / "en.txt"
    with pytest.raises(OptionError):
        lexlattice.summarize_versions("32016R0679")
    with pytest.raises(OptionError):
        lexlattice.summarize_versions("32016R0679", languages="fr")
    with pytest.raises(OptionError):
        lexlattice.summarize_versions(path, languages=("fr", "en"))
    with pytest.raises(OptionError):
        lexlattice.summarize_versions([path, path], languages=("en",))
    with pytest.raises(OptionError):
        lexlattice.summarize_versions([path, EXAMPLES / "fr.txt"], language="en")
    with pytest.raises(OptionError):
        lexlattice.summarize_versions([path, EXAMPLES / "fr.txt"], SummaryOptions(), words=50)


def test_a_text_is_never_a_version_in_a_language_that_it_is_not_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, both = EXAMPLES / "en.txt", (example("en"), example("de"))
    fetched_before(tmp_path, "https://example.org/act", "en", path.read_bytes())
    monkeypatch.setenv("LEXLATTICE_CACHE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("32016R0679").write_bytes(path.read_bytes())
    for source in (str(path), path.read_text("utf-8"), "32016R0679", "https://example.org/act", "2016/679"):
        with pytest.raises(OptionError):
            lexlattice.summarize_versions(source, languages=("en", "de"))
    with pytest.raises(OptionError):
        lexlattice.summarize_versions([path, path], languages=("en", "de"))
    for languages in (("fr", "it"), ("de", "en"), ("en",), ("en", "de", "fr"), ("en", "xx")):
        with pytest.raises(OptionError):
            lexlattice.summarize_versions(both, languages=languages)
    assert list(lexlattice.summarize_versions(both, languages=("en", "de"), words=90)) == ["en", "de"]
    assert list(lexlattice.summarize_versions(iter(both), words=90)) == ["en", "de"]


def test_versions_are_aligned_with_the_encoder_that_is_given() -> None:
    seen: list[int] = []

    def encode(texts: list[str]) -> NDArray[np.float32]:
        seen.append(len(texts))
        return np.zeros((len(texts), 2), np.float32)

    found = versions([example("en"), example("fi")], summarize, score, base="en", encode=encode)
    assert seen == [len({unit.provision for unit in example(language)}) for language in ("en", "fi")]
    assert len(found["fi"].warnings) > 0, "what has nothing in common is not the same"
