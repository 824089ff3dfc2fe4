"""Whole corpora, measured: throughput by engine and processes beside a plain loop, and memory as the corpus grows.

The acts are the English validation acts (throughput), and one-page acts made from the examples in 24 languages
(memory), so many of them as are asked for. Kills are counted by tests/integration/apps/test_corpus.py.
Usage: LEXLATTICE_DATA=… python benchmarks/corpus.py [--acts N] [--many N] [--ray]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path

from lexlattice.apps.bulk.inputs import Inputs
from lexlattice.apps.bulk.tasks import Summarize

EXAMPLES = Path(__file__).parent.parent / "examples" / "short"
FEW = 1000
SIZE = 20
"""Acts of a shard; those of the first are not counted."""


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Whole corpora, measured.")
    parser.add_argument("--acts", type=int, default=120, help="real acts for the throughput (default: %(default)s)")
    parser.add_argument("--many", type=int, default=100_000, help="little acts for the memory (default: %(default)s)")
    parser.add_argument("--ray", action="store_true", help="Ray too")
    options = parser.parse_args()
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md), and try again.")
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    with tempfile.TemporaryDirectory() as folder:
        throughput(Path(folder), options.acts, options.ray)
        memory(Path(folder), options.many)


def throughput(folder: Path, acts: int, ray: bool) -> None:
    """Acts a second: a plain loop first and last, since the machine's speed changes."""
    source = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en" / "validation.jsonl.gz"
    loop = plain(source, acts)
    found = {"1 process": run(folder, source, acts, 1), "2 processes": run(folder, source, acts, 2)}
    if ray:
        found |= {
            f"Ray, {jobs} actor{'s' if jobs > 1 else ''}": run(folder, source, acts, jobs, "--engine", "ray")
            for jobs in (1, 2)
        }
    loop = (loop + plain(source, acts)) / 2
    print(f"| {acts} real acts | acts/s | beside a plain loop |\n|---|---|---|\n| plain loop | {loop:.2f} | |")
    for name, rate in found.items():
        print(f"| {name} | {rate:.2f} | {rate / loop:.2f} × |")


def plain(source: Path, acts: int) -> float:
    """The library, called act by act in a process of its own, on the very acts that are counted of the command."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_plain, (source, acts))


def _plain(source: Path, acts: int) -> float:
    task = Summarize(None, "auto", None, "all")
    task.load()
    entries = list(islice(Inputs((str(source),)), SIZE + acts))
    for entry in entries[:SIZE]:
        task.row(entry)
    start = time.perf_counter()
    for entry in entries[SIZE:]:
        task.row(entry)
    return acts / (time.perf_counter() - start)


def run(folder: Path, source: Path, acts: int, jobs: int, *more: str) -> float:
    """The command; from its first shard to its last, so that starting processes is not counted."""
    target, log = folder / f"{jobs}{''.join(more)}", folder / f"{jobs}{''.join(more)}.log"
    call = [sys.executable, "-m", "lexlattice", "corpus", "summarize", str(source), "-o", str(target), "-j", str(jobs)]
    call += ["--limit", str(acts + SIZE), "--shard", str(SIZE), "--log", str(log), "--quiet", *more]
    subprocess.run(call, check=True, stderr=subprocess.DEVNULL)
    times: list[float] = [entry["after"] for entry in map(json.loads, log.open()) if entry["event"] == "shard"]
    return acts / (times[-1] - times[0])


def memory(folder: Path, many: int) -> None:
    """The largest that any process of a run became, for a thousand acts and for many."""
    print("| little acts | acts/s | largest process, MB | output, MB |\n|---|---|---|---|")
    for count in (FEW, many):
        path = folder / f"{count}.jsonl"
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in islice(little_acts(), count))
        target = folder / f"little-{count}"
        call = [sys.executable, "-m", "lexlattice", "corpus", "summarize", str(path), "-o", str(target), "-j", "2"]
        start = time.perf_counter()
        child = os.fork()
        if not child:
            os.execv(sys.executable, [*call, "--budget", "words:100", "--quiet"])
        _, status, used = os.wait4(child, 0)
        seconds = time.perf_counter() - start
        assert status == 0
        size = sum(part.stat().st_size for part in target.iterdir()) / 1e6
        print(f"| {count:,} | {count / seconds:.0f} | {peak(used):.0f} | {size:.0f} |", flush=True)


def peak(used: resource.struct_rusage) -> float:
    """Megabytes of the largest process: the command itself, or one that it waited for."""
    return used.ru_maxrss / 1000


def little_acts() -> Iterator[dict[str, str]]:
    """Acts of a few lines, in all languages in turn, no two the same."""
    texts = [path.read_text("utf-8") for path in sorted(EXAMPLES.glob("*.txt"))]
    for number, text in enumerate(cycle(texts)):
        head, _, rest = text.partition("\n")
        yield {"celex_id": f"3{number:07}", "reference": f"{head} {number}\n{rest[:500]}"}


if __name__ == "__main__":
    main()
