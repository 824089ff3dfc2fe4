"""Around every request: who may ask, headers that protect, figures, a log line without anything of the user's."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import time
from typing import Any, Final
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from lexlattice.apps.serve.intake import Intake
from lexlattice.apps.serve.schemas import ProblemError
from lexlattice.apps.serve.settings import Settings
from lexlattice.apps.serve.workers import RequestPool
from lexlattice.errors import LexLatticeError

# Figures for Prometheus: numbers only, nothing of any act.

_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Of one service; several in one process do not mix."""

    def __init__(self, pool: RequestPool) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lexlattice_requests", "Requests by route and code", ["route", "code"], registry=self._registry
        )
        self._seconds = Histogram(
            "lexlattice_request_seconds",
            "Seconds until an answer was sent",
            ["route"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        for name, what, value in (
            ("waiting", "Requests that wait for a worker", lambda: pool.waiting),
            ("patient", "Acts of requests for many that wait for a worker", lambda: pool.patient),
            ("running", "Jobs that are worked on", lambda: pool.running),
            ("worker_restarts", "Worker processes that had to be replaced", lambda: pool.restarts),
        ):
            Gauge(f"lexlattice_{name}", what, registry=self._registry).set_function(value)

    def count(self, route: str, code: int, seconds: float) -> None:
        """One request that was answered."""
        self._requests.labels(route, str(code)).inc()
        self._seconds.labels(route).observe(seconds)

    def page(self) -> bytes:
        """All of it in Prometheus's own format."""
        return generate_latest(self._registry)


# Around every request: who may ask, headers that protect, figures, a log line without anything of the user's.

_log: Final = logging.getLogger("lexlattice.apps.serve")
_THIS_MACHINE: Final = ("localhost", "127.0.0.1", "::1")
_HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}


class Around:
    """What every request goes through; whatever fails inside is no traceback outside."""

    def __init__(self, app: ASGIApp, settings: Settings, intake: Intake, metrics: Metrics) -> None:
        self._app, self._intake, self._metrics = app, intake, metrics
        self._names = frozenset(name.lower() for name in (*settings.names, *_names_of(settings.host)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        start, status, request = time.perf_counter(), 0, Request(scope)

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [
                    *message.get("headers", ()),
                    *((name.encode(), value.encode()) for name, value in _HEADERS.items()),
                ]
            await send(message)

        try:
            if problem := self._stranger(request):
                await problem.to_response()(scope, receive, sending)
            else:
                await self._app(scope, receive, sending)
        except ClientDisconnect:
            status = status or 499  # as others count those who went away
        except Exception as error:
            _log.error("a request failed: %s", type(error).__name__)
            if not status:
                problem = ProblemError(500, "Something went wrong here; it was not the request.")
                await problem.to_response()(scope, receive, sending)
        finally:
            self._intake.release(request)
            seconds = time.perf_counter() - start
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.count(route, status, seconds)
            _log.info("%s %s %d %.0f ms", scope["method"], route, status, 1000 * seconds)

    def _stranger(self, request: Request) -> ProblemError | None:
        """Whether somebody else's page asks, through a name that it made point here or across from its own."""
        host = _host_of(f"//{request.headers.get('host', '')}")
        if self._names and host not in self._names:
            return ProblemError(421, "The service does not go by this name; allow it with --name.")
        origin = request.headers.get("origin")
        is_foreign = origin is not None and _host_of(origin) not in {host, *self._names}
        if request.method == "POST" and (is_foreign or request.headers.get("sec-fetch-site") == "cross-site"):
            return ProblemError(403, "Pages of other sites may not ask here; open the service's own page.")
        return None


def _names_of(host: str) -> tuple[str, ...]:
    """All names of this machine where nobody else can reach it; elsewhere, whoever runs it knows how it is called."""
    try:
        is_here = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_here = False
    return (*_THIS_MACHINE, host) if is_here else ()


def _host_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""


# Connections that are given only so much time, and only so many of them: whoever sends or takes nothing is cut off.

_RESERVE: Final = 100
"""Files that the service itself needs open; half of all where there are few."""


def timed(seconds: float, most: int) -> type[asyncio.Protocol]:
    """Connections of uvicorn's that do not wait for ever: for a request's head, or for an answer to be taken."""

    class Timed(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        """One connection."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._ends: dict[str, asyncio.TimerHandle] = {}

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            if len(self.connections) > most:
                transport.abort()
            self._begin("head")

        def connection_lost(self, exc: Exception | None) -> None:
            for what in tuple(self._ends):
                self._end(what)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.cycle is None or self.cycle.response_complete:
                self._begin("head")
            else:
                self._end("head")

        def pause_writing(self) -> None:
            super().pause_writing()
            self._begin("answer")

        def resume_writing(self) -> None:
            super().resume_writing()
            self._end("answer")

        def _begin(self, what: str) -> None:
            if what not in self._ends:
                self._ends[what] = self.loop.call_later(seconds, self.transport.abort)

        def _end(self, what: str) -> None:
            if what in self._ends:
                self._ends.pop(what).cancel()

    return Timed


def most_connections() -> int:
    """How many there may be at once, so that files can still be opened; as many as the system allows are asked for."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return 4096
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard and hard != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    if soft < 2:
        raise LexLatticeError("The system allows no open files; raise `ulimit -n`.")
    return int(max(soft - _RESERVE, soft // 2))
