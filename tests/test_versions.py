"""One act in several languages: the same provisions in each, and what one of them lacks is said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexlattice import Act, LexLatticeError, Unit, read
from lexlattice.alignment import align
from lexlattice.grouping import group_of
from lexlattice.selection import select
from lexlattice.selection.dependencies import Ties
from lexlattice.summary import Explanation, Influence, Item, Summary
from lexlattice.versions import consensus, emit, summarize_versions
from little_acts import EXAMPLES, LANGUAGES

BUDGET = 150


@cache
def example(language: str) -> Act:
    return read(EXAMPLES / f"{language}.txt")


def score(act: Act) -> NDArray[np.float32]:
    """At random, but each language always the same, and not quite the same in each."""
    common = {unit.provision: Random(unit.provision).random() for unit in act.units}
    own = Random(act.language)
    return np.array([0.8 * common[unit.provision] + 0.2 * own.random() for unit in act.units], np.float32)


def summarize(act: Act) -> Summary:
    scores, groups = score(act), group_of(act)
    chosen = {unit.id for unit in select(act, scores, BUDGET).units}
    items = tuple(
        Item.of(unit, act.sections[unit.section], float(scores[place]), groups[place])
        for place, unit in enumerate(act.units)
        if unit.id in chosen
    )
    return Summary(act, BUDGET, items, act.warnings)


def damaged(language: str, *lost: str) -> Act:
    """The example without some provisions."""
    whole = example(language)
    gone = {unit.text for name in lost for unit in whole.sentences(name)}
    lines = [line for line in whole.source.split("\n") if line not in gone]
    return read("\n".join(lines), language=language)


def provisions(units: Sequence[Unit] | Summary, act: Act) -> set[str]:
    return {act[unit.id].provision for unit in units}


# --- what is chosen in one version, in another --------------------------------------------------------------

choices = st.sets(st.sampled_from([unit.id for unit in example("en").units]))
languages = st.sampled_from(LANGUAGES)


@given(choices, languages, languages)
def test_the_same_provisions_come_out_in_every_language(names: set[str], first: str, second: str) -> None:
    english, source, target = example("en"), example(first), example(second)
    chosen, missing = emit([english[name] for name in sorted(names)], english, source, align(english, source))
    emitted, missing_there = emit(chosen, source, target, align(source, target))
    assert missing == missing_there == []
    assert provisions(emitted, target) == provisions(chosen, source) == {english[name].provision for name in names}
    assert [unit for unit in target.units if unit in emitted] == emitted
    back, _ = emit(emitted, target, english, align(target, english))
    assert {unit.id for unit in back} >= names
    assert provisions(back, english) == {english[name].provision for name in names}


@given(choices, languages)
def test_there_and_back_is_the_same_choice(names: set[str], language: str) -> None:
    english, act = example("en"), example(language)
    assert [unit.id for unit in english.units] == [unit.id for unit in act.units]
    there, _ = emit([english[name] for name in names], english, act, align(english, act))
    back, _ = emit(there, act, english, align(act, english))
    assert {unit.id for unit in back} == names


@given(choices, st.lists(st.sampled_from(["art-1.par-2", "art-4.par-1", "anx.pt-3", "rec-2"]), unique=True))
@settings(max_examples=25)
def test_what_a_version_lacks_is_named_and_not_replaced(names: set[str], lost: list[str]) -> None:
    english, act = example("en"), damaged("de", *lost)
    alignment = align(english, act)
    emitted, missing = emit([english[name] for name in names], english, act, alignment)
    assert {english[name].provision for name in missing} >= {english[name].provision for name in names} & {*lost}
    assert missing == [unit.id for unit in english.units if unit.id in names and unit.id in alignment.unaligned]
    whole = {unit.text for name in names for unit in example("de").sentences(english[name].provision)}
    assert {unit.text for unit in emitted} <= whole


# --- consensus --------------------------------------------------------------------------------------------

scores = st.floats(0, 1, width=16)
rankings = st.dictionaries(
    st.sampled_from(LANGUAGES),
    st.dictionaries(st.sampled_from([f"art-{n}" for n in range(9)]), scores).map(lambda some: list(some.items())),
    min_size=1,
    max_size=5,
)


@given(rankings, st.randoms(use_true_random=False))
def test_the_order_of_versions_does_not_matter(some: dict[str, list[tuple[str, float]]], draw: Random) -> None:
    choices = {language: {name for name, _ in ranking if draw.random() < 0.5} for language, ranking in some.items()}
    shuffled = draw.sample(sorted(some.items()), len(some))
    assert consensus(dict(shuffled)) == consensus(some)
    assert consensus(dict(shuffled), choices) == consensus(some, choices)
    assert {name for name, _ in consensus(some)} == {name for ranking in some.values() for name, _ in ranking}


@given(rankings, st.sampled_from([0.25, 0.5, 2, 8]), st.sampled_from([-1, 0, 2]))
def test_all_versions_count_alike(some: dict[str, list[tuple[str, float]]], factor: float, shift: float) -> None:
    """A version whose scores are all higher, or further apart, has no more say."""
    first = min(some)
    moved = {**some, first: [(name, factor * score + shift) for name, score in some[first]]}
    before = dict(consensus(some))
    assert dict(consensus(moved)) == pytest.approx(before, abs=1e-6)


@given(rankings, st.randoms(use_true_random=False))
def test_what_more_versions_chose_comes_first(some: dict[str, list[tuple[str, float]]], draw: Random) -> None:
    chosen = {language: {name for name, _ in ranking if draw.random() < 0.5} for language, ranking in some.items()}

    def share(name: str) -> float:
        votes = [name in chosen[language] for language, ranking in some.items() if name in dict(ranking)]
        return sum(votes) / len(votes)

    order = consensus(some, chosen)
    shares = [share(name) for name, _ in order]
    assert shares == sorted(shares, reverse=True)
    for (_, first), (_, second), a, b in zip(order, order[1:], shares, shares[1:], strict=False):
        assert a > b or first >= second


# --- summaries --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", [None, "fi", "mt"])
def test_summaries_of_all_versions_hold_the_same_provisions(base: str | None) -> None:
    acts = [example(language) for language in LANGUAGES]
    found = summarize_versions(acts, summarize, score, base=base)
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


def test_versions_may_come_in_any_order() -> None:
    acts = [example(language) for language in ("fi", "en", "el")]
    first = summarize_versions(acts, summarize, score)
    for others in permutations(acts):
        assert summarize_versions(others, summarize, score) == first


def test_a_consensus_has_what_most_versions_chose_and_can_be_read_alone() -> None:
    acts = [example(language) for language in LANGUAGES]
    english = summarize_versions(acts, summarize, score)["en"]
    votes = [{item.id for item in summarize(act)} for act in acts]
    chosen = {item.id for item in english}
    assert chosen <= set.union(*votes)
    ties = Ties.of(english.act)
    for place, unit in enumerate(english.act.units):
        if all(unit.id in of_version for of_version in votes) and not ties.never_alone[place]:
            assert unit.id in chosen
        if unit.id in chosen and ties.needs[place] >= 0:
            assert english.act.units[ties.needs[place]].id in chosen
    means = {unit.id: np.mean([score(act)[place] for act in acts]) for place, unit in enumerate(english.act.units)}
    assert [item.score for item in english] == [pytest.approx(means[item.id], abs=1e-4) for item in english]


def test_without_english_the_first_version_by_its_code_keeps_the_budget() -> None:
    found = summarize_versions([example("pl"), example("de")], summarize, score)
    assert found["de"].words <= BUDGET
    assert provisions(found["de"], found["de"].act) == provisions(found["pl"], found["pl"].act)


def test_what_a_version_lacks_is_said_in_a_sentence() -> None:
    english = example("en")
    lost = ["art-1.par-2", "art-5.par-1"]
    everything = Summary(
        english, 900, tuple(Item.of(u, english.sections[u.section], 0.5, "key_points") for u in english.units)
    )
    finnish = replace(damaged("fi", *lost), warnings=("A page is missing.",))
    found = summarize_versions([finnish, english], lambda act: everything, score, base="en")
    assert found["en"] == everything
    assert found["fi"].warnings[0] == "A page is missing."
    for name in lost:
        sentence = f"{english[name].citation} has no counterpart in the Finnish version."
        assert sentence in found["fi"].warnings
    assert "Article 1(2) has no counterpart in the Finnish version." in found["fi"].warnings
    texts = {unit.text for unit in example("fi").units}
    assert {item.text for item in found["fi"]} <= texts


def test_what_only_another_version_has_is_said_too() -> None:
    """A consensus is written down in English; what the Finnish version alone would have had is not there."""
    english, finnish = damaged("en", "anx.pt-3"), example("fi")

    def chosen(act: Act) -> Summary:
        units = act.sentences("anx.pt-3")
        return Summary(act, 900, tuple(Item.of(u, act.sections[u.section], 0.5, "key_points") for u in units))

    found = summarize_versions([english, finnish], chosen, score)
    lost = finnish["anx.pt-3"].citation
    assert found["fi"].warnings == (f"{lost} has no counterpart in the English version.",)
    assert found["fi"].items == found["en"].items == ()


def test_reasons_are_given_in_the_language_of_the_version() -> None:
    english, greek = example("en"), example("el")
    unit, neighbour = english["art-1.par-1"], english["art-1.par-2"]
    why = Explanation(1, (0.1, 0.4), (Influence(neighbour.id, neighbour.citation, 0.3),))
    item = Item.of(unit, english.sections[unit.section], 0.4, "aim", why)
    found = summarize_versions([english, greek], lambda act: Summary(act, 99, (item,)), score, base="en")
    expected = Influence(neighbour.id, greek[neighbour.id].citation, 0.3)
    assert found["el"][0].explanation == replace(why, neighbours=(expected,))


@pytest.mark.parametrize(
    ("languages", "base", "sentence"),
    [
        ([], None, "There are too few versions; give the act in two languages at least."),
        (["en"], "en", "There are too few versions; give the act in two languages at least."),
        (["en", "fi", "en"], None, "Two versions are in English; give one for each language."),
        (["en", "fi"], "sv", "There is no version in 'sv' to choose on; take one of: en, fi."),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(languages: list[str], base: str | None, sentence: str) -> None:
    with pytest.raises(LexLatticeError) as refused:
        summarize_versions([example(language) for language in languages], summarize, score, base=base)
    assert str(refused.value) == sentence


def test_different_acts_are_refused_and_unknown_numbers_are_not() -> None:
    english, finnish = example("en"), example("fi")
    with pytest.raises(LexLatticeError, match="These are different acts, 32016R0679 and 32024R9001; give versions of"):
        summarize_versions([english, replace(finnish, celex="32016R0679")], summarize, score)
    unknown = replace(finnish, celex="")
    assert summarize_versions([english, unknown], summarize, score)["fi"].items


def test_versions_are_aligned_with_the_encoder_that_is_given() -> None:
    seen: list[int] = []

    def encode(texts: list[str]) -> NDArray[np.float32]:
        seen.append(len(texts))
        return np.zeros((len(texts), 2), np.float32)

    found = summarize_versions([example("en"), example("fi")], summarize, score, base="en", encode=encode)
    assert seen == [len({unit.provision for unit in example(language)}) for language in ("en", "fi")]
    assert len(found["fi"].warnings) > 0, "what has nothing in common is not the same"
