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
from lexlattice.lattice.features import MeaningFeatures, features_of
from lexlattice.lattice.member import OF_SECTIONS, OF_UNITS, Member
from lexlattice.lattice.model import Network
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


def multiply_adds(model: Network, features: MeaningFeatures) -> int:
    """Of all dense layers, by the rows that go through each."""
    return sum(_of_member(member, len(features.units), len(features.sections)) for member in model.members)


def _of_member(member: Member, units: int, sections: int) -> int:
    of_units = [member.meanings[name].weight.size for name in OF_UNITS] + [member.first.weight.size]
    of_units += [member.second.weight.size, member.readout.hidden.weight.size, member.readout.score.weight.size]
    total = units * sum(of_units) + sections * sum(member.meanings[name].weight.size for name in OF_SECTIONS)
    if member.automaton is not None:
        hidden, change = member.automaton.hidden.weight.size, member.automaton.change.weight.size
        total += member.wiring.steps * units * (hidden + change + member.automaton.kernel.size)
    return total


def stages(source: str | Path, model: Network, encoder: Static) -> tuple[Act, MeaningFeatures, dict[str, float]]:
    """The time of each stage of one act."""
    spent = {}
    spent["read"], act = timed(lambda: read(source))
    spent["vectors, features"], features = timed(lambda: features_of(act, encoder))
    spent["network"], scores = timed(lambda: model.scores(features))
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
    model, encoder = Network.read(PATH), Static()
    sums, moved = bounds()
    print(f"one thread: {sums / 1e6:.0f} thousand million multiply-adds and {moved / 1e6:.1f} GB a second\n")
    for name, source in (("13,000 words", middling.text), ("DORA", data / DORA)):
        act, features, spent = stages(source, model, encoder)
        work = multiply_adds(model, features)
        size = f"{len(act):,} units, {len(act.sections):,} sections"
        print(f"| {name}: {size} | ms |\n|---|---|")
        for stage, milliseconds in spent.items():
            print(f"| {stage} | {milliseconds:.1f} |")
        print(f"\nits {work / 1e6:.0f} million multiply-adds alone: {work / sums:.1f} ms\n")


if __name__ == "__main__":
    main()
