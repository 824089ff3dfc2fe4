"""Progress: a bar on a terminal, lines elsewhere, nothing if it is not wanted; and trainings by their logs."""

from __future__ import annotations

import io
import os
import threading
import time
from pathlib import Path

import pytest

from lexlattice._internal import progress
from lexlattice._internal.progress import elapsed, tracked


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(progress, "_PAUSE", 0.0)
    return []


def test_there_is_a_bar_on_a_terminal(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    assert list(tracked("abc", "reading", note=lines.append)) == ["a", "b", "c"]
    assert "reading" in terminal.getvalue()
    assert "3/3" in terminal.getvalue()
    assert not lines


def test_there_are_lines_and_no_bar_elsewhere(lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    list(tracked(iter("ab"), "reading", 2, note=lines.append))
    list(tracked(iter("a"), "counting", unit="words", note=lines.append))
    assert lines == ["reading: 1 of 2 acts, 0 s", "reading: 2 of 2 acts, 0 s", "counting: 1 words, 0 s"]
    assert not capsys.readouterr().err


def test_short_work_says_nothing_elsewhere(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PAUSE", 30.0)
    list(tracked("abc", "reading", note=lines.append))
    assert not lines


@pytest.mark.parametrize("is_terminal", [True, False])
def test_nothing_is_shown_if_it_is_not_wanted(
    lines: list[str], monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    monkeypatch.setattr("sys.stderr", stream := Terminal() if is_terminal else io.StringIO())
    assert list(tracked("abc", "reading", note=lines.append, is_shown=False)) == ["a", "b", "c"]
    assert not lines
    assert not stream.getvalue()


def test_without_a_place_for_messages_work_goes_on(lines: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    assert list(tracked("abc", "reading", note=lines.append)) == ["a", "b", "c"]


@pytest.mark.parametrize(("seconds", "shown"), [(5, "5 s"), (61, "1 min"), (3600, "1 h 00 min"), (7500, "2 h 05 min")])
def test_times_are_for_people(seconds: int, shown: str) -> None:
    assert elapsed(time.monotonic() - seconds) == shown


def test_trainings_are_watched_by_their_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from lexlattice.research.experiments import watching
    from lexlattice.training.checkpoints import Log
    from lexlattice.training.config import read_config

    config, before = read_config("paper-static"), time.time() - 1
    trainings = [watching.Watched(name, tmp_path / name, config) for name in ("running", "over", "old", "waiting")]
    running, over, old, _ = trainings
    for one in (running, over, old):
        one.folder.mkdir()
        with Log(one.folder / "log.csv", 0) as log:
            log.write(stage="warm-start", epoch=3, step=7, acts=8, loss=0.5)
    (over.folder / "model.safetensors").touch()
    os.utime(old.folder / "log.csv", (before - 60, before - 60))
    assert [one.state(before) for one in trainings] == ["running: warm-start, epoch 3 of 12", "", "", ""]
    monkeypatch.setattr(watching, "_PAUSE", 0.01)
    said, is_said = list[str](), threading.Event()

    def note(line: str) -> None:
        said.append(line)
        is_said.set()

    with watching.watched(trainings, note, is_shown=True):
        os.utime(running.folder / "log.csv", (time.time() + 2, time.time() + 2))
        assert is_said.wait(10)
    assert said[0].startswith("training running: warm-start, epoch 3 of 12, ")
    count = len(said)
    time.sleep(0.05)
    assert len(said) == count, "nothing is said afterwards"
    with watching.watched(trainings, note, is_shown=False):
        time.sleep(0.05)
    assert len(said) == count
