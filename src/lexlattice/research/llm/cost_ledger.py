"""Spending on language models: prices, estimates, a cap, and a ledger that enforces the cap across processes and runs.

The ledger is a small SQLite database next to the cached replies. Before a request is sent, its maximum cost is reserved
there; afterwards the reservation is replaced by the actual cost. Each step is one transaction, so no two processes
spend the same money. The reservation of a killed process remains: its request may well have been billed.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from typing import Final, NamedTuple

from lexlattice._internal.files import writing
from lexlattice.errors import ConfigError, LexLatticeError, OutputError, brief
from lexlattice.research.llm.replies import ReplyCache

_ASCII_PER_TOKEN: Final = 3
"""A low estimate: English has more characters per token, inflected languages hardly more."""
_MILLION: Final = 1_000_000


class SpendingError(LexLatticeError):
    """The spending cap does not allow the next request; replies that were paid for are cached."""

    code = "spending-cap"


@dataclass(frozen=True, slots=True)
class Cap:
    """The maximum spending, in money (the currency of the prices), in tokens, or both."""

    money: float = math.inf
    tokens: float = math.inf

    def __post_init__(self) -> None:
        for limit in (self.money, self.tokens):
            if not isinstance(limit, int | float) or isinstance(limit, bool) or not limit >= 0:
                raise ConfigError("A spending cap must be a number that is not negative.")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number of requests with their tokens and their cost."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money: float | None = 0.0
    """None if prices are unknown."""

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.requests + other.requests,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            None if self.money is None or other.money is None else self.money + other.money,
        )

    def exceeds(self, cap: Cap) -> bool:
        """Whether this is more than the cap allows."""
        return (self.money or 0.0) > cap.money or self.tokens_in + self.tokens_out > cap.tokens

    def __str__(self) -> str:
        money = "prices unknown" if self.money is None else f"cost {self.money:,.2f}"
        return f"{self.requests:,} requests, {self.tokens_in:,} + {self.tokens_out:,} tokens, {money}"


class Prices(NamedTuple):
    """Prices per million tokens; None if unknown."""

    tokens_in: float | None
    tokens_out: float | None

    def estimate(self, tokens_in: int, tokens_out: int, requests: int = 1) -> Estimate:
        """The cost of requests with these tokens in total."""
        money = None
        if self.tokens_in is not None and self.tokens_out is not None:
            money = (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / _MILLION
        return Estimate(requests, tokens_in, tokens_out, money)


def max_tokens_of(*texts: str) -> int:
    """An upper estimate of the tokens of texts: one for three ASCII characters, one for every other character.

    Tokenizers are trained mostly on English: Greek takes up to a token per letter, and an accented letter often one.

    >>> max_tokens_of("Keepers register each beehive.")
    10
    >>> max_tokens_of("Οι κάτοχοι δηλώνουν τις κυψέλες.")
    29
    """
    characters = sum(map(len, texts))
    ascii_characters = sum(len(text.encode("ascii", "ignore")) for text in texts)
    return characters - ascii_characters + math.ceil(ascii_characters / _ASCII_PER_TOKEN)


NAME: Final = "spent.sqlite"
_LOCK_TIMEOUT: Final = 60.0
"""Seconds to wait for other processes, each of which needs a few milliseconds."""
_CREATE: Final = (
    "CREATE TABLE payments (id INTEGER PRIMARY KEY, requests INT, tokens_in INT, tokens_out INT, money REAL)"
)
_INSERT: Final = "INSERT INTO payments (requests, tokens_in, tokens_out, money) VALUES (?, ?, ?, ?)"
_SUMS: Final = "COALESCE(SUM(requests), 0), COALESCE(SUM(tokens_in), 0), COALESCE(SUM(tokens_out), 0)"


class CostLedger:
    """Records the cost of requests and enforces the cap; several threads and processes may share a ledger."""

    def __init__(self, cache: ReplyCache, cap: Cap, prices: Prices) -> None:
        if cap.money < math.inf and None in prices:
            raise ConfigError(
                "A spending cap in money needs prices; give the endpoint price_in and price_out per million tokens "
                "(0 for a free model)."
            )
        self._cache, self._cap, self._prices = cache, cap, prices
        self._path = cache.folder / NAME
        self._lock = threading.Lock()
        self._settled = threading.Condition()
        self._open = 0
        """Reservations through this object that are not settled yet."""
        self._spent_here = Estimate()

    @property
    def spent_here(self) -> Estimate:
        """The cost of requests through this object."""
        return self._spent_here

    def check(self, estimate: Estimate) -> None:
        """Raise `SpendingError` if requests with this estimated cost would exceed the cap."""
        if not estimate.requests or self._cap == Cap():
            return
        with self._transaction() as database:
            spent = self._total(database)
        if (spent + estimate).exceeds(self._cap):
            before = f", after {spent} before" if spent.requests else ""
            raise SpendingError(f"This would take about {estimate}{before}: more than the cap; raise it or do less.")

    def reserve(self, maximum: Estimate) -> int:
        """Reserve the maximum cost of a request, and return the id for `settle`.

        Requests cost far less than their maximum. So where the cap is near and other threads have requests under way,
        this waits until what they reserved too much is free again.

        Raises:
            SpendingError: The reservation would exceed the cap, and no request of this object is under way.

        """
        with self._settled:
            while True:
                with self._transaction() as database:
                    spent = self._total(database)
                    if not (spent + maximum).exceeds(self._cap):
                        reservation = int(database.execute(_INSERT, astuple(maximum)).lastrowid or 0)
                        self._open += 1
                        return reservation
                if not self._open:
                    self._enforce(spent, maximum)
                self._settled.wait()

    def settle(self, reservation: int, actual: Estimate) -> None:
        """Replace a reservation by the actual cost, which may be nothing."""
        with self._transaction() as database:
            database.execute("DELETE FROM payments WHERE id = ?", (reservation,))
            if actual.requests:
                database.execute(_INSERT, astuple(actual))
        self._count(actual)
        with self._settled:
            self._open -= 1
            self._settled.notify_all()

    def record_unanswered(self, cost: Estimate) -> None:
        """Record an attempt that was sent and not answered; raise `SpendingError` if the cap allows no other."""
        with self._transaction() as database:
            database.execute(_INSERT, astuple(cost))
            total = self._total(database)
        self._count(cost)
        self._enforce(total)

    def _count(self, paid: Estimate) -> None:
        with self._lock:
            self._spent_here += paid

    def _enforce(self, spent: Estimate, maximum: Estimate | None = None) -> None:
        if (spent + (maximum or Estimate())).exceeds(self._cap):
            raise SpendingError(
                f"The next request could exceed the spending cap (so far {spent}); raise the cap and start again: "
                "cached replies are not paid for twice."
            )

    def _total(self, database: sqlite3.Connection) -> Estimate:
        """All payments and reservations; those made while prices were unknown count at the current prices."""
        priced = database.execute(f"SELECT {_SUMS}, COALESCE(SUM(money), 0.0) FROM payments WHERE money IS NOT NULL")
        others = database.execute(f"SELECT {_SUMS} FROM payments WHERE money IS NULL").fetchone()
        total = Estimate(*priced.fetchone())
        return total + self._prices.estimate(others[1], others[2], others[0]) if others[0] else total

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """An exclusive transaction; a new database starts with the cost of the replies that are already cached."""
        with writing(self._path):
            self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(self._path, timeout=_LOCK_TIMEOUT, isolation_level=None)) as database:
                database.execute("BEGIN IMMEDIATE")
                if not database.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'payments'").fetchone()[0]:
                    database.execute(_CREATE)
                    database.execute(_INSERT, (*self._cache.usage(), None))
                yield database
                database.execute("COMMIT")
        except sqlite3.Error as error:
            raise OutputError(
                f"The cost ledger '{self._path}' cannot be written ({brief(error)}); free disk space, or remove the "
                "file if it is damaged: it is then rebuilt from the cached replies."
            ) from error
