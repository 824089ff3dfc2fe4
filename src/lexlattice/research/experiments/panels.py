"""The paper's salience panels: an act on its lattice before the first step of the *paper's* model and after each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

from lexlattice import encoding
from lexlattice._internal.weights import read_weights
from lexlattice.errors import DataError
from lexlattice.evaluation.rows import BadRow, Row, Rows, act_of
from lexlattice.lattice.paper import FORMAT
from lexlattice.rendering.figures import plot_salience, save_figure
from lexlattice.research.experiments.study import Study
from lexlattice.research.experiments.trajectories import Source, chosen_by_scores, trajectory
from lexlattice.training.run import MODEL


def draw_panels(study: Study, names: Collection[str], folder: Path) -> None:
    """Draw `salience-NAME.svg` for the trained paper models of these names that are in the study's folder.

    The act is the first of the split, in the first language; its stars are what is chosen at the length of its summary.
    Colours are normalized over the whole trajectory, as in the paper.
    """
    paths = sorted((study.runner.folder / "models").glob(f"*/seed-0/{MODEL}"))
    folders = {"".join(letter if letter.isalnum() else "-" for letter in name) for name in names}
    models = {path: path.parent.parent.name.rpartition("-") for path in paths}
    counts = Counter(name for name, _, _ in models.values())
    for path, (name, _, key) in models.items():
        about = read_weights(path).about
        if name in folders and about.get("format") == FORMAT and about.get("geometry") != "none":
            label = name if counts[name] == 1 else f"{name}-{key}"  # several models may have the same name
            encoder = study.settings.encoder or encoding.require_builtin(about.get("encoder") or "static")
            source = Source(name, "paper", weights=str(path), encoder=encoder)
            _draw(study, source, folder / f"salience-{label}.svg")


def _draw(study: Study, source: Source, path: Path) -> None:
    language, split = study.languages()[0], study.settings.split
    rows = Rows(study.runner.corpus.source(language, split) or "", split=split)
    first = next((item for item in rows if isinstance(item, Row)), None)
    act = None if first is None else act_of(first, source.profile, language)
    if first is None or act is None or isinstance(act, BadRow):
        raise DataError(f"The first act of the {split} split in '{language}' cannot be read; name another language.")
    panels, _ = trajectory(source, act)
    is_chosen = chosen_by_scores(source, act, panels[-1], len(first.summary.split()))
    chosen = {unit.id for unit, is_taken in zip(act.units, is_chosen, strict=True) if is_taken}
    low, high = panels.min(), panels.max()
    save_figure(plot_salience(act, (panels - low) / ((high - low) or 1), chosen), path)
