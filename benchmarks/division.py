"""How finely should long provisions be divided? What the best extract could reach on validation, by setting.

For each act of the English validation split, units are chosen greedily by the gain in unigram and bigram overlap with
the official summary per word spent, within the summary's own length: an upper bound on any extract of such units.
Usage: LEXLATTICE_DATA=… python benchmarks/division.py [ACTS]
"""

from __future__ import annotations

import gzip
import heapq
import json
import os
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

from lexlattice import Unit, read

SETTINGS = (0, 120, 90, 60, 40, 25)
WORD = re.compile(r"\w+")


def grams(text: str) -> tuple[Counter[str], Counter[tuple[str, str]], int]:
    """Unigrams, bigrams and length of a text, lower-cased."""
    words = WORD.findall(text.lower())
    return Counter(words), Counter(pairwise(words)), len(words)


def oracle(units: tuple[Unit, ...], summary: str) -> tuple[float, float]:
    """ROUGE-1 and ROUGE-2 F1 of the greedy extract within the summary's length."""
    left1, left2, budget = grams(summary)
    total1, total2 = left1.total(), left2.total()
    parts = [grams(unit.text) for unit in units]

    def gain(i: int) -> float:
        ones, twos, length = parts[i]
        hit1 = sum(min(n, left1[g]) for g, n in ones.items()) / total1
        hit2 = sum(min(n, left2[g]) for g, n in twos.items()) / total2
        return (hit1 + hit2) / max(1, length)

    heap = [(-gain(i), i) for i in range(len(units)) if parts[i][2]]
    heapq.heapify(heap)
    used = hit1 = hit2 = ones_used = twos_used = 0
    while heap and used < budget:
        _, i = heapq.heappop(heap)
        fresh = gain(i)
        if fresh <= 0:
            break
        if heap and fresh < -heap[0][0] - 1e-12:
            heapq.heappush(heap, (-fresh, i))
            continue
        ones, twos, length = parts[i]
        if used + length > budget:
            continue
        used += length
        hit1 += sum(min(n, left1[g]) for g, n in ones.items())
        hit2 += sum(min(n, left2[g]) for g, n in twos.items())
        ones_used, twos_used = ones_used + ones.total(), twos_used + twos.total()
        left1, left2 = left1 - ones, left2 - twos
    return 200 * hit1 / (total1 + ones_used), 200 * hit2 / (total2 + twos_used)


def main() -> None:
    """Print the table."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    folder = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en"
    with gzip.open(folder / "validation.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][: int(sys.argv[1]) if len(sys.argv) > 1 else None]
    print(f"{len(rows)} acts\ndivide from   units/act   R-1    R-2")
    for setting in SETTINGS:
        scores, count = [], 0
        for row in rows:
            act = read(row["reference"], language="en", sentences_from=setting)
            count += len(act.units)
            scores.append(oracle(act.units, row["summary"]))
        ones, twos = (sum(values) / len(rows) for values in zip(*scores, strict=True))
        print(f"{setting or 'never':>11}   {count / len(rows):>9.0f}   {ones:.2f}  {twos:.2f}", flush=True)


if __name__ == "__main__":
    main()
