"""All acts of a data set: measured one by one, then put together."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations, islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lexlattice._internal.processes import parallel_map
from lexlattice.act.document import Act
from lexlattice.encoding.tokens import TOKENIZERS, tokenizer
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.gold import Gold, load_gold
from lexlattice.evaluation.measure import MEANING, PARTS, Measured, Plan, check_destination, kept, measured
from lexlattice.evaluation.metrics.rouge import MEASURES
from lexlattice.evaluation.metrics.significance import confidence_interval, paired_bootstrap, wilcoxon
from lexlattice.evaluation.points import MEANINGS
from lexlattice.evaluation.rows import BadRow, Row, Rows, act_of
from lexlattice.evaluation.sources import SPLIT, Source
from lexlattice.evaluation.systems import GOLD, Encode, Summarize, check_system, price_of
from lexlattice.reading import LANGUAGES, PROFILES
from lexlattice.selection import MODES, Budget


@dataclass(frozen=True)
class Evaluation:
    """What was measured, and on what."""

    acts: int
    budget: str
    profile: str
    mode: str
    tokenizers: list[str]
    seed: int
    systems: dict[str, dict[str, Any]]
    """By system, if there are annotations, `meaning`: mean points, precision and F1 × 100 with `ci`. By system and
    tokenizer: mean F1 × 100 of each measure, `ci` with its 95 % bootstrap interval, `precision` and
    `recall`; and the system's mean `words` and `seconds` (by the clock, reading and scoring apart) an act."""
    comparisons: list[dict[str, Any]]
    """For each pair of systems, tokenizer and measure: the mean difference over the same acts, with paired tests.
    Measures of meaning have the tokenizer `meaning`."""
    skipped: list[dict[str, Any]]
    """Rows that could not be used, with their line and the reason."""
    notes: list[dict[str, Any]]
    """What else must be known of single rows."""

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain JSON types."""
        return asdict(self)


def evaluate(
    data: Source,
    systems: str | Sequence[str] | Mapping[str, str | Summarize] = ("lexlattice", "lead", "random", "lexrank"),
    *,
    budget: str | int | Budget = "reference",
    profile: str = "provisions",
    mode: str | None = None,
    tokenizers: str | Sequence[str] = TOKENIZERS,
    language: str | None = None,
    encoder: str | Encode | None = None,
    cache: str | PathLike[str] | None = None,
    seed: int = 0,
    jobs: int = 1,
    split: str = SPLIT,
    limit: int | None = None,
    per_act: str | PathLike[str] | None = None,
    texts: bool = False,
    gold: str | PathLike[str] | Iterable[Gold] | None = None,
    fields: Mapping[str, str] | None = None,
    progress: bool = False,
    note: Callable[[str], object] = lambda sentence: None,
) -> Evaluation:
    """Compare systems on a data set: a file, a saved data set, `hf:NAME`, or any iterable of rows.

    `systems` are names, or a mapping of names to names or callables `(act, words) -> Extract or str`. Without `mode`,
    profile `paper` cuts the last unit to the budget and `provisions` takes whole units. `split` is the one to take of a
    data set with several. Vectors of an encoder that is named are kept in the folder `cache`, if there is one.
    `per_act` names a file for the results of every act, one JSON object a line, with `texts` the extracts too.
    `gold` are annotations, or a file of them (`load_gold`): only annotated acts are evaluated, and scored by meaning
    too. `fields` has the names that the data use for fields where they are not ours. `note` is told beforehand what a
    system behind an endpoint will take.
    """
    plan = Plan(
        systems=systems if isinstance(systems, Mapping) else {name: name for name in _names(systems)},
        budget=_budget(budget),
        profile=profile,
        mode=mode or ("paper" if profile == "paper" else "whole"),
        tokenizers=_names(tokenizers),
        language=language.lower() if language else None,
        encoder=encoder,
        seed=seed,
        cache=None if cache is None else str(cache),
        texts=texts,
        gold=None if gold is None else _annotations(gold),
    )
    _check(plan, jobs, limit)
    if per_act is not None:
        check_destination(Path(per_act), data)
    rows = Rows(data, split=split, fields=fields)
    for name, run in plan.by_name.items():
        if price := price_of(run, _tasks(plan, islice(_annotated(rows, plan), limit))):
            note(f"{name}: {price}")
    chosen = islice(_annotated(rows, plan), limit)
    found: Iterable[Measured | BadRow] = parallel_map(partial(measured, plan), chosen, jobs)
    if per_act is not None:
        found = kept(found, Path(per_act))
    acts: list[Measured] = []
    skipped: list[BadRow] = []
    count = rows.count() if plan.gold is None else len(plan.gold)
    for result in _shown(found, count, limit) if progress else found:
        if isinstance(result, BadRow):
            skipped.append(result)
        else:
            acts.append(result)
    if not acts:
        missing = "give rows with an act and its summary." if plan.gold is None else "none of them is annotated."
        why = f"line {skipped[0].line}: {skipped[0].reason}" if skipped else missing
        raise LexLatticeError(f"There is no act to evaluate in the data; {why}")
    return put_together(acts, skipped, plan)


def _annotations(gold: str | PathLike[str] | Iterable[Gold]) -> dict[str, Gold]:
    """By CELEX number, from a file or as they are."""
    found = load_gold(str(gold)) if isinstance(gold, str | PathLike) else gold
    return {one.celex: one for one in found}


def _annotated(rows: Iterable[Row | BadRow], plan: Plan) -> Iterable[Row | BadRow]:
    """All rows or, if there are annotations, those of annotated acts and those nobody can tell of."""
    gold = plan.gold
    return rows if gold is None else (row for row in rows if row.celex in gold or not row.celex)


def _tasks(plan: Plan, rows: Iterable[Row | BadRow]) -> Iterator[tuple[Act, int]]:
    """The acts, and in how many words they are to be summarized."""
    for row in rows:
        act = row if isinstance(row, BadRow) else act_of(row, plan.profile, plan.language)
        if isinstance(row, Row) and isinstance(act, Act):
            yield act, plan.budget.of(act.words, row.summary)


def _budget(budget: str | int | Budget) -> Budget:
    if isinstance(budget, Budget):
        return budget
    return Budget.parse(budget) if isinstance(budget, str) else Budget("words", budget)


def _names(names: str | Iterable[str]) -> list[str]:
    """Names as a list, each once, however they were given."""
    parts = names.split(",") if isinstance(names, str) else list(names) if isinstance(names, Iterable) else [names]
    if not all(isinstance(part, str) for part in parts):
        raise LexLatticeError("Name systems and tokenizers; a system of your own needs a name too: {'mine': function}.")
    return list(dict.fromkeys(name for part in parts if (name := part.strip())))


def _check(plan: Plan, jobs: int, limit: int | None) -> None:
    """Say what is wrong with the call before the first row is read."""
    if not plan.systems:
        raise LexLatticeError("No systems were named; give one or more.")
    if not plan.tokenizers:
        raise LexLatticeError(f"No tokenizer was named; give one or more of: {', '.join(TOKENIZERS)}.")
    for name in plan.tokenizers:
        tokenizer(name)
    if GOLD in plan.systems.values() and plan.gold is None:
        raise LexLatticeError("The system 'gold' needs annotations; name a file of them with --gold.")
    for found in plan.systems.values():
        check_system(found, plan.encoder)
    for what, value, choices in (("mode", plan.mode, MODES), ("profile", plan.profile, PROFILES)):
        if value not in choices:
            raise LexLatticeError(f"There is no {what} '{value}'; choose one of: {', '.join(choices)}.")
    if plan.language is not None and plan.language not in LANGUAGES:
        raise LexLatticeError(f"'{plan.language}' is not one of the 24 official languages: {', '.join(LANGUAGES)}.")
    for what, number, least in (("seed", plan.seed, 0), ("number of jobs", jobs, 1), ("limit", limit, 1)):
        if number is not None and number < least:
            raise LexLatticeError(f"The {what} cannot be {number}; give a number from {least}.")
    if jobs > 1:
        _check_can_be_sent(plan)


def _check_can_be_sent(plan: Plan) -> None:
    try:
        pickle.dumps(plan)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise LexLatticeError(
            "A system or encoder cannot be sent to other processes; define it in a module, or use one job."
        ) from error


def _shown(results: Iterable[Measured | BadRow], total: int | None, limit: int | None) -> Iterable[Measured | BadRow]:
    """The results behind a progress bar."""
    from tqdm import tqdm

    bar: Iterable[Measured | BadRow] = tqdm(
        results, total=min(filter(None, (total, limit)), default=None), unit=" acts", dynamic_ncols=True
    )
    return bar


def put_together(acts: Sequence[Measured], skipped: Sequence[BadRow], plan: Plan) -> Evaluation:
    """Means, intervals and tests over what was measured act by act."""
    names = list(plan.systems)
    tables = {(name, key): _table(acts, name, key) for name in names for key in _measures(plan)}
    return Evaluation(
        acts=len(acts),
        budget=str(plan.budget),
        profile=plan.profile,
        mode=plan.mode,
        tokenizers=list(plan.tokenizers),
        seed=plan.seed,
        systems={name: _summary(acts, name, tables, plan) for name in names},
        comparisons=_comparisons(tables, plan) if len(names) > 1 else [],
        skipped=[asdict(row) for row in skipped],
        notes=[{"line": act.line, "celex": act.celex, "note": note} for act in acts for note in act.notes],
    )


def _measures(plan: Plan) -> dict[str, tuple[str, ...]]:
    """What is measured, by tokenizer; meaning, which needs none, comes first."""
    return {**({MEANING: MEANINGS} if plan.gold is not None else {}), **dict.fromkeys(plan.tokenizers, MEASURES)}


def _table(acts: Sequence[Measured], name: str, key: str) -> NDArray[np.float64]:
    """The value of each act (rows) by each measure (columns): of ROUGE the F1."""
    scores = (act.systems[name][key] for act in acts)
    if key == MEANING:
        return np.array([[score[measure] for measure in MEANINGS] for score in scores])
    return np.array([[score[rouge]["f1"] for rouge in MEASURES] for score in scores])


def _summary(
    acts: Sequence[Measured], name: str, tables: Mapping[tuple[str, str], NDArray[np.float64]], plan: Plan
) -> dict[str, Any]:
    own = [act.systems[name] for act in acts]
    summary: dict[str, Any] = {}
    for key, measures in _measures(plan).items():
        table = tables[name, key]
        low, high = confidence_interval(table, seed=plan.seed)
        summary[key] = {
            **{measure: float(table[:, i].mean()) for i, measure in enumerate(measures)},
            "ci": {measure: [float(low[i]), float(high[i])] for i, measure in enumerate(measures)},
        }
        if key != MEANING:
            summary[key] |= {
                part: {rouge: _mean(act[key][rouge][part] for act in own) for rouge in MEASURES}
                for part in PARTS
                if part != "f1"
            }
    return {**summary, "words": _mean(act["words"] for act in own), "seconds": _mean(act["seconds"] for act in own)}


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _comparisons(tables: Mapping[tuple[str, str], NDArray[np.float64]], plan: Plan) -> list[dict[str, Any]]:
    """Every later system against every earlier one, act by act."""
    questions = [
        (second, first, key, column, measure)
        for first, second in combinations(plan.systems, 2)
        for key, measures in _measures(plan).items()
        for column, measure in enumerate(measures)
    ]
    a = np.stack([tables[second, key][:, column] for second, _, key, column, _ in questions], axis=1)
    b = np.stack([tables[first, key][:, column] for _, first, key, column, _ in questions], axis=1)
    bootstrap = paired_bootstrap(a, b, seed=plan.seed)
    return [
        {
            "system": second,
            "against": first,
            "tokenizer": key,
            "measure": measure,
            "difference": float(bootstrap.difference[i]),
            "ci": [float(bootstrap.low[i]), float(bootstrap.high[i])],
            "p_bootstrap": float(bootstrap.p[i]),
            "p_wilcoxon": wilcoxon(a[:, i], b[:, i]),
        }
        for i, (second, first, key, _, measure) in enumerate(questions)
    ]
