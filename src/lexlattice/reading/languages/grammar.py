"""The drafting conventions of one language, loaded from `languages/*.toml` and compiled once into matchers.

No head-word or formula of any language is in the code, only signs that many languages share, such as "no" for "number".
Lines are compared after folding (case and diacritics), so that "ΑΡΘΡΟ 5" and "Άρθρο 5" are the same header.
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
"""Characters at the start of a line that are searched for a header or a formula."""

DIVISIONS: Final = ("part", "title", "chapter", "section", "subsection")
"""Head-words that enclose articles, outermost first."""

# The notations of numbers in headers: "5a", "5 bis", "1º", "1er"; "1.2"; "IV", also in Greek and Cyrillic look-alikes.
_SUFFIX: Final = rf"(?:[\s/.-]?{INSERTED}(?:\s{INSERTED})?|[/.-]?[^\W\d_]{{1,2}}|\s[^\W\d_](?=\s*$|\s\w+\.?$))?"
_DIGITS: Final = rf"\d{{1,3}}(?:\s?\.?\s?[oºª°](?!\w)|er|ere|re)?{_SUFFIX}(?![\w])"
_DECIMAL: Final = r"\d{1,2}\.\d{1,2}(?![\w.])"
_ROMAN: Final = rf"[ivxlcdmιχνμхісм]{{1,7}}(?:\s?{INSERTED}|[a-c])?(?!\w)"
_ROMAN_LETTERS: Final = frozenset("ivxlcdmιχνμхісм")
_ORDINAL_SIGN: Final = re.compile(r"(?<=\d)\s?\.?\s?(?:[oºª°]|er|re)(?![^\W\d_])")
MISPRINTED_ONE: Final = "l"
"""The letter that typewriters and scanners put for the digit 1."""
_LETTER_O: Final = re.compile(r"\d+[oO]\Z")
"""The inserted article "59o", unless ordinals of the language end like that: "5o" is "quinto"."""
_SUBLEVELS: Final = "paragraph subparagraph unnumbered letter number roman indent sentence".split()
"""The levels of a citation below an article."""
_PLACEHOLDER: Final = re.compile(r"\{([^}]*)\}")
_LETTER: Final = r"[a-zα-ωа-я](?!\w)"
_DIACRITICS: Final = re.compile("[\u0300-\u036f]+")


def fold(text: str) -> str:
    """Remove case and diacritics, for comparison; white space must be normalized already.

    >>> fold("ΆΡΘΡΟ 5"), fold("Članak 1."), fold("Întrucât")
    ('αρθρο 5', 'clanak 1.', 'intrucat')
    """
    text = text.casefold()
    return text if text.isascii() else _DIACRITICS.sub("", unicodedata.normalize("NFD", text))


class Header(NamedTuple):
    """The header of a division of the act, at the start of a line."""

    kind: str
    """article, annex, appendix, protocol, or one of DIVISIONS."""
    number: str
    """In one notation for all languages; empty for "Sole Article" and an "ANNEX" without a number."""
    written: str
    """The number as it is written, for citations."""
    end: int
    """Length of the header itself; the rest of the line is its heading or the first words of the text."""


class CitationForm(NamedTuple):
    """The templates for one level of a citation, by the levels that follow it and, for points, by their parent."""

    final: str
    inner: str
    """Before the innermost level."""
    outer: str
    """Where more than one level follows."""
    direct: str
    """For a point directly in an article or annex, without a paragraph between them."""
    direct_inner: str
    direct_outer: str
    nested: str
    """For a point in another point."""
    nested_inner: str
    nested_outer: str
    under: str
    """For a point in a direct point."""
    under_inner: str
    under_outer: str
    first: str
    """The form of number 1, if it is special ("article 1er")."""


@dataclass(frozen=True, slots=True, eq=False)
class Grammar:
    """The drafting conventions of one language. All words are folded unless stated otherwise."""

    language: str
    name: str
    """In English."""
    words: dict[str, str]
    """Head-words → the kind of division: article, annex, chapter …"""
    sole: dict[str, str]
    """Whole headers without a number ("Sole Article") → the kind of division."""
    header_pattern: re.Pattern[str]
    ordinal_values: dict[str, int]
    """Words for numbers in headers → their value."""
    ordinals: tuple[str, ...]
    """The words for first, second … in citations, as they are written."""
    named_ordinals: dict[str, tuple[str, ...]]
    """Further forms of the ordinals for citations, by name; the last of each is a template for other numbers."""
    ordinals_in_o: bool
    """Whether "5o" is an ordinal, as in Portuguese."""
    ordinal_endings: dict[str, str]
    """The endings of "11th", "21st" by the last digits of the number; "" for all others."""
    openers: dict[str, tuple[str, ...]]
    """How formulas begin, by kind: citation, recitals, enacting, closing …"""
    number_first: bool
    """Whether the number may precede its head-word in headers ("1. cikk")."""
    written: dict[str, tuple[str, ...]]
    """Head-words and formulas as they are written, for finding them inside a line."""
    types: tuple[tuple[str, str], ...]
    """Words for kinds of acts, with the kind."""
    months: dict[str, int]
    citation: dict[str, CitationForm]
    sublevels: frozenset[str]
    """Words for the levels below an article."""
    abbreviations: frozenset[str]
    """Abbreviations in lower case, without the final stop, that never end a sentence."""
    numbered: frozenset[str]
    """Abbreviations that do not end a sentence if a number follows ("Art.", "No."); they may be words as well."""
    years: frozenset[str]
    """Abbreviations of "year" after a year ("2004 r."), which may or may not end a sentence."""
    ordinals_in_text: bool
    """Whether a number with a stop may precede a capital inside a sentence ("am 1. Januar")."""
    heads: frozenset[str]
    """First four letters of the words that precede a number ("Article", "point", "No.")."""
    firsts: frozenset[str]
    """First words of all headers, for a quick test."""
    leads: frozenset[str]
    """First three letters of all headers that begin with a word, for a quick test."""

    def ordinal(self, place: int) -> str:
        """Return an ordinal in digits: 11th, 21st."""
        ending = self.ordinal_endings.get(str(place % 100)) or self.ordinal_endings.get(str(place % 10))
        return f"{place}{ending or self.ordinal_endings['']}"

    def opens(self, what: str, folded: str) -> bool:
        """Whether a folded line begins with a formula of the given kind, followed by the end of a word."""
        openers = self.openers[what]
        return folded.startswith(openers) and any(
            folded.startswith(opener) and not folded[len(opener) : len(opener) + 1].isalpha() for opener in openers
        )

    def formula(self, folded: str) -> str:
        """Return the kind of preamble formula that a folded line begins with (longest match), or an empty string."""
        best, found = 0, ""
        for what in ("citation", "recitals", "enacting"):
            if folded.startswith(self.openers[what]):
                longest = max(len(opener) for opener in self.openers[what] if folded.startswith(opener))
                if longest > best:
                    best, found = longest, what
        return found

    def may_lead(self, folded: str) -> bool:
        """Whether a folded line may begin with a header: a quick test that rules out most lines."""
        if folded[:3] in self.leads:
            return True
        if not self.number_first or not (folded[:1].isdigit() or folded[:1] in _ROMAN_LETTERS or folded[1:2] in " ."):
            return False
        return any(word.strip(".:,-–—") in self.firsts for word in folded.split(" ", 3)[1:3])

    def header(self, line: str, folded: str | None = None) -> Header | None:
        """Return the header at the start of a line, whatever follows it, or `None`.

        Args:
            line: The line as it is written.
            folded: The folded start of the line (`HEAD` characters), if the caller has it.
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
        # Folding may change the length of a line; only if it did not, the number can be taken from the original.
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


@cache
def raw(language: str) -> dict[str, Any]:
    """Return the content of a language's file."""
    return tomllib.loads(files(__package__).joinpath(f"{language}.toml").read_text("utf-8"))


@cache
def openers(language: str) -> dict[str, list[str]]:
    """Return the table `[openers]` of a language's file, without parsing the rest.

    To identify a language takes that of all 24, and parsing all of their files would take longer than a summary.
    """
    text = files(__package__).joinpath(f"{language}.toml").read_text("utf-8")
    _, _, table = text.partition("\n[openers]\n")
    return tomllib.loads(table.partition("\n[")[0])


@cache
def load(language: str) -> Grammar:
    """Return the grammar of one of the 24 languages."""
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
    # Some ordinals contain the word they count ("{n}. albekezdés"); without the number that word remains.
    nouns = {name: forms[-1].replace("{n}", "") for name, forms in data.get("ordinals", {}).items()}
    sublevel_words = {
        fold(word)
        for name in _SUBLEVELS
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


def _pattern(words: dict[str, str], ordinals: dict[str, int], number_first: bool) -> re.Pattern[str]:
    """Compile the pattern of headers: the word before (w1, n1) or after (n2, w2) its number; annexes may have none."""

    def either(options: list[str]) -> str:
        return "|".join(re.escape(o) for o in sorted(options, key=len, reverse=True))

    words_for_numbers = either(list(ordinals))
    number = f"{words_for_numbers}|{_DECIMAL}|{_DIGITS}|{_ROMAN}|{_LETTER}"
    before = f"{words_for_numbers}|{_DIGITS}|{_ROMAN}|{_LETTER}" if number_first else words_for_numbers
    any_word = either(list(words))
    return re.compile(
        # "Article No. 5": a stop and a sign for "number" may follow the word.
        rf"(?:(?P<w1>{any_word})(?!\w)(?:\.(?=\s?\d))?(?:\s?(?:no|n[°º]|nr|n\.|num)\.?(?=\s?[\d\s]))?(?:\s?(?P<n1>{number}))?"
        rf"|(?P<n2>{before})\s?\.?\s?(?P<w2>{any_word})(?!\w))\.?",
    )


def _levels(table: dict[str, Any]) -> dict[str, CitationForm]:
    """Return the templates of each level; missing variants default to the plain ones."""
    levels = {}
    for name, form in table.items():
        plain = _depths(form, "", "final")
        direct = _depths(form, "direct_", "direct") if "direct" in form else plain
        nested = _depths(form, "nested_", "nested") if "nested" in form else plain
        under = _depths(form, "under_", "under") if "under" in form else nested
        levels[name] = CitationForm(*plain, *direct, *nested, *under, form.get("first", ""))
    return levels


def _depths(form: dict[str, str], prefix: str, final: str) -> tuple[str, str, str]:
    """Return the templates `final`, `inner` and `outer`; a missing one defaults to the one before."""
    inner = form.get(f"{prefix}inner", form[final])
    return form[final], inner, form.get(f"{prefix}outer", inner)
