"""Checkpoints, logs and prepared data on a disk that fails: a resumed run ends as if nothing had happened."""

from __future__ import annotations

import errno
import os
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch

from helpers.acts import contents, little_rows
from helpers.disk import DeadError, Disk, Fault, after_power_failure
from lexlattice._internal.files import sha256
from lexlattice.errors import OutputError
from lexlattice.training import prepare as preparing
from lexlattice.training.checkpoints import Checkpoints, Log, unpack_state
from lexlattice.training.prepare import prepare

SAMPLES = int(os.environ.get("LEXLATTICE_KILLS", "200")) // 100
"""How many outcomes of a power failure are tried after each operation."""
STEPS = 7
ROWS = little_rows(2)
FAULTS: dict[str, Callable[[int], Fault]] = {
    "full disk": partial(Fault, error=errno.ENOSPC, is_short=True, lasts=True),
    "broken disk": partial(Fault, error=errno.EIO),
    "killed": partial(Fault, is_short=True),
}


def train(place: Path) -> None:
    """What the training loop writes, without training: a row for each step, and a checkpoint after every second."""
    checkpoints = Checkpoints(place / "run" / "checkpoints", {"seed": "0"})
    with checkpoints.locked():
        state = checkpoints.load() or {"step": 0, "weights": torch.zeros(9), "log": 0}
        with Log(place / "run" / "log.csv", state["log"]) as log:
            for step in range(state["step"] + 1, STEPS + 1):
                log.write(stage="rloo", step=step, loss=step / 3)
                state = {"step": step, "weights": state["weights"] + step, "log": log.length}
                if step % 2 == 0 or step == STEPS:
                    checkpoints.save(state)


def prepare_rows(place: Path) -> None:
    prepare([ROWS], place / "new" / "prepared")


def result(place: Path) -> dict[str, str]:
    """Digests of all files; of the checkpoints, only the state in the last one counts."""
    found = {name: sha256(content) for name, content in contents(place).items()}
    numbered = sorted(name for name in found if name.endswith(".safetensors"))
    # not its digest, since the library for these files orders metadata at random
    last = {"checkpoint": str(unpack_state(place / numbered[-1]))} if numbered else {}
    return {name: digest for name, digest in found.items() if name not in numbered} | last


WORK: dict[str, Callable[[Path], None]] = {"training": train, "preparation": prepare_rows}


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "SHARD_SIZE", 1)


def undisturbed(work: Callable[[Path], None], place: Path) -> tuple[Disk, dict[str, str]]:
    place.mkdir()
    disk = Disk(place)
    with disk.installed():
        work(place)
    return disk, result(place)


@pytest.mark.parametrize("work", ["training", pytest.param("preparation", marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", FAULTS)
def test_whichever_operation_fails_the_run_says_so_and_resumes_to_the_same_files(
    tmp_path: Path, work: str, kind: str
) -> None:
    number, is_over, (_, expected) = 0, False, undisturbed(WORK[work], tmp_path / "whole")
    while not is_over:
        number += 1
        place = tmp_path / "now"
        place.mkdir()
        disk = Disk(place, FAULTS[kind](number))
        try:
            with disk.installed():
                WORK[work](place)
            is_over = not disk.has_failed
        except (OutputError, DeadError):
            pass
        with Disk(place).installed():
            WORK[work](place)
        assert result(place) == expected
        shutil.rmtree(place)
    assert number > 30


@pytest.mark.parametrize("work", ["training", pytest.param("preparation", marks=pytest.mark.slow)])
def test_after_a_power_failure_at_any_moment_a_run_resumes_to_the_same_files(tmp_path: Path, work: str) -> None:
    disk, expected = undisturbed(WORK[work], tmp_path / "now")
    (tmp_path / "before").mkdir()
    draw = random.Random(3)
    for number in range(len(disk.steps) + 1):
        for _ in range(SAMPLES):
            place = tmp_path / "now"
            shutil.rmtree(place)
            share = draw.choice((0.0, draw.random()))
            after_power_failure(disk.steps[:number], place, tmp_path / "before", place, draw, share)
            if number == len(disk.steps) and work == "preparation":
                assert result(place) == expected
            with Disk(place).installed():
                WORK[work](place)
            assert result(place) == expected


def test_two_runs_do_not_train_in_the_same_folder(tmp_path: Path) -> None:
    with Checkpoints(tmp_path / "run" / "checkpoints", {"seed": "0"}).locked(), pytest.raises(OutputError):
        train(tmp_path)
    train(tmp_path)
