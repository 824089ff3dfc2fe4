"""Concentration of salience, and clustering on the lattice against shuffled selections."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

pytest.importorskip("torch")

from lexlattice.lattice.grid import Lattice
from lexlattice.research.experiments.spatial import Neighbourhood, bright_share, entropy, softmax, top_share

SIDE = 12
ROWS, COLUMNS = (axis.reshape(-1) for axis in np.divmod(np.arange(SIDE * SIDE), SIDE))
GRID = Neighbourhood(Lattice.unbounded(ROWS, COLUMNS))


def weights(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """All pairs of neighbours as a matrix, by the definition."""
    far = np.maximum(abs(rows[:, None] - rows), abs(columns[:, None] - columns))
    adjacent: NDArray[np.float64] = (far == 1).astype(float)
    return adjacent


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=25), st.integers(0, 99))
def test_morans_i_is_that_of_its_definition_on_any_lattice(cells: set[tuple[int, int]], seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, columns = random.permutation(sorted(cells)).T  # units need not be in the order of cells
    near, values = weights(rows, columns), random.normal(size=len(cells))
    graph = Neighbourhood(Lattice.unbounded(rows, columns))
    assert graph.pairs == near.sum()
    if near.any():
        z = values - values.mean()
        expected = len(z) / near.sum() * (z @ near @ z) / (z @ z)
        assert graph.moran(values[None])[0] == pytest.approx(expected)
        chosen = values > np.median(values)
        moran, joined = graph.clustering(chosen[None])
        assert moran[0] == pytest.approx(graph.moran(chosen[None].astype(float))[0])
        assert joined[0] == pytest.approx(np.mean([near[unit][chosen].any() for unit in np.flatnonzero(chosen)]))


def test_a_block_is_clustered_a_chessboard_is_not_and_chance_is_in_between() -> None:
    block = (ROWS < 5) & (COLUMNS < 5)
    scattered = (ROWS % 3 == 0) & (COLUMNS % 3 == 0)
    for chosen, is_clustered in ((block, True), (scattered, False)):
        null = GRID.null(chosen, 200, seed=0)
        assert (null.p < 0.05) == is_clustered
        assert abs(null.moran + 1 / (SIDE**2 - 1)) < 0.01, "the expectation by chance"
        assert GRID.clustering(chosen[None])[1] == is_clustered


def test_by_chance_few_selections_are_significant() -> None:
    random = np.random.default_rng(0)
    p = [GRID.null(random.random(SIDE**2) < 0.2, 99, seed).p for seed in range(100)]
    assert np.mean(np.array(p) < 0.05) <= 0.12
    assert 0.35 < np.mean(p) < 0.65


def test_a_whole_column_is_clustered_only_if_columns_are_not_kept() -> None:
    first = COLUMNS == 0
    assert GRID.null(first, 99, seed=0).p == 0.01
    kept = GRID.null(first, 99, seed=0, by_column=True)
    assert kept.p == 1
    assert kept.moran == pytest.approx(GRID.clustering(first[None])[0][0])
    assert kept.joined == 1


@pytest.mark.parametrize("by_column", [False, True])
def test_shuffling_keeps_counts(by_column: bool) -> None:
    chosen = (ROWS + 2 * COLUMNS) % 5 == 0
    (shuffled,) = GRID._shuffled(chosen, 20, 0, by_column=by_column)
    assert (shuffled.sum(axis=1) == chosen.sum()).all()
    per_column = np.stack([shuffled[:, column == COLUMNS].sum(axis=1) for column in range(SIDE)], axis=1)
    expected = [chosen[column == COLUMNS].sum() for column in range(SIDE)]
    assert (per_column == expected).all() == by_column


def test_units_must_not_share_cells() -> None:
    with pytest.raises(ValueError, match="share a cell"):
        Neighbourhood(Lattice.clamped([0, 1, 2], [0, 0, 0], 2, 1))


def test_salience_concentrates_as_logits_grow() -> None:
    logits = np.random.default_rng(0).normal(size=40)
    salience = np.outer([0, 0.5, 2, 8], logits)
    mass = softmax(salience)
    assert mass.sum(axis=1) == pytest.approx(1)
    assert entropy(mass)[0] == pytest.approx(1)
    assert top_share(mass)[0] == pytest.approx(0.1)
    assert (np.diff(entropy(mass)) < 0).all()
    assert (np.diff(top_share(mass)) > 0).all()


def test_the_upper_half_is_that_of_the_whole_trajectory() -> None:
    assert bright_share(np.array([[0, 1, 2, 3], [0, 0, 0, 10]])).tolist() == [0, 0.25]
