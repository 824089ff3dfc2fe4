"""`lexlattice train`: from data to a model with one command, what it leaves behind, and how it fails."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from helpers.acts import Row, contents, little_rows, write_rows
from lexlattice._internal.weights import read_weights
from lexlattice.apps.cli import main
from lexlattice.errors import DataError
from lexlattice.evaluation.oracle import Oracle
from lexlattice.lattice.paper import FORMAT as CONSOLIDATOR
from lexlattice.training.config import read_config
from lexlattice.training.prepare import prepare
from lexlattice.training.prepared import Prepared
from lexlattice.training.run import check_prepared
from lexlattice.training.validation import ROUGE_FIGURES

CONFIG = """
profile = "paper"
network = "paper"
seed = 0

[encoder]
name = "static"
dimensions = 256

[oracle]
objective = "greedy"
cap = 10

[model]
geometry = "grid"
rows = 6
columns = 4
steps = 2
hidden = 4
readout = 8
language_embedding = false

[warm_start]
bce = 0.3
epochs = 2
batch = 2
learning_rate = 3e-3
weight_decay = 0.01
patience = 3
clip = 1.0
warm_up = 0.1
ema = 0.5

[rloo]
rollouts = 2
epochs = 2
batch = 2
learning_rate = 3e-4
weight_decay = 0.01
patience = 2
clip = 1.0
warm_up = 0.1
ema = 0.5
decay = 0.99

[selection]
mode = "paper"
budget = "reference"
"""
ACTS = 10
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
torch.set_num_threads(1)  # as in the process that is killed: sums over more threads need not be equal bit for bit

Train = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data, a configuration, and a model that was trained with one command."""
    place = tmp_path_factory.mktemp("place")
    write_rows(place / "data.jsonl", little_rows(ACTS))
    write_rows(place / "validation.jsonl", little_rows(3, first=ACTS))
    (place / "config.toml").write_text(CONFIG)
    assert main(command(place, "data.jsonl", "model")) == 0
    return place


@pytest.fixture
def train(place: Path, capsys: pytest.CaptureFixture[str]) -> Train:
    def run(data: str, output: str, *options: str) -> tuple[int, str]:
        capsys.readouterr()
        return main(command(place, data, output, *options)), capsys.readouterr().err

    return run


def command(place: Path, data: str, output: str, *options: str) -> list[str]:
    config = place / "config.toml"
    line = ("train", "--config", config, "--data", place / data, "-o", place / output, "--quiet", "--jobs", 1)
    return [str(part) for part in (*line, *options)]


def check_one_sentence(result: tuple[int, str], word: str) -> None:
    code, said = result
    assert code == 2
    last = said.splitlines()[-1]
    assert last.startswith("lexlattice: ")
    assert last.endswith(".")
    assert word in last


# --- what it leaves behind --------------------------------------------------------------------------------


def test_one_command_trains_a_model_from_a_file(place: Path) -> None:
    folder = place / "model"
    assert sorted(path.name for path in folder.iterdir()) == [
        *("checkpoints", "config.toml", "log.csv", "model.safetensors", "prepared"),
    ]
    assert (folder / "config.toml").read_text() == CONFIG
    weights = read_weights(folder / "model.safetensors")
    assert weights.arrays
    assert weights.about["profile"] == "paper"
    assert weights.about["encoder"] == "static"
    assert weights.about["fingerprint"] == Prepared.open(folder / "prepared" / "train").manifest["fingerprint"]
    assert weights.about["acts"] == str(ACTS - 1)
    assert json.loads(weights.about["validation"]).keys() == {*ROUGE_FIGURES}
    assert [row["stage"] for row in timeless(folder)] == ["warm-start"] * 12 + ["rloo"] * 12


def test_prepared_and_raw_data_give_the_same_weights(place: Path, train: Train) -> None:
    assert (
        main(["prepare", str(place / "data.jsonl"), "-o", str(place / "ready"), "--profile", "paper", "--quiet"]) == 0
    )
    check_one_sentence(train("ready", "of-ready"), "oracle")
    line = ["prepare", place / "data.jsonl", "-o", place / "as-asked", "--config", place / "config.toml", "--quiet"]
    assert main([str(part) for part in line]) == 0
    code, said = train("as-asked", "of-prepared", "--lang", "en")
    assert code == 0
    assert "as-asked'" in said
    assert same_model(place / "model", place / "of-prepared")


def test_the_paper_network_trains_on_provisions_units(place: Path, train: Train) -> None:
    """How acts are read and what is trained on them are two things."""
    ours = CONFIG.replace('profile = "paper"', 'profile = "provisions"')
    (place / "ours.toml").write_text(ours.replace('"greedy"', '"budgeted"'))
    code, _ = train("data.jsonl", "our-units", "--config", str(place / "ours.toml"), "--stage", "warm-start")
    assert code == 0
    about = read_weights(place / "our-units" / "model.safetensors").about
    assert (about["profile"], about["format"]) == ("provisions", CONSOLIDATOR)


def test_another_seed_gives_other_weights(place: Path, train: Train) -> None:
    code, _ = train("data.jsonl", "other-seed", "--seed", "1", "--stage", "warm-start")
    assert code == 0
    assert read_weights(place / "other-seed" / "model.safetensors").about["seed"] == "1"
    assert not same_model(place / "model", place / "other-seed")


def test_stages_can_run_in_separate_commands(place: Path, train: Train) -> None:
    code, _ = train("data.jsonl", "in-turn", "--stage", "warm-start")
    assert code == 0
    code, _ = train("data.jsonl", "in-turn", "--stage", "rloo", "--resume")
    assert code == 0
    assert same_model(place / "model", place / "in-turn")


def same_model(one: Path, other: Path) -> bool:
    return (one / "model.safetensors").read_bytes() == (other / "model.safetensors").read_bytes()


PAUSED = """
import sys, time
from lexlattice.apps.cli import main
from lexlattice.training.checkpoints import Log
write = Log.write
def write_and_wait(log, **values):
    write(log, **values)
    if (values["stage"], values["epoch"], values.get("step")) == ("rloo", 1, 3):
        time.sleep(5)
Log.write = write_and_wait
sys.exit(main(sys.argv[1:]))
"""
"""The command, which waits a while at a step, so that it can be killed there."""


@posix
@pytest.mark.slow
def test_a_killed_command_resumes_to_the_same_model(place: Path, train: Train) -> None:
    line = command(place, "data.jsonl", "killed", "--checkpoint-every", "0")
    log = place / "killed" / "log.csv"
    environment = {**os.environ, "OMP_NUM_THREADS": str(torch.get_num_threads())}
    python = [sys.executable, "-c", PAUSED]
    with subprocess.Popen([*python, *line], stderr=subprocess.DEVNULL, env=environment) as process:
        while process.poll() is None and not (log.exists() and b"rloo,1,2" in log.read_bytes()):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not (place / "killed" / "model.safetensors").exists()
    check_one_sentence(train("data.jsonl", "killed"), "--resume")
    check_one_sentence(train("data.jsonl", "killed", "--resume", "--seed", "1"), "seed")
    check_one_sentence(train("validation.jsonl", "killed", "--resume"), "data")
    code, _ = train("data.jsonl", "killed", "--resume")
    assert code == 0
    assert same_model(place / "model", place / "killed")
    assert timeless(place / "model") == timeless(place / "killed")


def timeless(folder: Path) -> list[dict[str, str]]:
    with (folder / "log.csv").open(newline="") as file:
        return [{**row, "seconds": ""} for row in csv.DictReader(file)]


# --- training data ----------------------------------------------------------------------------------


def test_validation_acts_are_dropped_from_training_with_a_note(place: Path, train: Train) -> None:
    """The tenth act is in both files."""
    validation = str(place / "validation.jsonl")
    code, said = train("data.jsonl", "validated", "--validation", validation, "--stage", "warm-start")
    assert code == 0
    assert re.search(rf"\b1\b.*\b{ACTS}\b", said)
    assert re.search(rf"\b{ACTS - 1} acts\b.*\b3\b", said)


def test_bad_rows_are_skipped_or_stop_the_run_with_strict(place: Path, train: Train) -> None:
    rows: list[Row] = little_rows(4)
    write_rows(place / "bad.jsonl", [*rows[:2], {**rows[2], "summary": ""}, rows[3]])
    check_one_sentence(train("bad.jsonl", "strict", "--strict"), "32024R0003")
    code, said = train("bad.jsonl", "lenient", "--stage", "warm-start")
    assert code == 0
    assert "32024R0003" in said


# --- how it fails -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "word"), [({"profile": "provisions"}, "profile"), ({"oracle": Oracle("budgeted")}, "oracle")]
)
def test_data_prepared_with_other_settings_raise_an_error(
    place: Path, train: Train, tmp_path: Path, how: dict[str, str], word: str
) -> None:
    wanted = {"profile": "paper", "oracle": Oracle("greedy", cap=10)}
    prepare([little_rows(3)], place / tmp_path.name, **{**wanted, **how})  # type: ignore[arg-type]
    check_one_sentence(train(tmp_path.name, "refused"), word)
    assert not (place / "refused").exists()


@pytest.mark.parametrize(
    ("name", "value"), [("encoder", "mt5"), ("dimensions", 768), ("fingerprint", "0123456789abcdef")]
)
def test_vectors_of_another_encoder_raise_an_error(place: Path, name: str, value: object) -> None:
    """Such as an older version of the same: another fingerprint under the same name."""
    prepared = Prepared.open(place / "model" / "prepared" / "train")
    config = read_config(place / "config.toml")
    check_prepared(prepared, config)
    prepared.manifest[name] = value
    with pytest.raises(DataError) as error:
        check_prepared(prepared, config)
    assert name in str(error.value) and str(value) in str(error.value)


def test_a_run_cannot_be_resumed_with_another_configuration(place: Path, train: Train) -> None:
    before = contents(place / "model")
    (place / "config.toml").write_text(CONFIG.replace("epochs = 2", "epochs = 3"))
    try:
        check_one_sentence(train("data.jsonl", "model", "--resume"), "config.toml")
    finally:
        (place / "config.toml").write_text(CONFIG)
    assert contents(place / "model") == before


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ("--seed -1", "seed"),
        ("--checkpoint-every -1", "--checkpoint-every"),
        ("--fields nonsense", "reference=NAME"),
        ("--jobs 0", "from 1"),
        ("--config nowhere.toml", "nowhere.toml"),
        ("--data nowhere.jsonl", "nowhere.jsonl"),
        ("--validation nowhere.jsonl", "nowhere.jsonl"),
    ],
)
def test_invalid_options_print_one_sentence_and_exit_with_2(place: Path, train: Train, options: str, word: str) -> None:
    output = f"at-fault{options.replace(' ', '')}"
    check_one_sentence(train("data.jsonl", output, *options.split()), word)
    left = {path.name for path in (place / output).iterdir()} if (place / output).exists() else set()
    assert left <= {"config.toml", "prepared"}


def test_unusable_data_leave_no_folder(place: Path, train: Train) -> None:
    (place / "unusable.jsonl").write_text('{"text": "Bees."}\n')
    check_one_sentence(train("unusable.jsonl", "nothing"), "--fields")
    assert not (place / "nothing").exists()


def test_a_folder_with_other_files_is_not_touched(place: Path, train: Train) -> None:
    (place / "mine").mkdir()
    (place / "mine" / "notes.txt").write_text("mine")
    check_one_sentence(train("data.jsonl", "mine"), "mine")
    check_one_sentence(train("data.jsonl", "mine", "--resume"), "mine")
    assert contents(place / "mine") == {"notes.txt": b"mine"}


# --- other people's data ----------------------------------------------------------------------------------


@pytest.mark.data
def test_bills_with_other_field_names_train_with_one_command(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """BillSum: US bills, whose fields have other names."""
    config = tmp_path / "short.toml"
    config.write_text(CONFIG.replace("epochs = 2", "epochs = 1"))
    bills = str(data / "other" / "billsum-100.jsonl.gz")
    options = ["--fields", "reference=text,celex_id=bill_id", "--config", str(config)]
    assert main(command(tmp_path, bills, "bills", *options)) == 0
    said = capsys.readouterr().err
    assert re.search(r"\b90 acts\b.*\b10\b", said)
    about = read_weights(tmp_path / "bills" / "model.safetensors").about
    assert json.loads(about["validation"])["unicode_rouge1"] > 20
