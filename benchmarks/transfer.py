"""How much of what a model learnt from English holds in other languages.

Retention: an act is read in French, units are chosen there, and the same provisions of the English version are scored
against the English summary; as a share of what choosing on the English version earns. On the acts of the validation
split, and on those of both splits whose versions agree line by line (English versions of the training split were
learnt from). Agreement: of the units chosen in English, the share whose counterparts are chosen in another language, at
the same share of the act: that of official summaries, and a tenth.
Usage: LEXLATTICE_DATA=… python benchmarks/transfer.py [MODEL.safetensors]
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lexlattice import Act, read
from lexlattice.metrics.rouge import Reference
from lexlattice.metrics.significance import confidence_interval
from lexlattice.projection import carried, project
from lexlattice.selection import Budget
from lexlattice.summarizer import PATH, Summarizer

MEASURES = ("rouge1", "rouge2", "rougeLsum")
MARGIN = 1.2
"""Counterparts may be shorter: a few more are chosen than there are words for, and the last ones left out."""


def main() -> None:
    """Print both tables."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    data = Path(os.environ["LEXLATTICE_DATA"])
    summarizer = Summarizer.from_pretrained(sys.argv[1] if len(sys.argv) > 1 else PATH)
    retention(summarizer, data / "eur-lex-sum" / "fr-acts-en-summaries" / "train-validation.jsonl.gz")
    agreement(summarizer, data / "acts" / "multi-eurlex.jsonl.gz")


def retention(summarizer: Summarizer, path: Path) -> None:
    """Chosen in French, scored in English."""
    found = [(row["split"], row["line_aligned"], _both(summarizer, row)) for row in _rows(path)]
    print("retention of choosing on French       acts   R-1    R-2    R-Lsum | on English: R-1   R-2    R-Lsum")
    for name, some in (
        ("validation", [scores for split, _, scores in found if split == "validation"]),
        ("validation, aligned lines", [scores for split, lines, scores in found if split == "validation" and lines]),
        ("both splits, aligned lines", [scores for _, lines, scores in found if lines]),
    ):
        english, french = np.mean(some, axis=0)
        kept = "  ".join(f"{share:.3f}" for share in french / english)
        print(f"{name:<36} {len(some):>5}   {kept} | {'':<11}{'  '.join(f'{score:.2f}' for score in english)}")
    differences = np.array(
        [np.subtract(french, english) for split, _, (english, french) in found if split == "validation"]
    )
    intervals = [confidence_interval(column) for column in differences.T]
    print("difference, 95 %: " + ", ".join(f"{low:+.2f} … {high:+.2f}" for low, high in intervals), flush=True)


def _both(summarizer: Summarizer, row: dict[str, Any]) -> tuple[list[float], list[float]]:
    english, french = (_act(row[f"reference_{language}"], language) for language in ("en", "fr"))
    reference = Reference(row["summary_en"], "compat")
    budget = len(row["summary_en"].split())
    order = summarizer.rank(french, int(MARGIN * budget * french.words / english.words))
    over = carried((french.units[unit] for unit in order), french, english, budget)
    texts = summarizer.extract(english, budget).text, over.text
    on_english, on_french = ([100 * reference.score(text)[name].f1 for name in MEASURES] for text in texts)
    return on_english, on_french


def agreement(summarizer: Summarizer, path: Path) -> None:
    """The same provisions, whatever the language."""
    shares: dict[str, list[tuple[float, float]]] = {}
    for row in _rows(path):
        acts = {language: _act(text, language) for language, text in row["text"].items()}
        english = acts.pop("en")
        for language, act in acts.items():
            official = Budget().of(english.words) / english.words
            both = tuple(_shared(summarizer, english, act, share) for share in (official, 0.1))
            shares.setdefault(language, []).append((both[0], both[1]))
    means = {language: np.mean(values, axis=0) for language, values in sorted(shares.items())}
    print("\nagreement with the English choice   as long as official summaries   a tenth of the act")
    for language, (official, tenth) in means.items():
        print(f"{language:<35} {official:>30.3f} {tenth:>20.3f}")
    mean, least = np.mean(list(means.values()), axis=0), np.min(list(means.values()), axis=0)
    print(f"{'mean':<35} {mean[0]:>30.3f} {mean[1]:>20.3f}\n{'least':<35} {least[0]:>30.3f} {least[1]:>20.3f}")


def _shared(summarizer: Summarizer, english: Act, act: Act, share: float) -> float:
    """Of the units chosen in English, how many have a counterpart that is chosen."""
    chosen = {unit.id for unit in summarizer.extract(english, max(1, round(share * english.words))).units}
    counterparts = project(act, english)
    there = summarizer.extract(act, max(1, round(share * act.words))).units
    return len(chosen & {name for unit in there for name in counterparts[unit.id]}) / max(1, len(chosen))


def _act(text: str, language: str) -> Act:
    return read(f"{text}\n", language=language, format="text")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
