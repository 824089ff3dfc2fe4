"""What asking costs: how many tokens texts are at most, what they cost, and what may be spent.

An estimate is made before the first request, and rather too high than too low: a cap that is taken for granted must not
be passed because a language has long words. What was spent is counted from what the endpoint reports.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from lexlattice.errors import LexLatticeError

_ASCII_LETTERS: Final = 3
"""Of a token: English has more, the inflected languages hardly do."""
_MILLION: Final = 1_000_000


class SpendingError(LexLatticeError):
    """More would be spent than is allowed; what was paid for is kept."""


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that may be spent, in the money that prices are in, in tokens, or in both."""

    money: float = math.inf
    tokens: float = math.inf

    def __post_init__(self) -> None:
        if not all(_is_number(most) and most >= 0 for most in (self.money, self.tokens)):
            raise LexLatticeError("A cap on spending must be a number that is not negative.")

    @property
    def is_any(self) -> bool:
        """Whether something is capped at all."""
        return min(self.money, self.tokens) < math.inf


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many requests there are to make, with how many tokens, and what they cost."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = 0.0
    """None where no prices are known."""

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.requests + other.requests,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            None if self.money is None or other.money is None else self.money + other.money,
        )

    def exceeds(self, cap: Cap) -> bool:
        """Whether this is more than is allowed."""
        return (self.money or 0.0) > cap.money or self.tokens_in + self.tokens_out > cap.tokens

    def __str__(self) -> str:
        money = "no prices known" if self.money is None else f"{self.money:.2f} in money"
        return f"{self.requests} requests, {self.tokens_in} + {self.tokens_out} tokens, {money}"


def tokens_of(*texts: str) -> int:
    """How many tokens texts have, rather too many than too few: one for each letter outside ASCII.

    Tokenizers were made from English: Greek has up to a token a letter, and an accent often costs one.

    >>> tokens_of("Keepers register each beehive.")
    10
    >>> tokens_of("Οι κάτοχοι δηλώνουν τις κυψέλες.")
    29
    """
    letters = sum(map(len, texts))
    ascii_letters = sum(len(text.encode("ascii", "ignore")) for text in texts)
    return letters - ascii_letters - (-ascii_letters // _ASCII_LETTERS)


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens; None where they are not known."""

    into: float | None
    out: float | None

    @property
    def are_known(self) -> bool:
        """Both of them."""
        return self.into is not None and self.out is not None

    def estimate(self, tokens_in: int, tokens_out: int, requests: int = 1) -> Estimate:
        """What requests of that size in all cost."""
        money = None
        if self.into is not None and self.out is not None:
            money = (tokens_in * self.into + tokens_out * self.out) / _MILLION
        return Estimate(requests, tokens_in, tokens_out, money)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
