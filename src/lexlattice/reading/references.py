"""What each provision of an act cites: provisions of the act itself, by their ids, and other acts, by CELEX number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from lexlattice.act import Reference, Section, Unit
from lexlattice.reading.cited_acts import CitedAct
from lexlattice.reading.groups import Path
from lexlattice.reading.mentions import Mention, mentions
from lexlattice.reading.numbering import OPENING_QUOTES
from lexlattice.reading.places import Places, described
from lexlattice.reading.tokens import Token, tokenize
from lexlattice.reading.wording import ACTS, Wording, flat, wording

if TYPE_CHECKING:
    from lexlattice.act import Act

_ELSEWHERE: Final = ("title", "preamble", "recitals", "notes")
"""Sections whose articles, where no act is named, cannot be told to be the act's own."""
_TOP: Final = ("article", "annex")
LONGEST_OWN: Final = 60
"""So far into a title an act's own number stands."""
_ANNEXED: Final = ("anx", "app", "prot", "att")


def references(act: Act, below: Mapping[str, Sequence[Unit]]) -> tuple[Reference, ...]:
    """All references of an act, in the order of its text; `below` has all ids of the act."""
    words = wording(act.language)
    places = Places(below)
    found: list[Reference] = []
    for section in act.sections:
        amended = amended_by(section, words)
        recent: dict[str, CitedAct] = {}
        provision = ""
        for unit in section.units:
            if section.kind == "recitals" and unit.provision.partition(".")[0] != provision:
                provision, recent = unit.provision.partition(".")[0], {}
            if words.refers(flat(unit.text)):
                tokens = tokenize(unit.text, words)
                found += _Unit(unit, section, tokens, places, act, words, amended, recent).references(words)
    return tuple(found)


def amended_by(section: Section, words: Wording) -> CitedAct | None:
    """The act that an article amends: its lead-in names one act alone, and what follows quotes the new wording."""
    if section.kind != "article" or len(section.units) < 2 or not section.units[0].text.endswith(":"):
        return None
    if not any(unit.text[0] in OPENING_QUOTES or ".q" in unit.provision for unit in section.units):
        return None
    acts = [token.act for token in tokenize(section.units[0].text, words) if token.act is not None]
    return acts[0] if acts else None


class _Unit:
    """A unit whose references are being found."""

    def __init__(
        self,
        unit: Unit,
        section: Section,
        tokens: Sequence[Token],
        places: Places,
        act: Act,
        words: Wording,
        amended: CitedAct | None,
        recent: dict[str, CitedAct],
    ) -> None:
        self.unit, self.section, self.tokens, self.places = unit, section, tokens, places
        self.celex, self.type, self.amended, self.recent = act.celex, act.type, amended, recent
        found = [token for token in tokens if token.act is not None or token.has("treaty")]
        self.main = found[-1 if words.main_act_last else 0] if found else None
        """The act or treaty that the unit is about: in the preamble what its articles belong to."""
        named = {token.act.celex: token.act for token in tokens if token.act is not None}
        self.only = next(iter(named.values())) if len(named) == 1 and self.main is not None and self.main.act else None
        """The one act that the unit names: in a recital what its articles belong to."""
        self.quoted = any(step.startswith("q") for step in unit.provision.split(".")) or unit.kind == "quoted"

    def references(self, words: Wording) -> Iterable[Reference]:
        """Its references: mentions of provisions, and acts that are cited as such."""
        named = mentions(self.tokens, words)
        starts = {mention.first: mention for mention in named}
        owners = {id(mention.act) for mention in named if mention.act is not None}
        for place, token in enumerate(self.tokens):
            mention = starts.get(place)
            if mention is not None:
                reference = self._mention(mention)
                if reference is not None:
                    yield reference
            if token.act is not None:
                self.recent[token.act.kind] = self.recent["any"] = token.act
                if self.section.kind == "title" and token.start < LONGEST_OWN and token.act.kind == self.type:
                    continue  # its own number
                if id(token.act) not in owners and token.act.celex not in ("", self.celex):
                    yield self._reference(token.start, token.end, (), token.act.celex, "", "external")

    def _mention(self, mention: Mention) -> Reference | None:
        last = self.tokens[mention.last - 1]
        start, end = self.tokens[mention.first].start, last.end if last.text != "." else last.start
        act = mention.act
        if mention.owner == "this" and mention.named not in ("", self.type) and self.type in ACTS:
            mention.owner, mention.anaphor = (
                "other",
                mention.named,
            )  # "dieser Richtlinie" in a regulation is another act
        if mention.anaphor and self.section.kind != "preamble":
            act = self.recent.get(mention.anaphor)
            if act is None and mention.anaphor == self.type:
                mention.owner = ""  # "the Regulation" is this one where it names no other
        elif (
            not mention.owner and self.amended is not None and mention.paths[0][0][0] in _TOP and mention.paths[0][0][1]
        ):
            act = self.amended
        elif (not mention.owner or mention.anaphor) and self.section.kind == "preamble" and self.main is not None:
            act = self.main.act
            mention.owner = "treaty" if act is None else "external"
        elif not mention.owner and self.section.kind == "recitals" and mention.paths[0][0][0] in _TOP:
            act = self.only
        if act is not None and act.celex and act.celex != self.celex:
            if act is mention.act:
                start, end = min(start, act.start), max(end, act.end)
            return self._reference(start, end, (), act.celex, _several(mention.paths), "external")
        if mention.owner in ("treaty", "other") or (act is not None and not act.celex):
            if mention.paths[0][0] == ("annex", ""):
                return None
            kind = "treaty" if mention.owner == "treaty" else "other"
            return self._reference(start, end, (), "", _several(mention.paths), kind)
        return self._internal(mention, start, end)

    def _internal(self, mention: Mention, start: int, end: int) -> Reference | None:
        """A reference to this act, or to one that is not said."""
        own = mention.owner == "this"
        level = mention.paths[0][0][0]
        if level in ("part", "section") and not self.unit.provision.startswith(_ANNEXED):
            return None  # a division of the act, which holds provisions and is none
        doubtful = self.quoted or self.amended is not None or self.unit.kind == "table"
        doubtful = doubtful or (self.section.kind in _ELSEWHERE and level != "recital")
        targets: list[str] = []
        if own or not doubtful:
            for path in mention.paths:
                target = self.places.resolve(path, self.unit.provision)
                targets += [target] if target and target not in targets else []
        empty = any(number == "" for path in mention.paths for _, number in path)
        if not targets and (empty or level in ("indent", "sentence")):  # such words have other meanings too
            return None
        if targets or own:
            return self._reference(start, end, tuple(targets), "", "", "internal")
        return self._reference(start, end, (), "", _several(mention.paths), "other")

    def _reference(
        self, start: int, end: int, targets: tuple[str, ...], celex: str, provision: str, kind: str
    ) -> Reference:
        text, offset = self.unit.text[start:end], self.unit.start
        return Reference(self.unit.id, offset + start, offset + end, text, targets, celex, provision, kind)


def _several(paths: Sequence[Path]) -> str:
    return " ".join(filter(None, map(described, paths)))
