"""What the model is told of an act: always numbers, the same in every language, and what was counted is right."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from helpers.acts import LANGUAGES
from helpers.generated_acts import Rough, acts, made, texts, words
from lexlattice import Act, read
from lexlattice.encoding.static import Static
from lexlattice.encoding.tokens import tokenizer
from lexlattice.research.coverage.features import KINDS, Features, features_of
from lexlattice.research.coverage.ngrams import Occurrences, layout_of, ngrams_of

Floats = NDArray[np.float32]

DIMENSIONS = 7
NUMBERS = ("units", "word_vectors", "words", "bigrams", "unit_anchors", "word_anchors", "act")


class Names:
    """Gives words vectors by a number each has; one word of three has none, as in an encoder that does not know it."""

    def __init__(self, number: dict[str, int] | None = None) -> None:
        self._number = number

    def encode_words(self, some: list[str]) -> Floats:
        numbers = [self._of(word) for word in some]
        rows = [np.random.default_rng(number).normal(size=DIMENSIONS) * (number % 3) for number in numbers]
        return np.array(rows, np.float32).reshape(len(some), DIMENSIONS)

    def _of(self, word: str) -> int:
        return sum(map(ord, word)) if self._number is None else self._number[word]


def vectors_for(act: Act, seed: int = 0) -> Floats:
    """Some vectors of length one, and some of zero."""
    sampled = np.random.default_rng(seed).normal(size=(len(act), DIMENSIONS)).astype(np.float32)
    sampled /= np.linalg.norm(sampled, axis=1, keepdims=True)
    sampled[::5] = 0
    return sampled


def check_numbers(features: Features) -> None:
    for name in NUMBERS:
        values = getattr(features, name)
        assert values.dtype == np.float32, name
        assert np.isfinite(values).all(), name
    for budget in (0, 1, 500, 10**9):
        assert np.isfinite(features.with_budget(budget)).all()


# --- always numbers ---------------------------------------------------------------------------------------

SAME: Rough = ("article", "", ["word " * 1_000])
ODD = {
    "no units": made(("title", "", [])),
    "one unit": made(("body", "", ["Once."])),
    "one empty unit": made(("body", "", [""])),
    "only empty units": made(("recitals", "", ["", ""]), ("article", "", ["", "—"])),
    "the same word a thousand times": made(SAME),
    "digits": made(("title", "", ["2024"]), ("article", "1", ["1 2 3 4", "2024 2024"]), title="2024"),
    "no articles": made(("recitals", "", ["Whereas it is.", "Whereas it was."]), ("annex", "", ["It is."])),
    "no title": made(("article", "Scope", ["It applies."])),
    "articles without units": made(("article", "", []), ("article", "", ["It applies."]), ("article", "", [])),
    "one section of many": made(*(("notes", "", [str(number)]) for number in range(200))),
}


@pytest.mark.parametrize("name", ODD)
def test_features_of_odd_acts_are_finite(name: str) -> None:
    with np.errstate(all="raise", under="ignore"):
        check_numbers(features_of(ODD[name], vectors_for(ODD[name]), Names()))


@given(acts)
def test_features_of_generated_acts_are_finite(act: Act) -> None:
    with np.errstate(all="raise", under="ignore"):
        features = features_of(act, vectors_for(act), Names())
    check_numbers(features)
    assert len(features.units) == len(act)
    assert len(features.words) == len(features.word_vectors) == len(features.ngrams.words)
    assert len(features.bigrams) == len(features.ngrams.bigrams)


def test_all_acts_have_the_same_number_of_features() -> None:
    found = [features_of(act, vectors_for(act), Names()) for act in ODD.values()]
    widths = {tuple(getattr(features, name).shape[-1] for name in NUMBERS) for features in found}
    assert len(widths) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_features_have_an_ordinary_size_in_every_language(examples: Path, language: str) -> None:
    act, encoder = read(examples / "short" / f"{language}.txt"), Static()
    vectors = encoder.encode([unit.text for unit in act.units])
    features = features_of(act, vectors, encoder)
    np.testing.assert_allclose(features_of(act, None, encoder).vectors, vectors, atol=1e-6)
    check_numbers(features)
    assert max(np.abs(getattr(features, name)).max() for name in NUMBERS) < 100
    assert features.units.any(axis=0).sum() > KINDS / 2
    assert features.words.any(axis=0).mean() > 0.75


# --- nothing of any language ------------------------------------------------------------------------------


def renamed(act: Act, names: dict[str, str]) -> Act:
    """The same act in a language whose words are others."""

    def new(text: str) -> str:
        return re.sub(r"\w+", lambda found: names[found[0].lower()], text)

    sections = [(s.kind, new(s.heading), [new(unit.text) for unit in s.units]) for s in act.sections]
    return made(*sections, title=new(act.title), language=act.language, kinds=[unit.kind for unit in act.units])


@given(st.permutations("the label shall be legible".split()), st.data())
def test_features_do_not_depend_on_the_language(order: list[str], data: st.DataObject) -> None:
    """Every word gives way to another that is as much of a number and means the same: nothing changes."""
    names = dict(zip("the label shall be legible".split(), (f"{word}λ" for word in order), strict=True))
    names |= {"5": "7", "2024": "1999"}
    line = st.lists(st.sampled_from([*names, "Label", "—"]), max_size=8).map(" ".join)
    section = st.tuples(st.sampled_from(["title", "recitals", "article", "annex"]), line, st.lists(line, max_size=4))
    act = made(*data.draw(st.lists(section, min_size=1, max_size=4)), title=data.draw(line))
    number = {old: place for place, old in enumerate(names)}
    vectors = vectors_for(act)
    before = features_of(act, vectors, Names(number))
    elsewhere = replace(renamed(act, names), language="el")
    after = features_of(elsewhere, vectors, Names({names[old]: place for old, place in number.items()}))
    assert after.ngrams.words == [names[word] for word in before.ngrams.words]
    for name in NUMBERS:
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name), err_msg=name)


def test_features_distinguish_words() -> None:
    """So that the law above says something: a word in the title, a year and a rare word are not the same."""
    act = made(
        ("title", "", ["Labels of 2024"]), ("article", "Scope", ["labels of 77 and scope"]), title="Labels of 2024"
    )
    features = features_of(act, vectors_for(act), Names())
    assert len(np.unique(features.words, axis=0)) == len(features.ngrams.words) == 6


def test_the_budget_features_are_words_and_share() -> None:
    act = made(("article", "", ["a b c d e f g h"]))
    features = features_of(act, vectors_for(act), Names())
    np.testing.assert_allclose(features.with_budget(4)[-2:], [np.log(5), np.log(0.5)], rtol=1e-6)
    np.testing.assert_array_equal(features.with_budget(4)[:-2], features.act)


def test_empty_sections_are_not_counted() -> None:
    act = made(
        *(("title", "", ["Title"]), ("recitals", "", ["One", "Two"]), ("article", "", []), ("article", "", ["A", "B"])),
        ("annex", "", ["C"]),
    )
    layout = layout_of(act)
    assert layout.sections.tolist() == [0, 1, 1, 2, 2, 3]
    assert layout.articles.tolist() == [-1, -1, -1, 0, 0, -1]
    assert layout.recitals.tolist() == [-1, 0, 1, -1, -1, -1]
    assert (layout.section_count, layout.article_count) == (4, 1)
    assert layout.in_kind("annex").tolist() == [False] * 5 + [True]


# --- words and bigrams --------------------------------------------------------------------------------------


def counted(occurrences: Occurrences, names: list[object]) -> list[Counter[object]]:
    found: list[Counter[object]] = [Counter() for _ in range(occurrences.unit_count)]
    rows = zip(occurrences.units.tolist(), occurrences.ngrams.tolist(), occurrences.counts.tolist(), strict=True)
    for unit, ngram, count in rows:
        assert names[ngram] not in found[unit]
        found[unit][names[ngram]] = count
    return found


@given(st.lists(texts, max_size=8))
@example([])
@example(["a", "a", "a a"])
def test_bigrams_do_not_cross_units(some: list[str]) -> None:
    ngrams = ngrams_of(some)
    tokens = [tokenizer("unicode")(text) for text in some]
    bigrams: list[object] = [(ngrams.words[left], ngrams.words[right]) for left, right in ngrams.bigrams.tolist()]
    assert counted(ngrams.of_words, [*ngrams.words]) == [Counter(unit) for unit in tokens]
    assert counted(ngrams.of_bigrams, bigrams) == [Counter(pairwise(unit)) for unit in tokens]
    assert len(set(bigrams)) == len(bigrams)
    assert ngrams.words == list(dict.fromkeys(word for unit in tokens for word in unit))


@given(st.lists(st.lists(words, max_size=8).map(" ".join), max_size=8))
def test_entries_are_indexed_by_unit_and_by_ngram(some: list[str]) -> None:
    ngrams = ngrams_of(some)
    for occurrences in (ngrams.of_words, ngrams.of_bigrams):
        totals = Counter(dict.fromkeys(range(occurrences.ngram_count), 0))
        for ngram, count in zip(occurrences.ngrams.tolist(), occurrences.counts.tolist(), strict=True):
            totals[ngram] += count
        assert occurrences.totals.tolist() == [totals[ngram] for ngram in range(occurrences.ngram_count)]
        for unit in range(occurrences.unit_count):
            of_unit = slice(*occurrences.starts[unit : unit + 2])
            assert (occurrences.units[of_unit] == unit).all()
        assert occurrences.starts[-1] == len(occurrences.units)
        for ngram in range(occurrences.ngram_count):
            entries = occurrences.by_ngram[slice(*occurrences.ngram_starts[ngram : ngram + 2])]
            assert (occurrences.ngrams[entries] == ngram).all()
            assert len(entries) == (occurrences.ngrams == ngram).sum()
