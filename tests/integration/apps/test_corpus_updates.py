"""Incremental bulk runs: the same command brings a finished folder up to date, whatever happens on the way."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_corpus import KILLS, LIMITS, Count, Plain, lines

from lexlattice.apps.bulk.inputs import Inputs
from lexlattice.apps.bulk.records import Record
from lexlattice.apps.bulk.run import Subset, run
from lexlattice.apps.bulk.tasks import Encode
from lexlattice.apps.cli import main
from lexlattice.errors import DataError

REMOVED = "__run__/removed.jsonl"


class Counting(Count):
    """Remembers which texts it was given."""

    def __init__(self) -> None:
        super().__init__(None)
        object.__setattr__(self, "seen", [])

    def row(self, record: Record) -> dict[str, Any]:
        self.__dict__["seen"].append(Path(record.source).name)
        return super().row(record)


def write(folder: Path, files: Mapping[str, str]) -> Subset:
    """Make a folder of these files, and of no others."""
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)
    return Subset(Inputs((str(folder),)))


def state(out: Path) -> dict[str, int]:
    rows = lines(out)
    found = {Path(row["source"]).name: row["letters"] for row in rows}
    assert len(found) == len(rows), "an act has two rows"
    return found


FILES = st.dictionaries(
    st.sampled_from([f"{letter}.txt" for letter in "abcdefgh"]), st.sampled_from(["a", "bb", "ccc"]), min_size=1
)


@settings(max_examples=30, suppress_health_check=list(HealthCheck), deadline=None)
@given(
    versions=st.lists(st.tuples(FILES, st.none() | st.integers(0, 9)), min_size=1, max_size=5), size=st.integers(1, 4)
)
def test_whatever_changes_and_stops_the_folder_ends_with_one_row_for_each_act(
    tmp_path_factory: pytest.TempPathFactory, versions: list[tuple[dict[str, str], int | None]], size: int
) -> None:
    place = tmp_path_factory.mktemp("update")
    had: set[str] = set()
    for files, after in versions:
        subset = write(place / "acts", files)
        try:
            run(Count(None), subset, place / "out", Plain(after), LIMITS, size=size)
            had |= set(files)
        except KeyboardInterrupt:
            had |= set(state(place / "out"))
        assert set(state(place / "out").items()) <= {(name, len(text)) for name, text in files.items()}
    task, last = Counting(), versions[-1][0]
    before = state(place / "out")
    manifest = run(task, write(place / "acts", last), place / "out", Plain(), LIMITS, size=size)
    assert state(place / "out") == {name: len(text) for name, text in last.items()}
    assert (manifest["rows"], manifest["finished"]) == (len(last), True)
    assert sorted(task.__dict__["seen"]) == sorted(set(last) - set(before)), "a row that was there is made again"
    removed = [Path(entry["source"]).name for entry in lines(place / "out", REMOVED)]
    assert set(removed) == had - set(last)


def test_only_changed_and_new_acts_are_processed_and_removed_ones_are_listed(tmp_path: Path) -> None:
    files = {f"m{number}.txt": "x" * (number + 1) for number in range(9)}
    run(Count(None), write(tmp_path / "acts", files), tmp_path / "out", Plain(), LIMITS, size=4)
    kept = (tmp_path / "out" / "shard-00002.jsonl").stat().st_mtime_ns
    changed = {"a.txt": "new, and before all others", **files, "m1.txt": "changed"}
    del changed["m4.txt"]
    task = Counting()
    manifest = run(task, write(tmp_path / "acts", changed), tmp_path / "out", Plain(), LIMITS, size=4)
    assert task.__dict__["seen"] == ["a.txt", "m1.txt"]
    assert state(tmp_path / "out") == {name: len(text) for name, text in changed.items()}
    (removed,) = lines(tmp_path / "out", REMOVED)
    assert (Path(removed["source"]).name, manifest["removed"]) == ("m4.txt", 1)
    assert (tmp_path / "out" / "shard-00002.jsonl").stat().st_mtime_ns == kept, "a shard without changes was written"
    run(Count(None), write(tmp_path / "acts", files), tmp_path / "out", Plain(), LIMITS, size=4)
    assert [Path(entry["source"]).name for entry in lines(tmp_path / "out", REMOVED)] == ["a.txt"]


def test_an_input_that_is_empty_by_mistake_removes_nothing(tmp_path: Path) -> None:
    run(Count(None), write(tmp_path / "acts", {"a.txt": "a"}), tmp_path / "out", Plain(), LIMITS)
    with pytest.raises(DataError):
        run(Count(None), write(tmp_path / "acts", {}), tmp_path / "out", Plain(), LIMITS)
    assert state(tmp_path / "out") == {"a.txt": 1}


def test_inputs_that_change_during_a_run_are_reported_and_the_next_run_is_right(tmp_path: Path) -> None:
    acts, out = tmp_path / "acts", tmp_path / "out"
    run(Count(None), write(acts, {"a.txt": "a"}), out, Plain(), LIMITS, size=1)
    subset = write(acts, {"a.txt": "a", "b.txt": "bb"})

    class Meddling(Plain):
        def run(self, *arguments: Any) -> Any:
            (acts / "a.txt").write_text("another")
            return super().run(*arguments)

    with pytest.raises(DataError):
        run(Count(None), subset, out, Meddling(), LIMITS, size=1)
    run(Count(None), subset, out, Plain(), LIMITS, size=1)
    assert state(out) == {"a.txt": 7, "b.txt": 2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_an_update_killed_at_random_moments_loses_and_duplicates_nothing(tmp_path: Path) -> None:
    draw = random.Random(3)
    names = [f"{number:02}.txt" for number in range(40)]
    files = dict.fromkeys(names, "x")
    killed = finished = 0
    while killed < KILLS // 4:
        for name in draw.sample(names, 6):  # some are changed, some removed, some come back
            files = {**files, name: "x" * draw.randint(1, 9)} if draw.random() < 0.7 else files
            files = {key: text for key, text in files.items() if key != name or draw.random() < 0.7}
        subset = write(tmp_path / "acts", files)
        child = os.fork()
        if not child:
            status = 1
            try:
                run(Count(None), subset, tmp_path / "out", Plain(), LIMITS, size=4)
                status = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(status)
        time.sleep(draw.uniform(0, 0.03))
        os.kill(child, signal.SIGKILL)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert ended in (0, -signal.SIGKILL), "a resumed run failed"
        killed += ended != 0
        finished += ended == 0
        if (tmp_path / "out").exists():
            state(tmp_path / "out")  # never two rows of an act, at any moment
    run(Count(None), write(tmp_path / "acts", files), tmp_path / "out", Plain(), LIMITS, size=4)
    assert state(tmp_path / "out") == {name: len(text) for name, text in files.items()}
    assert not list((tmp_path / "out").rglob("*.part")), "nothing half written is left"


def test_parquet_rows_survive_the_rewriting_of_their_shard(tmp_path: Path, examples: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    acts, out = tmp_path / "acts", tmp_path / "out"
    acts.mkdir()
    for name in ("en", "fr", "mt"):
        (acts / f"{name}.txt").write_bytes((examples / "short" / f"{name}.txt").read_bytes())
    call = ["corpus", "summarize", str(acts), "-o", str(out), "--format", "parquet", "--quiet", "-j", "1"]
    assert main(call) == 0
    before = {row["source"]: row for row in parquet.read_table(out).to_pylist()}
    (acts / "fr.txt").unlink()
    assert main(call) == 0
    after = {row["source"]: row for row in parquet.read_table(out).to_pylist()}
    assert after == {source: row for source, row in before.items() if not source.endswith("fr.txt")}


# --- Only acts from a day on


def act_of(day: str) -> str:
    return f"COMMISSION REGULATION (EU) 2020/1\nof {day}\non bees\n\nArticle 1\n\nBees are free.\n"


def test_acts_before_a_day_have_no_row_and_are_no_failures(tmp_path: Path) -> None:
    files = {"old.txt": act_of("3 May 2019"), "new.txt": act_of("4 May 2020"), "undated.txt": "Article 1\n\nBees.\n"}
    subset = write(tmp_path / "acts", files)
    for _ in range(2):
        task = Encode("en", "static", None, since="2020-05-04")
        manifest = run(task, subset, tmp_path / "out", Plain(), LIMITS)
        assert [Path(row["source"]).name for row in lines(tmp_path / "out")] == ["new.txt", "undated.txt"]
        assert [row["date"] for row in lines(tmp_path / "out")] == ["2020-05-04", None]
        assert (manifest["early"], manifest["dead"]) == (1, 0)


def test_acts_that_are_too_old_by_their_number_are_not_fetched() -> None:
    task = Encode(None, "static", None, since="2020-05-04")
    assert task.row(Record("31995L0046", address="31995L0046")) is None
