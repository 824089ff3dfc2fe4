"""Connections: how many there may be, and how long and how much of the service a client may hold without working.

Whatever a client does, its connection ends: it must send the head of a request in time, read its responses at some
rate, and not stay idle for ever. Where places run out, those that wait for their client give way to new ones.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import socket
from collections.abc import Iterable
from typing import Any, ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from lexlattice.apps.serve.middleware import SECURITY_HEADERS
from lexlattice.apps.serve.problems import MEDIA_TYPE, ProblemError

_MIN_RATE: Final = 100_000
"""Bytes per second at which a response must be read on average, so that large ones may take longer."""
_ROUND_TRIP: Final = 1.0
"""Seconds in addition, whenever the system takes no more: the way to a client and back is not its fault."""
_REMOTE_SHARE: Final = 4
"""One address of another machine may have a quarter of all connections."""
_MALFORMED: Final = ProblemError(
    400, "invalid-request", "Invalid request: it is not valid HTTP/1.1; send it with an HTTP client."
)
_CAN_ANSWER: Final = (h11.IDLE, h11.SEND_RESPONSE)


class Connections:
    """The open connections of a server.

    Args:
        seconds: How long a client may take to send the head of a request, and how long it may stop reading.
        limit: How many connections there may be.
        per_address: How many of them one address may have. By default a quarter if it is that of another machine, and
            any number if it is of this one, where all come from the proxy that is in front.
        unread_bytes: How much of all responses may wait in memory for clients to read them.

    """

    def __init__(self, seconds: float, limit: int, per_address: int | None, unread_bytes: int) -> None:
        self.seconds = seconds
        self._limit, self._per_address, self._unread_bytes = limit, per_address, unread_bytes
        self._open: dict[str, dict[TimedProtocol, None]] = {}
        self._unread: dict[TimedProtocol, None] = {}
        self._count = 0

    def add(self, connection: TimedProtocol) -> None:
        """Admit a connection; if there is no place for it, one that waits for its client gives way, or else this."""
        address = connection.address
        same = self._open.setdefault(address, {})
        same[connection] = None
        self._count += 1
        if len(same) > self._limit_of(address):
            self._end_one(same)
        elif self._count > self._limit:
            self._end_one(one for group in self._open.values() for one in group)

    def add_unread(self, connection: TimedProtocol) -> None:
        """Note that a response waits to be read; if there are too many, the one that has waited longest is given up."""
        self._unread[connection] = None
        while sum(one.transport.get_write_buffer_size() for one in self._unread) > self._unread_bytes:
            self._end(next(iter(self._unread)))

    def remove_unread(self, connection: TimedProtocol) -> None:
        """Note that a response was taken over by the system completely."""
        self._unread.pop(connection, None)

    def remove(self, connection: TimedProtocol) -> None:
        """Forget a connection that has ended."""
        self.remove_unread(connection)
        same = self._open.get(connection.address, {})
        if connection in same:
            del same[connection]
            self._count -= 1
            if not same:
                del self._open[connection.address]

    def _limit_of(self, address: str) -> int:
        if self._per_address is not None:
            return self._per_address
        return self._limit if _is_local(address) else max(1, self._limit // _REMOTE_SHARE)

    def _end_one(self, connections: Iterable[TimedProtocol]) -> None:
        # The new one waits for its client too, so it is the choice if the service is at work for all others.
        self._end(min(connections, key=lambda one: one.waiting_since))

    def _end(self, connection: TimedProtocol) -> None:
        self.remove(connection)  # now, since `connection_lost` is called later
        connection.transport.abort()


class TimedProtocol(H11Protocol):
    """One connection, with a timer for the head of a request and one for a response that is not read.

    It is always h11 that parses, also where uvicorn would prefer another parser: what is malformed is decided by one.
    """

    registry: ClassVar[Connections]
    """The connections of the server, set by `protocol_for`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._since = self._paused_at = self.loop.time()
        self._patience = self.registry.seconds
        self._due = 0.0
        self.address = ""

    @property
    def waiting_since(self) -> float:
        """When the service began to wait for the client; infinite while it is at work for it."""
        cycle = self.cycle
        is_at_work = cycle is not None and not (cycle.response_complete or cycle.more_body or self.flow.write_paused)
        return math.inf if is_at_work else self._since

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, and start the time for the first request."""
        super().connection_made(transport)
        # Every byte that the system does not take counts as unread, however small the response is.
        transport.set_write_buffer_limits(0)
        _reset_unread(transport.get_extra_info("socket"), self.registry.seconds)
        self.address = _group_of(self.client[0]) if self.client else ""  # it may be gone already
        self._start_timer("head", self.registry.seconds)
        self.registry.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        for name in tuple(self._timers):
            self._stop_timer(name)
        self._unset_keepalive_if_required()
        self.registry.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse what came; the time for a head runs until it is complete."""
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._since = self.loop.time()
        # No cycle, or a complete one: the head of the next request is still incomplete.
        if self.cycle is None or self.cycle.response_complete:
            self._start_timer("head", self.registry.seconds)
        else:
            self._stop_timer("head")

    def on_response_complete(self) -> None:
        """Wait for the next request, or go on with one that is there already."""
        self._since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Start the time for reading: the system takes no more, since the client does not read."""
        super().pause_writing()
        self._since = self._paused_at = self.loop.time()
        self._due = _ROUND_TRIP + self.transport.get_write_buffer_size() / _MIN_RATE
        self._start_timer("response", self._patience + self._due)
        self.registry.add_unread(self)

    def resume_writing(self) -> None:
        """Stop the time for reading; who was slower than allowed has less patience left for the next time."""
        super().resume_writing()
        self._stop_timer("response")
        self.registry.remove_unread(self)
        too_slow = self.loop.time() - self._paused_at - self._due
        self._patience = min(self.registry.seconds, self._patience - too_slow)

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection. One whose client still reads is not idle, and has a time of its own."""
        if self.flow.write_paused:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )
        else:
            super().timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP like any other invalid request; the application never sees it."""
        if self.conn.our_state not in _CAN_ANSWER:  # the answer has begun: nothing can be said any more
            self.transport.abort()
            return
        body = _MALFORMED.to_json(None)
        headers = {"content-type": MEDIA_TYPE, "content-length": str(len(body)), "connection": "close"}
        fields = [*self.server_state.default_headers, *_encoded({**headers, **SECURITY_HEADERS})]
        for event in (h11.Response(status_code=400, headers=fields), h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _start_timer(self, name: str, seconds: float) -> None:
        if name not in self._timers:
            self._timers[name] = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timer(self, name: str) -> None:
        if name in self._timers:
            self._timers.pop(name).cancel()


def protocol_for(connections: Connections) -> type[TimedProtocol]:
    """Return the protocol for the connections of a server; uvicorn wants a class."""
    return type("ServiceProtocol", (TimedProtocol,), {"registry": connections})


def _reset_unread(link: socket.socket, seconds: float) -> None:
    """Have the system end a connection whose client takes nothing of what it was sent, also after it was closed.

    A small response fits into the buffers of the system, so that the service itself never notices.
    """
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, max(1, int(1000 * seconds)))


def _group_of(host: str) -> str:
    """Return what counts as one address: a network for IPv6, where everybody has many.

    >>> _group_of("203.0.113.7"), _group_of("::ffff:203.0.113.7"), _group_of("2001:db8::7"), _group_of("::1")
    ('203.0.113.7', '203.0.113.7', '2001:db8::', '::1')
    """
    address = ipaddress.ip_address(host.partition("%")[0])
    if isinstance(address, ipaddress.IPv4Address) or address.is_loopback:
        return str(address)
    mapped = address.ipv4_mapped
    return str(mapped or ipaddress.IPv6Network((address, 64), strict=False).network_address)


def _is_local(address: str) -> bool:
    return not address or ipaddress.ip_address(address).is_loopback


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]
