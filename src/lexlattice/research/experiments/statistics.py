"""Statistics of the data by language (the paper's first table), and the figures that the paper reports."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from statistics import fmean
from typing import Any, Final

from lexlattice.encoding.tokens import tokenizer
from lexlattice.errors import DataError
from lexlattice.evaluation.rows import BadRow, Row, Rows, act_of
from lexlattice.research.experiments.study import Study, name_of
from lexlattice.research.experiments.tables import Cell, Column, Table, row


@cache
def paper() -> dict[str, Any]:
    """The paper's figures by table, from `paper.toml`."""
    return tomllib.loads(files(__package__).joinpath("paper.toml").read_text("utf-8"))


def reported(table: str, *keys: str) -> list[Any]:
    """The paper's figures of a row; empty if the paper has no such row."""
    found: Any = paper()[table]
    for key in keys:
        found = found.get(key, {})
    return list(found)


_COLUMNS = (
    Column("Tier", best=None, align="left"),
    *(Column(name, best=None, digits=0) for name in ("Training", "Validation", "Words", "Summary words")),
    *(Column(name, best=None, digits=1) for name in ("Sections", "Units")),
)
_PAPER: Final = (
    "The paper does not say how it counts words, and its parser is not published. In English, words counted in this "
    "way agree with its figures; words between spaces do not."
)


def statistics(study: Study) -> list[Table]:
    """Count acts, words, sections and units of the training split by language."""
    languages = study.languages("train")
    counts = {code: study.runner.corpus.count(code, "train") for code in languages}
    high = high_resource(counts)
    lines, total = [], 0
    for code in languages:
        words, summary, sections, units = _means(study, code)
        known = reported("statistics", code) if study.settings.profile == "paper" else []
        papers = [None, *known[1:2], None, *known[2:]] if known else [None] * len(_COLUMNS)
        measured = (counts[code], study.runner.corpus.count(code, "validation"), words, summary, sections, units)
        figures = [Cell(float(value), paper=paper) for value, paper in zip(measured, papers[1:], strict=True)]
        lines.append(row(name_of(code), "H" if code in high else "L", *figures))
        total += counts[code]
    means = [fmean(value for line in lines if (value := line.cells[i].value) is not None) for i in range(3, 7)]
    lines.append(row("Total / mean", "", float(total), None, *means, competes=False))
    return [
        Table(
            "Dataset statistics",
            f"Means over the training split, read with the profile '{study.settings.profile}'; H and L: languages "
            "with more and with fewer training acts than the median.",
            _COLUMNS,
            tuple(lines),
            study.source(languages, total, ()),
            "Words are runs of letters and digits (\\w+) in the units of an act and in its summary; the profile "
            "decides which lines are units.",
            paper=_PAPER if study.settings.profile == "paper" else "The paper counts units of its own reading.",
            head="Language",
        )
    ]


def high_resource(counts: dict[str, int]) -> set[str]:
    """The half of the languages with the most training acts; ties are broken by language code."""
    order = sorted(counts, key=lambda code: (-counts[code], code))
    return set(order[: max(1, len(order) // 2)])


def _means(study: Study, language: str) -> tuple[float, float, float, float]:
    """Mean words of acts and of summaries, sections and units.

    Words are the tokens that ROUGE counts, not those between spaces: punctuation that stands alone, as in lists and
    tables, is no word, and `2024/9001` is two.
    """
    words_of, found = tokenizer("unicode"), []
    rows = Rows(study.runner.corpus.source(language, "train") or "", split="train")
    for item in study.runner.tracked(rows, f"reading {language}"):
        if not isinstance(item, Row):
            continue
        act = act_of(item, study.settings.profile, language)
        if not isinstance(act, BadRow):
            in_units = sum(len(words_of(unit.text)) for unit in act)
            found.append((in_units, len(words_of(item.summary)), len(act.sections), len(act)))
    if not found:
        raise DataError(f"The training split of '{language}' has no readable act; leave the language out.")
    words, summary, sections, units = zip(*found, strict=True)
    return fmean(words), fmean(summary), fmean(sections), fmean(units)
