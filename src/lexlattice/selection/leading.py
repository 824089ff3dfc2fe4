"""Which unit each point of a list hangs from."""

from __future__ import annotations

from collections.abc import Sequence

from lexlattice.act import Unit


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
