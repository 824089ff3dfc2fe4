"""Bulk runs: whatever dies, every act is processed once, and failed acts are reported."""

from __future__ import annotations

import base64
import gzip
import json
import os
import pickle
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.timing import wait_until
from lexlattice import LexLatticeError, encoding, evaluate, read, summarize
from lexlattice._internal.worker import JobTimeoutError, TooLargeError, WorkerLostError
from lexlattice.act.document import Act
from lexlattice.apps.bulk.engines import Limits, LocalEngine
from lexlattice.apps.bulk.evaluate import Evaluate
from lexlattice.apps.bulk.inputs import Inputs
from lexlattice.apps.bulk.output import Columns
from lexlattice.apps.bulk.records import Outcome, Record, WorkItem
from lexlattice.apps.bulk.run import Subset, run
from lexlattice.apps.bulk.tasks import Encode, Task
from lexlattice.apps.cli import main
from lexlattice.errors import DataError, OptionError, OutputError

LIMITS = Limits(60, 2_000_000_000)
KILLS = int(os.environ.get("LEXLATTICE_KILLS", "200"))
"""How often the writing process is killed; the whole command is killed a sixtieth as often."""


@dataclass(frozen=True)
class Count(Task):
    """A small task that counts the letters of a text; some texts are poison."""

    name: ClassVar[str] = "count"
    task_columns: ClassVar[Columns] = {"letters": int}
    weights: ClassVar[str] = "none"

    def load(self) -> None:
        """Nothing to load."""

    def values(self, act: Act, record: Record) -> dict[str, Any]:
        raise NotImplementedError

    def row(self, record: Record) -> dict[str, Any]:
        if record.fault:
            raise LexLatticeError(record.fault)
        text = record.content.decode()
        POISON.get(text, len)(text)
        return {"source": record.source, "letters": len(text), "seconds": 0.0}

    @property
    def columns(self) -> Columns:
        return {"source": str, "letters": int, "seconds": float}


def _fail(_: str) -> None:
    raise ZeroDivisionError


POISON: Mapping[str, Callable[[str], Any]] = {
    "dies": lambda _: os._exit(9),
    "fails": _fail,
    "sleeps": lambda _: time.sleep(60),
    "hoards": lambda _: bytearray(4_000_000_000),
}


class Plain:
    """An engine without processes; it may stop in the middle, as if it were killed."""

    def __init__(self, after: int | None = None) -> None:
        self.after = after

    def run(self, task: Task, items: Iterable[WorkItem], limits: Limits) -> Generator[Outcome, None, None]:
        for number, (shard, record, skipped) in enumerate(items):
            if number == self.after:
                raise KeyboardInterrupt
            if skipped:
                yield Outcome(shard, "", "", skipped=skipped)
                continue
            try:
                row = task.row(record)
                yield Outcome(shard, record.source, record.digest, json.dumps(row) if row else "")
            except LexLatticeError as error:
                yield Outcome(shard, record.source, record.digest, reason=str(error))


def corpus(path: Path, texts: Iterable[str]) -> Subset:
    rows = ({"reference": text, "celex_id": f"3{number:07}"} for number, text in enumerate(texts))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return Subset(Inputs((str(path),)))


def lines(folder: Path, pattern: str = "shard-*.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for path in sorted(folder.glob(pattern)) for line in path.open("rb")]


def without_times(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


# --- Nothing lost, nothing duplicated


@settings(max_examples=40, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    texts=st.lists(st.sampled_from(["a", "bb", "ccc", ""]), min_size=1, max_size=30),
    size=st.integers(1, 9),
    stops=st.lists(st.integers(0, 30), max_size=4),
)
def test_an_interrupted_run_resumes_and_processes_every_act_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], size: int, stops: list[int]
) -> None:
    place = tmp_path_factory.mktemp("run")
    subset, folder = corpus(place / "a.jsonl", texts), place / "out"
    for after in stops:
        try:
            run(Count(None), subset, folder, Plain(after), LIMITS, size=size)
        except KeyboardInterrupt:
            continue
    manifest = run(Count(None), subset, folder, Plain(), LIMITS, size=size)
    good = [(f"{place / 'a.jsonl'}:{number}", len(text)) for number, text in enumerate(texts, 1) if text]
    assert [(row["source"], row["letters"]) for row in lines(folder)] == good
    dead = [f"{place / 'a.jsonl'}:{number}" for number, text in enumerate(texts, 1) if not text]
    assert [letter["source"] for letter in lines(folder, "__run__/dead-letters.jsonl")] == dead
    assert (manifest["rows"], manifest["dead"], manifest["finished"]) == (len(good), len(dead), True)
    assert sum(part["rows"] for part in manifest["shards"]) == len(good)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_process_killed_at_random_moments_loses_and_duplicates_nothing(tmp_path: Path) -> None:
    texts = ["x" * (number % 7 + 1) for number in range(120)]
    subset, folder = corpus(tmp_path / "a.jsonl", texts), tmp_path / "out"
    draw = random.Random(1)
    killed = 0
    while killed < KILLS:
        child = os.fork()
        if not child:
            status = 1
            try:
                run(Count(None), subset, folder, Plain(), LIMITS, size=2)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        time.sleep(draw.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert ended in (0, -signal.SIGKILL), "a resumed run failed"
        killed += ended != 0
        if ended == 0:  # it was finished: remove a file, so that there is something to do again
            draw.choice(sorted(folder.rglob("shard-*"))).unlink()
    run(Count(None), subset, folder, Plain(), LIMITS, size=2)
    assert [row["letters"] for row in lines(folder)] == [len(text) for text in texts]
    assert not list(folder.rglob("*.part")), "nothing half written is left"


@contextmanager
def _small_files(most: int) -> Iterator[Callable[[], None]]:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    yield limit


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "lexlattice", "corpus", *map(str, arguments)]


def test_a_full_disk_ends_the_run_with_one_line_and_it_can_be_resumed(tmp_path: Path, examples: Path) -> None:
    call = command("summarize", examples / "short", "-o", tmp_path / "out", "--shard", "5", "--quiet", "--limit", "12")
    with _small_files(3000) as limit:
        # Python would cut its own files short, too.
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(call, capture_output=True, text=True, preexec_fn=limit, env=environment)
    assert done.returncode == 2
    assert str(tmp_path / "out") in done.stderr
    assert done.stderr.count("\n") == 1
    assert subprocess.run(call, capture_output=True).returncode == 0
    assert len(lines(tmp_path / "out")) == 12


@pytest.mark.slow
def test_the_command_killed_repeatedly_ends_with_the_same_rows(tmp_path: Path, examples: Path) -> None:
    call = partial(command, "score", examples / "short", "--shard", "2", "--quiet", "-j", "2", "-o")
    draw = random.Random(2)
    for _ in range(KILLS // 60):
        process = subprocess.Popen(call(tmp_path / "killed"), stderr=subprocess.DEVNULL, start_new_session=True)
        time.sleep(draw.uniform(1, 3))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for name in ("killed", "whole"):
        assert subprocess.run(call(tmp_path / name), capture_output=True).returncode == 0
    assert without_times(lines(tmp_path / "killed")) == without_times(lines(tmp_path / "whole"))
    assert len(lines(tmp_path / "whole")) == 24


# --- Acts that break their process


def test_acts_that_break_their_process_become_dead_letters_and_all_others_are_processed(tmp_path: Path) -> None:
    texts = ["a", "dies", "bb", "fails", "sleeps", "ccc", "hoards", "", "dddd"]
    subset = corpus(tmp_path / "a.jsonl", texts)
    events: list[dict[str, Any]] = []

    def log(event: str, **facts: Any) -> None:
        events.append({"event": event, **facts})

    manifest = run(Count(None), subset, tmp_path / "out", LocalEngine(2), Limits(3, 1_500_000_000), size=4, log=log)
    assert [row["letters"] for row in lines(tmp_path / "out")] == [1, 2, 3, 4]
    dead = {
        letter["source"].rpartition(":")[2]: letter["reason"]
        for letter in lines(tmp_path / "out", "__run__/dead-letters.jsonl")
    }
    assert {number: word in dead[number] for number, word in _REASONS.items()} == dict.fromkeys(_REASONS, True), dead
    assert manifest["dead"] == len(dead) == len(_REASONS)
    assert (events[-1]["event"], events[-1]["restarts"] >= 3) == ("end", True)
    assert sum(event["event"] == "dead" for event in events) == len(dead)


_REASONS = {
    "2": str(WorkerLostError()),
    "4": "(ZeroDivisionError at apps/bulk/tasks.py:",
    "5": str(JobTimeoutError(3)),
    "7": str(TooLargeError()),
    "8": "'reference'",
}


def test_failed_acts_can_be_retried(tmp_path: Path) -> None:
    subset = corpus(tmp_path / "a.jsonl", ["a", "", "bb"])
    for retry, redone in ((False, 0), (True, 1)):
        run(Count(None), subset, tmp_path / "out", Plain(), LIMITS, size=1)
        events: list[str] = []
        run(
            *(Count(None), subset, tmp_path / "out", Plain(), LIMITS),
            size=1,
            retry=retry,
            log=lambda event, events=events, **_: events.append(event),
        )
        assert events.count("shard") == redone


# --- Options


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nowhere"], "'nowhere'"),
        (["nowhere*.txt"], "'nowhere*.txt'"),
        ([""], "CELEX"),
        (["{short}", "--limit", "0"], "0"),
        (["{short}", "--sample", "2"], "2"),
        (["{short}", "--shard", "0"], "0"),
        (["{short}", "-j", "0"], "0"),
        (["{short}", "--words", "0"], "0"),
        (["{short}", "--ratio", "1.5"], "1.5"),
        (["{short}", "--model", "nowhere"], "'nowhere'"),
        (["{short}", "--lang", "xx"], "'xx'"),
        (["{short}", "--timeout", "0"], "0"),
        (["{short}", "--timeout", "inf"], "inf"),
        (["{short}", "--timeout", "nan"], "nan"),
        (["{short}", "--memory", str(10**20)], f"{10**26:,}"),
        (["{short}", "-j", str(10**20)], f"{10**20}"),
    ],
)
def test_a_wrong_option_is_named_in_one_line(
    tmp_path: Path, examples: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    filled = [argument.replace("{short}", str(examples / "short")) for argument in arguments]
    assert main(["corpus", "summarize", *filled, "-o", str(tmp_path / "out"), "--quiet"]) == 2
    error = capsys.readouterr().err
    assert re.search(rf"(?<!\w){re.escape(named)}(?!\w)", error) and error.count("\n") == 1


def test_an_evaluation_without_summaries_or_systems_is_refused_before_it_starts(tmp_path: Path, examples: Path) -> None:
    subset = Subset(Inputs((str(examples / "short"),)))
    task = Evaluate(None, ("lead",), "reference", "provisions", None, None)
    with pytest.raises(DataError):
        run(task, subset, tmp_path / "out", Plain(), LIMITS)
    with pytest.raises(OptionError):
        Evaluate(None, (), "reference", "provisions", None, None)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("more", [["--model", "junk"], ["--memory", "1"]])
def test_workers_that_cannot_start_end_the_run_with_one_line(tmp_path: Path, examples: Path, more: list[str]) -> None:
    (tmp_path / "junk").write_bytes(b"no weights")
    call = command("score", examples / "short", "-o", tmp_path / "out", "--quiet", "-j", "1", *more)
    done = subprocess.run(call, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_a_limit_and_shard_size_beyond_all_bounds_are_accepted(tmp_path: Path) -> None:
    subset = Subset(corpus(tmp_path / "a.jsonl", ["a", "bb"]).inputs, limit=10**20)
    assert run(Count(None), subset, tmp_path / "out", Plain(), LIMITS, size=10**20)["rows"] == 2


def test_after_ctrl_c_it_says_what_was_done_and_how_to_resume(tmp_path: Path, examples: Path) -> None:
    for number in range(300):
        shutil.copy(examples / "short" / "en.txt", tmp_path / f"{number:03}.txt")
    call = command("score", f"{tmp_path}/*.txt", "-o", tmp_path / "out", "-j", "1", "--shard-size", "2")
    with subprocess.Popen(call, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        wait_until(lambda: len(list((tmp_path / "out").glob("*.jsonl"))) > 2)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.search(r"\d+ acts were done", said) and said.count("\n") == 1 and "\r" not in said
    assert subprocess.run([*call, "--quiet"]).returncode == 0
    assert len(list(lines(tmp_path / "out"))) == 300


def test_events_on_standard_error_are_not_broken_by_the_progress_bar(tmp_path: Path, examples: Path) -> None:
    call = command("score", examples / "short" / "en.txt", "-o", tmp_path / "out", "-j", "1", "--log", "-")
    done = subprocess.run(call, capture_output=True, text=True)
    events = [line.rpartition("\r")[2] for line in done.stderr.split("\n") if '"event"' in line]
    assert [json.loads(event)["event"] for event in events] == ["begin", "shard", "end"]


# --- The four tasks


def test_rows_equal_the_results_of_the_library(
    tmp_path: Path, examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    call = ["corpus", "summarize", str(examples / "short"), "-o", str(tmp_path / "out"), "--limit", "3", "--words"]
    assert main([*call, "60", "--log", str(log), "--format", "parquet", "--shard", "2", "--quiet"]) == 0
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        row for path in sorted((tmp_path / "out").glob("*.parquet")) for row in parquet.read_table(path).to_pylist()
    ]
    assert [Path(row["source"]).stem for row in rows] == ["bg", "cs", "da"]
    for row in rows:
        summary = summarize(row["source"], words=60)
        assert [item["text"] for item in row["extract"]] == [item.text for item in summary]
        assert row["left_out"] == [cut.to_dict() for cut in summary.cuts]
        assert (row["title"], row["language"], row["words"]) == (summary.act.title, summary.act.language, summary.words)
        assert row["code"] and row["weights"] and len(row["sha256"]) == 64
    assert [json.loads(line)["event"] for line in log.open()] == ["begin", "shard", "shard", "end"]
    assert main([*call, "70", "--quiet"]) == 2
    error = capsys.readouterr().err
    assert "words:60" in error and "words:70" in error
    call = ["corpus", "summarize", str(examples / "long"), "-o", str(tmp_path / "long"), "--format", "parquet"]
    act = read(examples / "long" / "en.txt")
    words = next(words for words in range(200, act.words, 200) if summarize(act, words=words).cuts)
    assert main([*call, "--words", str(words), "--quiet"]) == 0
    (row,) = parquet.read_table(next((tmp_path / "long").glob("*.parquet"))).to_pylist()
    assert row["left_out"] == [cut.to_dict() for cut in summarize(act, words=words).cuts]


def test_vectors_survive_the_round_trip(tmp_path: Path, examples: Path) -> None:
    assert main(["corpus", "encode", str(examples / "short" / "mt.txt"), "-o", str(tmp_path / "out"), "--quiet"]) == 0
    (row,) = lines(tmp_path / "out")
    act = read(examples / "short" / "mt.txt")
    vectors = np.frombuffer(base64.b64decode(row["vectors"]), "<f4").reshape(len(row["units"]), row["dimensions"])
    assert np.array_equal(vectors, encoding.load().encode([unit.text for unit in act.units]))
    assert row["units"] == [unit.id for unit in act.units]


def test_an_evaluation_reports_the_figures_of_evaluate(
    tmp_path: Path, examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [(examples / "short" / f"{name}.txt").read_text("utf-8") for name in ("en", "fr", "de")]
    rows = [{"reference": text, "summary": text[200:900], "celex_id": ""} for text in texts]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    call = ["corpus", "evaluate", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "out"), "--system", "lead,lexrank"]
    assert main([*call, "--quiet"]) == 0
    shown = capsys.readouterr().out
    expected = evaluate(rows, "lead,lexrank")
    for name in ("lead", "lexrank"):
        assert f"{expected.systems[name]['unicode']['rouge1']:.2f}" in shown


def test_a_dry_run_reports_what_it_would_do_and_writes_nothing(
    tmp_path: Path, examples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["corpus", "score", str(examples / "short"), "-o", str(tmp_path / "out"), "--dry-run"]
    assert main(call) == 0
    assert re.search(r"\b24\b", capsys.readouterr().out)
    assert not (tmp_path / "out").exists()


def test_a_sample_is_reproducible_and_about_as_large_as_its_share(tmp_path: Path) -> None:
    inputs = corpus(tmp_path / "a.jsonl", map(str, range(1, 1001))).inputs
    drawn = [record.source for record in Subset(inputs, sample=0.2)]
    assert drawn == [record.source for record in Subset(inputs, sample=0.2)]
    assert 150 < len(drawn) < 250
    assert drawn[:7] == [record.source for record in Subset(inputs, limit=7, sample=0.2)]


def test_two_runs_do_not_write_to_the_same_folder(tmp_path: Path) -> None:
    subset = corpus(tmp_path / "a.jsonl", ["a", "bb"])

    class Meddling(Plain):
        def run(self, task: Task, items: Iterable[WorkItem], limits: Limits) -> Generator[Outcome, None, None]:
            with pytest.raises(OutputError):
                run(Count(None), subset, tmp_path / "out", Plain(), LIMITS)
            yield from super().run(task, items, limits)

    assert run(Count(None), subset, tmp_path / "out", Meddling(), LIMITS)["rows"] == 2


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError) as error:
        run(Count(None), corpus(tmp_path / "a.jsonl", ["a"]), tmp_path / "out", Plain(), LIMITS)
    assert "thesis.txt" in str(error.value)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.txt"]


def test_damaged_and_changed_shards_are_made_again(tmp_path: Path) -> None:
    subset = corpus(tmp_path / "a.jsonl", ["a", "bb", "ccc"])
    again = partial(run, Count(None), subset, tmp_path / "out", Plain(), LIMITS, size=1)
    again()
    (tmp_path / "out" / "shard-00001.jsonl").write_text("{}")
    again()
    assert [row["letters"] for row in lines(tmp_path / "out")] == [1, 2, 3]
    (tmp_path / "out" / "shard-old.json").write_text("not ours")
    corpus(tmp_path / "a.jsonl", ["a", "dddd"])
    again()
    assert [row["letters"] for row in lines(tmp_path / "out")] == [1, 4]
    assert (tmp_path / "out" / "shard-old.json").exists()


def test_a_manifest_is_finished_only_while_nothing_is_being_written(tmp_path: Path) -> None:
    path, folder = tmp_path / "a.jsonl", tmp_path / "out"
    states = []

    class Looking(Plain):
        def run(self, task: Task, items: Iterable[WorkItem], limits: Limits) -> Generator[Outcome, None, None]:
            for outcome in super().run(task, items, limits):
                yield outcome
                states.append(json.loads((folder / "__run__" / "manifest.json").read_text())["finished"])

    first = run(Count(None), corpus(path, ["a", "bb", "ccc"]), folder, Plain(), LIMITS, size=1)
    same = run(Count(None), corpus(path, ["a", "bb", "ccc"]), folder, Looking(), LIMITS, size=1)
    assert (states, same) == ([], first)
    assert first["started"] <= first["ended"]
    states.clear()
    run(Count(None), corpus(path, ["a", "bbb", "cc"]), folder, Looking(), LIMITS, size=1)
    assert states and not any(states)


def test_a_run_resumes_only_with_the_same_format_fields_and_split(tmp_path: Path) -> None:
    inputs = corpus(tmp_path / "a.jsonl", ["a"]).inputs
    again = partial(run, Count(None), folder=tmp_path / "out", engine=Plain(), limits=LIMITS)
    again(subset=Subset(inputs))
    for name, changed in (
        ("fields", Inputs(inputs.names, fields={"summary": "x"})),
        ("split", Inputs(inputs.names, split="test")),
    ):
        with pytest.raises(OutputError) as error:
            again(subset=Subset(changed))
        assert name in str(error.value)
    pytest.importorskip("pyarrow")
    with pytest.raises(OutputError) as error:
        again(subset=Subset(inputs), format="parquet")
    assert "jsonl" in str(error.value) and "parquet" in str(error.value)


def test_the_digest_of_the_weights_covers_every_named_file(tmp_path: Path) -> None:
    for folder in ("model", "encoder"):
        (tmp_path / folder).mkdir()
    files = [tmp_path / "a.safetensors", tmp_path / "model" / "b.bin", tmp_path / "encoder" / "c.bin"]
    systems = (f"model:{files[0]}", f"translate:nowhere?order=last&system=seq2seq:{tmp_path / 'model'}?method=sled")
    seen = set()
    for file in (None, *files):
        if file:
            file.write_bytes(b"other")
        seen.add(Evaluate(None, systems, "reference", "provisions", f"onnx:{tmp_path / 'encoder'}", None).weights)
    assert len(seen) == 4
    rounded = Encode(None, "static", str(tmp_path / "cache"))
    assert rounded.weights != Encode(None, "static", None).weights
    assert pickle.loads(pickle.dumps(rounded)).__dict__["weights"] == rounded.weights


# --- Memory

_MEASURED = """
import resource, sys
sys.path.insert(0, {tests!r})
from test_corpus import LIMITS, Subset, Count, Inputs, LocalEngine, run
print(run(Count(None), Subset(Inputs(({path!r},))), {folder!r}, LocalEngine(2), LIMITS)["rows"])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_acts_of_a_shard(tmp_path: Path) -> None:
    """Acts of 40 MB, packed to next to nothing: one is held while it is parsed, and a few wait."""
    path = tmp_path / "a.jsonl.gz"
    with gzip.open(path, "wb", 1) as file:
        for _ in range(24):
            file.write(b'{"reference": "' + b"a" * 40_000_000 + b'"}\n')
    code = _MEASURED.format(tests=str(Path(__file__).parent), path=str(path), folder=str(tmp_path / "out"))
    for _ in range(2):  # the second time all is done already
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        rows, megabytes = map(int, done.stdout.split())
        assert rows == 24
        assert megabytes < 400, megabytes
