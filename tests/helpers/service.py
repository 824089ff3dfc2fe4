"""A real service on a loopback port."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from lexlattice.apps.serve.server import Server
from lexlattice.apps.serve.settings import Settings
from lexlattice.reading.fetch import CELLAR, EURLEX


@contextmanager
def served(**settings: Any) -> Iterator[Server]:
    """Run a server in a thread, on a free port."""
    server = Server(Settings(port=0, **settings))
    thread = Thread(target=server.run)
    thread.start()
    while thread.is_alive() and not server.started:
        time.sleep(0.01)
    assert server.started
    try:
        yield server
    finally:
        server.should_exit = True
        thread.join()


def fetched_before(cache: Path, celex: str, language: str, content: bytes) -> None:
    """Put an act into the fetch cache, in place of the network."""
    key = hashlib.sha256(json.dumps([celex, language, CELLAR, EURLEX]).encode()).hexdigest()
    about = {"media_type": "text/plain", "url": CELLAR, "celex": celex, "language": language}
    (cache / f"{key}.act").write_bytes(content)
    (cache / f"{key}.json").write_text(json.dumps(about | {"sha256": hashlib.sha256(content).hexdigest()}))


@contextmanager
def asking(server: Server) -> Iterator[httpx.Client]:
    """An HTTP client of the server."""
    with httpx.Client(base_url=server.address, timeout=60.0, trust_env=False) as client:
        yield client
