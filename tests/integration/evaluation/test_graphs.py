"""Centrality computed by way of the words is what the definitions say, and takes time linear in the act's length."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from helpers.timing import LINEAR, fastest, growth
from lexlattice import read
from lexlattice.encoding.tokens import tokenizer
from lexlattice.evaluation import baselines
from lexlattice.evaluation.baselines import (
    centroid,
    centroid_of_texts,
    lexrank,
    lexrank_of_texts,
    lexrank_of_vectors,
    textrank,
    textrank_of_texts,
)

Scorer = Callable[[list[str]], NDArray[np.float64]]

WALKS = [lexrank_of_texts, textrank_of_texts]
SCORERS = [*WALKS, centroid_of_texts]
TEXTS = st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=9).map(" ".join), max_size=12)
VECTORS = arrays(np.float32, st.tuples(st.integers(1, 9), st.just(3)), elements=st.integers(-4, 4).map(float))
each_scorer = pytest.mark.parametrize("scorer", SCORERS)


# --- the definitions, pair by pair ------------------------------------------------------------------------


def tf_idf(texts: list[str]) -> NDArray[np.float64]:
    units = [Counter(tokenizer()(text)) for text in texts]
    terms = sorted(set().union(*units))
    idf = [math.log(len(units) / sum(term in unit for unit in units)) for term in terms]
    return np.array([[unit[term] * weight for term, weight in zip(terms, idf, strict=True)] for unit in units])


def cosines(vectors: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.outer(np.linalg.norm(vectors, axis=1), np.linalg.norm(others, axis=1))
    return vectors @ others.T / np.where(lengths, lengths, 1)


def overlap(one: list[str], other: list[str]) -> float:
    if min(len(one), len(other)) < 2:
        return 0.0
    return len(set(one) & set(other)) / (math.log(len(one)) + math.log(len(other)))


def rank(similarities: NDArray[np.float64]) -> NDArray[np.float64]:
    """PageRank of a dense graph; a unit without links leads everywhere."""
    sums = similarities.sum(axis=1, keepdims=True)
    size = len(similarities)
    chain = np.divide(similarities, sums, out=np.full((size, size), 1 / size), where=sums > 0)
    return np.linalg.solve(np.eye(size) - 0.85 * chain.T, np.full(size, 0.15 / size))


def dense_lexrank(texts: list[str]) -> NDArray[np.float64]:
    vectors = tf_idf(texts)
    return rank(cosines(vectors, vectors))


def dense_textrank(texts: list[str]) -> NDArray[np.float64]:
    units = [tokenizer()(text) for text in texts]
    similarities = np.array([[overlap(one, other) for other in units] for one in units])
    np.fill_diagonal(similarities, 0)
    return rank(similarities)


def dense_centroid(texts: list[str]) -> NDArray[np.float64]:
    vectors = tf_idf(texts)
    return cosines(vectors, vectors.mean(axis=0, keepdims=True))[:, 0]


DENSE: dict[Scorer, Scorer] = {
    lexrank_of_texts: dense_lexrank,
    textrank_of_texts: dense_textrank,
    centroid_of_texts: dense_centroid,
}


@each_scorer
@given(texts=TEXTS.filter(bool))
@example(texts=["a b", "a b c", "d", "…", "e f", "a a a a a a a b"])
def test_scores_are_those_of_the_definition(scorer: Scorer, texts: list[str]) -> None:
    assert_allclose(scorer(texts), DENSE[scorer](texts), rtol=1e-7, atol=1e-12)


@each_scorer
def test_a_whole_act_is_ranked_as_by_the_definition(scorer: Scorer, examples: Path) -> None:
    texts = [unit.text for unit in read(examples / "long" / "en.txt").units]
    scores, defined = scorer(texts), DENSE[scorer](texts)
    assert_allclose(scores, defined, rtol=1e-7)
    ranked = defined[np.argsort(-scores, kind="stable")]
    assert np.all(np.diff(ranked) <= 1e-10)


def test_units_of_any_length_are_compared_as_by_the_definition() -> None:
    texts = [
        " ".join(f"w{n * step % 997}" for n in range(length)) for step, length in enumerate((2, 3, 9, 80, 9000), 1)
    ]
    assert_allclose(textrank_of_texts(texts), dense_textrank(texts), rtol=1e-7)


# --- what holds for all texts -----------------------------------------------------------------------------


@each_scorer
@given(texts=TEXTS)
def test_one_finite_score_for_each_unit(scorer: Scorer, texts: list[str]) -> None:
    scores = scorer(texts)
    assert scores.shape == (len(texts),)
    assert scores.dtype == np.float64
    assert np.all(np.isfinite(scores)) and np.all(scores >= 0)


@pytest.mark.parametrize("scorer", WALKS)
@given(texts=TEXTS.filter(bool))
def test_a_walk_is_always_somewhere(scorer: Scorer, texts: list[str]) -> None:
    assert math.isclose(scorer(texts).sum(), 1)


@each_scorer
@given(texts=TEXTS.filter(bool), data=st.data())
def test_the_same_text_scores_the_same_anywhere(scorer: Scorer, texts: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(texts)))
    doubled = [*texts[:place], texts[-1], *texts[place:]]
    scores = scorer(doubled)
    assert scores[place] == scores[-1]


@each_scorer
@given(texts=TEXTS, data=st.data())
def test_the_order_of_units_does_not_matter(scorer: Scorer, texts: list[str], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(texts))))
    assert_allclose(scorer([texts[n] for n in order]), scorer(texts)[list(order)], atol=1e-9)


@each_scorer
def test_units_without_words_come_last(scorer: Scorer) -> None:
    scores = scorer(["hives are kept here", "—", "hives are public", "", "unheard", "bees are kept in hives"])
    assert scores[1] == scores[3] == scores.min()
    assert scores[4] < scores[[0, 5]].min()


def test_a_unit_like_no_other_is_left_out_of_textrank_but_like_itself_for_lexrank() -> None:
    texts = ["hives are kept here", "unheard of", "bees are kept in hives", "—"]
    assert textrank_of_texts(texts)[1] == textrank_of_texts(texts)[3]
    assert lexrank_of_texts(texts)[1] > lexrank_of_texts(texts)[3]


@pytest.mark.parametrize("scorer", WALKS)
@pytest.mark.parametrize("texts", [["alone here"], ["the same words"] * 3, ["—", ""], ["one", "one"]])
def test_where_nothing_tells_units_apart_they_are_equal(scorer: Scorer, texts: list[str]) -> None:
    assert_allclose(scorer(texts), 1 / len(texts))


@pytest.mark.parametrize(
    ("of_act", "of_texts"), [(lexrank, lexrank_of_texts), (centroid, centroid_of_texts), (textrank, textrank_of_texts)]
)
@pytest.mark.parametrize("language", ["en", "el", "bg"])
def test_the_units_of_an_act_are_its_texts(
    examples: Path, of_act: Callable[..., NDArray[np.float64]], of_texts: Scorer, language: str
) -> None:
    act = read(examples / "short" / f"{language}.txt")
    assert of_act(act).tobytes() == of_texts([unit.text for unit in act.units]).tobytes()
    assert len(set(of_act(act))) > len(act) / 2


def test_scores_do_not_depend_on_the_order_of_hashes(examples: Path) -> None:
    code = (
        "import sys, hashlib, lexlattice; from lexlattice.evaluation.baselines import *\n"
        "act = lexlattice.read(sys.argv[1])\n"
        "print(hashlib.sha256(b''.join(f(act).tobytes() for f in (lexrank, centroid, textrank))).hexdigest())"
    )
    runs = {
        subprocess.check_output(
            [sys.executable, "-c", code, str(examples / "long" / "en.txt")], env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    }
    assert len(runs) == 1


# --- vectors ----------------------------------------------------------------------------------------------


def power_method(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """The walk itself, step by step, until it rests."""
    exact = vectors.astype(np.float64)
    weights = cosines(exact, exact)
    if weights.min() <= 0:
        weights = np.exp(weights)
    chain = weights / weights.sum(axis=1, keepdims=True)
    rest: NDArray[np.float64] = np.linalg.matrix_power(chain, 1 << 12)[0]
    return rest


@given(VECTORS)
def test_a_walk_among_vectors_rests_where_steps_lead_it(vectors: NDArray[np.float32]) -> None:
    exact = vectors.astype(np.float64)
    lowest = cosines(exact, exact).min()
    assume(abs(lowest) > 1e-6 or not vectors.any(axis=1).all())  # on which side a right angle falls is up to rounding
    assert_allclose(lexrank_of_vectors(vectors), power_method(vectors), rtol=1e-5)


@given(VECTORS.map(lambda vectors: np.abs(vectors) + np.float32(0.5)))
def test_a_walk_among_vectors_that_all_point_one_way(vectors: NDArray[np.float32]) -> None:
    assert_allclose(lexrank_of_vectors(vectors), power_method(vectors), rtol=1e-5)


@pytest.mark.parametrize("shift", [0, 5])
def test_vectors_are_compared_block_by_block(monkeypatch: pytest.MonkeyPatch, shift: int) -> None:
    vectors = np.random.default_rng(7).normal(shift, 1, (50, 16)).astype(np.float32)
    at_once = lexrank_of_vectors(vectors)
    monkeypatch.setattr(baselines, "_TILE", 7 * len(vectors))
    assert_allclose(lexrank_of_vectors(vectors), at_once, rtol=1e-6)
    assert_allclose(at_once, power_method(vectors), rtol=1e-5)


def test_vectors_of_nothing() -> None:
    assert_allclose(lexrank_of_vectors(np.zeros((4, 8), np.float32)), 0.25)
    assert lexrank_of_vectors(np.zeros((0, 8), np.float32)).shape == (0,)


# --- how long it takes ------------------------------------------------------------------------------------


@cache
def synthetic(units: int) -> list[str]:
    """Texts of ten words on average, a few of them frequent and most of them rare, as in acts."""
    generator = np.random.default_rng(units)
    lengths = generator.integers(1, 20, units)
    words = [f"w{n}" for n in np.minimum(generator.zipf(1.3, lengths.sum()), 20_000)]
    ends = np.cumsum(lengths)
    return [" ".join(words[end - length : end]) for end, length in zip(ends, lengths, strict=True)]


@each_scorer
@pytest.mark.slow
def test_eight_times_the_units_take_about_eight_times_as_long(scorer: Scorer) -> None:
    """If pairs were compared, it would be 64."""
    few, many = synthetic(10_000), synthetic(80_000)
    assert growth(lambda: scorer(few), lambda: scorer(many)) < LINEAR
    assert fastest(lambda: scorer(many), enough=20) < 20
