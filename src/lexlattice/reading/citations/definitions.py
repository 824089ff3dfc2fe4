"""The terms an act defines, and where: by quotation marks and lists first, by a few verbs of the language second."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from lexlattice.act.document import Definition, Section, Unit
from lexlattice.reading.citations.amended import amended_by
from lexlattice.reading.citations.tokens import CitedAct, Token, tokenize
from lexlattice.reading.citations.vocabulary import NO_ROLE, Wording, flat, wording
from lexlattice.reading.languages.grammar import raw
from lexlattice.reading.languages.numbering import marker

if TYPE_CHECKING:
    from lexlattice.act.document import Act


# Names that an act gives to other acts: "Regulation (EC) No 597/2009 (‘the basic Regulation’)".

STEM: Final = 4
"""So many letters of a word stay the same in all its forms; shorter words have one form."""
ENDING: Final = 3
"""So many letters at the end of a word may differ between its forms."""
LONGEST: Final = 5


class Alias(NamedTuple):
    """A name in words, and the act that has it."""

    words: tuple[str, ...]
    act: CitedAct


def alias(term: str, before: Sequence[Token], words: Wording) -> Alias | None:
    """The name that a quoted term is for the last act before it; none if the term does not name an act."""
    tokens = tokenize(term, words)
    while tokens and tokens[0].has("the"):
        tokens = tokens[1:]
    if not 0 < len(tokens) <= LONGEST or any(token.kind not in ("word", "phrase") for token in tokens):
        return None
    kind = next((token.role.act for token in tokens if token.role.act), "")
    coded = any(token.has("other") for token in tokens)
    if not kind and not coded:
        return None
    if kind and len(tokens) == 1 and not _is_compound(tokens[0].text, words):
        return None
    named = [token.act for token in before if token.act is not None and token.act.celex]
    alike = [act for act in named if act.kind == kind] if kind else named
    return Alias(tuple(token.text for token in tokens), alike[-1]) if alike else None


def _is_compound(word: str, words: Wording) -> bool:
    """Whether a word says more than the kind of an act: "Grundverordnung"."""
    return any(stem[0] == "*" and role.act and word.find(stem[1:]) >= FEWEST for stem, role in words.stems)


def put_aliases(tokens: list[Token], aliases: Iterable[Alias]) -> list[Token]:
    """The tokens with each name of an act in the place of its words."""
    for name in aliases:
        length = len(name.words)
        for place in range(len(tokens) - length, -1, -1):
            if all(_same(token, word) for token, word in zip(tokens[place : place + length], name.words, strict=True)):
                start, end = tokens[place].start, tokens[place + length - 1].end
                act = CitedAct(start, end, name.act.kind, name.act.celex, alias=True)
                tokens[place : place + length] = [Token("act", "", start, end, NO_ROLE, act, False, True)]
    return tokens


def _same(token: Token, word: str) -> bool:
    """Whether a token is a form of a word."""
    if token.text == word:
        return True
    stem = max(STEM, len(word) - ENDING)
    return len(word) > STEM and token.text[:stem] == word[:stem] and len(token.text) <= len(word) + ENDING + 1


# The terms an act defines, and where: by quotation marks and lists first, by a few verbs of the language second.

_QUOTED: Final = re.compile(
    r"«\s?([^«»]{2,120}?)\s?»|»([^«»]{2,120})«|„([^„“”\"]{2,120})[“”\"]|“([^“”]{2,120})[”“]|‘([^‘]{2,120}?)’(?!\w)"
    r"|‚([^‚‘’]{2,120})[‘’]|\"([^\"]{2,120})\"|(?<!\w)'([^']{2,120})'(?!\w)|”([^”]{2,120})”|(?<!\w)’([^’]{2,80})’(?!\w)"
    r"|`([^`'´]{2,80})[`'´](?!\w)|(?<![\w,])(?<!\w ),([^,'‘’]{2,80})['‘’](?!\w)|»([^«»\"]{2,80})\""
)
"""A term in the quotation marks of any of the 24 languages."""
_BETWEEN: Final = re.compile(r"[\s,(/]*(?:[^\W\d_]{1,5}\s?)?[\s,(]*")
"""What stands between two names of one thing: "‘A’ or ‘B’", "‘A’ (‘B’)"."""
_AFTER: Final = re.compile(r"[\s)]*(?:[:–—―−-]|,\s)")
"""What leads from a term to its meaning where no verb does."""
_UNQUOTED: Final = re.compile(r"\^?([^\W\d_][^:;.«»„“”‘\"\t\n]{1,80}?)(?:\s?:\s?|\s[–—-]\s)\S")
_OPENED: Final = re.compile(r"\(\s?(?:[^\W\d_]+[\s'’-]){0,4}$")
_BRACKETED: Final = re.compile(r"\((?:[^()\d«»„“”‘:]{2,30}(?::|\s[–—-])\s)?([^()\d«»„“”‘:;,]{4,70})\)")
"""What stands alone in brackets, or behind a colon in them: a name, where an act stands before it."""
_CLOSED: Final = re.compile(r"\s?\)")
EARLIEST: Final = 24
"""So many characters may stand before the term at the head of a definition: "the term"."""
FEWEST: Final = 3
"""So many points that begin with a term make a list of definitions."""
LONGEST_TERM: Final = 10
"""Words of a term without quotation marks."""
_DEFINING: Final = ("article", "annex", "body")


@dataclass(frozen=True, slots=True)
class _Verbs:
    """How a language says that a term means something."""

    before: re.Pattern[str]
    """Such words at the end of what stands before a term."""
    after: re.Pattern[str]
    """Such words at the beginning of what stands behind it."""
    anywhere: re.Pattern[str]
    """Such words, or the word for definitions, anywhere."""
    heading: re.Pattern[str]
    hereinafter: re.Pattern[str]
    unquoted: re.Pattern[str]
    """Such words in brackets with a colon, which sets off a term without quotation marks."""


@cache
def _verbs(language: str) -> _Verbs:
    table = raw(language)["definitions"]
    keys = ("means", "hereinafter", "heading")
    means, named, heading = (
        "|".join(re.escape(flat(word)).replace(r"\*", r"\w*") for word in table[key]) for key in keys
    )
    return _Verbs(
        re.compile(rf"(?<!\w)(?:{means})(?!\w)[\s:]*$"),
        re.compile(rf"[\s,)]*(?:[^\W\d_]+\s){{0,2}}(?:{means})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{means}|{heading})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{heading})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{named})(?!\w)[^.;()«»„“”‘]{{0,40}}$"),
        re.compile(rf"\((?:{named})\s?[:–—-]\s?([^()«»„“”‘\"’':;]{{2,80}})\)"),
    )


def definitions(act: Act) -> tuple[Definition, ...]:
    """All definitions of an act, in the order of its text; those an amendment puts into another act are not its own."""
    found: dict[tuple[int, int], Definition] = {}
    words = wording(act.language)
    verbs = _verbs(act.language)
    for section in act.sections:
        if section.kind == "title" or amended_by(section, words) is not None:
            continue
        for unit, start, end in _section(section, verbs):
            term = unit.text[start:end]
            start, end = end - len(term.lstrip()), start + len(term.rstrip())
            place = unit.start + start, unit.start + end
            found.setdefault(place, Definition(unit.text[start:end], unit.id, *place))
    return tuple(found[place] for place in sorted(found))


def act_names(act: Act, words: Wording) -> list[Alias]:
    """The names that an act gives to other acts, the longest first, so that none is taken for a part of another."""
    verbs = _verbs(act.language)
    found: dict[tuple[str, ...], Alias] = {}
    for unit in act.units:
        if "/" not in unit.text or unit.kind in ("table", "note"):
            continue
        plain = flat(unit.text)
        bracketed = ((unit, *match.span(1)) for match in _BRACKETED.finditer(unit.text))
        for _, start, end in (*_named(unit, plain, verbs), *bracketed):
            name = alias(unit.text[start:end], tokenize(unit.text[:start], words), words)
            if name is not None:
                found.setdefault(name.words, name)
    return sorted(found.values(), key=lambda name: -len(name.words))


def _section(section: Section, verbs: _Verbs) -> Iterator[tuple[Unit, int, int]]:
    """Terms of a section with the unit and the place in it."""
    leads = [section.id] if verbs.heading.search(flat(section.heading)) else []
    heads = [_head(unit) for unit in section.units]
    listed = sum(
        _AFTER.match(unit.text, head.end()) is not None if head is not None else any(_unquoted(unit))
        for unit, head in zip(section.units, heads, strict=True)
        if head is not None or (leads and unit.kind == "paragraph")
    )
    for unit, head in zip(section.units, heads, strict=True):
        if unit.kind in ("quoted", "table", "note") or any(step.startswith("q") for step in unit.provision.split(".")):
            continue
        plain = flat(unit.text)
        lead = next((lead for lead in reversed(leads) if unit.provision.startswith(f"{lead}.")), "")
        led = lead != ""
        if section.kind in _DEFINING:
            if not led and _leads(unit.text) and verbs.anywhere.search(plain):
                leads.append(unit.provision)
            yield from _headed(unit, plain, head, verbs, led=led, listed=listed >= FEWEST, depth=lead.count(".") + 1)
        yield from _named(unit, plain, verbs)


def _leads(text: str) -> bool:
    """Whether a text leads in what follows: it ends in a colon, or in no full stop at all."""
    return text[-1] == ":" or text[-1].isalpha()


def _head(unit: Unit) -> re.Match[str] | None:
    """The quoted term that a unit begins with."""
    mark = marker(unit.text)
    begin = mark.end if mark is not None else 0
    match = _QUOTED.search(unit.text, begin, begin + EARLIEST + 124)
    return match if match is not None and match.start() <= begin + EARLIEST else None


def _headed(
    unit: Unit, plain: str, head: re.Match[str] | None, verbs: _Verbs, *, led: bool, listed: bool, depth: int
) -> Iterator[tuple[Unit, int, int]]:
    """The terms that a unit begins with, and says what they mean."""
    if head is None:
        counted = unit.kind in ("point", "indent") or (listed and unit.kind == "paragraph")
        if led and counted and unit.provision.count(".") == depth:
            yield from _unquoted(unit)
        return
    terms = [head]
    while following := _following(unit.text, terms[-1].end()):
        terms.append(following)
    end = terms[-1].end()
    stated = verbs.after.match(plain, end, end + 90) or verbs.before.search(plain, 0, head.start())
    if led or stated or (listed and _AFTER.match(unit.text, end)):
        yield from ((unit, *_span(term)) for term in terms)


def _following(text: str, end: int) -> re.Match[str] | None:
    between = _BETWEEN.match(text, end)
    return _QUOTED.match(text, between.end()) if between is not None and between.end() > end else None


def _unquoted(unit: Unit) -> Iterator[tuple[Unit, int, int]]:
    """A term that a colon alone sets off from its meaning, in a list that is led in as definitions."""
    mark = marker(unit.text)
    match = _UNQUOTED.match(unit.text, mark.end if mark is not None else 0)
    if match is not None and len(match[1].split()) <= LONGEST_TERM:
        yield unit, match.start(1), match.end(1)


def _named(unit: Unit, plain: str, verbs: _Verbs) -> Iterator[tuple[Unit, int, int]]:
    """Terms that a text names in passing: "‘X’ means", "(hereinafter ‘X’)", "(‘X’)"."""
    for match in _QUOTED.finditer(unit.text):
        begin, end = match.span()
        alone = _OPENED.search(unit.text, max(0, begin - 40), begin) and _CLOSED.match(unit.text, end)
        named = alone or verbs.hereinafter.search(plain, max(0, begin - 70), begin)
        if named or (verbs.before.search(plain, max(0, begin - 40), begin) and unit.kind != "recital"):
            yield unit, *_span(match)
    for match in verbs.unquoted.finditer(plain):
        yield unit, *match.span(1)


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.span(match.lastindex or 0)
