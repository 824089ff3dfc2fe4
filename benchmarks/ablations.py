"""What each part of the shipped model is worth: variants trained alike, several seeds, compared act by act.

Each variant changes some keys of configs/provisions.toml. All are trained by stage 1 for a few epochs on the English
training acts and measured on the validation acts, at the length of the summaries; the differences from the first
variant are means over seeds, their intervals a paired bootstrap over acts. What is finished is kept in the output
folder, and a second run goes on from there.
Usage: LEXLATTICE_DATA=… python benchmarks/ablations.py FOLDER [VARIANT …]
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lexlattice.evaluation import evaluate
from lexlattice.learning.config import read_config
from lexlattice.learning.prepare import prepare
from lexlattice.learning.prepared import Prepared
from lexlattice.learning.run import MODEL, run_training
from lexlattice.metrics.significance import confidence_interval

SEEDS = (0, 1, 2)
EPOCHS = 2
MEASURES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
CONFIG = Path(__file__).parent.parent / "configs" / "provisions.toml"
VARIANTS: dict[str, dict[str, str]] = {
    "2D": {"overview": "false"},
    "2D, overview": {},
    "1D": {"geometry": '"line"', "overview": "false"},
    "none, same size": {"geometry": '"none"', "overview": "false"},
    "readout only": {"geometry": '"none"', "overview": "false", "steps": "0"},
    "2D, 8 steps": {"overview": "false", "steps": "8"},
    "words only": {"geometry": '"none"', "overview": "false", "steps": "0", "message": "1", "channels": "2"},
}


def main() -> None:
    """Train and measure what is missing, then print the table."""
    if "LEXLATTICE_DATA" not in os.environ or len(sys.argv) < 2:
        sys.exit("Set LEXLATTICE_DATA to the data folder (see CONTRIBUTING.md), name an output folder, and try again.")
    folder = Path(sys.argv[1])
    names = sys.argv[2:] or list(VARIANTS)
    for seed in SEEDS:
        for name in names:
            if not _results(folder, name, seed).exists():
                _run(folder, name, seed)
    report(folder, names)


def _run(folder: Path, name: str, seed: int) -> None:
    data = Path(os.environ["LEXLATTICE_DATA"]) / "eur-lex-sum" / "en"
    place = _results(folder, name, seed).parent
    place.mkdir(parents=True, exist_ok=True)
    text = CONFIG.read_text("utf-8")
    for key, value in {"epochs": str(EPOCHS), "patience": str(EPOCHS), **VARIANTS[name]}.items():
        text = re.sub(rf"(?m)^{key} = [^\s#]+", f"{key} = {value}", text)
    config = place / "config.toml"
    config.write_text(text, "utf-8")
    read_config(config)
    prepared = {split: _prepared(folder, data, split) for split in ("train", "validation")}
    print(f"{name}, seed {seed} …", file=sys.stderr, flush=True)
    run_training(
        config,
        prepared["train"],
        place / "run",
        validation=prepared["validation"],
        stages=("warm-start",),
        resume=(place / "run").exists(),
        seed=seed,
        note=lambda sentence: print(sentence, file=sys.stderr, flush=True),
    )
    model = f"model:{place / 'run' / MODEL}"
    evaluate(data / "validation.jsonl.gz", {"ours": model}, tokenizers="compat", per_act=_results(folder, name, seed))


def _prepared(folder: Path, data: Path, split: str) -> Path:
    place = folder / "prepared" / split
    if not Prepared.is_at(place):
        prepare([data / f"{split}.jsonl.gz"], place, split=split)
    return place


def report(folder: Path, names: list[str]) -> None:
    """Scores of all variants, and how they differ from the first."""
    scores = {name: _scores(folder, name) for name in names}
    first = scores[names[0]].mean(axis=0)
    print(
        f"means over {len(SEEDS)} seeds; in brackets the deviation between seeds; then the difference from '{names[0]}'"
    )
    for name in names:
        of_seeds = scores[name].mean(axis=1)
        shown = "  ".join(f"{m:.2f} ({d:.2f})" for m, d in zip(of_seeds.mean(0), of_seeds.std(0, ddof=1), strict=True))
        differences = scores[name].mean(axis=0) - first
        low, high = confidence_interval(differences)
        rows = zip(differences.mean(0), low, high, strict=True)
        against = "" if name == names[0] else "  ".join(f"{d:+.2f} [{a:+.2f}, {b:+.2f}]" for d, a, b in rows)
        print(f"{name:<18} {shown}   {against}")


def _scores(folder: Path, name: str) -> NDArray[np.float64]:
    """Seeds × acts × measures."""
    tables = []
    for seed in SEEDS:
        lines = _results(folder, name, seed).read_text("utf-8").splitlines()
        rows = [json.loads(line)["systems"]["ours"]["compat"] for line in lines]
        tables.append([[row[measure]["f1"] for measure in MEASURES] for row in rows])
    return np.array(tables)


def _results(folder: Path, name: str, seed: int) -> Path:
    return folder / re.sub(r"\W+", "-", name) / f"seed-{seed}" / "results.jsonl"


if __name__ == "__main__":
    main()
