"""Bulk runs on a disk that fails: at every single operation, and with every loss that a power failure allows."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from test_corpus import LIMITS, Count, Plain, lines
from test_corpus_updates import REMOVED, write

from helpers.disk import DeadError, Disk, Fault, after_power_failure
from lexlattice.apps.bulk.records import Record
from lexlattice.apps.bulk.run import run
from lexlattice.errors import OutputError, ReadingError

SAMPLES = int(os.environ.get("LEXLATTICE_KILLS", "200")) // 200
"""How many outcomes of a power failure are tried after each operation."""
BEFORE = {"a.txt": "a", "b.txt": "bb", "c.txt": "", "d.txt": "dddd", "e.txt": "e", "f.txt": "ff"}
FILES = {
    "new": BEFORE,
    # The first of three shards keeps a part, the others are replaced.
    "changed": {"b.txt": "bb", "c.txt": "now with text", "d.txt": "changed", "g.txt": "g"},
    # The last two go, and one comes.
    "fewer": {"a.txt": "a", "b.txt": "bb", "e.txt": "changed"},
    "removed": {"a.txt": "a", "b.txt": "bb"},
    "only a failure left in a shard": {name: text for name, text in BEFORE.items() if name != "d.txt"},
}
"""What is in the folder of inputs when the run is disturbed; except for the first, `BEFORE` was processed already."""
FAULTS = {
    "full disk": partial(Fault, error=errno.ENOSPC, is_short=True, lasts=True),
    "broken disk": partial(Fault, error=errno.EIO),
    "killed": partial(Fault, is_short=True),
    "full disk, once": partial(Fault, error=errno.ENOSPC),
    "quota": partial(Fault, error=errno.EDQUOT, is_short=True, lasts=True),
    "killed before it began": partial(Fault),
}
CASES = [(name, kind, format) for name in FILES for kind in FAULTS for format in ("jsonl", "parquet")]
COMMON = [("new", "broken disk", "jsonl"), ("changed", "full disk", "jsonl"), ("changed", "killed", "jsonl")]


DISK, OUT = Path("disk"), Path("disk", "build", "out")


class Strict(Count):
    """A text without letters is a failure."""

    def row(self, record: Record) -> dict[str, Any]:
        if not record.content:
            raise ReadingError("There is no text.")
        return super().row(record)


def go(place: Path, files: dict[str, str], disk: Disk | None = None, format: str = "jsonl") -> dict[str, Any]:
    """Bring the output up to date; the disk that is watched is below `DISK`, and the acts are on another."""
    (place / DISK).mkdir(exist_ok=True, parents=True)
    subset = write(place.parent / "acts", files)
    with (disk or Disk(place / DISK)).installed():
        return run(Strict(None), subset, place / OUT, Plain(), LIMITS, size=2, format=format)


def prepared(place: Path, name: str, format: str = "jsonl") -> Path:
    """Make the folder as it is before the run that is disturbed."""
    (place / DISK).mkdir(parents=True)
    if name != "new":
        go(place, BEFORE, format=format)
    return place


def rows(out: Path, format: str) -> list[tuple[str, int]]:
    if format == "jsonl":
        found = lines(out)
    else:
        import pyarrow.parquet as parquet

        found = [row for path in sorted(out.glob("*.parquet")) for row in parquet.read_table(path).to_pylist()]
    return sorted((Path(row["source"]).name, row["letters"]) for row in found)


def check_whole(place: Path, files: dict[str, str], format: str = "jsonl", removed: set[str] | None = None) -> None:
    """The output is as if nothing had ever happened."""
    out = place / OUT
    assert rows(out, format) == sorted((name, len(text)) for name, text in files.items() if text)
    dead = [Path(letter["source"]).name for letter in lines(out, "__run__/dead-letters.jsonl")]
    assert dead == [name for name, text in files.items() if not text]
    manifest = json.loads((out / "__run__" / "manifest.json").read_bytes())
    assert manifest["finished"] and manifest["rows"] + manifest["dead"] == len(files)
    if removed is not None:
        assert {Path(entry["source"]).name for entry in lines(out, REMOVED)} == removed
    assert not list(out.rglob("*.part")), "something half written is left"


@pytest.mark.parametrize(
    ("name", "kind", "format"),
    [pytest.param(*case, marks=[] if case in COMMON else [pytest.mark.slow]) for case in CASES],
)
def test_whichever_operation_fails_the_run_says_so_and_the_next_one_ends_it(
    tmp_path: Path, name: str, kind: str, format: str
) -> None:
    pytest.importorskip("pyarrow")
    start, files = prepared(tmp_path / "start", name, format), FILES[name]
    number, is_over = 0, False
    while not is_over:
        number += 1
        place = tmp_path / "now"
        shutil.copytree(start, place)
        disk = Disk(place / DISK, FAULTS[kind](number))
        try:
            go(place, files, disk, format)
            is_over = not disk.has_failed
        except OutputError as error:
            assert str(error).count("\n") == 0
        except DeadError:
            pass
        go(place, files, format=format)
        check_whole(place, files, format, set(BEFORE) - set(files))
        shutil.rmtree(place)
    assert number > 30


@pytest.mark.parametrize("name", FILES)
def test_after_a_power_failure_at_any_moment_nothing_is_lost_or_twice(tmp_path: Path, name: str) -> None:
    start, files, place = prepared(tmp_path / "start", name), FILES[name], tmp_path / "now"
    shutil.copytree(start, place)
    disk = Disk(place / DISK)
    go(place, files, disk)
    shutil.rmtree(place)
    draw = random.Random(7)
    for number in range(len(disk.steps) + 1):
        for _ in range(SAMPLES + 4 * (number == len(disk.steps))):
            share = draw.choice((0.0, draw.random()))  # in half of them as much is lost as possible
            place.mkdir()
            after_power_failure(disk.steps[:number], place / DISK, start / DISK, place / DISK, draw, share)
            found = [source for source, _ in rows(place / OUT, "jsonl")]
            assert len(found) == len(set(found)), "an act has two rows"
            if number == len(disk.steps):  # the command had ended, so all that it promised is there
                check_whole(place, files, removed=set(BEFORE) - set(files))
            go(place, files)
            check_whole(place, files)
            shutil.rmtree(place)
