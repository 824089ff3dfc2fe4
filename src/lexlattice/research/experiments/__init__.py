"""The tables and figures of the paper, and those it has not: each an experiment with a name and a file of settings.

What an experiment makes goes into a folder: every table as JSON, Markdown and LaTeX, and whatever was prepared, trained
and measured on the way, from which a run that was ended goes on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lexlattice.errors import OptionError

if TYPE_CHECKING:
    from lexlattice.research.experiments.study import Run
    from lexlattice.research.experiments.tables import Table

EXPERIMENTS: Final = {
    "statistics": "how many acts, words, sections and units each language has",
    "meaning": "points and precision against gold annotations, at several lengths",
    "main": "all systems on all languages, at equal length",
    "held-out": "trained on the languages with most acts, tried on the others",
    "across": "trained on one language, tried on another",
    "carrying": "chosen in another language, scored in English: transfer without summaries there",
    "ablations": "the same model with one thing changed",
    "wiring": "parts of the network of meaning, by points and precision on validation, over seeds",
    "judge": "coverage and relevance of what is chosen, by a language model that knows no names",
    "figures": "an act on its lattice, salience step by step, systems by language, trainings",
}


def run_experiment(
    name: str,
    config: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    command: str = "",
    jobs: int = 1,
    note: Callable[[str], None] = lambda sentence: None,
) -> list[Table]:
    """Run one of the `EXPERIMENTS` as a file of settings says; its tables are in the folder too."""
    if name not in EXPERIMENTS:
        raise OptionError(f"There is no experiment '{name}'; choose one of: {', '.join(EXPERIMENTS)}.")
    from lexlattice._internal.files import writing
    from lexlattice.research.experiments.corpus import Corpus
    from lexlattice.research.experiments.runner import Workshop
    from lexlattice.research.experiments.settings import read_settings
    from lexlattice.research.experiments.study import Study

    settings, target = read_settings(config), Path(folder)
    workshop = Workshop(target, Corpus.named(settings.data), settings.limit, acts=settings.acts, jobs=jobs, note=note)
    place = target / Path(config).stem  # several files of settings may be of the same experiment
    with writing(place):  # before hours of work, not after them
        place.mkdir(parents=True, exist_ok=True)
    called = command or f"lexlattice experiment {name} --config {Path(config).name}"
    tables = _found(name)(Study(settings, workshop, called))
    for number, table in enumerate(tables, 1):
        table.save(place, str(number))
    return tables


def _found(name: str) -> Run:
    from lexlattice.research.experiments.ablations import ablations, wiring
    from lexlattice.research.experiments.comparison import comparison
    from lexlattice.research.experiments.judged import judged
    from lexlattice.research.experiments.plots import figures
    from lexlattice.research.experiments.points import points
    from lexlattice.research.experiments.statistics import statistics
    from lexlattice.research.experiments.transfer import across, carrying, held_out

    return {
        "statistics": statistics,
        "meaning": points,
        "main": comparison,
        "held-out": held_out,
        "across": across,
        "carrying": carrying,
        "ablations": ablations,
        "wiring": wiring,
        "judge": judged,
        "figures": figures,
    }[name]
