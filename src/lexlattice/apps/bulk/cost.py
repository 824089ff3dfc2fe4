"""What it costs to fetch the acts that a bulk run names by CELEX number or URL: said before it begins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from lexlattice.reading.fetch import cached_bytes

_MINUTE: Final = 60
_HOUR: Final = 3600


@dataclass(frozen=True, slots=True)
class FetchCost:
    """The acts to fetch, and what is known of those that were fetched before."""

    acts: int
    cached: int
    cached_size: int
    """Bytes of the cached ones in total."""

    @property
    def requests(self) -> int:
        """Requests that are sent at least: one for each act that is not cached."""
        return self.acts - self.cached

    def describe(self, rate: float) -> str:
        """Say it in one line, at a number of requests per second."""
        time = _duration(self.requests / rate)
        parts = [
            f"{self.acts:,} acts to fetch, {self.cached:,} of them cached",
            f"{self.requests:,} requests or more, {time} or more at {rate:g} a second" if self.requests else "",
        ]
        if self.requests and self.cached:
            size = self.requests * self.cached_size / self.cached / 1e6
            parts.append(f"about {size:,.1f} MB, if they are like the cached ones")
        return "; ".join(filter(None, parts))


def fetch_cost(addresses: Iterable[str], language: str | None) -> FetchCost:
    """Look up which acts are cached; nothing is fetched."""
    acts = cached = size = 0
    for address in addresses:
        acts += 1
        found = cached_bytes(address, language=language)
        if found is not None:
            cached, size = cached + 1, size + found
    return FetchCost(acts, cached, size)


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    return f"{seconds / _MINUTE:.0f} min" if seconds < 2 * _HOUR else f"{seconds / _HOUR:.1f} h"
