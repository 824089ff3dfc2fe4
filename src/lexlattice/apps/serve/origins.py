"""Which pages may call the service: checks of the Host header, and of where a browser says that a request is from."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Final

from starlette.requests import Request

from lexlattice.apps.serve.hosts import Authority, parsed_authority
from lexlattice.apps.serve.problems import ProblemError

_LOOPBACK_NAMES: Final = ("localhost", "127.0.0.1", "::1")
_ORIGIN: Final = re.compile(r"(https?)://(.+)", re.IGNORECASE)
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_COSTLY: Final = "/v1/acts/"


class OriginPolicy:
    """Refuses requests that pages of other sites had a browser send.

    Args:
        host: The address that the service listens on; names of this machine are allowed if it is one of this machine.
        public: Names under which it is reached otherwise, each with or without a port.

    """

    def __init__(self, host: str, public: Iterable[str]) -> None:
        self._public = [found for name in public if (found := parsed_authority(name))]
        self._names = frozenset((*_loopback_names(host), *(name for name, _ in self._public)))

    def rejection(self, request: Request) -> ProblemError | None:
        """Return the problem of a request from the page of another site: DNS rebinding, or a cross-site request."""
        headers, path = request.headers, request.scope["path"]
        # DNS rebinding: a foreign name that points to this machine gives a foreign page the same origin.
        hosts = headers.getlist("host")
        host = parsed_authority(hosts[0]) if len(hosts) == 1 else None
        is_known = host.name in self._names or not self._names if host else not hosts and not self._names
        # A target that is a whole URL names a host of its own, which is not the one that was checked.
        if not is_known or not path.startswith("/"):
            return ProblemError(421, "unknown-host", "Unknown host name; allow it with --allow-host.")
        # CSRF: forms and scripts of other sites can send requests here, even if they cannot read the response. Routes
        # that fetch an act cost as much as a POST, so an image of another site must not have them do so.
        if request.method != "POST" and not path.startswith(_COSTLY):
            return None
        origins = headers.getlist("origin")
        is_own = all(self._is_own(origin, host) for origin in origins)
        sites = {"none", "same-origin", *(["same-site"] if origins and is_own else [])}
        if not is_own or not sites.issuperset(headers.getlist("sec-fetch-site")):
            detail = "Cross-site requests are not allowed; use the page of this service."
            return ProblemError(403, "cross-site", detail)
        return None

    def _is_own(self, origin: str, host: Authority | None) -> bool:
        """Whether a page of this origin is one of the service: another port of the same host is another program.

        It is the one that the Host header names, or one that the operator allowed, since a proxy may change the header.
        """
        match = _ORIGIN.fullmatch(origin)
        found = parsed_authority(match[2]) if match else None
        if match is None or found is None:
            return False
        default = _DEFAULT_PORTS[match[1].lower()]
        own = self._public if host is None else [host, *self._public]
        return any((name, port or default) == (found.name, found.port or default) for name, port in own)


def _loopback_names(host: str) -> tuple[str, ...]:
    """Return the host names to allow on a loopback address; on others only the operator knows the public names."""
    try:
        is_loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    return (*_LOOPBACK_NAMES, host.lower()) if is_loopback else ()
