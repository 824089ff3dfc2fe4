"""The training loop, on the simplest thing that can be trained: figures, seeds, early stopping, kills, checkpoints."""

from __future__ import annotations

import csv
import math
import pickle
import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from statistics import fmean
from tempfile import TemporaryDirectory

import pytest
import safetensors.torch
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from helpers.acts import contents, little_rows
from lexlattice._internal.files import sha256
from lexlattice._internal.weights import safetensors as file
from lexlattice.errors import ConfigError, DataError, TrainingError
from lexlattice.evaluation.metrics.rouge import score
from lexlattice.selection import Budget, select
from lexlattice.training import rloo
from lexlattice.training.checkpoints import COLUMNS, FORMAT, Checkpoints, State, pack_state
from lexlattice.training.config import Rloo, WarmStart
from lexlattice.training.loop import STAGES, Best, Task, train
from lexlattice.training.losses import warm_start_loss
from lexlattice.training.prepare import prepare
from lexlattice.training.prepared import Example, Prepared
from lexlattice.training.run import exclude_validation, split_validation
from lexlattice.training.trainable import Rollouts
from lexlattice.training.validation import ROUGE_FIGURES, RougeValidation, objective

WARM = WarmStart(
    bce=0.3, epochs=3, batch=2, learning_rate=0.05, weight_decay=0.01, patience=9, clip=1.0, warm_up=0.1, ema=0.5
)
RLOO = Rloo(
    rollouts=3,
    epochs=2,
    batch=3,
    learning_rate=0.05,
    weight_decay=0.01,
    patience=9,
    clip=1.0,
    warm_up=0.1,
    ema=0.0,
    decay=0.9,
)
TRAINING, VALIDATION = 7, 2
STEPS = 3 * math.ceil(TRAINING / 2) + 2 * math.ceil(TRAINING / 3)
torch.set_num_threads(1)


class Linear:
    """The simplest `TrainableModel`: a linear layer with dropout over the vectors of units."""

    def __init__(self, seed: int = 0) -> None:
        torch.manual_seed(seed)
        self.module = torch.nn.Sequential(torch.nn.Dropout(0.2), torch.nn.Linear(256, 1))

    def scores(self, example: Example) -> Tensor:
        scores: Tensor = self.module(torch.from_numpy(example.vectors)).squeeze(1)
        return scores

    def loss(self, examples: Sequence[Example]) -> Tensor:
        return torch.stack(
            [warm_start_loss(self.scores(example), example.order, WARM.bce) for example in examples]
        ).mean()

    def rollouts(self, example: Example, count: int, generator: torch.Generator) -> Rollouts:
        return rloo.rollouts(self.scores(example), example.act, example.words, count, generator)

    def extract(self, example: Example, words: int) -> str:
        return select(example.act, self.scores(example).numpy(), words).text

    def save(self, path: Path, about: Mapping[str, str]) -> None:
        raise NotImplementedError


class KilledError(Exception):
    """Stands for whatever ends a process."""


class Mortal(Linear):
    """A model that is killed after a number of forward passes in training."""

    def __init__(self, lives: int) -> None:
        super().__init__()
        self._lives = lives

    def scores(self, example: Example) -> Tensor:
        if self.module.training:
            self._lives -= 1
            if not self._lives:
                raise KilledError
        return super().scores(example)


class Spent(Linear):
    """One that emits something at its first validation only."""

    def __init__(self) -> None:
        super().__init__()
        self._left = VALIDATION

    def extract(self, example: Example, words: int) -> str:
        self._left -= 1
        return super().extract(example, words) if self._left >= 0 else ""


class Watched(Linear):
    """One that notes which acts it is trained on."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[int] = []

    def scores(self, example: Example) -> Tensor:
        if self.module.training:
            self.lines.append(example.line)
        return super().scores(example)


class Confused(Linear):
    """One that knows no score for the act of line 3."""

    def scores(self, example: Example) -> Tensor:
        return super().scores(example) * (math.nan if example.line == 3 else 1.0)


class Steep(Linear):
    """One whose loss is a number, but not its slope."""

    def loss(self, examples: Sequence[Example]) -> Tensor:
        return (super().loss(examples) * 0).sqrt()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare([little_rows(TRAINING + VALIDATION)], tmp_path_factory.mktemp("data") / "prepared")


@pytest.fixture(scope="module")
def whole(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> tuple[Best, Path]:
    """A training that nothing happened to, and where it was."""
    folder = tmp_path_factory.mktemp("whole")
    return train(task(prepared), folder), folder


def task(prepared: Prepared, trainable: Linear | None = None, seed: int = 0) -> Task:
    parts = prepared[:TRAINING], prepared[TRAINING:]
    return Task(trainable or Linear(), *parts, WARM, RLOO, seed, Budget("reference"), {"data": "these"})


def equal(one: Best, other: Best) -> bool:
    """Bit for bit."""
    weights = one.weights.keys() == other.weights.keys()
    same = all(torch.equal(one.weights[name], other.weights[name]) for name in one.weights)
    return weights and same and (one.stage, one.epoch, one.figures) == (other.stage, other.epoch, other.figures)


def log_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "log.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def timeless(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{**row, "seconds": ""} for row in rows]


# --- training and its log ---------------------------------------------------------------


def test_the_loss_falls_and_the_log_has_every_step_and_epoch(whole: tuple[Best, Path]) -> None:
    rows = log_of(whole[1])
    assert tuple(rows[0]) == COLUMNS
    steps, epochs = [row for row in rows if row["step"]], [row for row in rows if not row["step"]]
    assert len(steps) == STEPS
    assert [(row["stage"], row["epoch"]) for row in epochs] == [
        *((STAGES[0], str(epoch)) for epoch in (1, 2, 3)),
        *((STAGES[1], str(epoch)) for epoch in (1, 2)),
    ]
    assert float(epochs[2]["loss"]) < float(epochs[0]["loss"])
    assert all(0 < float(row["reward"]) < 1 for row in rows if row["stage"] == "rloo")
    assert not any(row["reward"] for row in rows if row["stage"] == "warm-start")
    assert all(float(row["seconds"]) > 0 for row in rows)
    assert all(0 <= float(row[name]) <= 100 for row in epochs for name in ROUGE_FIGURES)


def test_the_best_weights_of_both_stages_are_kept(prepared: Prepared, whole: tuple[Best, Path]) -> None:
    best, folder = whole
    epochs = [row for row in log_of(folder) if not row["step"]]
    values = [objective({name: float(row[name]) for name in ROUGE_FIGURES}) for row in epochs]
    chosen = epochs[values.index(max(values))]
    assert (best.stage, str(best.epoch)) == (chosen["stage"], chosen["epoch"])
    trainable = Linear(seed=1)
    trainable.module.load_state_dict(best.weights)
    assert RougeValidation(prepared[TRAINING:], Budget("reference")).measure(trainable) == best.figures


@pytest.mark.parametrize("budget", ["reference", "words:60"])
def test_validation_is_the_mean_rouge_of_the_extracts(prepared: Prepared, budget: str) -> None:
    trainable, examples = Linear(), prepared[TRAINING:]
    figures = RougeValidation(examples, Budget.parse(budget)).measure(trainable)
    with torch.no_grad():
        texts = [trainable.extract(example, 60 if budget == "words:60" else example.words) for example in examples]
    for name in ROUGE_FIGURES:
        tokenizer, measure = name.split("_")
        scores = [score(text, e.summary, tokenizer)[measure].f1 for text, e in zip(texts, examples, strict=True)]
        assert figures[name] == pytest.approx(100 * fmean(scores))
    assert objective(figures) == pytest.approx(
        fmean(figures[f"unicode_{name}"] for name in ("rouge1", "rouge2", "rougeLsum"))
    )


def test_weights_depend_on_the_seed_only(prepared: Prepared, whole: tuple[Best, Path], tmp_path: Path) -> None:
    assert equal(whole[0], train(task(prepared), tmp_path / "same"))
    assert timeless(log_of(whole[1])) == timeless(log_of(tmp_path / "same"))
    assert not equal(whole[0], train(task(prepared, seed=1), tmp_path / "other"))


def test_training_leaves_the_global_random_state_untouched(prepared: Prepared, tmp_path: Path) -> None:
    one_epoch = replace(task(prepared), warm_start=replace(WARM, epochs=1))
    before = torch.get_rng_state()
    train(one_epoch, tmp_path, stages=STAGES[:1])
    assert torch.equal(before, torch.get_rng_state())
    assert not torch.are_deterministic_algorithms_enabled()


def test_early_stopping_ends_a_stage(prepared: Prepared, tmp_path: Path) -> None:
    """With a rate that changes no choice, the first epoch stays the best."""
    idle = replace(WARM, learning_rate=1e-12, weight_decay=0.0, epochs=50, patience=2)
    best = train(replace(task(prepared), warm_start=idle), tmp_path, stages=STAGES[:1])
    assert best.epoch == 1
    assert len([row for row in log_of(tmp_path) if not row["step"]]) == 3


def test_stage_2_starts_from_the_best_weights_of_stage_1(prepared: Prepared, tmp_path: Path) -> None:
    """Here those of the first epoch, since later extracts are empty."""
    idle = replace(RLOO, learning_rate=1e-12, weight_decay=0.0, epochs=1)
    best = train(replace(task(prepared, Spent()), rloo=idle), tmp_path)
    assert (best.stage, best.epoch) == ("warm-start", 1)
    state = Checkpoints(tmp_path / "checkpoints", {}).load()
    assert state is not None
    assert state["finished"] == list(STAGES)
    for name, weight in best.weights.items():
        assert torch.allclose(state["module"][name], weight, atol=1e-9)


def test_every_epoch_has_all_acts_once_in_another_order(prepared: Prepared, tmp_path: Path) -> None:
    watched = Watched()
    train(task(prepared, watched), tmp_path)
    epochs = [watched.lines[start : start + TRAINING] for start in range(0, len(watched.lines), TRAINING)]
    assert len(epochs) == WARM.epochs + RLOO.epochs
    assert all(sorted(lines) == list(range(1, TRAINING + 1)) for lines in epochs)
    assert len({tuple(lines) for lines in epochs}) == len(epochs)


def test_acts_with_an_empty_oracle_are_skipped(prepared: Prepared, tmp_path: Path) -> None:
    nothing = [replace(example, order=()) for example in prepared[:2]]
    some = replace(task(prepared), training=[*nothing, *prepared[:TRAINING]], warm_start=replace(WARM, batch=1))
    train(some, tmp_path, stages=STAGES[:1])
    losses = [float(row["loss"]) for row in log_of(tmp_path) if row["step"]]
    assert losses.count(0.0) == 2 * WARM.epochs


def test_training_without_an_epoch_raises_an_error(prepared: Prepared, tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        train(replace(task(prepared), warm_start=replace(WARM, epochs=0)), tmp_path, stages=STAGES[:1])


@pytest.mark.parametrize("stage", STAGES)
def test_a_loss_that_is_not_finite_stops_the_run_and_names_the_row(
    prepared: Prepared, tmp_path: Path, stage: str
) -> None:
    with pytest.raises(TrainingError) as error:
        train(task(prepared, Confused()), tmp_path, stages=[stage])
    assert "32024R0003" in str(error.value)


def test_a_gradient_that_is_not_finite_stops_the_run_before_the_update(prepared: Prepared, tmp_path: Path) -> None:
    trainable = Steep()
    before = {name: weight.clone() for name, weight in trainable.module.state_dict().items()}
    with pytest.raises(TrainingError) as error:
        train(task(prepared, trainable), tmp_path)
    assert str(error.value).count("32024R000") == WARM.batch
    assert all(torch.equal(before[name], weight) for name, weight in trainable.module.state_dict().items())


@pytest.mark.parametrize("stage", STAGES)
def test_gradients_are_clipped(prepared: Prepared, tmp_path: Path, stage: str) -> None:
    trainable, clip = Linear(), 1e-4
    gently = replace(task(prepared, trainable), warm_start=replace(WARM, clip=clip), rloo=replace(RLOO, clip=clip))
    train(gently, tmp_path, stages=[stage])
    last = [parameter.grad for parameter in trainable.module.parameters() if parameter.grad is not None]
    assert torch.nn.utils.get_total_norm(last) == pytest.approx(clip, rel=1e-2)


# --- killed, and resumed ----------------------------------------------------------------------------------


@pytest.mark.parametrize("lives", [4, 8, 22, 31])
@pytest.mark.parametrize("seconds", [0.0, math.inf])
def test_an_interrupted_run_resumes_bit_for_bit(
    prepared: Prepared, whole: tuple[Best, Path], tmp_path: Path, lives: int, seconds: float
) -> None:
    with pytest.raises(KilledError):
        train(task(prepared, Mortal(lives)), tmp_path, checkpoint_seconds=seconds)
    assert equal(whole[0], train(task(prepared), tmp_path))
    assert timeless(log_of(tmp_path)) == timeless(log_of(whole[1]))


def test_finished_stages_are_not_trained_again(prepared: Prepared, whole: tuple[Best, Path]) -> None:
    before = log_of(whole[1])
    assert equal(whole[0], train(task(prepared, Mortal(1)), whole[1]))
    assert log_of(whole[1]) == before


def test_a_run_cannot_be_resumed_with_other_data_or_seed(prepared: Prepared, whole: tuple[Best, Path]) -> None:
    before = contents(whole[1])
    with pytest.raises(DataError) as error:
        train(task(prepared, seed=1), whole[1])
    assert "seed" in str(error.value)
    with pytest.raises(DataError) as error:
        train(replace(task(prepared), identity={"data": "others"}), whole[1])
    assert "data" in str(error.value)
    assert contents(whole[1]) == before


def test_stage_2_cannot_start_before_stage_1_is_finished(prepared: Prepared, tmp_path: Path) -> None:
    with pytest.raises(KilledError):
        train(task(prepared, Mortal(9)), tmp_path)
    with pytest.raises(ConfigError):
        train(task(prepared), tmp_path, stages=STAGES[1:])


# --- checkpoints ------------------------------------------------------------------------------------------


def test_two_checkpoints_are_kept_and_the_last_intact_one_is_loaded(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, {})
    assert checkpoints.load() is None
    for number in range(12):
        checkpoints.save({"number": number, "weights": torch.arange(number)})
    last, newest = sorted(tmp_path.iterdir())
    state = Checkpoints(tmp_path, {}).load() or {}
    assert state["number"] == 11
    assert torch.equal(state["weights"], torch.arange(11))
    newest.write_bytes(newest.read_bytes()[:-1])
    assert (checkpoints.load() or {})["number"] == 10
    content = bytearray(last.read_bytes())
    content[len(content) // 2] ^= 1
    last.write_bytes(content)
    with pytest.raises(DataError):
        checkpoints.load()


def test_saving_deletes_damaged_checkpoints_and_keeps_the_last_intact_one(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path, {})
    for number in range(2):
        checkpoints.save({"number": number})
    whole, newest = sorted(tmp_path.iterdir())
    newest.write_bytes(newest.read_bytes()[:-1])
    checkpoints.save({"number": 2})
    kept, last = sorted(tmp_path.iterdir())
    assert kept == whole
    last.write_bytes(b"")
    assert (checkpoints.load() or {})["number"] == 0


def test_partial_files_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    (tmp_path / ".000001-0123456789abcdef.safetensors.part").write_bytes(b"half")
    Checkpoints(tmp_path, {}).save({"number": 1})
    assert [path.name[:7] for path in tmp_path.iterdir()] == ["000001-"]


TYPES = [getattr(torch, name) for name in "float16 float32 float64 uint8 int8 int16 int32 int64".split()]
tensors = st.builds(
    lambda content, dtype: torch.frombuffer(bytearray(content), dtype=torch.uint8).view(dtype),
    st.integers(1, 5).flatmap(lambda count: st.binary(min_size=8 * count, max_size=8 * count)),
    st.sampled_from(TYPES),
)
"""Of all numbers that there are, those that are no numbers too."""
shaped = st.sampled_from(
    [torch.zeros(0, 3), torch.tensor(2.5), torch.arange(6).view(2, 3).T, torch.tensor([True, False, True])]
)
keys = st.text(max_size=3) | st.integers() | st.sampled_from(["a", "a.b", "b", "__metadata__", "tensor", "dict"])
states = st.dictionaries(
    st.text(max_size=3) | st.sampled_from(["a", "a.b", "b", "__metadata__"]),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | tensors | shaped,
        lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(keys, inner),
        max_leaves=12,
    ),
)


def bits(value: object) -> object:
    """What two values have in common if they are the same bit for bit; dictionaries in their order."""
    match value:
        case Tensor():
            return str(value.dtype), value.shape, value.contiguous().numpy().tobytes()
        case float():
            return struct.pack("d", value)
        case list() | tuple():
            return type(value), [bits(inner) for inner in value]
        case dict():
            return [(bits(key), bits(inner)) for key, inner in value.items()]
    return type(value), value


@given(state=states)
def test_a_checkpoint_restores_the_state_bit_for_bit(state: State) -> None:
    with TemporaryDirectory() as folder:
        checkpoints = Checkpoints(Path(folder), {"data": "these"})
        checkpoints.save(state)
        (path,) = Path(folder).iterdir()
        safetensors.torch.load_file(path)
        assert bits(checkpoints.load()) == bits({**state, "identity": {"data": "these"}})


def test_a_checkpoint_cannot_hold_arbitrary_objects(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "checkpoints", {})
    with pytest.raises(TypeError):
        checkpoints.save({"path": {1: [PurePosixPath()]}})
    assert not contents(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps({"format": FORMAT, "identity": {}}),
        pack_state({})[:-1],
        *(
            file({}, {"format": FORMAT, **about})
            for about in (
                {},
                {"state": "{"},
                {"state": "5"},
                {"state": '{"dict":[["identity",5]]}'},
                {"state": '{"dict":[[{"dict":[]},1]]}'},
                {"state": '{"dict":[["a",{"tensor":"a"}]]}'},
                {"state": '{"dict":[["a",{"float":"00"}]]}'},
                {"state": '{"dict":[["a",{"code":"1"}]]}'},
                {"state": '{"dict":[["a",{"list":[],"tuple":[]}]]}'},
                {"state": "[" * 100_000},
            )
        ),
    ],
    ids=lambda content: str(len(content)),
)
def test_invalid_checkpoints_raise_an_error_even_with_a_matching_digest(tmp_path: Path, content: bytes) -> None:
    checkpoints = Checkpoints(tmp_path, {})
    (tmp_path / f"999999-{sha256(content)[:16]}.safetensors").write_bytes(content)
    with pytest.raises(DataError):
        checkpoints.load()


def test_a_checkpoint_of_another_version_raises_an_error(tmp_path: Path) -> None:
    content = file({}, {"format": "lexlattice training 2"})
    (tmp_path / f"999999-{sha256(content)[:16]}.safetensors").write_bytes(content)
    with pytest.raises(DataError):
        Checkpoints(tmp_path, {}).load()


# --- training data ---------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1))
def test_a_tenth_of_the_acts_is_held_out_and_never_trained_on(prepared: Prepared, seed: int) -> None:
    """With every act there twice, as in two languages."""
    twice = prepared.take([*range(len(prepared)), *range(len(prepared))])
    rest, held_out = split_validation(twice, seed)
    assert len(rest) + len(held_out) == len(twice)
    assert len(held_out) == 2 * max(1, round(len(prepared) / 10))
    assert not {*rest.keys} & {*held_out.keys}
    assert (rest.keys, held_out.keys) == tuple(part.keys for part in split_validation(twice, seed))


def test_one_act_cannot_be_split(prepared: Prepared) -> None:
    with pytest.raises(DataError):
        split_validation(prepared.take([0, 0]), 0)


def test_validation_acts_are_excluded_from_training_by_text_and_number(prepared: Prepared, tmp_path: Path) -> None:
    rows = little_rows(TRAINING + VALIDATION + 1)
    translated = {**rows[-1], "celex_id": rows[2]["celex_id"]}
    renumbered = {**rows[5], "celex_id": ""}
    validation = prepare([[translated, renumbered]], tmp_path / "validation")
    said: list[str] = []
    rest = exclude_validation(prepared, validation, said.append)
    assert [key.celex for key in rest.keys] == [row["celex_id"] for row in rows[:9] if row not in (rows[2], rows[5])]
    assert len(said) == 1 and said[0].startswith("2 of 9 ")
    with pytest.raises(DataError):
        exclude_validation(prepared, prepared, said.append)
