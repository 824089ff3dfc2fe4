"""Random SIGKILLs of all processes of the service, under load: every response is the right one, or says what happened.

`LEXLATTICE_KILLS=200 pytest -s --timeout 1800 tests/integration/apps/test_service_chaos.py` kills more of them.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Lock
from typing import Any

import httpx
import pytest

from helpers.timing import wait_until
from lexlattice.apps.serve.codes import CODES

KILLS = int(os.environ.get("LEXLATTICE_KILLS", "4"))
CLIENTS = 4
WORKERS = 2
MAY_HAPPEN = ("worker-lost", "busy", "queue-full", "timeout")
"""The codes that killing processes may lead to. An internal error is none of them."""
PATIENCE = 120.0
"""Seconds that a client waits: nothing may take so long, since the service's own limits are shorter."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


class Service:
    """The command as a process, which can be killed and started again."""

    def __init__(self, log: Path) -> None:
        self._mark, self._log = f"LEXLATTICE_TEST_RUN={uuid.uuid4()}", log
        self.era = 0
        """Odd while the service runs; it changes before the process is killed."""
        self.address = ""
        self._start()

    def _start(self) -> None:
        command = [sys.executable, "-m", "lexlattice", "serve", "--no-open", "--no-fetch", "--port", "0"]
        name, _, value = self._mark.partition("=")
        with self._log.open("a+") as log:
            before = log.tell()
            self.process = subprocess.Popen(
                [*command, "--workers", str(WORKERS)], stderr=log, env={**os.environ, name: value}
            )
            wait_until(lambda: "http://" in self._log.read_text()[before:], 120)
        found = re.search(r"http://\S+", self._log.read_text()[before:])
        assert found
        self.address = found[0]
        self.era += 1

    def processes(self) -> list[int]:
        """All processes of the service, also those that have lost their parent."""
        found = []
        for folder in Path("/proc").iterdir():
            with suppress(OSError):
                if folder.name.isdigit() and self._mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
        return found

    def kill(self, process: int) -> None:
        """Kill a process; if it is the service itself, no other is left, and it is started again."""
        if process != self.process.pid:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            return
        self.era += 1
        self.process.kill()
        self.process.wait()
        wait_until(lambda: not self.processes())
        self._start()

    def stop(self) -> None:
        self.process.terminate()
        try:
            assert self.process.wait(60) == 0
            wait_until(lambda: not self.processes())
        finally:
            for process in self.processes():
                os.kill(process, signal.SIGKILL)


@contextmanager
def running(log: Path) -> Iterator[Service]:
    service = Service(log)
    try:
        yield service
    finally:
        service.stop()


def requests(examples: Path) -> list[dict[str, Any]]:
    """What clients ask: every route that works in a worker, short and long acts, one and several, and fixed files."""
    short, german = ((examples / "short" / f"{language}.txt").read_bytes() for language in ("en", "de"))
    long = (examples / "long" / "en.txt").read_bytes()
    files = {"file": ("act", long)}
    lines = b"".join(
        json.dumps({"text": text.decode(), "words": 80}).encode() + b"\n" for text in (short, german, long)
    )
    two = [("file", ("act", short)), ("file", ("act", german))]
    return [
        {"method": "POST", "url": "/v1/summaries", "files": files, "data": {"words": "200"}},
        {"method": "POST", "url": "/v1/summaries", "json": {"text": german.decode(), "explain": True}},
        {
            "method": "POST",
            "url": "/v1/summaries",
            "content": lines,
            "headers": {"Content-Type": "application/x-ndjson"},
        },
        {"method": "POST", "url": "/v1/acts", "files": files},
        {"method": "POST", "url": "/v1/views", "files": {"file": ("act", short)}},
        {"method": "POST", "url": "/v1/exports?format=html", "files": files},
        {"method": "POST", "url": "/v1/provisions?provision=Article%202", "json": {"text": short.decode()}},
        {"method": "POST", "url": "/v1/alignments", "files": two},
        {"method": "POST", "url": "/v1/acts", "json": {"text": " "}},
        {"method": "GET", "url": "/"},
        {"method": "GET", "url": "/v1/examples/fr"},
    ]


def outcome_of(answer: httpx.Response, expected: httpx.Response) -> str:
    """Say what came: the right bytes, or the code of a problem that may happen. Anything else is a failure."""
    if (answer.status_code, answer.content) == (expected.status_code, expected.content):
        return "right"
    if "ndjson" in answer.headers["content-type"]:
        lines, wanted = answer.content.splitlines(), expected.content.splitlines()
        assert len(lines) == len(wanted)
        problems = [json.loads(line) for line, right in zip(lines, wanted, strict=True) if line != right]
    else:
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        problems = [answer.json()]
        assert answer.status_code == problems[0]["status"]
    for problem in problems:
        assert problem["code"] in MAY_HAPPEN, problem
        assert problem["status"] in CODES[problem["code"]].statuses
    return str(problems[0]["code"])


@pytest.mark.parametrize(
    ("kills", "workers_only"),
    [(KILLS, False), pytest.param(15, True, marks=pytest.mark.slow)],
    ids=["everything", "workers"],
)
def test_every_response_is_right_or_says_what_happened_whatever_is_killed(
    examples: Path, tmp_path: Path, kills: int, workers_only: bool
) -> None:
    dice, outcomes, lock, is_over = random.Random(kills), Counter[str](), Lock(), Event()
    asked = requests(examples)
    with running(tmp_path / "log") as service:
        with httpx.Client(base_url=service.address, timeout=PATIENCE, trust_env=False) as client:
            expected = [client.request(**request) for request in asked]

        def ask(number: int) -> None:
            mine = random.Random(number)
            while not is_over.is_set():
                era, place = service.era, mine.randrange(len(asked))
                if era % 2 == 0:
                    time.sleep(0.05)
                    continue
                with httpx.Client(base_url=service.address, timeout=PATIENCE, trust_env=False) as client:
                    while service.era == era and not is_over.is_set():
                        try:
                            outcome = outcome_of(client.request(**asked[place]), expected[place])
                        except httpx.TransportError as error:
                            assert service.era != era, f"no response: {error!r}"
                            outcome = "the service was killed"
                        with lock:
                            outcomes[outcome] += 1
                        place = mine.randrange(len(asked))

        killed = Counter[str]()
        with ThreadPoolExecutor(CLIENTS) as crowd:
            clients = [crowd.submit(ask, number) for number in range(CLIENTS)]
            try:
                for number in range(kills):
                    time.sleep(dice.random())
                    assert not [client for client in clients if client.done()], "a client met what may not happen"
                    others = [process for process in service.processes() if process != service.process.pid]
                    # A worker first, then the service; from then on any process.
                    victims = [service.process.pid, *(others if number > 1 else ())]
                    victim = dice.choice(others if number == 0 or workers_only else victims)
                    killed["service" if victim == service.process.pid else "another process"] += 1
                    service.kill(victim)
                answered = outcomes["right"]
                wait_until(lambda: outcomes["right"] > answered + CLIENTS)
            finally:
                is_over.set()
            for finished in clients:
                finished.result()
        with httpx.Client(base_url=service.address, timeout=PATIENCE, trust_env=False) as client:
            wait_until(lambda: client.get("/readyz").status_code == 200)
            assert [client.request(**request).content for request in asked] == [answer.content for answer in expected]
            assert len(service.processes()) >= 1 + WORKERS
    sys.stdout.write(f"\n{kills} kills: {dict(killed)}; responses: {dict(outcomes)}\n")  # shown with `pytest -s`
    assert outcomes["right"] > kills
    assert "Traceback" not in (tmp_path / "log").read_text()
