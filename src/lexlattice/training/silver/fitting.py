"""Fit the alignment model on acts with gold annotations; this takes a minute for 250 acts."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from lexlattice.training.silver.evidence import evidence_of, support_features
from lexlattice.training.silver.model import Alignment, Pass, Perceptron, SilverModel, confidence_features
from lexlattice.training.silver.overlap import stems
from lexlattice.training.silver.pairs import Floats, Pairs, TextEncoder
from lexlattice.training.silver.sentences import SummarySentence, in_act_vocabulary

_HIDDEN: Final = 16
_EPOCHS: Final = 15
_UNIT_EPOCHS: Final = 20
_BATCH_ACTS: Final = 8
"""Acts per batch of sentences."""
_BATCH_UNITS: Final = 2048
"""Units per batch, at most; small data sets use a fiftieth of all units, so that there are enough steps."""
_FOLDS: Final = 3
"""Later stages are fitted on out-of-fold predictions, by models that have not seen the act."""
_UNLABELLED_WEIGHT: Final = 0.25
"""Weight of sentences that state no gold point: mostly, but not always, no unit supports them."""


@dataclass(frozen=True)
class Example:
    """An act with gold annotations and its features."""

    pairs: Pairs
    labels: Sequence[tuple[int, ...] | None]
    """Per sentence: the units that support it, possibly none; None if unknown."""
    units: Floats
    """Units × `READOUTS`: whether the gold selects a unit, its weight, and its priority."""


def fit(examples: Sequence[Example], seed: int = 0) -> SilverModel:
    """Fit both passes and then the readouts, each on out-of-fold predictions of the stage before."""
    first = _fit_pass(examples, [example.pairs.pairs for example in examples], seed)
    unseen = _out_of_fold(examples, [example.pairs.pairs for example in examples], seed)
    supported = [
        np.concatenate([example.pairs.pairs, support_features(example.pairs, alignment.shares)], axis=-1)
        for example, alignment in zip(examples, unseen, strict=True)
    ]
    second = _fit_pass(examples, supported, seed)
    unseen = _out_of_fold(examples, supported, seed)
    return SilverModel(first, second, _fit_confidence(examples, unseen, seed), _fit_units(examples, unseen, seed))


def _out_of_fold(examples: Sequence[Example], features: Sequence[Floats], seed: int) -> list[Alignment]:
    """Return the alignment of each act by a model that was fitted on other acts."""
    found: list[Alignment | None] = [None] * len(examples)
    for fold in range(_FOLDS):
        inside = [n for n in range(len(examples)) if n % _FOLDS != fold]
        model = _fit_pass([examples[n] for n in inside], [features[n] for n in inside], seed)
        for n in range(fold, len(examples), _FOLDS):
            found[n] = model(features[n], examples[n].pairs.sentences)
    return [alignment for alignment in found if alignment is not None]


class _Network(nn.Module):
    """A perceptron during training, on standardized features."""

    def __init__(self, features: Sequence[Floats], hidden: int, outputs: int) -> None:
        super().__init__()
        flat = [some.reshape(-1, some.shape[-1]).astype(np.float64) for some in features]
        count = sum(len(some) for some in flat)
        self.mean = sum(some.sum(axis=0) for some in flat) / count
        self.scale = np.sqrt(sum(((some - self.mean) ** 2).sum(axis=0) for some in flat) / count) + 1e-4
        with warnings.catch_warnings():  # without hidden units, a linear model remains
            warnings.filterwarnings("ignore", "Initializing zero-element tensors")
            self.hidden = nn.Linear(len(self.mean), hidden)
            self.out = nn.Linear(hidden, outputs, bias=False)
        self.skip = nn.Linear(len(self.mean), outputs)
        nn.init.zeros_(self.skip.weight)

    def scaled(self, features: Floats) -> Tensor:
        return torch.tensor((features - self.mean) / self.scale, dtype=torch.float32)

    def forward(self, scaled: Tensor) -> Tensor:
        outputs: Tensor = self.out(torch.tanh(self.hidden(scaled))) + self.skip(scaled)
        return outputs

    def folded(self) -> Perceptron:
        """Fold the standardization into the weights, for unscaled features."""
        hidden, bias, out, skip, offset = (
            parameter.detach().numpy().astype(np.float64)
            for parameter in (
                *(self.hidden.weight, self.hidden.bias, self.out.weight),
                *(self.skip.weight, self.skip.bias),
            )
        )
        shift = self.mean / self.scale
        folded = (hidden.T / self.scale[:, None], bias - hidden @ shift, out.T, skip.T / self.scale[:, None])
        return Perceptron(*(np.array(array, np.float32, order="C") for array in (*folded, offset - skip @ shift)))


def _fit_pass(examples: Sequence[Example], features: Sequence[Floats], seed: int) -> Pass:
    """Fit by cross-entropy against equal shares of the units that support each sentence."""
    torch.manual_seed(seed)
    pairs = _Network(features, _HIDDEN, 1)
    none = _Network([example.pairs.sentences for example in examples], 0, 1)
    rows = [
        (pairs.scaled(some), none.scaled(example.pairs.sentences), *_shares(example))
        for example, some in zip(examples, features, strict=True)
        if len(some)
    ]

    def loss(batch: Sequence[int]) -> Tensor:
        losses, weights = [], []
        for scaled, sentences, shares, weight in (rows[n] for n in batch):
            logs = torch.log_softmax(torch.cat([pairs(scaled)[..., 0], none(sentences)], dim=1), dim=1)
            losses.append(-(weight * (shares * logs).sum(dim=1)).sum())
            weights.append(weight.sum())
        return torch.stack(losses).sum() / torch.stack(weights).sum().clamp(min=1.0)

    _optimize([pairs, none], loss, len(rows), _BATCH_ACTS, _EPOCHS, 0.02, seed)
    return Pass(pairs.folded(), none.folded())


def _shares(example: Example) -> tuple[Tensor, Tensor]:
    """Return the target shares of sentences, with that of no unit last, and the weights of sentences."""
    sentences, units = example.pairs.pairs.shape[:2]
    shares, weights = torch.zeros(sentences, units + 1), torch.ones(sentences)
    for number, label in enumerate(example.labels):
        shares[number, list(label or [units])] = 1 / max(1, len(label or ()))
        if label is None:
            weights[number] = _UNLABELLED_WEIGHT
    return shares, weights


def _fit_confidence(examples: Sequence[Example], alignments: Sequence[Alignment], seed: int) -> Perceptron:
    """Fit a logistic regression of whether the unit with the largest share supports the sentence."""
    features, right = [], []
    for example, alignment in zip(examples, alignments, strict=True):
        known = [n for n, label in enumerate(example.labels) if label is not None]
        best = alignment.shares.argmax(axis=1) if len(alignment.shares) else []
        features.append(confidence_features(example.pairs, alignment)[known])
        right += [best[n] in (example.labels[n] or ()) for n in known]
    return _fit_logistic(np.concatenate(features), np.array(right, np.float32)[:, None], 0, seed)


def _fit_units(examples: Sequence[Example], alignments: Sequence[Alignment], seed: int) -> Perceptron:
    """Fit the readouts of units."""
    features = [evidence_of(example.pairs, *alignment) for example, alignment in zip(examples, alignments, strict=True)]
    targets = np.concatenate([example.units for example in examples])
    return _fit_logistic(np.concatenate(features), targets, _HIDDEN, seed)


def _fit_logistic(features: Floats, targets: Floats, hidden: int, seed: int) -> Perceptron:
    torch.manual_seed(seed)
    network = _Network([features], hidden, targets.shape[1])
    scaled, wanted = network.scaled(features), torch.tensor(targets)

    def loss(batch: Sequence[int]) -> Tensor:
        return nn.functional.binary_cross_entropy_with_logits(network(scaled[batch]), wanted[batch])

    _optimize([network], loss, len(features), min(_BATCH_UNITS, max(1, len(features) // 50)), _UNIT_EPOCHS, 0.01, seed)
    return network.folded()


def _optimize(
    modules: Sequence[nn.Module],
    loss: Callable[[Sequence[int]], Tensor],
    count: int,
    batch: int,
    epochs: int,
    learning_rate: float,
    seed: int,
) -> None:
    """Minimize a loss by AdamW with a cosine learning-rate schedule."""
    optimizer = torch.optim.AdamW([p for m in modules for p in m.parameters()], lr=learning_rate, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs * -(-count // batch))
    generator = np.random.default_rng(seed)
    for _ in range(epochs):
        order = generator.permutation(count)
        for first in range(0, count, batch):
            optimizer.zero_grad()
            torch.autograd.backward(loss(order[first : first + batch].tolist()))
            optimizer.step()
            schedule.step()


# --- labels: which gold points each sentence of a summary states -------------------------------------------

_BEST_SENTENCE: Final = 0.3
"""Similarity from which a point is stated by the sentence most similar to it."""
_BEST_POINT: Final = 0.42
"""Similarity from which a sentence states the point most similar to it, even if another sentence states it too."""
_WORDS, _VECTORS, _ORDER = 0.6, 0.4, 0.25
"""Weights of shared words, cosine similarity and distance (points follow the order of the summary)."""


class GoldPoint(NamedTuple):
    """A gold point, mapped onto the units of an act."""

    text: str
    weight: int
    units: tuple[int, ...]


def supporting_units(
    sentences: Sequence[SummarySentence], points: Sequence[GoldPoint], encoder: TextEncoder
) -> list[tuple[int, ...] | None]:
    """Return per sentence the units of the points it states (none if the act does not state them); None if unknown."""
    if not sentences or not points:
        return [None] * len(sentences)
    similarity = _similarity(sentences, points, encoder)
    best_sentence, best_point = similarity.argmax(axis=0), similarity.argmax(axis=1)
    found: list[tuple[int, ...] | None] = []
    for number, row in enumerate(similarity):
        stated = {n for n in range(len(points)) if best_sentence[n] == number and row[n] >= _BEST_SENTENCE}
        if row[best_point[number]] >= _BEST_POINT:
            stated.add(int(best_point[number]))
        found.append(tuple(sorted({unit for n in stated for unit in points[n].units})) if stated else None)
    return found


def _similarity(sentences: Sequence[SummarySentence], points: Sequence[GoldPoint], encoder: TextEncoder) -> Floats:
    """Return the similarity of sentences × points."""
    texts = [in_act_vocabulary(point.text) for point in points]
    point_stems = [set(stems(text)) for text in texts]
    full = [set(stems(sentence.full)) for sentence in sentences]
    own = [set(stems(in_act_vocabulary(sentence.text))) for sentence in sentences]
    frequency = Counter(word for words in (*full, *point_stems) for word in words)
    count = len(full) + len(point_stems)

    def mass(words: set[str]) -> float:
        return max(1e-6, sum(float(np.log((count + 1) / max(1, frequency[word]))) for word in words))

    masses = [mass(words) for words in point_stems]
    overlap = np.zeros((len(sentences), len(points)))
    for some in (full, own):
        for row, words in enumerate(some):
            scale = mass(words)
            overlap[row] += [
                0.5 * mass(words & other) / np.sqrt(scale * size)
                for other, size in zip(point_stems, masses, strict=True)
            ]
    cosine = encoder.encode([sentence.full for sentence in sentences]) @ encoder.encode(texts).T
    places = (np.arange(len(sentences)) + 0.5)[:, None] / len(sentences), (np.arange(len(points)) + 0.5) / len(points)
    similarity = _WORDS * overlap + _VECTORS * cosine - _ORDER * np.abs(places[0] - places[1])
    return similarity.astype(np.float32)
