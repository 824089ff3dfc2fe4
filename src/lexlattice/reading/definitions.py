"""The terms an act defines, and where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexlattice.act import Definition

if TYPE_CHECKING:
    from lexlattice.act import Act


def definitions(act: Act) -> tuple[Definition, ...]:
    """All definitions of an act, in the order of its text."""
    return ()
