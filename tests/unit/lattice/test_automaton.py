"""The automaton dense as in the paper, sparse as it is trained, and in NumPy as it is used: one and the same."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor, nn

from lexlattice.errors import WeightsError
from lexlattice.lattice import Automaton as NumpyAutomaton
from lexlattice.lattice import Lattice, joined
from lexlattice.lattice import Readout as NumpyReadout
from lexlattice.lattice.automaton import gelu
from lexlattice.training.config import PaperShape
from lexlattice.training.models.automaton import Automaton, Consolidator, Readout, depthwise, tiled, untiled

Place = tuple[int, int]
Module = TypeVar("Module", bound=nn.Module)

CHANNELS, HIDDEN, STEPS = 6, 5, 3
HEIGHT, WIDTH = 4, 3

places = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 5)), min_size=1, max_size=20)
places_inside = st.lists(
    st.tuples(st.integers(0, HEIGHT - 1), st.integers(0, WIDTH - 1)), min_size=1, max_size=12, unique=True
)
seeds = st.integers(0, 2**32 - 1)
geometries = st.sampled_from(["grid", "line"])


def shape(geometry: str = "grid", *, languages: bool = False, **sizes: int) -> PaperShape:
    given = {"rows": HEIGHT, "columns": WIDTH, "steps": STEPS, "hidden": HIDDEN, "readout": 4} | sizes
    return PaperShape(geometry=geometry, language_embedding=languages, **given)


def lively(module: Module, seed: int) -> Module:
    """With weights as after some training: no part is zero."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(0, 0.3, generator=generator)
    return module


def numbers(seed: int, *sizes: int) -> Tensor:
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(seed))


def columns_of(where: Sequence[Place]) -> tuple[Tensor, Tensor]:
    return torch.tensor([row for row, _ in where]), torch.tensor([column for _, column in where])


def arrays(module: nn.Module, name: str) -> dict[str, NDArray[Any]]:
    return {f"{name}.{key}": value.numpy() for key, value in module.state_dict().items()}


def occupied(where: Sequence[Place], seed: int) -> tuple[Tensor, Tensor]:
    """A batch of one grid: states, and the mask."""
    states, mask = tiled(numbers(seed, len(where), CHANNELS), *columns_of(where), HEIGHT, WIDTH)
    return states[None], mask[None]


# --- the size ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("languages", "expected"), [(False, 1_779_713), (True, 1_798_145)])
def test_it_has_exactly_as_many_parameters_as_the_paper_says(languages: bool, expected: int) -> None:
    model = Consolidator(shape(languages=languages, rows=48, columns=32, steps=8, hidden=256, readout=768), 768)
    assert sum(parameter.numel() for parameter in model.parameters()) == expected


def test_the_control_on_a_line_differs_in_nothing_but_the_width_of_its_kernel() -> None:
    grid, line = (dict(Automaton(CHANNELS, HIDDEN, name).named_parameters()) for name in ("grid", "line"))
    assert grid.keys() == line.keys()
    different = {name for name in grid if grid[name].shape != line[name].shape}
    assert different == {"perception.weight"}
    assert line["perception.weight"].shape == (CHANNELS, 1, 3)


# --- an untrained automaton -------------------------------------------------------------------------------


@given(places, seeds)
def test_an_untrained_automaton_is_the_identity(where: list[Place], seed: int) -> None:
    automaton = Automaton(CHANNELS, HIDDEN)
    lattice = Lattice.unbounded(*zip(*where, strict=True))
    vectors = numbers(seed, len(where), CHANNELS)
    merged = lattice.untile(lattice.tile(vectors.numpy()))
    np.testing.assert_allclose(automaton(vectors, lattice, STEPS).detach(), merged, atol=1e-6)
    states, mask = occupied(where, seed)
    assert torch.equal(automaton.dense(states, mask, STEPS), states)
    in_numpy = NumpyAutomaton.of(arrays(automaton, "automaton"))
    np.testing.assert_array_equal(
        in_numpy.run(lattice.tile(vectors.numpy()), lattice, STEPS), lattice.tile(vectors.numpy())
    )


# --- padding ----------------------------------------------------------------------------------------------


@given(places, seeds)
def test_padding_never_changes(where: list[Place], seed: int) -> None:
    states, mask = occupied(where, seed)
    with torch.no_grad():
        after = lively(Automaton(CHANNELS, HIDDEN), seed).dense(states, mask, STEPS)
    is_padding = (mask == 0).expand_as(after)
    assert torch.equal(after[is_padding], torch.zeros_like(after[is_padding]))


@given(places, seeds)
def test_garbage_under_the_mask_changes_nothing(where: list[Place], seed: int) -> None:
    """Whatever stands in the padding, and however it is permuted, it never contributes."""
    automaton = lively(Automaton(CHANNELS, HIDDEN), seed)
    states, mask = occupied(where, seed)
    garbage = (1e3 * numbers(seed + 1, *states.shape) * (1 - mask)).requires_grad_()
    after = automaton.dense(states + garbage, mask, STEPS)
    assert torch.equal(after, automaton.dense(states, mask, STEPS))
    after.square().sum().backward()
    assert garbage.grad is not None
    assert not (garbage.grad * (1 - mask)).any()


@given(places_inside, seeds, st.integers(0, 3), st.integers(0, 3))
def test_growing_the_grid_changes_nothing(where: list[Place], seed: int, down: int, right: int) -> None:
    automaton = lively(Automaton(CHANNELS, HIDDEN), seed)
    vectors = numbers(seed, len(where), CHANNELS)
    with torch.no_grad():
        results = []
        for height, width in ((HEIGHT, WIDTH), (HEIGHT + down, WIDTH + right)):
            states, mask = tiled(vectors, *columns_of(where), height, width)
            results.append(untiled(automaton.dense(states[None], mask[None], STEPS)[0], *columns_of(where)))
    torch.testing.assert_close(results[0], results[1], atol=1e-5, rtol=1e-5)


@given(st.integers(1, 8), st.integers(0, 4), seeds)
def test_padding_of_a_line_never_contributes(units: int, padding: int, seed: int) -> None:
    automaton = lively(Automaton(CHANNELS, HIDDEN, "line"), seed)
    line = numbers(seed, 1, CHANNELS, units + padding)
    mask = (torch.arange(units + padding) < units).float()[None, None]
    with torch.no_grad():
        padded = automaton.dense(line, mask, STEPS)
        alone = automaton.dense(line[:, :, :units], mask[:, :, :units], STEPS)
    torch.testing.assert_close(padded[:, :, :units], alone, atol=1e-5, rtol=1e-5)
    assert not padded[:, :, units:].any()


# --- dense, sparse and NumPy ------------------------------------------------------------------------------


@given(places_inside, seeds, geometries)
def test_the_dense_grid_is_the_sparse_lattice_wherever_nothing_is_clamped(
    where: list[Place], seed: int, geometry: str
) -> None:
    model = lively(Consolidator(shape(geometry), CHANNELS), seed)
    rows, columns = columns_of(where)
    sparse = Lattice.unbounded(rows, columns) if geometry == "grid" else Lattice.line(len(where))
    check_alike(model, where, sparse, seed)


@given(places, seeds)
def test_the_dense_grid_is_the_sparse_lattice_that_is_clamped_as_well(where: list[Place], seed: int) -> None:
    model = lively(Consolidator(shape(), CHANNELS), seed)
    check_alike(model, where, Lattice.clamped(*columns_of(where), HEIGHT, WIDTH), seed)


def check_alike(model: Consolidator, where: list[Place], sparse: Lattice, seed: int) -> None:
    """The scores are the same, and so are the gradients of all weights and of the vectors."""
    vectors = numbers(seed, len(where), CHANNELS)
    results = []
    for run in (lambda v: model(v, sparse), lambda v: model.dense(v, *columns_of(where))):
        own = vectors.clone().requires_grad_()
        scores = run(own)
        model.zero_grad()
        scores.sin().sum().backward()
        gradients = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
        assert len(gradients) == len(list(model.parameters()))
        results.append((scores.detach(), own.grad, gradients))
    torch.testing.assert_close(*results, atol=2e-4, rtol=1e-3)


@given(st.lists(places, min_size=1, max_size=3), seeds)
def test_joined_acts_score_as_each_alone(acts: list[list[Place]], seed: int) -> None:
    model = lively(Consolidator(shape(), CHANNELS), seed)
    lattices = [Lattice.unbounded(*zip(*where, strict=True)) for where in acts]
    vectors = [numbers(seed + place, len(where), CHANNELS) for place, where in enumerate(acts)]
    with torch.no_grad():
        together = model(torch.cat(vectors), joined(lattices))
        alone = torch.cat([model(own, lattice) for own, lattice in zip(vectors, lattices, strict=True)])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-5)


@given(places, seeds, geometries, st.booleans())
def test_numpy_computes_what_pytorch_computes(where: list[Place], seed: int, geometry: str, overview: bool) -> None:
    automaton, readout = Automaton(CHANNELS, HIDDEN, geometry, overview=overview), lively(Readout(CHANNELS, 4), seed)
    nn.init.normal_(automaton.change.weight, std=0.2, generator=torch.Generator().manual_seed(seed))
    lattice = Lattice.unbounded(*zip(*where, strict=True)) if geometry == "grid" else Lattice.line(len(where))
    before = numbers(seed, len(where), CHANNELS)
    with torch.no_grad():
        after = automaton(before, lattice, STEPS)
        scores = readout(before, after)
    run = NumpyAutomaton.of(arrays(automaton, "automaton")).run(lattice.tile(before.numpy()), lattice, STEPS)
    in_numpy = lattice.untile(run)
    np.testing.assert_allclose(in_numpy, after.numpy(), atol=1e-5)
    found = NumpyReadout.of(arrays(readout, "readout"))(before.numpy(), in_numpy)
    np.testing.assert_allclose(found, scores.numpy(), atol=1e-5)
    assert in_numpy.dtype == found.dtype == np.float32


def test_at_the_papers_size_numpy_computes_what_pytorch_computes() -> None:
    torch.manual_seed(0)
    automaton, readout = Automaton(768, 256), Readout(768, 768)
    nn.init.normal_(automaton.change.weight, std=0.02)
    lattice = Lattice.unbounded(np.arange(200) // 7, np.arange(200) % 7)
    before = numbers(1, 200, 768)
    with torch.no_grad():
        after = automaton(before, lattice, 8)
        scores = readout(before, after)
    assert (after - before).abs().mean() > 0.1, "nothing would be compared"
    in_numpy = NumpyAutomaton.of(arrays(automaton, "automaton")).run(before.numpy(), lattice, 8)
    found = NumpyReadout.of(arrays(readout, "readout"))(before.numpy(), in_numpy)
    np.testing.assert_allclose(found, scores.numpy(), atol=1e-5)


@given(places, seeds)
def test_a_recorded_run_has_every_step_of_the_way(where: list[Place], seed: int) -> None:
    automaton = NumpyAutomaton.of(arrays(lively(Automaton(CHANNELS, HIDDEN), seed), "automaton"))
    lattice = Lattice.unbounded(*zip(*where, strict=True))
    states = numbers(seed, len(lattice), CHANNELS).numpy()
    panels = automaton.run(states, lattice, STEPS, record=True)
    assert panels.shape == (STEPS + 1, len(lattice), CHANNELS)
    np.testing.assert_array_equal(panels[0], states)
    for before, after in pairwise(panels):
        np.testing.assert_array_equal(automaton.step(before, lattice), after)
    np.testing.assert_array_equal(automaton.run(states, lattice, STEPS), panels[-1])


def test_a_step_reaches_the_next_cells_and_no_others() -> None:
    """Of a row of five, the first cell is felt by the second after a step, by the third after two."""
    automaton = lively(Automaton(CHANNELS, HIDDEN), 0)
    lattice = Lattice.unbounded([0] * 5, range(5))
    states = numbers(0, 5, CHANNELS)
    moved = states.clone()
    moved[0] += 1
    for steps in (1, 2, 3):
        with torch.no_grad():
            runs = [automaton(start, lattice, steps) for start in (states, moved)]
        assert (runs[0] != runs[1]).any(dim=1).tolist() == [cell <= steps for cell in range(5)]


def test_with_an_overview_a_step_reaches_the_row_and_the_whole() -> None:
    automaton = lively(Automaton(CHANNELS, HIDDEN, overview=True), 0)
    lattice = Lattice.unbounded([0, 0, 0, 0, 9], [0, 1, 2, 3, 0])
    states = numbers(0, 5, CHANNELS)
    moved = states.clone()
    moved[0] += 1
    with torch.no_grad():
        runs = [automaton(start, lattice, 1) for start in (states, moved)]
    assert (runs[0] != runs[1]).any(dim=1).all()


# --- gradients --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("geometry", ["grid", "line"])
def test_gradients_reach_every_part_once_it_has_left_its_zero_start(geometry: str) -> None:
    """At the zero start, whatever comes before the last layer of the automaton has no say yet, and no gradient."""
    torch.manual_seed(0)
    model = Consolidator(shape(geometry, languages=True), CHANNELS)
    lattice = Lattice.unbounded([0, 0, 1, 1], [0, 1, 0, 1]) if geometry == "grid" else Lattice.line(4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def without_gradient() -> set[str]:
        optimizer.zero_grad()
        model(numbers(1, 4, CHANNELS), lattice, torch.tensor([3] * 4)).square().sum().backward()
        gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
        return {name for name, gradient in gradients.items() if gradient is None or not gradient.any()}

    behind_zero = {f"automaton.{name}" for name in ("perception.weight", "perception.bias")}
    behind_zero |= {f"automaton.{name}" for name in ("hidden.weight", "hidden.bias")}
    assert without_gradient() == behind_zero
    optimizer.step()
    assert without_gradient() == set()


@settings(max_examples=20)
@given(places, seeds)
def test_the_gradient_of_the_convolution_by_indices_is_right(where: list[Place], seed: int) -> None:
    lattice = Lattice.unbounded(*zip(*where, strict=True))
    states, kernel = numbers(seed, len(lattice), 2).double(), numbers(seed + 1, 9, 2).double()
    neighbours = torch.from_numpy(lattice.neighbours)
    inputs = (states.requires_grad_(), neighbours, kernel.requires_grad_())
    assert torch.autograd.gradcheck(depthwise, inputs)


def test_tiling_and_untiling_are_differentiable() -> None:
    """Three units, two of which share a cell: each has half of it."""
    vectors = numbers(0, 3, 2).requires_grad_()
    rows, columns = torch.tensor([0, 5, 9]), torch.tensor([0, 1, 1])
    grid, mask = tiled(vectors, rows, columns, 4, 3)
    assert mask.sum() == 2
    torch.testing.assert_close(grid[:, 3, 1], vectors[1:].mean(0))
    untiled(grid, rows, columns)[2].sum().backward()
    assert vectors.grad is not None
    assert vectors.grad.tolist() == [[0, 0], [0.5, 0.5], [0.5, 0.5]]


def test_merged_units_share_what_their_cell_became_but_not_what_they_were() -> None:
    model = lively(Consolidator(shape(), CHANNELS), 0)
    with torch.no_grad():
        scores = model(numbers(0, 3, CHANNELS), Lattice.clamped([0, 5, 9], [0, 1, 1], HEIGHT, WIDTH))
    assert scores[1] != scores[2]


def test_an_untrained_language_embedding_says_nothing_and_a_trained_one_speaks_to_every_unit() -> None:
    model = Consolidator(shape(languages=True), CHANNELS)
    lattice, vectors = Lattice.unbounded([0, 0], [0, 1]), numbers(0, 2, CHANNELS)
    languages = (torch.tensor([0, 0]), torch.tensor([23, 23]))
    with torch.no_grad():
        assert torch.equal(*(model(vectors, lattice, each) for each in languages))
        lively(model, 0)
        different = torch.ne(*(model(vectors, lattice, each) for each in languages))
    assert different.all()


# --- the rest of NumPy ------------------------------------------------------------------------------------


def test_the_activation_is_exact_to_six_digits_everywhere() -> None:
    source = np.random.default_rng(0)
    for values in (np.linspace(-12, 12, 40_001, dtype=np.float32), 3 * source.standard_normal((700, 64), np.float32)):
        expected = nn.functional.gelu(torch.from_numpy(values)).numpy()
        np.testing.assert_allclose(gelu(values), expected, atol=2e-6)
    assert gelu(np.array([0, -1e30, 1e30], np.float32)).tolist() == pytest.approx([0, 0, 1e30])


def test_an_automaton_refuses_a_lattice_of_another_kind() -> None:
    automaton = NumpyAutomaton.of(arrays(Automaton(CHANNELS, HIDDEN), "automaton"))
    with pytest.raises(WeightsError, match="9"):
        automaton.step(np.zeros((3, CHANNELS), np.float32), Lattice.line(3))


@pytest.mark.parametrize("name", sorted(arrays(Automaton(2, 3), "automaton")))
def test_weights_that_lack_a_part_or_fit_nothing_are_refused(name: str) -> None:
    whole = arrays(Automaton(2, 3), "automaton")
    with pytest.raises(WeightsError, match=name):
        NumpyAutomaton.of({key: array for key, array in whole.items() if key != name})
    with pytest.raises(WeightsError):
        NumpyAutomaton.of(whole | {name: np.concatenate([whole[name], whole[name]])})
