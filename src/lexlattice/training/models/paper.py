"""The paper's model as a `TrainableModel`: its losses, rollouts and selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lexlattice._internal.weights import write_weights
from lexlattice.errors import DataError, TrainingError
from lexlattice.lattice.grid import Lattice, joined
from lexlattice.lattice.paper import FORMAT
from lexlattice.reading import LANGUAGES
from lexlattice.selection import Budget, select
from lexlattice.training import rloo
from lexlattice.training.config import Config, PaperShape
from lexlattice.training.losses import batch_warm_start_loss
from lexlattice.training.models.automaton import Consolidator
from lexlattice.training.prepared import Example
from lexlattice.training.trainable import Rollouts


class TrainablePaperModel:
    """The paper's consolidator; its initial weights depend on the seed alone."""

    def __init__(self, config: Config, training: Sequence[Example] = ()) -> None:
        """`training` is not used: this model does not scale its features."""
        assert isinstance(config.model, PaperShape)
        self._config, self._shape = config, config.model
        self._budget = Budget.parse(config.selection.budget)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.module = Consolidator(self._shape, config.encoder.dimensions)

    def scores(self, examples: Sequence[Example]) -> Tensor:
        """Return the scores of all units of these acts, concatenated."""
        shape = self._shape
        for example in examples:
            self._check(example)
        units = np.concatenate([example.vectors for example in examples], dtype=np.float32)
        vectors = torch.from_numpy(units).to(self._device)
        lattice = joined(Lattice.of(e.act, shape.geometry, shape.rows, shape.columns) for e in examples)
        scores: Tensor = self.module(vectors, lattice, self._languages(examples))
        return scores

    def loss(self, examples: Sequence[Example]) -> Tensor:
        """Stage 1: the mean of the Plackett–Luce and membership losses."""
        sizes, orders = [len(e.act) for e in examples], [e.order for e in examples]
        stage = self._config.warm_start
        return batch_warm_start_loss(self.scores(examples), sizes, orders, stage.bce, stage.listwise)

    def rollouts(self, example: Example, count: int, generator: torch.Generator) -> Rollouts:
        """Stage 2: extracts sampled by the scores."""
        budget = self._budget.of(example.act.words, example.summary)
        return rloo.rollouts(self.scores([example]), example.act, budget, count, generator)

    def extract(self, example: Example, words: int) -> str:
        """Return the units with the highest scores, cut to the budget."""
        with torch.no_grad():
            scores = self.scores([example]).numpy(force=True)
        if not np.isfinite(scores).all():
            raise TrainingError("The scores are not finite; train again with a lower learning rate.")
        return select(example.act, scores, words, mode=self._config.selection.mode).text

    def save(self, path: Path, about: Mapping[str, str]) -> None:
        """Write the file that `lexlattice.lattice.Consolidator` reads."""
        shape = self._shape
        sizes = {"rows": shape.rows, "columns": shape.columns, "steps": shape.steps}
        metadata = {"format": FORMAT, "geometry": shape.geometry} | {key: str(size) for key, size in sizes.items()}
        if shape.language_embedding:
            metadata["languages"] = " ".join(LANGUAGES)
        arrays = {name: tensor.numpy(force=True) for name, tensor in self.module.state_dict().items()}
        write_weights(path, arrays, {**about, **metadata})

    def _languages(self, examples: Sequence[Example]) -> Tensor | None:
        """The embedding index of each unit's language; None without an embedding."""
        if not self._shape.language_embedding:
            return None
        for example in examples:
            if example.act.language not in LANGUAGES:
                raise DataError(f"The act on line {example.line} is not in an official EU language; remove it.")
        indices = [LANGUAGES.index(example.act.language) for example in examples]
        of_units = torch.from_numpy(np.repeat(indices, [len(example.act) for example in examples]))
        return of_units.to(self._device)

    @property
    def _device(self) -> torch.device:
        return next(self.module.parameters()).device

    def _check(self, example: Example) -> None:
        """Raise DataError for an act that was prepared with another encoder."""
        given, wanted = example.vectors.shape, (len(example.act), self._config.encoder.dimensions)
        if given != wanted:
            raise DataError(
                f"The act on line {example.line} has {given[0]:,} vectors of {given[1]:,} dimensions, not "
                f"{wanted[0]:,} of {wanted[1]:,}; prepare the data with the encoder '{self._config.encoder.name}'."
            )
