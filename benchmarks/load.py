"""Load test of the service: throughput, latency, refusals and memory.

Usage: [LEXLATTICE_DATA=…] python benchmarks/load.py [--seconds N] [--requests N] [--workers N] [--max-seconds N]
The service runs in a separate process on loopback, and all clients in this one; they share the cores of the machine.
Each row takes `--seconds`. Its processor time is that of the service for each response, which other work on the machine
changes little. Memory is measured over `--requests` requests with a short act, for at most `--max-seconds`.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import os
import platform
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx

from lexlattice.evaluation.rows import Row, Rows

EXAMPLES = Path(__file__).parent.parent / "examples"
ACT_WORDS = 13_000
CLIENTS = (1, 8, 64)
OVERLOAD = 200
QUEUE = 64
MEMORY_SAMPLES = 10


class Run(NamedTuple):
    """The result of a number of clients that send requests one after the other."""

    clients: int
    seconds: float
    latencies: list[float]
    """Seconds of each successful request."""
    codes: Counter[int]

    def line(self, processor_seconds: float) -> str:
        """Return the row of the table, with the processor time that the service took for it."""
        latencies = sorted(self.latencies)
        p50, p99 = latencies[len(latencies) // 2], latencies[int(0.99 * (len(latencies) - 1))]
        others = ", ".join(f"{count:,} × {code}" for code, count in sorted(self.codes.items()) if code != 200)
        throughput = len(latencies) / self.seconds
        per_response = 1000 * processor_seconds / len(latencies)
        cells = (self.clients, f"{throughput:.1f}", f"{1000 * p50:.0f} ms", f"{1000 * p99:.0f} ms")
        return f"| {' | '.join(map(str, cells))} | {per_response:.1f} ms | {others or 'none'} |"


def typical_act() -> bytes:
    """Return the English validation act closest to 13,000 words; without the data folder, an example of that length."""
    if folder := os.environ.get("LEXLATTICE_DATA"):
        rows = Rows(Path(folder) / "eur-lex-sum" / "en" / "validation.jsonl.gz")
        return min(
            (row.text for row in rows if isinstance(row, Row)), key=lambda text: abs(len(text.split()) - ACT_WORDS)
        ).encode()
    words = 2 * re.findall(r"\S+\s*", (EXAMPLES / "long" / "en.txt").read_text("utf-8"))
    return "".join(words[:ACT_WORDS]).encode()


@contextmanager
def service(workers: int) -> Iterator[tuple[str, int]]:
    """Start the service, and yield its address and process id."""
    command = [sys.executable, "-m", "lexlattice", "serve", "--no-open", "--no-fetch", "--port", "0"]
    command += ["--workers", str(workers), "--queue", str(QUEUE)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = re.search(r"http://\S+", process.stderr.readline())
        assert address is not None, "the service did not start"
        try:
            yield address[0], process.pid
        finally:
            process.terminate()


async def run_clients(address: str, act: bytes, clients: int, seconds: float, limit: int | None = None) -> Run:
    """Run clients that send one request after the other, for some seconds or until `limit` requests were sent."""
    latencies: list[float] = []
    codes: Counter[int] = Counter()
    start = time.perf_counter()
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits, trust_env=False) as client:
        body, kind = await _encoded(client, act)

        async def one() -> None:
            while time.perf_counter() - start < seconds and (limit is None or codes.total() < limit):
                start_of_request = time.perf_counter()
                try:
                    response = await client.post("/v1/summaries", content=body, headers={"Content-Type": kind})
                    code = response.status_code
                except httpx.TransportError:
                    code = 0  # no response, which must never happen
                codes[code] += 1
                if code == 200:
                    latencies.append(time.perf_counter() - start_of_request)
                else:
                    await asyncio.sleep(0.2)  # clients back off when they are refused

        await asyncio.gather(*(one() for _ in range(clients)))
    return Run(clients, time.perf_counter() - start, latencies, codes)


async def _encoded(client: httpx.AsyncClient, act: bytes) -> tuple[bytes, str]:
    """Encode the form once, so that clients need little time."""
    request = client.build_request("POST", "/", files={"file": ("act", act)}, data={"words": "400"})
    return await request.aread(), request.headers["Content-Type"]


def processes(process: int) -> list[int]:
    """Return a process and all that it has started and that still run, on Linux."""
    found = [process]
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # a thread has ended meanwhile
            found += [one for child in children.read_text().split() for one in processes(int(child))]
    return found


def megabytes(process: int) -> float:
    """Return the proportional memory (PSS) of a process and its children."""
    files = (Path(f"/proc/{one}/smaps_rollup").read_text() for one in processes(process))
    return sum(int(pss[1]) / 1000 for text in files if (pss := re.search(r"^Pss:\s+(\d+)", text, re.M)))


def processor_seconds(process: int) -> float:
    """Return the processor time that a process and its children have taken so far; it is known on Linux only."""
    if sys.platform != "linux":
        return math.nan
    fields = (Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split() for one in processes(process))
    return sum(int(times[11]) + int(times[12]) for times in fields) / os.sysconf("SC_CLK_TCK")


def memory_over_requests(address: str, process: int, requests: int, max_seconds: float) -> str:
    """Return samples of the memory over many requests."""
    act = (EXAMPLES / "short" / "en.txt").read_bytes()
    asyncio.run(run_clients(address, act, 8, max_seconds, 200))
    samples, done, start = [megabytes(process)], 0, time.perf_counter()
    while done < requests and (left := max_seconds - (time.perf_counter() - start)) > 0:
        run = asyncio.run(run_clients(address, act, 8, left, requests // MEMORY_SAMPLES))
        done += len(run.latencies)
        samples.append(megabytes(process))
    return f"Memory over {done:,} requests with a short act, in MB: {', '.join(f'{sample:.0f}' for sample in samples)}."


def main() -> None:
    """Print the table and the memory samples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--max-seconds", type=float, default=240.0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    act = typical_act()
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, shared with the clients;")
    print(f"{options.workers} workers, queue of {QUEUE}; an act of {len(act.split()):,} words.\n")
    print(
        "| clients | responses per second | p50 | p99 | processor time | other responses |\n|---|---|---|---|---|---|"
    )
    with service(options.workers) as (address, process):
        asyncio.run(run_clients(address, act, options.workers, 2.0))
        for clients in (*CLIENTS, OVERLOAD):
            before = processor_seconds(process)
            run = asyncio.run(run_clients(address, act, clients, options.seconds))
            print(run.line(processor_seconds(process) - before), flush=True)
        if sys.platform == "linux":
            print(f"\nLoad average of the machine: {os.getloadavg()[0]:.1f}.")
            print("\n" + memory_over_requests(address, process, options.requests, options.max_seconds))


if __name__ == "__main__":
    main()
