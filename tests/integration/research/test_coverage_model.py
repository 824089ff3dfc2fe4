"""The coverage model in training: losses, rollouts, extracts and weights; and the commands."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.acts import little_rows, write_rows
from helpers.generated_acts import made
from helpers.tiny_coverage import CONFIG, COVERAGE, encoded, little_config, little_examples, saved, stirred
from lexlattice import Act, evaluate, read
from lexlattice._internal.weights import read_weights
from lexlattice.apps.cli import main
from lexlattice.encoding import EncodingError
from lexlattice.encoding.static import Static
from lexlattice.errors import ConfigError
from lexlattice.research.coverage.decoder import SALIENCE_WEIGHT, Coverage, Probabilities
from lexlattice.research.coverage.features import features_of
from lexlattice.research.coverage.summarizer import CoverageSummarizer
from lexlattice.research.coverage.training import TEMPERATURE, TrainableCoverageModel, log_likelihood, sample_rollout
from lexlattice.selection import Extract, select
from lexlattice.training.config import read_config
from lexlattice.training.models.paper import TrainablePaperModel
from lexlattice.training.prepared import Example
from lexlattice.training.trainable import TrainableModel

TINY = made(
    ("title", "", ["Regulation on bees"]),
    ("article", "Scope", ["This applies to bees.", "It does not apply to wasps."]),
    ("article", "Duties", ["Keepers register bees.", "—", "Keepers label hives."]),
)
DASH = 4
"""A unit without words, which is never taken."""
SUMMARY = "Keepers register bees and label hives."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("provisions")


@pytest.fixture(scope="module")
def acts(folder: Path) -> list[Example]:
    return list(little_examples(folder, 3))


@pytest.fixture
def trainable(folder: Path, acts: list[Example]) -> TrainableCoverageModel:
    return stirred(TrainableCoverageModel(little_config(folder), acts))


@pytest.fixture
def undecided(folder: Path, acts: list[Example]) -> TrainableCoverageModel:
    """Little is likely to be in a summary, so that units are worth about the same, and draws differ."""
    trainable = TrainableCoverageModel(little_config(folder), acts)
    with torch.no_grad():
        for layer in (trainable.module.word_logits, trainable.module.bigram_logits):
            layer.bias.fill_(-2.5)
    trainable.module.eval()
    return trainable


def trained(trainable: TrainableCoverageModel, acts: list[Example], steps: int) -> list[float]:
    optimizer = torch.optim.Adam(trainable.module.parameters(), lr=0.02)
    trainable.module.train()
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = trainable.loss(acts)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# --- stage 1 ----------------------------------------------------------------------------------------------


def test_it_overfits_an_act(folder: Path, acts: list[Example]) -> None:
    trainable = TrainableCoverageModel(little_config(folder), acts)
    as_trainee: TrainableModel = trainable
    torch.manual_seed(0)
    losses = trained(trainable, acts[:1], 25)
    assert np.mean(losses[-3:]) < 0.7 * losses[0]
    trainable.module.eval()
    assert as_trainee.loss(acts[:1]).item() < 0.7 * losses[0]


def test_every_parameter_gets_a_gradient(folder: Path, acts: list[Example]) -> None:
    trainable = TrainableCoverageModel(little_config(folder), acts)
    trained(trainable, acts, 2)
    trainable.module.eval()
    trainable.module.zero_grad()
    trainable.loss(acts).backward()
    gradients = {name: parameter.grad for name, parameter in trainable.module.named_parameters()}
    assert not [name for name, gradient in gradients.items() if gradient is None or not gradient.any()]


def test_the_loss_equals_the_naive_loss_of_counts(trainable: TrainableCoverageModel) -> None:
    """Gram by ngram, for an act of one unit whose summary has some of its words more than once."""
    act = made(("article", "", ["Bees fly. Bees sting. Wasps sting."]))
    example = encoded(act, "Bees and bees, bees fly; wasps fly.")
    with torch.no_grad():
        outputs = trainable.outputs(example, example.words)
        words = sum(
            missed(outputs.words[place].tolist(), count, (1, 2, 3, 4))
            for place, count in enumerate([3, 2, 0, 1])  # bees, fly, sting, wasps
        )
        everything = [trainable.loss([example]).item() for _ in range(200)]
    bigrams = sum(
        missed(
            outputs.bigrams[place].tolist(), int(bigram == (0, 1)), (1, 2, 3)
        )  # of all bigrams, the summary has "bees fly"
        for place, bigram in enumerate(map(tuple, features_of(act, example.vectors, Static()).ngrams.bigrams.tolist()))
    )
    shape = trainable.module.shape
    order = 0.3 * math.log1p(math.exp(-outputs.scores.item()))  # the only unit is always the first
    expected = words / 4 + shape.bigram_weight * bigrams / len(outputs.bigrams) + shape.unit_weight * order
    assert np.mean(everything) == pytest.approx(expected, rel=0.04), (
        "absent bigrams are subsampled, but the mean is unbiased"
    )


def missed(logits: list[float], found: int, counts: tuple[int, ...]) -> float:
    """The negative log-probability of a count: of all steps that were made, and of the one that was not."""
    total = 0.0
    for probability, count in zip((1 / (1 + math.exp(-o)) for o in logits), counts, strict=False):
        if found < count:
            return total - math.log(1 - probability)
        total -= math.log(probability)
    return total


def test_the_loss_of_a_batch_is_the_mean_of_its_acts(trainable: TrainableCoverageModel, acts: list[Example]) -> None:
    torch.manual_seed(1)
    together = trainable.loss(acts).item()
    torch.manual_seed(1)
    assert together == pytest.approx(np.mean([trainable.loss([act]).item() for act in acts]), rel=1e-5)


def test_acts_with_an_empty_oracle_have_a_loss(trainable: TrainableCoverageModel) -> None:
    for texts in (["—"], ["Once."], ["", "..."]):
        example = replace(encoded(made(("article", "", texts)), "Nothing of it."), order=())
        assert trainable.loss([example]).isfinite()


def test_the_initial_weights_depend_on_the_seed_only(folder: Path, acts: list[Example]) -> None:
    config = little_config(folder)
    torch.manual_seed(7)
    first = TrainableCoverageModel(config, acts).module.state_dict()
    torch.manual_seed(8)
    before = torch.get_rng_state()
    second = TrainableCoverageModel(config, acts).module.state_dict()
    assert torch.equal(torch.get_rng_state(), before)
    other = TrainableCoverageModel(replace(config, seed=1), acts).module.state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["word_first.weight"], other["word_first.weight"])


def test_features_are_standardized(folder: Path, acts: list[Example]) -> None:
    trainable = TrainableCoverageModel(little_config(folder), acts)
    rows = np.concatenate([features_of(act.act, act.vectors, Static()).words for act in acts])
    scaled = trainable.module.scales["words"](torch.from_numpy(rows))
    varied = rows.std(0) > 0.01
    assert varied.sum() > 20
    assert scaled.isfinite().all()
    torch.testing.assert_close(scaled.mean(0), torch.zeros(rows.shape[1]), atol=0.2, rtol=0)
    assert ((scaled.std(0)[varied] > 0.5) & (scaled.std(0)[varied] < 1.2)).all()


# --- stage 2 ----------------------------------------------------------------------------------------------


def test_rollouts_are_extracts(trainable: TrainableCoverageModel, acts: list[Example]) -> None:
    """Whole units in document order, within the budget, until no other fits, as `extract` returns them."""
    for act in acts:
        sampled = trainable.rollouts(act, 5, torch.Generator().manual_seed(0))
        assert len(sampled.texts) == 5
        for text in (*sampled.texts, trainable.extract(act, act.words)):
            lines = text.split("\n")
            units = [unit.text for unit in act.act.units]
            places = [units.index(line) for line in lines]
            assert places == sorted(set(places))
            left = act.words - len(text.split())
            assert left >= 0
            assert all(unit.words > left for unit in act.act.units if unit.text not in lines)


def test_rollouts_train_the_readout_only(trainable: TrainableCoverageModel, acts: list[Example]) -> None:
    sampled = trainable.rollouts(acts[0], 4, torch.Generator().manual_seed(0))
    assert sampled.log_likelihoods.shape == (4,)
    assert sampled.log_likelihoods.isfinite().all()
    assert (sampled.log_likelihoods < 0).all()
    assert len(set(sampled.texts)) > 1
    trainable.module.zero_grad()
    (sampled.log_likelihoods * torch.tensor([1.0, -1.0, 0.5, -0.5])).sum().backward()
    moved = {name for name, parameter in trainable.module.named_parameters() if parameter.grad is not None}
    assert moved == {f"readout.{name}" for name, _ in trainable.module.readout.named_parameters()}
    for parameter in trainable.module.readout.parameters():
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all() and parameter.grad.any()


def test_rollouts_depend_on_the_generator(trainable: TrainableCoverageModel, acts: list[Example]) -> None:
    first, again, other = (trainable.rollouts(acts[0], 4, torch.Generator().manual_seed(seed)) for seed in (3, 3, 4))
    assert first.texts == again.texts
    assert torch.equal(first.log_likelihoods, again.log_likelihoods)
    assert first.texts != other.texts


def likelihood(trainable: TrainableCoverageModel, example: Example, order: tuple[int, ...]) -> float:
    """The logarithm of the probability to draw units in this order, step by step, each time from scratch."""
    with torch.no_grad():
        outputs = trainable.outputs(example, example.words)
    features = features_of(example.act, example.vectors, Static())
    probabilities = Probabilities(*(logits.sigmoid().cumprod(1).numpy() for logits in (outputs.words, outputs.bigrams)))
    lengths, salience = features.layout.words, (SALIENCE_WEIGHT * outputs.scores.sigmoid()).numpy()
    total, left = 0.0, example.words
    for step, unit in enumerate(order):
        coverage = Coverage(features.ngrams, probabilities, lengths, salience)
        for taken in order[:step]:
            coverage.take(taken)
        worth = coverage.values().astype(np.float64) / TEMPERATURE
        fits = [u for u, length in enumerate(lengths) if u != DASH and length <= left and u not in order[:step]]
        total += worth[unit] - np.log(np.sum(np.exp(worth[fits])))
        left -= int(lengths[unit])
    return float(total)


def test_the_likelihood_of_a_rollout_is_the_product_of_its_steps(undecided: TrainableCoverageModel) -> None:
    example = replace(encoded(TINY, SUMMARY), words=9)
    texts = [unit.text for unit in TINY.units]
    sampled = undecided.rollouts(example, 12, torch.Generator().manual_seed(0))
    assert len(set(sampled.texts)) > 1
    assert len({round(found, 4) for found in sampled.log_likelihoods.tolist()}) > 3
    for text, found in zip(sampled.texts, sampled.log_likelihoods.tolist(), strict=True):
        orders = permutations([texts.index(line) for line in text.split("\n")])
        assert any(found == pytest.approx(likelihood(undecided, example, order), abs=1e-3) for order in orders)


def test_rollouts_occur_in_proportion_to_their_likelihood(undecided: TrainableCoverageModel) -> None:
    """Probabilities of all orders of all extracts sum to one, and samples occur in proportion to them."""
    example = replace(encoded(TINY, SUMMARY), words=5)
    lengths = [unit.words for unit in TINY.units]

    def orders(taken: tuple[int, ...], left: int) -> list[tuple[int, ...]]:
        fits = [unit for unit, n in enumerate(lengths) if unit != DASH and n <= left and unit not in taken]
        return [order for unit in fits for order in orders((*taken, unit), left - lengths[unit])] or [taken]

    probabilities: dict[str, float] = {}
    for order in orders((), example.words):
        text = "\n".join(TINY.units[unit].text for unit in sorted(order))
        probabilities[text] = probabilities.get(text, 0) + math.exp(likelihood(undecided, example, order))
    assert sum(probabilities.values()) == pytest.approx(1, abs=1e-3)
    assert max(probabilities.values()) < 0.7, "nothing would be compared"
    sampled = undecided.rollouts(example, 1_500, torch.Generator().manual_seed(0)).texts
    assert {*sampled} <= probabilities.keys()
    for text, probability in probabilities.items():
        assert sampled.count(text) / len(sampled) == pytest.approx(probability, abs=0.04)


def test_the_gradient_of_the_likelihood_is_correct(undecided: TrainableCoverageModel) -> None:
    """Against differences: every unit's salience a little higher and a little lower, for the same order of units."""
    example = replace(encoded(TINY, SUMMARY), words=9)
    features = features_of(TINY, example.vectors, Static())
    with torch.no_grad():
        outputs = undecided.outputs(example, example.words)
    probabilities = Probabilities(*(logits.sigmoid().cumprod(1).numpy() for logits in (outputs.words, outputs.bigrams)))
    lengths, salience = features.layout.words, np.linspace(0, 0.05, len(TINY)).astype(np.float32)
    draw = sample_rollout(
        Coverage(features.ngrams, probabilities, lengths, salience), lengths, 9, np.random.default_rng(1)
    )
    assert len(draw.order) > 1

    def likelihood_with(salience: np.ndarray) -> float:
        coverage, left, total = Coverage(features.ngrams, probabilities, lengths, salience), 9, 0.0
        for step, unit in enumerate(draw.order):
            fits = [u for u in range(len(TINY)) if u != DASH and lengths[u] <= left and u not in draw.order[:step]]
            worth = coverage.values().astype(np.float64) / TEMPERATURE
            total += worth[unit] - np.log(np.exp(worth[fits]).sum())
            coverage.take(unit)
            left -= int(lengths[unit])
        return float(total)

    steps = 1e-3 * np.eye(len(TINY), dtype=np.float32)
    slopes = [(likelihood_with(salience + step) - likelihood_with(salience - step)) / 2e-3 for step in steps]
    given = torch.from_numpy(salience).requires_grad_()
    found = log_likelihood(draw, given)
    assert found.item() == pytest.approx(likelihood_with(salience), abs=1e-3)
    found.backward()
    assert given.grad is not None
    np.testing.assert_allclose(given.grad.numpy(), slopes, atol=0.05)
    assert np.abs(slopes).max() > 1, "nothing would be compared"


def test_cached_outputs_follow_every_change_of_the_weights(folder: Path, acts: list[Example]) -> None:
    """What stage 2 does not teach is made once; but not beyond a step of stage 1, nor beyond other weights."""
    trainable, fresh = (TrainableCoverageModel(little_config(folder), acts) for _ in range(2))

    def likelihoods(of: TrainableCoverageModel) -> list[float]:
        return of.rollouts(acts[0], 3, torch.Generator().manual_seed(0)).log_likelihoods.tolist()

    first = likelihoods(trainable)
    trained(trainable, acts[:1], 3)
    assert likelihoods(trainable) != first
    trainable.module.load_state_dict(fresh.module.state_dict())
    assert likelihoods(trainable) == first
    assert trainable.module.training, "and it is left as it was found"


def test_samples_are_empty_if_nothing_fits(trainable: TrainableCoverageModel) -> None:
    example = replace(encoded(made(("article", "", ["Bees fly far."])), "Bees."), words=1)
    sampled = trainable.rollouts(example, 2, torch.Generator().manual_seed(0))
    assert sampled.texts == ["", ""]
    assert sampled.log_likelihoods.tolist() == [0, 0]
    sampled.log_likelihoods.sum().backward()
    assert trainable.extract(example, 1) == ""


# --- what it emits and writes -----------------------------------------------------------------------------


def test_the_saved_model_selects_the_same_extracts(
    trainable: TrainableCoverageModel, acts: list[Example], tmp_path: Path
) -> None:
    summarizer = CoverageSummarizer.from_pretrained(saved(trainable, tmp_path / "model.safetensors"))
    for act in acts:
        assert trainable.extract(act, act.words) == summarizer.extract(act.act, act.words).text


def test_equal_weights_give_equal_files(folder: Path, acts: list[Example], tmp_path: Path) -> None:
    for name in "ab":
        saved(TrainableCoverageModel(little_config(folder), acts), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


# --- the configuration ------------------------------------------------------------------------------------


def test_the_shipped_model_loads() -> None:
    config = read_config(COVERAGE)
    assert (config.profile, config.encoder.name, config.selection.mode) == ("provisions", "static", "whole")
    assert (config.oracle.objective, config.oracle.whole) == ("budgeted", True)
    assert config.model.geometry == "unbounded"


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('mode = "whole"', 'mode = "paper"', "selection.mode"),
        ('geometry = "unbounded"', 'geometry = "grid"', "model.geometry"),
        ("dropout = 0.1", "dropout = 1.0", "model.dropout"),
        ("bigram_weight = 4.0", "bigram_weight = -1.0", "model.bigram_weight"),
        ("dropout = 0.1", "dropout = true", "model.dropout"),
        ("message = 3\n", "", "model.message"),
        ("message = 3\n", "message = 3\nrows = 48\n", "model.rows"),
    ],
)
def test_invalid_values_and_keys_are_named(tmp_path: Path, old: str, new: str, key: str) -> None:
    assert CONFIG.count(old) == 1
    (tmp_path / "mine.toml").write_text(CONFIG.replace(old, new))
    with pytest.raises(ConfigError) as error:
        read_config(tmp_path / "mine.toml")
    assert f"'{key}'" in str(error.value)


# --- commands ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, a configuration, and a model that was trained with one command."""
    place = tmp_path_factory.mktemp("place")
    write_rows(place / "data.jsonl", little_rows(6))
    write_rows(place / "validation.jsonl", little_rows(2, first=20))
    (place / "config.toml").write_text(CONFIG)
    assert train(place, "model") == 0
    return place


def train(place: Path, output: str, *options: str) -> int:
    line = ("train", "--config", place / "config.toml", "--data", place / "data.jsonl", "-o", place / output)
    validation = ("--validation", place / "validation.jsonl", "--quiet", "--jobs", 1)
    return main([str(part) for part in (*line, *validation, *options)])


def test_one_command_trains_both_stages(place: Path) -> None:
    weights = read_weights(place / "model" / "model.safetensors")
    assert weights.about["profile"] == "provisions"
    assert weights.about["fingerprint"] == Static().fingerprint
    with (place / "model" / "log.csv").open(newline="") as file:
        stages = [row["stage"] for row in csv.DictReader(file)]
    assert stages == ["warm-start"] * 8 + ["rloo"] * 4


def test_the_same_command_gives_the_same_model(place: Path) -> None:
    assert train(place, "again") == 0
    assert (place / "again" / "model.safetensors").read_bytes() == (place / "model" / "model.safetensors").read_bytes()


def test_separate_stages_give_the_same_model(place: Path) -> None:
    """With the averages of the weights taken over from a checkpoint."""
    assert train(place, "in-turn", "--stage", "warm-start") == 0
    assert train(place, "in-turn", "--stage", "rloo", "--resume") == 0
    assert (place / "in-turn" / "model.safetensors").read_bytes() == (
        place / "model" / "model.safetensors"
    ).read_bytes()


def test_the_model_can_be_evaluated_next_to_others(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    name = "model:model/model.safetensors"
    capsys.readouterr()
    assert main(["evaluate", "validation.jsonl", "--system", f"lead,{name},oracle", "--json", "--quiet"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert list(result["systems"]) == ["lead", name, "oracle"]
    assert result["systems"][name]["words"] > 0


def test_its_extracts_are_those_of_the_summarizer(place: Path, examples: Path) -> None:
    path = place / "model" / "model.safetensors"
    act = read(examples / "short" / "fr.txt")
    rows = [{"reference": act.source, "summary": SUMMARY, "celex_id": "", "language": "fr"}]
    summarizer = CoverageSummarizer.from_pretrained(path)
    by_name = evaluate(rows, f"model:{path}", budget="words:90").systems[f"model:{path}"]
    by_hand = evaluate(rows, {"own": summarizer.extract}, budget="words:90").systems["own"]
    assert {**by_name, "seconds": 0} == {**by_hand, "seconds": 0}


def test_its_scores_can_be_evaluated_without_its_decoder(place: Path) -> None:
    path, rows = place / "model" / "model.safetensors", little_rows(2)
    summarizer = CoverageSummarizer.from_pretrained(path)

    def by_hand(act: Act, words: int) -> Extract:
        return select(act, summarizer.score(act), words)

    found = evaluate(rows, {"scores": f"scores:{path}", "own": by_hand, "model": f"model:{path}"}, budget="words:40")
    without_time = {name: {**figures, "seconds": 0} for name, figures in found.systems.items()}
    assert without_time["scores"] == without_time["own"] != without_time["model"]


def test_a_paper_model_can_be_evaluated_with_its_encoder_only(tmp_path: Path) -> None:
    config = read_config("paper-static")
    small = replace(config, model=replace(config.model, hidden=3, readout=3, steps=1))
    path = tmp_path / "paper.safetensors"
    TrainablePaperModel(small).save(path, {"encoder": "static", "fingerprint": Static().fingerprint})
    rows = little_rows(2)
    assert evaluate(rows, f"model:{path}", profile="paper").systems[f"model:{path}"]["words"] > 0
    TrainablePaperModel(small).save(path, {"encoder": "static", "fingerprint": "another"})
    with pytest.raises(EncodingError):
        evaluate(rows, f"model:{path}", profile="paper")


def test_an_invalid_model_file_gives_one_sentence(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    line = ["evaluate", str(place / "validation.jsonl"), "--system", f"model:{place / 'config.toml'}", "--quiet"]
    assert main(line) == 2
    said = capsys.readouterr().err.strip()
    assert said.startswith("lexlattice: ")
    assert said.count("\n") == 0
    assert said.endswith(".")
