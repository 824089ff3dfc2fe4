"""The profile `paper` as a trainable: what it learns, draws, emits and writes, and that NumPy reads the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from lexlattice import Act, read
from lexlattice._internal.weights import read_weights, write_weights
from lexlattice.errors import DataError, OutputError, TrainingError, WeightsError
from lexlattice.lattice import Consolidator
from lexlattice.selection import select
from lexlattice.training.config import Config, EncoderConfig, PaperShape, read_config
from lexlattice.training.models.paper import TrainablePaperModel
from lexlattice.training.prepared import Example
from lexlattice.training.trainable import TrainableModel

PAPER = "paper"
DIMENSIONS = 12
SUMMARY = "Keepers of beehives enter them in a public register.\nThe competent authority keeps that register."


def config(geometry: str = "grid", *, languages: bool = False, seed: int = 0) -> Config:
    """The paper's, but small."""
    paper = read_config(PAPER)
    steps = 0 if geometry == "none" else 4
    assert isinstance(paper.model, PaperShape)
    model = replace(paper.model, geometry=geometry, rows=8, columns=6, hidden=9, readout=7, steps=steps)
    model = replace(model, language_embedding=languages)
    return replace(paper, seed=seed, encoder=EncoderConfig("static", DIMENSIONS), model=model)


def example_of(act: Act, line: int = 0) -> Example:
    vectors = np.random.default_rng(line).normal(size=(len(act), DIMENSIONS)).astype(np.float32)
    vectors.flags.writeable = False
    order = (len(act) // 2, 1, 0)
    return Example(line, "", act, vectors, order, SUMMARY, len(SUMMARY.split()))


@pytest.fixture(scope="module")
def acts(examples: Path) -> list[Example]:
    """Two acts of different sizes and languages, the second larger than the grid."""
    names = ("short/fr.txt", "long/en.txt")
    return [example_of(read(examples / name, profile="paper"), line) for line, name in enumerate(names)]


def trained(trainable: TrainablePaperModel, acts: list[Example], steps: int = 30) -> list[float]:
    optimizer = torch.optim.Adam(trainable.module.parameters(), lr=0.02)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = trainable.loss(acts)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_it_learns_what_the_oracle_took(acts: list[Example]) -> None:
    trainable: TrainableModel = TrainablePaperModel(config())
    losses = trained(TrainablePaperModel(config()), acts)
    assert losses[-1] < 0.5 * losses[0]
    assert trainable.loss(acts).item() == losses[0]


def test_a_batch_costs_the_mean_of_its_acts(acts: list[Example]) -> None:
    trainable = TrainablePaperModel(config())
    alone = [trainable.loss([act]).item() for act in acts]
    assert trainable.loss(acts).item() == pytest.approx(sum(alone) / len(alone), rel=1e-5)


def test_the_seed_alone_decides_the_weights() -> None:
    torch.manual_seed(7)
    first = TrainablePaperModel(config(seed=1)).module.state_dict()
    torch.manual_seed(8)
    before = torch.get_rng_state()
    second = TrainablePaperModel(config(seed=1)).module.state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    other = TrainablePaperModel(config(seed=2)).module.state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["readout.hidden.weight"], other["readout.hidden.weight"])


@pytest.mark.parametrize("geometry", ["grid", "line", "none"])
@pytest.mark.parametrize("languages", [False, True])
def test_numpy_scores_from_the_file_what_pytorch_scores(
    acts: list[Example], tmp_path: Path, geometry: str, languages: bool
) -> None:
    trainable = TrainablePaperModel(config(geometry, languages=languages))
    trained(trainable, acts, 5)
    trainable.save(tmp_path / "model.safetensors", {"encoder": "static"})
    consolidator = Consolidator.read(tmp_path / "model.safetensors")
    for act in acts:
        with torch.no_grad():
            expected = trainable.scores([act]).numpy()
        np.testing.assert_allclose(consolidator.scores(act.act, act.vectors), expected, atol=1e-5)
        panels = consolidator.panels(act.act, act.vectors)
        np.testing.assert_allclose(panels[-1], expected, atol=1e-5)
        assert panels.shape == (1 if geometry == "none" else 5, len(act.act))


def test_it_emits_what_the_selector_makes_of_its_scores(acts: list[Example]) -> None:
    trainable = TrainablePaperModel(config())
    for act in acts:
        text = trainable.extract(act, 25)
        assert text == select(act.act, trainable.scores([act]).detach().numpy(), 25, mode="paper").text
        assert len(text.split()) == 25


def test_a_draw_without_doubt_is_what_would_be_emitted(acts: list[Example]) -> None:
    """With scores far apart, the sampled extract is the evaluated one."""
    trainable = TrainablePaperModel(config())
    with torch.no_grad():
        trainable.module.readout.score.weight *= 1e6
    drawn = trainable.rollouts(acts[0], 3, torch.Generator().manual_seed(0))
    assert set(drawn.texts) == {trainable.extract(acts[0], acts[0].words)}
    assert drawn.log_likelihoods.exp().tolist() == pytest.approx([1.0] * 3, abs=1e-3)


def test_what_was_drawn_moves_every_part_of_a_trained_model(acts: list[Example]) -> None:
    trainable = TrainablePaperModel(config(languages=True))
    trained(trainable, acts, 2)
    trainable.module.zero_grad()
    drawn = trainable.rollouts(acts[0], 4, torch.Generator().manual_seed(0))
    assert len(set(drawn.texts)) > 1
    (drawn.log_likelihoods * torch.tensor([1.0, -1.0, 0.5, -0.5])).sum().backward()
    gradients = [parameter.grad for parameter in trainable.module.parameters()]
    assert all(gradient is not None and gradient.any() for gradient in gradients)


def test_vectors_of_another_encoder_are_refused(acts: list[Example]) -> None:
    wrong = replace(acts[0], vectors=np.zeros((len(acts[0].act), 5), np.float32))
    with pytest.raises(DataError, match=r"\b5\b.*\b12\b"):
        TrainablePaperModel(config()).loss([wrong])


def test_a_language_without_a_place_in_the_embedding_is_refused(acts: list[Example], tmp_path: Path) -> None:
    elsewhere = replace(acts[0], act=replace(acts[0].act, language="xx"))
    assert TrainablePaperModel(config()).loss([elsewhere]).isfinite()
    trainable = TrainablePaperModel(config(languages=True))
    with pytest.raises(DataError):
        trainable.loss([elsewhere])
    trainable.save(tmp_path / "model.safetensors", {})
    with pytest.raises(WeightsError, match="'xx'"):
        Consolidator.read(tmp_path / "model.safetensors").scores(elsewhere.act, elsewhere.vectors)


def test_weights_that_are_lost_end_in_a_sentence(acts: list[Example]) -> None:
    trainable = TrainablePaperModel(config())
    with torch.no_grad():
        trainable.module.readout.score.bias.fill_(float("nan"))
    with pytest.raises(TrainingError):
        trainable.extract(acts[0], 25)


# --- files of weights -------------------------------------------------------------------------------------


def test_weights_are_written_as_others_read_them(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    arrays: dict[str, Any] = {
        "half": np.linspace(-1, 1, 6, dtype=np.float16).reshape(2, 3),
        "single": np.array([0.5, 3e38], np.float32),
        "turned": np.arange(6, dtype=np.float32).reshape(2, 3).T,
        "big": np.arange(3, dtype=">u4"),
        "bytes": np.arange(5, dtype=np.uint8),
        "signed": np.arange(-2, 2, dtype=np.int8),
    }
    path.write_text("an older file")
    write_weights(path, arrays, {"format": "a test", "letters": "žβж"})
    ours, others = read_weights(path), load_file(path)
    assert ours.about == {"format": "a test", "letters": "žβж"}
    for name, array in arrays.items():
        np.testing.assert_array_equal(ours.arrays[name], array)
        np.testing.assert_array_equal(others[name], array)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_the_same_weights_make_the_same_file(tmp_path: Path) -> None:
    for name in "ab":
        TrainablePaperModel(config()).save(tmp_path / name, {"b": "1", "a": "2"})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_weights_that_cannot_be_written_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        write_weights(tmp_path / "none" / "x", {}, {})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", "another"),
        ("steps", "many"),
        ("steps", "0"),
        ("geometry", "torus"),
        ("rows", "0"),
        ("languages", "en"),
    ],
)
def test_weights_of_something_else_are_refused(tmp_path: Path, key: str, value: str) -> None:
    path = tmp_path / "model.safetensors"
    TrainablePaperModel(config()).save(path, {})
    arrays, about = read_weights(path)
    write_weights(tmp_path / "other.safetensors", arrays, about | {key: value})
    with pytest.raises(WeightsError, match=r"other\.safetensors"):
        Consolidator.read(tmp_path / "other.safetensors")
