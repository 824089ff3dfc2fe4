"""The middleware of every request: host and origin checks, security headers, metrics, and a log line."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lexlattice.apps.serve.bodies import BodyReader
from lexlattice.apps.serve.origins import OriginPolicy
from lexlattice.apps.serve.problems import ProblemError
from lexlattice.apps.serve.settings import Settings
from lexlattice.apps.serve.workers import ClosingError, RequestPool

_log: Final = logging.getLogger("lexlattice.apps.serve")
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
        self._origins = OriginPolicy(settings.host, settings.allowed_hosts)

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
        except asyncio.CancelledError:  # by uvicorn, which has waited long enough to shut down
            if not status:
                problem = ProblemError.from_error(ClosingError())
                await problem.to_response(request)(scope, receive, send_with_headers)
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
        # Proxies disagree on where such a request ends, so that a second one could be hidden in the first.
        if "content-length" in request.headers and "transfer-encoding" in request.headers:
            detail = "Invalid request: it has both Content-Length and Transfer-Encoding; send one of them."
            return ProblemError(400, "invalid-request", detail, {"Connection": "close"})
        return self._origins.rejection(request)
