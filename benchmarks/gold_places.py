"""How the gold annotations lie on the units: how many of their places begin and end at a unit's edge.

Usage: LEXLATTICE_DATA=… python benchmarks/gold_places.py [train validation] [--list [N]]
The annotations are looked for beside the data folder (../gold), or else in the project (data/gold). --list shows N of
the places that begin or end inside a unit, with what the unit has beyond them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Final

from lexlattice import Act, read
from lexlattice.evaluation.gold import Place, Places, load_gold

SPLITS: Final = ("train", "validation")
TARGET: Final = 0.98
_MARKER: Final = re.compile(r"[‘“\"'(]*\w{1,4}(?:\.\d+)*[.)]*\s*")


def gold_folder(data: Path) -> Path:
    """The folder of annotations that is there."""
    own = Path(__file__).resolve().parent.parent / "data" / "gold"
    return own if own.is_dir() else data.resolve().parent / "gold"


def kind_of(act: Act, places: Places, place: Place, beyond: str | None, *, at_start: bool) -> str:
    """Why a place does not begin, or end, where a unit does."""
    start, end = places.span(place)
    if beyond is None:
        at = start if at_start else end - 1
        pieces = (piece.kind for piece in act.furniture if piece.start <= at < piece.end)
        return f"in furniture ({next(pieces, 'none')})"
    units = places.units(place)
    unit = act.units[units[0] if at_start else units[-1]]
    if unit.kind == "table":
        return "inside a table"
    if at_start and _MARKER.fullmatch(beyond):
        return "after a list marker"
    edge = beyond.rstrip()[-1:] if at_start else beyond.lstrip("’'”\"»)")[:1]
    if edge in ".;:!?":
        return "at a stop inside a unit"
    return "inside a sentence"


class Tally:
    """What was counted of one split."""

    def __init__(self) -> None:
        self.acts = self.places = self.begin = self.end = self.both = 0
        self.kinds = Counter[str]()
        self.shown: list[str] = []

    def add(self, act: Act, name: str, places: Places, place: Place) -> None:
        """Count a place, and keep where it does not fit."""
        begins, ends = places.begins(place), places.ends(place)
        self.places, self.begin, self.end = self.places + 1, self.begin + begins, self.end + ends
        self.both += begins and ends
        for fits, beyond, at_start in (
            (begins, places.before(place), True),
            (ends, places.after(place), False),
        ):
            if fits:
                continue
            kind = kind_of(act, places, place, beyond, at_start=at_start)
            self.kinds[f"{'begins' if at_start else 'ends'} {kind}"] += 1
            units = ", ".join(act.units[i].id for i in places.units(place)[:3])
            start, end = places.span(place)
            text = act.source[start : start + 60] if at_start else act.source[max(start, end - 60) : end]
            cut = (beyond or "")[-60:] if at_start else (beyond or "")[:60]
            shown = f"…{cut} ⟦{text}…" if at_start else f"…{text}⟧ {cut}…"
            line = f"{name} {list(place)} [{units}] {'begins' if at_start else 'ends'} {kind}: {shown}"
            self.shown.append(line.replace("\n", " ⏎ "))


def measure(data: Path, split: str) -> Tally:
    """Read each annotated act, and lay its places on its units."""
    golds = {gold.celex: gold for gold in load_gold(gold_folder(data) / f"{split}.jsonl")}
    tally = Tally()
    with gzip.open(data / f"eur-lex-sum/en/{split}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            gold = golds.pop(row["celex_id"], None)
            if gold is None:
                continue
            act = read(row["reference"], language=gold.language)
            places = Places(act, row["reference"])
            tally.acts += 1
            for place in gold.places:
                tally.add(act, gold.celex, places, place)
    if golds:
        print(f"{split}: no act for {', '.join(golds)}")
    return tally


def main() -> None:
    """Measure the splits that were asked for, and print."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    parser = argparse.ArgumentParser(description="How many gold places begin and end at a unit's edge.")
    parser.add_argument("splits", nargs="*", metavar="SPLIT", help=f"all if none is named: {', '.join(SPLITS)}")
    parser.add_argument("--list", type=int, nargs="?", const=40, default=0, metavar="N", help="show N (40) that do not")
    options = parser.parse_args()
    for split in options.splits or SPLITS:
        tally = measure(Path(os.environ["LEXLATTICE_DATA"]), split)
        every = max(1, tally.places)
        print(
            f"{split}: {tally.acts} acts, {tally.places:,} places: {tally.begin / every:.2%} begin and"
            f" {tally.end / every:.2%} end at a unit's edge, {tally.both:,} do both ({tally.both / every:.2%},"
            f" target {TARGET:.0%})"
        )
        for kind, count in tally.kinds.most_common():
            print(f"  {count:>5,} {kind}")
        step = max(1, len(tally.shown) // options.list) if options.list else 1
        for line in tally.shown[::step][: options.list]:
            print(f"    {line}")


if __name__ == "__main__":
    main()
