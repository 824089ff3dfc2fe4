"""Clients that hold connections without working: each is ended in time, and others are served meanwhile."""

from __future__ import annotations

import re
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import httpx
import pytest
from fastapi import Response

from helpers.service import asking, served
from helpers.timing import wait_until
from lexlattice.apps.serve.server import Server

SECONDS = 1.0
LEAST = 4096
"""Bytes of a socket's buffers; the system makes it at least about so many."""
HALF_OF_KEEP_ALIVE = 37
"""Seconds; who is still connected by then was not ended by the timers that are tested here."""


@contextmanager
def serving(buffer: int | None = LEAST, **settings: Any) -> Iterator[Server]:
    """A service with an answer of any size, which the system takes no more of than it must."""
    with served(workers=1, **settings) as server:
        app: Any = server.config.app
        app.add_api_route("/bytes", lambda size: Response(bytes(int(size))), methods=["GET"])
        if buffer is not None:
            server.servers[0].sockets[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
        yield server


@pytest.fixture(scope="module")
def hasty() -> Iterator[Server]:
    """A service with little patience."""
    with serving(max_seconds=SECONDS) as server:
        yield server


def port_of(server: Server) -> int:
    return int(server.servers[0].sockets[0].getsockname()[1])


def connected(port: int, request: bytes = b"", source: str = "127.0.0.1") -> socket.socket:
    """A connection of a client whose system keeps next to nothing for it."""
    link = socket.socket()
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    link.settimeout(60)
    link.bind((source, 0))
    link.connect(("127.0.0.1", port))
    link.sendall(request)
    return link


def request_for(size: int) -> bytes:
    return f"GET /bytes?size={size} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def are_gone(server: Server) -> bool:
    return not server.server_state.connections


def received(link: socket.socket, rate: float = 1e9) -> int:
    """Read until the other side closes, at a number of bytes per second, and return how many came."""
    count, start = 0, time.monotonic()
    with suppress(ConnectionResetError):
        while part := link.recv(65536):
            count += len(part)
            time.sleep(max(0.0, start + count / rate - time.monotonic()))
    return count


# --- what is never read -----------------------------------------------------------------------------------


def test_clients_that_never_read_are_ended_however_small_the_response(hasty: Server) -> None:
    sizes = (20_000, 65_000, 65_536, 66_000, 1_000_000)
    before = hasty.server_state.total_requests
    with ExitStack() as links:
        for size in sizes:
            links.enter_context(connected(port_of(hasty), request_for(size)))
        wait_until(lambda: hasty.server_state.total_requests == before + len(sizes))
        wait_until(lambda: are_gone(hasty), HALF_OF_KEEP_ALIVE)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends connections by itself")
def test_a_client_that_never_reads_is_ended_if_the_system_holds_the_whole_response() -> None:
    with serving(buffer=500_000, max_seconds=SECONDS) as server, connected(port_of(server), request_for(100_000)):
        wait_until(lambda: server.server_state.total_requests == 1)
        wait_until(lambda: are_gone(server), HALF_OF_KEEP_ALIVE)


def test_many_clients_that_never_read_neither_shut_others_out_nor_hold_up_the_shutdown() -> None:
    """As it was found: 200 clients, 256 open files, and an answer that everybody may get."""
    command = [sys.executable, "-m", "lexlattice", "serve", "--port", "0", "--workers", "1", "--no-open"]
    limited = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh", *command, "--timeout", "20"]
    with subprocess.Popen(limited, stderr=subprocess.PIPE, text=True) as process, ExitStack() as links:
        try:
            assert process.stderr is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stderr.readline())
            assert found
            for _ in range(200):
                request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
                links.enter_context(connected(int(found[1]), request))
            for _ in range(5):  # a new connection each time
                assert httpx.get(f"{found[0]}index.html", trust_env=False, timeout=20).status_code == 200
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()


def test_a_shutdown_does_not_wait_for_those_that_never_read() -> None:
    with ExitStack() as links:
        with serving(max_seconds=2 * SECONDS) as server:
            for _ in range(50):
                links.enter_context(connected(port_of(server), request_for(3_000_000)))
            wait_until(lambda: server.server_state.total_requests == 50)
            assert len(server.server_state.connections) == 50
            start = time.monotonic()
        assert time.monotonic() - start < HALF_OF_KEEP_ALIVE


def test_pipelined_requests_whose_responses_are_never_read_end(hasty: Server) -> None:
    """The client sends as long as it may, and reads nothing."""
    wait_until(lambda: are_gone(hasty))
    with connected(port_of(hasty)) as link:
        deadline = time.monotonic() + HALF_OF_KEEP_ALIVE
        with suppress(OSError):
            link.settimeout(5)
            while time.monotonic() < deadline:
                link.sendall(request_for(20_000) * 100)
        wait_until(lambda: are_gone(hasty), HALF_OF_KEEP_ALIVE)


def test_who_reads_a_byte_at_a_time_is_ended(hasty: Server) -> None:
    wait_until(lambda: are_gone(hasty))
    with connected(port_of(hasty), request_for(300_000)) as link:
        wait_until(lambda: bool(link.recv(1)) and are_gone(hasty), HALF_OF_KEEP_ALIVE)


def test_who_reads_slowly_gets_everything() -> None:
    """It takes longer than a client may wait for other things, and longer than an idle connection is kept here."""
    with serving(max_seconds=SECONDS) as server:
        server.config.timeout_keep_alive = 1
        with connected(port_of(server), request_for(900_000)) as link:
            start = time.monotonic()
            assert received(link, rate=400_000) > 900_000
            assert time.monotonic() - start > 1.5 * SECONDS


def test_who_is_far_away_may_ask_for_as_much_as_anybody(hasty: Server) -> None:
    """Each response takes a while to arrive, and all together longer than a client may stop reading."""
    with connected(port_of(hasty)) as link:
        for _ in range(10):
            link.sendall(request_for(20_000))
            time.sleep(0.5)
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += received_exactly(link, 1)
            assert received_exactly(link, 20_000) == bytes(20_000)


def test_a_head_that_trickles_in_does_not_hold_a_connection(hasty: Server) -> None:
    for begun in (b"", request_for(10)):
        with connected(port_of(hasty), begun) as link:
            start = time.monotonic()
            with suppress(OSError):
                while not select.select([link], [], [], 0.05)[0] or link.recv(65536):
                    link.sendall(b"G")
            assert time.monotonic() - start < HALF_OF_KEEP_ALIVE


def test_responses_that_nobody_reads_are_bounded_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight of the largest are kept; who has not read for longest makes room for the others."""
    monkeypatch.setattr("lexlattice.apps.serve.server.MAX_RESPONSE_BYTES", 200_000)
    with serving(max_seconds=60.0) as server, ExitStack() as stack:
        links = [stack.enter_context(connected(port_of(server), request_for(200_000))) for _ in range(12)]
        wait_until(lambda: server.server_state.total_requests == 12)
        wait_until(lambda: len(server.server_state.connections) <= 9)
        held = sum(one.transport.get_write_buffer_size() for one in server.server_state.connections)
        assert held <= 8 * 200_000
        assert received(links[0]) < 200_000 <= len(received_exactly(links[-1], 200_000))


def received_exactly(link: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        part = link.recv(size - len(received))
        assert part, "the connection was closed"
        received += part
    return received


# --- places -----------------------------------------------------------------------------------------------


def test_who_waits_longest_for_its_client_gives_way_to_a_new_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexlattice.apps.serve.server.max_connections", lambda: 5)
    with serving(max_seconds=60.0) as server, ExitStack() as stack:
        links = [stack.enter_context(connected(port_of(server))) for _ in range(5)]
        wait_until(lambda: len(server.server_state.connections) == 5)
        for count in (1, 2, 3):
            with asking(server) as service:
                assert service.get("/healthz").status_code == 200
            wait_until(lambda: len(server.server_state.connections) < 5)
            links.append(stack.enter_context(connected(port_of(server))))
            closed = [link in select.select(links, [], [], 0)[0] for link in links]
            assert closed == [True] * count + [False] * 5


def test_one_address_cannot_take_all_connections() -> None:
    with serving(max_seconds=60.0, max_connections_per_address=3) as server, ExitStack() as stack:
        links = [stack.enter_context(connected(port_of(server))) for _ in range(5)]
        wait_until(lambda: len(select.select(links, [], [], 0)[0]) == 2)
        assert [link in select.select(links, [], [], 0)[0] for link in links] == [True] * 2 + [False] * 3
        others = [stack.enter_context(connected(port_of(server), source="127.0.0.2")) for _ in range(3)]
        wait_until(lambda: len(server.server_state.connections) == 6)
        assert not select.select(links[2:] + others, [], [], 0)[0]


def test_an_address_of_another_machine_has_a_quarter_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here the addresses of this machine count as those of others."""
    monkeypatch.setattr("lexlattice.apps.serve.server.max_connections", lambda: 8)
    monkeypatch.setattr("lexlattice.apps.serve.connections._is_local", lambda address: False)
    with serving(max_seconds=60.0) as server, ExitStack() as stack:
        sources = ["127.0.0.1"] * 4 + ["127.0.0.2"] * 2
        links = [stack.enter_context(connected(port_of(server), source=source)) for source in sources]
        wait_until(lambda: len(select.select(links, [], [], 0)[0]) == 2)
        assert [link in select.select(links, [], [], 0)[0] for link in links] == [True] * 2 + [False] * 4
