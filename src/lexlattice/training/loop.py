"""Both stages of a training, for anything that is a `Trainee`: imitate the oracle, then reinforce what earns more.

The loop reads from top to bottom: stages, epochs, steps. Where it stands is plain data, which a checkpoint keeps; what
is drawn depends on the seed and on where it stands alone. So a resumed training ends with the same weights, bit for
bit, as one that was never killed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Final, cast

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_
from tqdm import tqdm

from lexlattice.errors import LexLatticeError
from lexlattice.selection import Budget
from lexlattice.training.checkpoints import Checkpoints, Log, State
from lexlattice.training.config import Rloo, Stage, WarmStart
from lexlattice.training.ema import Average, rate
from lexlattice.training.parallel import Team
from lexlattice.training.prepared import Example
from lexlattice.training.steps import Reinforcement, Shared, Step, align, imitate, not_a_number
from lexlattice.training.trainable import Aligning, Choosing, Trainee
from lexlattice.training.validation import Figures, MeaningValidation, Validation, told, value

STAGES: Final = ("warm-start", "rloo")
SILVER: Final = "silver"
"""A stage before these, for what learns from silver alignment."""
_SEEDED: Final = (*STAGES, SILVER)
"""What is drawn in a stage depends on its place here."""
EVERY: Final = 300.0
"""Seconds between checkpoints inside an epoch."""


@dataclass(frozen=True)
class Task:
    """What is to be trained, on what, and how."""

    trainee: Trainee
    training: Sequence[Example]
    validation: Sequence[Example]
    warm_start: WarmStart
    rloo: Rloo
    seed: int
    budget: Budget
    """How long extracts are when they are validated."""
    identity: Mapping[str, str] = field(default_factory=dict)
    """What else must be the same for a training to be resumed: names of things, and their digests."""
    silver: Stage | None = None
    annotated: Sequence[Example] | None = None
    """The acts of `training` with gold annotations, for what learns from them in both stages; none for all."""
    validator: Validation | MeaningValidation | None = None
    """What measures on the validation acts; ROUGE, if nothing is said."""

    def recipe(self, stage: str) -> Stage:
        """How a stage goes."""
        if stage == SILVER:
            if self.silver is None:
                raise LexLatticeError("There is no silver stage in the configuration; add it, or leave the stage out.")
            return self.silver
        return self.warm_start if stage == "warm-start" else self.rloo

    def acts(self, stage: str) -> Sequence[Example]:
        """What a stage learns from."""
        return self.training if stage == SILVER or self.annotated is None else self.annotated


@dataclass
class Best:
    """The weights that were best on validation, and how good they were."""

    stage: str
    epoch: int
    figures: Figures
    weights: dict[str, Tensor]


@dataclass
class _Standing:
    """Where a stage stands."""

    stage: str = ""
    epoch: int = 0
    """Epochs that are finished."""
    step: int = 0
    """Steps of the next one that are done."""
    losses: list[float] = field(default_factory=list)
    """Of these steps."""
    rewards: list[float] = field(default_factory=list)
    seconds: float = 0.0
    """That these steps took."""
    value: float = -math.inf
    """The best of this stage on validation."""
    waited: int = 0
    """Epochs since."""


def train(
    task: Task,
    folder: Path,
    *,
    stages: Sequence[str] = STAGES,
    every: float = EVERY,
    progress: bool = False,
    note: Callable[[str], None] = lambda sentence: None,
    team: Team | None = None,
) -> Best:
    """Train, or go on from the last checkpoint in the folder; the module has the best weights in the end.

    The folder gets `log.csv` and `checkpoints/`. Processes of a team do the same at the same time, and the first one
    writes; what they draw is not what a process without a team draws, but the same however many they are.
    """
    if not task.training or not task.validation:
        raise LexLatticeError("There is nothing to train on, or to validate with; give more acts.")
    checkpoints = Checkpoints(folder / "checkpoints", {"seed": str(task.seed), **task.identity})
    state = checkpoints.load()
    if team:
        team.sum(torch.zeros(1))  # nobody writes before all have read
    writes = team is None or team.is_first
    validation = task.validator or Validation(task.validation, task.budget)
    length = state["log"] if state else 0
    with _deterministic(), Log(folder / "log.csv", length, validation.names) if writes else nullcontext() as log:
        loop = _Loop(task, validation, checkpoints, log, every, progress, note, team)
        if state:
            loop.resume(state)
        for stage in stages:
            if stage not in loop.finished:
                loop.run(stage)
        if loop.best is None:
            raise LexLatticeError("No epoch was trained; let 'epochs' be at least 1 in the configuration.")
        task.trainee.module.load_state_dict(loop.best.weights)
        task.trainee.module.eval()
        return loop.best


class _Loop:
    """A training under way."""

    def __init__(
        self,
        task: Task,
        validation: Validation | MeaningValidation,
        checkpoints: Checkpoints,
        log: Log | None,
        every: float,
        progress: bool,
        note: Callable[[str], None],
        team: Team | None,
    ) -> None:
        """Without a log nothing is written at all."""
        self._team = team
        self._task, self._checkpoints, self._log = task, checkpoints, log
        self._every, self._progress, self._note = every, progress, note
        self._validation = validation
        self._reinforcement = Reinforcement(task.rloo.decay)
        self._module = task.trainee.module
        self._standing = _Standing()
        self._saved = perf_counter()
        self.finished: list[str] = []
        self.best: Best | None = None

    def run(self, stage: str) -> None:
        """A stage from beginning to end, or what is left of it."""
        recipe = self._task.recipe(stage)
        if self._standing.stage != stage:
            self._begin(stage)
        standing = self._standing
        while standing.epoch < recipe.epochs and standing.waited < recipe.patience:
            self._epoch(recipe)
            self._judge()
            self._save()
        self.finished.append(stage)
        self._save()

    def _begin(self, stage: str) -> None:
        """From the best weights of the stage before, if there was one."""
        if self._standing.stage not in ("", *self.finished):
            raise LexLatticeError(f"The stage {self._standing.stage} is not finished; finish it before {stage}.")
        if self.best is not None:
            self._module.load_state_dict(self.best.weights)
        self._standing = _Standing(stage)
        self._optimizer = self._new_optimizer(stage)
        self._average = Average(self._module, self._task.recipe(stage).average)
        torch.manual_seed(self._drawn(0))
        self._reinforcement.generator.manual_seed(self._drawn(1))

    def _new_optimizer(self, stage: str) -> torch.optim.AdamW:
        recipe = self._task.recipe(stage)
        moved = [parameter for parameter in self._module.parameters() if parameter.requires_grad]
        return torch.optim.AdamW(moved, lr=recipe.learning_rate, weight_decay=recipe.weight_decay)

    def _epoch(self, recipe: Stage) -> None:
        """All acts once, in an order of this epoch's own."""
        standing, acts = self._standing, self._task.acts(self._standing.stage)
        generator = torch.Generator().manual_seed(self._drawn(2 + standing.epoch))
        order = torch.randperm(len(acts), generator=generator).tolist()
        self._module.train()
        title = f"{standing.stage} {standing.epoch + 1}"
        done = standing.step * recipe.batch
        with tqdm(
            total=len(acts), initial=done, desc=title, unit="act", leave=False, disable=not self._progress
        ) as bar:
            for start in range(done, len(acts), recipe.batch):
                examples = [acts[index] for index in order[start : start + recipe.batch]]
                begun = perf_counter()
                step = self._step(examples, recipe)
                seconds = perf_counter() - begun
                self._note_step(step, len(examples), seconds)
                bar.set_postfix(self._live(seconds / len(examples)), refresh=False)
                bar.update(len(examples))
                if perf_counter() - self._saved >= self._every:
                    self._save()

    def _step(self, examples: Sequence[Example], recipe: Stage) -> Step:
        """Move the weights once."""
        self._optimizer.zero_grad()
        for group in self._optimizer.param_groups:
            group["lr"] = recipe.learning_rate * self._rate(recipe)
        shared = Shared(self._team, self._begin_act) if self._team else None
        if isinstance(recipe, Rloo):
            step = self._reinforcement.reinforce(self._task.trainee, examples, recipe.rollouts, shared)
        elif self._standing.stage == SILVER:
            step = align(cast("Aligning", self._task.trainee), examples, shared)
        else:
            step = imitate(self._task.trainee, examples, shared)
        if not clip_grad_norm_(self._module.parameters(), recipe.clip).isfinite():
            raise not_a_number("gradient", examples)
        self._optimizer.step()
        self._average.follow()
        return step

    def _begin_act(self, place: int) -> None:
        """What is drawn for an act in a team follows from where it stands alone."""
        standing = self._standing
        words = (self._task.seed, _SEEDED.index(standing.stage), standing.epoch, standing.step, place)
        inside, given = np.random.SeedSequence(words).generate_state(2).tolist()
        torch.default_generator.manual_seed(inside)
        self._reinforcement.generator.manual_seed(given)

    def _rate(self, recipe: Stage) -> float:
        """In the middle of a step, so that the first and the last move something too."""
        steps = math.ceil(len(self._task.acts(self._standing.stage)) / recipe.batch)
        done = self._standing.epoch * steps + self._standing.step + 0.5
        return rate(done / (recipe.epochs * steps), recipe.warm_up)

    def _note_step(self, step: Step, acts: int, seconds: float) -> None:
        standing = self._standing
        standing.step += 1
        standing.seconds += seconds
        standing.losses.append(step.loss)
        if step.reward is not None:
            standing.rewards.append(step.reward)
        place = {"stage": standing.stage, "epoch": standing.epoch + 1, "step": standing.step, "acts": acts}
        self._write(**place, loss=step.loss, reward=step.reward, seconds=seconds)

    def _write(self, **values: object) -> None:
        if self._log:
            self._log.write(**values)

    def _live(self, seconds: float) -> dict[str, str]:
        """What the bar shows: means of this epoch, the best of validation so far, and the time for an act."""
        standing = self._standing
        shown = {"loss": f"{fmean(standing.losses):.4f}"}
        if standing.rewards:
            shown["reward"] = f"{100 * fmean(standing.rewards):.2f}"
        if self.best is not None:
            shown["best"] = f"{value(self.best.figures):.2f}"
        return shown | {"ms/act": f"{1000 * seconds:.1f}"}

    def _judge(self) -> None:
        """Validate the average after an epoch, and keep it if there was none better."""
        with self._average.instead():
            self._judge_weights()

    def _judge_weights(self) -> None:
        standing = self._standing
        figures = self._validation.measure(cast("Choosing", self._task.trainee), self._team)
        standing.epoch += 1
        standing.waited += 1
        if value(figures) > standing.value:
            standing.value, standing.waited = value(figures), 0
        is_best = self.best is None or value(figures) > value(self.best.figures)
        if is_best:
            weights = {name: tensor.clone() for name, tensor in self._module.state_dict().items()}
            self.best = Best(standing.stage, standing.epoch, figures, weights)
        means = {"loss": fmean(standing.losses)}
        if standing.rewards:
            means["reward"] = fmean(standing.rewards)
        self._write(stage=standing.stage, epoch=standing.epoch, **means, seconds=standing.seconds, **figures)
        shown = ", ".join(f"{name} {mean:.4f}" for name, mean in means.items())
        self._note(
            f"{standing.stage}, epoch {standing.epoch}: {shown}, "
            f"{1000 * standing.seconds / len(self._task.acts(standing.stage)):.1f} ms an act; "
            f"{told(figures)}{', the best so far' if is_best else ''}."
        )
        standing.step, standing.losses, standing.rewards, standing.seconds = 0, [], [], 0.0

    def _drawn(self, what: int) -> int:
        """A seed for one thing in one stage."""
        words = (self._task.seed, _SEEDED.index(self._standing.stage), what)
        return int(np.random.SeedSequence(words).generate_state(1)[0])

    # --- checkpoints --------------------------------------------------------------------------------------

    def _save(self) -> None:
        if self._log is None:
            return
        state: State = {
            "standing": asdict(self._standing),
            "finished": self.finished,
            "best": None if self.best is None else vars(self.best),
            "module": self._module.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "average": self._average.state_dict(),
            "standardizer": self._reinforcement.standardizer.state_dict(),
            "generator": self._reinforcement.generator.get_state(),
            "random": torch.get_rng_state(),
            "log": self._log.length,
        }
        self._checkpoints.save(state)
        self._saved = perf_counter()

    def resume(self, state: State) -> None:
        """Go on where a checkpoint stands."""
        try:
            self._standing = _Standing(**state["standing"])
            self.finished = list(state["finished"])
            self.best = Best(**state["best"]) if state["best"] else None
            self._module.load_state_dict(state["module"])
            self._optimizer = self._new_optimizer(self._standing.stage)
            self._optimizer.load_state_dict(state["optimizer"])
            self._average = Average(self._module, self._task.recipe(self._standing.stage).average)
            self._average.load_state_dict(state["average"])
            self._reinforcement.standardizer.load_state_dict(state["standardizer"])
            self._reinforcement.generator.set_state(state["generator"])
            torch.set_rng_state(state["random"])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise LexLatticeError("The checkpoint does not fit the model; train anew, into a new folder.") from error


@contextmanager
def _deterministic() -> Iterator[None]:
    """Equal sums come out equal, and what is drawn here changes nothing for the caller."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.use_deterministic_algorithms(before)
