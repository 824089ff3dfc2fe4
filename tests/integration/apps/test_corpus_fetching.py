"""Bulk runs over acts that have to be fetched: at a steady pace over all processes, once, and with the cost said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest

from lexlattice.apps.bulk.cost import FetchCost
from lexlattice.apps.cli import main

ACT = "<html><body><p>REGULATION (EU) 2024/1</p><p>Article 1</p><p>Bees are free.</p></body></html>"


@dataclass
class Server:
    """Remembers when it was asked for what."""

    url: str = ""
    refusals: int = 0
    """How many requests are answered with "429 Too Many Requests"."""
    pause: Callable[[], str] = lambda: "1"
    """When they may be repeated."""
    requests: list[tuple[float, str, int]] = field(default_factory=list)


@contextmanager
def serving() -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_refused = state.refusals > 0
            state.refusals -= is_refused
            state.requests.append((time.monotonic(), self.path, 429 if is_refused else 200))
            body = b"" if is_refused else ACT.encode()
            self.send_response(429 if is_refused else 200)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", "text/html")
            if is_refused:
                self.send_header("Retry-After", state.pause())
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LEXLATTICE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fetch_all(server: Server, count: int, out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    addresses = [f"{server.url}/{number}.html" for number in range(count)]
    call = [sys.executable, "-m", "lexlattice", "corpus", "score", *addresses, "-o", str(out), "-j", "2", *more]
    return subprocess.run(call, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.usefixtures("cache")
def test_the_rate_holds_over_all_processes_and_nothing_is_fetched_twice(tmp_path: Path) -> None:
    with serving() as server:
        done = fetch_all(server, 8, tmp_path / "one", "--rate", "5")
        assert done.returncode == 0, done.stderr
        times = [moment for moment, *_ in server.requests]
        assert len(times) == 8
        # A request may be delayed after its turn, so single gaps vary; over all of them the rate holds.
        assert times[-1] - times[0] > 7 / 5 - 0.15
        assert sum(after - before < 0.1 for before, after in pairwise(times)) <= 2
        assert "8 requests" in done.stderr and "0 of them cached" in done.stderr
        again = fetch_all(server, 8, tmp_path / "two", "--rate", "5")
        assert again.returncode == 0
        assert len(server.requests) == 8, "a cached act was fetched again"
        assert "8 of them cached" in again.stderr


@pytest.mark.usefixtures("cache")
def test_a_server_that_asks_for_a_pause_gets_it_from_all_processes(tmp_path: Path) -> None:
    with serving() as server:
        server.refusals = 1
        done = fetch_all(server, 4, tmp_path / "out", "--rate", "50", "--quiet")
        assert done.returncode == 0, done.stderr
        refused = next(moment for moment, _, status in server.requests if status == 429)
        # what another process had under way already is not counted
        assert not [moment for moment, *_ in server.requests if refused + 0.3 < moment < refused + 0.9]
        assert sorted(path for _, path, status in server.requests if status == 200) == [f"/{n}.html" for n in range(4)]


@pytest.mark.usefixtures("cache")
def test_a_dry_run_says_what_a_list_of_numbers_costs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list.txt").write_text("".join(f"32016R{number:04}\n" for number in range(1, 1201)))
    call = ["corpus", "summarize", str(tmp_path / "list.txt"), "-o", str(tmp_path / "out"), "--dry-run"]
    assert main([*call, "--rate", "4"]) == 0
    said = capsys.readouterr().err
    assert all(part in said for part in ("1,200 acts", "0 of them cached", "5 min", "4 a second")), said
    assert not (tmp_path / "out").exists()
    assert main([*call, "--rate", "0"]) == 2


def test_the_size_is_estimated_by_what_is_cached() -> None:
    assert "9.0 MB" in FetchCost(acts=12, cached=3, cached_size=3_000_000).describe(2)
    assert "MB" not in FetchCost(acts=12, cached=0, cached_size=0).describe(2)


# --- Clocks that are set


JUMPING = """
import random, time
_true, _draw, _shift = time.time, random.Random(), 0.0
def _jumping():
    global _shift
    if _draw.random() < 0.3:  # by seconds up to thirty years, either way
        _shift = _draw.choice((-1, 1)) * 10 ** _draw.uniform(0, 9)
    return max(1.0, _true() + _shift)
time.time, time.time_ns = _jumping, lambda: int(_jumping() * 1e9)
"""
"""Imported by Python before anything else, in each process: the time of day jumps between any two looks at it."""


@pytest.mark.usefixtures("cache")
def test_a_clock_that_jumps_changes_neither_pace_nor_pauses_nor_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(JUMPING)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path / "hook"), os.environ.get("PYTHONPATH", "")]))
    with serving() as server:
        server.refusals = 1
        server.pause = lambda: formatdate(time.time() + 3, usegmt=True)  # in full seconds, so at least two are left
        done = fetch_all(server, 6, tmp_path / "out", "--rate", "5", "--timeout", "30")
        assert done.returncode == 0, done.stderr
        moments = [moment for moment, *_ in server.requests]
        refused = next(moment for moment, _, status in server.requests if status == 429)
        assert not [moment for moment in moments if refused + 0.5 < moment < refused + 1.9]
        assert moments[-1] - moments[0] < 30, "it waited for a moment that was far away"
        assert sum(after - before < 0.1 for before, after in pairwise(moments)) <= 2
        assert len(moments) == 7
    again = fetch_all(server, 6, tmp_path / "out", "--rate", "5", "--quiet")
    assert again.returncode == 0, again.stderr
    manifest = json.loads((tmp_path / "out" / "__run__" / "manifest.json").read_bytes())
    assert (manifest["finished"], manifest["rows"], manifest["dead"]) == (True, 6, 0)
