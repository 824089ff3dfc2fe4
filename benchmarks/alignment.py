"""Precision and recall of the alignment of two versions of an act, compared with pairing by id alone.

The ground truth is in the lines: versions with equally many lines and the same digits are parallel line by line. A pair
is correct if both provisions are on a common line. Precision is the share of pairs that are correct; recall is the
share of units, among those whose lines the other version has, that have a correct pair. Measured on complete versions,
on damaged ones, and on these with other thresholds; takes seven minutes.
Usage: LEXLATTICE_DATA=… python benchmarks/alignment.py
"""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from lexlattice import Act, read
from lexlattice.multilingual import alignment

PARALLEL = 0.9
"""Share of the lines with digits that must have the same ones."""
LINES = 800
"""Acts with more lines are not damaged, to save time."""
EVERY = 8
"""Of the acts in English and French only, every eighth is damaged."""
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7)

Pairs = Mapping[str, Sequence[str]]
Line = tuple[str, frozenset[int]]
"""A line, and the lines of the complete version it consists of."""


class Case(NamedTuple):
    """An English act, another version, and the lines of the provisions of both."""

    name: str
    english: Act
    act: Act
    lines: dict[str, set[int]]
    other_lines: dict[str, set[int]]


class Score(NamedTuple):
    """The counts behind precision and recall."""

    pairs: int
    correct: int
    units: int
    found: int

    def __str__(self) -> str:
        precision, recall = self.correct / max(1, self.pairs), self.found / max(1, self.units)
        return f"{100 * precision:7.2f} {100 * recall:7.2f} {self.pairs - self.correct:6,}"


def main() -> None:
    """Print the tables."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    folder = Path(os.environ["LEXLATTICE_DATA"]) / "acts"
    systems: dict[str, Callable[[Act, Act], Pairs]] = {
        "ids alone": _pairs_by_id,
        "aligned": lambda english, act: alignment.align(english, act).pairs,
    }
    whole: list[Case] = []
    damaged: list[Case] = []
    for name, every in (("multi-eurlex", 1), ("en-fr", EVERY)):
        for number, texts in enumerate(_rows(folder / f"{name}.jsonl.gz")):
            cases = list(_versions(name, texts))
            whole += cases
            if number % every == 0 and texts["en"].count("\n") < LINES:
                damaged += [variant for case in cases for variant in _damaged(case, texts[case.act.language])]
    differ = [case for case in whole if case.lines.keys() != case.other_lines.keys()]
    _table("complete versions", whole, systems, lambda case: f"{case.name} {case.act.language}")
    _table("those with different ids", differ, systems, lambda case: case.name)
    _table("damaged versions", damaged, systems, lambda case: case.name)
    print("\ndamaged versions, aligned with other similarity thresholds")
    for threshold in THRESHOLDS:
        with patch.object(alignment, "MIN_SIMILARITY", threshold):
            print(f"{threshold:<36} {len(damaged):>8} {_score(damaged, systems['aligned'])}", flush=True)


def _table(
    title: str, cases: Sequence[Case], systems: Mapping[str, Callable[[Act, Act], Pairs]], group: Callable[[Case], str]
) -> None:
    """Print precision, recall and the number of wrong pairs of each system, by group."""
    print(f"\n{title:<36} {'versions':>8} " + " | ".join(f"{name + ': P, R, wrong':>22}" for name in systems))
    for name in [*sorted({group(case) for case in cases}), "all"]:
        some = [case for case in cases if name in ("all", group(case))]
        scores = " | ".join(str(_score(some, system)) for system in systems.values())
        print(f"{name:<36} {len(some):>8} {scores}", flush=True)


def _pairs_by_id(english: Act, act: Act) -> Pairs:
    """The baseline: provisions correspond if they have the same id."""
    found: dict[str, tuple[str, ...]] = {}
    for name in dict.fromkeys(unit.provision for unit in english.units):
        if others := act.sentences(name):
            found |= alignment.pair_sentences(english.sentences(name), others)
    return found


def _score(cases: Sequence[Case], system: Callable[[Act, Act], Pairs]) -> Score:
    counts = np.zeros(4, np.int64)
    for case in cases:
        pairs = system(case.english, case.act)
        there = set().union(*case.other_lines.values())
        for unit in case.english.units:
            if not any(map(str.isalnum, unit.text)):
                continue
            lines = case.lines[unit.provision]
            correct = [
                not lines.isdisjoint(case.other_lines[case.act[name].provision]) for name in pairs.get(unit.id, ())
            ]
            known = not lines.isdisjoint(there)
            counts += (len(correct), sum(correct), known, known and any(correct))
    return Score(*counts.tolist())


# --- the ground truth --------------------------------------------------------------------------------------------


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        for row in rows:
            yield json.loads(row)["text"]


def _versions(name: str, texts: dict[str, str]) -> Iterator[Case]:
    lines = texts["en"].split("\n")
    english: Act | None = None
    for language, text in texts.items():
        others = text.split("\n")
        if language == "en" or len(others) != len(lines) or _same_digits(lines, others) < PARALLEL:
            continue
        english = english or _act(_lines(lines), "en")
        act = _act(_lines(others), language)
        yield Case(name, english, act, _places(english, _lines(lines)), _places(act, _lines(others)))


def _act(lines: Sequence[Line], language: str) -> Act:
    return read("\n".join(line for line, _ in lines) + "\n", language=language, format="text")


def _lines(lines: Sequence[str]) -> list[Line]:
    return [(line, frozenset([number])) for number, line in enumerate(lines)]


def _same_digits(lines: Sequence[str], others: Sequence[str]) -> float:
    digits = [[sorted(re.findall(r"\d+", line)) for line in pair] for pair in zip(lines, others, strict=True)]
    same = [here == there for here, there in digits if here or there]
    return sum(same) / max(1, len(same))


def _places(act: Act, lines: Sequence[Line]) -> dict[str, set[int]]:
    """The lines of each provision; found by counting characters, since reading changes nothing but white space."""
    line_of = [numbers for line, numbers in lines for _ in "".join(line.split())]
    before = np.cumsum([0, *(not character.isspace() for character in act.source)]).tolist()
    found: dict[str, set[int]] = {}
    for unit in act.units:
        found.setdefault(unit.provision, set()).update(*line_of[before[unit.start] : before[unit.end]])
    return found


# --- damage -----------------------------------------------------------------------------------------------


def _damaged(case: Case, text: str) -> Iterator[Case]:
    """The same version with different kinds of damage."""
    lines = _lines(text.split("\n"))
    headers = _headers(case.act, text.split("\n"))
    provisions = [places for places in case.other_lines.values() if len(places) == 1]
    draw = random.Random(f"{case.act.language} {case.act.title}")
    some_headers = set(draw.sample(headers, -(-len(headers) // 4)))
    some = set().union(*draw.sample(provisions, -(-len(provisions) // 10)))
    another = [draw.choice(lines)[0] for _ in lines]
    kinds: dict[str, list[Line]] = {
        "a quarter of headers lost": [line for n, line in enumerate(lines) if n not in some_headers],
        "all headers of articles lost": [line for n, line in enumerate(lines) if n not in headers],
        "a quarter of numbers lost": [
            (re.sub(r"\d+", "", line[0]), line[1]) if n in some_headers else line for n, line in enumerate(lines)
        ],
        "a tenth of provisions lost": [line for n, line in enumerate(lines) if n not in some],
        "a tenth joined to the one before": _joined(lines, some),
        "a tenth preceded by something else": [
            part
            for n, line in enumerate(lines)
            for part in ([(another[n], frozenset()), line] if n in some else [line])
        ],
        "a tenth replaced by something else": [
            (another[n], frozenset()) if n in some else line for n, line in enumerate(lines)
        ],
    }
    for name, changed in kinds.items():
        if changed != lines:
            act = _act(changed, case.act.language)
            yield Case(name, case.english, act, case.lines, _places(act, changed))


def _headers(act: Act, lines: Sequence[str]) -> list[int]:
    """The lines with the headers of articles."""
    squeezed = [" ".join(line.split()) for line in lines]
    found: list[int] = []
    for section in act.sections:
        if section.kind == "article" and section.label:
            ahead = range(found[-1] + 1 if found else 0, len(lines))
            found += [n for n in ahead if squeezed[n].startswith(section.label)][:1]
    return found


def _joined(lines: Sequence[Line], some: set[int]) -> list[Line]:
    found: list[Line] = []
    for number, (line, numbers) in enumerate(lines):
        if number in some and found:
            before, others = found.pop()
            found.append((f"{before} {line}", others | numbers))
        else:
            found.append((line, numbers))
    return found


if __name__ == "__main__":
    main()
