"""The paper's salience panels: an act on its lattice before the first step of the *paper's* model and after each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lexlattice import encoding
from lexlattice._internal.weights import read_weights
from lexlattice.act.document import Act
from lexlattice.evaluation.sources import ACT, LANGUAGE, SUMMARY
from lexlattice.lattice.paper import FORMAT
from lexlattice.reading import read
from lexlattice.rendering.figures import plot_salience, save_figure
from lexlattice.research.experiments.study import Study
from lexlattice.research.experiments.trajectories import Source, chosen_by_scores, trajectory
from lexlattice.training.run import MODEL

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_panels(study: Study, row: Mapping[str, object], names: Collection[str], folder: Path) -> None:
    """Draw `salience-NAME.svg` for the trained paper models of these names that are in the study's folder.

    Stars are on what is chosen at the length of the summary. Colours are normalized over the whole trajectory, as in
    the paper.

    Args:
        study: The run of the experiment.
        row: The act and its summary.
        names: Of models, as in tables.
        folder: For the figures.

    """
    act = read(f"{row[ACT]}\n", language=str(row[LANGUAGE]), format="text", profile="paper")
    paths = sorted((study.runner.folder / "models").glob(f"*/seed-0/{MODEL}"))
    folders = {"".join(letter if letter.isalnum() else "-" for letter in name) for name in names}
    models = {path: path.parent.parent.name.rpartition("-") for path in paths}
    counts = Counter(name for name, _, _ in models.values())
    for path, (name, _, key) in models.items():
        about = read_weights(path).about
        if name in folders and about.get("format") == FORMAT and about.get("geometry") != "none":
            label = name if counts[name] == 1 else f"{name}-{key}"  # several models may have the same name
            encoder = study.settings.encoder or encoding.require_builtin(about.get("encoder") or "static")
            options = study.runner.encoder_options(encoder)
            source = Source(name, "paper", weights=str(path), encoder=encoder, options=options)
            figure = _drawn(source, act, len(str(row[SUMMARY]).split()))
            save_figure(figure, folder / f"salience-{label}.svg")


def _drawn(source: Source, act: Act, words: int) -> Figure:
    panels, _ = trajectory(source, act)
    is_chosen = chosen_by_scores(source, act, panels[-1], words)
    chosen = {unit.id for unit, is_taken in zip(act.units, is_chosen, strict=True) if is_taken}
    low, high = panels.min(), panels.max()
    return plot_salience(act, (panels - low) / ((high - low) or 1), chosen)
