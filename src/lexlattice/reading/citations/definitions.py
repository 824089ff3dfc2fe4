"""The terms that an act defines, and the names it gives to other acts.

Definitions are found by quotation marks and lists first, and by a few verbs of the language second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from lexlattice.act.document import Definition, Section, Unit
from lexlattice.reading.citations.amended import amended_by_article
from lexlattice.reading.citations.tokens import CitedAct, Token, tokenize
from lexlattice.reading.citations.vocabulary import NO_ROLE, Vocabulary, fold_letters, load_vocabulary
from lexlattice.reading.languages.grammar import raw
from lexlattice.reading.languages.numbering import marker

if TYPE_CHECKING:
    from lexlattice.act.document import Act


# --- names of other acts: "Regulation (EC) No 597/2009 (‘the basic Regulation’)" -----------------------------

MIN_STEM: Final = 4
"""This many letters are the same in all forms of a word; shorter words have one form."""
MAX_ENDING: Final = 3
"""This many letters at the end can differ between the forms of a word."""
MAX_ALIAS_WORDS: Final = 5


class Alias(NamedTuple):
    """The name of an act as folded words, and the act."""

    words: tuple[str, ...]
    act: CitedAct


def parse_alias(term: str, before: Sequence[Token], words: Vocabulary) -> Alias | None:
    """The name that a quoted term gives to the last act before it; None if it does not name an act."""
    tokens = tokenize(term, words)
    while tokens and tokens[0].has("the"):
        tokens = tokens[1:]
    if not 0 < len(tokens) <= MAX_ALIAS_WORDS or any(token.kind not in ("word", "phrase") for token in tokens):
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


def _is_compound(word: str, words: Vocabulary) -> bool:
    """Whether a word is more than the kind of an act: "Grundverordnung"."""
    return any(stem[0] == "*" and role.act and word.find(stem[1:]) >= MIN_LIST for stem, role in words.stems)


def replace_aliases(tokens: list[Token], aliases: Iterable[Alias]) -> list[Token]:
    """Replace the words of each alias by one token for its act, in place."""
    for name in aliases:
        length, beginning = len(name.words), name.words[0][:MIN_STEM]
        for index in range(len(tokens) - length, -1, -1):
            if not tokens[index].text.startswith(beginning):  # all forms do; most tokens are no form of the word
                continue
            candidates = zip(tokens[index : index + length], name.words, strict=True)
            if all(_is_form(token, word) for token, word in candidates):
                start, end = tokens[index].start, tokens[index + length - 1].end
                act = CitedAct(start, end, name.act.kind, name.act.celex, alias=True)
                tokens[index : index + length] = [Token("act", "", start, end, NO_ROLE, act, False, True)]
    return tokens


def _is_form(token: Token, word: str) -> bool:
    """Whether a token is an inflected form of a word."""
    if token.text == word:
        return True
    stem = max(MIN_STEM, len(word) - MAX_ENDING)
    return len(word) > MIN_STEM and token.text[:stem] == word[:stem] and len(token.text) <= len(word) + MAX_ENDING + 1


# --- definitions ------------------------------------------------------------------------------------------

_QUOTED: Final = re.compile(
    r"«\s?([^«»]{2,120}?)\s?»|»([^«»]{2,120})«|„([^„“”\"]{2,120})[“”\"]|“([^“”]{2,120})[”“]|‘([^‘]{2,120}?)’(?!\w)"
    r"|‚([^‚‘’]{2,120})[‘’]|\"([^\"]{2,120})\"|(?<!\w)'([^']{2,120})'(?!\w)|”([^”]{2,120})”|(?<!\w)’([^’]{2,80})’(?!\w)"
    r"|`([^`'´]{2,80})[`'´](?!\w)|(?<![\w,])(?<!\w ),([^,'‘’]{2,80})['‘’](?!\w)|»([^«»\"]{2,80})\""
)
"""A term in the quotation marks of any of the 24 languages."""
_MARK: Final = re.compile("[«»„“”‘’‚\"'`]")
"""Whatever matches `_QUOTED` has one of these."""
_BETWEEN: Final = re.compile(r"[\s,(/]*(?:[^\W\d_]{1,5}\s?)?[\s,(]*")
"""The text between two names of one thing: "‘A’ or ‘B’", "‘A’ (‘B’)"."""
_AFTER: Final = re.compile(r"[\s)]*(?:[:–—―−-]|,\s)")
"""Separates a term from its meaning where no verb does."""
# "term: meaning" or "term – meaning" without quotation marks.
_UNQUOTED: Final = re.compile(r"\^?([^\W\d_][^:;.«»„“”‘\"\t\n]{1,80}?)(?:\s?:\s?|\s[–—-]\s)\S")
# A bracket, with up to four words after it ("hereinafter referred to as"), right before a term.
_OPENED: Final = re.compile(r"\(\s?(?:[^\W\d_]+[\s'’-]){0,4}$")
_BRACKETED: Final = re.compile(r"\((?:[^()\d«»„“”‘:]{2,30}(?::|\s[–—-])\s)?([^()\d«»„“”‘:;,]{4,70})\)")
"""A term alone in brackets, or after a colon in them: the name of an act, if an act precedes it."""
_CLOSED: Final = re.compile(r"\s?\)")
MAX_BEFORE_TERM: Final = 24
"""The most characters before the term at the beginning of a definition: "the term"."""
MIN_LIST: Final = 3
"""This many points that begin with a term are a list of definitions."""
MAX_TERM_WORDS: Final = 10
"""The most words of a term without quotation marks."""
_DEFINING: Final = ("article", "annex", "body")


@dataclass(frozen=True, slots=True)
class _Verbs:
    """How a language says that a term means something."""

    before: re.Pattern[str]
    """Such words at the end of the text before a term."""
    after: re.Pattern[str]
    """Such words at the beginning of the text after a term."""
    anywhere: re.Pattern[str]
    """Such words, or the word for definitions, anywhere."""
    heading: re.Pattern[str]
    hereinafter: re.Pattern[str]
    unquoted: re.Pattern[str]
    """Such words in brackets with a colon and a term without quotation marks."""


@cache
def _verbs(language: str) -> _Verbs:
    table = raw(language)["definitions"]
    keys = ("means", "hereinafter", "heading")
    means, named, heading = (
        "|".join(re.escape(fold_letters(word)).replace(r"\*", r"\w*") for word in table[key]) for key in keys
    )
    return _Verbs(
        re.compile(rf"(?<!\w)(?:{means})(?!\w)[\s:]*$"),
        re.compile(rf"[\s,)]*(?:[^\W\d_]+\s){{0,2}}(?:{means})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{means}|{heading})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{heading})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{named})(?!\w)[^.;()«»„“”‘]{{0,40}}$"),
        re.compile(rf"\((?:{named})\s?[:–—-]\s?([^()«»„“”‘\"’':;]{{2,80}})\)"),
    )


def find_definitions(act: Act) -> tuple[Definition, ...]:
    """Find the definitions of an act, in the order of the text, without those that it inserts into another act."""
    found: dict[tuple[int, int], Definition] = {}
    words = load_vocabulary(act.language)
    verbs = _verbs(act.language)
    for section in act.sections:
        if section.kind == "title" or amended_by_article(section, words) is not None:
            continue
        for unit, start, end in _terms_of_section(section, verbs):
            term = unit.text[start:end]
            start, end = end - len(term.lstrip()), start + len(term.rstrip())
            index = unit.start + start, unit.start + end
            found.setdefault(index, Definition(unit.text[start:end], unit.id, *index))
    return tuple(found[index] for index in sorted(found))


def find_aliases(act: Act, words: Vocabulary) -> list[Alias]:
    """Find the names that an act gives to other acts; longest first, so that none matches within another."""
    verbs = _verbs(act.language)
    found: dict[tuple[str, ...], Alias] = {}
    for unit in act.units:
        # Without a slash there is no number of an act that could be named.
        if "/" not in unit.text or unit.kind in ("table", "note"):
            continue
        plain = fold_letters(unit.text)
        bracketed = ((unit, *match.span(1)) for match in _BRACKETED.finditer(unit.text))
        for _, start, end in (*_named(unit, plain, verbs), *bracketed):
            name = parse_alias(unit.text[start:end], tokenize(unit.text[:start], words), words)
            if name is not None:
                found.setdefault(name.words, name)
    return sorted(found.values(), key=lambda name: -len(name.words))


def _terms_of_section(section: Section, verbs: _Verbs) -> Iterator[tuple[Unit, int, int]]:
    """The terms that a section defines: unit, start and end in its text."""
    leads = [section.id] if verbs.heading.search(fold_letters(section.heading)) else []
    heads = [_head(unit) for unit in section.units]
    listed = sum(
        _AFTER.match(unit.text, head.end()) is not None if head is not None else any(_unquoted(unit))
        for unit, head in zip(section.units, heads, strict=True)
        if head is not None or (leads and unit.kind == "paragraph")
    )
    for unit, head in zip(section.units, heads, strict=True):
        if unit.kind in ("quoted", "table", "note") or any(step.startswith("q") for step in unit.provision.split(".")):
            continue
        plain = fold_letters(unit.text)
        lead = next((lead for lead in reversed(leads) if unit.provision.startswith(f"{lead}.")), "")
        led = lead != ""
        if section.kind in _DEFINING:
            if not led and _leads(unit.text) and verbs.anywhere.search(plain):
                leads.append(unit.provision)
            yield from _headed(unit, plain, head, verbs, led=led, listed=listed >= MIN_LIST, depth=lead.count(".") + 1)
        yield from _named(unit, plain, verbs)


def _leads(text: str) -> bool:
    """Whether a text introduces a list: it ends with a colon or a letter."""
    return text[-1] == ":" or text[-1].isalpha()


def _head(unit: Unit) -> re.Match[str] | None:
    """The quoted term at the beginning of a unit."""
    mark = marker(unit.text)
    begin = mark.end if mark is not None else 0
    if not _MARK.search(unit.text, begin):
        return None
    match = _QUOTED.search(unit.text, begin, begin + MAX_BEFORE_TERM + 124)
    return match if match is not None and match.start() <= begin + MAX_BEFORE_TERM else None


def _headed(
    unit: Unit, plain: str, head: re.Match[str] | None, verbs: _Verbs, *, led: bool, listed: bool, depth: int
) -> Iterator[tuple[Unit, int, int]]:
    """The terms at the beginning of a unit that it defines."""
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
    """A term that only a colon or dash separates from its meaning, in a list of definitions."""
    mark = marker(unit.text)
    match = _UNQUOTED.match(unit.text, mark.end if mark is not None else 0)
    if match is not None and len(match[1].split()) <= MAX_TERM_WORDS:
        yield unit, match.start(1), match.end(1)


def _named(unit: Unit, plain: str, verbs: _Verbs) -> Iterator[tuple[Unit, int, int]]:
    """Terms defined within a text: "‘X’ means", "(hereinafter ‘X’)", "(‘X’)"."""
    for match in _QUOTED.finditer(unit.text) if _MARK.search(unit.text) else ():
        begin, end = match.span()
        alone = _OPENED.search(unit.text, max(0, begin - 40), begin) and _CLOSED.match(unit.text, end)
        named = alone or verbs.hereinafter.search(plain, max(0, begin - 70), begin)
        if named or (verbs.before.search(plain, max(0, begin - 40), begin) and unit.kind != "recital"):
            yield unit, *_span(match)
    for match in verbs.unquoted.finditer(plain):
        yield unit, *match.span(1)


def _span(match: re.Match[str]) -> tuple[int, int]:
    return match.span(match.lastindex or 0)
