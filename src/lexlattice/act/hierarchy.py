"""The hierarchy of units: lead-ins of lists, anchors, indent depth, and what an extract leaves out (cuts)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from lexlattice._internal.lazy import once
from lexlattice.act.document import Act, Unit

_BESIDE: Final = ("subparagraph", "table")
"""Kinds of units that stand beside the text of the provision they belong to, not below it."""


@once
def lead_ins_of(act: Act) -> Sequence[int | None]:
    """The same as `lead_ins` for all units of an act."""
    return lead_ins(act.units)


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


def lead_in_chain(place: int, leads: Sequence[int | None]) -> Iterator[int]:
    """The units that a unit depends on to be read: its lead-in, the lead-in of that, and so on to the outermost."""
    above = leads[place]
    while above is not None:
        yield above
        above = leads[above]


class Anchor(NamedTuple):
    """Where a unit belongs: the unit above it, and how many steps it is below that one."""

    place: int
    step: int
    """1 for what hangs from a lead-in or an instruction; 0 for a subparagraph or a table, which stand beside it."""


def anchors(act: Act) -> list[Anchor | None]:
    """For each unit of an act what it hangs from or stands beside; None for a unit that stands alone."""
    first: dict[str, int] = {}
    found: list[Anchor | None] = []
    for place, (unit, lead) in enumerate(zip(act.units, lead_ins_of(act), strict=True)):
        beside = first.get(unit.provision.rpartition(".")[0]) if unit.kind in _BESIDE else None
        above = beside if lead is None else lead
        found.append(None if above is None else Anchor(above, 0 if lead is None else 1))
        first.setdefault(unit.provision, place)
    return found


def indent_depths(act: Act, deepest: int) -> list[int]:
    """For each unit how many steps it is indented, at most `deepest`."""
    depths: list[int] = []
    for anchor in anchors(act):
        if anchor is None:
            depths.append(0)
        else:
            depths.append(min(depths[anchor.place] + anchor.step, deepest))
    return depths


# Cuts: what an extract leaves out inside a list or a provision that it shows, told by structure alone.

Kind = Literal["points", "sentences"]
LISTED: Final = ("point", "indent")
"""Kinds of units that are entries of a list, where something leads them in."""
SUBPARAGRAPH: Final = ".sub-"
"""What the last step of a subparagraph's id begins with."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A gap: points of one list, or sentences of one provision, that follow one another and are left out."""

    parent: str
    """Id of the unit that leads in the list or the quoted text, or of the provision that the sentences belong to."""
    after: str
    """Id of the chosen unit after which the mark stands."""
    ids: tuple[str, ...]
    """What is left out, in document order: of each point its first unit; what hangs from a point is not counted."""
    kind: Kind
    citations: tuple[str, ...] = field(default=(), compare=False)
    """How each of `ids` is cited."""

    @property
    def count(self) -> int:
        """How many points or sentences are left out."""
        return len(self.ids)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return {
            "parent": self.parent,
            "after": self.after,
            "ids": list(self.ids),
            "kind": self.kind,
            "citations": list(self.citations),
            "count": self.count,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Cut:
        """Rebuild a cut from what `to_dict` returned."""
        return cls(data["parent"], data["after"], tuple(data["ids"]), data["kind"], tuple(data.get("citations", ())))


def cuts_of(act: Act, units: Iterable[int]) -> tuple[Cut, ...]:
    r"""The gaps in an extract, given by the places of its units in `act.units`; in document order.

    Every list whose lead-in is chosen and of which a point is missing has one, or several; so has every provision of
    which sentences are missing after a chosen one, every quotation of which a part is missing, and every chosen
    paragraph with a subparagraph missing, between two that are chosen or after the last.

    >>> from lexlattice import read
    >>> text = "Article 1\n\nIt covers:\n(a) bees;\n(b) wasps;\n(c) ants.\n\nArticle 2\n\nBees are free."
    >>> act = read(text, language="en")
    >>> [(cut.parent, cut.after, cut.ids) for cut in cuts_of(act, (0, 1))]
    [('art-1', 'art-1.pt-a', ('art-1.pt-b', 'art-1.pt-c'))]
    """
    chosen = sorted(set(units))
    if not chosen:
        return ()
    leads = lead_ins_of(act)
    gaps = [
        *_in_lists(act.units, leads, chosen),
        *_in_provisions(act.units, chosen),
        *_between_subparagraphs(act.units, chosen),
        *_after_subparagraphs(act.units, chosen),
    ]
    return tuple(_cut(act, chosen, *gap) for gap in sorted(gaps, key=lambda gap: gap[1]))


Gap = tuple[str, list[int], Kind]
"""The parent's id, places of what is left out, and what it is."""


def _cut(act: Act, chosen: Sequence[int], parent: str, missing: Sequence[int], kind: Kind) -> Cut:
    after, first = chosen[bisect_left(chosen, missing[0]) - 1], [act.units[place] for place in missing]
    # Sentences of one provision are cited one by one, whatever else is left out as a whole.
    cited = (u.citation if u.provision == parent else act.wholes.get(u.provision, u.citation) for u in first)
    return Cut(parent, act.units[after].id, tuple(unit.id for unit in first), kind, tuple(cited))


def left_out_units(act: Act, cut: Cut, shown: Container[str]) -> tuple[Unit, ...]:
    """All units that a cut stands for, in document order: what hangs from a point that is left out is with it.

    Args:
        act: The act.
        cut: The cut.
        shown: Ids of the chosen units, which are never part of it.

    """
    found: dict[str, Unit] = {}
    for name in cut.ids:
        unit = act[name]
        below = (unit,) if unit.provision == cut.parent else act._below[unit.provision]
        found |= {each.id: each for each in below if each.id not in shown}
    return tuple(found.values())


def _in_lists(units: Sequence[Unit], leads: Sequence[int | None], chosen: Sequence[int]) -> Iterator[Gap]:
    """Gaps among what hangs from a chosen unit: points by their number, quoted text as mere text."""
    # A point counts as shown if only something below it is chosen.
    shown = {*chosen, *(lead for place in chosen for lead in lead_in_chain(place, leads))}
    wanted, seen = set(chosen), {units[place].provision for place in shown}
    below: dict[int, dict[str, int]] = {}
    for place, lead in enumerate(leads):
        if lead in wanted:
            below.setdefault(lead, {}).setdefault(units[place].provision, place)
    for lead, entries in below.items():
        run: list[int] = []
        for provision, place in entries.items():
            kind = kind_of(units[place], units[lead])
            if run and (provision in seen or kind != kind_of(units[run[-1]], units[lead])):
                yield units[lead].id, run, kind_of(units[run[-1]], units[lead])
                run = []
            if provision not in seen:
                run.append(place)
        if run:
            yield units[lead].id, run, kind_of(units[run[-1]], units[lead])


def kind_of(unit: Unit, lead: Unit) -> Kind:
    """Whether a unit is a point of the list that is led in, or text that the lead-in only announces."""
    above = unit.provision.partition("~")[0].rpartition(".")[0]
    is_point = unit.kind in LISTED and above == lead.provision.partition("~")[0]
    return "points" if is_point else "sentences"


def _in_provisions(units: Sequence[Unit], chosen: Sequence[int]) -> Iterator[Gap]:
    """Sentences that follow a chosen one of the same provision, up to the next that is chosen; a title is none."""
    wanted = set(chosen)
    for place in chosen:
        if units[place].kind == "title":
            continue
        provision, run = units[place].provision, list[int]()
        following = place + 1
        while following < len(units) and units[following].provision == provision and following not in wanted:
            run.append(following)
            following += 1
        if run:
            yield provision, run, "sentences"


def _between_subparagraphs(units: Sequence[Unit], chosen: Sequence[int]) -> Iterator[Gap]:
    """Subparagraphs that are left out before a chosen one, as far back as the paragraph's last chosen unit."""
    wanted = set(chosen)
    shown = {units[place].provision for place in chosen}
    for place in chosen:
        host, is_sub, _ = units[place].provision.rpartition(SUBPARAGRAPH)
        if not is_sub or host not in shown:
            continue
        missing: dict[str, int] = {}
        before = place - 1
        while before >= 0 and before not in wanted:
            provision = units[before].provision
            if units[before].kind == "subparagraph" and provision.rpartition(SUBPARAGRAPH)[0] == host != provision:
                missing[provision] = before  # going back, so that its first unit stays
            before -= 1
        missing.pop(units[place].provision, None)
        if missing:
            yield host, sorted(missing.values()), "sentences"


def _after_subparagraphs(units: Sequence[Unit], chosen: Sequence[int]) -> Iterator[Gap]:
    """Subparagraphs that are left out after the last chosen unit of a paragraph whose beginning is chosen."""
    hosts = dict[str, dict[str, int]]()
    for place, unit in enumerate(units):
        if unit.kind == "subparagraph" and SUBPARAGRAPH in unit.provision:
            hosts.setdefault(unit.provision.rpartition(SUBPARAGRAPH)[0], {}).setdefault(unit.provision, place)
    last = dict[str, int]()
    for place in chosen:
        provision = units[place].provision
        last[provision] = place
        for end in (index for index, letter in enumerate(provision) if letter == "."):
            last[provision[:end]] = place
    for host in dict.fromkeys(units[place].provision for place in chosen):
        missing = [place for place in hosts.get(host, {}).values() if place > last[host]]
        if missing:
            yield host, missing, "sentences"
