"""The words with which a language cites provisions and acts: `[references]` of `languages/*.toml`, compiled.

Words are compared in a folded form without case and diacritics. It has the length of the text, so that positions in
both are the same.
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
"""The levels that a citation names, outermost first."""
ACTS: Final = ("framework", "regulation", "directive", "decision", "recommendation")
"""Kinds of acts that are cited by number."""
LAST: Final = -1
"""The ordinal of the last of several."""
_FLAGS: Final = tuple("list range of the this same thereof treaty other maker".split())


class _Folding(dict[int, int]):
    """Translation table of characters to their form without case and diacritic, filled on demand.

    A character that would become two stays as it is, to keep the length of the text.
    """

    def __missing__(self, code: int) -> int:
        base = unicodedata.normalize("NFD", chr(code).casefold())[:1]
        folded = ord(base) if len(chr(code).casefold()) == 1 else code
        self[code] = folded
        return folded


_FOLDING: Final = _Folding()


def fold_letters(text: str) -> str:
    """Remove case and diacritics without changing the length of a text.

    >>> fold_letters("Άρθρο 5, Článek 1")
    'αρθρο 5, clanek 1'
    """
    return text.translate(_FOLDING)


class Role(NamedTuple):
    """What a word can mean in a citation; all false for words that mean nothing there."""

    levels: tuple[str, ...] = ()
    ordinal: int = 0
    flags: frozenset[str] = frozenset()
    act: str = ""

    def __bool__(self) -> bool:
        return bool(self.levels or self.ordinal or self.flags or self.act)


NO_ROLE: Final = Role()
"""The role of all other words: one object, so that it can be compared by identity."""
_SLASH: Final = re.compile(r"\d/\d")
_WORDS: Final = re.compile(r"[^\W\d_]+")
# The kinds of tokens; the order matters. "long" comes first, since most tokens are plain words and match at once.
_PIECES: Final = (
    r"(?P<long>[^\W\d_]{4,})"
    r"|(?P<paren>\(\s?(?:\d{1,3}\s?[^\W\d_]{0,2}|[^\W\d_]{1,6})\s?\))"  # (1), (2a), (iii)
    r"|(?P<note>\[\d{1,3}\])"  # a footnote: [12]
    r"|(?P<half>(?<![\w(])(?:\d{1,3}[^\W\d_]?|[^\W\d_]{1,3})\s?\))"  # a), 1)
    r"|(?P<decimal>(?<![\w/])\d{1,3}(?:\.\d{1,3})+(?![\w/]))"  # 5.1, 3.2.4
    r"|(?P<figure>\d{1,4}(?:[^\W\d_]{1,2}|(?:\s?(?:INSERTED)){1,2})?(?!\w))"  # 5, 5a, 5 bis
    r"|(?P<word>[^\W\d_]+)|(?P<rest>\S)"
)


@dataclass(slots=True)
class Vocabulary:
    """The words of a language for provisions and acts."""

    exact: dict[str, Role]
    stems: list[tuple[str, Role]]
    phrases: list[tuple[re.Pattern[str], Role]]
    tokens: re.Pattern[str]
    acts: re.Pattern[str]
    """Matches a word for a kind of act; the name of the group that matched is the kind."""
    sign: re.Pattern[str]
    """Matches "No" at the end of the text before the number of an act."""
    shown: str
    """The word for an article, which is put before a bare number that a user looks up."""
    before: frozenset[str]
    """Levels whose number precedes their word; "act" if the number of an act precedes its word."""
    either: frozenset[str]
    """Levels among these whose number can also follow the word."""
    bare_letters: bool
    """Whether a letter without brackets after the number of an article is a point."""
    act_first: bool
    """Whether the act is named before the provision, as in Finnish."""
    main_act_last: bool
    """Whether acts within the title of a cited act precede the number of that act."""
    months: frozenset[str]
    """The names of the months."""
    roles: dict[str, Role] = field(default_factory=dict)
    """Cache: the roles of words seen so far."""
    _not_levels: set[str] = field(default_factory=set)
    """Cache: words seen so far that mean no level."""

    def role(self, word: str) -> Role:
        """The role of a folded word or phrase."""
        found = self.roles.get(word)
        if found is None:
            found = self.roles[word] = self._find(word)
        return found

    def can_refer(self, plain: str) -> bool:
        """Whether a folded text contains a word for a level or the number of an act: a fast test before parsing."""
        if "/" in plain and _SLASH.search(plain):
            return True
        for word in set(_WORDS.findall(plain)) - self._not_levels:
            if self.role(word).levels:
                return True
            self._not_levels.add(word)
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


def entry_pattern(entry: str) -> str:
    """The regex for an entry of the language file, in which * stands for any letters."""
    return re.escape(fold_letters(entry)).replace(r"\*", r"\w*").replace(r"\ ", r"\s")


def _either(entries: Iterable[str]) -> str:
    return "|".join(entry_pattern(entry) for entry in sorted(entries, key=len, reverse=True))


@cache
def load_vocabulary(language: str) -> Vocabulary:
    """Compile the vocabulary of one of the 24 languages."""
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
    # Whole words are looked up, stems ("artik*") compared, and phrases ("first subparagraph", "al.") matched.
    exact: dict[str, Role] = {}
    stems: list[tuple[str, Role]] = []
    phrases: list[tuple[re.Pattern[str], Role]] = []
    for entry, role in entries:
        word = fold_letters(entry)
        if not word.strip("*").isalpha():
            phrases.append((re.compile(entry_pattern(entry)), role))
        elif word.endswith("*"):
            stems.append((word[:-1], role))
        else:
            exact[word] = _merge([exact[word], role]) if word in exact else role
    several = _either(entry for entry, _ in entries if not entry.strip("*").isalpha())
    # The lookahead on first letters lets the regex skip all phrases at most positions.
    leads = "".join(sorted({fold_letters(entry)[0] for entry, _ in entries if not entry.strip("*").isalpha()}))
    phrase = rf"(?P<phrase>(?=[{re.escape(leads)}])(?<!\w)(?:{several})(?!\w))|" if several else ""
    kinds = "|".join(rf"(?P<{act}>{_either(table[act])})" for act in ACTS)
    inserted = "|".join(word for word in INSERTED_WORDS if word not in table["range"])
    return Vocabulary(
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
        frozenset(map(fold_letters, raw(language)["dates"]["months"])),
    )
