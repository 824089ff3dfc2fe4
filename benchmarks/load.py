"""How much the service bears on this machine: throughput, waiting, what it refuses, and its memory.

Usage: [LEXLATTICE_DATA=…] python benchmarks/load.py [--seconds N] [--requests N] [--workers N]
It is a process of its own on loopback, and so are none of the clients: they share this one, so that the machine's cores
are shared between all. Each figure takes so many seconds; memory is looked at over so many requests with a short act,
or for `--longest` seconds if that is sooner.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx

from lexlattice.evaluation.rows import Row, Rows

EXAMPLES = Path(__file__).parent.parent / "examples"
MIDDLING = 13_000
CLIENTS = (1, 8, 64)
CROWD = 200
QUEUE = 64
LOOKS = 10
"""How often memory is looked at."""


class Run(NamedTuple):
    """What came of so many clients asking as fast as they were answered."""

    clients: int
    seconds: float
    waits: list[float]
    """Of those that were answered."""
    codes: Counter[int]

    def line(self) -> str:
        """Of the table."""
        waits = sorted(self.waits)
        median, most = waits[len(waits) // 2], waits[int(0.99 * (len(waits) - 1))]
        others = ", ".join(f"{count:,} × {code}" for code, count in sorted(self.codes.items()) if code != 200)
        speed = len(waits) / self.seconds
        return f"| {self.clients} | {speed:.1f} | {1000 * median:.0f} ms | {1000 * most:.0f} ms | {others or 'none'} |"


def middling_act() -> bytes:
    """The English validation act closest to 13,000 words; without the data folder, an example that is made so long."""
    if folder := os.environ.get("LEXLATTICE_DATA"):
        rows = Rows(Path(folder) / "eur-lex-sum" / "en" / "validation.jsonl.gz")
        return min(
            (row.text for row in rows if isinstance(row, Row)), key=lambda text: abs(len(text.split()) - MIDDLING)
        ).encode()
    words = 2 * re.findall(r"\S+\s*", (EXAMPLES / "long" / "en.txt").read_text("utf-8"))
    return "".join(words[:MIDDLING]).encode()


@contextmanager
def service(workers: int) -> Iterator[tuple[str, int]]:
    """Its address, and the number of its process."""
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


async def ask(address: str, act: bytes, clients: int, seconds: float, most: int | None = None) -> Run:
    """So many clients, each asking again as soon as it was answered; for so long, or until so many were sent."""
    waits: list[float] = []
    codes: Counter[int] = Counter()
    start = time.perf_counter()
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits, trust_env=False) as client:
        body, kind = await _encoded(client, act)

        async def one() -> None:
            while time.perf_counter() - start < seconds and (most is None or codes.total() < most):
                begun = time.perf_counter()
                try:
                    answer = await client.post("/v1/summaries", content=body, headers={"Content-Type": kind})
                    code = answer.status_code
                except httpx.TransportError:
                    code = 0  # no answer at all, which is never to be
                codes[code] += 1
                if code == 200:
                    waits.append(time.perf_counter() - begun)
                else:
                    await asyncio.sleep(0.2)  # as one who is told to come back later

        await asyncio.gather(*(one() for _ in range(clients)))
    return Run(clients, time.perf_counter() - start, waits, codes)


async def _encoded(client: httpx.AsyncClient, act: bytes) -> tuple[bytes, str]:
    """The form is written once, so that clients cost little."""
    request = client.build_request("POST", "/", files={"file": ("act", act)}, data={"words": "400"})
    return await request.aread(), request.headers["Content-Type"]


def megabytes(process: int) -> float:
    """Of a process and those it started, as far as it is theirs alone."""
    found = [
        child for task in Path(f"/proc/{process}/task").iterdir() for child in (task / "children").read_text().split()
    ]
    own = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.M)
    return (int(own[1]) / 1000 if own else 0.0) + sum(megabytes(int(child)) for child in found)


def over_many_requests(address: str, process: int, requests: int, longest: float) -> str:
    """Memory at the beginning, in between and at the end."""
    act = (EXAMPLES / "short" / "en.txt").read_bytes()
    asyncio.run(ask(address, act, 8, longest, 200))
    looks, done, start = [megabytes(process)], 0, time.perf_counter()
    while done < requests and (left := longest - (time.perf_counter() - start)) > 0:
        run = asyncio.run(ask(address, act, 8, left, requests // LOOKS))
        done += len(run.waits)
        looks.append(megabytes(process))
    return f"Memory over {done:,} requests with a short act, in MB: {', '.join(f'{look:.0f}' for look in looks)}."


def main() -> None:
    """Measure everything, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--longest", type=float, default=240.0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    act = middling_act()
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, clients on the same ones;"
    )
    print(f"{options.workers} workers, {QUEUE} may wait; an act of {len(act.split()):,} words.\n")
    print("| clients | answers a second | p50 | p99 | other answers |\n|---|---|---|---|---|")
    with service(options.workers) as (address, process):
        asyncio.run(ask(address, act, options.workers, 2.0))
        for clients in (*CLIENTS, CROWD):
            print(asyncio.run(ask(address, act, clients, options.seconds)).line(), flush=True)
        if sys.platform == "linux":
            print("\n" + over_many_requests(address, process, options.requests, options.longest))


if __name__ == "__main__":
    main()
