"""Blind judging by people: packets without the names of systems, and statistics of the judges' marks.

A packet is a folder for an act: its title, the official summary, the points of that summary if they are known, and the
candidates under letters that are shuffled for each act. The key from letters to systems is a file next to the folder.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.files import write_whole
from lexlattice.errors import DataError, OutputError
from lexlattice.evaluation.metrics.significance import LEVEL, RESAMPLES, confidence_interval, paired_bootstrap, wilcoxon

INSTRUCTIONS: Final = """\
Work only inside this folder, act by act. You do not know which systems made the candidates; do not guess.

1. Read title.txt and reference.txt, the official summary. If there is no ldps.json, first divide the summary into Legal
   Data Points: atomic statements about the act that can be understood alone (15 to 35; no link lists, no titles of
   related documents, no date of the last update). Save them as a JSON list before you open a candidate.
2. Judge each candidate_X.txt by itself, with the same strictness, by reading and not by a script. Its entries are
   numbered; an entry may have several lines. A sign such as "[… 4 more points]" says that something was left out.
   coverage     for every point: 1 if somebody who reads only this candidate learns it, 0.5 partly, 0 not. To mention
                the topic is not to cover it.
   relevance    for every entry: 1 if it belongs into a summary of this act and can be understood, 0.5 if it is marginal
                or routine, 0 if it is useless (a formula, a title, a fragment without its context).
   readability  0 to 10: could a lawyer hand it on as it stands? Complete provisions, a sensible choice, nothing that
                misleads, such as a list cut without a sign or a rule without its exception.
   remark       one sentence: its main strength, and its main defect.
3. Save results.json in the act's folder, and check that each list is as long as it must be:
   {"A": {"coverage": [1, 0.5, …], "relevance": [1, 0, …], "readability": 6, "remark": "…"}, "B": …}
"""
_MARKS: Final = (0, 0.5, 1)
_BEST: Final = 10


class Entry(NamedTuple):
    """A numbered part of a candidate: a provision, or a line."""

    header: str
    """Citation and heading; may be empty."""
    text: str

    @property
    def words(self) -> int:
        """The entry's weight in relevance; the header does not count."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Packet:
    """An act with its candidates, as judges see it."""

    id: str
    title: str
    reference: str
    candidates: Mapping[str, Sequence[Entry]]
    """By system."""
    points: Sequence[str] = ()
    """The points of the official summary; if empty, judges write them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's marks of one candidate."""

    act: str
    system: str
    coverage: float
    """Mean over the points, from 0 to 1."""
    relevance: float
    """Mean over the entries by their words, from 0 to 1."""
    readability: float
    """From 0 to 10."""
    remark: str = ""

    @property
    def f1(self) -> float:
        """LDP-F1: the harmonic mean of coverage and relevance."""
        both = self.coverage + self.relevance
        return 2 * self.coverage * self.relevance / both if both else 0.0


def key_of(folder: Path) -> Path:
    """The key file of a folder of packets, next to the folder."""
    return folder.with_name(f"{folder.name}.key.json")


def write_packets(packets: Sequence[Packet], folder: Path) -> None:
    """Write a folder of packets and its key; letters are shuffled with the folder's name as seed.

    Raises:
        OutputError: The folder or its key already exists.

    """
    if folder.exists() or key_of(folder).exists():
        raise OutputError(f"'{folder}' or its key already exists; name a new folder.")
    draw = random.Random(folder.name)
    key: dict[str, dict[str, Any]] = {}
    folder.mkdir(parents=True)
    _write(folder / "INSTRUCTIONS.txt", INSTRUCTIONS)
    for packet in packets:
        if len(packet.candidates) > len(ascii_uppercase):
            raise DataError(f"There are more than {len(ascii_uppercase)} candidates; judge fewer at once.")
        place = folder / packet.id
        place.mkdir()
        _write(place / "title.txt", packet.title)
        _write(place / "reference.txt", packet.reference)
        if packet.points:
            _write(place / "ldps.json", json.dumps(list(packet.points), ensure_ascii=False, indent=0))
        names = draw.sample(sorted(packet.candidates), len(packet.candidates))
        key[packet.id] = {}
        for letter, name in zip(ascii_uppercase, names, strict=False):
            entries = [entry for entry in packet.candidates[name] if entry.text.strip()]
            _write(place / f"candidate_{letter}.txt", "".join(map(_shown, range(1, len(entries) + 1), entries)))
            key[packet.id][letter] = {"system": name, "words": [entry.words for entry in entries]}
    _write(key_of(folder), json.dumps(key, ensure_ascii=False, indent=1))


def read_verdicts(folder: Path) -> list[Verdict]:
    """Read the marks in a folder of packets, with the names of systems; acts without results are left out.

    Raises:
        DataError: The key or a file of results is missing or not valid.

    """
    try:
        key = json.loads(key_of(folder).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"'{key_of(folder)}' cannot be read; it is written with the packets.") from error
    return [verdict for act, letters in key.items() for verdict in _verdicts(folder / act, letters)]


def _verdicts(place: Path, letters: Mapping[str, Any]) -> Iterator[Verdict]:
    path = place / "results.json"
    if not path.is_file():
        return
    try:
        results = json.loads(path.read_text("utf-8"))
        points = len(json.loads((place / "ldps.json").read_text("utf-8")))
        for letter, known in letters.items():
            yield _verdict(place.name, known, results[letter], points)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"'{path}' is not valid ({error}); judge this act again.") from error


def _verdict(act: str, known: Mapping[str, Any], result: Mapping[str, Any], points: int) -> Verdict:
    coverage, relevance, words = result["coverage"], result["relevance"], known["words"]
    if len(coverage) != points or len(relevance) != len(words):
        raise ValueError(f"{len(coverage)} marks for {points} points, {len(relevance)} for {len(words)} entries")
    if not all(mark in _MARKS for mark in (*coverage, *relevance)) or not 0 <= result["readability"] <= _BEST:
        raise ValueError("a mark is out of range")
    relevant = sum(mark * count for mark, count in zip(relevance, words, strict=True))
    return Verdict(
        act,
        known["system"],
        sum(coverage) / max(1, points),
        relevant / max(1, sum(words)),
        float(result["readability"]),
        str(result.get("remark", "")),
    )


def _shown(number: int, entry: Entry) -> str:
    """An entry with its number, its header, and the text below."""
    lines = [line for line in (entry.header, *entry.text.split("\n")) if line.strip()]
    return "\n    ".join([f"[{number}] {lines[0]}", *lines[1:]]) + "\n"


def _write(path: Path, text: str) -> None:
    write_whole(path, text.encode())


# Statistics of verdicts: means, paired differences, and correlations with other measures

MEASURES: Final = ("f1", "coverage", "relevance", "readability")
_MIN_ACTS: Final = 3
"""The minimum of acts for a difference."""

Scores = Mapping[tuple[str, str], Mapping[str, float]]
"""By act and system: the scores of other measures, by name."""


class Figure(NamedTuple):
    """A mean with its 95 % bootstrap interval over acts."""

    mean: float
    low: float
    high: float


class Standing(NamedTuple):
    """The means of a system over its acts."""

    system: str
    acts: int
    figures: dict[str, Figure]


class Difference(NamedTuple):
    """The difference of two systems over the acts that both were judged on."""

    systems: tuple[str, str]
    measure: str
    acts: int
    figure: Figure
    p: float
    """Of the paired bootstrap."""
    wilcoxon: float
    """The p-value of Wilcoxon's signed-rank test."""


class Correlation(NamedTuple):
    """Pearson's correlation of two measures within acts."""

    measures: tuple[str, str]
    candidates: int
    figure: Figure


def standings(verdicts: Sequence[Verdict], seed: int = 0) -> list[Standing]:
    """The means of each system, sorted by LDP-F1."""
    found = []
    for system, by_act in _by_system(verdicts).items():
        table = np.array([[getattr(verdict, name) for name in MEASURES] for verdict in by_act.values()])
        low, high = confidence_interval(table, seed=seed)
        means = table.mean(axis=0)
        figures = {name: Figure(float(means[i]), float(low[i]), float(high[i])) for i, name in enumerate(MEASURES)}
        found.append(Standing(system, len(by_act), figures))
    return sorted(found, key=lambda standing: -standing.figures["f1"].mean)


def differences(verdicts: Sequence[Verdict], measures: Iterable[str] = MEASURES, seed: int = 0) -> list[Difference]:
    """The differences of every pair of systems with at least three common acts."""
    by_system = _by_system(verdicts)
    names = [standing.system for standing in standings(verdicts, seed)]
    found = []
    for (one, other), measure in ((pair, measure) for pair in combinations(names, 2) for measure in measures):
        both = [act for act in by_system[one] if act in by_system[other]]
        if len(both) >= _MIN_ACTS:
            a, b = ([getattr(by_system[name][act], measure) for act in both] for name in (one, other))
            paired = paired_bootstrap(a, b, seed=seed)
            figure = Figure(paired.difference, paired.low, paired.high)
            found.append(Difference((one, other), measure, len(both), figure, paired.p, wilcoxon(a, b)))
    return found


def correlations(verdicts: Sequence[Verdict], scores: Scores, seed: int = 0) -> list[Correlation]:
    """Correlations within acts of LDP-F1 with readability, and of each other measure with both.

    The mean of each act is subtracted first, so that differences between acts do not count. Intervals resample acts.
    """
    others = list(dict.fromkeys(name for measured in scores.values() for name in measured))
    pairs = [("readability", "f1"), *((name, judged) for name in others for judged in ("f1", "readability"))]
    found = []
    for first, second in pairs:
        groups = _groups(verdicts, scores, first, second)
        if groups:
            count = sum(len(group) for group in groups)
            found.append(Correlation((first, second), count, _correlated(groups, seed)))
    return found


def _groups(verdicts: Sequence[Verdict], scores: Scores, first: str, second: str) -> list[NDArray[np.float64]]:
    """Two columns for each act, centred; without acts with a single candidate."""
    by_act: dict[str, list[tuple[float, float]]] = {}
    for verdict in verdicts:
        known = {**scores.get((verdict.act, verdict.system), {}), **{n: getattr(verdict, n) for n in MEASURES}}
        if first in known:
            by_act.setdefault(verdict.act, []).append((known[first], known[second]))
    tables = [np.array(rows) for rows in by_act.values() if len(rows) > 1]
    return [table - table.mean(axis=0) for table in tables]


def _correlated(groups: Sequence[NDArray[np.float64]], seed: int) -> Figure:
    """The correlation over all rows, and its interval over groups, from sums of products per group."""
    sums = np.array([[(g[:, 0] * g[:, 1]).sum(), (g[:, 0] ** 2).sum(), (g[:, 1] ** 2).sum()] for g in groups])
    drawn = np.random.default_rng(seed).integers(len(groups), size=(RESAMPLES, len(groups)))
    low, high = np.quantile(_ratio(sums[drawn].sum(axis=1)), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Figure(float(_ratio(sums.sum(axis=0, keepdims=True))[0]), float(low), float(high))


def _ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlations from sums of products and squares; 0 if one of the two is constant."""
    scale = np.sqrt(sums[:, 1] * sums[:, 2])
    return np.divide(sums[:, 0], scale, out=np.zeros(len(sums)), where=scale > 0)


def _by_system(verdicts: Sequence[Verdict]) -> dict[str, dict[str, Verdict]]:
    found: dict[str, dict[str, Verdict]] = {}
    for verdict in verdicts:
        found.setdefault(verdict.system, {})[verdict.act] = verdict
    return found
