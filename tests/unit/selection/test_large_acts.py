"""Acts of any size: what is computed in parts is what it would be at once, and costs grow in proportion."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from helpers.generated_acts import made
from helpers.timing import LINEAR, growth
from lexlattice import Act
from lexlattice.encoding.static import Static
from lexlattice.lattice import automaton
from lexlattice.lattice.automaton import Attention, Dense, Groups, Links
from lexlattice.lattice.features import features_of, similarity
from lexlattice.selection.decoder import choose

VOCABULARY = [f"{first}{second}" for first in ("hives", "honey", "labels", "keepers") for second in "abcdefghijklmno"]


def lines(count: int) -> list[str]:
    """Different sentences of the same few words, so that all of them share some."""
    draw = random.Random(1)
    return [f"Operator {number} shall mind {' '.join(draw.sample(VOCABULARY, 12))}." for number in range(count)]


def articles(count: int) -> Act:
    return made(*(("article", "", [line]) for line in lines(count)))


def paragraphs(count: int) -> Act:
    return made(("article", "", lines(count)))


def sentences(count: int) -> Act:
    """All of one provision, so that each needs those before it."""
    act = paragraphs(count)
    (article,) = act.sections
    return replace(act, sections=(replace(article, units=tuple(u._replace(provision="art-1") for u in article.units)),))


def choosing(act: Act, share: float) -> Callable[[], object]:
    scores = np.random.default_rng(1).random(len(act))
    return lambda: choose(act, scores, int(share * act.words))


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("build", [articles, paragraphs])
def test_choosing_much_of_a_large_act_costs_in_proportion(build: Callable[[int], Act], share: float) -> None:
    assert growth(choosing(build(1000), share), choosing(build(8000), share)) < LINEAR


def test_sentences_of_one_provision_cost_in_proportion_and_come_from_its_first() -> None:
    large = sentences(2000)
    assert growth(choosing(sentences(250), 0.5), choosing(large, 0.5)) < LINEAR
    chosen = choose(large, np.random.default_rng(1).random(len(large)), large.words // 2).units
    assert len(chosen) > 800
    assert chosen == tuple(range(len(chosen)))


def test_everything_comes_in_the_order_of_shorter_choices() -> None:
    act = paragraphs(600)
    scores = np.random.default_rng(1).random(len(act))
    whole, half = choose(act, scores, act.words), choose(act, scores, act.words // 2)
    assert whole.steps[: len(half.steps)] == half.steps
    assert whole.units == tuple(range(len(act)))


def test_similarities_in_blocks_are_those_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lines(23)
    act = made(("recitals", "", texts[:9]), *(("article", text[-9:], [text]) for text in texts[9:]))
    once = features_of(act, Static())
    monkeypatch.setattr(similarity, "AT_ONCE", 4)
    blocks = features_of(act, Static())
    np.testing.assert_allclose(blocks.units, once.units, atol=1e-5)
    np.testing.assert_allclose(blocks.sections, once.sections, atol=1e-5)


def test_attention_in_blocks_is_that_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(1)
    dense = [Dense(draw.normal(size=(5, 5)).astype(np.float32), np.zeros(5, np.float32)) for _ in range(3)]
    means = draw.normal(size=(23, 5)).astype(np.float32)
    once = Attention(*dense)(means)
    monkeypatch.setattr(automaton, "AT_ONCE", 4)
    np.testing.assert_allclose(Attention(*dense)(means), once, atol=1e-5)


def test_links_take_the_mean_over_different_sections_that_have_cells() -> None:
    sections = Groups(np.array([0, 0, 2, 3, 5]))
    pairs = np.array([(0, 2), (0, 2), (0, 3), (2, 2), (3, 0), (4, 0), (2, 7)])
    links, states = Links.of(sections, pairs), np.array([[1.0], [2.0], [4.0], [8.0]], np.float32)
    assert links.cited.of(states).ravel().tolist() == [3, 0, 1, 0]
    assert links.citing.of(states).ravel().tolist() == [4, 1, 1, 0]
    np.testing.assert_array_equal(links.cited.matrix() @ states, links.cited.of(states))


def test_without_links_there_is_nothing_to_take() -> None:
    links = Links.of(Groups(np.arange(3)), np.zeros((0, 2), np.int64))
    assert not links.citing.of(np.ones((3, 2), np.float32)).any()


def test_sections_by_the_thousand_take_no_square_of_memory() -> None:
    count, width = 6000, 4
    dense = Dense(np.eye(width, dtype=np.float32), np.zeros(width, np.float32))
    pairs = np.stack([np.arange(count), np.arange(count)[::-1]], axis=1)
    tracemalloc.start()
    links = Links.of(Groups(np.arange(count)), pairs)
    states = Attention(dense, dense, dense)(links.cited.of(np.ones((count, width), np.float32)))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert states.shape == (count, width)
    assert most < count * count * 4 / 2
