"""Scores with stems, computed from the extracts of earlier runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lexlattice.encoding.tokens import STEMMED, TOKENIZERS
from lexlattice.evaluation.metrics.rouge import MEASURES, score

pytest.importorskip("torch")

from lexlattice.research.experiments.corpus import Corpus
from lexlattice.research.experiments.runner import Results, Runner
from lexlattice.research.experiments.stemming import with_stems

SUMMARIES = ["Keepers register their hives.\nThe register is public.", "Moving hives is notified."]
EXTRACTS = [["A keeper registers every hive.", "The registers are public."], ["A keeper notifies movements.", "Hives"]]


def results() -> Results:
    lines = [{"systems": {"random": {"texts": texts}}} for texts in EXTRACTS]
    return Results(("1", "2"), {"random": dict.fromkeys(TOKENIZERS, np.zeros((2, 4)))}, {}, lines)


def test_scores_are_means_over_extracts_and_are_computed_once(tmp_path: Path) -> None:
    (tmp_path / "measured").mkdir()
    said: list[str] = []
    runner = Runner(tmp_path, Corpus("nowhere"), note=said.append)
    scores = with_stems(results(), SUMMARIES, runner).scores["random"]
    assert list(scores) == [*TOKENIZERS, *STEMMED]
    for tokenizer in STEMMED:
        for act, (summary, texts) in enumerate(zip(SUMMARIES, EXTRACTS, strict=True)):
            for place, measure in enumerate(MEASURES):
                expected = [100 * score(text, summary, tokenizer)[measure].f1 for text in texts]
                assert scores[tokenizer][act, place] == pytest.approx(np.mean(expected))
    assert scores["compat-stemmed"][0, 0] > 100 * np.mean(
        [score(text, SUMMARIES[0])["rouge1"].f1 for text in EXTRACTS[0]]
    )
    again = with_stems(results(), SUMMARIES, runner).scores["random"]
    assert np.array_equal(again["compat-stemmed"], scores["compat-stemmed"])
    assert len(said) == 1
