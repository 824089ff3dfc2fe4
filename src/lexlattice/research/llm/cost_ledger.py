"""What was spent on the replies of a folder, by whichever process and in whichever run: a cap holds over all of them.

It is a small database beside the replies. Before a request is sent, the most that it can cost is set aside there, and
replaced by what it did cost; each is one transaction, so that no two processes spend the same money. What a killed
process had set aside stays spent: its requests may well have been billed.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Final

from lexlattice._internal.files import writing
from lexlattice.errors import LexLatticeError, brief
from lexlattice.research.llm.schema import Store

# What asking costs: how many tokens texts are at most, what they cost, and what may be spent.

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


# What was spent on the replies of a folder, by whichever process and in whichever run: a cap holds over all of them.

NAME: Final = "spent.sqlite"
_PATIENCE: Final = 60.0
"""Seconds to wait for other processes, each of which needs a few milliseconds."""
_TABLE: Final = (
    "CREATE TABLE payments (id INTEGER PRIMARY KEY, requests INT, tokens_in INT, tokens_out INT, money REAL)"
)
_PAY: Final = "INSERT INTO payments (requests, tokens_in, tokens_out, money) VALUES (?, ?, ?, ?)"
_SUMS: Final = "COALESCE(SUM(requests), 0), COALESCE(SUM(tokens_in), 0), COALESCE(SUM(tokens_out), 0)"


class Purse:
    """Pays for requests as long as the cap allows; several threads and processes may pay from it."""

    def __init__(self, store: Store, cap: Cap, prices: Prices) -> None:
        if cap.money < float("inf") and not prices.are_known:
            raise LexLatticeError(
                "A cap on spending means nothing without prices; give the endpoint price_in and price_out, of a "
                "million tokens (0 for a model that costs nothing)."
            )
        self._store, self._cap, self._prices = store, cap, prices
        self._path = store.folder / NAME
        self._lock = threading.Lock()
        self._own = Estimate()

    @property
    def own(self) -> Estimate:
        """What was paid through this object."""
        return self._own

    @property
    def spent(self) -> Estimate:
        """All that was ever paid for the replies of this folder, and what is set aside at present."""
        with self._transaction() as base:
            return self._spent(base)

    def check(self, estimate: Estimate) -> None:
        """Refuse to start what will not be finished."""
        if not estimate.requests or not self._cap.is_any:
            return
        spent = self.spent
        if (spent + estimate).exceeds(self._cap):
            before = f" after {spent} before" if spent.requests else ""
            raise SpendingError(
                f"This would take about {estimate}{before}, above the cap; raise the cap or ask for less."
            )

    def set_aside(self, most: Estimate) -> int:
        """Make sure that a request can be paid, however long its reply; `SpendingError` if not.

        What is returned is to be given to `pay`.
        """
        with self._transaction() as base:
            self._refuse_beyond_cap(self._spent(base), most)
            return int(base.execute(_PAY, _columns(most)).lastrowid or 0)

    def pay(self, aside: int, actual: Estimate) -> None:
        """Pay for a request that was set aside for; it may have cost nothing."""
        with self._transaction() as base:
            base.execute("DELETE FROM payments WHERE id = ?", (aside,))
            if actual.requests:
                base.execute(_PAY, _columns(actual))
        self._count(actual)

    def lose(self, lost: Estimate) -> None:
        """Pay for an attempt that was sent and not answered; `SpendingError` if there is to be no other."""
        with self._transaction() as base:
            base.execute(_PAY, _columns(lost))
            spent = self._spent(base)
        self._count(lost)
        self._refuse_beyond_cap(spent, Estimate())

    def _count(self, paid: Estimate) -> None:
        with self._lock:
            self._own += paid

    def _refuse_beyond_cap(self, spent: Estimate, most: Estimate) -> None:
        if (spent + most).exceeds(self._cap):
            raise SpendingError(
                f"The next request could pass the cap on spending (so far {spent}); "
                "raise the cap and start again: nothing that was answered is asked twice."
            )

    def _spent(self, base: sqlite3.Connection) -> Estimate:
        """What was paid before prices were known is counted at those of today."""
        priced = base.execute(f"SELECT {_SUMS}, COALESCE(SUM(money), 0.0) FROM payments WHERE money IS NOT NULL")
        others = base.execute(f"SELECT {_SUMS} FROM payments WHERE money IS NULL").fetchone()
        total = Estimate(*priced.fetchone())
        return total + self._prices.estimate(others[1], others[2], others[0]) if others[0] else total

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing, and nobody else meanwhile; a new database begins with the replies that are there."""
        with writing(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(self._path, timeout=_PATIENCE, isolation_level=None)) as base:
                base.execute("BEGIN IMMEDIATE")
                if not base.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'payments'").fetchone()[0]:
                    base.execute(_TABLE)
                    requests, tokens_in, tokens_out = self._store.usage()
                    base.execute(_PAY, (requests, tokens_in, tokens_out, None))
                yield base
                base.execute("COMMIT")
        except sqlite3.Error as error:
            raise LexLatticeError(
                f"What was spent cannot be noted in '{self._path}' ({brief(error)}); make room, or remove the file if "
                "it is damaged: it is then counted anew from the replies."
            ) from error


def _columns(paid: Estimate) -> tuple[int, int, int, float | None]:
    return paid.requests, paid.tokens_in, paid.tokens_out, paid.money
