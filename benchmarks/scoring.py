"""What scoring promises, measured: equal to rouge-score, how much faster, the oracle, and very long acts.

Usage: LEXLATTICE_DATA=… python benchmarks/scoring.py [equality languages rouge oracle naive size]
Without names, everything is measured. Times are of one thread unless it is said otherwise; ratios are taken in one run.
"""

from __future__ import annotations

import os
import sys

if "LEXLATTICE_DATA" not in os.environ:
    sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import gzip
import json
import platform
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from rouge_score.rouge_scorer import RougeScorer

from lexlattice import Act, Unit, read
from lexlattice.encoding.tokens import tokenizer
from lexlattice.evaluation import baselines
from lexlattice.evaluation.metrics import rouge
from lexlattice.evaluation.oracle import OBJECTIVES, Choice, Oracle
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.selection import select
from timing import seconds

DATA = Path(os.environ["LEXLATTICE_DATA"])
ENGLISH = DATA / "eur-lex-sum" / "en"
TOKENS = 850
PAIRS = 10
PROCESSES = 2
COMPARED = (20, 30, 40, 50, 60)
"""The acts on which the naive oracle is tried: these percentiles of the training acts by length."""


class OurTokens:
    """Our tokenizer, in the form that rouge-score takes one."""

    def tokenize(self, text: str) -> list[str]:
        """The words of any script."""
        return tokenizer("unicode")(text)


def split(name: str) -> Iterator[Row]:
    """The rows of a split that can be used: all of them."""
    return (row for row in Rows(ENGLISH / f"{name}.jsonl.gz") if isinstance(row, Row))


def pairs(count: int) -> Iterator[tuple[str, str]]:
    """Candidates and references of one length: the act's first words, or some of its lines at random."""
    long_enough = (row for row in split("validation") if len(tokenizer("compat")(row.summary)) >= TOKENS)
    for number, row in enumerate(islice(long_enough, count)):
        lines = row.text.split("\n")
        if number % 2:
            random.Random(number).shuffle(lines)
        yield cut("\n".join(lines), TOKENS), cut(row.summary, TOKENS)


def cut(text: str, tokens: int) -> str:
    """The first `tokens` tokens of a text."""
    ends = [match.end() for match in islice(re.finditer("[a-z0-9]+", text.lower()), tokens)]
    return text[: ends[-1]]


def equality() -> None:
    """The largest difference to rouge-score in any value of any measure."""
    for stem in (False, True):
        scorer = RougeScorer(list(rouge.MEASURES), use_stemmer=stem)
        largest, values = 0.0, 0
        for candidate, reference in pairs(2 * PAIRS):
            ours = rouge.score(candidate, reference, "compat-stemmed" if stem else "compat")
            for measure, theirs in scorer.score(reference, candidate).items():
                largest = max(largest, *(abs(a - b) for a, b in zip(ours[measure], theirs, strict=True)))
                values += len(theirs)
        print(
            f"equal to rouge-score, {'with' if stem else 'without'} stemming: {values} values, "
            f"largest difference {largest:g}"
        )


def languages() -> None:
    """What `compat` leaves of each language: of the characters in words, and into how many pieces words fall."""
    kept, pieces = Counter[str](), Counter[str]()
    characters, words = Counter[str](), Counter[str]()
    with gzip.open(DATA / "acts" / "multi-eurlex.jsonl.gz", "rt", encoding="utf-8") as lines:
        for language, text in ((key, text) for line in lines for key, text in json.loads(line)["text"].items()):
            ours, theirs = tokenizer("unicode")(text), tokenizer("compat")(text)
            characters[language] += sum(map(len, ours))
            words[language] += len(ours)
            kept[language] += sum(map(len, theirs))
            pieces[language] += len(theirs)
    found = [f"{key} {kept[key] / characters[key]:.0%} {pieces[key] / words[key]:.2f}" for key in sorted(words)]
    print(f"what compat keeps of the characters in words, and its tokens for each word: {', '.join(found)}")


def speed() -> None:
    """Time of rouge-score over ours, on the same pairs."""
    for measures in (("rouge1", "rouge2"), ("rougeL",), ("rougeLsum",)):
        scorer = RougeScorer(list(measures))
        theirs = ours = 0.0
        for candidate, reference in pairs(PAIRS):
            theirs += seconds(lambda: scorer.score(reference, candidate), 3)  # noqa: B023
            ours += seconds(lambda: rouge.score(candidate, reference, "compat", measures=measures), 15)  # noqa: B023
        print(
            f"{' and '.join(measures)}, pairs of {TOKENS} tokens: {1e3 * ours / PAIRS:.2f} ms, "
            f"rouge-score {1e3 * theirs / PAIRS:.1f} ms, {theirs / ours:.1f} times faster"
        )


def oracle() -> None:
    """All training acts, read and labelled, in two processes; and how much of it is the oracle's part."""
    for objective in OBJECTIVES:
        start = time.perf_counter()
        with ProcessPoolExecutor(PROCESSES) as pool:
            parts = list(pool.map(partial(labelled, objective), split("train"), chunksize=4))
        taken = time.perf_counter() - start
        print(
            f"oracle {objective}, {len(parts)} training acts in {PROCESSES} processes: {taken:.1f} s with reading, "
            f"of which the oracle {sum(part for part, _ in parts) / PROCESSES:.1f} s; "
            f"{sum(units for _, units in parts) / len(parts):.1f} units an act"
        )


def labelled(objective: str, row: Row) -> tuple[float, int]:
    """Seconds that the oracle takes for an act, and how many units it takes."""
    act = read(row.text, language="en")
    start = time.perf_counter()
    choice = Oracle(objective).choose(act.units, row.summary)
    return time.perf_counter() - start, len(choice.order)


def naive() -> None:
    """The paper's oracle beside a loop that scores every possible next extract with rouge-score."""
    by_length = sorted(split("train"), key=lambda row: len(row.text))
    slow = fast = 0.0
    same = 0
    for percentile in COMPARED:
        row = by_length[len(by_length) * percentile // 100]
        units = read(row.text, language="en").units
        start = time.perf_counter()
        expected = straightforward(units, row.summary)
        slow += time.perf_counter() - start
        fast += seconds(lambda: Oracle("greedy").choose(units, row.summary), 3)  # noqa: B023
        same += Oracle("greedy").choose(units, row.summary) == expected
    print(
        f"oracle greedy beside a loop over rouge-score, {len(COMPARED)} acts: {same} with the same selection, "
        f"{fast:.2f} s against {slow:.0f} s, {slow / fast:.0f} times faster"
    )


def straightforward(units: tuple[Unit, ...], reference: str) -> Choice:
    """The paper's definition, written down as it stands."""
    scorer = RougeScorer(["rouge1", "rouge2"], tokenizer=OurTokens())
    order: list[int] = []
    values: list[float] = []
    best = 0.0
    while len(order) < Oracle().cap:
        chosen = None
        for index in range(len(units)):
            if index not in order:
                text = "\n".join(units[member].text for member in sorted([*order, index]))
                scores = scorer.score(reference, text)
                value = 0.5 * (scores["rouge1"].fmeasure + scores["rouge2"].fmeasure)
                if value > best:
                    best, chosen = value, index
        if chosen is None:
            break
        order.append(chosen)
        values.append(best)
    return Choice(tuple(order), tuple(values))


def size() -> None:
    """Seconds for acts up to a million words, against references up to ten thousand: acts joined into one."""
    rows = list(islice(split("validation"), 80))
    text, summaries = "\n".join(row.text for row in rows), "\n".join(row.summary for row in rows)
    print("seconds by length of act and reference:")
    for part in (4, 2, 1):
        act = read(cut(text, 1_200_000 // part), language="en")
        reference = cut(summaries, 10_000 // part)
        print(
            f"{act.words:>9,} words in {len(act.units):,} units, reference {len(reference.split()):,} words: "
            f"{', '.join(stages(act, reference))}",
            flush=True,
        )


def stages(act: Act, reference: str) -> Iterator[str]:
    """Each stage of an evaluation and its time."""
    scores = np.random.default_rng(0).random(len(act.units))
    extract = select(act, scores, len(reference.split())).text
    calls: dict[str, Callable[[], object]] = {
        "select": lambda: select(act, scores, len(reference.split())),
        "select with redundancy control": lambda: select(act, scores, len(reference.split()), redundancy=0.5),
        "lexrank": lambda: baselines.lexrank(act),
        "textrank": lambda: baselines.textrank(act),
        "centroid": lambda: baselines.centroid(act),
        "oracle": lambda: Oracle().choose(act.units, reference),
        "ROUGE of the extract": lambda: rouge.score(extract, reference),
        "ROUGE of the whole act": lambda: rouge.score("\n".join(unit.text for unit in act.units), reference),
    }
    for name, call in calls.items():
        yield f"{name} {seconds(call):.2f}"


PARTS = {"equality": equality, "languages": languages, "rouge": speed, "oracle": oracle, "naive": naive, "size": size}


def main() -> None:
    """Run the parts that are named, or all."""
    chosen = sys.argv[1:] or list(PARTS)
    if unknown := [name for name in chosen if name not in PARTS]:
        sys.exit(f"There is no part '{unknown[0]}'; choose among: {', '.join(PARTS)}.")
    print(f"Python {platform.python_version()}, {platform.machine()}")
    for name in chosen:
        PARTS[name]()


if __name__ == "__main__":
    main()
