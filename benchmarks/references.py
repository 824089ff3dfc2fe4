"""Quality of references and definitions: agreement of each language with English, and samples for manual review.

Without options it prints the agreement with English over whole acts; `--lines` does so over single sentences of many
acts, `--sample de --of 40` draws references of German versions (or of files) for manual review, `--definitions` counts
defined terms by language, and `--speed FILE` prints the time that an act takes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lexlattice import Act, read
from lexlattice.act.document import Reference
from lexlattice.reading.citations.mentions import find_mentions
from lexlattice.reading.citations.resolve import path_to_id
from lexlattice.reading.citations.tokens import tokenize
from lexlattice.reading.citations.vocabulary import load_vocabulary
from lexlattice.reading.languages.grammar import raw

DATA = Path(os.environ.get("LEXLATTICE_DATA", "../shared/data"))
ACTS = 40
"""The number of acts from which a sample is drawn."""
CONTEXT = 90


def versions() -> Iterator[tuple[str, dict[str, str]]]:
    """Acts in several languages: CELEX number and texts."""
    with gzip.open(DATA / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["celex_id"], row["text"]


def targets_of(act: Act) -> Counter[tuple[str, ...]]:
    """The references of an act without its language: the provision they are in, and their target."""
    found: Counter[tuple[str, ...]] = Counter()
    for reference in act.references():
        home = act[reference.unit].provision
        for target in reference.targets:
            found[home, target] += 1
        if reference.celex:
            for provision in reference.provision.split(" "):
                found[home, reference.celex, provision] += 1
    return found


def f1(same: int, ours: int, theirs: int) -> float:
    """Harmonic mean of precision and recall, in per cent."""
    return 200 * same / (ours + theirs) if ours + theirs else 100.0


def agreement(differences: str) -> None:
    """Print F1 of (provision, target) of each language against English, for versions with the same provisions."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for celex, texts in versions():
        english = read(texts.pop("en"), language="en")
        expected = targets_of(english)
        homes = {unit.provision for unit in english.units}
        for language, text in texts.items():
            act = read(text, language=language)
            if {unit.provision for unit in act.units} != homes:
                continue
            found = targets_of(act)
            counts[language].update(same=(found & expected).total(), ours=found.total(), english=expected.total())
            if language == differences and found != expected:
                print(celex, "only here:", sorted((found - expected).elements()))
                print(celex, "only English:", sorted((expected - found).elements()))
    for language, count in sorted(counts.items()):
        score = f1(count["same"], count["ours"], count["english"])
        print(f"{language} {score:5.1f}  here {count['ours']:5}  English {count['english']:5}")


def sentences(language: str) -> list[str]:
    """Sentences of many acts, the same in every language."""
    with gzip.open(DATA / "parallel" / "jrc-acquis" / f"{language}.txt.gz", "rt", encoding="utf-8") as lines:
        return [line.rstrip("\n") for line in lines]


def named(text: str, language: str) -> Counter[str]:
    """Provisions and acts that a sentence names; paragraph and point are merged, since some languages do not differ."""
    words = load_vocabulary(language)
    tokens = tokenize(text, words)
    found: Counter[str] = Counter()
    for mention in find_mentions(tokens, words):
        owner = mention.act.celex if mention.act is not None else mention.owner == "treaty"
        names = [path_to_id(path) for path in mention.paths if path[0] != ("annex", "")]
        found.update(f"{owner or 'here'} {re.sub(r'par-|sub-', 'pt-', name.removeprefix('art.'))}" for name in names)
    found.update(token.act.celex for token in tokens if token.act is not None)
    return found


def lines(differences: str) -> None:
    """Print F1 of the provisions and acts named in each sentence, against English."""
    english = [named(line, "en") for line in sentences("en")]
    for path in sorted((DATA / "parallel" / "jrc-acquis").glob("??.txt.gz")):
        language = path.name[:2]
        if language == "en":
            continue
        same = ours = theirs = 0
        for text, expected, original in zip(sentences(language), english, sentences("en"), strict=True):
            found = named(text, language)
            same += (found & expected).total()
            ours += found.total()
            theirs += expected.total()
            if language == differences and found != expected:
                print("-", sorted((found - expected).elements()), "| en:", sorted((expected - found).elements()))
                print("   ", text[:400], "\n   ", original[:400])
        print(f"{language} {f1(same, ours, theirs):5.1f}  here {ours:5}  English {theirs:5}")


def stored(language: str, source: str, rng: random.Random) -> list[Act]:
    """Up to `ACTS` acts of a collection in a language."""
    files = {
        "multi-eurlex": "acts/multi-eurlex.jsonl.gz",
        "en-fr": "acts/en-fr.jsonl.gz",
        "validation": "eur-lex-sum/en/validation.jsonl.gz",
        "train": "eur-lex-sum/en/train.jsonl.gz",
    }
    with gzip.open(DATA / files[source], "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts = [_text(row, language) for row in rows]
    texts = [text for text in texts if text]
    return [read(text, language=language) for text in rng.sample(texts, min(ACTS, len(texts)))]


def _text(row: dict[str, Any], language: str) -> str:
    """A version of an act in a row of any of the collections."""
    if isinstance(row.get("text"), dict):
        return str(row["text"].get(language, ""))
    return str(
        row.get(language) or row.get(f"text_{language}") or (row.get("reference", "") if language == "en" else "")
    )


def sample(language: str, size: int, *, source: str, seed: int, paths: list[str]) -> None:
    """Print random references with their context, for manual review."""
    rng = random.Random(seed)
    acts = [read(path) for path in paths] or stored(language, source, rng)
    drawn: list[tuple[Act, Reference]] = [(act, reference) for act in acts for reference in act.references()]
    for number, (act, reference) in enumerate(rng.sample(drawn, min(size, len(drawn))), 1):
        unit = act[reference.unit]
        before = act.source[max(unit.start, reference.start - CONTEXT) : reference.start]
        after = act.source[reference.end : min(unit.end, reference.end + CONTEXT)]
        where = ", ".join(reference.targets) or f"{reference.celex} {reference.provision}".strip()
        print(f"{number:3} {act.celex} {unit.id} [{reference.kind}: {where}]")
        print(f"    …{before}⟦{reference.text}⟧{after}…")


def definitions() -> None:
    """Print the terms defined in each language version, compared with English."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for _, texts in versions():
        expected = Counter(definition.unit for definition in read(texts["en"], language="en").definitions())
        for language, text in texts.items():
            found = Counter(definition.unit for definition in read(text, language=language).definitions())
            counts[language].update(same=(found & expected).total(), ours=found.total(), english=expected.total())
    for language, count in sorted(counts.items()):
        score = f1(count["same"], count["ours"], count["english"])
        print(f"{language} {score:5.1f}  here {count['ours']:4}  English {count['english']:4}")


_HEADED = re.compile(r"\W*(?:\(?[a-z0-9]{1,3}[).]\s*)?[\"“‘'`][^\"”’']{2,60}[\"”’'][,:]?\s*(?:shall )?(?:mean|:)")
"""An English sentence that begins with a term and defines it."""
_MARKER = re.compile(r"[\s-]*\(?(?:\d{1,3}|[^\W\d_]{1,2})\s?[).]\s*|[\s–—-]+")


def listed(language: str, *, shown: bool) -> None:
    """Print how many terms are found in definitions of many acts put into one article; `shown` prints all of them."""
    places = [n for n, line in enumerate(sentences("en")) if _HEADED.match(line)]
    translated = sentences(language)
    lines = [_MARKER.sub("", translated[n], count=1) for n in places]
    heading = raw(language)["definitions"]["heading"][0].rstrip("*").capitalize()
    header = f"{raw(language)['headwords']['article'][0].capitalize()} 1\n{heading}\n"
    act = read(header + "\n".join(f"({n}) {line}" for n, line in enumerate(lines, 1)), language=language)
    found: dict[int, str] = {}
    for definition in act.definitions():
        number = act[definition.unit].provision.rpartition("-")[2]
        if number.isdigit():
            found.setdefault(int(number), definition.term)
    print(f"{language} found {len(found)} of {len(lines)}")
    for n, line in enumerate(lines, 1):
        if shown:
            print(f"  {n:3} [{found.get(n, '')}] {line[:100]}")


def speed(path: str) -> None:
    """Print the time for the references of an act, once its language is loaded."""
    act = read(path)
    act.references()
    again = Act.from_dict(act.to_dict())
    start = time.perf_counter()
    count = len(again.references())
    took = time.perf_counter() - start
    print(f"{path}: {again.words:,} words, {count} references, {took * 1000:.0f} ms")


def main() -> None:
    """Run the part that the options name."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("--differences", metavar="LANGUAGE", default="")
    parser.add_argument("--sample", metavar="LANGUAGE")
    parser.add_argument("--from", dest="source", default="multi-eurlex")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--of", type=int, default=40)
    parser.add_argument("--definitions", action="store_true")
    parser.add_argument("--listed", metavar="LANGUAGE")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("paths", nargs="*")
    given = parser.parse_args()
    if given.sample:
        sample(given.sample, given.of, source=given.source, seed=given.seed, paths=given.paths)
    elif given.speed:
        for path in given.paths:
            speed(path)
    elif given.listed:
        listed(given.listed, shown=True)
    elif given.definitions:
        definitions()
    elif given.lines:
        lines(given.differences)
    else:
        agreement(given.differences)


if __name__ == "__main__":
    main()
