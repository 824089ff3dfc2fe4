"""One act: read it, let every system make its extract, score what comes out. Runs in worker processes too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from time import perf_counter
from typing import Any

from lexlattice.corpus.acts import act_of
from lexlattice.corpus.rows import BadRow, Row
from lexlattice.errors import LexLatticeError, brief
from lexlattice.evaluation.systems import WITHOUT_BUDGET, Encode, Summarize, System, Task, own_system, system
from lexlattice.metrics.rouge import MEASURES, Reference, Scores
from lexlattice.selection import Budget

PARTS = ("f1", "precision", "recall")


@dataclass(frozen=True)
class Plan:
    """What is to be done with every act: plain data, so that it can be sent to other processes."""

    systems: Mapping[str, str | Summarize]
    budget: Budget
    profile: str
    mode: str
    tokenizers: Sequence[str]
    language: str | None
    encoder: str | Encode | None
    seed: int
    cache: str | None = None
    """A folder in which vectors are kept."""
    texts: bool = False
    """Whether the extracts themselves are kept with their scores."""

    @cached_property
    def by_name(self) -> dict[str, System]:
        """The systems themselves, made once in each process."""
        return {
            name: system(found, self.encoder, self.cache) if isinstance(found, str) else own_system(found)
            for name, found in self.systems.items()
        }

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "by_name"}


@dataclass(frozen=True)
class Measured:
    """What came out for one act; scores × 100."""

    line: int
    celex: str
    language: str
    budget: int
    reference_words: int
    systems: dict[str, dict[str, Any]]
    """For each system words and seconds an extract, and for each tokenizer precision, recall and F1 by measure; and
    the extracts if they are kept."""
    notes: list[str] = field(default_factory=list)
    """What a reader of the scores must know, one sentence each."""


def measured(plan: Plan, row: Row | BadRow) -> Measured | BadRow:
    """All systems on one act, or why it cannot be used."""
    if isinstance(row, BadRow):
        return row
    act = act_of(row, plan.profile, plan.language)
    if isinstance(act, BadRow):
        return act
    words = plan.budget.of(act.words, row.summary)
    task = Task(act, row.text, row.summary, words, plan.mode, plan.seed)
    references = {name: Reference(row.summary, name) for name in plan.tokenizers}
    notes = [
        f"The summary has no word for the tokenizer '{name}'; its scores are zero."
        for name, reference in references.items()
        if not reference.tokens
    ]
    systems = {}
    for name, run in plan.by_name.items():
        start = perf_counter()
        extracts = _extracts(name, run, task, row.line)
        seconds = (perf_counter() - start) / len(extracts)
        if not all(extract.strip() for extract in extracts):
            notes.append(f"The extract of '{name}' is empty; its scores are zero.")
        longest = max(len(extract.split()) for extract in extracts)
        if longest > words and name not in WITHOUT_BUDGET:
            notes.append(f"The extract of '{name}' has {longest} words, more than the budget of {words}.")
        scores = {key: _mean([reference.score(text) for text in extracts]) for key, reference in references.items()}
        systems[name] = {
            **scores,
            "words": fmean(len(extract.split()) for extract in extracts),
            "seconds": seconds,
            **({"texts": list(extracts)} if plan.texts else {}),
        }
    return Measured(row.line, row.celex, act.language, words, len(row.summary.split()), systems, notes)


def _extracts(name: str, run: System, task: Task, line: int) -> Sequence[str]:
    try:
        return run(task)
    except Exception as error:
        what = f"{type(error).__name__}: {brief(error)}"
        raise LexLatticeError(f"The system '{name}' failed on line {line} ({what}).") from error


def _mean(scores: list[Scores]) -> dict[str, dict[str, float]]:
    return {
        name: {part: 100 * fmean(getattr(score[name], part) for score in scores) for part in PARTS} for name in MEASURES
    }
