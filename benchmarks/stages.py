"""Where the time of a summary goes, stage by stage, and how far that is from what the machine allows.

Usage: LEXLATTICE_DATA=… python benchmarks/stages.py
One thread. The processor's time, the least of several runs, on the validation act nearest to 13,000 words and on DORA.
The bounds are measured too: multiply-adds by a large matrix product, bytes by copying an array that fits no cache.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from lexlattice import Act, read
from lexlattice.corpus.rows import Row, Rows
from lexlattice.encoding.static import Static
from lexlattice.features import Features, features_of
from lexlattice.lattice.cells import Lattice
from lexlattice.salience import Salience, chance
from lexlattice.selection.decoder import choose
from lexlattice.summarizer import PATH, Summarizer

T = TypeVar("T")
WORDS = 400
RUNS = 9
DORA = "acts/raw/32022R2554/2022-12-14/en.xml"


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """The least processor time of several runs, in milliseconds, and what came out."""
    least, result = float("inf"), work()
    for _ in range(RUNS):
        start = time.process_time()
        result = work()
        least = min(least, 1000 * (time.process_time() - start))
    return least, result


def multiply_adds(model: Salience, features: Features) -> int:
    """Of all dense layers, by the rows that go through each."""
    rows = {"word": len(features.words), "unit": len(features.units), "pair": len(features.pairs)}
    total = 0
    for name, layer in model.layers.items():
        count = 1 if name.endswith("topic") else rows[name.partition("_")[0]]
        total += count * layer.weight.size
    if model.automaton is not None:
        hidden, change = model.automaton.hidden.weight.size, model.automaton.change.weight.size
        total += model.steps * rows["unit"] * (hidden + change + model.automaton.kernel.size)
    return total + rows["unit"] * (model.readout.hidden.weight.size + model.readout.score.weight.size)


def stages(source: str | Path, model: Salience, encoder: Static) -> tuple[Act, Features, dict[str, float]]:
    """The time of each stage of one act."""
    spent = {}
    spent["read"], act = timed(lambda: read(source))
    spent["vectors, features"], features = timed(lambda: features_of(act, None, encoder))
    lattice = Lattice.of(act, model.geometry)
    spent["words, automaton, pairs"], judged = timed(lambda: model.judge(features, lattice, WORDS))
    scores = chance(judged.scores)
    spent["choose"], _ = timed(lambda: choose(act, scores, WORDS))
    summarizer = Summarizer.from_pretrained()
    spent["all, text in, JSON out"], _ = timed(lambda: summarizer.summarize(source, words=WORDS).to_json())
    return act, features, spent


def bounds() -> tuple[float, float]:
    """Multiply-adds and bytes that one thread can do in a millisecond."""
    side = 1024
    matrix = np.ones((side, side), np.float32)
    spent, _ = timed(lambda: matrix @ matrix)
    much = np.ones(32_000_000, np.float32)
    target = np.empty_like(much)
    copying, _ = timed(lambda: np.copyto(target, much))
    return side**3 / spent, 2 * much.nbytes / copying


def main() -> None:
    """Print one table for each act."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md), and try again.")
    data = Path(os.environ["LEXLATTICE_DATA"])
    rows = [row for row in Rows(data / "eur-lex-sum" / "en" / "validation.jsonl.gz") if isinstance(row, Row)]
    middling = min(rows, key=lambda row: abs(len(row.text.split()) - 13_000))
    model, encoder = Salience.read(PATH), Static()
    sums, moved = bounds()
    print(f"one thread: {sums / 1e6:.0f} thousand million multiply-adds and {moved / 1e6:.1f} GB a second\n")
    for name, source in (("13,000 words", middling.text), ("DORA", data / DORA)):
        act, features, spent = stages(source, model, encoder)
        work = multiply_adds(model, features)
        size = f"{len(act):,} units, {len(features.words):,} words, {len(features.pairs):,} pairs"
        print(f"| {name}: {size} | ms |\n|---|---|")
        for stage, milliseconds in spent.items():
            print(f"| {stage} | {milliseconds:.1f} |")
        print(f"\nits {work / 1e6:.0f} million multiply-adds alone: {work / sums:.1f} ms\n")


if __name__ == "__main__":
    main()
