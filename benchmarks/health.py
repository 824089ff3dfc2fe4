"""Run the diagnostics of `lexlattice parse --health` over the data folder and count the findings.

Usage: LEXLATTICE_DATA=… python benchmarks/health.py [CORPUS …] [--list [N]] [--every N]
Corpora are train, validation, en-fr, multi-eurlex, raw and hard; without names, all are read.
Prints a Markdown table with one column per corpus: its size, and in how many acts and how often each finding occurs.
--list names the N acts that have most of each finding; --every reads each Nth act only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from tqdm import tqdm

from lexlattice import read
from lexlattice._internal.processes import parallel_map
from lexlattice.errors import LexLatticeError
from lexlattice.reading.structure.health import FINDINGS, Health, health

if "LEXLATTICE_DATA" not in os.environ:
    sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
DATA: Final = Path(os.environ["LEXLATTICE_DATA"])
JOBS: Final = 2
MOST_INSIDE: Final = 0.8
"""An act with this share of its articles inside annexes or attachments was read wrongly, or is attached as a whole."""


class Item(NamedTuple):
    """An act of a corpus: its name, its text or file, and its language if the corpus states it."""

    name: str
    source: str | Path
    language: str | None


class Result(NamedTuple):
    """The result for one act: its diagnostics, or the error message."""

    name: str
    report: Health | None
    refusal: str


def _english(name: str) -> Iterator[Item]:
    with gzip.open(DATA / f"eur-lex-sum/en/{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            yield Item(row["celex_id"], row["reference"], "en")


def _versions(name: str) -> Iterator[Item]:
    with gzip.open(DATA / f"acts/{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for n, row in enumerate(map(json.loads, lines), 1):
            for language, text in row["text"].items():
                yield Item(f"{row.get('celex_id', n)} {language}", text, language)


def _files(name: str) -> Iterator[Item]:
    folder = DATA / "acts" / name
    for path in sorted(folder.glob("*/*/*")):
        yield Item(str(path.relative_to(folder)), path, None)


CORPORA: Final[Mapping[str, Callable[[str], Iterator[Item]]]] = {
    "train": _english,
    "validation": _english,
    "en-fr": _versions,
    "multi-eurlex": _versions,
    "raw": _files,
    "hard": _files,
}


def examine(item: Item) -> Result:
    """Read one act and run the diagnostics."""
    try:
        return Result(item.name, health(read(item.source, language=item.language)), "")
    except LexLatticeError as error:
        return Result(item.name, None, str(error))


def run(corpus: str, every: int) -> list[Result]:
    """Examine every act of a corpus, two at a time."""
    items = islice(CORPORA[corpus](corpus), 0, None, every)
    return list(tqdm(parallel_map(examine, items, JOBS), desc=corpus, unit=" acts", mininterval=1))


def _figures(results: Sequence[Result]) -> dict[str, str]:
    """The figures of one corpus."""
    reports = [result.report for result in results if result.report is not None]
    units, annex_units = sum(r.units for r in reports), sum(r.annex_units for r in reports)
    letters = sum(r.letters for r in reports)
    column = {
        "acts": f"{len(results):,}",
        "refused": f"{len(results) - len(reports):,}",
        "units": f"{units:,}",
        "units of annexes": f"{annex_units:,}",
        "tables": f"{sum(r.tables for r in reports):,}",
        "letters in furniture": f"{sum(r.furniture * r.letters for r in reports) / max(1, letters):.1%}",
    }
    for name, about in FINDINGS.items():
        counts = [report.counts[name] for report in reports]
        acts = sum(map(bool, counts))
        total = "" if name in ("one-section", "furniture") else f"{sum(counts):,} in "
        column[about] = f"{total}{acts:,}" if acts else "0"
    inside = (r.counts["inner-articles"] / r.articles for r in reports if r.articles)
    column[f"acts with ≥ {MOST_INSIDE:.0%} of their articles there"] = f"{sum(s >= MOST_INSIDE for s in inside):,}"
    unique = 1 - sum(r.counts["shared-citations"] for r in reports) / max(1, units)
    column["citations that are unique"] = f"{unique:.2%}"
    deep = sum(r.counts["deep-citations"] for r in reports) / max(1, annex_units)
    column["annex units cited deeply"] = f"{deep:.1%}"
    return column


def _print_table(columns: Mapping[str, Mapping[str, str]]) -> None:
    names = list(columns)
    print(f"\n| | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for row in next(iter(columns.values())):
        print(f"| {row} | {' | '.join(columns[name][row] for name in names)} |")
    print('\n"12 in 3" is 12 of them, in 3 acts.')


def _print_worst(corpus: str, results: Sequence[Result], most: int) -> None:
    print(f"\n## {corpus}")
    for result in results:
        if result.report is None:
            print(f"refused: {result.name}: {result.refusal}")
    for name in FINDINGS:
        found = [(r.name, f) for r in results if r.report for f in r.report.findings if f.name == name]
        for act, finding in sorted(found, key=lambda pair: -pair[1].count)[:most]:
            print(f"{act}: {finding}")


def main() -> None:
    """Read the corpora named on the command line and print the table."""
    parser = argparse.ArgumentParser(description="Count the findings of parse --health over the data folder.")
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help=f"all if none is named: {', '.join(CORPORA)}")
    parser.add_argument("--list", type=int, nargs="?", const=5, default=0, metavar="N", help="the worst N (5) of each")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="read each Nth act only")
    options = parser.parse_args()
    unknown = set(options.corpora) - set(CORPORA)
    if unknown:
        parser.error(f"there is no corpus {', '.join(sorted(unknown))}; choose from {', '.join(CORPORA)}")
    results = {corpus: run(corpus, options.every) for corpus in options.corpora or CORPORA}
    _print_table({corpus: _figures(found) for corpus, found in results.items()})
    if options.list:
        for corpus, found in results.items():
            _print_worst(corpus, found, options.list)


if __name__ == "__main__":
    main()
