"""Transfer between languages: selection without summaries in the target language, and training on other languages.

For selection, units are selected in another language and projected onto the English version, which is scored against
the English summary and compared with selecting on the English version directly. For acts without any summary, the
agreement of the selections is measured.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from lexlattice.act.document import Act
from lexlattice.errors import DataError
from lexlattice.evaluation.metrics.rouge import Reference
from lexlattice.evaluation.metrics.significance import confidence_interval, rank_correlation, ratio_interval
from lexlattice.multilingual.alignment import align
from lexlattice.multilingual.versions import project_extract
from lexlattice.reading import read
from lexlattice.research import load
from lexlattice.research.experiments.statistics import high_resource, reported
from lexlattice.research.experiments.study import Study, name_of, over_seeds
from lexlattice.research.experiments.tables import Cell, Column, Source, Table, row
from lexlattice.selection import Budget
from lexlattice.summarizer import PATH, Summarizer

_MEASURES: Final = ("rouge1", "rouge2", "rougeLsum")
_MARGIN: Final = 1.2
"""Counterparts may be shorter: select somewhat more than the budget, and drop the last ones after projection."""
_FRENCH: Final = "fr-acts-en-summaries/train-validation.jsonl.gz"
_VERSIONS: Final = "../acts/multi-eurlex.jsonl.gz"


def transfer(study: Study) -> list[Table]:
    """Retention on French acts with English summaries, and agreement on acts in many languages, as the data allow."""
    folder = Path(study.runner.corpus.place)
    summarizer = load(study.settings.systems[0] if study.settings.systems else PATH)
    tables = []
    if (folder / _FRENCH).is_file():
        tables.append(_retention(study, summarizer, folder / _FRENCH))
    if (folder / _VERSIONS).is_file():
        tables.append(_agreement(study, summarizer, folder / _VERSIONS))
    if not tables:
        raise DataError(f"There is neither '{_FRENCH}' nor '{_VERSIONS}' in '{study.runner.corpus.name}'.")
    return tables


def _retention(study: Study, summarizer: Summarizer, path: Path) -> Table:
    rows = study.runner.tracked(list(_rows(path)), "selecting on French")
    found = [(row["split"], row["line_aligned"], _scores(summarizer, row)) for row in rows]
    lines, acts = [], 0
    for name, some in (
        ("validation acts", [scores for split, _, scores in found if split == "validation"]),
        ("… versions that agree line by line", [s for split, lines, s in found if split == "validation" and lines]),
        ("both splits, versions that agree line by line", [scores for _, lines, scores in found if lines]),
    ):
        if not some:
            continue
        table = np.array(some)
        english, french, round_trip = (table[:, place] for place in range(3))
        base = [float(value) for value in english.mean(axis=0)]
        lines.append(
            row(name, float(len(some)), *base, *_retained(french, english), *_retained(round_trip, english)[:2])
        )
        acts = max(acts, len(some))
    return Table(
        "Selected on French, scored in English",
        "ROUGE F1 × 100 of selecting on the English version, and the share that selecting on the French one retains.",
        (
            Column("acts", best=None, digits=0),
            *(Column(f"{name} on English", best=None) for name in ("R-1", "R-2", "R-Lsum")),
            *(Column(f"{name} retained", best=None, digits=3) for name in ("R-1", "R-2", "R-Lsum")),
            *(Column(f"{name} round trip", best=None, digits=3) for name in ("R-1", "R-2")),
        ),
        tuple(lines),
        Source(study.command, f"{study.runner.corpus.name}/{_FRENCH}", (), acts),
        "The model was trained on English acts only: this is zero-shot, and needs no French summary. Both splits "
        "include acts that it was trained on, in English. Round trip: selected on the English version, projected onto "
        "the French one and back, which isolates the loss by projection.",
        paper="The paper has no such measure; its retention compares two models on summaries of the target language.",
        interval="95 % bootstrap interval over acts, of the ratio of means",
        head="Acts",
    )


def _retained(scores: np.ndarray, baseline: np.ndarray) -> list[Cell]:
    """The ratio of mean scores with its interval, for each measure."""
    shares = scores.mean(axis=0) / baseline.mean(axis=0)
    return [Cell(float(share), ratio_interval(scores[:, i], baseline[:, i])) for i, share in enumerate(shares)]


def _scores(summarizer: Summarizer, entry: dict[str, Any]) -> list[list[float]]:
    """Scores of selecting on English, of selecting on French, and of English projected onto French and back."""
    english, french = (_act(entry[f"reference_{language}"], language) for language in ("en", "fr"))
    reference = Reference(entry["summary_en"], "compat")
    budget = len(entry["summary_en"].split())
    order = summarizer.rank(french, int(_MARGIN * budget * french.words / english.words))
    to_english, to_french = align(french, english), align(english, french)
    projected = project_extract((french.units[unit] for unit in order), english, to_english, budget)
    ranked = [english.units[unit].id for unit in summarizer.rank(english, int(_MARGIN * budget))]
    french_units = (french[name] for unit in ranked for name in to_french.pairs.get(unit, ()))
    round_trip = project_extract(french_units, english, to_english, budget)
    texts = summarizer.extract(english, budget).text, projected.text, round_trip.text
    return [[100 * reference.score(text)[name].f1 for name in _MEASURES] for text in texts]


def _agreement(study: Study, summarizer: Summarizer, path: Path) -> Table:
    shares: dict[str, list[tuple[float, ...]]] = {}
    acts = 0
    for entry in study.runner.tracked(list(_rows(path)), "selecting in all languages"):
        acts += 1
        versions = {language: _act(text, language) for language, text in entry["text"].items()}
        english = versions.pop("en")
        official = Budget().of(english.words) / english.words
        for language, act in versions.items():
            agreed = [_shared(summarizer, english, act, share) for share in (official, 0.1)]
            shares.setdefault(language, []).append((*agreed, _correlation(summarizer, english, act)))
    lines = []
    for language, values in sorted(shares.items()):
        table = np.array(values)
        low, high = confidence_interval(table)
        figures = [Cell(float(table[:, i].mean()), (float(low[i]), float(high[i]))) for i in range(table.shape[1])]
        lines.append(row(name_of(language), float(len(values)), *figures))
    for name, of in (("Mean of languages", np.mean), ("Least", np.min)):
        figures = [Cell(float(of([line.cells[i].value for line in lines]))) for i in range(1, 4)]
        lines.append(row(name, None, *figures, competes=False))
    return Table(
        "Agreement with the English selection",
        "The share of units selected in English whose counterparts are selected in another language, and Spearman's "
        "rank correlation of the scores of corresponding units.",
        (
            Column("acts", best=None, digits=0),
            Column("at official length", best=None, digits=3),
            Column("at a tenth of the act", best=None, digits=3),
            Column("rank correlation", best=None, digits=3),
        ),
        tuple(lines),
        Source(study.command, "acts/multi-eurlex", (), acts),
        "Many of these acts are short: the official length is half of the act, and a tenth is three or four units.",
        paper="The paper has no such measure.",
        head="Language",
    )


def _shared(summarizer: Summarizer, english: Act, act: Act, share: float) -> float:
    """The share of units selected in English that have a selected counterpart."""
    chosen = {unit.id for unit in summarizer.extract(english, max(1, round(share * english.words))).units}
    counterparts = align(act, english).pairs
    selected = summarizer.extract(act, max(1, round(share * act.words))).units
    return len(chosen & {name for unit in selected for name in counterparts.get(unit.id, ())}) / max(1, len(chosen))


def _correlation(summarizer: Summarizer, english: Act, act: Act) -> float:
    """The rank correlation of the scores of corresponding units."""
    scores = dict(zip((unit.id for unit in english), summarizer.score(english).tolist(), strict=True))
    counterparts = align(act, english).pairs
    pairs = [
        (float(score), float(np.mean([scores[name] for name in counterparts[unit.id]])))
        for unit, score in zip(act.units, summarizer.score(act), strict=True)
        if unit.id in counterparts
    ]
    return rank_correlation(*np.array(pairs).T) if pairs else 0.0


def _act(text: str, language: str) -> Act:
    return read(f"{text}\n", language=language, format="text")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


# Training on other languages

_ROUGE_2 = 1
"""The column of ROUGE-2, by which retention is measured."""


def held_out(study: Study) -> list[Table]:
    """Compare a model trained on the languages with most acts with one trained on all, on the other languages."""
    languages = study.languages("train")
    if len(languages) < 2:
        raise DataError(
            f"'{study.runner.corpus.name}' has training acts in {name_of(languages[0])} only; give data in at "
            "least two languages."
        )
    high = high_resource({code: study.runner.corpus.count(code, "train") for code in languages})
    low = [code for code in languages if code not in high]
    name = study.only_model
    trained_on = [code for code in languages if code in high]
    zero_shot, joint = (study.train([name], some)[name] for some in (trained_on, languages))
    found = []
    for code in low:
        transferred, jointly = (
            over_seeds([one.on(code) for one in models], name)[:, _ROUGE_2] for models in (zero_shot, joint)
        )
        interval = ratio_interval(transferred, jointly)
        found.append((code, transferred, jointly, Cell(float(transferred.mean() / jointly.mean()), interval)))
    found.sort(key=lambda entry: -(entry[3].value or 0))
    lines = []
    for code, transferred, jointly, retention in found:
        known = reported("held_out", code)
        papers = [*known, known[0] / known[1]] if known else [None] * 3
        lines.append(
            row(
                name_of(code),
                Cell(float(transferred.mean()), paper=papers[0]),
                Cell(float(jointly.mean()), paper=papers[1]),
                replace(retention, paper=papers[2]),
            )
        )
    means = [float(np.mean([line.cells[i].value for line in lines])) for i in range(3)]
    lines.append(row("Mean", *means, competes=False))
    acts = sum(len(scores) for _, scores, _, _ in found)
    return [
        Table(
            "Held-out languages",
            f"ROUGE-2 of {name}, trained on {', '.join(trained_on)} only (transfer) and on all languages (joint).",
            tuple(Column(title, best=None, digits=digits) for title, digits in _COLUMNS),
            tuple(lines),
            study.source(low, acts),
            "Retention is transfer / joint; sorted by it.",
            paper="The paper's figures are those of its test split and of mT5-base.",
            head="Language",
        )
    ]


_COLUMNS = (("Transfer", 2), ("Joint", 2), ("Retention", 3))
