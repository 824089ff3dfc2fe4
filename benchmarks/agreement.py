"""Does the selection depend on the language? Agreement across versions, and gold points of French versions.

Agreement: the share of the units selected in English whose counterparts (`alignment.align`) are selected in another
version, at the length of official summaries; the mean over acts, then over languages.
French: annotated acts that have a French version, with the annotation projected to it; the points of the French
selection as a share of the points of the English selection. And what projection itself loses: the gold extract
projected and scored in French, projected back and scored in English, and, for versions that are parallel line by line,
the share of places whose counterparts are on the same lines.
Usage: LEXLATTICE_DATA=… python benchmarks/agreement.py [--system NAME,…] [--every N] [--only agreement|french]
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lexlattice import Act, SummaryOptions, read
from lexlattice.evaluation.gold import Gold, Place, Places, load_gold, project_gold
from lexlattice.evaluation.metrics.significance import confidence_interval, ratio_interval
from lexlattice.evaluation.points import Meaning, Points, meaning_of_texts
from lexlattice.multilingual.alignment import align
from lexlattice.research import COVERAGE, load
from lexlattice.selection import Budget
from lexlattice.summarizer import Summarizer, shipped

Choose = Callable[[Act, int], set[str]]
"""An act and a number of words → the ids of the selected units."""
Pairs = Mapping[str, Sequence[str]]


@cache
def _coverage() -> Summarizer:
    return load(COVERAGE)


SYSTEMS: dict[str, Choose] = {
    "lexlattice": lambda act, words: {item.id for item in shipped().summarize(act, SummaryOptions(words=words))},
    COVERAGE: lambda act, words: {unit.id for unit in _coverage().extract(act, words).units},
}


class French(NamedTuple):
    """An annotated act in both languages."""

    gold: Gold
    split: str
    english: Act
    french: Act
    reference: str
    """The English text as it was annotated."""
    is_parallel: bool
    projected: Gold


def main() -> None:
    """Print the tables."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--system", default="lexlattice", help=f"of {', '.join(SYSTEMS)} (default: %(default)s)")
    parser.add_argument("--every", type=int, default=10, help="use every Nth act of acts/en-fr (default: %(default)s)")
    parser.add_argument("--only", choices=("agreement", "french"), help="run only this part")
    options = parser.parse_args()
    data = Path(os.environ["LEXLATTICE_DATA"])
    systems = {name: SYSTEMS[name] for name in options.system.split(",")}
    if options.only != "french":
        _agreement(data, systems, options.every)
    if options.only != "agreement":
        _french(data, systems)


# --- agreement --------------------------------------------------------------------------------------------


def _agreement(data: Path, systems: Mapping[str, Choose], every: int) -> None:
    for name, step in (("multi-eurlex", 1), ("en-fr", every)):
        shares: dict[str, dict[str, list[float]]] = {system: {} for system in systems}
        acts = 0
        for entry in list(_rows(data / "acts" / f"{name}.jsonl.gz"))[::step]:
            acts += 1
            for language, values in _of_act(entry["text"], systems):
                for system, value in values.items():
                    shares[system].setdefault(language, []).append(value)
        for system, by_language in shares.items():
            print(
                f"\n{system}, acts/{name} ({acts} acts): share of the English selection whose counterparts are selected"
            )
            for language, found in sorted(by_language.items()):
                low, high = confidence_interval(np.array(found)[:, None])
                print(f"  {language}  {len(found):>4} acts  {np.mean(found):.3f} ({low[0]:.3f}–{high[0]:.3f})")
            means = [np.mean(found) for found in by_language.values()]
            print(f"  mean of languages  {np.mean(means):.3f}\n  lowest             {np.min(means):.3f}", flush=True)


def _of_act(texts: Mapping[str, str], systems: Mapping[str, Choose]) -> Iterator[tuple[str, dict[str, float]]]:
    """Each other language with the agreement of each system."""
    english = _act(texts["en"], "en")
    share = Budget().of(english.words) / max(1, english.words)
    chosen = {name: choose(english, _length(english, share)) for name, choose in systems.items()}
    for language in sorted(set(texts) - {"en"}):
        act = _act(texts[language], language)
        pairs = align(act, english).pairs
        length = _length(act, share)
        yield language, {name: agreement(chosen[name], choose(act, length), pairs) for name, choose in systems.items()}


def agreement(english: set[str], there: set[str], pairs: Pairs) -> float:
    """The share of the English selection that the other selection corresponds to; `pairs` lead to English."""
    return len(english & {name for unit in there for name in pairs.get(unit, ())}) / max(1, len(english))


def _length(act: Act, share: float) -> int:
    return max(1, round(share * act.words))


# --- French versions --------------------------------------------------------------------------------------


def _french(data: Path, systems: Mapping[str, Choose]) -> None:
    cases = list(_cases(data))
    print(
        f"\nannotated acts with a French version: {len(cases)}, {_count(cases, 'validation')} of them validation acts"
    )
    _projection(cases)
    for name, choose in systems.items():
        english = [_scored(case.english, case.gold, case.reference, choose) for case in cases]
        french = [_scored(case.french, case.projected, None, choose) for case in cases]
        for i, measure in enumerate(Meaning._fields):
            here, there = (np.array([score[i] for score in scores]) for scores in (english, french))
            low, high = ratio_interval(there, here)
            ratio = there.mean() / here.mean()
            print(
                f"{name:<12} {measure:<9} English {100 * here.mean():5.1f}  French {100 * there.mean():5.1f}"
                f"  ratio {ratio:.3f} ({low:.3f}–{high:.3f})",
                flush=True,
            )


def _scored(act: Act, gold: Gold, reference: str | None, choose: Choose) -> Meaning:
    chosen = choose(act, gold.words)
    return Points(act, gold, reference).score([i for i, unit in enumerate(act.units) if unit.id in chosen])


def _projection(cases: Sequence[French]) -> None:
    """Print what projection loses, whatever is selected."""
    english, french, back, stated, right = [], [], [], [], []
    for case in cases:
        english.append(meaning_of_texts(case.gold, case.reference, _texts(case.gold, case.english, case.reference)))
        french.append(meaning_of_texts(case.projected, case.french.source, _texts(case.projected, case.french, None)))
        returned = project_gold(case.projected, case.french, case.english)
        texts = _texts(returned, case.english, None)
        back.append(meaning_of_texts(case.gold, case.reference, texts))
        before, after = (sum(bool(point.places) for point in gold.points) for gold in (case.gold, case.projected))
        stated.append(after / max(1, before))
        if case.is_parallel:
            right.append(_on_the_same_lines(case))
    for name, scores in (("English", english), ("projected to French", french), ("… and back", back)):
        points, precision, f1 = 100 * np.mean(scores, axis=0)
        print(f"gold extract, {name:<22} points {points:5.1f}  precision {precision:5.1f}  F1 {f1:5.1f}")
    print(f"points that the projected annotation retains: {np.mean(stated):.1%}")
    if right:
        print(f"words of projected places on the same lines ({len(right)} acts): {np.mean(right):.1%}")


def _texts(gold: Gold, act: Act, reference: str | None) -> list[str]:
    """The annotated extract, in the order of the act."""
    places = Places(act, reference)
    return [act.source[slice(*places.span(place))] for place in sorted(gold.extract) if place.start < place.end]


def _on_the_same_lines(case: French) -> float:
    """The share of the words of all projected places that are on the annotated lines of the English version."""
    lines = _lines(case.english, Places(case.english, case.reference), case.gold.places)
    here = Places(case.french)
    good = total = 0
    for place in case.projected.places:
        size = place.end - place.start
        total += size
        good += size * bool(_lines(case.french, here, [place]) & lines)
    return good / max(1, total)


def _lines(act: Act, places: Places, some: Sequence[Place]) -> set[int]:
    """The numbers of the source lines that contain some places; blank lines are not counted."""
    found: set[int] = set()
    for place in some:
        start, end = places.span(place)
        first = sum(bool(line.strip()) for line in act.source[:start].split("\n")[:-1])
        found |= set(range(first, first + sum(bool(line.strip()) for line in act.source[start:end].split("\n"))))
    return found


def _cases(data: Path) -> Iterator[French]:
    golds = {gold.celex: (gold, split) for split in ("train", "validation") for gold in load_gold(split)}
    texts: dict[str, str] = {}
    for split in ("train", "validation"):
        for entry in _rows(data / "eur-lex-sum" / "en" / f"{split}.jsonl.gz"):
            if entry["celex_id"] in golds:
                texts[entry["celex_id"]] = entry["reference"]
    for celex, (french, is_parallel) in sorted(_versions(data).items()):
        if celex in golds:
            gold, split = golds[celex]
            english, act = _act(texts[celex], "en"), _act(french, "fr")
            projected = project_gold(gold, english, act, texts[celex])
            yield French(gold, split, english, act, texts[celex], is_parallel, projected)


def _versions(data: Path) -> dict[str, tuple[str, bool]]:
    """French versions by CELEX number, and whether they are parallel to the English act of EUR-Lex-Sum."""
    found = {entry["celex_id"]: (entry["text"]["fr"], False) for entry in _rows(data / "acts" / "en-fr.jsonl.gz")}
    for entry in _rows(data / "eur-lex-sum" / "fr-acts-en-summaries" / "train-validation.jsonl.gz"):
        found[entry["celex_id"]] = (entry["reference_fr"], entry["line_aligned"])
    return found


def _count(cases: Sequence[French], split: str) -> int:
    return sum(case.split == split for case in cases)


def _act(text: str, language: str) -> Act:
    return read(f"{text}\n", language=language, format="text")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
