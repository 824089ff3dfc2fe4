"""`lexlattice evaluate` as a real process: what it prints, what it leaves behind, and how it fails."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from lexlattice.evaluation.metrics.rouge import MEASURES

SUMMARIES = {
    "en": "Keepers must register each beehive with the competent authority within 30 days of its installation.",
    "el": "Οι κάτοχοι καταχωρίζουν κάθε κυψέλη στην αρμόδια αρχή εντός 30 ημερών από την εγκατάστασή της.",
    "fr": "Les détenteurs enregistrent chaque ruche auprès de l’autorité compétente dans un délai de 30 jours.",
}
SLOW = """
import pathlib, time

def slow(act, words):
    if act.language == "el":
        pathlib.Path("started").touch()
        time.sleep(SECONDS)
    return act.units[0].text
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals and redirections of POSIX")


@pytest.fixture
def folder(examples: Path, tmp_path: Path) -> Path:
    """Where somebody works: with three acts."""
    rows = [
        {
            "celex_id": "32024R9001",
            "reference": (examples / "short" / f"{language}.txt").read_text("utf-8"),
            "summary": s,
        }
        for language, s in SUMMARIES.items()
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "lexlattice", "evaluate", "--jobs", "1", *map(str, arguments)]


def run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=folder, capture_output=True, encoding="utf-8", timeout=240, check=False
    )


def check_one_sentence(done: subprocess.CompletedProcess[str]) -> None:
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
    assert done.stderr.startswith("lexlattice: ")
    assert done.stderr.endswith(".\n")
    assert done.stderr.count("\n") == 1
    assert not done.stdout


# --- what it prints ---------------------------------------------------------------------------------------


def test_the_table_has_all_systems_tokenizers_intervals_and_tests(folder: Path) -> None:
    done = run(folder, "data.jsonl", "--system", "lead,random,lexrank,oracle")
    head, unicode, compat, comparisons = done.stdout.strip().split("\n\n")
    assert head.startswith("3 acts · budget reference · profile provisions · mode whole")
    for table, name in ((unicode, "unicode"), (compat, "compat")):
        assert table.startswith(name)
        assert [line.split()[0] for line in table.splitlines()[1:]] == ["lead", "random", "lexrank", "oracle"]
        assert all(line.count("–") == len(MEASURES) for line in table.splitlines()[1:])
    assert all(words in comparisons for words in ("against lead", "p bootstrap", "p Wilcoxon"))
    assert len(comparisons.splitlines()) == 1 + 3 * 2
    assert len((folder / "evaluation.jsonl").read_text("utf-8").splitlines()) == 3


def test_one_tokenizer_and_one_system_make_one_table(folder: Path) -> None:
    done = run(folder, "data.jsonl", "--system", "lead", "--tokenizer", "compat")
    assert "unicode" not in done.stdout
    assert "against" not in done.stdout
    assert "random, lexrank" in done.stdout


def test_stems_have_a_table_of_their_own(folder: Path) -> None:
    done = run(folder, "data.jsonl", "--system", "lead", "--tokenizer", "compat,compat-stemmed")
    _, plain, stemmed, *_ = done.stdout.split("\n\n")
    assert stemmed.startswith("compat-stemmed")
    scores = [float(table.splitlines()[1].split()[1]) for table in (plain, stemmed)]
    assert scores[0] <= scores[1]


@posix
def test_a_bar_shows_progress_on_a_terminal(folder: Path) -> None:
    import fcntl
    import termios

    shown, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    line = command("data.jsonl", "--system", "lead", "--limit", "2")
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL, stderr=terminal) as process:
        os.close(terminal)
        text = b""
        with contextlib.suppress(OSError):  # the end of a terminal is an error on Linux
            while part := os.read(shown, 4096):
                text += part
        os.close(shown)
    assert process.returncode == 0
    assert b"2/2" in text


def test_there_is_no_bar_elsewhere_and_nothing_if_it_is_not_wanted(folder: Path) -> None:
    assert "/3" not in run(folder, "data.jsonl", "--system", "lead").stderr
    quiet = run(folder, "data.jsonl", "--system", "lead", "--quiet", "--json")
    assert quiet.stderr.startswith("lexlattice: ")
    assert quiet.stderr.endswith("evaluation.jsonl\n")
    assert quiet.stderr.count("\n") == 1
    assert json.loads(quiet.stdout)["acts"] == 3


@posix
def test_without_a_place_for_messages_the_result_is_still_whole(folder: Path) -> None:
    line = f"{' '.join(command('data.jsonl', '--system', 'lead', '--json'))} 2>&-"
    done = subprocess.run(line, shell=True, cwd=folder, stdout=subprocess.PIPE, timeout=240, check=False)
    assert done.returncode == 0
    assert json.loads(done.stdout)["acts"] == 3


@posix
@pytest.mark.parametrize("end", [">&-", ">/dev/full"])
def test_a_result_without_a_valid_destination_is_an_error(folder: Path, end: str) -> None:
    line = f"{' '.join(command('data.jsonl', '--system', 'lead', '--json', '--quiet'))} {end}"
    done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, encoding="utf-8", timeout=240, check=False)
    check_one_sentence(done)


# --- what it leaves behind --------------------------------------------------------------------------------


@contextmanager
def working(folder: Path, jobs: int, seconds: int = 600) -> Iterator[subprocess.Popen[bytes]]:
    """A run of which one process is busy with an act, and the other, if there is one, waits for more."""
    (folder / "mine.py").write_text(SLOW.replace("SECONDS", str(seconds)))
    line = command("data.jsonl", "--system", "mine:slow", "--jobs", str(jobs))
    options: dict[str, Any] = {} if sys.platform == "win32" else {"start_new_session": True}
    with subprocess.Popen(line, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, **options) as process:
        try:
            wait_for(folder / "started")
            yield process
        finally:
            process.kill()
            if options:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def wait_for(path: Path) -> None:
    end = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} never came"
        time.sleep(0.05)
    time.sleep(0.3)


def test_a_killed_run_leaves_the_earlier_results_alone(folder: Path) -> None:
    (folder / "evaluation.jsonl").write_text("earlier")
    with working(folder, jobs=1) as process:
        process.kill()
        process.wait(timeout=240)
    assert (folder / "evaluation.jsonl").read_text() == "earlier"


@pytest.mark.parametrize("content", ["", "\n\n", '{"celex_id": "32024R9001"}\n', '{"celex_id": '])
def test_data_without_an_act_are_an_error_and_leave_the_earlier_results_alone(tmp_path: Path, content: str) -> None:
    (tmp_path / "data.jsonl").write_text(content)
    (tmp_path / "evaluation.jsonl").write_text("earlier")
    check_one_sentence(run(tmp_path, "data.jsonl", "--quiet"))
    assert (tmp_path / "evaluation.jsonl").read_text() == "earlier"


@pytest.mark.parametrize("name", ["data.jsonl", "./data.jsonl", "link.jsonl"])
def test_the_data_are_never_overwritten_by_the_results(folder: Path, name: str) -> None:
    data = (folder / "data.jsonl").read_bytes()
    (folder / "link.jsonl").hardlink_to(folder / "data.jsonl")
    check_one_sentence(run(folder, "data.jsonl", "--system", "lead", "--quiet", "--per-act", name))
    assert (folder / "data.jsonl").read_bytes() == data


@posix
def test_results_can_be_written_to_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    line = command("data.jsonl", "--system", "lead", "--quiet", "--per-act", "pipe")
    with subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        assert process.wait(timeout=240) == 0
        received = os.read(reader, 1 << 16)
        os.close(reader)
    assert (folder / "pipe").is_fifo()
    assert received.count(b"\n") == 3


@posix
def test_no_process_outlives_a_run_that_was_ended(folder: Path) -> None:
    with working(folder, jobs=2) as process:
        process.terminate()
        process.communicate(timeout=240)  # the pipe is closed when the last process is gone
    assert process.returncode != 0


@posix
def test_an_interrupted_run_ends_soon_and_without_a_traceback(folder: Path) -> None:
    with working(folder, jobs=2) as process:
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=240)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert b"no results were written" in errors
    assert not (folder / "evaluation.jsonl").exists()


# --- how it fails -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ("--system nonsense", "oracle-greedy"),
        ("--system ,", "No systems"),
        ("--system lexrank-vectors", "--encoder"),
        ("--system json:nonsense", "package.module:attribute"),
        ("--system nonsense:nonsense", "package.module:attribute"),
        ("--system .json:dumps", "package.module:attribute"),
        ("--system json:__name__", "json:__name__"),
        ("--system lexrank-vectors --encoder json:nonsense", "package.module:attribute"),
        ("--system lexrank-vectors --encoder json:__name__", "json:__name__"),
        ("--tokenizer nonsense", "compat"),
        ("--tokenizer ,", "No tokenizer"),
        ("--words 0", "0 words"),
        ("--ratio 1.5", "share above 0"),
        ("--mode nonsense", "paper"),
        ("--jobs 0", "from 1"),
        ("--limit 0", "from 1"),
        ("--limit -1", "from 1"),
        ("--seed -1", "from 0"),
        ("--lang xx", "24 official languages"),
        ("--per-act nowhere/acts.jsonl", "nowhere"),
        ("--per-act .", "file"),
    ],
)
def test_calls_at_fault_end_with_one_sentence_and_2(folder: Path, arguments: str, word: str) -> None:
    done = run(folder, "data.jsonl", "--quiet", *arguments.split())
    check_one_sentence(done)
    assert word in done.stderr
    assert [path.name for path in folder.iterdir()] == ["data.jsonl"]


def test_missing_or_invalid_data_are_an_error_of_one_sentence(examples: Path, tmp_path: Path) -> None:
    for data in ("nowhere.jsonl", tmp_path, examples / "short" / "en.txt"):
        check_one_sentence(run(tmp_path, data, "--quiet"))
