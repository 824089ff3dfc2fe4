"""Budgets and selection: scores of units → the extract that fits.

Two modes. `whole` is what people get: whole units only, never more words than allowed, points with what leads them
in. `paper` is the paper's: units by score until the budget is reached, then the text is cut to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from lexlattice.act import Act, Unit
from lexlattice.errors import LexLatticeError
from lexlattice.tokens import tokenizer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MODES: Final = ("whole", "paper")

_OFFICIAL_LENGTH: Final = (209.6, 0.1437)
"""Official summaries have about a · words ** b words; fitted by `tools/fit_budget.py`."""
_TIMES_OFFICIAL: Final = {"auto": 1.0, "short": 1 / 3, "long": 2.0}
_LARGEST_SHARE: Final = 0.5
"""The curve says little of the shortest acts; an extract of more than half of an act is not worth making."""
_OWN_SUMMARY: Final = 120
"""An act with no more words, such as a corrigendum, needs no summary: all of it is one."""
_MOST_WORDS: Final = 10**9
_HOW_TO_WRITE_ONE: Final = (
    "write one of: auto, short, long, words:N, ratio:R, reference, with N a whole number and R a share up to 1."
)

_WORD: Final = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Budget:
    """How long an extract may be: so many words, a share of the act, or as long as summaries are, or a third, or twice.

    >>> Budget.parse("words:400").of(10_000), Budget.parse("ratio:0.05").of(10_000), Budget().of(10_000)
    (400, 500, 787)
    >>> Budget.parse("short").of(10_000), Budget.parse("long").of(10_000)
    (262, 1574)
    """

    kind: str = "auto"
    amount: float | None = None

    def __post_init__(self) -> None:
        amount = self.amount
        if amount is None and self.kind in (*_TIMES_OFFICIAL, "reference"):
            return
        if amount is None or self.kind not in ("words", "ratio"):
            raise LexLatticeError(f"'{self}' is no budget; {_HOW_TO_WRITE_ONE}")
        if self.kind == "words" and not (type(amount) is int and 0 < amount <= _MOST_WORDS):
            raise LexLatticeError(f"{amount!r} words cannot be asked for; give a whole number from 1 up.")
        if self.kind == "ratio" and not (isinstance(amount, int | float) and 0 < amount <= 1):
            raise LexLatticeError(f"A ratio of {amount!r} cannot be asked for; give a share above 0, and 1 at most.")

    @classmethod
    def parse(cls, text: str) -> Budget:
        """A budget as written on the command line: auto, short, long, words:N, ratio:R or reference."""
        kind, colon, amount = text.partition(":")
        try:
            return cls(kind, (int(amount) if kind == "words" else float(amount)) if colon else None)
        except ValueError:
            raise LexLatticeError(f"'{text}' is no budget; {_HOW_TO_WRITE_ONE}") from None

    def of(self, act_words: int, reference: str | None = None) -> int:
        """The number of words for an act of this many; `reference` is the summary whose length is to be kept."""
        if self.amount is not None:
            return int(self.amount) if self.kind == "words" else max(1, round(self.amount * act_words))
        if self.kind == "reference":
            if reference is None:
                raise LexLatticeError("The budget 'reference' needs a reference summary; give another budget.")
            return len(reference.split())
        a, b = _OFFICIAL_LENGTH
        share = max(_LARGEST_SHARE * act_words, min(act_words, _OWN_SUMMARY))
        return max(1, int(min(_TIMES_OFFICIAL[self.kind] * a * act_words**b, share)))

    def __str__(self) -> str:
        return self.kind if self.amount is None else f"{self.kind}:{self.amount}"


@dataclass(frozen=True, slots=True)
class Extract:
    """Units of an act in document order, word for word; in mode `paper` the last may be cut."""

    units: tuple[Unit, ...]
    budget: int

    @property
    def words(self) -> int:
        """Number of words in all units; never more than the budget."""
        return sum(unit.words for unit in self.units)

    @property
    def text(self) -> str:
        """The units, one a line."""
        return "\n".join(unit.text for unit in self.units)


def select(
    act: Act | Sequence[Unit],
    scores: ArrayLike,
    words: int,
    *,
    mode: str = "whole",
    redundancy: float | None = None,
) -> Extract:
    """The extract of at most that many words that follows the scores, one for each unit; earlier units win ties.

    Tables are never chosen.

    With `redundancy` (in mode `whole`), a unit of which more than this share of word pairs is already chosen waits
    until everything else has had its turn.
    """
    import numpy as np

    units = act.units if isinstance(act, Act) else tuple(act)
    ranking = np.asarray(scores, dtype=np.float64)
    if ranking.shape != (len(units),):
        raise ValueError(f"{len(units)} units need one score each, not an array of shape {ranking.shape}")
    if not np.isfinite(ranking).all():
        raise ValueError("a score is not a finite number")
    if words < 0:
        raise ValueError(f"an extract cannot have {words} words")
    if mode not in MODES:
        raise ValueError(f"there is no mode {mode!r}; choose one of {MODES}")
    order = [unit for unit in np.argsort(-ranking, kind="stable").tolist() if units[unit].kind != "table"]
    if mode == "paper":
        return Extract(_cut(units, order, words), words)
    return Extract(_whole(units, order, words, redundancy), words)


def lead_ins(units: Sequence[Unit]) -> list[int | None]:
    """For each point or indent, the unit it hangs from: "The label shall be:" for "— legible,".

    What is quoted hangs from the instruction that puts it into another act, directly or through what it hangs from.
    """
    latest: dict[tuple[int, str], int] = {}
    found: list[int | None] = []
    for index, unit in enumerate(units):
        path = unit.provision.partition("~")[0]
        lead = latest.get((unit.section, path.rpartition(".")[0])) if unit.kind in ("point", "indent") else None
        if lead is None and ".q" in path:
            lead = _instruction(unit.section, path, latest)
        found.append(lead)
        latest[unit.section, path] = index
    return found


def _instruction(section: int, path: str, latest: dict[tuple[int, str], int]) -> int | None:
    """The unit that leads in what is quoted: the nearest above it on its path, as far as there is one."""
    if not any(step == "q" or step.startswith("q-") for step in path.split(".")):
        return None
    while path := path.rpartition(".")[0]:
        if (section, path) in latest:
            return latest[section, path]
    return None


def _cut(units: Sequence[Unit], order: Iterable[int], budget: int) -> tuple[Unit, ...]:
    """Units by score until they have as many words as allowed, in document order, the rest cut off."""
    taken = []
    words = 0
    for index in order:
        if words >= budget:
            break
        taken.append(index)
        words += units[index].words
    chosen = [units[index] for index in sorted(taken)]
    while words > budget:
        last = chosen.pop()
        words -= last.words
        if words < budget:
            chosen.append(_beginning(last, budget - words))
            break
    return tuple(chosen)


def _beginning(unit: Unit, words: int) -> Unit:
    """The first words of a unit, still a slice of the source."""
    end = next(islice(_WORD.finditer(unit.text), words - 1, None)).end()
    return unit._replace(text=unit.text[:end], end=unit.start + end, words=words)


def _whole(units: Sequence[Unit], order: Sequence[int], budget: int, redundancy: float | None) -> tuple[Unit, ...]:
    """Three turns, each by score: with lead-ins and not redundant; redundant after all; what still fits at all."""
    leads = lead_ins(units)
    taken: set[int] = set()
    left = budget
    seen = _Seen()

    def take_if_it_fits(group: Sequence[int]) -> None:
        nonlocal left
        cost = sum(units[member].words for member in group)
        if cost > left:
            return
        taken.update(group)
        left -= cost
        if redundancy is not None:
            seen.add(units[member].text for member in group)

    waiting = []
    for index in order:
        if index in taken or units[index].words > left:
            continue
        if redundancy is not None and seen.share(units[index].text) > redundancy:
            waiting.append(index)
        else:
            take_if_it_fits(_with_lead_ins(index, leads, taken))
    for index in waiting:
        if index not in taken:
            take_if_it_fits(_with_lead_ins(index, leads, taken))
    for index in order:
        group = _with_lead_ins(index, leads, taken) if index not in taken else []
        for length in range(len(group), 0, -1):
            if index not in taken:
                take_if_it_fits(group[:length])
    return tuple(units[index] for index in sorted(taken))


def _with_lead_ins(index: int, leads: Sequence[int | None], taken: set[int]) -> list[int]:
    """A unit and those it hangs from that are not there yet."""
    group = [index]
    while (lead := leads[group[-1]]) is not None and lead not in taken:
        group.append(lead)
    return group


class _Seen:
    """The word pairs of what is chosen so far."""

    def __init__(self) -> None:
        self._tokenize = tokenizer()
        self._pairs: set[tuple[str, str]] = set()

    def share(self, text: str) -> float:
        """How much of a text is there already."""
        pairs = self._of(text)
        return sum(pair in self._pairs for pair in pairs) / max(1, len(pairs))

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._pairs.update(self._of(text))

    def _of(self, text: str) -> list[tuple[str, str]]:
        tokens = self._tokenize(text)
        return list(zip(tokens, tokens[1:] or tokens, strict=False))
