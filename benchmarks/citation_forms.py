"""Do acts cite as we do? How often each form of citation occurs in the text of acts in its language.

A form is a path of levels ("article paragraph letter"). Its number matches any number, its ordinal any ordinal, and the
endings of its words can differ, since a citation in a sentence is inflected.
Usage: LEXLATTICE_DATA=… python benchmarks/citation_forms.py [LANGUAGE …]
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from lexlattice.reading.citations.forms import Cite, cite, cite_sentences
from lexlattice.reading.languages.grammar import LANGUAGES, Grammar, fold, load

FORMS: Final = (
    "article paragraph",
    "article paragraph letter",
    "article paragraph letter roman",
    "article letter",
    "article number",
    "article unnumbered",
    "article paragraph subparagraph",
    "article paragraph subparagraph letter",
    "article paragraph indent",
    "article paragraph letter indent",
    "article paragraph sentence",
    "article paragraph subparagraph sentence",
    "article paragraph sentences",
    "recital",
    "annex numeral",
    "annex numeral letter",
    "annex part",
    "annex part numeral",
    "annex section",
    "annex chapter",
)
"""From common forms to rare ones."""
_NUMBERS: Final = {"letter": "b", "roman": "ii", "annex": "IV", "part": "C", "section": "C", "chapter": "C"}
_PATTERNS: Final = {
    "b": r"(?:[a-zα-ω]{1,2}|[а-я])",
    "β": r"(?:[a-zα-ω]{1,2}|[а-я])",
    "ii": r"[ivx]{1,4}",
    "iv": r"(?:[ivxa-d]{1,4}|[ιχ]{1,3}|[іхv]{1,4}|\d{1,2})",
    "c": r"(?:[a-eivx]{1,3}|[а-д]|[α-ε]|\d)",
}
_ORDINAL: Final = "\ue000"
_STEM: Final = 2
"""The number of letters at the end of a word that inflection can change."""


def example(form: str, grammar: Grammar) -> str:
    """A citation of that form."""
    level = None
    for name in form.split():
        if name == "sentences":
            one = cite(Cite(level, "sentence", "2", 2), grammar)
            return cite_sentences(one, 2, 3, grammar)
        level = Cite(level, name, _NUMBERS.get(name, "2"), 2)
    return cite(level, grammar)


def pattern(citation: str, grammar: Grammar) -> re.Pattern[str]:
    """The regex for the same form with any numbers and endings, in a folded text."""
    ordinals = {fold(word) for words in (*grammar.named_ordinals.values(), grammar.ordinals) for word in words}
    ordinals = {word for word in ordinals if "{" not in word}
    folded = fold(citation)
    for word in sorted(ordinals, key=len, reverse=True):
        folded = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", _ORDINAL, folded)
    stems = sorted({_stem(word) for word in (*ordinals, *grammar.ordinal_values)}, key=len, reverse=True)
    any_ordinal = rf"(?:{'|'.join(map(re.escape, stems))})\w*"
    parts = []
    for token in re.findall(r"[\w’'-]+|\s+|.", folded):
        if token == _ORDINAL:
            parts.append(any_ordinal)
        elif token.isdigit():
            parts.append(r"\d{1,3}[a-z]?")
        elif token in _PATTERNS:
            parts.append(_PATTERNS[token] + r"\)?")
        elif token.isspace():
            parts.append(r"\s?")
        elif token == "º":
            parts.append("[ºo°]?")
        elif token[0].isalpha():
            parts.append(re.escape(_stem(token)) + r"\w*")
        else:
            parts.append(re.escape(token) + ("?" if token in ",.)" else ""))
    return re.compile(r"(?<!\w)" + "".join(parts))


def _stem(word: str) -> str:
    """A word without the letters that inflection can change."""
    return word[: max(3, len(word) - _STEM)] if len(word) > 3 else word


def texts(language: str, data: Path) -> Iterator[str]:
    """Acts of the data folder in a language."""
    for name in ("multi-eurlex", "en-fr"):
        with gzip.open(data / "acts" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for n, line in enumerate(lines):
                if name == "multi-eurlex" or (language in ("en", "fr") and n % 8 == 0):
                    yield json.loads(line)["text"].get(language, "")
    lined = data / "parallel" / "jrc-acquis" / f"{language}.txt.gz"
    if lined.exists():
        yield gzip.decompress(lined.read_bytes()).decode("utf-8")
    for path in sorted((data / "eur-lex-sum" / "lexrank-extracts" / load(language).name.lower()).glob("*.txt")):
        yield path.read_text("utf-8")


def tail(form: str, levels: int) -> str:
    """The innermost levels of a form: older acts often put the outer ones at the end, or omit them."""
    return " ".join(form.split()[-levels:])


class Use(NamedTuple):
    """An example of a form, and how often acts use all of it, its two innermost levels and its innermost level."""

    example: str
    whole: int
    two: int
    one: int


def attested(language: str, data: Path) -> dict[str, Use]:
    """How often acts use each form."""
    grammar = load(language)
    forms = {form: (form, tail(form, 2), tail(form, 1)) for form in FORMS}
    patterns = {part: pattern(example(part, grammar), grammar) for parts in forms.values() for part in parts}
    counts = dict.fromkeys(patterns, 0)
    for text in texts(language, data):
        folded = " ".join(fold(text).split())
        for part in patterns:
            counts[part] += len(patterns[part].findall(folded))
    return {form: Use(example(form, grammar), *(counts[part] for part in parts)) for form, parts in forms.items()}


def main() -> None:
    """Print the table."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    data = Path(os.environ["LEXLATTICE_DATA"])
    for language in sys.argv[1:] or LANGUAGES:
        found = attested(language, data)
        wholes = sum(use.whole > 0 for use in found.values())
        parts = sum(use.whole + use.two + use.one > 0 for use in found.values())
        print(f"\n{language}: acts use {wholes} of {len(FORMS)} forms in full, and {parts} at least in part")
        for form, use in found.items():
            print(f"{use.whole:>6} {use.two:>6} {use.one:>6}  {use.example}   [{form}]")


if __name__ == "__main__":
    main()
