"""A real service on loopback, for as long as a test needs it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import httpx

from lexlattice.serving.server import Server
from lexlattice.serving.settings import Settings


@contextmanager
def served(**settings: Any) -> Iterator[Server]:
    """A server in a thread of its own, on a port of its own."""
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


@contextmanager
def asking(server: Server) -> Iterator[httpx.Client]:
    """Whoever asks it."""
    with httpx.Client(base_url=server.address, timeout=60.0, trust_env=False) as client:
        yield client
