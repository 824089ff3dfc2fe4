"""Blind judging by hand: packets that name no system, and what judges wrote into them.

A packet is a folder for an act: its title, the official summary, the points of that summary if they are known, and the
candidates under letters that are drawn anew for each act. Which system a letter stands for is written beside the
folder, where judges do not look.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final, NamedTuple

from lexlattice.errors import LexLatticeError
from lexlattice.files import write_whole

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
    """Citation and heading; empty where there is none."""
    text: str

    @property
    def words(self) -> int:
        """By which it counts in relevance; the header does not."""
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class Packet:
    """An act with what judges get to see of it."""

    id: str
    title: str
    reference: str
    candidates: Mapping[str, Sequence[Entry]]
    """By system."""
    points: Sequence[str] = ()
    """Of the official summary; judges find them if there are none."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of one candidate."""

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
    """Where it stands which system is which: beside the folder, not inside."""
    return folder.with_name(f"{folder.name}.key.json")


def write_packets(packets: Sequence[Packet], folder: Path) -> None:
    """Write a folder of packets and its key; letters are drawn with the folder's name as seed."""
    if folder.exists() or key_of(folder).exists():
        raise LexLatticeError(f"'{folder}' or its key is there already; name a new folder.")
    draw = random.Random(folder.name)
    key: dict[str, dict[str, Any]] = {}
    folder.mkdir(parents=True)
    _write(folder / "INSTRUCTIONS.txt", INSTRUCTIONS)
    for packet in packets:
        if len(packet.candidates) > len(ascii_uppercase):
            raise LexLatticeError(f"There are more than {len(ascii_uppercase)} candidates; judge fewer at a time.")
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
    """What judges wrote into the packets of a folder, with the systems' names; acts without results are left out."""
    try:
        key = json.loads(key_of(folder).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise LexLatticeError(f"'{key_of(folder)}' cannot be read; it is written with the packets.") from error
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
        raise LexLatticeError(f"'{path}' is not as it should be ({error}); have this act judged again.") from error


def _verdict(act: str, known: Mapping[str, Any], result: Mapping[str, Any], points: int) -> Verdict:
    coverage, relevance, words = result["coverage"], result["relevance"], known["words"]
    if len(coverage) != points or len(relevance) != len(words):
        raise ValueError(f"{len(coverage)} marks for {points} points, {len(relevance)} for {len(words)} entries")
    if not all(mark in _MARKS for mark in (*coverage, *relevance)) or not 0 <= result["readability"] <= _BEST:
        raise ValueError("a mark out of its range")
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
    """An entry as judges read it: its number, the header, and the text below."""
    lines = [line for line in (entry.header, *entry.text.split("\n")) if line.strip()]
    return "\n    ".join([f"[{number}] {lines[0]}", *lines[1:]]) + "\n"


def _write(path: Path, text: str) -> None:
    write_whole(path, text.encode())
