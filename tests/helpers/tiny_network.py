"""The network of meaning, but small, and little acts with annotations for it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from helpers.acts import little_rows, write_rows
from lexlattice import Act, read
from lexlattice.encoding.static import Static
from lexlattice.evaluation.gold import WORD
from lexlattice.training.config import Config, ProvisionsShape, find_config, read_config
from lexlattice.training.models.provisions import TrainableProvisionsModel
from lexlattice.training.prepared import Example
from lexlattice.training.targets import SilverTargets, gold_order, make_targets

PROVISIONS = find_config("provisions")
SMALL: dict[str, dict[str, Any]] = {
    "[model]": {
        **{"steps": 2, "attention": 3, "sections": '"add"', "first": 9, "channels": 6, "hidden": 7, "readout": 5},
        **{"meaning": 4, "leads": 2, "openings": 3, "headings": 3, "enclosing": 2, "weight": 0.5},
    },
    "[silver]": {"epochs": 1, "batch": 2, "ema": 0.5},
    "[warm_start]": {"epochs": 2, "batch": 2, "ema": 0.5, "sections": 0.1, "listwise": 0.05},
    "[rloo]": {"rollouts": 3, "epochs": 1, "batch": 2, "ema": 0.5},
}
"""What a test can afford, by table and key."""

torch.set_num_threads(1)  # sums over more threads need not be equal bit for bit


def small_text() -> str:
    """The shipped file, with small sizes."""
    table, lines = "", []
    for line in PROVISIONS.read_text("utf-8").splitlines():
        table = line.partition("#")[0].strip() if line.startswith("[") else table
        key = line.partition(" = ")[0]
        lines.append(f"{key} = {SMALL[table][key]}" if key in SMALL.get(table, {}) else line)
    return "\n".join(lines) + "\n"


def small_config(folder: Path, **changes: object) -> Config:
    """With some keys of [model] changed."""
    (folder / "meaning.toml").write_text(small_text(), "utf-8")
    config = read_config(folder / "meaning.toml")
    assert isinstance(config.model, ProvisionsShape)
    return replace(config, model=replace(config.model, **changes))  # type: ignore[arg-type]


def gold_row(act: Act, text: str, celex: str, units: Sequence[int]) -> dict[str, Any]:
    """An annotation as a file has it, whose points and extract are these units, each by itself."""
    words = [(match.start(), match.end()) for match in WORD.finditer(text)]
    places = {}
    for index in units:
        unit = act.units[index]
        inside = [place for place, (start, _) in enumerate(words) if unit.start <= start < unit.end]
        places[unit.id] = [inside[0], inside[-1] + 1]
    points = [{"point": "", "weight": 1 + place % 3, "units": [name]} for place, name in enumerate(places)]
    length = sum(act.units[index].words for index in units)
    return {"celex_id": celex, "language": act.language, "words": length, "points": points} | {
        "extract": list(places),
        "places": places,
    }


def annotated_rows(count: int, first: int = 1) -> tuple[list[dict[str, str]], list[dict[str, Any]]]:
    """Rows of little acts, and annotations of all but the last of them."""
    rows, golds = little_rows(count, first), []
    for row in rows[: count - 1]:
        act = read(row["reference"], language=row["language"])
        golds.append(gold_row(act, act.source, row["celex_id"], _articles(act)))
    return rows, golds


def write_annotated(folder: Path, name: str, count: int, first: int = 1) -> tuple[Path, Path]:
    """The same as two files."""
    rows, golds = annotated_rows(count, first)
    return write_rows(folder / f"{name}.jsonl", rows), write_rows(folder / f"{name}-gold.jsonl", golds)


def example_of(act: Act, line: int = 0, units: Sequence[int] | None = None, silver: bool = True) -> Example:
    """An act as if it had been prepared."""
    from lexlattice.evaluation.gold import _gold

    chosen = _articles(act) if units is None else units
    gold = _gold(json.loads(json.dumps(gold_row(act, act.source, f"32024R{line:04d}", chosen))))
    chosen_units = np.isin(np.arange(len(act)), chosen).astype(np.float32)
    weights = np.linspace(0.5, 1, len(act), dtype=np.float32)
    aligned = SilverTargets(chosen_units, chosen_units * np.float32(0.5), weights) if silver else None
    targets = make_targets(act, act.source, gold, aligned)
    return Example(line, gold.celex, act, np.zeros((len(act), 0), np.float32), gold_order(act, targets), "", 0, targets)


def _articles(act: Act) -> list[int]:
    """Every third unit of articles."""
    return [i for i, unit in enumerate(act.units) if act.sections[unit.section].kind == "article" and unit.words > 4][
        ::3
    ]


def stirred(trainable: TrainableProvisionsModel, seed: int = 0) -> TrainableProvisionsModel:
    """With weights of some size everywhere, so that every part has a say; an automaton begins with none."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in trainable.module.parameters():
            size = 0.4 / max(1.0, parameter.shape[-1] / 4) ** 0.5
            parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=size)
    trainable.module.eval()
    return trainable


def saved(trainable: TrainableProvisionsModel, path: Path, **about: str) -> Path:
    trainable.save(path, {"fingerprint": Static().fingerprint, "encoder": "static", **about})
    return path
