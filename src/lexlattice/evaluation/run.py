"""Evaluation of systems on a data set: act by act, then means, intervals and paired tests."""

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

from lexlattice import encoding
from lexlattice._internal.processes import parallel_map
from lexlattice._internal.progress import reports_interruption, tracked
from lexlattice.act.document import Act
from lexlattice.encoding.devices import choose_device
from lexlattice.encoding.tokens import STEMMED, TOKENIZERS, tokenizer
from lexlattice.errors import DataError, OptionError
from lexlattice.evaluation.gold import Gold, load_gold
from lexlattice.evaluation.measure import (
    MEANING,
    PARTS,
    VERBATIM,
    ActResult,
    Plan,
    check_destination,
    evaluate_act,
    recorded,
)
from lexlattice.evaluation.metrics.rouge import MEASURES
from lexlattice.evaluation.metrics.significance import confidence_interval, paired_bootstrap, wilcoxon
from lexlattice.evaluation.points import MEANINGS
from lexlattice.evaluation.rows import BadRow, Row, Rows, act_of
from lexlattice.evaluation.sources import SPLIT, Source
from lexlattice.evaluation.systems import GOLD, Encode, Summarize, check_system, cost_estimate, named_systems
from lexlattice.reading import LANGUAGES, PROFILES
from lexlattice.reading.hierarchies import Hierarchy, load_hierarchy
from lexlattice.selection import MODES, Budget


@dataclass(frozen=True)
class Evaluation:
    """The results of an evaluation and its settings."""

    acts: int
    budget: str
    profile: str
    mode: str
    tokenizers: list[str]
    seed: int
    systems: dict[str, dict[str, Any]]
    """By system and tokenizer: the mean F1 × 100 of each measure, `ci` with its 95 % bootstrap interval, `precision`
    and `recall`. By system: mean `words` and `seconds` per act (wall-clock time without reading and scoring), in how
    many acts extracts were `over` the budget, and cut, or `empty`, and, with annotations, `meaning`: mean points,
    precision and F1 × 100 with `ci`, and `verbatim`, the percentage of words that the act has."""
    comparisons: list[dict[str, Any]]
    """For each pair of systems, tokenizer and measure: the mean difference over the same acts, with paired tests.
    The measures of meaning are listed with the tokenizer `meaning`."""
    skipped: list[dict[str, Any]]
    """Rows that could not be used, with their line and the reason."""
    notes: list[dict[str, Any]]
    """Warnings about single rows."""

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain JSON types."""
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
    device: str = "auto",
    precision: str = "auto",
    cache: str | PathLike[str] | None = None,
    cache_limit: int | None = None,
    seed: int = 0,
    jobs: int = 1,
    split: str = SPLIT,
    limit: int | None = None,
    per_act: str | PathLike[str] | None = None,
    texts: bool = False,
    gold: str | PathLike[str] | Iterable[Gold] | None = None,
    fields: Mapping[str, str] | None = None,
    hierarchy: str | PathLike[str] | Hierarchy | None = None,
    progress: bool | str = False,
    note: Callable[[str], object] = lambda sentence: None,
) -> Evaluation:
    r"""Compare systems on a data set, at equal length.

    Args:
        data: A file, a saved data set, or any iterable of rows (see `Rows`).
        systems: Names (`lead`, `mine=extracts:FILE` …; see `lexlattice.evaluation.systems`), or a mapping from names to
            names or callables `(act, words) -> Extract or str`. Extracts over the budget are cut.
        budget: The length of extracts: a number of words, or `reference`, `medium`, `words:N` … (see `Budget`).
        profile: How acts are read: `provisions` or `paper`.
        mode: How the last unit meets the budget; by default `paper` (cut) for the profile `paper`, else `whole`.
        tokenizers: The tokenizers of ROUGE (`TOKENIZERS`, `STEMMED`); the first is that of comparisons in the report.
        language: The language of all acts; by default that of each row, or detected.
        encoder: For systems over vectors, by name or as a callable.
        device: Where transformers compute: `auto`, `cpu`, `cuda` or `mps`.
        precision: Of the named encoder (see `lexlattice.encoding.load`); a trained model's own by default.
        cache: A folder in which vectors of a named encoder are cached.
        cache_limit: The most bytes of that folder.
        seed: For random extracts and the bootstrap.
        jobs: Worker processes; with a transformer among the systems or as the encoder, all is done in this process.
        split: The split to use if the data set has several.
        limit: Evaluate at most this many rows.
        per_act: A file for the results of every act, one JSON object per line.
        texts: Whether that file contains the extracts too.
        gold: Annotations or a file of them (`load_gold`): only annotated acts are evaluated, and scored by meaning too.
        fields: Names of the fields in the data, where they differ from EUR-Lex-Sum's.
        hierarchy: How to read documents that are no EU acts: a TOML file, or the name of a packaged hierarchy.
        progress: Show progress, as a bar on a terminal and as lines to `note` elsewhere; a text is its title.
        note: Called with messages such as the estimated cost of a paid system, before the first act.

    Returns:
        Means with confidence intervals, and paired comparisons.

    Raises:
        OptionError: An argument is invalid.
        ConfigError: The file of the hierarchy is not valid.
        DataError: The data cannot be read, or contain no act that can be evaluated.

    Examples:
        >>> row = {"reference": "Article 1\n1. Hives are registered.", "summary": "Hives are registered."}
        >>> evaluate([row], "lead", budget=4).systems["lead"]["words"]
        4.0

    """
    plan = Plan(
        systems=systems if isinstance(systems, Mapping) else named_systems(_names(systems)),
        budget=_budget(budget),
        profile=profile,
        mode=mode or ("paper" if profile == "paper" else "whole"),
        tokenizers=_names(tokenizers),
        language=language.lower() if language else None,
        encoder=encoder,
        seed=seed,
        options=encoding.Options(device, precision, None, None if cache is None else str(cache), cache_limit),
        texts=texts,
        gold=None if gold is None else _annotations(gold),
        hierarchy=None if hierarchy is None else load_hierarchy(hierarchy),
    )
    _check(plan, jobs, limit)
    if device not in ("auto", "cpu"):
        choose_device(device)  # an error before the first act, whether or not it will be needed
    if not plan.runs_in_workers:
        jobs = 1
    if jobs > 1:
        _check_can_be_sent(plan)
    if per_act is not None:
        check_destination(Path(per_act), data)
    rows = Rows(data, split=split, fields=fields)
    for name, run in plan.by_name.items():
        if cost := cost_estimate(run, _tasks(plan, islice(_annotated(rows, plan), limit))):
            note(f"{name}: {cost}")
    chosen = islice(_annotated(rows, plan), limit)
    found: Iterable[ActResult | BadRow] = parallel_map(partial(evaluate_act, plan), chosen, jobs)
    if per_act is not None:
        found = recorded(found, Path(per_act))
    acts: list[ActResult] = []
    skipped: list[BadRow] = []
    count = rows.count() if plan.gold is None else len(plan.gold)
    total = min((number for number in (count, limit) if number is not None), default=None)
    title = progress if isinstance(progress, str) else "evaluating"
    with reports_interruption(lambda: f"{len(acts):,} acts were evaluated; no results were written."):
        for result in tracked(found, title, total, note=note, is_shown=bool(progress)):
            if isinstance(result, BadRow):
                skipped.append(result)
            else:
                acts.append(result)
    if not acts:
        missing = "give rows with an act and its summary." if plan.gold is None else "none of them is annotated."
        why = f"line {skipped[0].line}: {skipped[0].reason}" if skipped else missing
        raise DataError(f"The data contain no act that can be evaluated; {why}")
    return aggregate(acts, skipped, plan)


def _annotations(gold: str | PathLike[str] | Iterable[Gold]) -> dict[str, Gold]:
    """Annotations by CELEX number."""
    found = load_gold(str(gold)) if isinstance(gold, str | PathLike) else gold
    return {one.celex: one for one in found}


def _annotated(rows: Iterable[Row | BadRow], plan: Plan) -> Iterable[Row | BadRow]:
    """All rows; with annotations only those of annotated acts and those without a CELEX number."""
    gold = plan.gold
    return rows if gold is None else (row for row in rows if row.celex in gold or not row.celex)


def _tasks(plan: Plan, rows: Iterable[Row | BadRow]) -> Iterator[tuple[Act, int]]:
    """The acts that can be read, each with its budget in words."""
    for row in rows:
        act = row if isinstance(row, BadRow) else act_of(row, plan.profile, plan.language, plan.hierarchy)
        if isinstance(row, Row) and isinstance(act, Act):
            yield act, plan.budget.of(act.words, row.summary)


def _budget(budget: str | int | Budget) -> Budget:
    if isinstance(budget, Budget):
        return budget
    return Budget.parse(budget) if isinstance(budget, str) else Budget("words", budget)


def _names(names: str | Iterable[str]) -> list[str]:
    """Names as a list without duplicates, from a comma-separated string or any iterable."""
    parts = names.split(",") if isinstance(names, str) else list(names) if isinstance(names, Iterable) else [names]
    if not all(isinstance(part, str) for part in parts):
        raise OptionError("Systems and tokenizers are given by name; name your own system: {'mine': function}.")
    return list(dict.fromkeys(name for part in parts if (name := part.strip())))


def _check(plan: Plan, jobs: int, limit: int | None) -> None:
    """Raise `OptionError` for invalid arguments before the first row is read."""
    if not plan.systems:
        raise OptionError("No systems were named; give one or more.")
    if not plan.tokenizers:
        raise OptionError(f"No tokenizer was named; give one or more of: {', '.join((*TOKENIZERS, *STEMMED))}.")
    for name in plan.tokenizers:
        tokenizer(name)
    if GOLD in plan.systems.values() and plan.gold is None:
        raise OptionError("The system 'gold' needs annotations; name a file of them with --gold.")
    for found in plan.systems.values():
        check_system(found, plan.encoder)
    for what, value, choices in (("mode", plan.mode, MODES), ("profile", plan.profile, PROFILES)):
        if value not in choices:
            raise OptionError(f"There is no {what} '{value}'; choose one of: {', '.join(choices)}.")
    if plan.language is not None and plan.language not in LANGUAGES:
        raise OptionError(f"'{plan.language}' is not one of the 24 official languages: {', '.join(LANGUAGES)}.")
    for what, number, least in (("seed", plan.seed, 0), ("number of jobs", jobs, 1), ("limit", limit, 1)):
        if number is not None and number < least:
            raise OptionError(f"The {what} cannot be {number}; give a number from {least}.")


def _check_can_be_sent(plan: Plan) -> None:
    try:
        pickle.dumps(plan)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise OptionError(
            "A system or encoder cannot be sent to worker processes; define it in a module, or use one job."
        ) from error


def aggregate(acts: Sequence[ActResult], skipped: Sequence[BadRow], plan: Plan) -> Evaluation:
    """Compute means, intervals and paired tests from the results of single acts."""
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
    """The measures by tokenizer; those of meaning, which need none, come first under the key `meaning`."""
    return {**({MEANING: MEANINGS} if plan.gold is not None else {}), **dict.fromkeys(plan.tokenizers, MEASURES)}


def _table(acts: Sequence[ActResult], name: str, key: str) -> NDArray[np.float64]:
    """The scores of one system, acts × measures; for ROUGE the F1."""
    scores = (act.systems[name][key] for act in acts)
    if key == MEANING:
        return np.array([[score[measure] for measure in MEANINGS] for score in scores])
    return np.array([[score[rouge]["f1"] for rouge in MEASURES] for score in scores])


def _summary(
    acts: Sequence[ActResult], name: str, tables: Mapping[tuple[str, str], NDArray[np.float64]], plan: Plan
) -> dict[str, Any]:
    results = [act.systems[name] for act in acts]
    summary: dict[str, Any] = {}
    for key, measures in _measures(plan).items():
        table = tables[name, key]
        low, high = confidence_interval(table, seed=plan.seed)
        summary[key] = {
            **{measure: float(table[:, i].mean()) for i, measure in enumerate(measures)},
            "ci": {measure: [float(low[i]), float(high[i])] for i, measure in enumerate(measures)},
        }
        if key == MEANING:
            summary[key][VERBATIM] = _mean(act[key][VERBATIM] for act in results)
        else:
            summary[key] |= {
                part: {rouge: _mean(act[key][rouge][part] for act in results) for rouge in MEASURES}
                for part in PARTS
                if part != "f1"
            }
    return {
        **summary,
        "words": _mean(act["words"] for act in results),
        "seconds": _mean(act["seconds"] for act in results),
        **{what: int(sum(act[what] for act in results)) for what in ("over", "empty")},
    }


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _comparisons(tables: Mapping[tuple[str, str], NDArray[np.float64]], plan: Plan) -> list[dict[str, Any]]:
    """Compare every later system with every earlier one on the same acts."""
    comparisons = [
        (second, first, key, column, measure)
        for first, second in combinations(plan.systems, 2)
        for key, measures in _measures(plan).items()
        for column, measure in enumerate(measures)
    ]
    a = np.stack([tables[second, key][:, column] for second, _, key, column, _ in comparisons], axis=1)
    b = np.stack([tables[first, key][:, column] for _, first, key, column, _ in comparisons], axis=1)
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
        for i, (second, first, key, _, measure) in enumerate(comparisons)
    ]
