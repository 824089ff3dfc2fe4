"""ROUGE with Porter stems of extracts that are already measured: scored from the stored texts, and cached."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np

from lexlattice._internal.files import sha256, write_whole
from lexlattice._internal.processes import parallel_map
from lexlattice.encoding.tokens import STEMMED
from lexlattice.evaluation.metrics.rouge import MEASURES, Reference
from lexlattice.research.experiments.runner import Results, Runner

Extracts = Mapping[str, Sequence[str]]
"""The extracts of one act by system; random systems have several."""


def with_stems(results: Results, summaries: Sequence[str], runner: Runner) -> Results:
    """Add the scores by the tokenizers `STEMMED` to results, without running the systems again.

    Args:
        results: The results of some systems, with the extracts.
        summaries: The official summaries of the same acts.
        runner: Its folder keeps the scores.

    """
    acts = [
        (summary, {name: entry["systems"][name]["texts"] for name in results.scores})
        for summary, entry in zip(summaries, results.lines, strict=True)
    ]
    key = sha256(json.dumps([STEMMED, acts], sort_keys=True).encode())
    path = runner.folder / "measured" / f"stems-{key[:12]}.json"
    if not path.is_file():
        runner.note(f"stemming {', '.join(results.scores)}")
        found = list(parallel_map(_score, acts, min(runner.jobs, max(1, len(acts)))))
        write_whole(path, json.dumps(found).encode())
    scored = json.loads(path.read_bytes())
    scores = {
        name: {**known, **{tokenizer: np.array([act[name][tokenizer] for act in scored]) for tokenizer in STEMMED}}
        for name, known in results.scores.items()
    }
    return replace(results, scores=scores)


def _score(act: tuple[str, Extracts]) -> dict[str, dict[str, list[float]]]:
    """F1 × 100 by system, tokenizer and measure; averaged over several extracts of a system."""
    summary, extracts = act
    references = {tokenizer: Reference(summary, tokenizer) for tokenizer in STEMMED}
    found: dict[str, dict[str, list[float]]] = {}
    for name, texts in extracts.items():
        found[name] = {}
        for tokenizer, reference in references.items():
            scores = [reference.score(text) for text in texts]
            found[name][tokenizer] = [100 * fmean(score[measure].f1 for score in scores) for measure in MEASURES]
    return found
