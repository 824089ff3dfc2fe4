"""Scores of units → the extract that fits, unit by unit: what research systems and baselines use.

Two modes. `whole` takes whole units only, never more words than allowed, points with what leads them in. `paper` is
the paper's: units by score until the budget is reached, then the text is cut to it. What people get is chosen by
`lexlattice.selection.decoder`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final

from lexlattice.act.document import Act, Unit
from lexlattice.act.hierarchy import lead_in_chain, lead_ins
from lexlattice.encoding.tokens import tokenizer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

MODES: Final = ("whole", "paper")

_WORD: Final = re.compile(r"\S+")


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

    With `redundancy` (in mode `whole`), a unit is considered last if more than this share of its bigrams is already
    in the extract.
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
    seen = _Bigrams()

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
    """A unit and the lead-ins it depends on that are not taken yet."""
    return [index, *takewhile(lambda lead: lead not in taken, lead_in_chain(index, leads))]


class _Bigrams:
    """The bigrams of what is selected so far."""

    def __init__(self) -> None:
        self._tokenize = tokenizer()
        self._bigrams: set[tuple[str, str]] = set()

    def share(self, text: str) -> float:
        """The share of a text's bigrams that are selected already."""
        bigrams = self._of(text)
        return sum(bigram in self._bigrams for bigram in bigrams) / max(1, len(bigrams))

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            self._bigrams.update(self._of(text))

    def _of(self, text: str) -> list[tuple[str, str]]:
        tokens = self._tokenize(text)
        return list(zip(tokens, tokens[1:] or tokens, strict=False))
