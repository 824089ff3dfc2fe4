"""How often translations are found: what the measure must say of vectors that are easy to judge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lexlattice.research.encoder.measure import precision_at_1

Vectors = NDArray[np.float32]
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(2, 40)


def drawn(seed: int, many: int, noise: float = 1.0) -> tuple[Vectors, Vectors]:
    """Vectors, and the same with something added."""
    chance = np.random.default_rng(seed)
    vectors = chance.standard_normal((many, 16), np.float32)
    return vectors, vectors + np.float32(noise) * chance.standard_normal((many, 16), np.float32)


def slow(queries: Vectors, candidates: Vectors) -> float:
    hits = 0
    for place, query in enumerate(queries.astype(np.float64)):
        cosines = [query @ candidate / np.linalg.norm(candidate) for candidate in candidates.astype(np.float64)]
        hits += all(cosines[place] > cosine for other, cosine in enumerate(cosines) if other != place)
    return hits / len(queries)


@given(seeds, sizes, st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_the_share_is_that_of_a_slow_count(seed: int, many: int, noise: float) -> None:
    queries, candidates = drawn(seed, many, noise)
    assert precision_at_1(queries, candidates) == slow(queries, candidates)


@given(seeds, sizes)
def test_a_text_finds_itself(seed: int, many: int) -> None:
    vectors, _ = drawn(seed, many)
    assert precision_at_1(vectors, vectors) == 1
    assert precision_at_1(vectors, np.roll(vectors, 1, axis=0)) == 0


@pytest.mark.parametrize("dimensions", [1, 3, 64, 256])
@pytest.mark.parametrize("many", [2, 3, 17, 100, 257])
@given(seed=seeds)
def test_a_vector_that_is_the_same_for_all_texts_finds_nothing(many: int, dimensions: int, seed: int) -> None:
    vector = np.random.default_rng(seed).integers(-8, 9, dimensions).astype(np.float32)
    same = np.tile(vector, (many, 1))
    assert precision_at_1(same, same) == 0


def test_zero_vectors_find_nothing_and_change_no_other_result() -> None:
    vectors = np.eye(4, 8, dtype=np.float32)
    vectors[2] = 0
    assert precision_at_1(vectors, vectors) == 0.75
    assert precision_at_1(np.zeros_like(vectors), vectors) == 0
    assert precision_at_1(vectors, np.zeros_like(vectors)) == 0


@given(seeds, sizes, st.randoms(use_true_random=False))
def test_the_order_of_pairs_makes_no_difference(seed: int, many: int, chance: np.random.Generator) -> None:
    queries, candidates = drawn(seed, many)
    order = list(range(many))
    chance.shuffle(order)
    assert precision_at_1(queries[order], candidates[order]) == precision_at_1(queries, candidates)


@given(seeds, sizes, st.lists(st.integers(-66, 66), min_size=40, max_size=40))
def test_the_length_of_vectors_makes_no_difference(seed: int, many: int, exponents: list[int]) -> None:
    queries, candidates = drawn(seed, many)
    scales = np.float32(2) ** np.array(exponents[:many], np.float32)[:, None]
    expected = precision_at_1(queries, candidates)
    assert precision_at_1(queries * scales, candidates) == expected
    assert precision_at_1(queries, candidates * scales) == expected


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1e20, 1e30])
def test_very_long_and_very_short_vectors_are_like_others(scale: float) -> None:
    queries, candidates = drawn(0, 20)
    expected = precision_at_1(queries, candidates)
    assert expected > 0
    assert precision_at_1(queries * np.float32(scale), candidates) == expected
    assert precision_at_1(queries, candidates * np.float32(scale)) == expected


@pytest.mark.parametrize(
    ("queries", "candidates"),
    [((3, 4), (1, 4)), ((1, 4), (3, 4)), ((3, 4), (3, 5)), ((0, 4), (0, 4)), ((0, 4), (3, 4)), ((3, 4), (4,))],
)
def test_arrays_that_are_no_pairs_are_an_error_and_not_a_number(
    queries: tuple[int, ...], candidates: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError):
        precision_at_1(np.ones(queries, np.float32), np.ones(candidates, np.float32))


def test_one_pair_is_found_unless_it_is_nothing() -> None:
    assert precision_at_1(np.ones((1, 4), np.float32), -np.ones((1, 4), np.float32)) == 1


def test_measuring_does_not_change_its_input() -> None:
    queries, candidates = drawn(0, 10)
    copies = queries.copy(), candidates.copy()
    precision_at_1(queries, candidates)
    assert np.array_equal(queries, copies[0])
    assert np.array_equal(candidates, copies[1])
