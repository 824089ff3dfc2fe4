"""The figures: an act on its lattice, salience step by step, systems by language, and how trainings went."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

from lexlattice.act import Act
from lexlattice.corpus.sources import ACT
from lexlattice.errors import LexLatticeError
from lexlattice.experiments.study import Study
from lexlattice.experiments.tables import Table
from lexlattice.reading import read
from lexlattice.summarizer import shipped

_SHOWN: Final = ("lexrank", "lead", "2D", "lexlattice")
"""Systems of the main table that are drawn, the one that others are compared with first."""
_MAIN: Final = Path("main", "1.json")


def figures(study: Study) -> list[Table]:
    """Draw all that can be drawn of what earlier experiments left in the folder; figures are no tables."""
    from lexlattice.plotting import plot_comparison, plot_curves, plot_lattice, plot_salience, save_figure

    folder = study.workshop.folder / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    act = _first(study)
    chosen = {item.id for item in shipped().summarize(act)}
    save_figure(plot_lattice(act), folder / "lattice.svg")
    save_figure(plot_salience(act, shipped().trajectory(act), chosen), folder / "salience.svg")
    path = study.workshop.folder / _MAIN
    if not path.is_file():
        raise LexLatticeError("There is no main table in the folder yet; make it first: lexlattice experiment main.")
    table = Table.from_json(path.read_bytes())
    scores: dict[str, dict[str, float]] = {}
    for language, lines in table.groups.items():
        found = {line.name: line.cells[0].value for line in lines}
        scores[language] = {name: value for name in _SHOWN if (value := found.get(name)) is not None}
    figure = plot_comparison(scores, "R-1", "Systems by language", f"The {study.settings.split} split.")
    save_figure(figure, folder / "comparison.svg")
    logs = sorted((study.workshop.folder / "models").glob("*/seed-0/log.csv"))
    models = [log.parent.parent.name.rpartition("-") for log in logs]
    names = Counter(name for name, _, _ in models)
    for log, (name, _, key) in zip(logs, models, strict=True):
        own = name if names[name] == 1 else f"{name}-{key}"  # several may be called alike
        save_figure(plot_curves(log, f"Training {name}"), folder / f"training-{own}.svg")
    study.workshop.note(f"figures: {', '.join(sorted(path.name for path in folder.glob('*.svg')))}")
    return []


def _first(study: Study) -> Act:
    """The first act of the split, in the first language."""
    language = study.languages()[0]
    (row,) = study.workshop.corpus.rows([language], study.settings.split, 1)
    return read(f"{row[ACT]}\n", language=language, format="text")
