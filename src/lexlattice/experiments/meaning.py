"""BERTScore of what was chosen, kept once it is there: it takes longer than everything else."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lexlattice.experiments.study import Study
from lexlattice.experiments.workshop import Results
from lexlattice.files import sha256, write_whole
from lexlattice.metrics.bertscore import BertScore


def meanings(study: Study, language: str, results: Sequence[Results]) -> dict[str, NDArray[np.float64]]:
    """F1 × 100 of every act by system; of systems that draw, the first draw counts, of models the first seed."""
    model = study.settings.bertscore
    texts = {
        name: [entry["systems"][name]["texts"][0] for entry in one.lines]
        for one in reversed(results)
        for name in one.scores
    }
    summaries = study.summaries(language, results[0])
    key = sha256(json.dumps([model, study.settings.layers, texts, summaries], sort_keys=True).encode())
    path = study.workshop.folder / "measured" / f"{language}-bertscore-{key[:12]}.json"
    if not path.is_file():
        study.workshop.note(f"BERTScore on {language}")
        scorer = BertScore(model, study.settings.layers, threads=study.workshop.jobs)
        found: dict[str, list[float]] = {name: [] for name in texts}
        for place, summary in enumerate(summaries):  # act by act, so that a summary is read once
            for name, own in texts.items():
                found[name].append(100 * scorer.score(own[place], summary).f1)
        write_whole(path, json.dumps(found).encode())
    return {name: np.array(values) for name, values in json.loads(path.read_bytes()).items()}
