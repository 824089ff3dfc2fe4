"""Around every request: who may ask, headers that protect, figures, a log line without anything of the user's."""

from __future__ import annotations

import ipaddress
import logging
import time
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lexlattice.serving.intake import Intake
from lexlattice.serving.metrics import Metrics
from lexlattice.serving.problems import ProblemError
from lexlattice.serving.settings import Settings

_log: Final = logging.getLogger("lexlattice.serving")
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
