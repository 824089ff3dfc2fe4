"""The decoder: probabilities of units → the provisions that people get, within a length.

One sequence of steps is grown for an act and its scores, whatever length is asked for; a summary is as much of its
beginning as fits. So a longer summary contains a shorter one.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lexlattice.act.document import Act
from lexlattice.selection.growth import grow
from lexlattice.selection.options import FOCUSES
from lexlattice.selection.roles import citable


class Choice(NamedTuple):
    """What was chosen of an act."""

    steps: tuple[tuple[int, ...], ...]
    """The units that were added together, step by step, the most important first."""

    @property
    def units(self) -> tuple[int, ...]:
        """The indexes of all chosen units, in document order."""
        return tuple(sorted(unit for step in self.steps for unit in step))


NOTHING: Final = Choice(())


def choose(act: Act, scores: ArrayLike, words: int, focus: str = "all") -> Choice:
    """The provisions of an act to show in at most so many words.

    Args:
        act: The act.
        scores: For each of its units the probability that an editor would take it.
        words: The length; as many as the act has, or more, bring everything that can be cited.
        focus: One of `FOCUSES`.

    Returns:
        Whole units, with all that they need to be understood. Of two lengths of the same act, scores and focus, the
        longer choice contains the shorter one, step by step.

    Raises:
        ValueError: If there is not one finite score for each unit, no such focus, or the length is negative.

    """
    known = np.asarray(scores, dtype=np.float64)
    if known.shape != (len(act),):
        raise ValueError(f"{len(act)} units need one score each, not an array of shape {known.shape}")
    if not np.isfinite(known).all():
        raise ValueError("a score is not a finite number")
    if words < 0:
        raise ValueError(f"a summary cannot have {words} words")
    if focus not in FOCUSES:
        raise ValueError(f"there is no focus {focus!r}; choose one of {FOCUSES}")
    if not len(act):
        return NOTHING
    steps, left = [], words
    whole = words >= act.words
    for step in grow(act, known, focus):
        cost = sum(act.units[unit].words for unit in step)
        if cost > left and not whole:
            break
        left -= cost
        steps.append(step)
    if whole:
        chosen = {unit for step in steps for unit in step}
        steps += [(unit,) for unit in np.flatnonzero(citable(act, focus)).tolist() if unit not in chosen]
    return Choice(tuple(steps))
