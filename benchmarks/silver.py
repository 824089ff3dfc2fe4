"""Quality of silver alignment, against gold annotations of acts that it was not fitted on.

Usage: LEXLATTICE_DATA=… python benchmarks/silver.py [--folds N] [--acts FOLDER]
Training acts are measured by cross-validation; validation acts with a model fitted on all training acts. Extracts
select units by target, importance or priority within the length of the summary: they show how good the targets are.
--acts names a folder of acts that are already read, as {train,validation}.pkl.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from lexlattice.encoding.static import Static
from lexlattice.evaluation.points import Meaning, Points
from lexlattice.training.silver.fitting import fit
from lexlattice.training.silver.gold import GoldAct, gold_acts, quality
from lexlattice.training.silver.model import READOUTS, SilverModel

GOLD = Path(__file__).resolve().parent.parent / "data" / "gold"


def extract_of(item: GoldAct, values: NDArray[np.float32]) -> list[int]:
    """Units by value for the square root of their words, points with their lead-ins, within the annotation's length."""
    words = np.array([unit.words for unit in item.act.units])
    lead_in = item.example.pairs.layout.lead_in.tolist()
    taken: set[int] = set()
    left = item.gold.words
    for unit in np.argsort(-values / np.sqrt(np.maximum(words, 1)), kind="stable").tolist():
        new = [unit] if item.act.units[unit].kind != "table" and unit not in taken else []
        while new and lead_in[new[-1]] >= 0 and lead_in[new[-1]] not in taken:
            new.append(lead_in[new[-1]])
        if new and words[new].sum() <= left:
            left -= int(words[new].sum())
            taken.update(new)
    return sorted(taken)


def meaning(items: Sequence[tuple[GoldAct, SilverModel]], column: int) -> Meaning:
    """Mean points, precision and F1 of extracts by one of the readouts."""
    scores = []
    for item, model in items:
        pairs = item.example.pairs
        values = model.read_units(pairs, model.align(pairs))[:, column]
        scores.append(Points(item.act, item.gold, item.reference).score(extract_of(item, values)))
    return Meaning(*np.mean(scores, axis=0).tolist())


def report(name: str, items: Sequence[tuple[GoldAct, SilverModel]]) -> None:
    """Print one split."""
    q = quality(items)
    print(
        f"{name}: {len(items)} acts, {q.sentences:,} sentences: first unit right {q.right:.1%}; {q.confident:.1%} of"
        f" sentences confident, of these {q.right_if_confident:.1%} right and {q.in_gold_if_confident:.1%} in the gold;"
        f" AUC of targets {q.auc:.3f}"
    )
    for column, kind in enumerate(READOUTS):
        points, precision, f1 = meaning(items, column)
        print(f"  extract by {kind}: points {points:.1%}, precision {precision:.1%}, F1 {f1:.1%}")


def main() -> None:
    """Measure both splits and print."""
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md) and try again.")
    parser = argparse.ArgumentParser(description="Quality of silver alignment.")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--acts", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    rows, encoder = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en", Static()
    splits = {}
    for split in ("train", "validation"):
        acts = pickle.loads((options.acts / f"{split}.pkl").read_bytes()) if options.acts else None
        splits[split] = list(gold_acts(GOLD / f"{split}.jsonl", rows / f"{split}.jsonl.gz", encoder, acts))
    train = splits["train"]
    model = fit([item.example for item in train])
    report("validation", [(item, model) for item in splits["validation"]])
    unseen = []
    for fold in range(options.folds):
        model = fit([item.example for n, item in enumerate(train) if n % options.folds != fold])
        unseen += [(item, model) for item in train[fold :: options.folds]]
    report("train, by folds", unseen)


if __name__ == "__main__":
    main()
