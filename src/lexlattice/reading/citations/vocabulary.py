"""The words a language refers to provisions and acts with, from `[references]` in `languages/*.toml`, compiled.

Words are compared in a flat form, without case and accents, that is as long as the text itself, so that places in the
one are places in the other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Final, NamedTuple

from lexlattice.reading.languages.grammar import raw
from lexlattice.reading.languages.numbering import INSERTED_WORDS

LEVELS: Final = tuple(
    "annex part title chapter section article recital paragraph subparagraph point indent sentence".split()
)
"""What a reference names, outermost first."""
ACTS: Final = ("framework", "regulation", "directive", "decision", "recommendation")
"""Kinds of acts that are cited by number."""
LAST: Final = -1
"""The ordinal of the last of several."""
_FLAGS: Final = tuple("list range of the this same thereof treaty other maker".split())


class _Flat(dict[int, int]):
    """Each character without case and accent, found when it is first met; one that would become two stays."""

    def __missing__(self, code: int) -> int:
        base = unicodedata.normalize("NFD", chr(code).casefold())[:1]
        folded = ord(base) if len(chr(code).casefold()) == 1 else code
        self[code] = folded
        return folded


_FLAT: Final = _Flat()


def flat(text: str) -> str:
    """A text without case and accents, as long as it was.

    >>> flat("Άρθρο 5, Článek 1")
    'αρθρο 5, clanek 1'
    """
    return text.translate(_FLAT)


class Role(NamedTuple):
    """What a word may do in a reference."""

    levels: tuple[str, ...] = ()
    ordinal: int = 0
    flags: frozenset[str] = frozenset()
    act: str = ""

    def __bool__(self) -> bool:
        return bool(self.levels or self.ordinal or self.flags or self.act)


NO_ROLE: Final = Role()
"""The role of all words that do nothing in references: the same object for each of them."""
_SLASH: Final = re.compile(r"\d/\d")
_WORDS: Final = re.compile(r"[^\W\d_]+")
_PIECES: Final = (
    r"(?P<long>[^\W\d_]{4,})"
    r"|(?P<paren>\(\s?(?:\d{1,3}\s?[^\W\d_]{0,2}|[^\W\d_]{1,6})\s?\))"
    r"|(?P<note>\[\d{1,3}\])"
    r"|(?P<half>(?<![\w(])(?:\d{1,3}[^\W\d_]?|[^\W\d_]{1,3})\s?\))"
    r"|(?P<decimal>(?<![\w/])\d{1,3}(?:\.\d{1,3})+(?![\w/]))"
    r"|(?P<figure>\d{1,4}(?:[^\W\d_]{1,2}|(?:\s?(?:INSERTED)){1,2})?(?!\w))"
    r"|(?P<word>[^\W\d_]+)|(?P<rest>\S)"
)


@dataclass(slots=True)
class Wording:
    """A language's words for provisions and acts."""

    exact: dict[str, Role]
    stems: list[tuple[str, Role]]
    phrases: list[tuple[re.Pattern[str], Role]]
    tokens: re.Pattern[str]
    acts: re.Pattern[str]
    """A word for a kind of act; the name of the group that matched is the kind."""
    sign: re.Pattern[str]
    """"No" at the end of what stands before an act's number."""
    shown: str
    """The word for an article, to be put before a bare number."""
    before: frozenset[str]
    """Levels whose number stands before their word; "act" if that of an act does."""
    either: frozenset[str]
    """Levels among them whose number may stand behind as well."""
    bare_letters: bool
    """Whether a letter without brackets behind an article's number is a point."""
    act_first: bool
    """Whether an act is named before the provision that is cited."""
    main_act_last: bool
    """Whether acts that belong to an act's title are named before the act itself."""
    roles: dict[str, Role] = field(default_factory=dict)
    """Roles of the words met so far."""
    _silent: set[str] = field(default_factory=set)
    """Words met so far that are none for a level."""

    def role(self, word: str) -> Role:
        """What a flat word or phrase may do."""
        found = self.roles.get(word)
        if found is None:
            found = self.roles[word] = self._find(word)
        return found

    def refers(self, plain: str) -> bool:
        """Whether a flat text has what references are made of: a word for a level, or an act's number."""
        if "/" in plain and _SLASH.search(plain):
            return True
        for word in set(_WORDS.findall(plain)) - self._silent:
            if self.role(word).levels:
                return True
            self._silent.add(word)
        return any(role.levels and pattern.search(plain) for pattern, role in self.phrases)

    def _find(self, word: str) -> Role:
        roles = [role for stem, role in self.stems if _begins(word, stem)]
        roles += [self.exact[word]] if word in self.exact else []
        roles += [role for pattern, role in self.phrases if not word.isalpha() and pattern.fullmatch(word)]
        return _merge(roles)


def _begins(word: str, stem: str) -> bool:
    return stem[1:] in word if stem[0] == "*" else word.startswith(stem)


def _merge(roles: Iterable[Role]) -> Role:
    merged = NO_ROLE
    for role in roles:
        levels = merged.levels + tuple(level for level in role.levels if level not in merged.levels)
        merged = Role(levels, merged.ordinal or role.ordinal, merged.flags | role.flags, merged.act or role.act)
    return merged


def _entry(entry: str) -> str:
    """A pattern for an entry of the language file: * stands for letters."""
    return re.escape(flat(entry)).replace(r"\*", r"\w*").replace(r"\ ", r"\s")


def _either(entries: Iterable[str]) -> str:
    return "|".join(_entry(entry) for entry in sorted(entries, key=len, reverse=True))


@cache
def wording(language: str) -> Wording:
    """The words of one of the 24 languages."""
    table = raw(language)["references"]
    entries: list[tuple[str, Role]] = []
    for level in LEVELS:
        entries += [(entry, Role(levels=(level,))) for entry in table[level]]
    for place, forms in enumerate(table["ordinals"], 1):
        entries += [(form, Role(ordinal=place)) for form in forms.split("|")]
    entries += [(form, Role(ordinal=LAST)) for form in table["last"]]
    for flag in _FLAGS:
        entries += [(entry, Role(flags=frozenset({flag}))) for entry in table[flag]]
    for act in ACTS:
        entries += [(entry, Role(act=act)) for entry in table[act]]
    exact: dict[str, Role] = {}
    stems: list[tuple[str, Role]] = []
    phrases: list[tuple[re.Pattern[str], Role]] = []
    for entry, role in entries:
        word = flat(entry)
        if not word.strip("*").isalpha():
            phrases.append((re.compile(_entry(entry)), role))
        elif word.endswith("*"):
            stems.append((word[:-1], role))
        else:
            exact[word] = _merge([exact[word], role]) if word in exact else role
    several = _either(entry for entry, _ in entries if not entry.strip("*").isalpha())
    leads = "".join(sorted({flat(entry)[0] for entry, _ in entries if not entry.strip("*").isalpha()}))
    phrase = rf"(?P<phrase>(?=[{re.escape(leads)}])(?<!\w)(?:{several})(?!\w))|" if several else ""
    kinds = "|".join(rf"(?P<{act}>{_either(table[act])})" for act in ACTS)
    inserted = "|".join(word for word in INSERTED_WORDS if word not in table["range"])
    return Wording(
        exact,
        stems,
        phrases,
        re.compile(phrase + _PIECES.replace("INSERTED", inserted)),
        re.compile(rf"(?<!\w)(?:{kinds})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{_either(table['sign'])})\.?\s?$"),
        raw(language)["headwords"]["article"][0],
        frozenset(table["before"]),
        frozenset(table["either"]),
        table["bare_letters"],
        table["act_first"],
        table["main_act_last"],
    )
