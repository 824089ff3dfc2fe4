"""No worker process survives its command, however and whenever that ends; and none that is stopped lasts for ever."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import uuid
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from test_corpus import corpus, lines

from helpers.acts import little_rows, write_rows
from helpers.timing import wait_until
from helpers.tiny_task import Letters
from lexlattice._internal.worker import JobTimeoutError
from lexlattice.apps.bulk.engines import Limits, LocalEngine
from lexlattice.apps.bulk.run import run

KILLS = int(os.environ.get("LEXLATTICE_KILLS", "200")) // 100
"""How often the command is killed alone, without its workers."""
pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="only where processes can be listed")


def marked(mark: str) -> list[int]:
    """All processes that have inherited a mark in their environment; zombies have none."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (path / "environ").read_bytes():
                found.append(int(path.name))
    return found


def is_stuck(process: int) -> bool:
    """Whether a process is stopped, or a worker that has computed for a while."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        seconds = int(fields[11]) / os.sysconf("SC_CLK_TCK")
        is_worker = b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
        return fields[0] == "T" or (is_worker and seconds > 4)
    return False


def has_started(process: subprocess.Popen[bytes], mark: str, most: int) -> bool:
    """Whether a command has so many processes, or is done already."""
    return process.poll() is not None or len(marked(mark)) >= most


def test_workers_end_with_a_command_that_is_killed_at_any_moment(tmp_path: Path) -> None:
    data, draw, mark, most = write_rows(tmp_path / "rows.jsonl", little_rows(24)), random.Random(5), uuid.uuid4().hex, 0
    for number in range(KILLS):
        call = [sys.executable, "-m", "lexlattice", "corpus", "score", str(data), "-o", str(tmp_path / str(number))]
        process = subprocess.Popen([*call, "-j", "2", "--quiet"], env={**os.environ, "MARK": mark})
        wait_until(partial(has_started, process, mark, draw.randint(2, 4)))
        time.sleep(draw.uniform(0, 0.6))
        most = max(most, len(marked(mark)))
        process.kill()
        process.wait()
        wait_until(lambda: not marked(mark), 20)
    assert most > 2, "there were no workers yet, in any of the turns"


def test_a_worker_that_is_stopped_is_ended_by_its_limit(tmp_path: Path) -> None:
    subset = corpus(tmp_path / "a.jsonl", ["a", "stops", "bb"])
    run(Letters(None), subset, tmp_path / "out", LocalEngine(1), Limits(2, 2_000_000_000))
    assert [row["letters"] for row in lines(tmp_path / "out")] == [1, 2]
    (letter,) = lines(tmp_path / "out", "__run__/dead-letters.jsonl")
    assert letter["reason"] == str(JobTimeoutError(2))


_RUN = """
import sys
from pathlib import Path
from test_corpus import LIMITS, corpus
from helpers.tiny_task import Letters
from lexlattice.apps.bulk.engines import LocalEngine
from lexlattice.apps.bulk.run import run
place = Path(sys.argv[1])
run(Letters(None), corpus(place / "a.jsonl", [sys.argv[2]]), place / "out", LocalEngine(1), LIMITS)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux kills processes with their parent")
@pytest.mark.parametrize("text", ["stops", pytest.param("locks", marks=pytest.mark.slow)])
def test_a_worker_that_hangs_does_not_survive_a_command_that_is_killed(tmp_path: Path, text: str) -> None:
    """Be it stopped, or computing without letting go of Python's lock, so that none of its other threads runs."""
    mark = uuid.uuid4().hex
    environment = {**os.environ, "MARK": mark, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    process = subprocess.Popen([sys.executable, "-c", _RUN, str(tmp_path), text], env=environment)
    wait_until(lambda: any(is_stuck(one) for one in marked(mark)))
    process.kill()
    process.wait()
    wait_until(lambda: not marked(mark), 20)
