"""Folders of summaries on a disk that fails: the same command, run again, ends the work."""

from __future__ import annotations

import errno
import json
import random
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from helpers.acts import contents
from helpers.disk import DeadError, Disk, Fault, after_power_failure
from lexlattice.apps.cli import main

FAULTS: dict[str, Callable[[int], Fault]] = {
    "full disk": partial(Fault, error=errno.ENOSPC, is_short=True, lasts=True),
    "broken disk": partial(Fault, error=errno.EIO),
    "killed": partial(Fault, is_short=True),
}


@pytest.fixture
def acts(tmp_path: Path) -> Path:
    for name, text in (("a.txt", "Bees are free."), ("more/b.txt", "Hives are not."), ("more/a.txt", "")):
        (tmp_path / "acts" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "acts" / name).write_text(f"Article 1\n\n{text}\n" if text else "")
    return tmp_path / "acts"


def go(acts: Path, place: Path, disk: Disk | None = None) -> int:
    with (disk or Disk(place)).installed():
        return main(["summarize", str(acts), "-o", str(place / "out" / "here"), "--quiet", "--lang", "en"])


def check_whole(place: Path, expected: dict[str, bytes]) -> None:
    assert contents(place / "out") == expected
    assert [entry["status"] for entry in json.loads(expected["here/__run__/manifest.json"])["acts"]].count("done") == 2


@pytest.mark.parametrize("kind", FAULTS)
def test_whichever_operation_fails_the_same_command_ends_the_work(
    acts: Path, tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    assert go(acts, place) == 1, "one of the acts is empty"
    expected, number, is_over = contents(place / "out"), 0, False
    while not is_over:
        shutil.rmtree(place)
        place.mkdir()
        number += 1
        disk = Disk(place, FAULTS[kind](number))
        capsys.readouterr()
        try:
            status = go(acts, place, disk)
            is_over = not disk.has_failed
            assert status in (1, 2)
            if status == 1:
                found = contents(place / "out")
                entries = json.loads(found["here/__run__/manifest.json"])["acts"]
                assert all(f"here/{entry['output']}" in found for entry in entries if entry["status"] == "done")
        except DeadError:
            pass
        assert "Traceback" not in capsys.readouterr().err
        assert go(acts, place) == 1
        check_whole(place, expected)
    assert number > 20


def test_after_a_power_failure_at_any_moment_the_same_command_ends_the_work(acts: Path, tmp_path: Path) -> None:
    place, before, draw = tmp_path / "disk", tmp_path / "before", random.Random(5)
    place.mkdir()
    before.mkdir()
    disk = Disk(place)
    go(acts, place, disk)
    expected = contents(place / "out")
    for number in range(len(disk.steps) + 1):
        shutil.rmtree(place)
        after_power_failure(disk.steps[:number], place, before, place, draw, draw.choice((0.0, draw.random())))
        if number == len(disk.steps):
            check_whole(place, expected)
        assert go(acts, place) == 1
        check_whole(place, expected)


def test_an_act_that_failed_once_may_be_summarized_again(acts: Path, tmp_path: Path) -> None:
    statuses = []
    for text in ("Bees.", "", "Wasps."):
        (acts / "a.txt").write_text(f"Article 1\n\n{text}\n" if text else "")
        go(acts, tmp_path)
        content = json.loads((tmp_path / "out" / "here" / "__run__" / "manifest.json").read_bytes())
        statuses += [entry["status"] for entry in content["acts"] if entry["input"] == str(acts / "a.txt")]
    assert statuses == ["done", "failed", "done"]
    assert "Wasps" in (tmp_path / "out" / "here" / "a.txt").read_text()
