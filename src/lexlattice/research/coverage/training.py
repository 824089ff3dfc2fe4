"""The research system `coverage` in training: its network, losses and decoder, as the loop wants them.

Stage 1 learns three things at once from an act and its summary: how often the summary has each word and pair of the
act, and in which order the oracle takes units. Stage 2 draws extracts through the decoder itself, so that what is
reinforced is what will be emitted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from lexlattice._internal.weights import write_weights
from lexlattice.encoding.static import Static
from lexlattice.encoding.tokens import tokenizer
from lexlattice.lattice.grid import Lattice
from lexlattice.research.coverage.decoder import PAIR_COUNTS, SALIENCE, WORD_COUNTS, Chances, Coverage, cover
from lexlattice.research.coverage.features import Features, Floats, Integers, features_of
from lexlattice.research.coverage.model import FORMAT, SCALES
from lexlattice.research.coverage.network import Inputs, Outputs, Salience, Widths
from lexlattice.training.config import Config, CoverageShape
from lexlattice.training.losses import stage_one
from lexlattice.training.prepared import Example
from lexlattice.training.trainable import Rollouts

# Extracts drawn through the decoder of expected coverage, and how likely each was.

TEMPERATURE: Final = 0.02
"""How far a draw may fall short of the best: units are worth up to about 1 for a word."""


class Draw(NamedTuple):
    """An extract that was drawn: its units in the order in which they were."""

    order: list[int]
    log_likelihood: float
    by_salience: Floats
    """How the log-likelihood grows with the salience of each unit; what a unit adds is taken as it was."""


def drawn(coverage: Coverage, lengths: Integers, budget: int, source: np.random.Generator) -> Draw:
    """One extract of at most so many words, until no other unit fits; the coverage is used up."""
    free, order, likelihood = coverage.has_words.copy(), list[int](), 0.0
    by_salience = np.zeros(len(lengths), np.float32)
    while (fitting := np.flatnonzero(free & (lengths <= budget))).size:
        worth = coverage.values()[fitting] / np.float32(TEMPERATURE)
        chances = np.exp(worth - worth.max())
        chances /= chances.sum()
        reached = np.cumsum(chances, dtype=np.float64)
        place = min(int(np.searchsorted(reached, source.random() * reached[-1], side="right")), fitting.size - 1)
        unit = int(fitting[place])
        likelihood += float(np.log(chances[place]))
        by_salience[fitting] -= chances
        by_salience[unit] += 1
        coverage.take(unit)
        order.append(unit)
        free[unit] = False
        budget -= int(lengths[unit])
    return Draw(order, likelihood, by_salience / np.float32(TEMPERATURE))


def log_likelihood(draw: Draw, salience: Tensor) -> Tensor:
    """How likely that was, to be differentiated by the salience of units."""
    found: Tensor = _Likelihood.apply(salience, draw)  # type: ignore[no-untyped-call]
    return found


class _Likelihood(torch.autograd.Function):
    """Value and gradient were found when it was drawn."""

    @staticmethod
    def forward(context: Any, salience: Tensor, draw: Draw) -> Tensor:
        context.by_salience = torch.from_numpy(draw.by_salience)
        return salience.new_tensor(draw.log_likelihood)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0] * context.by_salience, None


# The research system `coverage` in training: its network, losses and decoder, as the loop wants them.

_MEASURED: Final = 200
"""Acts from which means and deviations of features are taken."""
_LEAST_DEVIATION: Final = 1e-3
_ABSENT: Final = 0.7
"""Of the pairs that the summary does not have, the share that is looked at in a step; they count for all."""


class Known(NamedTuple):
    """An act with all that is learnt from it."""

    features: Features
    lattice: Lattice
    words: Tensor
    """How often the summary has each word of the act."""
    pairs: Tensor


class CoverageTrainee:
    """A `Trainee`: the model, with weights that the seed and the training data decide."""

    def __init__(self, config: Config, training: Sequence[Example]) -> None:
        assert isinstance(config.model, CoverageShape)
        self._config, self._shape = config, config.model
        self._encoder = Static()
        self._known: WeakKeyDictionary[Example, Known] = WeakKeyDictionary()
        self._settled: WeakKeyDictionary[Example, Outputs] = WeakKeyDictionary()
        self._settled_with: list[Tensor] = []
        some = list(training[:: max(1, len(training) // _MEASURED)])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.module = Salience(self._shape, Widths.of(self._act(some[0]).features))
        self._measure(some)

    def outputs(self, example: Example, budget: int, asked: Tensor | None = None) -> Outputs:
        """What the model makes of an act."""
        known = self._act(example)
        outputs: Outputs = self.module(Inputs.of(known.features, known.lattice, budget), asked)
        return outputs

    def loss(self, examples: Sequence[Example]) -> Tensor:
        """Stage 1: counts of words and pairs, and the oracle's order; as a mean over the acts."""
        return torch.stack([self._loss(example) for example in examples]).mean()

    def rollouts(self, example: Example, count: int, generator: torch.Generator) -> Rollouts:
        """Stage 2: extracts drawn through the decoder, unit by unit.

        Only the readout learns here. All else feeds the chances of words and pairs as well, which stage 1 has fitted to
        the summaries, and which no reward for whole extracts would keep so.
        """
        outputs, known = self._settled_outputs(example), self._act(example)
        salience = SALIENCE * self.module.readout(*outputs.states).sigmoid()
        coverage, lengths = _coverage(known, outputs, salience), known.features.layout.words
        source = np.random.default_rng(int(torch.randint(2**63 - 1, (), generator=generator)))
        draws = [drawn(coverage.copy(), lengths, example.words, source) for _ in range(count)]
        likelihoods = torch.stack([log_likelihood(draw, salience) for draw in draws])
        return Rollouts(likelihoods, [_text(example, draw.order) for draw in draws])

    def extract(self, example: Example, words: int) -> str:
        """The units that cover most of what a summary is expected to say."""
        with torch.no_grad():
            outputs = self.outputs(example, words)
        known = self._act(example)
        lengths, salience = known.features.layout.words, SALIENCE * outputs.scores.sigmoid()
        return _text(example, cover(_coverage(known, outputs, salience), lengths, words))

    def save(self, path: Path, about: Mapping[str, str]) -> None:
        """Write what `lexlattice.research.coverage.model.Salience` reads."""
        own = {"format": FORMAT, "geometry": self._shape.geometry, "steps": str(self._shape.steps)}
        arrays = {name: tensor.numpy(force=True) for name, tensor in self.module.state_dict().items()}
        write_weights(path, arrays, {**about, **own})

    def _settled_outputs(self, example: Example) -> Outputs:
        """What stage 2 does not change, made once for each act while all weights but the readout's stay the same."""
        weights = [tensor for name, tensor in self.module.state_dict().items() if not name.startswith("readout.")]
        if not self._settled_with or not all(map(torch.equal, weights, self._settled_with)):
            self._settled.clear()
            self._settled_with = [tensor.clone() for tensor in weights]
        if example not in self._settled:
            was_training = self.module.training
            self.module.eval()
            with torch.no_grad():
                self._settled[example] = self.outputs(example, example.words)
            self.module.train(was_training)
        return self._settled[example]

    def _loss(self, example: Example) -> Tensor:
        known = self._act(example)
        asked = ((known.pairs > 0) | (torch.rand(len(known.pairs)) < _ABSENT)).nonzero().squeeze(1)
        outputs = self.outputs(example, example.words, asked)
        words = _missed(outputs.words, known.words, WORD_COUNTS).sum() / max(1, len(known.words))
        found = known.pairs[asked]
        weights = torch.where(found > 0, 1.0, 1 / _ABSENT)
        pairs = (_missed(outputs.pairs, found, PAIR_COUNTS) * weights).sum() / max(1, len(known.pairs))
        stage = self._config.warm_start
        order = stage_one(outputs.scores, example.order, stage.bce, stage.listwise) / max(1, len(example.order))
        return words + self._shape.pair_weight * pairs + self._shape.unit_weight * order

    def _act(self, example: Example) -> Known:
        """Features of an act, made when it is first met."""
        if example not in self._known:
            features = features_of(example.act, example.vectors, self._encoder)
            tokens = tokenizer("unicode")(example.summary)
            words, pairs = Counter(tokens), Counter(pairwise(tokens))
            names = features.grams.words
            self._known[example] = Known(
                features,
                Lattice.of(example.act, self._shape.geometry),
                torch.tensor([words[name] for name in names], dtype=torch.int64),
                torch.tensor([pairs[names[a], names[b]] for a, b in features.grams.pairs.tolist()], dtype=torch.int64),
            )
        return self._known[example]

    def _measure(self, examples: Sequence[Example]) -> None:
        """Take means and deviations of all features."""
        acts = [self._act(example).features for example in examples]
        rows = {
            "act": np.stack([act.with_budget(example.words) for act, example in zip(acts, examples, strict=True)]),
            "units": np.concatenate([act.units for act in acts]),
            "words": np.concatenate([act.words for act in acts]),
            "pairs": np.concatenate([act.pairs for act in acts]),
        }
        for name in SCALES:
            scale = self.module.get_submodule(f"scales.{name}")
            scale.get_buffer("mean").copy_(torch.from_numpy(rows[name].mean(0)))
            scale.get_buffer("deviation").copy_(torch.from_numpy(rows[name].std(0).clip(_LEAST_DEVIATION)))


def _missed(odds: Tensor, found: Tensor, counts: Sequence[int]) -> Tensor:
    """How unlikely the log odds make the count of each gram: at each of the counts that it reached, and the next."""
    reached = (found[:, None] >= torch.tensor(counts)).to(odds.dtype)
    asked = torch.cat([torch.ones(len(found), 1), reached[:, :-1]], dim=1)
    return (binary_cross_entropy_with_logits(odds, reached, reduction="none") * asked).sum(1)


def _coverage(known: Known, outputs: Outputs, salience: Tensor) -> Coverage:
    chances = Chances(*(odds.detach().sigmoid().cumprod(1).numpy() for odds in (outputs.words, outputs.pairs)))
    return Coverage(known.features.grams, chances, known.features.layout.words, salience.numpy(force=True))


def _text(example: Example, order: Sequence[int]) -> str:
    return "\n".join(example.act.units[unit].text for unit in sorted(order))
