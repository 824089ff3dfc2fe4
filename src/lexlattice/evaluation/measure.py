"""One act: read it, let every system make its extract, score what comes out. Runs in worker processes too."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from lexlattice.act.document import Act
from lexlattice.errors import LexLatticeError, brief
from lexlattice.evaluation.gold import Gold, project_gold
from lexlattice.evaluation.metrics.rouge import MEASURES, Reference, Scores
from lexlattice.evaluation.points import MEANINGS, meaning_of_texts
from lexlattice.evaluation.rows import BadRow, Row, act_of
from lexlattice.evaluation.sources import ORIGINAL
from lexlattice.evaluation.systems import WITHOUT_BUDGET, Encode, Summarize, System, Task, own_system, system
from lexlattice.selection import Budget

PARTS = ("f1", "precision", "recall")
MEANING = "meaning"
"""Under which name the scores by meaning stand beside those of tokenizers."""


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
    gold: Mapping[str, Gold] | None = None
    """Annotations by CELEX number, if extracts are to be scored by meaning."""

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
    """For each system points, precision and F1 as `meaning` if the act is annotated; for each tokenizer precision,
    recall and F1 by measure; words and seconds an extract; and the extracts if they are kept."""
    notes: list[str] = field(default_factory=list)
    """What a reader of the scores must know, one sentence each."""


def measured(plan: Plan, row: Row | BadRow) -> Measured | BadRow:
    """All systems on one act, or why it cannot be used."""
    if isinstance(row, BadRow):
        return row
    act = act_of(row, plan.profile, plan.language)
    if isinstance(act, BadRow):
        return act
    annotation = _annotation(plan, row, act)
    if isinstance(annotation, BadRow):
        return annotation
    words = _words(plan, row, act, annotation)
    gold, gold_text = annotation or (None, None)
    task = Task(act, row.text, row.summary, words, plan.mode, plan.seed, gold, gold_text)
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
            **({MEANING: _mean_meaning(extracts, annotation)} if annotation else {}),
            **scores,
            "words": fmean(len(extract.split()) for extract in extracts),
            "seconds": seconds,
            **({"texts": list(extracts)} if plan.texts else {}),
        }
    return Measured(row.line, row.celex, act.language, words, len(row.summary.split()), systems, notes)


def _annotation(plan: Plan, row: Row, act: Act) -> tuple[Gold, str] | BadRow | None:
    """The annotation of an act in the version at hand and the text whose words it counts; nothing if none is needed."""
    if plan.gold is None:
        return None
    gold = plan.gold.get(row.celex)
    if gold is None:
        return BadRow(row.line, row.celex, "There is no gold annotation of this act.")
    if act.language == gold.language and not row.original:
        return gold, row.text
    if not row.original:
        reason = f"The act is annotated in '{gold.language}' only; give that version as the field '{ORIGINAL}'."
        return BadRow(row.line, row.celex, reason)
    source = act_of(replace(row, text=row.original, language=gold.language), "provisions", gold.language)
    if isinstance(source, BadRow):
        return source
    try:
        return project_gold(gold, source, act, row.original), act.source
    except LexLatticeError as error:
        return BadRow(row.line, row.celex, str(error))


def _words(plan: Plan, row: Row, act: Act, annotation: tuple[Gold, str] | None) -> int:
    """The length of extracts; the official one is the annotation's where there is one, which other versions scale."""
    if annotation and plan.budget.kind == "reference":
        return annotation[0].words
    return plan.budget.of(act.words, row.summary)


def _mean_meaning(extracts: Sequence[str], annotation: tuple[Gold, str]) -> dict[str, float]:
    """Points, precision and F1 × 100, the mean of several extracts."""
    gold, text = annotation
    scores = [meaning_of_texts(gold, text, extract.split("\n")) for extract in extracts]
    return {name: 100 * fmean(getattr(score, name) for score in scores) for name in MEANINGS}


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


# The file with the results of every act: one JSON object a line, written as they come.


def check_destination(path: Path, data: object) -> None:
    """Say at once, and not after an hour's work, that results cannot be written there."""
    if not path.name or path.is_dir() or not path.parent.is_dir():
        raise LexLatticeError(f"Results cannot be written to '{path}'; name a file in a folder that exists.")
    if isinstance(data, str | os.PathLike) and path.exists() and Path(data).exists() and path.samefile(data):
        raise LexLatticeError(f"'{path}' is the data; name another file for the results of each act.")


def kept(results: Iterable[Measured | BadRow], path: Path) -> Iterator[Measured | BadRow]:
    """The results, written down on their way.

    They are written to a file of another name beside it, which replaces the one that is named once all are there and
    one at least is good: a run that fails leaves the results of an earlier one alone. What is no ordinary file (a
    pipe) is written to directly.
    """
    if path.exists() and not path.is_file():
        yield from _written(results, path)
        return
    part = path.with_name(f".{path.name}.{os.getpid()}")
    is_any_good = is_done = False
    try:
        for result in _written(results, part):
            is_any_good |= isinstance(result, Measured)
            yield result
        is_done = True
    finally:
        with _writing(path):
            if is_done and is_any_good:
                part.replace(path)
            else:
                part.unlink(missing_ok=True)


def _written(results: Iterable[Measured | BadRow], path: Path) -> Iterator[Measured | BadRow]:
    with _writing(path):
        file = path.open("w", encoding="utf-8")
    with file:
        for result in results:
            with _writing(path):
                print(json.dumps(asdict(result), ensure_ascii=False), file=file, flush=True)
            yield result


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say which file it was that could not be written."""
    try:
        yield
    except OSError as error:
        raise LexLatticeError(
            f"The results of each act cannot be written to '{path}': {error.strerror or error}."
        ) from error
