"""Plain-text report of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from lexlattice.evaluation.measure import MEANING
from lexlattice.evaluation.metrics.rouge import MEASURES
from lexlattice.evaluation.points import MEANINGS
from lexlattice.evaluation.run import Evaluation

_TITLES: Final = {"points": "points", "precision": "precision", "f1": "F1"} | {
    "rouge1": "R-1",
    "rouge2": "R-2",
    "rougeL": "R-L",
    "rougeLsum": "R-Lsum",
}
_COMPARED: Final = (*MEANINGS, "rouge1", "rouge2")
"""The measures in the table of comparisons; the JSON has all."""
_BASELINES: Final = ("lead", "random", "lexrank")
"""The baselines that every evaluation should include."""


def report(evaluation: Evaluation) -> str:
    """Format scores (by meaning first), comparisons with the first system, skipped rows and warnings."""
    parts = [
        f"{evaluation.acts:,} act{'' if evaluation.acts == 1 else 's'} · budget {evaluation.budget} · "
        f"profile {evaluation.profile} · mode {evaluation.mode} · F1 × 100 with 95 % bootstrap intervals"
    ]
    first = next(iter(evaluation.systems))
    keys = [*([MEANING] if MEANING in evaluation.systems[first] else []), *evaluation.tokenizers]
    parts += [_scores(evaluation, key) for key in keys]
    if evaluation.comparisons:
        shown = {MEANING, evaluation.tokenizers[0]}
        parts.append(_comparisons([item for item in evaluation.comparisons if item["tokenizer"] in shown], first))
    if missing := [name for name in _BASELINES if name not in evaluation.systems]:
        parts.append(f"Baselines not included: {', '.join(missing)}; add them with --system for comparison.")
    if evaluation.skipped:
        lines = [f"  line {row['line']}: {_celex(row)}{row['reason']}" for row in evaluation.skipped]
        parts.append("\n".join([f"Skipped ({len(lines)}):", *lines]))
    if evaluation.notes:
        parts.append("\n".join(f"Line {row['line']}: {_celex(row)}{row['note']}" for row in evaluation.notes))
    return "\n\n".join(parts)


def _scores(evaluation: Evaluation, key: str) -> str:
    measures = MEANINGS if key == MEANING else MEASURES
    header = [key, *(title for name in measures for title in (_TITLES[name], "")), "words", "s/act"]
    rows = []
    for name, system in evaluation.systems.items():
        cells = []
        for measure in measures:
            low, high = system[key]["ci"][measure]
            cells += [f"{system[key][measure]:.2f}", f"{low:.1f}–{high:.1f}"]
        rows.append([name, *cells, f"{system['words']:.0f}", f"{system['seconds']:.3f}"])
    return _aligned([header, *rows])


def _comparisons(comparisons: Iterable[dict[str, Any]], first: str) -> str:
    header = [f"against {first}", "", "", "difference", "", "p bootstrap", "p Wilcoxon"]
    rows = [
        [
            item["system"],
            item["tokenizer"],
            _TITLES[item["measure"]],
            f"{item['difference']:+.2f}",
            f"{item['ci'][0]:+.1f} to {item['ci'][1]:+.1f}",
            f"{item['p_bootstrap']:.4f}",
            f"{item['p_wilcoxon']:.2g}",
        ]
        for item in comparisons
        if item["against"] == first and item["measure"] in _COMPARED
    ]
    return _aligned([header, *rows])


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    """Align columns: the first to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        ).rstrip()
        for row in rows
    )


def _celex(row: dict[str, Any]) -> str:
    return f"{row['celex']}: " if row["celex"] else ""
