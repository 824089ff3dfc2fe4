"""Where the time of a summary goes, stage by stage, and how far that is from what the machine allows.

Usage: LEXLATTICE_DATA=… python benchmarks/stages.py [WEIGHTS]
One thread. The processor's time, the least of several runs, on the validation act nearest to 13,000 words, on
Regulation 2018/1725, on DORA and on the AI Act. Each run reads the act again and goes through all stages in order,
since later stages find in an act what earlier ones have derived of it. The last line is the whole again with a pool of
BLAS threads, one for each core, as a process has them by default: what it takes beyond the line before is threads that
spin. The bounds are measured too: multiply-adds by a large matrix product, bytes by copying an array that fits no
cache.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from lexlattice import Act, read
from lexlattice.act.summary import Item, Summary
from lexlattice.encoding.static import Static
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.lattice.automaton import Dense
from lexlattice.lattice.features import MeaningFeatures, features_of
from lexlattice.lattice.grid import Floats
from lexlattice.lattice.model import OF_SECTIONS, Network
from lexlattice.reading.roles import groups_of
from lexlattice.selection.decoder import Choice, choose
from lexlattice.summarizer import PATH as WEIGHTS

T = TypeVar("T")
WORDS = 400
MIDDLING = 13_000
RUNS = 30
TWIN = "32018R1725"
DORA = "acts/raw/32022R2554/2022-12-14/en.xml"
AI_ACT = "acts/raw/32024R1689/2024-06-13/en.xml"
TOTAL = "total, text in, JSON out"


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """The least processor time of several runs, in milliseconds, and what came out."""
    least, result = float("inf"), work()
    for _ in range(RUNS):
        start = time.process_time()
        result = work()
        least = min(least, 1000 * (time.process_time() - start))
    return least, result


def written(act: Act, scores: Floats, choice: Choice) -> str:
    """What was chosen, as JSON."""
    names, units = groups_of(act), act.units
    items = (Item.of(units[i], act.sections[units[i].section], float(scores[i]), names[i], None) for i in choice.units)
    return Summary(act, WORDS, tuple(items), ()).to_json()


class Run:
    """One act on its way from its text to JSON, with the time of each stage in milliseconds."""

    def __init__(self, source: str | Path, network: Network, encoder: Static) -> None:
        self.times: dict[str, float] = {}
        start = time.process_time()
        self.act = self.timed("read", lambda: read(source))
        self.features = self.timed("features", lambda: features_of(self.act, encoder))
        scores = self.timed("network", lambda: network.scores(self.features))
        choice = self.timed("choose", lambda: choose(self.act, scores, WORDS))
        self.timed("JSON", lambda: written(self.act, scores, choice))
        self.times[TOTAL] = 1000 * (time.process_time() - start)

    def timed(self, stage: str, work: Callable[[], T]) -> T:
        """Do the work of a stage."""
        start = time.process_time()
        result = work()
        self.times[stage] = 1000 * (time.process_time() - start)
        return result


def stages(source: str | Path, network: Network, encoder: Static) -> tuple[Run, dict[str, float]]:
    """A run, and the least time of each stage of one act."""
    first = Run(source, network, encoder)
    times = [Run(source, network, encoder).times for _ in range(RUNS)]
    with threadpool_limits(os.cpu_count() or 1, user_api="blas"):
        default = [Run(source, network, encoder).times[TOTAL] for _ in range(RUNS)]
    least = {stage: min(one[stage] for one in times) for stage in first.times}
    return first, {**least, "total, with one BLAS thread per core": min(default)}


def multiply_adds(network: Network, features: MeaningFeatures) -> int:
    """Of all dense layers, by the rows that go through each."""
    units, sections = len(features.units), len(features.sections)
    total = sum(
        layer.weight.size * (sections if name in OF_SECTIONS else units) for name, layer in network.meanings.items()
    )
    dense: list[Dense] = [network.first, network.second, network.readout.hidden, network.readout.score]
    if network.automaton is not None:
        dense += network.wiring.steps * [network.automaton.hidden, network.automaton.change]
    return total + units * sum(layer.weight.size for layer in dense)


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
    middling = min(rows, key=lambda row: abs(len(row.text.split()) - MIDDLING))
    twin = next(row for row in rows if row.celex == TWIN)
    network, encoder = Network.read(sys.argv[1] if len(sys.argv) > 1 else WEIGHTS), Static()
    sums, moved = bounds()
    print(f"one thread: {sums / 1e6:.0f} thousand million multiply-adds and {moved / 1e6:.1f} GB a second\n")
    gc.freeze()
    sources: dict[str, str | Path] = {
        "the shorter act": middling.text,
        "Regulation 2018/1725": twin.text,
        "DORA": data / DORA,
        "AI Act": data / AI_ACT,
    }
    columns = {}
    for name, source in sources.items():
        run, least = stages(source, network, encoder)
        work = multiply_adds(network, run.features)
        print(f"{name}: its {work / 1e6:.0f} million multiply-adds alone take {work / sums:.1f} ms")
        columns[f"{name}, {run.act.words:,} words, {len(run.act):,} units"] = least
    print(f"\n| | {' | '.join(columns)} |\n|---{len(columns) * '|---'}|")
    for stage in next(iter(columns.values())):
        print(f"| {stage} | {' | '.join(f'{least[stage]:.1f}' for least in columns.values())} |")


if __name__ == "__main__":
    main()
