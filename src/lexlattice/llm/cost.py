"""What asking costs: an estimate before the first request, and a cap that is not passed.

Tokens are told from bytes of UTF-8, four to one: about four letters of English, and two of Greek or Bulgarian, which
tokenizers cut finer too. So an estimate is a guide; what was spent is counted from what the endpoint reports.
"""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Final

from lexlattice.errors import LexLatticeError

_BYTES: Final = 4
_MILLION: Final = 1_000_000


class SpendingError(LexLatticeError):
    """More would be spent than is allowed; what was paid for is kept."""


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that may be spent, in the money that prices are in, in tokens, or in both."""

    money: float = math.inf
    tokens: float = math.inf

    def __post_init__(self) -> None:
        if not (self.money >= 0 and self.tokens >= 0):
            raise LexLatticeError("A cap on spending must be a number that is not negative.")


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many requests there are to make, with how many tokens, and what they cost."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float = 0.0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.requests + other.requests,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.money + other.money,
        )

    def exceeds(self, cap: Cap) -> bool:
        """Whether this is more than is allowed."""
        return self.money > cap.money or self.tokens_in + self.tokens_out > cap.tokens

    def __str__(self) -> str:
        return f"{self.requests} requests, {self.tokens_in} + {self.tokens_out} tokens, {self.money:.2f} in money"


def tokens_of(*texts: str) -> int:
    """About how many tokens texts have.

    >>> tokens_of("Keepers register each beehive.")
    8
    >>> tokens_of("Οι κάτοχοι δηλώνουν τις κυψέλες.")
    15
    """
    return -(-sum(len(text.encode("utf-8", "replace")) for text in texts) // _BYTES)


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens."""

    into: float
    out: float

    def estimate(self, tokens_in: int, tokens_out: int) -> Estimate:
        """What one request of that size costs."""
        return Estimate(1, tokens_in, tokens_out, (tokens_in * self.into + tokens_out * self.out) / _MILLION)


class Purse:
    """Counts what is spent; several threads may pay from it."""

    def __init__(self, cap: Cap) -> None:
        self._cap = cap
        self._lock = threading.Lock()
        self._spent = Estimate()
        self._set_aside = Estimate()

    @property
    def spent(self) -> Estimate:
        """All that was paid so far."""
        return self._spent

    def set_aside(self, most: Estimate) -> None:
        """Make sure that a request can be paid, however long its reply; `SpendingError` if not."""
        with self._lock:
            if (self._spent + self._set_aside + most).exceeds(self._cap):
                raise SpendingError(
                    f"The next request could pass the cap on spending (so far {self._spent}); "
                    "raise the cap and start again: nothing that was answered is asked twice."
                )
            self._set_aside += most

    def pay(self, most: Estimate, actual: Estimate) -> None:
        """Pay for a request that was set aside for; nothing, if it was not answered."""
        with self._lock:
            back = Estimate(-most.requests, -most.tokens_in, -most.tokens_out, -most.money)
            self._set_aside += back
            self._spent += actual

    def check(self, estimate: Estimate) -> None:
        """Refuse to start what will not be finished."""
        if (self._spent + estimate).exceeds(self._cap):
            raise SpendingError(f"This would take about {estimate}, above the cap; raise the cap or ask for less.")
