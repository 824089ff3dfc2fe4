"""CPU time with the default environment and with one thread, for bulk runs and trainings; and what callers notice.

Usage: LEXLATTICE_DATA=… python benchmarks/threads.py [bulk training commands service caller] [--busy]
Without names, everything is measured. The default environment leaves the number of threads to the numerical libraries,
which start one for each core; the other one has OMP_NUM_THREADS=1. What the first takes beyond the second is threads
that wait. With --busy, twice as many processes as there are cores compute meanwhile. CPU time is that of all processes
of a command, without those.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
DEFAULT = {name: value for name, value in os.environ.items() if name not in VARIABLES}
ONE = DEFAULT | dict.fromkeys(VARIABLES, "1")
THREADS = os.cpu_count() or 1
CONFIG = Path(__file__).parent.parent / "src" / "lexlattice" / "training" / "configs" / "paper-static.toml"
ACTS = 46
PROCESSES = (1, 2, 8)
SIDE = 1024
"""Rows and columns of the matrices that a caller multiplies."""
SECONDS = 2.0
TURNS = 3
REQUESTS = 30
SPIN = "import os, time\nwhile os.getppid() != 1: sum(range(10000))"


def cpu(call: list[str], environment: dict[str, str]) -> float:
    """Seconds of CPU time of a command and of all processes that it starts."""
    before = os.times()
    subprocess.run(call, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def compared(what: str, call: list[str], folder: Path | None) -> None:
    """Print the CPU time of a command in both environments, in turns: one, default, default, one.

    With a folder, each run writes its output there.
    """
    spent: dict[bool, float] = {True: 0.0, False: 0.0}
    for number, is_default in enumerate((False, True, True, False)):
        output = [] if folder is None else ["-o", str(folder / f"{what}-{number}".replace(" ", "-"))]
        spent[is_default] += cpu([*call, *output], DEFAULT if is_default else ONE) / 2
    print(f"| {what} | {spent[True]:.1f} s | {spent[False]:.1f} s | {spent[True] / spent[False]:.2f} × |", flush=True)


def bulk(data: Path, folder: Path) -> None:
    """Summaries of acts in 1, 2 and 8 worker processes."""
    source = str(data / "eur-lex-sum" / "en" / "validation.jsonl.gz")
    for jobs in PROCESSES:
        call = [sys.executable, "-m", "lexlattice", "corpus", "summarize", source, "-j", str(jobs)]
        compared(f"{ACTS} acts, {jobs} worker processes", [*call, "--limit", str(ACTS), "--quiet"], folder)


def training(data: Path, folder: Path) -> None:
    """The paper's model over the embedded encoder, trained on bills; prepared before, so that training alone counts."""
    lexlattice, prepared = [sys.executable, "-m", "lexlattice"], str(folder / "prepared")
    prepare = [*lexlattice, "prepare", str(data / "other" / "billsum-100.jsonl.gz"), "--config", str(CONFIG)]
    prepare += ["--hierarchy", "us-bill", "--fields", "reference=text,celex_id=bill_id", "--quiet", "-o", prepared]
    subprocess.run(prepare, env=ONE, check=True)
    call = [*lexlattice, "train", "--config", str(CONFIG), "--data", prepared, "--stage", "warm-start", "--quiet"]
    compared("training on 100 bills", call, folder)
    compared(f"… with --threads {THREADS}", [*call, "--threads", str(THREADS)], folder)


def commands(data: Path, folder: Path) -> None:
    """Evaluation and preparation in two worker processes."""
    lexlattice, rows = [sys.executable, "-m", "lexlattice"], str(data / "eur-lex-sum" / "en" / "validation.jsonl.gz")
    few = ["--limit", str(ACTS), "-j", "2", "--quiet"]
    compared(f"`evaluate` on {ACTS} acts", [*lexlattice, "evaluate", rows, "--system", "lexlattice", *few], None)
    compared(f"`prepare` of {ACTS} acts", [*lexlattice, "prepare", rows, "--config", str(CONFIG), *few], folder)


def service(data: Path, folder: Path) -> None:
    """The service with two workers, its start included; each request has an act of its own."""
    del folder
    compared(f"`serve`, {REQUESTS} requests", [sys.executable, __file__, "_service", str(data)], None)


def measure_service(data: Path) -> None:
    """Send requests to a service, one after the other, and end it."""
    import httpx

    from lexlattice.evaluation.rows import Row, Rows
    from load import service

    rows = Rows(data / "eur-lex-sum" / "en" / "validation.jsonl.gz")
    texts = [row.text for row in islice(rows, REQUESTS) if isinstance(row, Row)]
    with service(2) as (address, _), httpx.Client(base_url=address, timeout=120, trust_env=False) as client:
        for text in texts:
            client.post("/v1/summaries", files={"file": ("act", text.encode())}).raise_for_status()


def caller(data: Path, folder: Path) -> None:
    """Matrix products in a thread of the caller: alone, beside a thread that only runs Python, and beside summaries.

    The limit of one thread holds for the whole process while an act is encoded and scored, so the caller's products
    take longer for that time, beside what they lose because Python runs one thread at a time.
    """
    del data, folder
    script = [sys.executable, __file__, "_caller"]
    print(subprocess.run(script, env=DEFAULT, check=True, capture_output=True, text=True).stdout, end="", flush=True)


def measure_caller() -> None:
    """Print products per second and threads in use, in this process, which has the default threads."""
    import numpy as np
    from threadpoolctl import threadpool_info

    from lexlattice import read, summarize

    example = Path(__file__).parent.parent / "examples" / "long" / "en.txt"
    act = read(example)
    summarize(act)
    matrix = np.ones((SIDE, SIDE), np.float32)

    def products() -> float:
        """Products per second."""
        count, start = 0, time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            matrix @ matrix
            count += 1
        return count / (time.perf_counter() - start)

    def pool() -> str:
        return ", ".join(str(entry["num_threads"]) for entry in threadpool_info())

    def beside(work: Callable[[], object]) -> float:
        """Products per second while another thread works."""
        is_over = threading.Event()

        def working() -> None:
            while not is_over.is_set():
                work()

        other = threading.Thread(target=working)
        other.start()
        count = products()
        is_over.set()
        other.join()
        return count

    before = pool()
    # In turns, and the most of each: others may share the machine.
    runs = [(products(), beside(lambda: sum(range(10_000))), beside(lambda: summarize(example))) for _ in range(TURNS)]
    alone, python, summaries = map(max, zip(*runs, strict=True))
    print(f"| products of {SIDE} × {SIDE} per second, with the default threads | {alone:.0f} | |")
    print(f"| … while another thread runs Python code only | {python:.0f} | |")
    print(f"| … while another thread summarizes | {summaries:.0f} | |")
    print(f"| … threads of the caller's pools before and after | {before} and {pool()} | |")


@contextmanager
def busy() -> Iterator[None]:
    """Keep all cores busy with other processes."""
    others = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(2 * THREADS)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


PARTS = {"bulk": bulk, "training": training, "commands": commands, "service": service, "caller": caller}


def main() -> None:
    """Measure the parts that are named, or all."""
    if sys.argv[1:] == ["_caller"]:
        measure_caller()
        return
    if sys.argv[1:2] == ["_service"]:
        measure_service(Path(sys.argv[2]))
        return
    parser = argparse.ArgumentParser(description="Threads of numerical libraries.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--busy", action="store_true", help="keep all cores busy meanwhile")
    options = parser.parse_args()
    if unknown := [name for name in options.parts if name not in PARTS]:
        sys.exit(f"There is no part '{unknown[0]}'; choose among: {', '.join(PARTS)}.")
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    load = os.getloadavg()[0]
    print(f"{THREADS} cores, load {load:.1f} before{', kept busy' if options.busy else ''}\n")
    print("| CPU time | default environment | one thread | ratio |\n|---|---|---|---|")
    for name in options.parts or PARTS:
        with tempfile.TemporaryDirectory() as folder, busy() if options.busy else nullcontext():
            PARTS[name](Path(os.environ["LEXLATTICE_DATA"]), Path(folder))


if __name__ == "__main__":
    main()
