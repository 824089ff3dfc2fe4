"""Settings of the service: address, allowed hosts and all limits."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Final

from lexlattice.apps.serve.hosts import parsed_authority
from lexlattice.errors import OptionError

_DAY: Final = 86_400
_MIN_MEMORY: Final = 500_000_000


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the service; the defaults suit one person on their own machine.

    Attributes:
        host: Address to listen on; the default is not reachable from other machines.
        port: Port to listen on; 0 for any free one.
        workers: Number of worker processes.
        queue: Requests that may wait for a worker; more are refused.
        max_bytes: Size limit of a request.
        max_memory: Memory limit of each worker in bytes; the largest known acts need a quarter of the default.
        max_seconds: Time limit for a request to arrive, then to wait, then to be processed.
        max_acts: Acts per request.
        max_connections_per_address: Connections that one address may have, such as that of a proxy on another machine.
            By default a quarter of all if it is of another machine, and any number if it is of this one.
        allowed_hosts: Public host names, such as that of a reverse proxy, in addition to those of this machine; with
            the port if the proxy removes it from the Host header.
        fetch: Whether acts are fetched from the Publications Office by CELEX number.

    Raises:
        OptionError: A value is out of range.

    """

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    queue: int = 64
    max_bytes: int = 20_000_000
    max_memory: int = 2_000_000_000
    max_seconds: float = 30.0
    max_acts: int = 1000
    max_connections_per_address: int | None = None
    allowed_hosts: tuple[str, ...] = ()
    fetch: bool = True

    def __post_init__(self) -> None:
        # Written so that NaN fails every check, too.
        for name, value, is_valid, valid in (
            ("port", self.port, 0 <= self.port <= 65535, "from 0 to 65535"),
            ("workers", self.workers, self.workers >= 1, "at least 1"),
            ("max_bytes", self.max_bytes, self.max_bytes >= 1, "at least 1"),
            ("max_acts", self.max_acts, self.max_acts >= 1, "at least 1"),
            (
                "max_connections_per_address",
                self.max_connections_per_address,
                self.max_connections_per_address is None or self.max_connections_per_address >= 1,
                "at least 1",
            ),
            ("max_memory", self.max_memory, self.max_memory >= _MIN_MEMORY, f"at least {_MIN_MEMORY}"),
            ("queue", self.queue, self.queue >= 0, "at least 0"),
            ("max_seconds", self.max_seconds, 0 < self.max_seconds <= _DAY, f"above 0 and at most {_DAY}"),
        ):
            if not is_valid:
                raise OptionError(f"The setting {name} must be {valid}, not {value}.")
        for name in self.allowed_hosts:
            if parsed_authority(name) is None:
                example = "law.example, law.example:8443 or [2001:db8::1]"
                raise OptionError(f"A host to allow must be a name, with a port or not, such as {example}; not {name}.")

    @property
    def max_held_bytes(self) -> int:
        """Limit of the bytes of all requests in memory at the same time."""
        return 16 * self.max_bytes
