"""Ctrl-C: one line says what was finished, the exit code is 130, and resumable work resumes."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

COPIES = 40


@pytest.fixture(scope="module")
def acts(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Path:
    folder = tmp_path_factory.mktemp("interrupts") / "acts"
    folder.mkdir()
    for number in range(COPIES):
        shutil.copy(examples / "long" / "en.txt", folder / f"{number:03}.txt")
    return folder


@pytest.fixture(scope="module")
def rows(acts: Path) -> Path:
    path = acts.parent / "rows.jsonl"
    text = (acts / "000.txt").read_text("utf-8")
    row = {"reference": text, "summary": " ".join(text.split()[:300]), "celex_id": "32025R9100", "language": "en"}
    path.write_text("".join(json.dumps(row) + "\n" for _ in range(1000)), "utf-8")
    return path


def interrupted(is_ready: Callable[[], bool], *arguments: str | Path) -> tuple[int, list[str]]:
    """Run a command, press Ctrl-C once it is at work, and return its exit code and what it said."""
    call = [sys.executable, "-m", "lexlattice", *map(str, arguments)]
    with subprocess.Popen(call, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            deadline = time.monotonic() + 60
            while not is_ready() and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.02)
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the command
            _, said = process.communicate(timeout=60)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    assert "Traceback" not in said, said
    return process.returncode, said.splitlines()


def test_a_folder_says_how_many_are_summarized_and_keeps_them(acts: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said = interrupted(lambda: (out / "000.txt").exists(), "summarize", acts, "-o", out, "-q")
    written = len(json.loads((out / "__run__" / "manifest.json").read_bytes())["acts"])
    assert code == 130
    (told,) = re.findall(rf"(\d+) of {COPIES} acts", "".join(said))
    assert int(told) in (written, written - 1)  # it may be interrupted after a file is written and before it is counted
    assert 0 < written < COPIES
    assert not list(out.rglob("*.part"))


def test_a_bulk_run_says_how_much_is_done_and_resumes(acts: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    call = ("corpus", "score", acts, "-o", out, "--shard-size", "4", "-j", "2")
    code, said = interrupted(lambda: any(out.glob("shard-*.jsonl")), *call)
    assert code == 130
    assert any("acts were done" in line and "again" in line for line in said), said
    done = subprocess.run([sys.executable, "-m", "lexlattice", *map(str, call)], capture_output=True, check=False)
    assert done.returncode == 0
    assert sum(len(path.read_bytes().splitlines()) for path in out.glob("shard-*.jsonl")) == COPIES


def test_an_evaluation_says_how_much_was_measured_and_writes_nothing(rows: Path, tmp_path: Path) -> None:
    per_act, start = tmp_path / "acts.jsonl", time.monotonic()
    call = ("evaluate", rows, "--system", "lexlattice,lexrank", "--per-act", per_act, "-j", "2")
    code, said = interrupted(lambda: time.monotonic() - start > 2.5, *call)
    assert code == 130
    assert any("acts" in line and "nterrupted" in line for line in said), said
    assert not per_act.exists()


def test_one_act_is_interrupted_without_a_file(acts: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "act.txt")  # nobody writes to it, so that reading it takes for ever
    start = time.monotonic()
    call = ("summarize", tmp_path / "act.txt", "-o", tmp_path / "out.txt")
    code, said = interrupted(lambda: time.monotonic() - start > 1.5, *call)
    assert (code, len(said)) == (130, 1)
    assert not (tmp_path / "out.txt").exists()


def test_there_is_no_bar_without_a_terminal(acts: Path, tmp_path: Path) -> None:
    for call in (("summarize", acts / "000.txt", acts / "001.txt"), ("corpus", "score", acts / "000.txt")):
        line = [sys.executable, "-m", "lexlattice", *map(str, call), "-o", str(tmp_path / call[0])]
        done = subprocess.run(line, capture_output=True, check=True)
        assert b"\r" not in done.stderr and done.stderr.count(b"\n") == 1
