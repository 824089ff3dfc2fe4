"""From a configuration and data to a trained model: what `lexlattice train` does."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeGuard

import numpy as np

from lexlattice import encoding
from lexlattice._internal.files import is_unused, sha256, write_whole, writing
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.sources import Source
from lexlattice.selection import Budget
from lexlattice.training.config import Config, Stage, read_config
from lexlattice.training.loop import EVERY, SILVER, STAGES, Best, Task, train
from lexlattice.training.parallel import Team
from lexlattice.training.prepare import Note, prepare
from lexlattice.training.prepared import Example, Key, Prepared
from lexlattice.training.trainable import Trainee
from lexlattice.training.validation import MeaningValidation

MODEL: Final = "model.safetensors"
_CONFIG: Final = "config.toml"
_PREPARED: Final = "prepared"
_SHARE: Final = 10
"""One act of so many is held out where no others are given to validate with."""


@dataclass(frozen=True)
class Raw:
    """How data that is not prepared yet is to be prepared."""

    fields: Mapping[str, str] | None = None
    gold: Mapping[str, str] | None = None
    """Files of gold annotations by split, for what learns from them; the project's own, if nothing is said."""
    language: str | None = None
    jobs: int = 1
    strict: bool = False


def run_training(
    config: str | os.PathLike[str],
    data: Source,
    folder: str | os.PathLike[str],
    *,
    validation: Source | None = None,
    stages: Sequence[str] = STAGES,
    resume: bool = False,
    seed: int | None = None,
    raw: Raw | None = None,
    every: float = EVERY,
    progress: bool = False,
    note: Note = lambda sentence: None,
    team: Team | None = None,
) -> Best:
    """Train a model into a folder: weights, log, checkpoints, a copy of the configuration.

    `data` and `validation` are folders of prepared acts, or whatever `prepare` takes, which is then prepared first.
    Acts that are in both are not learnt from. Without `validation` a tenth of the acts is held out for it. All
    processes of a team call this alike; the first one prepares, writes and tells, and the others wait until it has
    prepared.
    """
    chosen, target = read_config(config), Path(folder)
    if chosen.silver is not None and "warm-start" in stages:
        stages = (SILVER, *stages)
    leads = team is None or team.is_first
    if team:
        team.check(min(_recipe(chosen, stage).batch for stage in stages))
    if team and not leads:
        progress, note = False, _silently
        team.meet()
        data = _ready(data, target / _PREPARED / "train")
        validation = None if validation is None else _ready(validation, target / _PREPARED / "validation")
    with _claimed(target, Path(config), chosen, resume) if leads else nullcontext():
        # the same acts are held out whatever the other seed, so that seeds can be compared
        training, held_out = _data(data, validation, target / _PREPARED, chosen, raw or Raw(), progress, note)
        chosen = chosen if seed is None else replace(chosen, seed=seed)
        if team and leads:
            team.meet()
        trainee = trainee_for(chosen, training)
    if (count := training.without_choice) and not chosen.learns_from_gold:
        note(f"Of {count} acts the oracle takes nothing; stage 1 passes over them.")
    identity = {
        "configuration": sha256(repr(replace(chosen, seed=0)).encode()),
        "set of training data": _digest(training),
        "set of validation data": _digest(held_out),
    }
    note(f"Training on {len(training):,} acts, validating with {len(held_out):,}.")
    by_meaning: dict[str, Any] = {}
    if chosen.learns_from_gold:
        annotated, held_out = training.with_choice, held_out.with_choice
        note(f"With gold annotations are {len(annotated):,} and {len(held_out):,} of these.")
        if not annotated or not held_out:
            raise LexLatticeError("Acts with gold annotations are needed to train on and to validate with; give both.")
        by_meaning = {"silver": chosen.silver, "annotated": annotated, "validator": MeaningValidation(held_out)}
    budget = Budget.parse(chosen.selection.budget)
    task = Task(
        trainee, training, held_out, chosen.warm_start, chosen.rloo, chosen.seed, budget, identity, **by_meaning
    )
    best = train(task, target, stages=stages, every=every, progress=progress, note=note, team=team)
    if leads:
        trainee.save(target / MODEL, _about(chosen, training, best))
    return best


def trainee_for(config: Config, training: Sequence[Example]) -> Trainee:
    """The model that a configuration is of, with its first weights."""
    if config.network == "consolidator":
        from lexlattice.training.models.paper import PaperTrainee

        return PaperTrainee(config)
    if config.network == "meaning":
        from lexlattice.training.models.provisions import MeaningTrainee

        return MeaningTrainee(config, training)
    from lexlattice.research.coverage.training import CoverageTrainee

    return CoverageTrainee(config, training)


def check_fits(prepared: Prepared, config: Config) -> None:
    """Refuse acts that were prepared otherwise than the configuration says."""
    made = prepared.manifest
    wanted = {
        "profile": config.profile,
        "encoder": config.encoder.name,
        "dimensions": config.encoder.dimensions,
    }
    if config.learns_from_gold and "gold" not in made:
        raise LexLatticeError(f"'{prepared.folder}' was prepared without gold annotations; prepare it with --gold.")
    if not config.learns_from_gold:
        wanted["oracle"] = asdict(config.oracle)
    if config.encoder.name == "static":
        wanted["fingerprint"] = encoding.load().fingerprint
    for name, value in wanted.items():
        if made[name] != value:
            raise LexLatticeError(
                f"'{prepared.folder}' was prepared with the {name} {_shown(made[name])}, not {_shown(value)}; prepare "
                "the data anew, or change the configuration."
            )


def split_off(prepared: Prepared, seed: int) -> tuple[Prepared, Prepared]:
    """The acts without a tenth of them, and that tenth; all rows of an act are on the same side."""
    groups: dict[str, list[int]] = {}
    for index, key in enumerate(prepared.keys):
        groups.setdefault(key.celex or key.text, []).append(index)
    acts = list(groups.values())
    if len(acts) < 2:
        raise LexLatticeError("One act cannot be learnt from and validated with as well; give more.")
    drawn = np.random.default_rng(seed).permutation(len(acts))[: max(1, round(len(acts) / _SHARE))]
    held_out = {index for act in drawn for index in acts[act]}
    rest = [index for index in range(len(prepared)) if index not in held_out]
    return prepared.take(rest), prepared.take(sorted(held_out))


def without(training: Prepared, validation: Prepared, note: Note) -> Prepared:
    """The acts that are not among those to validate with, in whatever language."""
    numbers = {key.celex for key in validation.keys} - {""}
    texts = {key.text for key in validation.keys}
    kept = [i for i, key in enumerate(training.keys) if key.celex not in numbers and key.text not in texts]
    if dropped := len(training) - len(kept):
        note(f"{dropped} of {len(training)} rows are of acts to validate with, and are not learnt from.")
    if not kept:
        raise LexLatticeError("All acts are among those to validate with; give others to learn from.")
    return training.take(kept)


def _recipe(config: Config, stage: str) -> Stage:
    if stage == SILVER and config.silver is not None:
        return config.silver
    return config.rloo if stage == "rloo" else config.warm_start


def _ready(source: Source, place: Path) -> Source:
    """Where acts are, once the first process has prepared what was not."""
    return source if _is_prepared(source) else place


def _is_prepared(source: Source) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(source, str | os.PathLike) and Prepared.is_at(Path(source))


def _silently(sentence: str) -> None:
    """The first process tells."""


@contextmanager
def _claimed(folder: Path, config: Path, chosen: Config, resume: bool) -> Iterator[None]:
    """Make the folder this training's own, or see that it is; let it go if nothing comes of it."""
    is_new = is_unused(folder)
    if is_new:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / _CONFIG, config.read_bytes())
    elif not resume:
        raise LexLatticeError(f"'{folder}' is not empty; name a new folder, or go on with --resume.")
    elif not (folder / _CONFIG).is_file():
        raise LexLatticeError(f"'{folder}' holds no training; name the folder of one, or a new one.")
    elif read_config(folder / _CONFIG) != chosen:
        raise LexLatticeError(f"'{folder}' was begun with another configuration; go on with '{folder / _CONFIG}'.")
    try:
        yield
    except LexLatticeError:
        with suppress(OSError):  # nothing was prepared, or something was, which is kept
            (folder / _PREPARED).rmdir()
        if is_new and [path.name for path in folder.iterdir()] == [_CONFIG]:
            (folder / _CONFIG).unlink()
            folder.rmdir()
        raise


def _data(
    data: Source,
    validation: Source | None,
    place: Path,
    config: Config,
    raw: Raw,
    progress: bool,
    note: Note,
) -> tuple[Prepared, Prepared]:
    """The acts to learn from and to validate with; what is not prepared yet is prepared as the configuration says."""

    def opened(source: Source, split: str) -> Prepared:
        if _is_prepared(source):
            found = Prepared.open(source, verify=True)
            if raw.fields or raw.language or raw.strict:
                note(f"'{source}' is prepared already: names of fields, language and strictness change nothing there.")
        else:
            asked = {"profile": config.profile, "encoder": config.encoder.name, "oracle": config.oracle, **vars(raw)}
            asked["gold"] = (raw.gold or {}).get(split, split) if config.learns_from_gold else None
            found = prepare([source], place / split, split=split, progress=progress, note=note, **asked)
        check_fits(found, config)
        return found

    if validation is None:
        training, held_out = split_off(opened(data, "train"), config.seed)
        note(f"No data to validate with are given: {len(held_out)} of the acts are held out for that.")
    else:
        held_out = opened(validation, "validation")  # first, since it is shorter: what is wrong with it is soon known
        training = without(opened(data, "train"), held_out, note)
    if training.manifest["fingerprint"] != held_out.manifest["fingerprint"]:
        raise LexLatticeError("The acts to validate with were prepared with another encoder; prepare them anew.")
    return training, held_out


def _digest(prepared: Prepared) -> str:
    """Of all that decides what is learnt from these acts."""
    keys: list[Key] = prepared.keys
    return sha256(json.dumps([prepared.manifest["shards"], keys]).encode())


def _about(config: Config, training: Prepared, best: Best) -> dict[str, str]:
    """What a model says of itself; nothing that differs between two runs of the same training."""
    return {
        "profile": config.profile,
        "encoder": config.encoder.name,
        "fingerprint": training.manifest["fingerprint"],
        "dimensions": str(config.encoder.dimensions),
        "seed": str(config.seed),
        "acts": str(len(training)),
        "stage": best.stage,
        "epoch": str(best.epoch),
        "validation": json.dumps({name: round(figure, 4) for name, figure in best.figures.items()}),
    }


def _shown(value: Any) -> str:
    return json.dumps(value)
