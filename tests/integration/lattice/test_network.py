"""The network of meaning: NumPy computes what PyTorch learned, in every wiring; and which files are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from helpers.generated_acts import made
from helpers.tiny_network import PROVISIONS, example_of, saved, small_config, stirred
from lexlattice import read
from lexlattice._internal.weights import read_weights, write_weights
from lexlattice.encoding.static import Static
from lexlattice.errors import ConfigError, WeightsError
from lexlattice.lattice.features import MeaningFeatures, features_of
from lexlattice.lattice.model import FORMAT, Network, lattice_of
from lexlattice.training.config import ProvisionsShape, read_config
from lexlattice.training.models.network import Inputs, ProvisionsNetwork, Widths
from lexlattice.training.models.provisions import TrainableProvisionsModel
from lexlattice.training.prepared import Example

ACTS = ("short/en.txt", "short/el.txt", "long/en.txt")
PARTS = {"overview": True, "paragraphs": True, "references": True, "attention": 3}
BARE = {"overview": False, "paragraphs": False, "references": False, "attention": 0}
WIRINGS: dict[str, dict[str, Any]] = {
    "everything": {},
    "on a line": {"geometry": "line"},
    "without neighbours": {"geometry": "none"},
    "neighbours only": {**BARE, "sections": "none", "weight": 0.0},
    **{f"{name} only": {**BARE, name: value} for name, value in PARTS.items()},
    "without steps": {**BARE, "steps": 0},
    "multiplied sections": {"sections": "multiply"},
}
MOST_PARAMETERS = 1_800_000


@pytest.fixture(scope="module")
def acts(examples: Path) -> list[Example]:
    """Real acts; and one with units that hold no words, and a section that has none."""
    odd = made(("title", "", ["—"]), ("article", "", ["", "It applies to bees.", "..."]), ("article", "Empty", []))
    return [example_of(read(examples / name), line) for line, name in enumerate(ACTS)] + [example_of(odd, 9)]


@pytest.fixture
def trainable(tmp_path: Path, acts: list[Example]) -> TrainableProvisionsModel:
    return stirred(TrainableProvisionsModel(small_config(tmp_path), acts))


def features(example: Example, linked: bool = True) -> MeaningFeatures:
    """With references from each section to the one after the next, so that there are some."""
    found = features_of(example.act, Static())
    count = len(example.act.sections)
    pairs = [(section, (section + 2) % count) for section in range(count)]
    return found._replace(references=np.array(pairs, np.int64)) if linked else found


def learnt(trainable: TrainableProvisionsModel, found: MeaningFeatures) -> NDArray[np.float32]:
    with torch.no_grad():
        scores: torch.Tensor = trainable.module.scores(
            trainable.module(Inputs.of(found, trainable.module.shape.geometry))
        )
    return scores.numpy()


@pytest.mark.parametrize("wiring", WIRINGS)
def test_numpy_computes_what_pytorch_learnt(wiring: str, tmp_path: Path, acts: list[Example]) -> None:
    trainable = stirred(TrainableProvisionsModel(small_config(tmp_path, **WIRINGS[wiring]), acts))
    network = Network.read(saved(trainable, tmp_path / "model.safetensors"))
    for example in acts:
        found = features(example)
        expected = learnt(trainable, found)
        assert len(example.act) < 5 or expected.std() > 1e-3, "nothing would be compared"
        np.testing.assert_allclose(network.scores(found), expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("name", [*PARTS, "geometry"])
def test_every_part_of_the_wiring_has_a_say(name: str, tmp_path: Path, acts: list[Example]) -> None:
    """What a part brings changes the scores: links, paragraphs, other sections, neighbours."""
    changes = BARE if name == "geometry" else {**BARE, "geometry": "none", name: PARTS[name]}
    trainable = stirred(TrainableProvisionsModel(small_config(tmp_path, **{**changes, "sections": "none"}), acts))
    found = features(acts[0])
    moved = found.units.copy()
    moved[3] += 2 * moved.std(axis=0)
    changed = np.abs(learnt(trainable, found._replace(units=moved)) - learnt(trainable, found)) > 1e-6
    changed[3] = False
    rows, of = found.section_of, found.section_of[3]
    linked = np.isin(
        rows, [*found.references[found.references[:, 0] == of, 1], *found.references[found.references[:, 1] == of, 0]]
    )
    if name == "paragraphs":
        assert not changed[found.paragraph_of != found.paragraph_of[3]].any()
    elif name == "references":
        assert changed[linked].any()
    else:
        assert changed.any()


def test_panels_go_from_before_the_first_step_to_the_scores(
    trainable: TrainableProvisionsModel, acts: list[Example], tmp_path: Path
) -> None:
    network = Network.read(saved(trainable, tmp_path / "model.safetensors"))
    found = features(acts[0])
    panels = network.panels(found)
    assert panels.shape == (3, len(acts[0].act))
    np.testing.assert_array_equal(panels[-1], network.scores(found))
    assert not np.allclose(panels[0], panels[-1])


def test_units_stand_where_their_section_and_position_say(acts: list[Example]) -> None:
    for example in acts:
        lattice = lattice_of(features(example), "unbounded")
        placed = lattice.coordinates[lattice.cell_of].tolist()
        assert [row for row, _ in placed] == [unit.section for unit in example.act.units]
        assert len({tuple(place) for place in placed}) == len(example.act)


def test_an_act_without_units_has_no_scores(
    trainable: TrainableProvisionsModel, acts: list[Example], tmp_path: Path
) -> None:
    network = Network.read(saved(trainable, tmp_path / "model.safetensors"))
    found = features(acts[0])
    names = ("units", "section_of", "vectors", "leads", "openings", "paragraph_of")
    assert network.scores(found._replace(**{name: getattr(found, name)[:0] for name in names})).shape == (0,)


def test_the_shipped_configuration_has_no_more_parameters_than_promised(acts: list[Example]) -> None:
    shape = read_config(PROVISIONS).model
    assert isinstance(shape, ProvisionsShape)
    module = ProvisionsNetwork(shape, Widths.of(features(acts[0])))
    assert sum(parameter.numel() for parameter in module.parameters()) < MOST_PARAMETERS


# --- what is refused --------------------------------------------------------------------------------------


def wired(**changes: object) -> Callable[[dict[str, Any], dict[str, str]], None]:
    def change(arrays: dict[str, Any], about: dict[str, str]) -> None:
        (wiring,) = json.loads(about["members"])
        about["members"] = json.dumps([{**wiring, **changes}])

    return change


def told(**changes: str) -> Callable[[dict[str, Any], dict[str, str]], None]:
    return lambda arrays, about: about.update(changes)


def cut(name: str) -> Callable[[dict[str, Any], dict[str, str]], None]:
    return lambda arrays, about: arrays.update({name: np.array(arrays[name][:-1])})


def without(name: str) -> Callable[[dict[str, Any], dict[str, str]], None]:
    def change(arrays: dict[str, Any], about: dict[str, str]) -> None:
        del arrays[name]

    return change


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (told(format="lexlattice salience 2"), FORMAT),
        (told(members="["), "other.safetensors"),
        (told(members="[]"), "other.safetensors"),
        (told(members="[" * 100_000), "other.safetensors"),
        (told(members="[1]"), "other.safetensors"),
        (wired(geometry="round"), "other.safetensors"),
        (wired(geometry="line"), "other.safetensors"),
        (wired(steps=0), "other.safetensors"),
        (wired(steps=10**6), "other.safetensors"),
        (wired(steps="2"), "other.safetensors"),
        (wired(overview=False), "other.safetensors"),
        (wired(weight=7.0), "other.safetensors"),
        (wired(weight=0.0), "other.safetensors"),
        (without("members.0.first.bias"), "first.bias"),
        (without("members.0.attention.key.weight"), "attention.key.weight"),
        (cut("members.0.scales.units.mean"), "scales.units.deviation"),
        (cut("members.0.second.weight"), "second.bias"),
    ],
)
def test_a_file_that_is_no_network_is_refused_in_one_sentence(
    change: Callable[[dict[str, Any], dict[str, str]], None],
    named: str,
    trainable: TrainableProvisionsModel,
    tmp_path: Path,
) -> None:
    path = saved(trainable, tmp_path / "model.safetensors")
    arrays, about = read_weights(path)
    held, said = {name: np.array(array) for name, array in arrays.items()}, dict(about)
    change(held, said)
    write_weights(tmp_path / "other.safetensors", held, said)
    with pytest.raises(WeightsError) as caught:
        Network.read(tmp_path / "other.safetensors")
    assert named in str(caught.value)
    assert "\n" not in str(caught.value)


def narrowed(name: str) -> Callable[[dict[str, Any]], None]:
    """One column less, everywhere, so that the layers still fit each other."""

    def change(arrays: dict[str, Any]) -> None:
        for part in ("mean", "deviation"):
            arrays[f"members.0.scales.{name}.{part}"] = arrays[f"members.0.scales.{name}.{part}"][:-1]
        arrays["members.0.first.weight"] = arrays["members.0.first.weight"][:, 1:]

    return change


def enlarged(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda arrays: arrays.update({name: np.full_like(arrays[name], 3e38)})


@pytest.mark.parametrize(
    "change",
    [
        narrowed("units"),
        narrowed("sections"),
        enlarged("members.0.second.weight"),
        enlarged("members.0.automaton.change.weight"),
    ],
)
def test_weights_that_give_no_scores_are_refused_in_one_sentence(
    change: Callable[[dict[str, Any]], None],
    trainable: TrainableProvisionsModel,
    acts: list[Example],
    tmp_path: Path,
) -> None:
    arrays, about = read_weights(saved(trainable, tmp_path / "model.safetensors"))
    held = {name: np.array(array) for name, array in arrays.items()}
    change(held)
    write_weights(tmp_path / "other.safetensors", {name: np.ascontiguousarray(held[name]) for name in held}, about)
    network = Network.read(tmp_path / "other.safetensors")
    for compute in (network.scores, network.panels):
        with pytest.raises(WeightsError):
            compute(features(acts[0]))


def test_vectors_of_another_width_are_refused(
    trainable: TrainableProvisionsModel, acts: list[Example], tmp_path: Path
) -> None:
    network, found = Network.read(saved(trainable, tmp_path / "model.safetensors")), features(acts[0])
    with pytest.raises(WeightsError):
        network.scores(found._replace(vectors=found.vectors[:, 1:]))


def test_a_network_that_perceives_needs_steps(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        small_config(tmp_path, steps=0)
    assert "steps" in str(refused.value)
