"""Benchmark of bulk runs: throughput by engine and number of processes, and memory as the corpus grows.

Throughput is measured on the English validation acts and compared with a plain loop, by the CPU time of all processes
(on Linux), which other programs on the machine change less than the wall time; memory on N one-page acts made from the
examples in 24 languages, unless N is 0. That kills lose nothing is tested in tests/integration/apps/test_corpus.py.
Usage: LEXLATTICE_DATA=… python benchmarks/corpus.py [--acts N] [--many N] [--ray]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from lexlattice.apps.bulk.inputs import Inputs
from lexlattice.apps.bulk.tasks import Summarize

EXAMPLES = Path(__file__).parent.parent / "examples" / "short"
FEW = 1000
SIZE = 20
"""Acts of a shard; those of the first shard are not timed."""
PR_SET_CHILD_SUBREAPER = 36
"""Of Linux."""


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Benchmark of bulk runs.")
    parser.add_argument("--acts", type=int, default=120, help="real acts for the throughput (default: %(default)s)")
    parser.add_argument("--many", type=int, default=100_000, help="small acts for the memory (default: %(default)s)")
    parser.add_argument("--ray", action="store_true", help="also measure Ray")
    options = parser.parse_args()
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    with tempfile.TemporaryDirectory() as folder:
        throughput(Path(folder), options.acts, options.ray)
        if options.many:
            memory(Path(folder), options.many)


def throughput(folder: Path, acts: int, ray: bool) -> None:
    """Print the rates. The plain loop runs first and last, since the speed of the machine drifts."""
    source = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en" / "validation.jsonl.gz"
    loops = [plain(source, acts)]
    found = {"1 process": run(folder, source, acts, 1), "2 processes": run(folder, source, acts, 2)}
    if ray:
        found |= {
            f"Ray, {jobs} actor{'s' if jobs > 1 else ''}": run(folder, source, acts, jobs, "--engine", "ray")
            for jobs in (1, 2)
        }
    loops.append(plain(source, acts))
    loop = Usage(sum(usage.seconds for usage in loops) / 2, sum(usage.cpu for usage in loops) / 2)
    print(
        f"| {acts} real acts | acts/s | CPU ms per act | acts/s per core | relative to a plain loop | CPU s to start |"
    )
    print("|---|---|---|---|---|---|")
    for name, usage in {"plain loop": loop, **found}.items():
        print(
            f"| {name} | {acts / usage.seconds:.1f} | {1000 * usage.cpu / acts:.1f} | {acts / usage.cpu:.1f} "
            f"| {loop.cpu / usage.cpu:.2f} × | {usage.start:.1f} |"
        )


class Usage(NamedTuple):
    """What all processes of a run used together."""

    seconds: float
    """Wall time, which depends on what else the machine does."""
    cpu: float
    """CPU time, from the first shard to the last: acts divided by it are what a core does in a second."""
    start: float = 0
    """CPU time up to the first shard."""


def plain(source: Path, acts: int) -> Usage:
    """Return what the library uses, called in a loop in a new process on the acts the command is timed on."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_plain, (source, acts))


def _plain(source: Path, acts: int) -> Usage:
    task = Summarize(None, model=None, budget="medium", focus="all")
    task.load()
    records = list(islice(Inputs((str(source),)), SIZE + acts))
    for record in records[:SIZE]:
        task.row(record)
    start, cpu = time.perf_counter(), time.process_time()
    for record in records[SIZE:]:
        task.row(record)
    return Usage(time.perf_counter() - start, time.process_time() - cpu)


def run(folder: Path, source: Path, acts: int, jobs: int, *more: str) -> Usage:
    """Return what the command and all its processes use between its first and last shard."""
    target, log = folder / f"{jobs}{''.join(more)}", folder / f"{jobs}{''.join(more)}.log"
    call = [sys.executable, "-m", "lexlattice", "corpus", "summarize", str(source), "-o", str(target), "-j", str(jobs)]
    call += ["--limit", str(acts + SIZE), "--shard", str(SIZE), "--log", str(log), "--quiet", *more]
    become_reaper()
    process = subprocess.Popen(call, stderr=subprocess.DEVNULL)
    used: dict[int, float] = {}
    at_shards: list[float] = []
    while process.poll() is None:
        used |= cpu_of_descendants()
        shards = log.read_text().count('"event": "shard"') if log.exists() else 0
        at_shards += [sum(used.values())] * (shards - len(at_shards))
        time.sleep(0.02)
    assert process.returncode == 0
    times = [entry["after"] for entry in map(json.loads, log.open()) if entry["event"] == "shard"]
    # the command may have ended before the last shard was seen here
    at_shards += [sum(used.values())] * (len(times) - len(at_shards))
    return Usage(times[-1] - times[0], at_shards[-1] - at_shards[0], at_shards[0])


def become_reaper() -> None:
    """Let processes whose parent ended become children of this one, as those of Ray do, so that they are found."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def cpu_of_descendants() -> dict[int, float]:
    """Return the CPU seconds of every process below this one, by process id."""
    parents, seconds = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rpartition(")")[2].split()  # the name before it may contain anything
            number = int(path.parent.name)
            parents[number] = int(fields[1])
            seconds[number] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    found: dict[int, float] = {}
    level = {os.getpid()}
    while level:
        level = {number for number, parent in parents.items() if parent in level}
        found |= {number: seconds[number] for number in level}
    return found


def memory(folder: Path, many: int) -> None:
    """Print the peak memory of the largest process of a run, for a thousand acts and for many."""
    print("| small acts | acts/s | largest process, MB | output, MB |\n|---|---|---|---|")
    for count in (FEW, many):
        path = folder / f"{count}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in islice(small_acts(), count))
        target = folder / f"small-{count}"
        call = [sys.executable, "-m", "lexlattice", "corpus", "summarize", str(path), "-o", str(target), "-j", "2"]
        start = time.perf_counter()
        child = os.fork()
        if not child:
            os.execv(sys.executable, [*call, "--words", "100", "--quiet"])
        _, status, used = os.wait4(child, 0)
        seconds = time.perf_counter() - start
        assert status == 0
        size = sum(part.stat().st_size for part in target.iterdir()) / 1e6
        print(f"| {count:,} | {count / seconds:.0f} | {peak(used):.0f} | {size:.0f} |", flush=True)


def peak(used: resource.struct_rusage) -> float:
    """Return the peak memory in MB of the command or one of its children, whichever is larger."""
    return used.ru_maxrss / 1000


def small_acts() -> Iterator[dict[str, str]]:
    """Yield acts of a few lines, in all languages in turn, no two alike."""
    texts = [path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.txt"))]
    for number, text in enumerate(cycle(texts)):
        head, _, rest = text.partition("\n")
        yield {"celex_id": f"3{number:07}", "reference": f"{head} {number}\n{rest[:500]}"}


if __name__ == "__main__":
    main()
