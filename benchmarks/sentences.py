"""Are sentences numbered rightly? Units that hold two, cuts after abbreviations, and agreement between languages.

What is an abbreviation is asked of the data and not of the reader: a word that is mostly followed by a full stop and
then goes on in small letters or with a figure. Provisions are divided however short they are.
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
LAST = re.compile(r"([^\W\d_]{2,})\.\Z")


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a JSONL file of the data folder."""
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Words:
    """How often each word of a language stands alone, before a stop, and before a stop that ends nothing."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.bare, self.short = Counter[str](), Counter[str]()
        for text in texts:
            for match in WORD.finditer(text):
                if not match[2]:
                    self.bare[match[1].casefold()] += 1
                elif match[3].islower() or match[3].isdigit():
                    self.short[match[1].casefold()] += 1

    def ordinary(self, word: str) -> bool:
        """Whether a word is surely none that is shortened."""
        return self.bare[word.casefold()] > 10 * self.short[word.casefold()]

    def shortened(self, word: str) -> bool:
        """Whether it surely is."""
        return self.short[word.casefold()] > max(2, self.bare[word.casefold()])


def held(act: Act, words: Words, least: int) -> tuple[int, int, int]:
    """Units that come in sentences, or have more words than they may have; those that hold two; those cut wrongly."""
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
        twice += any(words.ordinary(match[1]) for match in inner)
        last = LAST.search(unit.text)
        following = act.source[unit.end : unit.end + 2]
        wrong += last is not None and following == " " + following[-1:] and words.shortened(last[1])
    return units, twice, wrong


def validation() -> None:
    """The English validation acts, divided from 40 words on, as everybody reads them."""
    texts = [row["reference"] for row in rows("eur-lex-sum/en/validation.jsonl.gz")]
    words = Words(texts)
    sums = [
        sum(column)
        for column in zip(*(held(read(text, language="en"), words, SENTENCES_FROM) for text in texts), strict=True)
    ]
    print(f"English validation: {sums[0]} units, {sums[1]} hold two sentences, {sums[2]} end in an abbreviation")


def counts(act: Act) -> Counter[str]:
    """Sentences of each provision."""
    return Counter(unit.provision for unit in act)


def versions() -> None:
    """Each language against English: provisions with as many sentences, and the errors that can be seen."""
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
        sums = [sum(column) for column in zip(*(held(act, words, 1) for act in acts[language]), strict=True)]
        share = same[language] / both[language]
        print(f"{language:<9} {both[language]:>23} {share:>20.1%} {sums[0]:>7} {sums[1]:>9} {sums[2]:>12}")
    others = [language for language in acts if language != "en"]
    total = sum(same[language] for language in others) / sum(both[language] for language in others)
    print(f"all       {sum(both[language] for language in others):>23} {total:>20.1%}")
    print(f"all but decisions (translated freely) {strict[1]} of {sum(strict)} ({strict[1] / sum(strict):.1%})")


def sample(language: str, count: int) -> None:
    """Boundaries to be looked at: what stands before and after each."""
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
