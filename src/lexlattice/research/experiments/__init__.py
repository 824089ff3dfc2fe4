"""The experiments behind the tables and figures of the paper and of the documentation.

An experiment has a name and a settings file. Its tables are written to a folder as JSON, Markdown and LaTeX, together
with everything that was prepared, trained and measured on the way, so that an interrupted run resumes from there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lexlattice.errors import OptionError

if TYPE_CHECKING:
    from lexlattice.research.experiments.study import Run
    from lexlattice.research.experiments.tables import Table

EXPERIMENTS: Final = {
    "statistics": "acts, words, sections and units of each language",
    "meaning": "points and precision against gold annotations, at several lengths",
    "main": "all systems on all languages, at equal length",
    "held-out": "trained on the languages with most acts, tested on the others",
    "across": "trained on one language, tested on another",
    "transfer": "selected in another language, projected onto English and scored there",
    "ablations": "the same model with one thing changed",
    "architecture": "parts of the network, by points and precision on validation, over seeds",
    "dynamics": "salience by step, and whether what is chosen lies together",
    "judge": "coverage and relevance of extracts, judged blindly by a language model",
    "figures": "an act on its lattice, salience by step, systems by language, training curves",
}
"""All experiments by name, each with a description."""

# Import strings, so that listing the experiments does not load them.
_FUNCTIONS: Final = {
    "statistics": "statistics:statistics",
    "meaning": "points:points",
    "main": "comparison:comparison",
    "held-out": "transfer:held_out",
    "across": "across:across",
    "transfer": "transfer:transfer",
    "ablations": "ablations:ablations",
    "architecture": "ablations:architecture",
    "dynamics": "dynamics:dynamics",
    "judge": "judged:judged",
    "figures": "plots:figures",
}


def run_experiment(
    name: str,
    config: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    command: str = "",
    changes: Mapping[str, object] | None = None,
    jobs: int = 1,
    device: str = "auto",
    note: Callable[[str], None] = lambda sentence: None,
    progress: bool = False,
) -> list[Table]:
    """Run an experiment and write its tables.

    Args:
        name: One of `EXPERIMENTS`.
        config: The settings: the name of packaged ones, or a file.
        folder: The folder for tables and intermediate results; work that is already there is not repeated.
        command: The command that tables name as their source.
        changes: Settings that replace those of the file, by name.
        jobs: Worker processes.
        device: Where transformers encode and models are trained: `auto`, `cpu`, `cuda` or `mps`.
        note: Called with progress messages.
        progress: Whether to show the progress of whatever takes long, as bars on a terminal and with `note` elsewhere.

    Returns:
        The tables, which are also in a subfolder with the name of the settings.

    Raises:
        OptionError: There is no such experiment or device.
        ConfigError: The settings are not valid.
        DataError: The data are missing or do not suffice.
        MissingExtraError: The settings ask for something that is not installed, such as stemming.

    """
    if name not in EXPERIMENTS:
        raise OptionError(f"There is no experiment '{name}'; choose one of: {', '.join(EXPERIMENTS)}.")
    from lexlattice._internal.files import writing
    from lexlattice.encoding.tokens import STEMMED, tokenizer
    from lexlattice.research.experiments.corpus import Corpus
    from lexlattice.research.experiments.runner import Runner
    from lexlattice.research.experiments.settings import read_settings, settings_name
    from lexlattice.research.experiments.study import Study

    settings, target = read_settings(config, changes or {}), Path(folder)
    if settings.stemming:
        tokenizer(STEMMED[0])  # fail before hours of work if the stemmer is not installed
    runner = Runner(
        target,
        Corpus.named(settings.data),
        settings.limit,
        acts=settings.acts,
        jobs=jobs,
        device=device,
        cache_limit=None if settings.cache_limit is None else int(settings.cache_limit * 1e9),
        note=note,
        progress=progress,
    )
    title = settings_name(config)  # several settings files may belong to the same experiment
    place = target / title
    with writing(place):  # fail before hours of work, not after them
        place.mkdir(parents=True, exist_ok=True)
    called = (
        command or f"lexlattice experiment {name} --config {Path(config).name if Path(config).is_file() else title}"
    )
    module, _, function = _FUNCTIONS[name].partition(":")
    run: Run = getattr(import_module(f"{__name__}.{module}"), function)
    tables = run(Study(settings, runner, called, title))
    for number, table in enumerate(tables, 1):
        table.save(place, str(number))
    return tables
