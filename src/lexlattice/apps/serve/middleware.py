"""The middleware of every request: host and origin checks, security headers, metrics, and a log line."""

from __future__ import annotations

import ipaddress
import logging
import time
from typing import Final
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lexlattice.apps.serve.bodies import BodyReader
from lexlattice.apps.serve.problems import ProblemError
from lexlattice.apps.serve.settings import Settings
from lexlattice.apps.serve.workers import RequestPool

_log: Final = logging.getLogger("lexlattice.apps.serve")
_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Final = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
_COSTLY: Final = "/v1/acts/"
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Prometheus metrics of one application; none contains anything of an act."""

    def __init__(self, pool: RequestPool) -> None:
        # An own registry: several applications in one process must not share counters.
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "lexlattice_requests", "Requests by route and status code", ["route", "code"], registry=self._registry
        )
        self._seconds = Histogram(
            "lexlattice_request_seconds",
            "Seconds until the response was sent",
            ["route"],
            buckets=_BUCKETS,
            registry=self._registry,
        )
        for name, description, value in (
            ("waiting", "Requests that wait for a worker", lambda: pool.waiting),
            ("patient", "Acts of batch requests that wait for a worker", lambda: pool.patient),
            ("running", "Jobs that are running", lambda: pool.running),
            ("worker_restarts", "Worker processes that were replaced", lambda: pool.restarts),
        ):
            Gauge(f"lexlattice_{name}", description, registry=self._registry).set_function(value)

    def count(self, route: str, code: int, seconds: float) -> None:
        """Record a request that was answered."""
        self._requests.labels(route, str(code)).inc()
        self._seconds.labels(route).observe(seconds)

    def exposition(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)


class ServiceMiddleware:
    """Checks host and origin, adds security headers, records metrics, and turns exceptions into status 500.

    The log line has method, route, status and duration only: paths and queries may contain text of the user.
    """

    def __init__(self, app: ASGIApp, settings: Settings, bodies: BodyReader, metrics: Metrics) -> None:
        self._app, self._bodies, self._metrics = app, bodies, metrics
        self._public = frozenset(name.lower() for name in settings.allowed_hosts)
        self._hosts = self._public | {name.lower() for name in _loopback_names(settings.host)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        start, status, request = time.perf_counter(), 0, Request(scope)

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)  # the API page has a policy of its own
            await send(message)

        try:
            if problem := self._rejection(request):
                await problem.to_response(request)(scope, receive, send_with_headers)
            else:
                await self._app(scope, receive, send_with_headers)
        except ClientDisconnect:
            status = status or 499  # nginx's code for "client closed request"
        except Exception as error:
            _log.error("request failed: %s", type(error).__name__)
            if not status:
                problem = ProblemError(500, "internal", "Internal error; please report it.")
                await problem.to_response(request)(scope, receive, send_with_headers)
        finally:
            self._bodies.release(request)
            seconds = time.perf_counter() - start
            # The route template, not the path: paths are unbounded and may contain text of the user.
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.count(route, status, seconds)
            _log.info("%s %s %d %.0f ms", scope["method"], route, status, 1000 * seconds)

    def _rejection(self, request: Request) -> ProblemError | None:
        """Return the problem of a request from another site's page: DNS rebinding, or a cross-site POST."""
        # DNS rebinding: a foreign name that points to this machine gives a foreign page the same origin.
        host = _host_of(f"//{request.headers.get('host', '')}")
        if self._hosts and host not in self._hosts:
            return ProblemError(421, "unknown-host", "Unknown host name; allow it with --allow-host.")
        # CSRF: forms and scripts of other sites can send requests here, even if they cannot read the response.
        origin = request.headers.get("origin")
        is_foreign = origin is not None and not self._is_own(origin, request.headers.get("host", ""))
        # Routes that fetch an act cost as much as a POST, so an image of another site must not have them do so.
        is_costly = request.method == "POST" or request.url.path.startswith(_COSTLY)
        if is_costly and (is_foreign or request.headers.get("sec-fetch-site") == "cross-site"):
            detail = "Cross-site requests are not allowed; use the page of this service."
            return ProblemError(403, "cross-site", detail)
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether a page of this origin is one of the service: another port of this machine is another program.

        Ports are not compared if a proxy may have changed them: for public names, and if the host has none.
        """
        name, own, port = _host_of(origin), _host_of(f"//{host}"), _port_of(f"//{host}")
        if name in self._public:
            return True
        return name in {own, *self._hosts} and (port is None or port == _port_of(origin))


def _port_of(address: str) -> int | None:
    try:
        parts = urlsplit(address)
        return parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None


def _loopback_names(host: str) -> tuple[str, ...]:
    """Return the host names to allow on a loopback address; on others only the operator knows the public names."""
    try:
        is_loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    return (*_LOOPBACK_NAMES, host) if is_loopback else ()


def _host_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").rstrip(".")
    except ValueError:
        return ""
