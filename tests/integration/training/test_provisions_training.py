"""The network of meaning in training: what it learns, draws and emits; and the commands around it."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.generated_acts import made
from helpers.tiny_network import annotated_rows, example_of, small_config, small_text, stirred, write_annotated
from lexlattice import read
from lexlattice.apps.cli import main
from lexlattice.encoding.static import Static
from lexlattice.errors import ConfigError, DataError
from lexlattice.evaluation.points import MEANINGS
from lexlattice.lattice.features import features_of
from lexlattice.lattice.model import Network
from lexlattice.selection.decoder import choose
from lexlattice.training.models.provisions import TrainableProvisionsModel
from lexlattice.training.prepare import prepare
from lexlattice.training.prepared import Example, Prepared
from lexlattice.training.rloo import sample_extracts
from lexlattice.training.targets import (
    NO_TARGETS,
    SilverTargets,
    gold_order,
    make_targets,
    membership_targets,
    point_weights,
    targets_from_dict,
    targets_to_dict,
)
from lexlattice.training.trainable import GoldTrainable, SilverTrainable
from lexlattice.training.validation import GoldValidation, format_figures, objective

TINY = made(
    ("title", "", ["Regulation on the keeping of bees"]),
    ("article", "Scope", ["This applies to all bees.", "It does not apply to wasps."]),
    ("article", "Duties", ["Keepers shall register all bees.", "Keepers shall label their hives.", "—"]),
)


class KilledError(Exception):
    """Stands for whatever ends a process."""


@pytest.fixture(scope="module")
def acts(examples: Path) -> list[Example]:
    return [example_of(read(examples / "short" / f"{code}.txt"), line) for line, code in enumerate(("en", "fr", "el"))]


@pytest.fixture
def trainable(tmp_path: Path, acts: list[Example]) -> TrainableProvisionsModel:
    return stirred(TrainableProvisionsModel(small_config(tmp_path), acts))


# --- losses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["silver", "gold"])
def test_it_overfits_a_single_act(stage: str, tmp_path: Path, acts: list[Example]) -> None:
    config = small_config(tmp_path, input_dropout=0.0, dropout=0.0, channels=16, first=24, hidden=24)
    trainable = TrainableProvisionsModel(config, acts)
    optimizer = torch.optim.Adam(trainable.module.parameters(), lr=0.02)
    trainable.module.train()
    for _ in range(60):
        optimizer.zero_grad()
        (trainable.loss(acts[:1]) if stage == "gold" else trainable.silver_loss(acts[:1])).backward()
        optimizer.step()
    trainable.module.eval()
    with torch.no_grad():
        scores = trainable.module.scores(trainable.outputs(acts[0])).numpy()
    is_gold = np.isin(np.arange(len(scores)), acts[0].order)
    assert scores[is_gold].min() > scores[~is_gold].max()


def test_every_parameter_gets_a_gradient(tmp_path: Path, examples: Path) -> None:
    act = example_of(read(examples / "long" / "en.txt"))  # it has chapters
    trainable = stirred(TrainableProvisionsModel(small_config(tmp_path), [act]))
    trainable.loss([act]).backward()
    gradients = {name: parameter.grad for name, parameter in trainable.module.named_parameters()}
    assert not [name for name, gradient in gradients.items() if gradient is None or not gradient.any()]


def test_the_loss_of_a_batch_is_the_mean_of_its_acts(trainable: TrainableProvisionsModel, acts: list[Example]) -> None:
    for loss in (trainable.loss, trainable.silver_loss):
        assert loss(acts).item() == pytest.approx(np.mean([loss([act]).item() for act in acts]), rel=1e-5)


def test_the_initial_weights_depend_on_the_seed_only(tmp_path: Path, acts: list[Example]) -> None:
    config = small_config(tmp_path)
    torch.manual_seed(7)
    before = torch.get_rng_state()
    one, same = (TrainableProvisionsModel(config, acts).module.state_dict() for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    other = TrainableProvisionsModel(replace(config, seed=1), acts).module.state_dict()
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert not torch.equal(one["first.weight"], other["first.weight"])


def test_the_silver_loss_is_weighted_by_confidence(trainable: TrainableProvisionsModel, acts: list[Example]) -> None:
    silver = acts[0].targets.silver
    assert silver is not None
    some = silver._replace(weights=np.where(np.arange(len(silver.weights)) == 2, 1, 0).astype(np.float32))
    example = replace(acts[0], targets=acts[0].targets._replace(silver=some))
    with torch.no_grad():
        outputs = trainable.outputs(example)
        assert outputs.weights is not None
        logit, weight = outputs.logits[2].item(), outputs.weights[2].item()
        expected = math.log1p(math.exp(logit)) - silver.targets[2].item() * logit
        expected += 0.3 * (math.exp(weight) - 3 * silver.importance[2].item() * weight)
        assert trainable.silver_loss([example]).item() == pytest.approx(expected, rel=1e-4)


def test_missing_targets_raise_an_error(trainable: TrainableProvisionsModel, acts: list[Example]) -> None:
    bare = replace(acts[0], targets=NO_TARGETS)
    with pytest.raises(DataError):
        trainable.loss([bare])
    with pytest.raises(DataError):
        trainable.silver_loss([bare])


# --- annotations on units ---------------------------------------------------------------------------------


def test_units_of_points_and_of_the_extract_have_soft_targets() -> None:
    example = example_of(TINY, units=[3, 1, 2])
    assert example.order == (3, 1, 2)
    targets = example.targets
    assert targets.gold is not None
    lighter = targets._replace(gold=replace(targets.gold, extract=targets.gold.extract[:1]))
    np.testing.assert_allclose(membership_targets(TINY, lighter, 0.5), [0, 2 / 3, 1, 0.5, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(point_weights(TINY, lighter), [0, 2, 3, 1, 0, 0])


def test_targets_survive_a_round_trip() -> None:
    ones = np.ones(len(TINY), np.float32)
    silver = SilverTargets(np.linspace(0, 1, len(TINY), dtype=np.float32), 0.5 * ones, ones)
    targets = example_of(TINY, units=[3, 1]).targets._replace(silver=silver)
    again = targets_from_dict(json.loads(json.dumps(targets_to_dict(targets))), "32024R0000", TINY)
    assert again.gold == targets.gold
    assert again.reference is None
    assert again.silver is not None
    np.testing.assert_allclose(again.silver.targets, silver.targets, atol=1e-4)
    assert targets_to_dict(NO_TARGETS) == {}
    assert targets_from_dict({}, "", TINY) == NO_TARGETS
    with pytest.raises(ValueError):
        targets_from_dict({"silver": [[1.0], [1.0], [1.0]]}, "", TINY)


def test_gold_places_map_onto_text_whose_words_differ() -> None:
    """The text that places count in is kept where it has other words than the act."""
    text = "Article 1\n1. Keep\u0002ers shall register.\n2. Registration is free."
    act = read(text, language="en")
    gold = example_of(act, units=[1]).targets.gold
    assert gold is not None
    assert make_targets(act, act.source, gold).reference is None
    shifted = replace(gold, extract=tuple(type(p)(p.start + 1, p.end + 1) for p in gold.extract))
    targets = make_targets(act, text, shifted)
    assert targets.reference == text
    assert gold_order(act, targets) == (1,)
    assert targets_from_dict(json.loads(json.dumps(targets_to_dict(targets))), "", act).reference == text


# --- rollouts and extracts ----------------------------------------------------------------------------


def test_samples_are_selections_of_the_decoder(trainable: TrainableProvisionsModel, acts: list[Example]) -> None:
    """Within the budget; and at a temperature near zero, exactly what the decoder selects."""
    for act in acts:
        with torch.no_grad():
            scores = trainable.module.scores(trainable.outputs(act))
        sampled = sample_extracts(scores, act.act, 90, 5, 0.5, torch.Generator().manual_seed(0)).choices
        assert len({tuple(units) for units in sampled}) > 1
        assert all(0 < sum(act.act.units[unit].words for unit in units) <= 90 for units in sampled)
        still = sample_extracts(scores, act.act, 90, 2, 1e-6, torch.Generator().manual_seed(0)).choices
        assert still == [trainable.choose(act, 90)] * 2 == [list(choose(act.act, scores, 90).units)] * 2


def likelihood(logarithms: torch.Tensor, order: tuple[int, ...]) -> float:
    """Step by step: the probability of each among those that are left."""
    left, total = logarithms.double().exp(), 0.0
    for unit in order:
        total += math.log(left[unit] / left.sum())
        left[unit] = 0
    return total


def test_the_likelihood_of_a_sample_is_that_of_its_units_in_order() -> None:
    duties = ("register", "label", "clean", "inspect", "insure", "move")
    act = made(*(("article", "", [f"Keepers shall {duty} hives."]) for duty in duties))
    scores = torch.tensor([0.9, 0.2, 0.5, 0.4, 0.3, 0.8], requires_grad=True)
    sampled = sample_extracts(scores, act, 13, 40, 0.5, torch.Generator().manual_seed(0))
    logarithms = scores.detach().log() / 0.5
    assert len({tuple(choice) for choice in sampled.choices}) > 2
    for choice, found in zip(sampled.choices, sampled.log_likelihoods.tolist(), strict=True):
        assert any(found == pytest.approx(likelihood(logarithms, o), abs=1e-4) for o in permutations(choice))
    sampled.log_likelihoods[0].backward()
    assert scores.grad is not None
    assert (scores.grad[sampled.choices[0]] > 0).any()
    assert all(scores.grad[unit] < 0 for unit in range(6) if unit not in sampled.choices[0])


def test_samples_are_empty_if_nothing_fits() -> None:
    scores = torch.full((len(TINY),), 0.5, requires_grad=True)
    sampled = sample_extracts(scores, TINY, 1, 2, 1.0, torch.Generator().manual_seed(0))
    assert sampled.choices == [[], []]
    assert sampled.log_likelihoods.tolist() == [0.0, 0.0]


def test_the_reward_is_the_f1_of_points_and_precision(trainable: TrainableProvisionsModel, acts: list[Example]) -> None:
    sampled = trainable.rollouts(acts[0], 6, torch.Generator().manual_seed(1))
    again = trainable.rollouts(acts[0], 6, torch.Generator().manual_seed(1))
    assert sampled.texts == again.texts
    assert sampled.rewards is not None
    texts = dict(zip(sampled.texts, sampled.rewards, strict=True))
    units = {unit.text: place for place, unit in enumerate(acts[0].act.units)}
    for text, reward in texts.items():
        chosen = [units[line] for line in text.split("\n")]
        assert reward == pytest.approx(trainable.points(acts[0]).score(chosen).f1)
    (sampled.log_likelihoods * torch.arange(6)).sum().backward()
    assert all(parameter.grad is not None for parameter in trainable.module.readout.parameters())


def test_validation_is_the_mean_over_acts(trainable: TrainableProvisionsModel, acts: list[Example]) -> None:
    figures = GoldValidation(acts).measure(trainable)
    assert tuple(figures) == MEANINGS
    found = [trainable.points(act).score(trainable.choose(act, trainable.points(act).gold.words)) for act in acts]
    assert figures["points"] == pytest.approx(100 * np.mean([one.points for one in found]))
    assert objective(figures) == figures["f1"]
    assert format_figures(figures).startswith("points / precision / f1 ")


def test_the_model_satisfies_the_protocols(trainable: TrainableProvisionsModel) -> None:
    aligning: SilverTrainable = trainable
    choosing: GoldTrainable = trainable
    assert all(map(callable, (aligning.silver_loss, choosing.choose, choosing.points)))


# --- prepare and train ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Prepared acts and a training that nothing happened to."""
    folder = tmp_path_factory.mktemp("meaning")
    (folder / "config.toml").write_text(small_text(), "utf-8")
    for name, count, first in (("train", 5, 1), ("validation", 3, 11)):
        rows, gold = write_annotated(folder, name, count, first)
        assert (
            main(["prepare", str(rows), "--gold", str(gold), "-o", str(folder / name), "--jobs", "1", "--quiet"]) == 0
        )
    assert train(folder, "model") == 0
    return folder


def train(place: Path, name: str, *more: str) -> int:
    line = ["train", "--config", str(place / "config.toml"), "--data", str(place / "train")]
    return main([*line, "--validation", str(place / "validation"), "-o", str(place / name), "--quiet", *more])


def test_prepared_acts_have_their_annotations(place: Path) -> None:
    prepared = Prepared.open(place / "train")
    assert [example.targets.gold is not None for example in prepared] == [True] * 4 + [False]
    assert [bool(example.order) for example in prepared] == [True] * 4 + [False]
    assert len(prepared.with_choice) == 4
    assert all(example.targets.silver is not None for example in prepared)
    _, golds = annotated_rows(5)
    first = prepared[0]
    assert [first.act.units[unit].id for unit in first.order] == golds[0]["extract"]


def test_all_stages_are_trained_and_logged(place: Path) -> None:
    with (place / "model" / "log.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    epochs = [row for row in rows if not row["step"]]
    assert [row["stage"] for row in epochs] == ["silver", "warm-start", "warm-start", "rloo"]
    assert [row["acts"] for row in rows if row["stage"] == "silver" and row["step"]] == ["2", "2", "1"]
    assert [row["acts"] for row in rows if row["stage"] == "rloo" and row["step"]] == ["2", "2"]
    assert all(0 <= float(row[name]) <= 100 for row in epochs for name in MEANINGS)
    assert all(0 <= float(row["reward"]) <= 1 for row in rows if row["stage"] == "rloo")


def test_the_model_scores_acts_without_pytorch(place: Path, examples: Path) -> None:
    network = Network.read(place / "model" / "model.safetensors")
    act = read(examples / "short" / "de.txt")
    scores = network.scores(features_of(act, Static()))
    assert scores.shape == (len(act),)
    assert np.isfinite(scores).all()
    assert (scores >= 0).all()


def test_stages_in_separate_runs_give_the_same_model(place: Path) -> None:
    assert train(place, "in-turn", "--stage", "warm-start") == 0
    assert train(place, "in-turn", "--stage", "rloo", "--resume") == 0
    one, other = ((place / name / "model.safetensors").read_bytes() for name in ("model", "in-turn"))
    assert one == other


def test_a_killed_training_resumes_bit_for_bit(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loss, lives = TrainableProvisionsModel.loss, 3

    def mortal(self: TrainableProvisionsModel, examples: list[Example]) -> torch.Tensor:
        nonlocal lives
        lives -= 1
        if not lives:
            raise KilledError
        return loss(self, examples)

    with monkeypatch.context() as patched:
        patched.setattr(TrainableProvisionsModel, "loss", mortal)
        with pytest.raises(KilledError):
            train(place, "killed", "--checkpoint-every", "0")
    assert train(place, "killed", "--resume") == 0
    one, other = ((place / name / "model.safetensors").read_bytes() for name in ("model", "killed"))
    assert one == other


def test_validation_acts_are_excluded_from_training(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows, gold = write_annotated(tmp_path, "both", 6, 9)  # of which some are validated with
    assert (
        main(["prepare", str(rows), "--gold", str(gold), "-o", str(tmp_path / "both"), "--jobs", "1", "--quiet"]) == 0
    )
    capsys.readouterr()
    line = ["train", "--config", str(place / "config.toml"), "--data", str(tmp_path / "both"), "--stage", "warm-start"]
    assert main([*line, "--validation", str(place / "validation"), "-o", str(tmp_path / "model"), "--quiet"]) == 0
    assert re.search(r"\b3\b.*\b6\b", capsys.readouterr().err)


def test_acts_prepared_without_gold_raise_an_error(place: Path, tmp_path: Path) -> None:
    rows, _ = annotated_rows(2)
    prepare([rows], tmp_path / "plain")
    line = ["train", "--config", str(place / "config.toml"), "--data", str(tmp_path / "plain")]
    assert main([*line, "--validation", str(place / "validation"), "-o", str(tmp_path / "model"), "--quiet"]) == 2


def test_an_invalid_gold_file_raises_an_error(place: Path, tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.jsonl", place / "train.jsonl"):
        with pytest.raises(DataError) as error:
            prepare([annotated_rows(2)[0]], tmp_path / "made", gold=path)
        assert path.name in str(error.value)


def test_other_networks_have_no_silver_stage(tmp_path: Path) -> None:
    from lexlattice.training.config import read_config

    text = small_text().replace('network = "provisions"', 'network = "coverage"')
    (tmp_path / "other.toml").write_text(text, "utf-8")
    with pytest.raises(ConfigError) as error:
        read_config(tmp_path / "other.toml")
    assert "'silver'" in str(error.value)
