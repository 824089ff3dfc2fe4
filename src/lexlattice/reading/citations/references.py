"""Cross-references of an act: provisions of the act itself by id, and other acts by CELEX number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from lexlattice.act.document import Reference, Section, Unit
from lexlattice.reading.citations.amended import (
    THIS_ACT,
    Amended,
    amended_by_annex,
    amended_by_article,
    column_heads_above,
    is_quoted,
    make_absolute,
    table_cells,
)
from lexlattice.reading.citations.definitions import Alias, find_aliases, replace_aliases
from lexlattice.reading.citations.levels import SAME, Path
from lexlattice.reading.citations.mentions import MAX_OPENING, Mention, find_mentions
from lexlattice.reading.citations.resolve import LEVELS as DIVISIONS
from lexlattice.reading.citations.resolve import Divisions, ProvisionIndex, path_to_id
from lexlattice.reading.citations.tokens import CitedAct, tokenize
from lexlattice.reading.citations.vocabulary import ACTS, NO_ROLE, Vocabulary, fold_letters, load_vocabulary

if TYPE_CHECKING:
    from lexlattice.act.document import Act

_ELSEWHERE: Final = ("title", "preamble", "notes")
"""Sections in which an article without an act may belong to any act."""
_TOP: Final = ("article", "annex")
MAX_OWN_NUMBER: Final = 60
"""A number within this many characters of the title is that of the act itself."""
_FOREIGN: Final = frozenset({"treaty", "other"})
"""Roles of words for other instruments than acts cited by number."""
_ANNEXED: Final = ("anx", "app", "prot", "att")
_NORMATIVE: Final = ("regulation", "directive")
"""Acts whose recitals explain their own articles; recitals of decisions often refer to other texts."""


@dataclass(slots=True)
class _ActContext:
    """The act whose references are found: metadata, vocabulary, ids, and names of other acts."""

    celex: str
    type: str
    title: str
    words: Vocabulary
    index: ProvisionIndex
    divisions: Divisions
    aliases: list[Alias]


@dataclass(slots=True)
class _History:
    """What the section and the provision have named so far; anaphors such as "that Directive" refer to it."""

    acts: dict[str, CitedAct] = field(default_factory=dict)
    """The last act of each kind, and the last act of all under "any"."""
    named: dict[str, tuple[tuple[Path, ...], Mention]] = field(default_factory=dict)
    """The last provisions named at each level, as paths that end in it."""
    foreign: bool = False
    """Whether another act, a treaty or another instrument was named."""


def find_references(act: Act, below: Mapping[str, Sequence[Unit]]) -> tuple[Reference, ...]:
    """Find all references of an act.

    Args:
        act: The act.
        below: The units below every id of the act.

    Returns:
        The references in the order of the text.
    """
    words = load_vocabulary(act.language)
    names = find_aliases(act, words)
    context = _ActContext(
        act.celex, act.type, act.title, words, ProvisionIndex(below), Divisions(act.sections, act.language), names
    )
    return tuple(reference for section in act.sections for reference in _references_of_section(section, context))


def _references_of_section(section: Section, context: _ActContext) -> Iterator[Reference]:
    changed = amended_by_article(section, context.words) or amended_by_annex(
        section, context.title, context.celex, context.words
    )
    amended = Amended(section, changed, context.words) if changed is not None else None
    above = column_heads_above(section, context.words)
    history = _History()
    top = paragraph = ""
    for unit in section.units:
        steps = unit.provision.split(".", 2)
        if section.kind == "recitals" and steps[0] != top:
            top, history = steps[0], _History()
        if ".".join(steps[:2]) != paragraph:
            paragraph = ".".join(steps[:2])
            history.named = {}
        if not context.words.can_refer(fold_letters(unit.text)):
            continue
        if unit.kind == "table":
            for cell in table_cells(unit.text, context.words, above):
                yield from _TextReferences(
                    unit, section, cell.text, context, amended, history, cell.start, cell.owner
                ).references()
        else:
            yield from _TextReferences(unit, section, unit.text, context, amended, history).references()


class _TextReferences:
    """Finds the references of a unit or of a cell of a table."""

    def __init__(
        self,
        unit: Unit,
        section: Section,
        text: str,
        context: _ActContext,
        amended: Amended | None,
        history: _History,
        offset: int = 0,
        column: CitedAct | None = None,
    ) -> None:
        self.unit, self.section, self.context, self.amended, self.history = unit, section, context, amended, history
        self.offset, self.column = offset, column
        self.tokens = tokens = replace_aliases(tokenize(text, context.words), context.aliases)
        relevant = [token for token in tokens if token.role is not NO_ROLE or token.act is not None]
        found = [token for token in relevant if token.act is not None or token.has("treaty")]
        self.main = found[-1 if context.words.main_act_last else 0] if found else None
        """The act or treaty that the unit is about; in the preamble, articles belong to it."""
        named = {token.act.celex: token.act for token in found if token.act is not None}
        self.only = next(iter(named.values())) if len(named) == 1 and self.main is not None and self.main.act else None
        """The act to which the articles of a recital belong: the only one it names, or the one it begins with."""
        if self.only is None and self.main is not None and self.main in tokens[: MAX_OPENING + 1]:
            self.only = self.main.act
        self.quoted = is_quoted(unit.provision) or unit.kind == "quoted"
        foreign = any(act.celex != context.celex for act in named.values())
        history.foreign |= foreign or any(token.role.flags & _FOREIGN for token in relevant)

    def references(self) -> Iterator[Reference]:
        """Find references: mentions of provisions, and acts that are cited as a whole."""
        named = find_mentions(self.tokens, self.context.words)
        starts = {mention.first: mention for mention in named}
        owners = {id(act) for mention in named for act in (mention.act, *mention.others) if act is not None}
        for index, token in enumerate(self.tokens):
            mention = starts.get(index)
            if mention is not None:
                yield from self._references_of(mention)
            if token.role is NO_ROLE and token.act is None:
                continue
            if token.role.act and index and self.tokens[index - 1].has("this"):
                self.history.acts["any"] = THIS_ACT
            if token.act is not None:
                self.history.acts[token.act.kind] = self.history.acts["any"] = token.act
                if (
                    self.section.kind == "title"
                    and token.start < MAX_OWN_NUMBER
                    and token.act.kind == self.context.type
                ):
                    continue  # its own number
                cited = token.act.celex not in ("", self.context.celex) and not token.act.alias
                if id(token.act) not in owners and cited:
                    yield self._reference(token.start, token.end, (), token.act.celex, "", "external")

    def _references_of(self, mention: Mention) -> Iterator[Reference]:
        """The reference of a mention, and one for each further act that it names."""
        if any(number == SAME for path in mention.paths for _, number in path) and not self._recall(mention):
            return
        reference = self._reference_of(mention)
        if reference is None:
            return
        yield reference
        if mention.paths[0][0][1]:
            for depth, (level, _) in enumerate(mention.paths[-1], 1):
                paths = dict.fromkeys(path[:depth] for path in mention.paths if len(path) >= depth)
                self.history.named[level] = tuple(paths), mention
        for act in mention.others:
            if act.celex:
                yield self._reference(act.start, act.end, (), act.celex, reference.provision, "external")

    def _recall(self, mention: Mention) -> bool:
        """Replace "that paragraph" by the provision that was named last; False if there is none."""
        paths: list[Path] = []
        for path in mention.paths:
            index = next((n for n, (_, number) in enumerate(path) if number == SAME), 0)
            known = self.history.named.get(path[index][0])
            if known is None:
                return False
            paths += [base + path[index + 1 :] for base in known[0]]
            last = known[1]
            if not mention.owner:
                mention.owner, mention.act, mention.anaphor = last.owner, last.act, last.anaphor
        mention.paths = tuple(paths)
        return True

    def _reference_of(self, mention: Mention) -> Reference | None:
        """Decide which act a mention belongs to, and build the reference."""
        last = self.tokens[mention.last - 1]
        start, end = self.tokens[mention.first].start, last.end if last.text != "." else last.start
        context, top = self.context, mention.paths[0][0]
        act = mention.act
        if mention.owner == "this" and mention.named not in ("", context.type) and context.type in ACTS:
            # "dieser Richtlinie" in a regulation is another act.
            mention.owner, mention.anaphor = "other", mention.named
        # Which act? In order of certainty: the column of a correlation table, an anaphor ("that Directive"), the act
        # that the preamble or the recital is about, and the act that the section amends.
        if self.column is not None and not mention.owner:
            act = None if self.column is THIS_ACT else self.column
            mention.owner = "this" if act is None else "external"
        elif mention.anaphor and self.section.kind != "preamble":
            act = self.history.acts.get(mention.anaphor)
            if mention.anaphor == "any" and self.section.kind == "recitals" and self.only is not None:
                act = self.only  # the act a sentence begins with, not one that is named in its title
            if act is None and mention.anaphor == context.type:
                mention.owner = ""  # "the Regulation" is this act if no other was named
        elif self.section.kind == "preamble" and self.main is not None and self._is_of_main(mention):
            act = self.main.act
            mention.owner = "treaty" if act is None else "external"
        elif not mention.owner and self.section.kind == "recitals" and top[0] in _TOP and top[1]:
            act = self.only
        if (
            self.amended is not None
            and act is None
            and (not mention.owner or (self.quoted and mention.owner == "this"))
        ):
            seen = [make_absolute(self.amended.location(self.unit.provision), path) for path in mention.paths]
            if seen[0] and (seen[0][0][0] in (*_TOP, *DIVISIONS)):
                if top[1] == "" and not self.quoted:
                    return None
                return self._reference(
                    start, end, (), self.amended.act_at(self.unit.provision).celex, _several(seen), "external"
                )
        if act is not None and (act is THIS_ACT or (act.celex and act.celex == context.celex)):
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

    def _is_of_main(self, mention: Mention) -> bool:
        """Whether a mention in the preamble belongs to the act or treaty that the unit is about."""
        if not mention.owner or mention.anaphor:
            return True
        # "Having regard to the Treaty …, and in particular Article 192(1) of this Treaty"
        return mention.owner == "this" and not mention.named and self.main is not None and self.main.act is None

    def _internal(self, mention: Mention, start: int, end: int, *, own: bool) -> Reference | None:
        """A reference to this act, or to an unknown one."""
        level = mention.paths[0][0][0]
        if not own and self.unit.kind != "table" and _is_all(self.unit.text[start:end], self.unit.text):
            return None  # the text is the number of the unit itself, or a cell of a table that was read as text
        divided = level in DIVISIONS and not self.unit.provision.startswith(_ANNEXED)
        targets: list[str] = []
        if own or not self._is_doubtful(level):
            for path in mention.paths:
                found = self._divided(path) if divided else self._resolved(path)
                targets += [target for target in found if target not in targets]
        empty = any(number == "" for path in mention.paths for _, number in path)
        if not targets and (empty or divided or level in ("indent", "sentence")):  # these words have other meanings too
            return None
        if targets or own:
            return self._reference(start, end, tuple(targets), "", "", "internal")
        return self._reference(start, end, (), "", _several(mention.paths), "other")

    def _resolved(self, path: Path) -> list[str]:
        index, at = self.context.index, self.unit.provision
        target = index.resolve(path, at) or (index.nearest(path, at) if path[0][1] else "")
        return [target] if target else []

    def _divided(self, path: Path) -> list[str]:
        """The articles of a division of the act."""
        return self.context.divisions.resolve(path, self.section.id)

    def _is_doubtful(self, level: str) -> bool:
        """Whether a mention without an act may belong to another act."""
        if self.quoted or self.amended is not None or self.unit.kind == "table":
            return True
        if self.section.kind == "recitals" and level != "recital":
            return self.history.foreign or self.context.type not in _NORMATIVE or level not in (*_TOP, *DIVISIONS)
        return self.section.kind in _ELSEWHERE and level != "recital"

    def _reference(
        self, start: int, end: int, targets: tuple[str, ...], celex: str, provision: str, kind: str
    ) -> Reference:
        start, end = start + self.offset, end + self.offset
        text, offset = self.unit.text[start:end], self.unit.start
        return Reference(self.unit.id, offset + start, offset + end, text, targets, celex, provision, kind)


def _several(paths: Iterable[Path]) -> str:
    return " ".join(filter(None, map(path_to_id, paths)))


def _is_all(part: str, text: str) -> bool:
    """Whether a text has no letters outside of a part of it."""
    return not any(map(str.isalpha, text.replace(part, "", 1)))
