"""Many acts from Python: in order or not, errors as values, lazily, and no process left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path

import pytest

from lexlattice import Result, Summary, SummaryOptions, read, summarize, summarize_many
from lexlattice.apps import many
from lexlattice.errors import LexLatticeError, OptionError, ReadingError, WeightsError
from lexlattice.summarizer import Source


@pytest.fixture(scope="module")
def paths(examples: Path) -> list[Path]:
    return [examples / "short" / f"{language}.txt" for language in ("en", "de", "el")]


def children() -> set[int]:
    """The processes of this one; other tests may have started some that still run."""
    return {process.pid for process in multiprocessing.active_children() if process.pid}


def ended(processes: Iterable[int], seconds: float = 10.0) -> bool:
    """Whether none of these processes is there any more, after a while at most."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(Path(f"/proc/{process}").exists() for process in processes):
            return True
        time.sleep(0.02)
    return False


def test_a_few_acts_are_summarized_here_and_one_by_one(paths: list[Path]) -> None:
    taken: list[Path] = []
    before = children()

    def sources() -> Iterator[Source]:
        for path in paths:
            taken.append(path)
            yield path
        yield "nothing.txt"

    results = summarize_many(sources(), words=80)
    assert taken == []
    first = next(results)
    assert taken == paths[:1]
    assert first.source == paths[0]
    assert first.error is None
    assert first.summary == summarize(paths[0], words=80)
    *others, failed = results
    assert [result.summary.act.language for result in others] == ["de", "el"]
    assert isinstance(failed.error, ReadingError)
    with pytest.raises(ReadingError):
        _ = failed.summary
    assert children() == before


def test_processes_work_in_order_on_an_endless_stream_and_end_with_the_loop(paths: list[Path]) -> None:
    act, before = read(paths[0]), children()
    taken = 0

    def endless() -> Iterator[Source]:
        nonlocal taken
        for kind in cycle(range(4)):
            taken += 1
            if kind == 3:
                yield "nothing.txt"
            elif kind == 2:
                with paths[1].open("rb") as file:
                    yield file  # closed before a process could read it
            else:
                yield act if kind else paths[0]

    results = summarize_many(endless(), SummaryOptions(words=80), jobs=2)
    found = [next(results) for _ in range(8)]
    assert taken <= 8 + 2 * 4
    expected = [summarize(act, words=80), summarize(act, words=80), summarize(paths[1], words=80)]
    assert [result.summary for result in found if result.error is None] == expected * 2
    assert [index for index, result in enumerate(found) if result.error] == [3, 7]
    assert found[1].summary.act is act, "an act that was given is not replaced by a copy"
    assert found[0].summary.act == act
    processes = children() - before
    assert len(processes) == 2
    results.close()  # type: ignore[attr-defined]
    assert ended(processes)


SCRIPT = """
import sys, time
from pathlib import Path
import lexlattice

Path(sys.argv[1], f"ran-{time.time_ns()}").touch()
acts = Path(sys.argv[2])

def sources():
    yield acts / "long" / "en.txt"
    while True:
        yield acts / "short" / "en.txt"

for result in lexlattice.summarize_many(sources(), jobs=2, ordered=False, words=50):
    print(result.source.parent.name, result.error, flush=True)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are looked up in /proc")
def test_a_script_needs_no_guard_and_an_interrupt_ends_its_processes(tmp_path: Path, examples: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), str(tmp_path), str(examples)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stderr is not None
        lines = [running.stdout.readline()]
        while "long None\n" not in lines and len(lines) < 300:  # it takes longer, and comes all the same
            lines.append(running.stdout.readline())
        children = [
            int(child)
            for task in Path(f"/proc/{running.pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
        running.send_signal(signal.SIGINT)
        running.stdout.read()
        assert "KeyboardInterrupt" in running.stderr.read()
    assert len(children) >= 2
    assert ended(children)
    assert lines[-1] == "long None\n"
    assert len(list(tmp_path.glob("ran-*"))) == 1, "the script ran again in a process"


def test_an_act_that_takes_too_long_is_an_error_of_its_own(paths: list[Path]) -> None:
    found = list(summarize_many(paths[:1], jobs=1, seconds=0.001))
    assert [result.error.code for result in found if result.error] == ["timeout"]


@pytest.mark.slow
def test_after_a_second_of_work_processes_take_over(paths: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "_SECONDS_ALONE", 0.0)
    monkeypatch.setattr(many, "_cores", lambda: 1)
    found = list(summarize_many(paths, words=80))
    assert found == [Result(path, summarize(path, words=80)) for path in paths]


def test_an_unexpected_exception_is_the_error_of_one_act(paths: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def summarize(self, source: Source, **_: object) -> Summary:
            if source == paths[0]:
                raise ZeroDivisionError
            return summarize(source)

    monkeypatch.setattr(many, "shipped", Broken)
    failed, fine = summarize_many(paths[:2], jobs=1)
    assert failed.error is not None and failed.error.code == "internal"
    assert isinstance(failed.error.__cause__, ZeroDivisionError)
    assert fine.summary == summarize(paths[1])


def test_calls_that_are_not_valid_are_refused_before_the_first_act(paths: list[Path], tmp_path: Path) -> None:
    for refused in (
        lambda: summarize_many(paths, jobs=0),
        lambda: summarize_many(paths, words=0),
        lambda: summarize_many(paths, SummaryOptions(), words=50),
        lambda: summarize_many(paths, seconds=0),
    ):
        with pytest.raises(OptionError):
            refused()
    with pytest.raises(WeightsError):
        summarize_many(paths, model=tmp_path / "nothing")


def _inside_a_pool(path: str) -> list[str]:
    refused = ""
    try:
        summarize_many([path], jobs=2)
    except LexLatticeError as error:
        refused = error.code
    return [refused, *(str(len(result.summary)) for result in summarize_many([path], words=80))]


@pytest.mark.slow
def test_a_process_of_a_pool_does_the_work_itself(paths: list[Path]) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(_inside_a_pool, (os.fspath(paths[0]),))
    assert found == ["invalid-option", str(len(summarize(paths[0], words=80)))]
