"""Many acts from Python: in order or not, errors as values, lazily, and no process left behind."""

from __future__ import annotations

import gzip
import io
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexlattice import Result, Summarizer, Summary, SummaryOptions, read, summarize, summarize_many
from lexlattice.apps import many
from lexlattice.errors import ConfigError, LexLatticeError, OptionError, ReadingError, WeightsError
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
    results.close()
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


class Odd:
    """A file that answers with no text, or a path that is none."""

    def read(self, _: int) -> None:
        return None

    def __fspath__(self) -> str:
        raise ZeroDivisionError


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_no_act_is_an_error_in_its_place(paths: list[Path], jobs: int) -> None:
    class Here(str): ...  # types that another process could not know

    class Content(bytes): ...

    class Named:
        def __fspath__(self) -> str:
            return os.fspath(paths[0])

    class Chosen(SummaryOptions): ...

    content = paths[0].read_bytes()
    damaged = gzip.open(io.BytesIO(gzip.compress(content)[:-20]))  # noqa: SIM115
    opened = io.BytesIO(content)
    fine: list[Any] = [Here(paths[0]), Content(content), bytearray(content), Named(), read(paths[0]), opened]
    wrong: list[Any] = [None, 5, [paths[0]], lambda: paths[0], Odd(), damaged]
    sources = [source for pair in zip(fine, wrong, strict=True) for source in pair]
    found = list(summarize_many(sources, Chosen(words=80), jobs=jobs))
    assert [result.source for result in found] == sources
    assert [result.summary.items for result in found[::2]] == [summarize(paths[0], words=80).items] * len(fine)
    assert [type(result.error) for result in found[1::2]] == [ReadingError] * len(wrong)


@pytest.mark.parametrize("ordered", [True, False])
def test_results_of_slow_sources_do_not_wait_for_more_of_them(
    paths: list[Path], ordered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many, "_AHEAD", 10_000)
    found: list[Result[Summary]] = []
    taken = 0

    def slowly() -> Iterator[Source]:
        nonlocal taken
        while not found and taken < 2_000:
            taken += 1
            yield paths[0]
            time.sleep(0.02)

    for result in summarize_many(slowly(), words=80, jobs=2, ordered=ordered):
        found.append(result)
    assert 1 < taken < 2_000
    assert [result.error for result in found] == [None] * taken


@pytest.mark.parametrize("jobs", [None, 1, 2])
def test_an_exception_of_the_sources_comes_after_the_results_before_it(paths: list[Path], jobs: int | None) -> None:
    def broken() -> Iterator[Source]:
        yield from paths
        raise ZeroDivisionError

    found = []
    with pytest.raises(ZeroDivisionError):
        for result in summarize_many(broken(), words=80, jobs=jobs, ordered=jobs is None):
            found.append(result)
    assert {result.source: result.error for result in found} == dict.fromkeys(paths)


def test_another_folder_of_the_caller_changes_nothing(
    examples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = examples / "hierarchies" / "library-rules.txt"
    shutil.copy(rules.with_suffix(".toml"), tmp_path)
    Summarizer.from_pretrained().save_pretrained(tmp_path)
    monkeypatch.chdir(tmp_path)
    results = summarize_many([rules], hierarchy="library-rules.toml", model="model.safetensors")
    monkeypatch.chdir(examples)
    assert [result.summary for result in results] == [summarize(rules, hierarchy=rules.with_suffix(".toml"))]


def test_calls_that_are_not_valid_are_refused_before_the_first_act(paths: list[Path], tmp_path: Path) -> None:
    limits: list[dict[str, Any]] = [{"jobs": jobs} for jobs in (0, -1, "2", 1.5, True, 10**6)]
    limits += [{"seconds": seconds} for seconds in (0, -1, "3", float("nan"), float("inf"), 1e20)]
    limits += [{"memory": memory} for memory in (0, "3", 1.5, 2**70)]
    for options in (*limits, {"words": 0}, {"options": SummaryOptions(), "words": 50}, {"options": 50}):
        with pytest.raises(OptionError):
            summarize_many(paths, **options)
    with pytest.raises(WeightsError):
        summarize_many(paths, model=tmp_path / "nothing")
    with pytest.raises(ConfigError):
        summarize_many(paths, hierarchy="nothing")
    assert summarize_many(paths, jobs=np.int64(1), words=np.int64(50))  # type: ignore[arg-type]


def test_one_act_is_not_taken_for_several(paths: list[Path]) -> None:
    act, content = read(paths[0]), paths[0].read_bytes()
    single: list[Any] = [str(paths[0]), paths[0], content, bytearray(content), act, io.BytesIO(content), None, 5]
    for source in single:
        with pytest.raises(OptionError, match="list"):
            summarize_many(source)


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
