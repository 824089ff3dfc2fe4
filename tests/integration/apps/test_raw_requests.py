"""Requests that no HTTP client would send: malformed heads, foreign hosts, and two requests hidden in one."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx
import pytest

from helpers.service import asking, served
from helpers.timing import wait_until
from lexlattice.apps.serve.server import Server

HEADERS = (
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-resource-policy",
)
HIDDEN = b"GET /v1/languages HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served(workers=1, max_seconds=30.0, fetch=False) as it:
        yield it


def answers(server: Server, *parts: bytes) -> list[bytes]:
    """Send something in parts, read until the service closes the connection, and return the responses."""
    everything = b""
    with socket.create_connection(server.servers[0].sockets[0].getsockname(), timeout=60) as link:
        with suppress(OSError):
            for part in parts:
                link.sendall(part)
                everything += link.recv(65536) if part is not parts[-1] else b""
        with suppress(ConnectionResetError):
            while part := link.recv(65536):
                everything += part
    return re.split(rb"(?<!^)(?=HTTP/1\.1 \d{3} )", everything) if everything else []


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def check_security_headers(answer: bytes) -> None:
    head = answer.partition(b"\r\n\r\n")[0].decode().lower()
    assert all(head.count(f"\r\n{name}: ") == 1 for name in HEADERS), head
    assert "\r\nserver:" not in head


# --- responses that the application does not give ---------------------------------------------------------


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nNo colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n Host: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\x00\r\n\r\n",
        b"GET /\xe9 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000,
    ],
)
def test_malformed_requests_are_answered_with_a_problem_and_security_headers(
    server: Server, request_bytes: bytes
) -> None:
    (answer,) = answers(server, request_bytes)
    assert status_of(answer) == 400
    check_security_headers(answer)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head.lower()
    assert b"connection: close" in head.lower()
    assert httpx.Response(400, content=body).json()["code"] == "invalid-request"


def test_a_body_that_is_malformed_after_the_response_ends_the_connection(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    head = b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    (answer,) = answers(server, head, b"no chunk\r\n\r\n" + HIDDEN)
    assert status_of(answer) == 404
    assert not caplog.records, "asyncio logs what a protocol raises"


def test_a_request_that_the_shutdown_cuts_off_is_answered_like_any_other() -> None:
    """Uvicorn cancels what runs for too long."""
    with served(workers=1) as server, asking(server) as service, ThreadPoolExecutor(1) as aside:
        pool = server.config.app.state.service.pool  # type: ignore[union-attr]
        long = {"text": "Article 1\n\n" + "(a) the hives of a keeper. Bees\n\n" * 100_000, "language": "en"}
        work = aside.submit(service.post, "/v1/acts", json=long)
        wait_until(lambda: pool.running == 1)
        loop = next(iter(server.server_state.connections)).loop
        (task,) = server.server_state.tasks
        loop.call_soon_threadsafe(task.cancel)
        answer = work.result()
        assert (answer.status_code, answer.json()["code"]) == (503, "closing")
        assert set(HEADERS) <= set(answer.headers)


# --- hosts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host",
    [
        "evil@127.0.0.1",
        "evil:x@127.0.0.1",
        "127.0.0.1@evil.example",
        "127.0.0.1:80@evil.example",
        "localhost evil.example",
        "localhost,evil.example",
        "localhost/",
        "localhost/.evil.example",
        "localhost?",
        "localhost#",
        "localhost\\evil.example",
        "localhost%00",
        "localhost:",
        "localhost:0",
        "localhost:65536",
        "localhost:80:80",
        "localhost:+80",
        "localhost.",
        ".localhost",
        "127.1",
        "2130706433",
        "::1",
        "[::1",
        "[::1]]",
        "[::1]evil",
        "[::1%25lo]",
        "[localhost]",
        "evil.localhost",
        "",
    ],
)
def test_a_host_that_is_not_exactly_a_known_name_and_a_port_is_refused(server: Server, host: str) -> None:
    (answer,) = answers(server, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert status_of(answer) == 421
    check_security_headers(answer)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:1", " localhost\t", "[::1]", "[::1]:65535"])
def test_a_host_that_is_known_is_served(server: Server, host: str) -> None:
    (answer,) = answers(server, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert status_of(answer) == 200


@pytest.mark.parametrize("target", ["http://evil.example/healthz", "http://localhost/healthz", "evil.example:80", "*"])
def test_a_target_that_names_a_host_of_its_own_is_refused(server: Server, target: str) -> None:
    (answer,) = answers(server, f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert status_of(answer) == 421


@pytest.mark.parametrize("host", ["law.example@127.0.0.1", "a b", "law.example/x", ""])
def test_a_service_for_any_name_refuses_what_is_no_name(host: str, anywhere: Server) -> None:
    (answer,) = answers(anywhere, f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert status_of(answer) == 421
    (answer,) = answers(anywhere, b"GET /healthz HTTP/1.1\r\nHost: law.example\r\nConnection: close\r\n\r\n")
    assert status_of(answer) == 200
    (answer,) = answers(anywhere, b"GET /healthz HTTP/1.0\r\n\r\n")
    assert status_of(answer) == 200


@pytest.fixture(scope="module")
def anywhere() -> Iterator[Server]:
    """A service that knows none of its names, as on all addresses of a machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lexlattice.apps.serve.origins._loopback_names", lambda host: ())
        with served(workers=1) as it:
            yield it


def test_several_origins_are_all_checked(server: Server) -> None:
    body = b'{"text": "Article 1"}'
    head = b"POST /v1/acts HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    origins = b"Origin: http://localhost\r\nOrigin: http://evil.example\r\n"
    (answer,) = answers(server, head + origins + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert status_of(answer) == 403


@pytest.mark.parametrize("path", ["/v1/acts/32016R0679", "/v1/%61cts/32016R0679/summary"])
def test_costly_routes_are_refused_to_other_sites_however_they_are_written(server: Server, path: str) -> None:
    for header in ("Sec-Fetch-Site: same-site", "Sec-Fetch-Site: cross-site", "Origin: http://localhost:1"):
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}\r\n\r\n"
        (answer,) = answers(server, request.encode())
        assert status_of(answer) == 403


# --- smuggling --------------------------------------------------------------------------------------------


def post(*headers: bytes) -> bytes:
    lines = [b"POST /v1/acts HTTP/1.1", b"Host: localhost", b"Content-Type: application/json", *headers, b"", b""]
    return b"\r\n".join(lines)


@pytest.mark.parametrize(
    "request_bytes",
    [
        post(b"Content-Length: 5", b"Transfer-Encoding: chunked") + b"0\r\n\r\n" + HIDDEN,
        post(b"Transfer-Encoding: chunked", b"Content-Length: 500") + b"0\r\n\r\n" + HIDDEN,
        post(b"Content-Length: 0", b"Content-Length: 50") + HIDDEN,
        post(b"Content-Length: 0, 50") + HIDDEN,
        post(b"Content-Length: +0") + HIDDEN,
        post(b"Content-Length: -1") + HIDDEN,
        post(b"Content-Length: 0x0") + HIDDEN,
        post(b"Content-Length: 1_0") + HIDDEN,
        post(b"Transfer-Encoding: identity") + HIDDEN,
        post(b"Transfer-Encoding: xchunked") + HIDDEN,
        post(b"Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n" + HIDDEN,
        post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity") + b"0\r\n\r\n" + HIDDEN,
        post(b"Transfer-Encoding : chunked") + b"0\r\n\r\n" + HIDDEN,
        post(b"Transfer-Encoding: \x0bchunked") + b"0\r\n\r\n" + HIDDEN,
        post(b"Content-Length: 0", b" Transfer-Encoding: chunked") + b"0\r\n\r\n" + HIDDEN,
        post(b"Transfer-Encoding: chunked") + b"-1\r\n\r\n" + HIDDEN,
        post(b"Transfer-Encoding: chunked") + b"0x0\r\n\r\n" + HIDDEN,
        post(b"Transfer-Encoding: chunked") + b"\r\n\r\n" + HIDDEN,
        post(b"Transfer-Encoding: chunked") + b"ffffffffffffffffffffff\r\n\r\n" + HIDDEN,
        post(b"Transfer-Encoding: chunked") + b"1\r\nab\r\n0\r\n\r\n" + HIDDEN,
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\r\n\r\r\n\r\n" + HIDDEN,
    ],
)
def test_no_request_is_hidden_in_another(server: Server, request_bytes: bytes) -> None:
    found = answers(server, request_bytes)
    assert len(found) == 1, found
    assert status_of(found[0]) == 400
    check_security_headers(found[0])


@pytest.mark.parametrize(
    "request_bytes",
    [
        post(b"Content-Length: 2", b"Content-Length: 2") + b"{}",
        post(b"Transfer-Encoding:\r\n chunked") + b"2\r\n{}\r\n0\r\n\r\n",
        post(b"Transfer-Encoding: chunked") + b"2;name=value\r\n{}\r\n0\r\nTrailer: x\r\n\r\n",
        post(b"Content-Length: 2", b"X: a\r\n Transfer-Encoding: chunked") + b"{}",
    ],
)
def test_unusual_framing_ends_where_it_says(server: Server, request_bytes: bytes) -> None:
    first, second = answers(server, request_bytes + HIDDEN)
    assert (status_of(first), status_of(second)) == (422, 200)
