"""A language's drafting conventions, loaded from `languages/*.toml` and compiled once into matchers.

No head-word or formula stands in code, only signs such as "no" for "number" that many languages share. Lines are
compared after folding (case and accents), so that "ΑΡΘΡΟ 5" and "Άρθρο 5" are one header.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from lexlattice.reading.languages.numbering import INSERTED, canonical

LANGUAGES: Final = tuple("bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv".split())
"""The 24 official languages."""

HEAD: Final = 80
"""So many characters of a line are looked at to tell a header or a formula."""

DIVISIONS: Final = ("part", "title", "chapter", "section", "subsection")
"""Head-words that enclose articles, outermost first."""

_SUFFIX: Final = rf"(?:[\s/.-]?{INSERTED}(?:\s{INSERTED})?|[/.-]?[^\W\d_]{{1,2}}|\s[^\W\d_](?=\s*$|\s\w+\.?$))?"
_DIGITS: Final = rf"\d{{1,3}}(?:\s?\.?\s?[oºª°](?!\w)|er|ere|re)?{_SUFFIX}(?![\w])"
_DECIMAL: Final = r"\d{1,2}\.\d{1,2}(?![\w.])"
_ROMAN: Final = rf"[ivxlcdmιχνμхісм]{{1,7}}(?:\s?{INSERTED}|[a-c])?(?!\w)"
_ROMAN_LEADS: Final = frozenset("ivxlcdmιχνμхісм")
_ORDINAL_SIGN: Final = re.compile(r"(?<=\d)\s?\.?\s?(?:[oºª°]|er|re)(?![^\W\d_])")
MISPRINTED_ONE: Final = "l"
"""The small letter that typewriters and scanners put for the figure 1."""
_LETTER_O: Final = re.compile(r"\d+[oO]\Z")
"""An inserted article, "59o", unless ordinals of the language end so: "5o" is "quinto"."""
_PLACEHOLDER: Final = re.compile(r"\{([^}]*)\}")
_LETTER: Final = r"[a-zα-ωа-я](?!\w)"


_ACCENTS: Final = re.compile("[\u0300-\u036f]+")


def fold(text: str) -> str:
    """Case and accents taken away, for comparing only; the text has its white space squeezed already.

    >>> fold("ΆΡΘΡΟ 5"), fold("Članak 1."), fold("Întrucât")
    ('αρθρο 5', 'clanak 1.', 'intrucat')
    """
    text = text.casefold()
    return text if text.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFD", text))


class Header(NamedTuple):
    """A line that opens a division of the act."""

    kind: str
    """article, annex, appendix, protocol, or one of DIVISIONS."""
    number: str
    """In one notation for all languages; empty for "Sole Article" and a lone "ANNEX"."""
    written: str
    """The number as the line has it, for citations."""
    end: int
    """Length of the header proper: what follows on the line is its heading or its first words."""


class CitationForm(NamedTuple):
    """How one level of a citation is written, by how much follows it; of points also by what they stand in."""

    final: str
    inner: str
    """Before the innermost level."""
    outer: str
    """Where more than one level follows."""
    direct: str
    """Of a point in an article or annex, without a paragraph between."""
    direct_inner: str
    direct_outer: str
    nested: str
    """Of a point in another point."""
    nested_inner: str
    nested_outer: str
    under: str
    """Of a point in a point that is itself direct."""
    under_inner: str
    under_outer: str
    first: str
    """What number 1 is called, where it has a name of its own ("article 1er")."""


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """What the reader knows about one language."""

    language: str
    name: str
    words: dict[str, str]
    sole: dict[str, str]
    header_pattern: re.Pattern[str]
    ordinal_values: dict[str, int]
    ordinals: tuple[str, ...]
    named_ordinals: dict[str, tuple[str, ...]]
    """Further forms of the ordinals for citations, by name; the last of each is for places that have no word."""
    ordinals_in_o: bool
    """Whether "5o" is an ordinal, as in Portuguese."""
    ordinal_endings: dict[str, str]
    """What follows the figure in "11th", "21st": by the number's last digits, and under "" for all others."""
    openers: dict[str, tuple[str, ...]]
    number_first: bool
    written: dict[str, tuple[str, ...]]
    """Head-words and formulas as they are written, for finding them inside a line."""
    types: tuple[tuple[str, str], ...]
    months: dict[str, int]
    citation: dict[str, CitationForm]
    sublevels: frozenset[str]
    abbreviations: frozenset[str]
    """Without their stop, in small letters: whatever follows, they end no sentence."""
    numbered: frozenset[str]
    """Abbreviations that end no sentence where a number follows ("Art.", "No."), for they may be words too."""
    years: frozenset[str]
    """Abbreviations of "year" after a year ("2004 r."): they may end a sentence or not."""
    ordinals_in_text: bool
    """Whether a figure with a stop may stand before a capital in the middle of a sentence ("am 1. Januar")."""
    heads: frozenset[str]
    """First letters of the words that say what the number after them counts."""
    firsts: frozenset[str]
    """First words of all headers, to spare other lines the full test."""
    leads: frozenset[str]
    """First letters of all headers that begin with a word, for the same purpose."""

    def ordinal(self, place: int) -> str:
        """A place beyond those that have a word of their own."""
        ending = self.ordinal_endings.get(str(place % 100)) or self.ordinal_endings.get(str(place % 10))
        return f"{place}{ending or self.ordinal_endings['']}"

    def opens(self, what: str, folded: str) -> bool:
        """Whether a folded line begins as the given formula does, at a word's end."""
        openers = self.openers[what]
        return folded.startswith(openers) and any(
            folded.startswith(opener) and not folded[len(opener) : len(opener) + 1].isalpha() for opener in openers
        )

    def formula(self, folded: str) -> str:
        """Which formula of the preamble a folded line begins with, if any: the longest beginning wins."""
        best, found = 0, ""
        for what in ("citation", "recitals", "enacting"):
            if folded.startswith(self.openers[what]):
                longest = max(len(opener) for opener in self.openers[what] if folded.startswith(opener))
                if longest > best:
                    best, found = longest, what
        return found

    def may_lead(self, folded: str) -> bool:
        """Whether a folded line may begin with a header: a cheap test that spares most lines the full one."""
        if folded[:3] in self.leads:
            return True
        if not self.number_first or not (folded[:1].isdigit() or folded[:1] in _ROMAN_LEADS or folded[1:2] in " ."):
            return False
        return any(word.strip(".:,-–—") in self.firsts for word in folded.split(" ", 3)[1:3])

    def header(self, line: str, folded: str | None = None) -> Header | None:
        """The header at the beginning of a line, whatever follows it on the line.

        `folded` is the fold of the line's beginning, where the caller has it.
        """
        if folded is None:
            folded = fold(line[:HEAD])
        if not self.may_lead(folded):
            return None
        head = line[:HEAD]
        bare = folded.rstrip(" .:-–—")
        if bare in self.sole:
            return Header(self.sole[bare], "", "", len(line))
        match = self.header_pattern.match(folded)
        if match is None:
            return None
        word, number = (match["w1"], match["n1"]) if match["w1"] else (match["w2"], match["n2"])
        kind = self.words[word]
        if number is None:
            if kind not in ("annex", "appendix", "protocol"):
                return None
            return Header(kind, "", "", match.end())
        if number in self.ordinal_values:
            written = str(self.ordinal_values[number])
            return Header(kind, written, written, match.end())
        span = match.span("n1" if match["w1"] else "n2")
        written = head[span[0] : span[1]] if len(folded) == len(head) else number
        if kind != "article" and "." in written:
            return None
        if match["w2"] and not written[0].isdigit() and not written.isupper():
            return None
        if kind == "article" and written == MISPRINTED_ONE:
            return Header(kind, "1", "1", match.end())
        if not self.ordinals_in_o and _LETTER_O.match(written):
            return Header(kind, written.casefold(), written, match.end())
        return Header(kind, canonical(written), _ORDINAL_SIGN.sub("", written).strip(), match.end())


def _pattern(words: dict[str, str], ordinals: dict[str, int], number_first: bool) -> re.Pattern[str]:
    """Word before or after its number; annexes may have none."""

    def either(options: list[str]) -> str:
        return "|".join(re.escape(o) for o in sorted(options, key=len, reverse=True))

    words_for_numbers = either(list(ordinals))
    number = f"{words_for_numbers}|{_DECIMAL}|{_DIGITS}|{_ROMAN}|{_LETTER}"
    before = f"{words_for_numbers}|{_DIGITS}|{_ROMAN}|{_LETTER}" if number_first else words_for_numbers
    any_word = either(list(words))
    return re.compile(
        rf"(?:(?P<w1>{any_word})(?!\w)(?:\.(?=\s?\d))?(?:\s?(?:no|n[°º]|nr|n\.|num)\.?(?=\s?[\d\s]))?(?:\s?(?P<n1>{number}))?"
        rf"|(?P<n2>{before})\s?\.?\s?(?P<w2>{any_word})(?!\w))\.?",
    )


def _levels(table: dict[str, Any]) -> dict[str, CitationForm]:
    levels = {}
    for name, form in table.items():
        plain = _depths(form, "", "final")
        direct = _depths(form, "direct_", "direct") if "direct" in form else plain
        nested = _depths(form, "nested_", "nested") if "nested" in form else plain
        under = _depths(form, "under_", "under") if "under" in form else nested
        levels[name] = CitationForm(*plain, *direct, *nested, *under, form.get("first", ""))
    return levels


def _depths(form: dict[str, str], prefix: str, final: str) -> tuple[str, str, str]:
    """The form of the innermost level, before it, and further out; what is missing is as the one before."""
    inner = form.get(f"{prefix}inner", form[final])
    return form[final], inner, form.get(f"{prefix}outer", inner)


@cache
def raw(language: str) -> dict[str, Any]:
    """A language's file as it stands."""
    return tomllib.loads(files(__package__).joinpath(f"{language}.toml").read_text("utf-8"))


@cache
def load(language: str) -> Grammar:
    """The grammar of one of the 24 languages."""
    data = raw(language)
    heads: dict[str, Any] = data["headwords"]
    words = {
        fold(word): kind for kind in (*DIVISIONS, "article", "annex", "appendix", "protocol") for word in heads[kind]
    }
    sole = {fold(word): kind for kind in ("article", "annex") for word in heads[f"sole_{kind}"]}
    ordinal_forms = {i: [word] for i, word in enumerate(heads["ordinals"], 1)}
    for i, forms in enumerate(heads.get("ordinals_header", []), 1):
        ordinal_forms.setdefault(i, []).extend(forms)
    ordinal_values = {fold(word): i for i, forms in ordinal_forms.items() for word in forms}
    citation = _levels(data["citation"])
    nouns = {name: forms[-1].replace("{n}", "") for name, forms in data.get("ordinals", {}).items()}
    sublevel_words = {
        fold(word)
        for name in (
            "paragraph",
            "subparagraph",
            "unnumbered",
            "letter",
            "number",
            "roman",
            "indent",
            "sentence",
        )
        for form in citation[name]
        for word in re.findall(r"[^\W\d_]{2,}", _PLACEHOLDER.sub(lambda match: nouns.get(match[1], ""), form))
    }
    short = data["sentences"]
    types = [(fold(word), kind) for kind, forms in data["types"].items() for word in forms]
    return Grammar(
        language=language,
        name=data["name"],
        words=words,
        sole=sole,
        header_pattern=_pattern(words, ordinal_values, heads.get("number_first", False)),
        ordinal_values=ordinal_values,
        ordinals=tuple(heads["ordinals"]),
        named_ordinals={name: tuple(forms) for name, forms in data.get("ordinals", {}).items()},
        ordinals_in_o=heads["ordinals"][0].endswith("o"),
        ordinal_endings={"": "."} | heads.get("ordinal_endings", {}),
        openers={what: tuple(fold(o) for o in forms) for what, forms in data["openers"].items()},
        number_first=heads.get("number_first", False),
        written={what: tuple(forms) for what, forms in (heads | data["openers"]).items() if isinstance(forms, list)},
        types=tuple(types),
        months={fold(month): i for i, month in enumerate(data["dates"]["months"], 1)},
        citation=citation,
        sublevels=frozenset(sublevel_words),
        abbreviations=frozenset(short["abbreviations"]),
        numbered=frozenset(short["numbered"]),
        years=frozenset(short["years"]),
        ordinals_in_text=short.get("ordinals", False),
        heads=frozenset(word[:4] for word in (*words, *sublevel_words, *map(fold, short["numbered"]))),
        firsts=frozenset(word.split(" ")[0] for word in (*words, *sole)),
        leads=frozenset(word[:3] for word in (*words, *sole, *ordinal_values)),
    )
