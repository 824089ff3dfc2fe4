"""How fast a summary is made, beside the peers, and what it costs: one table, of one run.

Usage: LEXLATTICE_DATA=… python benchmarks/speed.py [acts peers threads growth memory cold start lattice] [--times N]
Without names, everything is measured; only peers and cold need the peers' packages: pip install lexlattice[bench].
Everything runs on one thread. Figures are medians of several runs, ours and a peer's in turns, since others may share
the machine; for the same reason the processor's time stands beside the clock's. Ours is given the text of an act and
returns JSON. Peers are measured twice: with the text, which they divide into sentences and words themselves; and with
our units, already divided, so that they only have to rank them (see peers.py).
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import argparse
import gc
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from lexlattice import Act, Unit, read, summarize
from lexlattice.evaluation.rows import Row, Rows
from lexlattice.lattice import Automaton, Lattice, Readout
from lexlattice.lattice.automaton import Dense
from lexlattice.lattice.grid import Floats
from peers import PEERS

HERE = Path(__file__).parent
SHORT = HERE.parent / "examples" / "short" / "en.txt"
DORA = "acts/raw/32022R2554/2022-12-14/en.xml"
AI_ACT = "acts/raw/32024R1689/2024-06-13/en.xml"

WORDS = 400
MIDDLING = 13_000
LENGTHS = (13_000, 42_000, 125_000, 500_000, 1_000_000)
SHORTEST = 5
SENTENCE_END = re.compile(r"\n+|(?<=[.!?])\s+(?=[^\W\d_a-z])")
LETTERS = ("", *"abcde")
CHANNELS, HIDDEN, READOUT, STEPS, HEIGHT, WIDTH = 768, 256, 768, 8, 48, 32
"""The paper's model."""
EACH = 10
"""Runs of an act for each of the times that are asked for."""
EVERY = 12
"""Of the validation acts, those whose lattices are tried."""
NEED_PEERS = frozenset(("peers", "cold"))
PACKAGES = ("numpy", "sumy", "lexrank", "summa")
STEPS_OF_START = ("Python", "NumPy", "other imports", "weights", "the first act", "the same act again")
START = """
import sys, time
moments = [0.0, time.process_time()]
import numpy
moments.append(time.process_time())
import lexlattice.apps.cli.summarize, lexlattice.rendering.text
from lexlattice.summarizer import shipped, summarize
moments.append(time.process_time())
shipped()
moments.append(time.process_time())
for _ in range(2):
    summarize(open(sys.argv[1], encoding="utf-8").read(), words=400).to_text()
    moments.append(time.process_time())
print(*(after - before for before, after in zip(moments, moments[1:])))
"""
COLD = ("sumy LexRank", "sumy TextRank", "sumy LSA")


class Spent(NamedTuple):
    """Seconds of a call."""

    wall: float
    processor: float


class Line(NamedTuple):
    """A line of the table."""

    what: str
    wall: str
    processor: str = ""
    target: str = ""


def ours(text: str) -> str:
    """Text in, JSON out."""
    return summarize(text, words=WORDS).to_json()


def spent(call: Callable[[], object]) -> Spent:
    """What one call takes, in this process and in those it starts."""
    wall, processor = time.perf_counter(), on_processor()
    call()
    return Spent(time.perf_counter() - wall, on_processor() - processor)


def on_processor() -> float:
    """Seconds that the processor has worked for this process and those it started and that have ended."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def in_turns(first: Callable[[], object], others: Mapping[str, Callable[[], object]], times: int) -> list[Spent]:
    """Medians of the first, which is called before each of the others again, and of these."""
    runs: list[list[Spent]] = [[] for _ in range(1 + len(others))]
    for _ in range(times):
        for place, other in enumerate(others.values(), 1):
            runs[0].append(spent(first))
            runs[place].append(spent(other))
    return [middle(some) for some in runs]


def middle(runs: Sequence[Spent]) -> Spent:
    """The median of both times."""
    return Spent(median(run.wall for run in runs), median(run.processor for run in runs))


def line(what: str, taken: Spent, target: str = "") -> Line:
    """Times, written so that they can be read."""
    wall, processor = (f"{1e3 * t:,.0f} ms" if t < 1 else f"{t:,.2f} s" for t in taken)
    return Line(what, wall, processor, target)


def ratio(what: str, slow: Spent, fast: Spent, target: str) -> Line:
    """How many times faster."""
    return Line(what, f"{slow.wall / fast.wall:.1f} ×", f"{slow.processor / fast.processor:.1f} ×", target)


@cache
def data() -> Path:
    """The data folder."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    return Path(os.environ["LEXLATTICE_DATA"])


@cache
def texts() -> list[str]:
    """The English validation acts."""
    rows = Rows(data() / "eur-lex-sum" / "en" / "validation.jsonl.gz")
    return [row.text for row in rows if isinstance(row, Row)]


def middling() -> Act:
    """The act whose length is nearest to the one that is asked about."""
    return read(min(texts(), key=lambda text: abs(len(text.split()) - MIDDLING)))


def dora() -> Act:
    """The Digital Operational Resilience Act, of 44,000 words as we count them."""
    return read(data() / DORA)


def acts(times: int) -> Iterator[Line]:
    """Three acts: text in, JSON out, warm; without peers, the least of many runs."""
    named = (middling(), "", "≤ 30 ms"), (dora(), "DORA, ", "≤ 90 ms"), (read(data() / AI_ACT), "AI Act, ", "≤ 200 ms")
    for act, name, target in named:
        ours(act.source)
        gc.freeze()
        runs = [spent(partial(ours, act.source)) for _ in range(EACH * times)]
        least = Spent(*(min(clock) for clock in zip(*runs, strict=True)))
        yield line(f"{name}{act.words:,} words, {len(act):,} units, least of {len(runs)} runs", least, target)


def beside_peers(times: int) -> Iterator[Line]:
    """Two acts: text in, JSON out, warm; and the peers on the same units."""
    for act, name, target, times_faster in (
        (middling(), "", "≤ 30 ms", "≥ 25 ×"),
        (dora(), "DORA, ", "≤ 90 ms", "≥ 40 ×"),
    ):
        units = [unit.text for unit in act.units]
        calls = {f"{peer}, ranking only": partial(ready(units), WORDS) for peer, ready in PEERS.items()}
        calls |= {f"{peer}, text in": partial(from_text, ready, act.source) for peer, ready in PEERS.items()}
        ours(act.source)
        gc.freeze()  # nobody's garbage collection goes through what others have imported
        first, *others = in_turns(partial(ours, act.source), calls, times)
        yield line(f"{name or act.celex + ', '}{act.words:,} words, {len(units):,} units: lexlattice", first, target)
        for peer, taken in zip(calls, others, strict=True):
            yield line(f"… {peer}", taken)
        for what, some, wanted in (("text in", others[len(PEERS) :], times_faster), ("ranking only", others, "")):
            fastest = Spent(*(min(clock) for clock in zip(*some[: len(PEERS)], strict=True)))
            yield ratio(f"… fastest peer, {what} / lexlattice", fastest, first, wanted)


def from_text(ready: Callable[[Sequence[str]], Callable[[int], list[str]]], text: str) -> list[str]:
    """What users of a peer do: text in, summary out, with sentences that end at a line break or a full stop."""
    sentences = [part.strip() for part in SENTENCE_END.split(text)]
    return ready([sentence for sentence in sentences if sentence])(WORDS)


def threads(times: int) -> Iterator[Line]:
    """The same act with a pool of BLAS threads, one for each core, as a process has them by default."""
    text = middling().source
    ours(text)
    with_pool, alone = list[Spent](), list[Spent]()
    for _ in range(times * len(PEERS)):
        alone.append(spent(partial(ours, text)))
        with threadpool_limits(os.cpu_count() or 1, user_api="blas"):
            with_pool.append(spent(partial(ours, text)))
    yield line(f"{os.cpu_count()} BLAS threads by default: lexlattice", middle(with_pool))
    yield ratio("… default threads / one thread", middle(with_pool), middle(alone), "≤ 1.1 × (processor)")


def growth(times: int) -> Iterator[Line]:
    """From an act of usual length to a million words."""
    grown = [joined(texts(), words) for words in LENGTHS]
    lengths = [read(text).words for text in grown]
    ours(grown[0])
    rounds = [[spent(partial(ours, text)) for text in grown] for _ in range(times)]
    taken = [middle(runs) for runs in zip(*rounds, strict=True)]
    for words, some in zip(lengths, taken, strict=True):
        yield line(f"joined acts, {words:,} words, {words / some.wall:,.0f} words/s: lexlattice", some)
    wall, processor = (f"{exponent(lengths, clock):.2f}" for clock in zip(*taken, strict=True))
    yield Line("… time grows with length to the power of", wall, processor, "1")


def joined(acts: Sequence[str], words: int) -> str:
    """One act of N words or a few more: the front of the first act, and the articles of all, renumbered.

    As no act has a thousand articles, they are 1, 1a, 1b, … 2, 2a and so on. What is quoted in them is left out, and
    what is very short: the next act might seem to begin there.
    """
    pieces: list[str] = []
    numbers = (f"{number}{letter}" for number in count(1) for letter in LETTERS)
    number = ""
    for act in map(read, acts):
        for section in act.sections:
            units: Sequence[Unit] = section.units
            if section.kind == "article":
                number = next(numbers)
                pieces.append(f"Article {number}\n{section.heading}")
                units = [unit for unit in units if unit.kind != "quoted" and unit.words >= SHORTEST]
            elif number:
                continue
            pieces.extend(unit.text for unit in units)
            words -= sum(unit.words for unit in units)
            if words <= 0:
                return "\n".join(pieces)
    raise ValueError(f"the acts are {words} words too short")


def exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """The slope of a line through the logarithms of both."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def memory(times: int) -> Iterator[Line]:
    """The most that is taken at a time for an act, beyond what is taken by a process that is ready for one."""
    if sys.platform != "linux":
        yield Line("peak memory", "only Linux tells")
        return
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        peaks = list(pool.map(peak, [dora().source] * times))
    yield Line("DORA: peak memory beyond the model's own", f"{median(peaks) / 1e3:.0f} MB", "", "< 50 MB")


def peak(text: str) -> int:
    """Kilobytes, in a process of its own.

    Not `ru_maxrss`, which a process takes over from the one that started it. What is mapped from files is the model's
    own: its pages come in with the first of two rounds, so the second one's peak has them all.
    """
    for _ in range(2):
        ours(SHORT.read_text("utf-8"))
    before = status("RssAnon")
    for _ in range(2):
        ours(text)
    return status("VmHWM") - status("RssFile") - before


def status(name: str) -> int:
    """What Linux knows of this process."""
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def cold(times: int) -> Iterator[Line]:
    """A process from its start to its end: ours reads the act, the peer gets its units a line each."""
    act = middling()
    with tempfile.TemporaryDirectory() as folder:
        whole, units = Path(folder, "act.txt"), Path(folder, "units.txt")
        whole.write_text(act.source, "utf-8")
        units.write_text("\n".join(" ".join(unit.text.split()) for unit in act.units), "utf-8")
        compiled = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        run = partial(subprocess.run, check=True, stdout=subprocess.DEVNULL, env=compiled)
        first = partial(run, [sys.executable, "-m", "lexlattice", "summarize", whole, "--words", str(WORDS)])
        peers = {peer: partial(run, [sys.executable, HERE / "peers.py", peer, units, str(WORDS)]) for peer in COLD}
        in_turns(first, peers, 1)  # modules are compiled
        taken, *others = in_turns(first, peers, times)
    yield line(f"cold start, {act.words:,} words: lexlattice summarize", taken, "≤ 350 ms, and less than sumy")
    yield from (line(f"… {peer}", some) for peer, some in zip(peers, others, strict=True))


def start(times: int) -> Iterator[Line]:
    """What a cold start consists of, in a process for each run: the least CPU time of each step."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "act.txt")
        path.write_text(middling().source, "utf-8")
        compiled = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        run = partial(subprocess.run, capture_output=True, text=True, check=True, env=compiled)
        runs = [run([sys.executable, "-c", START, path]).stdout.split() for _ in range(1 + times)][1:]
    for what, *taken in zip(STEPS_OF_START, *runs, strict=True):
        yield Line(f"start: {what}", "", f"{1e3 * min(map(float, taken)):.0f} ms")


def lattice(times: int) -> Iterator[Line]:
    """The paper's automaton with weights of no meaning: on occupied cells, and on all 48 × 32."""
    rng = np.random.default_rng(0)
    automaton, readout = automaton_of(rng), readout_of(rng)
    for profile in ("paper", "provisions"):
        ratios, shares, largest = [], [], 0.0
        for act in (read(text, profile=profile) for text in texts()[::EVERY]):
            vectors = rng.standard_normal((len(act), CHANNELS), np.float32)
            ways = [partial(way, automaton, act, vectors) for way in (on_occupied_cells, on_the_whole_grid)]
            ones, others = (readout(vectors, way()) for way in ways)
            largest = max(largest, float(np.abs(ones - others).max()))
            fast, slow = in_turns(ways[0], {"": ways[1]}, times)
            ratios.append(Spent(*np.divide(slow, fast)))
            shares.append(len(Lattice.of(act, "grid", HEIGHT, WIDTH)) / (HEIGHT * WIDTH))
        assert largest < 1e-5, f"scores differ by {largest}"
        what = f"{len(ratios)} acts, profile {profile}, {median(shares):.0%} of the cells occupied"
        yield ratio(f"{what}: dense grid / occupied cells", middle(ratios), Spent(1, 1), "≥ 8 ×")
        yield Line("… largest difference between scores", f"{largest:.1g}", "", "≤ 1e-5")


def on_occupied_cells(automaton: Automaton, act: Act, vectors: Floats) -> Floats:
    """The states of units after the last step, as inference has them."""
    cells = Lattice.of(act, "grid", HEIGHT, WIDTH)
    return cells.untile(automaton.run(cells.tile(vectors), cells, STEPS))


def on_the_whole_grid(automaton: Automaton, act: Act, vectors: Floats) -> Floats:
    """The same as the paper has it: convolutions over all cells, and a mask that keeps the empty ones at zero."""
    cells = Lattice.of(act, "grid", HEIGHT, WIDTH)
    places = tuple(cells.coordinates.T)
    mask = np.zeros((HEIGHT, WIDTH, 1), np.float32)
    mask[places] = 1
    padded = np.zeros((HEIGHT + 2, WIDTH + 2, CHANNELS), np.float32)
    states = padded[1:-1, 1:-1]
    states[places] = cells.tile(vectors)
    seen = np.empty((HEIGHT, WIDTH, 2 * CHANNELS), np.float32)
    around = seen[..., CHANNELS:]
    for _ in range(STEPS):
        seen[..., :CHANNELS] = states
        around[:] = automaton.bias
        for place, weights in enumerate(automaton.kernel):
            down, right = divmod(place, 3)
            around += padded[down : down + HEIGHT, right : right + WIDTH] * weights
        hidden = np.maximum(automaton.hidden(seen.reshape(-1, 2 * CHANNELS)), 0)
        states += automaton.change(hidden).reshape(states.shape)
        states *= mask
    return cells.untile(states[places])


def automaton_of(rng: np.random.Generator) -> Automaton:
    """One of the paper's size, as PyTorch would begin with but for its last layer, which would be zero."""
    around = uniform(rng, 1 / 3, 9, CHANNELS), uniform(rng, 1 / 3, CHANNELS)
    return Automaton(*around, dense(rng, 2 * CHANNELS, HIDDEN), dense(rng, HIDDEN, CHANNELS))


def readout_of(rng: np.random.Generator) -> Readout:
    """The same for the readout."""
    return Readout(dense(rng, 2 * CHANNELS, READOUT), dense(rng, READOUT, 1))


def uniform(rng: np.random.Generator, largest: float, *shape: int) -> Floats:
    """Numbers on both sides of zero."""
    return rng.uniform(-largest, largest, shape).astype(np.float32)


def dense(rng: np.random.Generator, inputs: int, outputs: int) -> Dense:
    """A layer in which everything is connected with everything."""
    largest = inputs**-0.5
    return Dense(uniform(rng, largest, outputs, inputs), uniform(rng, largest, outputs))


PARTS = {
    "acts": acts,
    "peers": beside_peers,
    "threads": threads,
    "growth": growth,
    "memory": memory,
    "cold": cold,
    "start": start,
    "lattice": lattice,
}


def main() -> None:
    """Measure the parts that are named, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    if unknown := [name for name in options.parts if name not in PARTS]:
        sys.exit(f"There is no part '{unknown[0]}'; choose among: {', '.join(PARTS)}.")
    names = options.parts or list(PARTS)
    if not NEED_PEERS.isdisjoint(names) and (missing := [name for name in PACKAGES if find_spec(name) is None]):
        sys.exit(f"{missing[0]} is not installed, which is measured here: pip install 'lexlattice[bench]'.")
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES if find_spec(name) is not None)
    print(f"Python {platform.python_version()}, {platform.machine()}, {versions}; medians of {options.times}\n")
    print("| one thread | wall clock | CPU time | target |\n|---|---|---|---|")
    for name in names:
        for row in PARTS[name](options.times):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
