"""The coverage network: NumPy equals PyTorch, messages between units and words, and invalid weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from helpers.generated_acts import made
from helpers.tiny_coverage import COVERAGE, SHAPES, encoded, little_config, little_examples, saved, stirred
from lexlattice import LexLatticeError, read
from lexlattice._internal.weights import read_weights, write_weights
from lexlattice.encoding.static import PATH, Static
from lexlattice.lattice.grid import Lattice
from lexlattice.research.coverage.decoder import BIGRAM_COUNTS, WORD_COUNTS
from lexlattice.research.coverage.features import features_of
from lexlattice.research.coverage.model import Prediction, Salience
from lexlattice.research.coverage.network import Inputs, Outputs, Widths
from lexlattice.research.coverage.network import Salience as Learning
from lexlattice.research.coverage.training import TrainableCoverageModel
from lexlattice.training.config import CoverageShape, read_config
from lexlattice.training.prepared import Example

ACTS = ("short/en.txt", "short/el.txt", "short/bg.txt", "short/fi.txt", "long/en.txt")
MOST_PARAMETERS = 1_800_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("salience")


@pytest.fixture(scope="module")
def training(folder: Path) -> list[Example]:
    return list(little_examples(folder, 2))


@pytest.fixture(scope="module")
def acts(examples: Path) -> list[Example]:
    """Real acts, and one with units that hold no words."""
    odd = made(("title", "", ["—"]), ("article", "", ["", "It applies.", "..."]))
    return [encoded(act) for act in (*(read(examples / name) for name in ACTS), odd)]


@pytest.fixture
def trainable(folder: Path, training: list[Example]) -> TrainableCoverageModel:
    return stirred(TrainableCoverageModel(little_config(folder), training))


def judged(model: Salience, example: Example, budget: int) -> Prediction:
    features = features_of(example.act, example.vectors, Static())
    return model.predict(features, Lattice.of(example.act, model.geometry), budget)


def cumulated(logits: torch.Tensor) -> NDArray[np.float32]:
    found: NDArray[np.float32] = logits.sigmoid().cumprod(1).numpy()
    return found


# --- NumPy and PyTorch ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_numpy_computes_what_pytorch_computes(
    folder: Path, tmp_path: Path, training: list[Example], acts: list[Example], shape: tuple[str, int, bool]
) -> None:
    trainable = stirred(TrainableCoverageModel(little_config(folder, *shape), training))
    model = Salience.read(saved(trainable, tmp_path / "model.safetensors"))
    for example in acts:
        for budget in (1, 300):
            with torch.no_grad():
                expected = trainable.outputs(example, budget)
            found = judged(model, example, budget)
            np.testing.assert_allclose(found.scores, expected.scores.numpy(), atol=1e-5)
            np.testing.assert_allclose(found.probabilities.words, cumulated(expected.words), atol=1e-5)
            np.testing.assert_allclose(found.probabilities.bigrams, cumulated(expected.bigrams), atol=1e-5)
        assert len(example.act) < 9 or np.ptp(found.scores) > 0.01, "nothing would be compared"


def test_probabilities_fall_with_the_count(
    folder: Path, trainable: TrainableCoverageModel, acts: list[Example]
) -> None:
    with torch.no_grad():
        trainable.module.word_logits.weight *= 1e4
    model = Salience.read(saved(trainable, folder / "sure.safetensors"))
    for example in acts:
        found = judged(model, example, 100)
        assert np.isfinite(found.scores).all()
        for probabilities, counts in zip(found.probabilities, (WORD_COUNTS, BIGRAM_COUNTS), strict=True):
            assert probabilities.shape[1] == len(counts)
            assert (probabilities >= 0).all()
            assert (probabilities <= 1).all()
            assert (np.diff(probabilities, axis=1) <= 0).all()


def test_the_panels_end_with_the_scores(folder: Path, trainable: TrainableCoverageModel, acts: list[Example]) -> None:
    model = Salience.read(saved(trainable, folder / "panels.safetensors"))
    for example in acts:
        features = features_of(example.act, example.vectors, Static())
        panels = model.panels(features, Lattice.of(example.act, model.geometry), 100)
        assert panels.shape == (model.steps + 1, len(example.act))
        np.testing.assert_array_equal(panels[-1], judged(model, example, 100).scores)


def test_only_the_selected_bigrams_are_predicted(trainable: TrainableCoverageModel, acts: list[Example]) -> None:
    with torch.no_grad():
        everything = trainable.outputs(acts[0], 100)
        some = torch.arange(3, len(everything.bigrams), 7)
        found = trainable.outputs(acts[0], 100, some)
    torch.testing.assert_close(found.bigrams, everything.bigrams[some], atol=1e-6, rtol=1e-6)
    assert torch.equal(found.words, everything.words)


def test_extreme_features_give_finite_predictions(folder: Path, trainable: TrainableCoverageModel) -> None:
    model = Salience.read(saved(trainable, folder / "odd.safetensors"))
    example = encoded(made(("annex", "", ["word " * 3_000, "2024 " * 500]), ("notes", "", ["x"])))
    with torch.no_grad():
        expected = trainable.outputs(example, 10**9)
    found = judged(model, example, 10**9)
    np.testing.assert_allclose(found.scores, expected.scores.numpy(), atol=1e-5)
    assert np.isfinite(found.probabilities.words).all()


# --- who informs whom -------------------------------------------------------------------------------------


def test_unit_features_change_the_probabilities_of_their_ngrams(
    folder: Path, trainable: TrainableCoverageModel, acts: list[Example]
) -> None:
    """And in a model where units do not talk to each other, of no others."""
    act = made(("article", "", ["bees fly", "wasps sting", "moths flutter"]))
    example = encoded(act)
    features = features_of(act, example.vectors, Static())
    moved = np.array(features.vectors)
    moved[0] = moved[0][::-1]
    runs = []
    for vectors in (features.vectors, moved):
        changed = Inputs.of(features, Lattice.of(act), 4)._replace(vectors=torch.from_numpy(np.array(vectors)))
        with torch.no_grad():
            runs.append(trainable.module(changed))
    before, after = runs
    assert (before.words[:2] != after.words[:2]).any(dim=1).all()
    assert (before.bigrams[0] != after.bigrams[0]).any()
    assert (before.scores != after.scores).all(), "the automaton carries it on"

    alone = stirred(TrainableCoverageModel(little_config(folder, "none", overview=False), acts[:2]))
    runs = []
    for vectors in (features.vectors, moved):
        changed = Inputs.of(features, Lattice.of(act, "none"), 4)._replace(vectors=torch.from_numpy(np.array(vectors)))
        with torch.no_grad():
            runs.append(alone.module(changed))
    assert (runs[0].scores != runs[1].scores).tolist() == [True, False, False]
    assert (runs[0].words != runs[1].words).any(dim=1).tolist() == [True, True, False, False, False, False]


@pytest.mark.parametrize(
    ("of", "layers"),
    [
        (
            lambda outputs: outputs.words.sum(),
            (
                "automaton.perception",
                "automaton.hidden",
                "automaton.change",
                "unit_meaning",
                "unit_first",
                "word_topic",
            ),
        ),
        (lambda outputs: outputs.bigrams.sum(), ("automaton.perception", "word_third", "word_logits", "unit_message")),
        (
            lambda outputs: outputs.scores.sum(),
            ("word_meaning", "word_topic", "word_first", "word_second", "word_message", "automaton.change"),
        ),
    ],
    ids=["words", "bigrams", "scores"],
)
def test_every_loss_reaches_the_layers_of_the_others(
    trainable: TrainableCoverageModel,
    training: list[Example],
    of: Callable[[Outputs], torch.Tensor],
    layers: tuple[str, ...],
) -> None:
    trainable.module.zero_grad()
    of(trainable.outputs(training[0], 100)).backward()
    for name in layers:
        gradient = trainable.module.get_parameter(f"{name}.weight").grad
        assert gradient is not None, name
        assert gradient.any(), name


def test_dropout_applies_in_training_only(trainable: TrainableCoverageModel, training: list[Example]) -> None:
    def scores() -> torch.Tensor:
        return trainable.outputs(training[0], 100).scores.detach()

    assert torch.equal(scores(), scores())
    trainable.module.train()
    assert any(not torch.equal(scores(), scores()) for _ in range(20))


def test_the_shipped_model_is_small(training: list[Example]) -> None:
    shape = read_config(COVERAGE).model
    assert isinstance(shape, CoverageShape)
    widths = Widths.of(features_of(training[0].act, training[0].vectors, Static()))
    count = sum(parameter.numel() for parameter in Learning(shape, widths).parameters())
    assert count <= MOST_PARAMETERS


# --- files ------------------------------------------------------------------------------------------------


def refused(path: Path) -> str:
    with pytest.raises(LexLatticeError) as error:
        Salience.read(path)
    sentence = str(error.value)
    assert path.name in sentence
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format", "lexlattice consolidator 1"),
        ("geometry", "torus"),
        ("geometry", "grid"),
        ("geometry", "none"),
        ("geometry", "line"),
        ("steps", "-1"),
        ("steps", "many"),
        ("steps", ""),
    ],
)
def test_weights_of_another_model_raise_an_error(
    folder: Path, tmp_path: Path, trainable: TrainableCoverageModel, key: str, value: str
) -> None:
    arrays, about = read_weights(saved(trainable, tmp_path / "mine.safetensors"))
    write_weights(tmp_path / "other.safetensors", arrays, about | {key: value})
    refused(tmp_path / "other.safetensors")


def test_missing_or_misshaped_arrays_raise_an_error(tmp_path: Path, trainable: TrainableCoverageModel) -> None:
    arrays, about = read_weights(saved(trainable, tmp_path / "mine.safetensors"))
    path = tmp_path / "other.safetensors"
    for name, array in arrays.items():
        longer = np.concatenate([array, array[..., :1]], axis=-1)
        for others in ({}, {name: longer}):
            write_weights(path, {key: kept for key, kept in arrays.items() if key != name} | others, about)
            refused(path)


@pytest.mark.parametrize("layer", ["word_meaning", "word_first", "word_to_bigram", "unit_second", "bigram_logits"])
def test_a_layer_of_another_size_raises_an_error(tmp_path: Path, trainable: TrainableCoverageModel, layer: str) -> None:
    """Also where the layer by itself is whole."""
    arrays, about = read_weights(saved(trainable, tmp_path / "mine.safetensors"))
    wider = {name: np.concatenate([arrays[name], arrays[name][:1]]) for name in (f"{layer}.weight", f"{layer}.bias")}
    write_weights(tmp_path / "other.safetensors", {**arrays, **wider}, about)
    refused(tmp_path / "other.safetensors")


def test_scales_without_deviation_raise_an_error(tmp_path: Path, trainable: TrainableCoverageModel) -> None:
    arrays, about = read_weights(saved(trainable, tmp_path / "mine.safetensors"))
    write_weights(
        tmp_path / "o.safetensors", {**arrays, "scales.words.deviation": 0 * arrays["scales.words.mean"]}, about
    )
    refused(tmp_path / "o.safetensors")


def test_truncated_and_foreign_files_raise_an_error(tmp_path: Path, trainable: TrainableCoverageModel) -> None:
    whole = saved(trainable, tmp_path / "mine.safetensors").read_bytes()
    path = tmp_path / "damaged.safetensors"
    for content in (b"", whole[:20], whole[:-1], b"These are no weights, but a sentence."):
        path.write_bytes(content)
        refused(path)
    refused(tmp_path / "nowhere.safetensors")
    refused(PATH)
