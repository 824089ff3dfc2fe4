"""A worker process that dies while it starts costs no act: it is started again, and no act is blamed for it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from test_corpus import LIMITS, corpus, lines

from helpers.tiny_task import Letters
from lexlattice import LexLatticeError
from lexlattice._internal import processes
from lexlattice._internal.worker import WorkerStartError
from lexlattice.apps.bulk.engines import LocalEngine
from lexlattice.apps.bulk.records import Record, WorkItem
from lexlattice.apps.bulk.remote import RemoteWorker
from lexlattice.apps.bulk.run import run
from lexlattice.apps.bulk.tasks import load_task

STARTS = int(os.environ.get("LEXLATTICE_KILLS", "200")) // 50
"""How many workers are killed while they start."""
TEXTS = ["x" * (number % 7 + 1) for number in range(60)]
pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="only where processes can be listed")


def dying(place: Path, times: int) -> Letters:
    for name in ("die", "up"):
        (place / name).mkdir()
    for number in range(times):
        (place / "die" / str(number)).touch()
    return Letters(None, str(place))


def workers() -> set[int]:
    """The worker processes of this one."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == os.getpid() and b"spawn_main" in (path / "cmdline").read_bytes():
                found.add(int(path.name))
    return found


@contextmanager
def killing_newborn(
    place: Path, times: int, how: signal.Signals = signal.SIGKILL, seed: int = 0
) -> Iterator[list[int]]:
    """Send worker processes a signal at random moments before they are up; yield those that got one."""
    draw, killed, is_over = random.Random(seed), list[int](), threading.Event()

    def kill() -> None:
        spared: dict[int, float] = {}
        while not is_over.wait(0.002) and len(killed) < times:
            for process in workers() - set(killed):
                due = spared.setdefault(process, time.monotonic() + draw.uniform(0, 0.5))
                if time.monotonic() >= due and not (place / "up" / str(process)).exists():
                    with suppress(ProcessLookupError):
                        os.kill(process, how)
                        killed.append(process)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        is_over.set()
        thread.join()


def test_workers_killed_at_random_moments_of_their_start_cost_no_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_START_PAUSES", (0.01,) * (STARTS + 1))
    subset, task = corpus(tmp_path / "a.jsonl", TEXTS), dying(tmp_path, 0)
    total = number = 0
    while total < STARTS:
        number += 1
        out = tmp_path / str(number)
        with killing_newborn(tmp_path, STARTS - total, seed=number) as killed:
            manifest = run(task, subset, out, LocalEngine(2), LIMITS, size=4)
        total += len(killed)
        assert [row["letters"] for row in lines(out)] == list(map(len, TEXTS))
        assert manifest["dead"] == 0
        assert not workers()


def test_ctrl_c_does_not_reach_a_worker_that_starts(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It goes to all processes of a terminal, and would be reported by each."""
    slot = processes.WorkerSlot(partial(load_task, dying(tmp_path, 0)))
    count = 0
    for seed in range(50):  # a worker may be up before its moment
        with killing_newborn(tmp_path, 1, signal.SIGINT, seed) as interrupted:
            slot._launch()
        slot._end()
        count += len(interrupted)
        if count >= max(1, STARTS // 4):
            break
    assert count
    assert capfd.readouterr().err == ""


def test_an_act_is_not_blamed_if_the_process_that_it_killed_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second text kills its process twice; what follows needs new processes, which do not start at once."""
    monkeypatch.setattr(processes, "_START_PAUSES", (0.01,) * 4)
    subset, task = corpus(tmp_path / "a.jsonl", ["a", "dies", "bb", "ccc"]), dying(tmp_path, 3)
    run(task, subset, tmp_path / "out", LocalEngine(1), LIMITS)
    assert [row["letters"] for row in lines(tmp_path / "out")] == [1, 2, 3]
    (letter,) = lines(tmp_path / "out", "__run__/dead-letters.jsonl")
    assert letter["source"].endswith(":2")


def test_a_run_whose_workers_never_start_ends_with_one_error_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_START_PAUSES", (0.01,))
    subset, task = corpus(tmp_path / "a.jsonl", TEXTS), dying(tmp_path, 4)
    with pytest.raises(LexLatticeError) as error:
        run(task, subset, tmp_path / "out", LocalEngine(1), LIMITS)
    assert "resume" in str(error.value)
    assert len(list((tmp_path / "die").iterdir())) == 2, "it was tried again, but not for ever"
    monkeypatch.setattr(processes, "_START_PAUSES", (0.01,) * 3)
    assert run(task, subset, tmp_path / "out", LocalEngine(1), LIMITS)["rows"] == len(TEXTS)


def test_a_worker_of_a_cluster_tries_again_and_then_blames_no_act(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lexlattice import __version__

    monkeypatch.setattr(processes, "_START_PAUSES", (0.01, 0.01))
    worker = RemoteWorker(dying(tmp_path, 2), LIMITS, __version__)
    assert worker.start() is None
    (started,) = workers()
    item = WorkItem(0, Record("a.txt", b"aa", is_text=True))
    assert '"letters": 2' in worker.process(item).row  # type: ignore[union-attr]
    for number in range(3):
        (tmp_path / "die" / str(number)).touch()
    os.kill(started, signal.SIGKILL)
    assert isinstance(worker.process(item), WorkerStartError)
    assert '"letters": 2' in worker.process(item).row  # type: ignore[union-attr]
    worker._pool.close()


_ENCODER = """
import multiprocessing, os
if multiprocessing.parent_process() and os.path.exists("broken"):
    os._exit(1)
def encode(texts):
    return [[1.0, float(len(text))] for text in texts]
"""


@pytest.mark.slow
def test_the_command_says_in_one_line_that_workers_do_not_start(tmp_path: Path) -> None:
    """An encoder whose import kills the process, as a library that does not fit the processor."""
    (tmp_path / "mine.py").write_text(_ENCODER)
    (tmp_path / "broken").touch()
    (tmp_path / "act.txt").write_text("Article 1\n\nBees are free.\n")
    call = [sys.executable, "-m", "lexlattice", "corpus", "encode", "act.txt", "-o", "out", "--encoder", "mine:encode"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    for status in (2, 0):
        done = subprocess.run([*call, "--quiet"], capture_output=True, text=True, cwd=tmp_path, env=environment)
        assert (done.returncode, done.stderr.count("\n")) == (status, 1), done.stderr
        assert ("resume" in done.stderr) == bool(status)
        (tmp_path / "broken").unlink(missing_ok=True)
