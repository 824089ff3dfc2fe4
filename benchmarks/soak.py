"""Soak test of the service: hours of everything that clients do, and whether memory, files or latency grow.

Usage: python benchmarks/soak.py [--minutes N] [--rate N] [--workers N] [--kill-every SECONDS] [--seed N]
The service runs in a separate process on loopback. Requests arrive at random moments, `--rate` of them a second on
average: acts of all sizes, languages and formats of `examples/`, known and new, views and exports, wrong and oversized
input, clients that are slow, never read or disconnect. Now and then a worker is killed. Every response is compared with
the first one to the same request. The exit status is 1 if one was wrong, or if something grew. Linux only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import re
import signal
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx

from lexlattice.reading import LANGUAGES
from load import EXAMPLES, processes, service

WINDOWS: Final = 20
"""Rows of the table."""
SAMPLES: Final = 400
WARM_UP: Final = 0.2
"""Share of the time before growth counts: caches fill, and libraries and grammars are loaded by their first use."""
MIN_MINUTES: Final = 10.0
"""Below this, the warm-up is not over, so growth says nothing."""
GROWTH: Final = 1.1
MORE_FILES: Final = 8
"""Growth that is noise, from the first to the last quarter: a factor for memory, a number for files and threads."""
AT_ONCE: Final = 64
PATIENCE: Final = 120.0
OVERSIZED: Final = 30_000_000
TOLD_TO_RETRY: Final = {"worker-lost", "busy", "queue-full", "timeout"}
"""Codes of problems that killed workers and load may lead to; clients are told so, and nothing is wrong."""


class Sample(NamedTuple):
    """What the processes of the service hold."""

    megabytes: float
    main_megabytes: float
    files: int
    threads: int


class Soak:
    """One run: what is sent, and what came of it."""

    def __init__(self, address: str, process: int, rate: float, kill_every: float, seed: int) -> None:
        self._address, self._process, self._rate, self._kill_every = address, process, rate, kill_every
        self._dice = random.Random(seed)
        self._first: dict[str, bytes] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._port = int(address.rstrip("/").rpartition(":")[2])
        self._acts = sorted(path for kind in ("short", "directive", "decision") for path in (EXAMPLES / kind).glob("*"))
        self._files = sorted(
            path for path in (EXAMPLES / "formats").glob("act.*") if path.is_file() and path.suffix != ".md"
        )
        self._long = (EXAMPLES / "long" / "en.txt").read_text("utf-8")
        self._client = httpx.AsyncClient(base_url=address, timeout=PATIENCE, trust_env=False)
        self.latencies: list[float] = []
        self.outcomes: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.samples: list[Sample] = []
        self.kills = 0

    async def run(self, seconds: float, on_window: Callable[[], None]) -> None:
        """Send requests for some time, and call `on_window` at equal intervals."""
        kinds: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (20, self._known_act),
            (15, self._new_act),
            (8, self._long_act),
            (10, self._file),
            (8, self._several),
            (10, self._page),
            (10, self._wrong),
            (2, self._oversized),
            (3, self._slow_reader),
            (2, self._never_reads),
            (3, self._slow_sender),
            (5, self._leaves),
        ]
        start = time.monotonic()
        next_window, next_sample, next_kill = seconds / WINDOWS, 0.0, self._kill_every
        while (now := time.monotonic() - start) < seconds:
            if now >= next_sample:
                self.samples.append(sample(self._process))
                next_sample = now + seconds / SAMPLES
            if now >= next_window:
                on_window()
                next_window += seconds / WINDOWS
            if self._kill_every and now >= next_kill:
                self._kill_worker()
                next_kill += self._kill_every
            if len(self._tasks) < AT_ONCE:
                (kind,) = self._dice.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])
                task = asyncio.create_task(self._watched(kind))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            else:
                self.outcomes["not sent, since too many wait"] += 1
            await asyncio.sleep(min(self._dice.expovariate(self._rate), 10 / self._rate))
        on_window()
        await asyncio.gather(*self._tasks)
        await self._client.aclose()

    async def _watched(self, kind: Callable[[], Awaitable[None]]) -> None:
        try:
            await kind()
        except (httpx.TransportError, OSError, EOFError) as error:
            self.faults[f"{kind.__name__}: no response ({type(error).__name__})"] += 1

    async def _ask(self, name: str, status: int = 200, **request: Any) -> None:
        """Send a request, and compare its response with the first one of this name; without a name it is new."""
        start = time.perf_counter()
        response = await self._client.request(**request)
        self.latencies.append(time.perf_counter() - start)
        code = response.json().get("code") if response.headers["content-type"].endswith("problem+json") else None
        if code in TOLD_TO_RETRY:
            self.outcomes[f"{response.status_code} {code}"] += 1
        elif response.status_code != status:
            self.faults[f"{request['url']}: {response.status_code} {code} instead of {status}"] += 1
        elif name and self._first.setdefault(name, response.content) != response.content:
            lines = [json.loads(line) for line in response.content.splitlines()] if "ndjson" in name else []
            if any(line.get("code") in TOLD_TO_RETRY for line in lines):
                self.outcomes["one act of several: a code to try again"] += 1
            else:
                self.faults[f"{name}: another response than before"] += 1
        else:
            self.outcomes["as expected" if status == 200 else "refused as expected"] += 1

    # What clients do.

    async def _known_act(self) -> None:
        path, words = self._dice.choice(self._acts), self._dice.choice((80, 200, 400))
        route = self._dice.choice(("summaries", "views", "acts", "exports?format=html", "exports?format=json"))
        form = {"words": str(words)} if route.startswith(("summaries", "exports")) else {}
        files = {"file": (path.name, path.read_bytes())}
        await self._ask(f"{route} {path} {form}", method="POST", url=f"/v1/{route}", files=files, data=form)

    async def _new_act(self) -> None:
        """Words that nobody has sent before, so that no cache knows them."""
        new = " ".join(f"{self._dice.getrandbits(40):x}" for _ in range(60))
        text = self._dice.choice(self._acts).read_text("utf-8").replace(".", f" {new}.", 1)
        await self._ask("", method="POST", url="/v1/summaries", json={"text": text, "words": 200})

    async def _long_act(self) -> None:
        route = self._dice.choice(("summaries", "views", "acts"))
        await self._ask(f"long {route}", method="POST", url=f"/v1/{route}", json={"text": self._long})

    async def _file(self) -> None:
        path = self._dice.choice(self._files)
        format = self._dice.choice(("docx", "pdf", "md", "html"))
        files = {"file": (path.name, path.read_bytes())}
        # Word files are archives with the time of each member, so these are only looked at by their status.
        name = "" if format in ("docx", "pdf") else f"{format} {path}"
        await self._ask(name, method="POST", url=f"/v1/exports?format={format}", files=files, data={"words": "200"})

    async def _several(self) -> None:
        paths = self._acts[:: len(self._acts) // 6][:5]
        lines = "\n".join(json.dumps({"text": path.read_text("utf-8"), "words": 80}) for path in paths)
        headers = {"Content-Type": "application/x-ndjson"}
        await self._ask("ndjson", method="POST", url="/v1/summaries", content=lines, headers=headers)
        pair = [("file", (code, (EXAMPLES / "short" / f"{code}.txt").read_bytes())) for code in ("en", "fr")]
        await self._ask("alignment", method="POST", url="/v1/alignments", files=pair)

    async def _page(self) -> None:
        language = self._dice.choice(list(LANGUAGES))
        fixed = ("/", "/api", "/openapi.json", "/v1/languages", "/v1/examples", "/readyz")
        url = self._dice.choice((*fixed, f"/v1/words/{language}", f"/v1/examples/{language}"))
        await self._ask(url, method="GET", url=url)
        await self._ask("", method="GET", url="/metrics")

    async def _wrong(self) -> None:
        json_type = {"Content-Type": "application/json"}
        status, request = self._dice.choice(
            (
                (400, {"url": "/v1/summaries", "content": b"{", "headers": json_type}),
                (422, {"url": "/v1/summaries", "json": {"text": "Article 1", "words": -1}}),
                (422, {"url": "/v1/acts", "files": {"file": ("act.pdf", b"%PDF-1.7 nothing")}}),
                (415, {"url": "/v1/acts", "content": b"text", "headers": {"Content-Type": "text/plain"}}),
                (
                    404,
                    {"url": "/v1/provisions?provision=Article%2099", "json": {"text": "Article 1\n\nBees are free."}},
                ),
                (421, {"url": "/v1/acts", "json": {"text": "Article 1"}, "headers": {"Host": "evil.example"}}),
                (403, {"url": "/v1/acts", "json": {"text": "Article 1"}, "headers": {"Origin": "http://evil.example"}}),
            )
        )
        await self._ask("", status, method="POST", **request)

    async def _oversized(self) -> None:
        """The service refuses by the announced length; what it does not announce is refused while it arrives."""
        reader, writer = await self._connect()
        length = self._dice.choice((f"Content-Length: {OVERSIZED}", "Transfer-Encoding: chunked"))
        writer.write(_head("POST", "/v1/acts", "Content-Type: application/json", length))
        with suppress(ConnectionError):
            for _ in range(OVERSIZED // 1_000_000):
                writer.write(b"%x\r\n%b\r\n" % (1_000_000, b" " * 1_000_000))
                await writer.drain()
        with suppress(ConnectionError):  # the response is lost if the connection ended while much was still sent
            answer = await reader.read(200)
            if answer and not answer.startswith((b"HTTP/1.1 413 ", b"HTTP/1.1 503 ")):
                self.faults[f"an oversized request: {answer[:20]!r}"] += 1
        self.outcomes["oversized requests"] += 1
        writer.close()

    async def _slow_reader(self) -> None:
        reader, writer = await self._connect()
        body = json.dumps({"text": self._long}).encode()
        writer.write(
            _head("POST", "/v1/views", "Content-Type: application/json", f"Content-Length: {len(body)}") + body
        )
        head = await reader.readuntil(b"\r\n\r\n")
        length, read = re.search(rb"content-length: (\d+)", head.lower()), 0
        while length and read < int(length[1]):
            read += len(await reader.readexactly(min(16_384, int(length[1]) - read)))
            await asyncio.sleep(0.01)
        self.outcomes["slow clients that got everything"] += 1
        writer.close()

    async def _never_reads(self) -> None:
        _, writer = await self._connect()
        writer.write(_head("GET", "/openapi.json") * 20)
        await asyncio.sleep(self._dice.uniform(1, 40))
        self.outcomes["clients that never read"] += 1
        writer.transport.abort()

    async def _slow_sender(self) -> None:
        reader, writer = await self._connect()
        for byte in _head("GET", "/healthz", "Connection: close"):
            writer.write(bytes([byte]))
            await asyncio.sleep(0.05)
        if not (await reader.read()).startswith(b"HTTP/1.1 200 "):
            self.faults["a slow request was not answered"] += 1
        self.outcomes["slow clients that got everything"] += 1
        writer.close()

    async def _leaves(self) -> None:
        """Disconnect in the middle of a body, or while the act is read."""
        _, writer = await self._connect()
        body = json.dumps({"text": self._long}).encode()
        sent = body[: self._dice.choice((1000, len(body)))]
        writer.write(_head("POST", "/v1/acts", "Content-Type: application/json", f"Content-Length: {len(body)}") + sent)
        await asyncio.sleep(self._dice.uniform(0, 0.2))
        self.outcomes["clients that left"] += 1
        writer.transport.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self._port)

    def _kill_worker(self) -> None:
        workers = [process for process in processes(self._process) if process != self._process and _is_worker(process)]
        if workers:
            self.kills += 1
            with suppress(ProcessLookupError):
                os.kill(self._dice.choice(workers), signal.SIGKILL)


def _head(method: str, path: str, *headers: str) -> bytes:
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: localhost", *headers, "", "")).encode()


def _is_worker(process: int) -> bool:
    with suppress(OSError):
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


def sample(process: int) -> Sample:
    """Return the resident memory, the open files and the threads of all processes of the service."""
    megabytes, files, threads = [], 0, 0
    for one in processes(process):
        with suppress(OSError):
            status = Path(f"/proc/{one}/status").read_text()
            figures = {name: int(number) for name, number in re.findall(r"^(VmRSS|Threads):\s+(\d+)", status, re.M)}
            megabytes.append(figures.get("VmRSS", 0) / 1000)
            threads += figures.get("Threads", 0)
            files += len(list(Path(f"/proc/{one}/fd").iterdir()))
    return Sample(sum(megabytes), megabytes[0], files, threads)


def growth(samples: list[Sample], minutes: float) -> list[str]:
    """Return what grew from the first to the last quarter after the warm-up."""
    after = samples[int(WARM_UP * len(samples)) :]
    quarter = len(after) // 4
    if minutes < MIN_MINUTES or not quarter:
        print(f"Growth is measured in runs of at least {MIN_MINUTES:g} minutes.")
        return []
    grown = []
    for name in Sample._fields:
        early, late = (
            statistics.median(getattr(one, name) for one in part) for part in (after[:quarter], after[-quarter:])
        )
        limit = GROWTH * early if "megabytes" in name else early + MORE_FILES
        print(f"{name.replace('_', ' ')}: {early:.0f} in the first quarter after the warm-up, {late:.0f} in the last.")
        if late > limit:
            grown.append(name.replace("_", " "))
    return grown


def main() -> int:
    """Print a row for each window, and a verdict."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=5.0, help="requests per second (default: %(default)g)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill-every", type=float, default=300.0, metavar="SECONDS", help="0 for never")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"Python {platform.python_version()}, {options.workers} workers, {options.rate:g} requests per second.\n")
    print("| minute | requests | p50 | p99 | memory (main process) | files | threads |\n|---|---|---|---|---|---|---|")
    with service(options.workers) as (address, process):
        soak = Soak(address, process, options.rate, options.kill_every, options.seed)
        start = time.monotonic()

        def on_window() -> None:
            now, latencies = soak.samples[-1], sorted(soak.latencies)
            soak.latencies = []
            p50, p99 = (
                1000 * latencies[int(share * (len(latencies) - 1))] if latencies else 0 for share in (0.5, 0.99)
            )
            minute = (time.monotonic() - start) / 60
            memory = f"{now.megabytes:.0f} MB ({now.main_megabytes:.0f} MB)"
            row = (f"{minute:.1f}", len(latencies), f"{p50:.0f} ms", f"{p99:.0f} ms", memory, now.files, now.threads)
            print(f"| {' | '.join(map(str, row))} |", flush=True)

        asyncio.run(soak.run(60 * options.minutes, on_window))
    print(f"\n{soak.kills} workers killed. Outcomes: {dict(soak.outcomes.most_common())}.")
    grown = growth(soak.samples, options.minutes)
    for fault, count in soak.faults.most_common():
        print(f"FAULT: {fault} ({count} ×)")
    verdict = [*(["wrong responses"] if soak.faults else []), *(f"{name} grew" for name in grown)]
    measured = ", and nothing grew" if options.minutes >= MIN_MINUTES else ""
    print(f"Verdict: {', '.join(verdict) or f'every response was right{measured}'}.")
    return 1 if verdict else 0


if __name__ == "__main__":
    sys.exit(main())
