"""From some languages to others: trained on those with most acts and tried on the rest; and from one to another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lexlattice.errors import LexLatticeError
from lexlattice.experiments.published import paper, reported
from lexlattice.experiments.statistics import high_resource
from lexlattice.experiments.study import ORACLES, ROUGE, TOKENIZER, Study, cells, name_of, over_seeds
from lexlattice.experiments.tables import Cell, Column, Table, row
from lexlattice.metrics.significance import ratio_interval

_SECOND = 1
"""ROUGE-2 is the second measure: what retention is measured by."""


def held_out(study: Study) -> list[Table]:
    """Trained on the languages with most acts, tried on the others; beside a model trained on all."""
    languages = study.languages("train")
    if len(languages) < 2:
        raise LexLatticeError(
            f"'{study.workshop.corpus.name}' has acts to learn from in {name_of(languages[0])} only; give data in two "
            "languages at least."
        )
    high = high_resource({code: study.workshop.corpus.count(code, "train") for code in languages})
    low = [code for code in languages if code not in high]
    name = study.only_model
    ours = [code for code in languages if code in high]
    transfer, joint = (study.train([name], some)[name] for some in (ours, languages))
    found = []
    for code in low:
        there, everywhere = (
            over_seeds([one.on(code) for one in models], name)[:, _SECOND] for models in (transfer, joint)
        )
        interval = ratio_interval(there, everywhere)
        found.append((code, there, everywhere, Cell(float(there.mean() / everywhere.mean()), interval)))
    found.sort(key=lambda entry: -(entry[3].value or 0))
    lines = []
    for code, there, everywhere, retention in found:
        known = reported("held_out", code)
        papers = [*known, known[0] / known[1]] if known else [None] * 3
        lines.append(
            row(
                name_of(code),
                Cell(float(there.mean()), paper=papers[0]),
                Cell(float(everywhere.mean()), paper=papers[1]),
                replace(retention, paper=papers[2]),
            )
        )
    means = [float(np.mean([line.cells[i].value for line in lines])) for i in range(3)]
    lines.append(row("Mean", *means, competes=False))
    acts = sum(len(there) for _, there, _, _ in found)
    return [
        Table(
            "Held-out languages",
            f"ROUGE-2 of {name}, trained on {', '.join(ours)} alone (transfer) and on all languages (joint).",
            tuple(Column(title, best=None, digits=digits) for title, digits in _COLUMNS),
            tuple(lines),
            study.source(low, acts),
            "Retention is transfer / joint; sorted by it.",
            paper="The paper's figures are those of its test split and of mT5-base.",
            head="Language",
        )
    ]


_COLUMNS = (("Transfer", 2), ("Joint", 2), ("Retention", 3))


def across(study: Study) -> list[Table]:
    """Trained and chosen on one language, tried on another, beside a model that learnt from that one."""
    source, target = study.settings.source, study.settings.target
    if not source or not target:
        raise LexLatticeError('Say which language to learn from and which to try: source = "en", target = "es".')
    name = study.only_model
    lines = []
    for label, language in ((f"{name}, {source} (zero-shot)", source), (f"{name}, {target} (supervised)", target)):
        if study.workshop.corpus.source(language, "train") is None:
            raise LexLatticeError(f"There is nothing to learn from in '{language}' in '{study.workshop.corpus.name}'.")
        results = [one.on(target) for one in study.train([name], [language])[name]]
        lines.append(row(label, *cells(over_seeds(results, name)), competes=language == source))
    others = study.systems(target)
    for system, scores in others.scores.items():
        lines.append(row(system, *cells(scores[TOKENIZER]), competes=system not in ORACLES))
    for label, figures in paper()["across"].get(f"{source}-{target}", {}).items():
        lines.append(row(label, *figures[:3], None, competes=False, group="in the paper (test split)"))
    return [
        Table(
            f"{name_of(source)} → {name_of(target)}",
            f"Tried on {name_of(target)}, of which the first model has seen nothing.",
            ROUGE,
            tuple(lines),
            study.source([target], len(others.celex)),
            "Systems without training read the target's own acts.",
            paper="The paper's rows are of its test split.",
        )
    ]
