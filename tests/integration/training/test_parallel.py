"""One training in several processes: the same as in one, whoever is killed.

Started by the real `torchrun`, or, where that decides nothing, as its workers are: forked, with what it tells them.
"""

from __future__ import annotations

import csv
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import pytest
import torch
import torch._dynamo  # which an optimiser imports: here once for all that is forked
from test_training import WARM, Confused, Linear, task
from torch import Tensor
from torch._C._distributed_c10d import TCPStore

from helpers.acts import contents, little_rows, write_rows
from helpers.tiny_coverage import CONFIG
from lexlattice._internal.weights import read_weights
from lexlattice.apps.cli import main
from lexlattice.training.checkpoints import Log
from lexlattice.training.loop import STAGES, train
from lexlattice.training.parallel import ProcessGroup, _interrupted, process_group
from lexlattice.training.prepare import prepare
from lexlattice.training.prepared import Prepared

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes that are forked, and found in /proc")

TOLERANCE = 1e-4
STOPPED = str(_interrupted())
PATIENCE = 120.0
"""Seconds after which a process hangs."""
PAUSE = 5.0
torch.set_num_threads(1)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data and a configuration of the shipped model, which uses dropout and rollouts."""
    place = tmp_path_factory.mktemp("place")
    write_rows(place / "data.jsonl", little_rows(7))
    write_rows(place / "validation.jsonl", little_rows(3, first=8))
    (place / "config.toml").write_text(CONFIG)
    return place


@pytest.fixture(scope="module")
def two(place: Path) -> Path:
    """What `torchrun` with two processes makes, from data that is not prepared yet."""
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "lexlattice"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*start, *command(place, "two")], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"\b7 acts\b.*\b3\b", done.stderr)) == 1, "one process reports"
    return place / "two"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare([little_rows(9)], tmp_path_factory.mktemp("data") / "prepared")


def command(place: Path, output: str, *options: str) -> list[str]:
    data = ("--data", place / "data.jsonl", "--validation", place / "validation.jsonl")
    line = ("train", "--config", place / "config.toml", *data, "-o", place / output, "--quiet", "--jobs", 1)
    return [str(part) for part in (*line, "--checkpoint-every", 0, *options)]


class Forked:
    """Processes that do the same, as if `torchrun` had started them; what they say goes into a file."""

    def __init__(self, size: int, work: Callable[[], object], said: Path) -> None:
        self._store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
        self.said = said
        said.write_bytes(b"")
        self.processes = [get_context("fork").Process(target=self._work, args=(work, n, size)) for n in range(size)]
        for process in self.processes:
            process.start()

    def _work(self, work: Callable[[], object], rank: int, size: int) -> None:
        address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": self._store.port, "TORCHELASTIC_USE_AGENT_STORE": True}
        told = {"RANK": rank, "WORLD_SIZE": size, **address}
        os.environ.update({name: str(value) for name, value in told.items()})
        sys.stderr = self.said.open("a", buffering=1)
        raise SystemExit(work())

    def are_alive(self) -> bool:
        return all(process.is_alive() for process in self.processes)

    def ended(self) -> list[int | None]:
        """Their codes, once one has ended and the others were told to, as `torchrun` does it."""
        wait([process.sentinel for process in self.processes], PATIENCE)
        time.sleep(0.1)
        if any(process.exitcode for process in self.processes):
            for process in self.processes:
                process.terminate()
        for process in self.processes:
            process.join(PATIENCE)
        return [process.exitcode for process in self.processes]


def run(size: int, work: Callable[[], object], said: Path) -> str:
    """Until all is done; what was said."""
    codes = Forked(size, work, said).ended()
    assert codes == [0] * size, said.read_text()
    return said.read_text()


def log_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "log.csv").open(encoding="utf-8", newline="") as file:
        return [{**row, "seconds": ""} for row in csv.DictReader(file)]


def check_same_curves(one: Path, other: Path) -> None:
    """Of losses, rewards and figures, step by step and epoch by epoch."""
    assert len(log_of(one)) == len(log_of(other))
    for row, found in zip(log_of(one), log_of(other), strict=True):
        for name, value in row.items():
            if name == "stage" or not value:
                assert found[name] == value
            else:
                assert float(found[name]) == pytest.approx(float(value), rel=TOLERANCE), (name, row, found)


def wait_for(log: Path, steps: int, is_alive: Callable[[], bool]) -> None:
    """Wait until the log has this many steps."""
    while is_alive() and not (log.exists() and log.read_bytes().count(b"\n") > steps):
        time.sleep(0.003)
    assert is_alive()


def paused(steps: int, line: list[str]) -> int:
    """The command, which waits a while once the log has this many steps, so that it can be killed there."""
    write = Log.write

    def wait_and_write(self: Log, **values: Any) -> None:
        if self.length and Path(self._file.name).read_bytes().count(b"\n") > steps:
            Log.write = write  # type: ignore[method-assign]
            time.sleep(PAUSE)
        write(self, **values)

    Log.write = wait_and_write  # type: ignore[method-assign]
    return main(line)


# --- the same as one process ------------------------------------------------------------------------------


@pytest.mark.slow
def test_two_processes_have_the_losses_and_the_weights_of_one(place: Path, two: Path, tmp_path: Path) -> None:
    """With dropout and rollouts, in both stages."""
    run(1, lambda: main(command(place, "one")), tmp_path / "said")
    assert {row["stage"] for row in log_of(two)} == {*STAGES}
    check_same_curves(place / "one", two)
    alone, together = (read_weights(folder / "model.safetensors") for folder in (place / "one", two))
    assert alone.about == together.about
    for name, array in alone.arrays.items():
        assert together.arrays[name] == pytest.approx(array, rel=TOLERANCE, abs=1e-6)
    assert contents(place / "one" / "prepared") == contents(two / "prepared")


def test_without_dropout_stage_1_equals_that_of_a_single_process(prepared: Prepared, tmp_path: Path) -> None:
    """In each batch of three, some acts have an empty oracle; in some batches all."""
    nothing = [replace(example, order=()) for example in prepared[:4]]

    def learn(folder: Path, group: ProcessGroup | None) -> int:
        sure = Linear()
        sure.module[0].p = 0.0  # type: ignore[assignment]
        acts = [*prepared[:3], *nothing, prepared[3]]
        some = replace(task(prepared, sure), training=acts, warm_start=replace(WARM, batch=3, epochs=4))
        train(some, folder, stages=STAGES[:1], group=group)
        return 0

    learn(tmp_path / "alone", None)
    run(3, lambda: meeting(lambda group: learn(tmp_path / "three", group)), tmp_path / "said")
    check_same_curves(tmp_path / "alone", tmp_path / "three")


def meeting(work: Callable[[ProcessGroup], int]) -> int:
    with process_group() as group:
        assert group is not None
        group.connect(torch.device("cpu"))
        return work(group)


def test_all_processes_end_with_the_same_weights_bit_for_bit(prepared: Prepared, tmp_path: Path) -> None:
    def learn(group: ProcessGroup) -> int:
        best = train(task(prepared), tmp_path / "folder", group=group)
        for weight in best.weights.values():
            total = weight.double()
            group.all_reduce(total)
            assert torch.equal(total, group.size * weight.double())
        return 0

    run(2, lambda: meeting(learn), tmp_path / "said")


def test_parameters_without_a_gradient_anywhere_keep_none(tmp_path: Path) -> None:
    """So that the optimiser lets them rest; one that a single process has is everybody's."""

    def check(group: ProcessGroup) -> int:
        module = torch.nn.ModuleList([torch.nn.Linear(2, 3, bias=False) for _ in range(3)])
        first, second, third = module.parameters()
        first.grad = torch.full_like(first, 1.0 if group.is_main else 2.0)
        second.grad = None if group.is_main else torch.full_like(second, 5.0)
        group.all_reduce_gradients(module)
        assert torch.equal(_grad(first), torch.full_like(first, 3.0))
        assert torch.equal(_grad(second), torch.full_like(second, 5.0))
        assert third.grad is None
        return 0

    run(2, lambda: meeting(check), tmp_path / "said")


def _grad(weight: Tensor) -> Tensor:
    assert weight.grad is not None
    return weight.grad


# --- whoever is killed ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_resumes_bit_for_bit_whichever_process_was_killed(place: Path, two: Path, tmp_path: Path) -> None:
    """First one process, which ends all with one sentence; then all at once; each at some step."""
    steps, log = len(log_of(two)), place / "killed" / "log.csv"
    first, second = random.randrange(1, steps // 2), random.randrange(steps // 2 + 1, steps - 1)

    group = Forked(2, lambda: paused(first, command(place, "killed")), tmp_path / "said")
    wait_for(log, first, group.are_alive)
    random.choice(group.processes).kill()
    assert sorted(map(str, group.ended())) == ["-9", "2"]
    said = group.said.read_text().splitlines()
    assert all(line.startswith("lexlattice: ") for line in said), "no traceback"
    assert said[-1] == f"lexlattice: {STOPPED}"
    assert said.count(said[-1]) == 1

    again = command(place, "killed", "--resume")
    group = Forked(2, lambda: paused(second, again), tmp_path / "said")
    wait_for(log, second, group.are_alive)
    for process in group.processes:
        process.kill()
    assert group.ended() == [-signal.SIGKILL] * 2
    assert not (place / "killed" / "model.safetensors").exists()

    run(2, lambda: main(again), tmp_path / "said")
    assert contents(place / "killed")["model.safetensors"] == contents(two)["model.safetensors"], (first, second)
    assert log_of(place / "killed") == log_of(two), (first, second)


def test_processes_end_when_torchrun_is_gone(prepared: Prepared, tmp_path: Path) -> None:
    """Else they would write into the folder of the training that goes on."""

    def orphan(group: ProcessGroup) -> int:
        group._parent = -1
        train(task(prepared), tmp_path / "folder", group=group)
        return 0

    codes = Forked(2, lambda: shell(lambda: meeting(orphan)), tmp_path / "said").ended()
    assert codes == [2, 2]
    assert (tmp_path / "said").read_text() == f"lexlattice: {STOPPED}\n"


def shell(work: Callable[[], int]) -> int:
    """An error as the command line has it."""
    from lexlattice import LexLatticeError
    from lexlattice.apps.cli.common import fail

    try:
        return work()
    except LexLatticeError as error:
        return fail(str(error))


# --- how it fails -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", STAGES)
def test_a_loss_that_is_not_finite_is_reported_once(prepared: Prepared, tmp_path: Path, stage: str) -> None:
    def learn(group: ProcessGroup) -> int:
        train(task(prepared, Confused()), tmp_path / "folder", stages=[stage], group=group)
        return 0

    assert 2 in Forked(2, lambda: shell(lambda: meeting(learn)), tmp_path / "said").ended()
    said = (tmp_path / "said").read_text().splitlines()
    assert len(said) == 1
    assert "32024R0003" in said[0]


@pytest.mark.parametrize(
    ("size", "options", "word"),
    [
        (3, [], "3 processes"),
        (2, ["--seed", "-1"], "seed"),
        (2, ["--data", "nowhere.jsonl"], "'nowhere"),
    ],
)
def test_errors_are_reported_once(place: Path, tmp_path: Path, size: int, options: list[str], word: str) -> None:
    group = Forked(size, lambda: main(command(place, tmp_path.name, *options)), tmp_path / "said")
    assert 2 in group.ended()
    said = (tmp_path / "said").read_text().splitlines()
    assert len([line for line in said if line.endswith(".") and "Training on" not in line]) == 1, said
    assert word in said[-1]


def test_a_process_without_torchrun_has_no_process_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")  # some schedulers set that for whatever they start
    with process_group() as group:
        assert group is None
