"""Evaluation of one act: read it, run every system on it and score the extracts. Runs in worker processes too."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import TYPE_CHECKING, Any

from lexlattice import encoding
from lexlattice._internal.lazy import cached_property
from lexlattice.act.document import Act
from lexlattice.errors import DataError, LexLatticeError, OptionError, OutputError, brief
from lexlattice.evaluation.gold import Gold, project_gold
from lexlattice.evaluation.metrics.rouge import MEASURES, Reference, Scores
from lexlattice.evaluation.passages import Ruler, locate
from lexlattice.evaluation.points import MEANINGS, meaning_of_located
from lexlattice.evaluation.rows import BadRow, Row, act_of
from lexlattice.evaluation.sources import ORIGINAL
from lexlattice.evaluation.systems import (
    WITHOUT_BUDGET,
    Encode,
    Summarize,
    System,
    Task,
    custom_system,
    runs_in_workers,
    system,
)
from lexlattice.selection import Budget

if TYPE_CHECKING:
    from lexlattice.reading.hierarchies import Hierarchy

PARTS = ("f1", "precision", "recall")
MEANING = "meaning"
"""The key of the scores by meaning, beside the tokenizers' names as keys of ROUGE scores."""
VERBATIM = "verbatim"
"""Among them, the share of an extract's words that the act has, in runs."""


@dataclass(frozen=True)
class Plan:
    """The settings of an evaluation, as plain data that can be sent to other processes."""

    systems: Mapping[str, str | Summarize]
    budget: Budget
    profile: str
    mode: str
    tokenizers: Sequence[str]
    language: str | None
    encoder: str | Encode | None
    seed: int
    options: encoding.Options = encoding.DEFAULTS
    """How named encoders are loaded."""
    texts: bool = False
    """Whether the results contain the extracts themselves."""
    gold: Mapping[str, Gold] | None = None
    """Annotations by CELEX number, if extracts are to be scored by meaning."""
    hierarchy: Hierarchy | None = None
    """How to read documents that are no EU acts."""

    @cached_property
    def by_name(self) -> dict[str, System]:
        """The systems, loaded once in each process."""
        return {
            name: system(found, self.encoder, self.options) if isinstance(found, str) else custom_system(found)
            for name, found in self.systems.items()
        }

    @property
    def runs_in_workers(self) -> bool:
        """Whether all systems may run in worker processes."""
        return all(runs_in_workers(found, self.encoder) for found in self.systems.values())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "by_name"}


@dataclass(frozen=True)
class ActResult:
    """The results of all systems on one act; scores × 100."""

    line: int
    celex: str
    language: str
    budget: int
    reference_words: int
    systems: dict[str, dict[str, Any]]
    """By system: points, precision and F1 as `meaning` if the act is annotated, with the `verbatim` share of words; for
    each tokenizer precision, recall and F1 by measure; words and seconds per extract; whether an extract was `over` the
    budget, and cut, or `empty`; and the extracts as `texts` if the plan says so."""
    notes: list[str] = field(default_factory=list)
    """Warnings about the scores, one sentence each."""


def evaluate_act(plan: Plan, row: Row | BadRow) -> ActResult | BadRow:
    """Run and score all systems on one act; a `BadRow` says why the act cannot be used."""
    if isinstance(row, BadRow):
        return row
    act = act_of(row, plan.profile, plan.language, plan.hierarchy)
    if isinstance(act, BadRow):
        return act
    annotation = _annotation(plan, row, act)
    if isinstance(annotation, BadRow):
        return annotation
    words = _words(plan, row, act, annotation)
    gold, gold_text = annotation or (None, None)
    task = Task(act, row.text, row.summary, words, plan.mode, plan.seed, gold, gold_text, row.celex)
    ruler = Ruler(row.text, act.source)
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
        is_empty = not all(extract.strip() for extract in extracts)
        if is_empty:
            notes.append(f"The extract of '{name}' is empty; its scores are zero.")
        lengths = [ruler.cut(extract, words) for extract in extracts]
        is_over = plan.systems[name] not in WITHOUT_BUDGET and any(total > kept for _, total, kept in lengths)
        if is_over:
            longest = max(total for _, total, _ in lengths)
            notes.append(f"The extract of '{name}' has {longest} words, more than the budget of {words}, and is cut.")
            extracts = [cut for cut, _, _ in lengths]
        scores = {key: _mean([reference.score(text) for text in extracts]) for key, reference in references.items()}
        systems[name] = {
            **({MEANING: _mean_meaning(extracts, annotation)} if annotation else {}),
            **scores,
            "words": fmean(kept if is_over else total for _, total, kept in lengths),
            "over": is_over,
            "empty": is_empty,
            "seconds": seconds,
            **({"texts": list(extracts)} if plan.texts else {}),
        }
    return ActResult(row.line, row.celex, act.language, words, len(row.summary.split()), systems, notes)


def _annotation(plan: Plan, row: Row, act: Act) -> tuple[Gold, str] | BadRow | None:
    """The annotation for this version of the act and the text whose words it counts; None without annotations."""
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
    """The budget of extracts; for `reference` it is the annotation's, scaled to this version, if there is one."""
    if annotation and plan.budget.kind == "reference":
        return annotation[0].words
    return plan.budget.of(act.words, row.summary)


def _mean_meaning(extracts: Sequence[str], annotation: tuple[Gold, str]) -> dict[str, float]:
    """Points, precision, F1 and the share of verbatim words × 100, averaged over several extracts."""
    gold, text = annotation
    found = [locate(text, extract) for extract in extracts]
    scores = [meaning_of_located(gold, one) for one in found]
    return {
        **{name: 100 * fmean(getattr(score, name) for score in scores) for name in MEANINGS},
        VERBATIM: 100 * fmean(one.verbatim for one in found),
    }


def _extracts(name: str, run: System, task: Task, line: int) -> Sequence[str]:
    try:
        return run(task)
    except LexLatticeError as error:
        raise DataError(f"The system '{name}' failed on line {line}: {error}") from error
    except Exception as error:
        what = f"{type(error).__name__}: {brief(error)}"
        raise DataError(f"The system '{name}' failed on line {line} ({what}).") from error


def _mean(scores: list[Scores]) -> dict[str, dict[str, float]]:
    return {
        name: {part: 100 * fmean(getattr(score[name], part) for score in scores) for part in PARTS} for name in MEASURES
    }


# The file with the results of every act: one JSON object per line.


def check_destination(path: Path, data: object) -> None:
    """Raise an error if results cannot be written there, before the evaluation starts."""
    if not path.name or path.is_dir() or not path.parent.is_dir():
        raise OutputError(f"Results cannot be written to '{path}'; name a file in an existing folder.")
    if isinstance(data, str | os.PathLike) and path.exists() and Path(data).exists() and path.samefile(data):
        raise OptionError(f"'{path}' is the data set; name another file for the results of each act.")


def recorded(results: Iterable[ActResult | BadRow], path: Path) -> Iterator[ActResult | BadRow]:
    """Pass the results through and write them to a file.

    They are written to a temporary file in the same folder, which replaces the target once all results are there and at
    least one act could be used: a run that fails keeps the results of an earlier one. Pipes and devices are written to
    directly.
    """
    if path.exists() and not path.is_file():
        yield from _written(results, path)
        return
    part = path.with_name(f".{path.name}.{os.getpid()}")
    is_any_good = is_done = False
    try:
        for result in _written(results, part):
            is_any_good |= isinstance(result, ActResult)
            yield result
        is_done = True
    finally:
        with _writing(path):
            if is_done and is_any_good:
                part.replace(path)
            else:
                part.unlink(missing_ok=True)


def _written(results: Iterable[ActResult | BadRow], path: Path) -> Iterator[ActResult | BadRow]:
    with _writing(path):
        file = path.open("w", encoding="utf-8")
    with file:
        for result in results:
            with _writing(path):
                print(json.dumps(asdict(result), ensure_ascii=False), file=file, flush=True)
            yield result


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn errors of the file system into an `OutputError` that names the file."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"The results of each act cannot be written to '{path}': {error.strerror or error}."
        ) from error
