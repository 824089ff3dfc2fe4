"""The training loop: stages, epochs, steps, for any `TrainableModel`.

The stages are silver alignment (for models that use it), the warm start, which imitates the oracle, and RLOO. All state
of the loop is plain data that goes into checkpoints, and all random numbers are derived from the seed and that state.
An interrupted run therefore resumes bit for bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
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

from lexlattice._internal.progress import keep_time
from lexlattice.encoding.devices import deterministic, random_state, seed, set_random_state
from lexlattice.errors import ConfigError, DataError
from lexlattice.selection import Budget
from lexlattice.training.checkpoints import Checkpoints, Log, State
from lexlattice.training.config import Rloo, Stage, WarmStart
from lexlattice.training.parallel import ProcessGroup
from lexlattice.training.prepared import Example
from lexlattice.training.schedule import EMA, warmup_cosine
from lexlattice.training.steps import Parallel, RlooStep, Step, not_finite, silver_step, warm_start_step
from lexlattice.training.trainable import SilverTrainable, TrainableModel
from lexlattice.training.validation import Figures, RougeValidation, Validation, format_figures, objective

STAGES: Final = ("warm-start", "rloo")
SILVER: Final = "silver"
"""The stage before these, for models that learn from silver alignment."""
_STAGE_NUMBERS: Final = (*STAGES, SILVER)
"""The position of a stage enters its random seeds, so the order must not change."""
CHECKPOINT_SECONDS: Final = 300.0
"""Between two checkpoints inside an epoch."""


@dataclass(frozen=True)
class Task:
    """What to train, on which acts, and how."""

    model: TrainableModel
    training: Sequence[Example]
    validation: Sequence[Example]
    warm_start: WarmStart
    rloo: Rloo
    seed: int
    budget: Budget
    """Length of the extracts at validation."""
    identity: Mapping[str, str] = field(default_factory=dict)
    """Digests of the inputs that must be equal for a run to be resumed, by name."""
    silver: Stage | None = None
    annotated: Sequence[Example] | None = None
    """The acts of `training` with gold annotations, which both main stages use; None for all acts."""
    validator: Validation | None = None
    """Measures the model on the validation acts; ROUGE by default."""

    def settings(self, stage: str) -> Stage:
        """The settings of a stage."""
        if stage == SILVER:
            if self.silver is None:
                raise ConfigError("The configuration has no [silver] table; add one, or skip that stage.")
            return self.silver
        return self.warm_start if stage == "warm-start" else self.rloo

    def acts(self, stage: str) -> Sequence[Example]:
        """The acts that a stage trains on."""
        return self.training if stage == SILVER or self.annotated is None else self.annotated


@dataclass
class Best:
    """The weights with the best validation figures so far."""

    stage: str
    epoch: int
    figures: Figures
    weights: dict[str, Tensor]


@dataclass
class _Progress:
    """How far a stage has come."""

    stage: str = ""
    epoch: int = 0
    """Finished epochs."""
    step: int = 0
    """Finished steps of the current epoch."""
    losses: list[float] = field(default_factory=list)
    """Of these steps."""
    rewards: list[float] = field(default_factory=list)
    seconds: float = 0.0
    """Duration of these steps."""
    best_objective: float = -math.inf
    """The best validation objective of this stage."""
    epochs_since_best: int = 0


def train(
    task: Task,
    folder: Path,
    *,
    stages: Sequence[str] = STAGES,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    progress: bool = False,
    note: Callable[[str], None] = lambda sentence: None,
    group: ProcessGroup | None = None,
) -> Best:
    """Train a model, or resume from the last checkpoint in the folder.

    Args:
        task: what to train.
        folder: gets `log.csv` and `checkpoints/`.
        stages: the stages to run, in order; finished ones are skipped.
        checkpoint_seconds: time between checkpoints inside an epoch; there is always one after each epoch.
        progress: whether to show a progress bar.
        note: receives messages for the user.
        group: the process group, if several processes share the work. They must all call this function; the main
            process writes. Their random numbers differ from those of a single process, but not with their number.

    Returns:
        The best weights, which the model's module then holds.

    Raises:
        ConfigError: no epoch was configured.
        DataError: there are no acts, or the checkpoint is of another run.
        TrainingError: the training diverged or was interrupted.

    """
    if not task.training or not task.validation:
        raise DataError("There are no acts to train on, or none to validate on; add some.")
    checkpoints = Checkpoints(folder / "checkpoints", {"seed": str(task.seed), **task.identity})
    writes = group is None or group.is_main
    validation = task.validator or RougeValidation(task.validation, task.budget)
    with ExitStack() as opened:
        if writes:
            opened.enter_context(checkpoints.locked())
        state = checkpoints.load()
        if group:
            group.all_reduce(torch.zeros(1))  # a barrier: nobody writes a checkpoint before all have read
        opened.enter_context(deterministic(next(task.model.module.parameters()).device))
        log_length = state["log"] if state else 0
        log = opened.enter_context(Log(folder / "log.csv", log_length, validation.names)) if writes else None
        loop = _Loop(task, validation, checkpoints, log, checkpoint_seconds, progress, note, group)
        if state:
            loop.resume(state)
        for stage in stages:
            if stage not in loop.finished:
                loop.run_stage(stage)
        if loop.best is None:
            raise ConfigError("No epoch was trained; set 'epochs' to at least 1 in the configuration.")
        task.model.module.load_state_dict(loop.best.weights)
        task.model.module.eval()
        return loop.best


class _Loop:
    """A training run in progress."""

    def __init__(
        self,
        task: Task,
        validation: Validation,
        checkpoints: Checkpoints,
        log: Log | None,
        checkpoint_seconds: float,
        progress: bool,
        note: Callable[[str], None],
        group: ProcessGroup | None,
    ) -> None:
        """Without a log, nothing is written at all."""
        self._task, self._validation, self._group = task, validation, group
        self._checkpoints, self._log = checkpoints, log
        self._checkpoint_seconds, self._show_progress, self._note = checkpoint_seconds, progress, note
        self._module = task.model.module
        self._device = next(self._module.parameters()).device
        self._rloo_step = RlooStep(task.rloo.decay, task.rloo.reduction)
        self._progress = _Progress()
        self._saved_at = perf_counter()
        self.finished: list[str] = []
        self.best: Best | None = None

    # --- stages and epochs --------------------------------------------------------------------------------

    def run_stage(self, stage: str) -> None:
        """Run a stage, or the rest of it after a checkpoint."""
        settings = self._task.settings(stage)
        if self._progress.stage != stage:
            self._start_stage(stage)
        progress = self._progress
        # early stopping: `patience` epochs without a better validation objective end the stage
        while progress.epoch < settings.epochs and progress.epochs_since_best < settings.patience:
            self._train_epoch(settings)
            with self._ema.applied():
                self._validate()
            self._save_checkpoint()
        self.finished.append(stage)
        self._save_checkpoint()

    def _start_stage(self, stage: str) -> None:
        """Start from the best weights of the stage before, with a new optimizer and EMA."""
        if self._progress.stage not in ("", *self.finished):
            raise ConfigError(f"The stage {self._progress.stage} is not finished; finish it before {stage}.")
        if self.best is not None:
            self._module.load_state_dict(self.best.weights)
        self._progress = _Progress(stage)
        self._optimizer = self._new_optimizer(stage)
        self._ema = EMA(self._module, self._task.settings(stage).ema)
        seed(self._device, self._stage_seed(0))  # dropout
        self._rloo_step.generator.manual_seed(self._stage_seed(1))  # rollouts

    def _new_optimizer(self, stage: str) -> torch.optim.AdamW:
        settings = self._task.settings(stage)
        trained = [parameter for parameter in self._module.parameters() if parameter.requires_grad]
        return torch.optim.AdamW(trained, lr=settings.learning_rate, weight_decay=settings.weight_decay)

    def _train_epoch(self, settings: Stage) -> None:
        """Go over all acts once, in a random order that depends on the epoch."""
        progress, acts = self._progress, self._task.acts(self._progress.stage)
        generator = torch.Generator().manual_seed(self._stage_seed(2 + progress.epoch))
        order = torch.randperm(len(acts), generator=generator).tolist()
        self._module.train()
        title = f"{progress.stage} {progress.epoch + 1}"
        done = progress.step * settings.batch  # a resumed epoch continues after its last finished step
        with tqdm(
            total=len(acts), initial=done, desc=title, unit="act", leave=False, disable=not self._show_progress
        ) as bar:
            keep_time(bar)
            for start in range(done, len(acts), settings.batch):
                examples = [acts[index] for index in order[start : start + settings.batch]]
                started = perf_counter()
                step = self._train_step(examples, settings)
                seconds = perf_counter() - started
                self._log_step(step, len(examples), seconds)
                bar.set_postfix(self._bar_figures(seconds / len(examples)), refresh=False)
                bar.update(len(examples))
                if perf_counter() - self._saved_at >= self._checkpoint_seconds:
                    self._save_checkpoint()

    def _train_step(self, examples: Sequence[Example], settings: Stage) -> Step:
        """One optimizer step: learning rate, gradients, clipping, update, EMA."""
        self._optimizer.zero_grad()
        for parameters in self._optimizer.param_groups:
            parameters["lr"] = settings.learning_rate * self._learning_rate_factor(settings)
        parallel = Parallel(self._group, self._seed_act) if self._group else None
        model = self._task.model
        if isinstance(settings, Rloo):
            step = self._rloo_step(model, examples, settings.rollouts, parallel)
        elif self._progress.stage == SILVER:
            step = silver_step(cast("SilverTrainable", model), examples, parallel)
        else:
            step = warm_start_step(model, examples, parallel)
        if not clip_grad_norm_(self._module.parameters(), settings.clip).isfinite():
            raise not_finite("gradient", examples)
        self._optimizer.step()
        self._ema.update()
        return step

    def _learning_rate_factor(self, settings: Stage) -> float:
        """The schedule in the middle of a step, so that neither the first nor the last rate is zero."""
        steps = math.ceil(len(self._task.acts(self._progress.stage)) / settings.batch)
        done = self._progress.epoch * steps + self._progress.step + 0.5
        return warmup_cosine(done / (settings.epochs * steps), settings.warm_up)

    def _validate(self) -> None:
        """Measure the model after an epoch, and keep its weights if they are the best so far."""
        progress = self._progress
        figures = self._validation.measure(self._task.model, self._group)
        progress.epoch += 1
        progress.epochs_since_best += 1
        if objective(figures) > progress.best_objective:
            progress.best_objective, progress.epochs_since_best = objective(figures), 0
        # the best of all stages is kept, but each stage stops early by its own best
        is_best = self.best is None or objective(figures) > objective(self.best.figures)
        if is_best:
            weights = {name: tensor.clone() for name, tensor in self._module.state_dict().items()}
            self.best = Best(progress.stage, progress.epoch, figures, weights)
        self._log_epoch(figures, is_best)
        progress.step, progress.losses, progress.rewards, progress.seconds = 0, [], [], 0.0

    # --- random seeds -------------------------------------------------------------------------------------

    def _stage_seed(self, purpose: int) -> int:
        """A seed for one purpose in the current stage."""
        entropy = (self._task.seed, _STAGE_NUMBERS.index(self._progress.stage), purpose)
        return int(np.random.SeedSequence(entropy).generate_state(1)[0])

    def _seed_act(self, index: int) -> None:
        """Seed the generators for one act of a batch, so that its random numbers do not depend on the process."""
        progress = self._progress
        stage = _STAGE_NUMBERS.index(progress.stage)
        entropy = (self._task.seed, stage, progress.epoch, progress.step, index)
        dropout, rollouts = np.random.SeedSequence(entropy).generate_state(2).tolist()
        seed(self._device, dropout)
        self._rloo_step.generator.manual_seed(rollouts)

    # --- log and messages ---------------------------------------------------------------------------------

    def _log_step(self, step: Step, acts: int, seconds: float) -> None:
        progress = self._progress
        progress.step += 1
        progress.seconds += seconds
        progress.losses.append(step.loss)
        if step.reward is not None:
            progress.rewards.append(step.reward)
        place = {"stage": progress.stage, "epoch": progress.epoch + 1, "step": progress.step, "acts": acts}
        self._write(**place, loss=step.loss, reward=step.reward, seconds=seconds)

    def _log_epoch(self, figures: Figures, is_best: bool) -> None:
        progress = self._progress
        means = {"loss": fmean(progress.losses)}
        if progress.rewards:
            means["reward"] = fmean(progress.rewards)
        self._write(stage=progress.stage, epoch=progress.epoch, **means, seconds=progress.seconds, **figures)
        shown = ", ".join(f"{name} {mean:.4f}" for name, mean in means.items())
        self._note(
            f"{progress.stage}, epoch {progress.epoch}: {shown}, "
            f"{1000 * progress.seconds / len(self._task.acts(progress.stage)):.1f} ms per act; "
            f"{format_figures(figures)}{', best so far' if is_best else ''}."
        )

    def _write(self, **values: object) -> None:
        if self._log:
            self._log.write(**values)

    def _bar_figures(self, seconds: float) -> dict[str, str]:
        """What the progress bar shows: means of this epoch, the best objective so far, and the time per act."""
        progress = self._progress
        shown = {"loss": f"{fmean(progress.losses):.4f}"}
        if progress.rewards:
            shown["reward"] = f"{100 * fmean(progress.rewards):.2f}"
        if self.best is not None:
            shown["best"] = f"{objective(self.best.figures):.2f}"
        return shown | {"ms/act": f"{1000 * seconds:.1f}"}

    # --- checkpoints --------------------------------------------------------------------------------------

    def _save_checkpoint(self) -> None:
        if self._log is None:
            return
        state: State = {
            "progress": asdict(self._progress),
            "finished": self.finished,
            "best": None if self.best is None else vars(self.best),
            "module": self._module.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "ema": self._ema.state_dict(),
            "normalizer": self._rloo_step.normalizer.state_dict(),
            "generator": self._rloo_step.generator.get_state(),
            "default_generator": torch.get_rng_state(),
            "device_generator": random_state(self._device),
            "log": self._log.length,
        }
        self._checkpoints.save(state)
        self._saved_at = perf_counter()

    def resume(self, state: State) -> None:
        """Restore the state of a checkpoint."""
        try:
            self._progress = _Progress(**state["progress"])
            self.finished = list(state["finished"])
            self.best = Best(**state["best"]) if state["best"] else None
            self._module.load_state_dict(state["module"])
            self._optimizer = self._new_optimizer(self._progress.stage)
            self._optimizer.load_state_dict(state["optimizer"])
            self._ema = EMA(self._module, self._task.settings(self._progress.stage).ema)
            self._ema.load_state_dict(state["ema"])
            self._rloo_step.normalizer.load_state_dict(state["normalizer"])
            self._rloo_step.generator.set_state(state["generator"])
            torch.set_rng_state(state["default_generator"])
            set_random_state(self._device, state.get("device_generator"))
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise DataError("The checkpoint does not fit the model; train again in a new folder.") from error
