"""Where units stand and who stands beside them, against the plainest way to find out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.timing import fastest
from lexlattice import read
from lexlattice.lattice import Lattice, joined

Place = tuple[int, int]

AROUND = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
ALONG = [(0, -1), (0, 0), (0, 1)]
LARGEST_SECONDS = 1.0

places = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5)), max_size=25)
far_places = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=8)


def unbounded(where: list[Place]) -> Lattice:
    return Lattice.unbounded([row for row, _ in where], [column for _, column in where])


def clamped(where: list[Place], height: int, width: int) -> Lattice:
    return Lattice.clamped([row for row, _ in where], [column for _, column in where], height, width)


def check(lattice: Lattice, where: list[Place], offsets: list[Place]) -> None:
    """Every unit is in the cell of its place, every cell has a unit, and neighbours are looked up one by one."""
    cells = [(row, column) for row, column in lattice.coordinates.tolist()]
    assert [cells[cell] for cell in lattice.cell_of] == where
    assert cells == sorted(set(where))
    index = {cell: number for number, cell in enumerate(cells)}
    expected = [[index.get((r + down, c + right), len(cells)) for down, right in offsets] for r, c in cells]
    assert lattice.neighbours.tolist() == expected
    assert lattice.neighbours.shape == (len(lattice), len(offsets))


@given(places | far_places)
def test_an_unbounded_lattice_is_what_a_dictionary_of_places_says(where: list[Place]) -> None:
    check(unbounded(where), where, AROUND)


@given(places | far_places, st.integers(1, 5), st.integers(1, 4))
def test_a_clamped_lattice_merges_what_is_beyond_the_last_row_and_column(
    where: list[Place], height: int, width: int
) -> None:
    inside = [(min(row, height - 1), min(column, width - 1)) for row, column in where]
    check(clamped(where, height, width), inside, AROUND)


@given(st.integers(0, 20))
def test_on_a_line_a_unit_is_beside_the_one_before_and_the_one_after(count: int) -> None:
    check(Lattice.line(count), [(0, place) for place in range(count)], ALONG)


@given(places)
def test_whose_neighbour_i_am_is_mine_on_the_other_side(where: list[Place]) -> None:
    """The gradient of the convolution rests on it."""
    neighbours = unbounded(where).neighbours
    for cell, around in enumerate(neighbours):
        for place, other in enumerate(around):
            if other < len(neighbours):
                assert neighbours[other, len(AROUND) - 1 - place] == cell


@given(places, st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_a_cell_is_the_mean_of_its_units_and_every_unit_gets_it_back(
    where: list[Place], height: int, width: int, seed: int
) -> None:
    lattice = clamped(where, height, width)
    vectors = np.random.default_rng(seed).normal(size=(len(where), 3)).astype(np.float32)
    cells = lattice.tile(vectors)
    assert cells.dtype == np.float32
    assert cells.shape == (len(lattice), 3)
    for cell, state in enumerate(cells):
        np.testing.assert_allclose(state, vectors[lattice.cell_of == cell].mean(axis=0), atol=1e-6)
    np.testing.assert_array_equal(lattice.untile(cells), cells[lattice.cell_of])


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5)), max_size=25, unique=True))
def test_where_nothing_is_merged_tiling_and_untiling_changes_nothing(where: list[Place]) -> None:
    vectors = np.arange(2 * len(where), dtype=np.float32).reshape(-1, 2)
    lattice = unbounded(where)
    np.testing.assert_array_equal(lattice.untile(lattice.tile(vectors)), vectors)


@given(st.lists(places, min_size=1, max_size=4))
def test_joined_lattices_keep_to_themselves(acts: list[list[Place]]) -> None:
    alone = [unbounded(where) for where in acts]
    together = joined(alone)
    units = cells = 0
    for lattice in alone:
        own = slice(cells, cells + len(lattice))
        np.testing.assert_array_equal(together.cell_of[units : units + len(lattice.cell_of)], lattice.cell_of + cells)
        np.testing.assert_array_equal(together.coordinates[own], lattice.coordinates)
        neighbours = together.neighbours[own]
        is_there = lattice.neighbours < len(lattice)
        np.testing.assert_array_equal(neighbours[is_there], lattice.neighbours[is_there] + cells)
        assert (neighbours[~is_there] == len(together)).all()
        units, cells = units + len(lattice.cell_of), cells + len(lattice)
    assert (units, cells) == (len(together.cell_of), len(together))


@pytest.mark.parametrize("profile", ["provisions", "paper"])
def test_both_ways_of_reading_count_sections_and_places_from_nought(examples: Path, profile: str) -> None:
    act = read(examples / "long" / "en.txt", profile=profile)
    lattice = Lattice.of(act)
    expected = [(row, column) for row, section in enumerate(act.sections) for column in range(len(section.units))]
    assert [tuple(place) for place in lattice.coordinates.tolist()] == expected
    assert lattice.cell_of.tolist() == list(range(len(act)))


def test_an_act_can_be_laid_out_in_each_geometry(examples: Path) -> None:
    act = read(examples / "long" / "en.txt", profile="paper")
    small = Lattice.of(act, "grid", 5, 4)
    assert small.coordinates.max(axis=0).tolist() == [4, 3]
    assert len(small) < len(act)
    np.testing.assert_array_equal(Lattice.of(act, "line").neighbours, Lattice.line(len(act)).neighbours)
    assert len(Lattice.of(act.units[:7])) == 7


def test_what_makes_no_lattice_is_refused() -> None:
    with pytest.raises(ValueError):
        Lattice.unbounded([0, -1], [0, 0])
    with pytest.raises(ValueError):
        Lattice.of((), "sphere")
    with pytest.raises(ValueError):
        Lattice.of((), "grid")
    with pytest.raises(ValueError):
        joined([Lattice.line(2), Lattice.unbounded([0], [0])])
    with pytest.raises(ValueError):
        joined([])


def test_a_hundred_thousand_cells_are_laid_out_in_no_time() -> None:
    columns = np.arange(100_000) % 137
    rows = np.arange(100_000) // 137
    assert fastest(lambda: Lattice.unbounded(rows, columns), enough=LARGEST_SECONDS) < LARGEST_SECONDS
    assert len(Lattice.unbounded(rows, columns)) == 100_000
