"""What each step from the paper to the shipped model is worth, and what the lattice is: compared act by act.

Each variant is one of the files in configs/ with some keys changed. All are trained by stage 1 on the English training
acts, with several seeds, and measured on the validation acts at the length of the summaries. Differences are means over
seeds, their intervals a paired bootstrap over acts. Without names of variants there are two tables: the way from the
paper to ours, where each row is compared with the one before, and the lattice's controls, compared with the first.
What is finished is kept in the output folder, and a second run goes on from there.
Usage: LEXLATTICE_DATA=… python benchmarks/ablations.py FOLDER [VARIANT …] [--seeds N]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexlattice.evaluation import evaluate
from lexlattice.learning.config import Config, read_config
from lexlattice.learning.prepare import prepare
from lexlattice.learning.prepared import Prepared
from lexlattice.learning.run import MODEL, run_training
from lexlattice.metrics.significance import confidence_interval

EPOCHS = 2
"""Not as many as the shipped model had, so that all of them can be trained in two hours."""
MEASURES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
CONFIGS = Path(__file__).parent.parent / "configs"


@dataclass(frozen=True)
class Variant:
    """What is trained, and how it is measured."""

    config: str
    changes: dict[str, str] = field(default_factory=dict)
    system: str = "model"
    """With `scores` the decoder is left out."""


def ours(**changes: str) -> Variant:
    """The shipped model, without overview unless that is said: what a line or nobody's neighbour has no use for."""
    return Variant("provisions", {"overview": "false", **changes})


WAY = {
    "the paper's": Variant("paper-static"),
    "our units": Variant("paper-static", {"profile": '"provisions"'}),
    "our oracle": Variant("paper-static", {"profile": '"provisions"', "objective": '"budgeted"'}),
    "our network": Variant("provisions", system="scores"),
    "our decoder": Variant("provisions"),
}
LATTICE = {
    "2D": ours(),
    "2D, overview": Variant("provisions"),
    "1D": ours(geometry='"line"'),
    "none, same size": ours(geometry='"none"'),
    "words only": ours(geometry='"none"', steps="0", message="1", channels="2"),
}
VARIANTS = WAY | LATTICE


def main() -> None:
    """Train and measure what is missing, then print the tables."""
    parser = argparse.ArgumentParser(description="What each step is worth.")
    parser.add_argument("folder", type=Path, help="where models and results are kept")
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="; ".join(VARIANTS))
    parser.add_argument(
        "--seeds", type=int, default=3, metavar="N", help="trainings of each, two at least (default: %(default)s)"
    )
    options = parser.parse_args()
    if options.seeds < 2:
        parser.error("one training says nothing of the others; --seeds 2 at least")
    if "LEXLATTICE_DATA" not in os.environ:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md), and try again.")
    folder, asked, seeds = options.folder, options.variants, range(options.seeds)
    if unknown := [name for name in asked if name not in VARIANTS]:
        sys.exit(f"There is no variant '{unknown[0]}'; choose among: {'; '.join(VARIANTS)}.")
    for seed in seeds:
        for name in asked or VARIANTS:
            if not results(folder, name, seed).exists():
                run(folder, name, seed)
    if asked:
        report(folder, asked, seeds, is_way=asked == list(WAY))
    else:
        report(folder, list(WAY), seeds, is_way=True)
        report(folder, list(LATTICE), seeds, is_way=False)


def run(folder: Path, name: str, seed: int) -> None:
    """Train a variant, unless another that is measured differently was trained alike, and measure it."""
    variant, data = VARIANTS[name], Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en"
    alike = next(
        other for other in VARIANTS if VARIANTS[other].config == variant.config and _changes(other) == _changes(name)
    )
    place = results(folder, alike, seed).parent
    config = _written(place / "config.toml", variant)
    chosen = read_config(config)
    print(f"{name}, seed {seed} …", file=sys.stderr, flush=True)
    if not (place / "run" / MODEL).exists():
        run_training(
            config,
            _prepared(folder, data, "train", chosen),
            place / "run",
            validation=_prepared(folder, data, "validation", chosen),
            stages=("warm-start",),
            resume=(place / "run").exists(),
            seed=seed,
            note=lambda sentence: print(sentence, file=sys.stderr, flush=True),
        )
    target = results(folder, name, seed)
    target.parent.mkdir(parents=True, exist_ok=True)
    system = f"{variant.system}:{place / 'run' / MODEL}"
    evaluate(
        data / "validation.jsonl.gz",
        {"it": system},
        tokenizers="compat",
        profile=chosen.profile,
        mode=chosen.selection.mode,
        per_act=target,
    )


def _changes(name: str) -> dict[str, str]:
    return VARIANTS[name].changes


def _written(path: Path, variant: Variant) -> Path:
    """The configuration of a variant, as a file."""
    epochs = str(EPOCHS)
    text = (CONFIGS / f"{variant.config}.toml").read_text("utf-8")
    for key, value in {"epochs": epochs, "patience": epochs, **variant.changes}.items():
        text = re.sub(rf"(?m)^{key} = [^\s#]+", f"{key} = {value}", text)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def _prepared(folder: Path, data: Path, split: str, config: Config) -> Path:
    place = folder / "prepared" / f"{config.profile}-{config.oracle.objective}" / split
    if not Prepared.is_at(place):
        prepare([data / f"{split}.jsonl.gz"], place, split=split, profile=config.profile, oracle=config.oracle)
    return place


def report(folder: Path, names: list[str], seeds: range, *, is_way: bool) -> None:
    """Scores of some variants, and how each differs from the one before, or from the first."""
    scores = {name: _scores(folder, name, seeds) for name in names}
    other = "the row before" if is_way else f"'{names[0]}'"
    print(f"means over {len(seeds)} seeds; in brackets the deviation between seeds; then the difference from {other}")
    for place, name in enumerate(names):
        of_seeds = scores[name].mean(axis=1)
        shown = "  ".join(f"{m:.2f} ({d:.2f})" for m, d in zip(of_seeds.mean(0), of_seeds.std(0, ddof=1), strict=True))
        differences = scores[name].mean(axis=0) - scores[names[place - 1 if is_way else 0]].mean(axis=0)
        rows = zip(differences.mean(0), *confidence_interval(differences), strict=True)
        against = "  ".join(f"{d:+.2f} [{a:+.2f}, {b:+.2f}]" for d, a, b in rows) if place else ""
        print(f"{name:<18} {shown}   {against}")


def _scores(folder: Path, name: str, seeds: range) -> NDArray[np.float64]:
    """Seeds × acts × measures."""
    tables = []
    for seed in seeds:
        lines = results(folder, name, seed).read_text("utf-8").splitlines()
        rows = [json.loads(line)["systems"]["it"]["compat"] for line in lines]
        tables.append([[row[measure]["f1"] for measure in MEASURES] for row in rows])
    return np.array(tables)


def results(folder: Path, name: str, seed: int) -> Path:
    """Where the scores of a variant are, act by act."""
    return folder / re.sub(r"\W+", "-", name).strip("-") / f"seed-{seed}" / "results.jsonl"


if __name__ == "__main__":
    main()
