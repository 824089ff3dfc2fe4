"""What each part is worth: the same model with one thing changed, over seeds, act by act."""

from __future__ import annotations

import numpy as np

from lexlattice.errors import LexLatticeError
from lexlattice.experiments.points import MEANING_COLUMNS, cells, with_meaning
from lexlattice.experiments.study import ROUGE, Study, differences, name_of
from lexlattice.experiments.tables import Cell, Column, Table, row


def ablations(study: Study) -> list[Table]:
    """A table for each group of models, compared with the first of it, or in a chain with the one before.

    Systems that need no training stand beside them, if some are named.
    """
    if not study.settings.groups:
        raise LexLatticeError("Say which models are compared: [groups], and in it a list of names for each table.")
    languages = study.languages()
    names = list(dict.fromkeys(name for group in study.settings.groups.values() for name in group))
    trained = study.train(names, study.languages("train"))
    columns = (*(MEANING_COLUMNS if study.settings.gold else ()), *ROUGE)
    chief = "F1 by meaning" if study.settings.gold else "R-1"
    place_of_chief = [column.name for column in columns].index("F1" if study.settings.gold else "R-1")
    tables = []
    for title, members in study.settings.groups.items():
        lines, acts = [], 0
        for code in languages:
            found = {name: [one.on(code) for one in trained[name]] for name in members}
            scores = {name: with_meaning(results, name) for name, results in found.items()}
            acts += len(scores[members[0]])
            group = name_of(code) if len(languages) > 1 else ""
            for name in members:
                means = [with_meaning([results], name).mean(axis=0)[place_of_chief] for results in found[name]]
                spread = float(np.std(means, ddof=1)) if len(means) > 1 else None
                lines.append(row(name, *cells(scores[name]), Cell(spread), group=group))
            if study.settings.systems:
                others = study.systems(code)
                for name in others.scores:
                    lines.append(row(name, *cells(with_meaning([others], name)), None, group=group, competes=False))
            for place, name in enumerate(members[1:]):
                other = members[place if title in study.settings.chains else 0]
                change = differences(scores[name], scores[other])
                lines.append(row(f"{name}, less {other}", *change, None, group=group, competes=False))
        tables.append(
            Table(
                title,
                f"{'Meaning and ROUGE' if study.settings.gold else 'ROUGE'} F1 × 100 {study.length}; means over seeds.",
                (*columns, Column("between seeds", best=None)),
                tuple(lines),
                study.source(languages, acts),
                f"Trained on {study.settings.limit or 'all'} acts of each language; the last column is the standard "
                f"deviation of {chief} between seeds.",
                paper="The paper reports 1D and 2D on its test split only, with one seed.",
                head="Variant",
            )
        )
    return tables
