"""What each provision of an act cites: provisions of the act itself, by their ids, and other acts, by CELEX number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lexlattice.act.document import Reference, Section, Unit
from lexlattice.reading.citations.amended import (
    THIS,
    Amended,
    amended_by,
    amended_in,
    cells,
    heads_of,
    is_quoted,
    within,
)
from lexlattice.reading.citations.definitions import Alias, act_names, put_aliases
from lexlattice.reading.citations.levels import SAME, Path
from lexlattice.reading.citations.mentions import EARLIEST, Mention, mentions
from lexlattice.reading.citations.resolve import LEVELS as DIVISIONS
from lexlattice.reading.citations.resolve import Divisions, Places, described
from lexlattice.reading.citations.tokens import CitedAct, tokenize
from lexlattice.reading.citations.vocabulary import ACTS, NO_ROLE, Wording, flat, wording

if TYPE_CHECKING:
    from lexlattice.act.document import Act

_ELSEWHERE: Final = ("title", "preamble", "notes")
"""Sections whose articles, where no act is named, cannot be told to be the act's own."""
_TOP: Final = ("article", "annex")
LONGEST_OWN: Final = 60
"""So far into a title an act's own number stands."""
_FOREIGN: Final = frozenset({"treaty", "other"})
"""What words for instruments other than acts cited by number do."""
_ANNEXED: Final = ("anx", "app", "prot", "att")
_NORMATIVE: Final = ("regulation", "directive")
"""Acts whose recitals explain their own articles; those of decisions speak of other texts too."""


@dataclass(slots=True)
class _Whole:
    """What is known of the act as a whole."""

    celex: str
    type: str
    title: str
    words: Wording
    places: Places
    divisions: Divisions
    aliases: list[Alias]


@dataclass(slots=True)
class _Before:
    """What was named before, in the section and in the provision."""

    acts: dict[str, CitedAct] = field(default_factory=dict)
    """The last act of each kind; of any kind under "any"."""
    named: dict[str, tuple[tuple[Path, ...], Mention]] = field(default_factory=dict)
    """The last provisions of each level, as paths that end in it."""
    foreign: bool = False
    """Whether another act, a treaty or another instrument was named."""


def references(act: Act, below: Mapping[str, Sequence[Unit]]) -> tuple[Reference, ...]:
    """All references of an act, in the order of its text; `below` has all ids of the act."""
    words = wording(act.language)
    names = act_names(act, words)
    whole = _Whole(act.celex, act.type, act.title, words, Places(below), Divisions(act.sections, act.language), names)
    return tuple(reference for section in act.sections for reference in _section(section, whole))


def _section(section: Section, whole: _Whole) -> Iterator[Reference]:
    """The references of a section."""
    changed = amended_by(section, whole.words) or amended_in(section, whole.title, whole.celex, whole.words)
    amended = Amended(section, changed, whole.words) if changed is not None else None
    above = heads_of(section, whole.words)
    before = _Before()
    top = paragraph = ""
    for unit in section.units:
        steps = unit.provision.split(".", 2)
        if section.kind == "recitals" and steps[0] != top:
            top, before = steps[0], _Before()
        if ".".join(steps[:2]) != paragraph:
            paragraph = ".".join(steps[:2])
            before.named = {}
        if not whole.words.refers(flat(unit.text)):
            continue
        if unit.kind == "table":
            for cell in cells(unit.text, whole.words, above):
                yield from _Text(unit, section, cell.text, whole, amended, before, cell.start, cell.owner).references()
        else:
            yield from _Text(unit, section, unit.text, whole, amended, before).references()


class _Text:
    """A unit, or a cell of a table, whose references are being found."""

    def __init__(
        self,
        unit: Unit,
        section: Section,
        text: str,
        whole: _Whole,
        amended: Amended | None,
        before: _Before,
        offset: int = 0,
        column: CitedAct | None = None,
    ) -> None:
        self.unit, self.section, self.whole, self.amended, self.before = unit, section, whole, amended, before
        self.offset, self.column = offset, column
        self.tokens = tokens = put_aliases(tokenize(text, whole.words), whole.aliases)
        telling = [token for token in tokens if token.role is not NO_ROLE or token.act is not None]
        found = [token for token in telling if token.act is not None or token.has("treaty")]
        self.main = found[-1 if whole.words.main_act_last else 0] if found else None
        """The act or treaty that the unit is about: in the preamble what its articles belong to."""
        named = {token.act.celex: token.act for token in found if token.act is not None}
        self.only = next(iter(named.values())) if len(named) == 1 and self.main is not None and self.main.act else None
        """The act that a recital's articles belong to: the one it names, or the one it begins with."""
        if self.only is None and self.main is not None and self.main in tokens[: EARLIEST + 1]:
            self.only = self.main.act
        self.quoted = is_quoted(unit.provision) or unit.kind == "quoted"
        foreign = any(act.celex != whole.celex for act in named.values())
        before.foreign |= foreign or any(token.role.flags & _FOREIGN for token in telling)

    def references(self) -> Iterator[Reference]:
        """Its references: mentions of provisions, and acts that are cited as such."""
        named = mentions(self.tokens, self.whole.words)
        starts = {mention.first: mention for mention in named}
        owners = {id(act) for mention in named for act in (mention.act, *mention.others) if act is not None}
        for place, token in enumerate(self.tokens):
            mention = starts.get(place)
            if mention is not None:
                yield from self._mentioned(mention)
            if token.role is NO_ROLE and token.act is None:
                continue
            if token.role.act and place and self.tokens[place - 1].has("this"):
                self.before.acts["any"] = THIS
            if token.act is not None:
                self.before.acts[token.act.kind] = self.before.acts["any"] = token.act
                if self.section.kind == "title" and token.start < LONGEST_OWN and token.act.kind == self.whole.type:
                    continue  # its own number
                cited = token.act.celex not in ("", self.whole.celex) and not token.act.alias
                if id(token.act) not in owners and cited:
                    yield self._reference(token.start, token.end, (), token.act.celex, "", "external")

    def _mentioned(self, mention: Mention) -> Iterator[Reference]:
        """The references of a mention: one, and one for each further act that has the provision too."""
        if any(number == SAME for path in mention.paths for _, number in path) and not self._recall(mention):
            return
        reference = self._mention(mention)
        if reference is None:
            return
        yield reference
        if mention.paths[0][0][1]:
            for depth, (level, _) in enumerate(mention.paths[-1], 1):
                paths = dict.fromkeys(path[:depth] for path in mention.paths if len(path) >= depth)
                self.before.named[level] = tuple(paths), mention
        for act in mention.others:
            if act.celex:
                yield self._reference(act.start, act.end, (), act.celex, reference.provision, "external")

    def _recall(self, mention: Mention) -> bool:
        """Put the provision that was named last in the place of "that paragraph"."""
        paths: list[Path] = []
        for path in mention.paths:
            place = next((n for n, (_, number) in enumerate(path) if number == SAME), 0)
            known = self.before.named.get(path[place][0])
            if known is None:
                return False
            paths += [base + path[place + 1 :] for base in known[0]]
            last = known[1]
            if not mention.owner:
                mention.owner, mention.act, mention.anaphor = last.owner, last.act, last.anaphor
        mention.paths = tuple(paths)
        return True

    def _mention(self, mention: Mention) -> Reference | None:
        last = self.tokens[mention.last - 1]
        start, end = self.tokens[mention.first].start, last.end if last.text != "." else last.start
        whole, top = self.whole, mention.paths[0][0]
        act = mention.act
        if mention.owner == "this" and mention.named not in ("", whole.type) and whole.type in ACTS:
            mention.owner, mention.anaphor = (
                "other",
                mention.named,
            )  # "dieser Richtlinie" in a regulation is another act
        if self.column is not None and not mention.owner:
            act = None if self.column is THIS else self.column
            mention.owner = "this" if act is None else "external"
        elif mention.anaphor and self.section.kind != "preamble":
            act = self.before.acts.get(mention.anaphor)
            if mention.anaphor == "any" and self.section.kind == "recitals" and self.only is not None:
                act = self.only  # what a sentence begins with, and no act that is named in its title
            if act is None and mention.anaphor == whole.type:
                mention.owner = ""  # "the Regulation" is this one where it names no other
        elif (not mention.owner or mention.anaphor) and self.section.kind == "preamble" and self.main is not None:
            act = self.main.act
            mention.owner = "treaty" if act is None else "external"
        elif not mention.owner and self.section.kind == "recitals" and top[0] in _TOP and top[1]:
            act = self.only
        if (
            self.amended is not None
            and act is None
            and (not mention.owner or (self.quoted and mention.owner == "this"))
        ):
            seen = [within(self.amended.home(self.unit.provision), path) for path in mention.paths]
            if seen[0] and (seen[0][0][0] in (*_TOP, *DIVISIONS)):
                if top[1] == "" and not self.quoted:
                    return None
                return self._reference(
                    start, end, (), self.amended.act_at(self.unit.provision).celex, _several(seen), "external"
                )
        if act is not None and (act is THIS or (act.celex and act.celex == whole.celex)):
            return self._internal(mention, start, end, own=True)
        if act is not None and act.celex:
            if act is mention.act and any(token.act is act for token in self.tokens):
                start, end = min(start, act.start), max(end, act.end)
            return self._reference(start, end, (), act.celex, _several(mention.paths), "external")
        if mention.owner in ("treaty", "other") or (act is not None and not act.celex):
            if mention.paths[0][0] == ("annex", ""):
                return None
            kind = "treaty" if mention.owner == "treaty" else "other"
            return self._reference(start, end, (), "", _several(mention.paths), kind)
        return self._internal(mention, start, end, own=mention.owner == "this")

    def _internal(self, mention: Mention, start: int, end: int, *, own: bool) -> Reference | None:
        """A reference to this act, or to one that is not said."""
        level = mention.paths[0][0][0]
        if not own and self.unit.kind != "table" and _is_all(self.unit.text[start:end], self.unit.text):
            return None  # the number of the unit itself, or a cell of a table that is none any more
        divided = level in DIVISIONS and not self.unit.provision.startswith(_ANNEXED)
        targets: list[str] = []
        if own or not self._is_doubtful(level):
            for path in mention.paths:
                found = self._divided(path) if divided else self._resolved(path)
                targets += [target for target in found if target not in targets]
        empty = any(number == "" for path in mention.paths for _, number in path)
        if not targets and (empty or divided or level in ("indent", "sentence")):  # such words have other meanings too
            return None
        if targets or own:
            return self._reference(start, end, tuple(targets), "", "", "internal")
        return self._reference(start, end, (), "", _several(mention.paths), "other")

    def _resolved(self, path: Path) -> list[str]:
        places, at = self.whole.places, self.unit.provision
        target = places.resolve(path, at) or (places.nearest(path, at) if path[0][1] else "")
        return [target] if target else []

    def _divided(self, path: Path) -> list[str]:
        """The articles of a division of the act."""
        return self.whole.divisions.resolve(path, self.section.id)

    def _is_doubtful(self, level: str) -> bool:
        """Whether what names no act may be of another one."""
        if self.quoted or self.amended is not None or self.unit.kind == "table":
            return True
        if self.section.kind == "recitals" and level != "recital":
            return self.before.foreign or self.whole.type not in _NORMATIVE or level not in (*_TOP, *DIVISIONS)
        return self.section.kind in _ELSEWHERE and level != "recital"

    def _reference(
        self, start: int, end: int, targets: tuple[str, ...], celex: str, provision: str, kind: str
    ) -> Reference:
        start, end = start + self.offset, end + self.offset
        text, offset = self.unit.text[start:end], self.unit.start
        return Reference(self.unit.id, offset + start, offset + end, text, targets, celex, provision, kind)


def _several(paths: Iterable[Path]) -> str:
    return " ".join(filter(None, map(described, paths)))


def _is_all(text: str, whole: str) -> bool:
    """Whether there is no word in a text but these."""
    return not any(map(str.isalpha, whole.replace(text, "", 1)))
