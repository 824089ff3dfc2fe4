"""Measure sentence splitting: units that hold two sentences, cuts after abbreviations, agreement between languages.

Abbreviations are taken from the data, independently of the reader: words that are mostly followed by a full stop and
then by a small letter or a digit. Provisions are split however abbreviated they are.
Usage: LEXLATTICE_DATA=… python benchmarks/sentences.py [validation versions sample LANGUAGE COUNT]
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lexlattice import Act, read
from lexlattice.reading.structure.provisions import SENTENCES_FROM

if "LEXLATTICE_DATA" not in os.environ:
    sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
DATA = Path(os.environ["LEXLATTICE_DATA"])
WORD = re.compile(r"(?<![\w.])([^\W\d_]{2,})(\.?) (\S)")
"""A word, the stop after it, if any, and the first letter of the next: "No. 5", "force. The"."""
LAST = re.compile(r"([^\W\d_]{2,})\.\Z")
"""The last word of a sentence."""


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a JSONL file of the data folder."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Words:
    """How often each word of a language occurs without a stop, and before a stop that ends no sentence."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.bare, self.abbreviated = Counter[str](), Counter[str]()
        for text in texts:
            for match in WORD.finditer(text):
                if not match[2]:
                    self.bare[match[1].casefold()] += 1
                elif match[3].islower() or match[3].isdigit():
                    self.abbreviated[match[1].casefold()] += 1

    def is_ordinary(self, word: str) -> bool:
        """Whether a word is certainly no abbreviation."""
        return self.bare[word.casefold()] > 10 * self.abbreviated[word.casefold()]

    def is_abbreviation(self, word: str) -> bool:
        """Whether a word is certainly an abbreviation."""
        return self.abbreviated[word.casefold()] > max(2, self.bare[word.casefold()])


def count_errors(act: Act, words: Words, least: int) -> tuple[int, int, int]:
    """Count units that are sentences or exceed `least` words, those that hold two sentences, and those cut wrongly."""
    units = twice = wrong = 0
    provisions = [unit.provision for unit in act]
    parents = {provision.rpartition(".")[0] for provision in provisions}
    for unit in act:
        if unit.kind in ("title", "table") or unit.provision in parents:
            continue
        if unit.id == unit.provision and unit.words <= least:
            continue
        units += 1
        inner = (match for match in WORD.finditer(unit.text) if match[2] and match[3].isupper())
        twice += any(words.is_ordinary(match[1]) for match in inner)
        last = LAST.search(unit.text)
        following = act.source[unit.end : unit.end + 2]
        wrong += last is not None and following == " " + following[-1:] and words.is_abbreviation(last[1])
    return units, twice, wrong


def validation() -> None:
    """Measure the English validation acts with the default setting."""
    texts = [row["reference"] for row in rows("eur-lex-sum/en/validation.jsonl.gz")]
    words = Words(texts)
    sums = [
        sum(column)
        for column in zip(
            *(count_errors(read(text, language="en"), words, SENTENCES_FROM) for text in texts), strict=True
        )
    ]
    print(f"English validation: {sums[0]} units, {sums[1]} hold two sentences, {sums[2]} end in an abbreviation")


def counts(act: Act) -> Counter[str]:
    """The number of sentences of each provision."""
    return Counter(unit.provision for unit in act)


def versions() -> None:
    """Compare each language with English: provisions with the same number of sentences, and visible errors."""
    same, both = Counter[str](), Counter[str]()
    strict = [0, 0]
    acts: dict[str, list[Act]] = {}
    texts: dict[str, list[str]] = {}
    for row in rows("acts/multi-eurlex.jsonl.gz"):
        original = read(row["text"]["en"], language="en", sentences_from=1)
        english = counts(original)
        for language, text in row["text"].items():
            act = read(text, language=language, sentences_from=1)
            acts.setdefault(language, []).append(act)
            texts.setdefault(language, []).append(text)
            for provision, number in counts(act).items():
                if provision in english and max(number, english[provision]) > 1:
                    both[language] += 1
                    same[language] += number == english[provision]
                    if original.type != "decision" and language != "en":
                        strict[number == english[provision]] += 1
    print("language  provisions in sentences  as many as English   units  with two  cut wrongly")
    for language in sorted(acts):
        words = Words(texts[language])
        sums = [sum(column) for column in zip(*(count_errors(act, words, 1) for act in acts[language]), strict=True)]
        share = same[language] / both[language]
        print(f"{language:<9} {both[language]:>23} {share:>20.1%} {sums[0]:>7} {sums[1]:>9} {sums[2]:>12}")
    others = [language for language in acts if language != "en"]
    total = sum(same[language] for language in others) / sum(both[language] for language in others)
    print(f"all       {sum(both[language] for language in others):>23} {total:>20.1%}")
    print(f"all but decisions (translated freely) {strict[1]} of {sum(strict)} ({strict[1] / sum(strict):.1%})")


def sample(language: str, count: int) -> None:
    """Print sentence boundaries for inspection, with the text before and after each."""
    found = []
    for name in ("multi-eurlex", "en-fr"):
        for row in rows(f"acts/{name}.jsonl.gz"):
            text = row["text"].get(language)
            act = read(text, language=language, sentences_from=1) if text else ()
            found += [(a, b) for a, b in zip(act, list(act)[1:], strict=False) if a.provision == b.provision != "title"]
        if len(found) > 20 * count:
            break
    for before, after in random.Random(0).sample(found, min(count, len(found))):
        print(f"…{before.text[-28:]} ‖ {after.text[:24]}…")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["sample", language, count]:
            sample(language, int(count))
        case names:
            for name in names or ("validation", "versions"):
                {"validation": validation, "versions": versions}[name]()
