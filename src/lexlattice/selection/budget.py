"""Word budgets: a number of words, a share of the act, or relative to official summaries."""

from __future__ import annotations

import operator
from contextlib import suppress
from dataclasses import dataclass
from numbers import Real
from typing import Final, SupportsIndex, cast

from lexlattice.errors import OptionError

_OFFICIAL_LENGTH: Final = (209.6, 0.1437)
"""Official summaries have about a · words ** b words for an act of `words` words; fitted by `tools/fit_budget.py`."""
_TIMES_OFFICIAL: Final = {"short": 1 / 3, "medium": 1.0, "long": 2.0}
_LARGEST_SHARE: Final = 0.5
"""The curve says little about the shortest acts; an extract of more than half of an act is not useful."""
_OWN_SUMMARY: Final = 120
"""An act with at most this many words, such as a corrigendum, is its own summary."""
_MOST_WORDS: Final = 10**9
_HOW_TO_WRITE_ONE: Final = (
    "write one of: short, medium, long, words:N, ratio:R, reference, with N a whole number and R a share up to 1."
)


@dataclass(frozen=True, slots=True)
class Budget:
    """The length of an extract: N words, a share of the act, or as long as an official summary, a third, or twice.

    >>> Budget.parse("words:400").of(10_000), Budget.parse("ratio:0.05").of(10_000), Budget().of(10_000)
    (400, 500, 787)
    >>> Budget.parse("short").of(10_000), Budget.parse("long").of(10_000)
    (262, 1574)
    """

    kind: str = "medium"
    amount: float | None = None

    def __post_init__(self) -> None:
        if self.kind == "words" and (whole := whole_number(self.amount)) is not None:
            object.__setattr__(self, "amount", whole)
        if self.kind == "ratio" and isinstance(self.amount, Real) and not isinstance(self.amount, int):
            object.__setattr__(self, "amount", float(self.amount))
        amount = self.amount
        if amount is None and self.kind in (*_TIMES_OFFICIAL, "reference"):
            return
        if amount is None or self.kind not in ("words", "ratio"):
            raise OptionError(f"'{self}' is not a budget; {_HOW_TO_WRITE_ONE}")
        if self.kind == "words" and not (type(amount) is int and 0 < amount <= _MOST_WORDS):
            raise OptionError(f"{amount!r} words are not a valid length; give a whole number from 1 up.")
        if self.kind == "ratio" and not (type(amount) in (int, float) and 0 < amount <= 1):
            raise OptionError(f"{amount!r} is not a valid ratio; give a share above 0 and at most 1.")

    @classmethod
    def parse(cls, text: str) -> Budget:
        """Parse a budget as configurations write it: short, medium, long, words:N, ratio:R or reference."""
        if not isinstance(text, str):
            raise OptionError(f"{text!r} is not a budget; {_HOW_TO_WRITE_ONE}")
        kind, colon, amount = text.partition(":")
        try:
            return cls(kind, (int(amount) if kind == "words" else float(amount)) if colon else None)
        except ValueError:
            raise OptionError(f"'{text}' is not a budget; {_HOW_TO_WRITE_ONE}") from None

    def of(self, act_words: int, reference: str | None = None) -> int:
        """Return the number of words for an act of N words; `reference` is the summary whose length to match."""
        if self.amount is not None:
            return int(self.amount) if self.kind == "words" else max(1, round(self.amount * act_words))
        if self.kind == "reference":
            if reference is None:
                raise OptionError("The budget 'reference' needs a reference summary; give another budget.")
            return len(reference.split())
        a, b = _OFFICIAL_LENGTH
        share = max(_LARGEST_SHARE * act_words, min(act_words, _OWN_SUMMARY))
        return max(1, int(min(_TIMES_OFFICIAL[self.kind] * a * act_words**b, share)))

    def __str__(self) -> str:
        return f"{self.kind}" if self.amount is None else f"{self.kind}:{self.amount}"


def whole_number(value: object) -> int | None:
    """Return a whole number of any kind, such as NumPy's, as Python's own; None if it is something else."""
    with suppress(TypeError):
        return None if isinstance(value, bool) else operator.index(cast(SupportsIndex, value))
    return None
