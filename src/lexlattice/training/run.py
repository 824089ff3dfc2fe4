"""`lexlattice train`: from a configuration and data to a trained model in a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final, TypeGuard

import numpy as np

from lexlattice import encoding
from lexlattice._internal.files import is_unused, make_folder, sha256, write_whole
from lexlattice.encoding.devices import choose_device
from lexlattice.errors import DataError, LexLatticeError, OutputError
from lexlattice.evaluation.sources import Source
from lexlattice.reading.hierarchies import Hierarchy
from lexlattice.selection import Budget
from lexlattice.training.config import NETWORKS, Config, Stage, find_config, read_config
from lexlattice.training.loop import CHECKPOINT_SECONDS, SILVER, STAGES, Best, Task, train
from lexlattice.training.parallel import ProcessGroup
from lexlattice.training.prepare import Note, prepare
from lexlattice.training.prepared import Example, Key, Prepared
from lexlattice.training.threads import check_threads, limit_threads
from lexlattice.training.trainable import TrainableModel
from lexlattice.training.validation import GoldValidation

MODEL: Final = "model.safetensors"
_CONFIG: Final = "config.toml"
_PREPARED: Final = "prepared"
_HELD_OUT: Final = 10
"""One act in ten is held out for validation if no validation data are given."""


@dataclass(frozen=True)
class PrepareOptions:
    """How to prepare data that are not prepared yet."""

    fields: Mapping[str, str] | None = None
    gold: Mapping[str, str] | None = None
    """Files of gold annotations by split, for networks that learn from them; the packaged ones by default."""
    language: str | None = None
    hierarchy: str | os.PathLike[str] | Hierarchy | None = None
    """How to read documents that are no EU acts: a TOML file, or the name of a packaged hierarchy."""
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
    device: str = "auto",
    threads: int = 1,
    prepare_options: PrepareOptions | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    progress: bool = False,
    note: Note = lambda sentence: None,
    group: ProcessGroup | None = None,
) -> Best:
    """Train a model into a folder: weights, log, checkpoints and a copy of the configuration.

    All processes of a group must call this function with the same arguments. The main process prepares the data, writes
    and reports; the others wait until the data are prepared.

    Args:
        config: the name of a packaged configuration, or a TOML file.
        data: a folder of prepared acts, or anything `prepare` accepts, which is then prepared first.
        folder: a new folder, or that of an interrupted run with `resume`.
        validation: the same as `data`; by default, a tenth of the acts is held out. Acts that are in both are not
            trained on.
        stages: the stages to run.
        resume: whether to resume the run in the folder.
        seed: overrides the seed of the configuration.
        device: where to train, and where a transformer encodes data that are not prepared yet: `auto`, `cpu`, `cuda` or
            `mps`. With a process group, each process has its own GPU.
        threads: of PyTorch and NumPy on the CPU; with another number, sums are rounded differently.
        prepare_options: how to prepare data that are not prepared yet.
        checkpoint_seconds: time between checkpoints inside an epoch.
        progress: whether to show progress bars.
        note: receives messages for the user.
        group: the process group, if `torchrun` started several processes.

    Returns:
        The best weights and their validation figures.

    Raises:
        ConfigError: the configuration is not valid.
        DataError: the data do not fit the configuration, or are too few.
        OptionError: there is no such device, or no such number of threads.
        OutputError: the folder cannot be used.
        TrainingError: the training diverged or was interrupted.

    """
    config_path, target = find_config(config), Path(folder)
    settings = read_config(config_path)
    computes_on = choose_device(device)
    check_threads(threads)
    if settings.silver is not None and "warm-start" in stages:
        stages = (SILVER, *stages)
    is_main = group is None or group.is_main
    if group:
        group.check(min(_stage(settings, stage).batch for stage in stages))
    if group and not is_main:
        progress, note = False, lambda sentence: None
        group.connect(computes_on)  # returns once the main process has prepared the data
        data = _prepared_source(data, target / _PREPARED / "train")
        validation = None if validation is None else _prepared_source(validation, target / _PREPARED / "validation")
    with _claimed(target, config_path, settings, resume) if is_main else nullcontext():
        # split by the configuration's seed before it is overridden, so that runs with other seeds can be compared
        training, held_out = _load_data(
            data, validation, target / _PREPARED, settings, prepare_options or PrepareOptions(), device, progress, note
        )
        settings = settings if seed is None else replace(settings, seed=seed)
        if group and is_main:
            group.connect(computes_on)
        model = model_for(settings, training)
        model.module.to(computes_on)
    if (count := training.without_choice) and not settings.learns_from_gold:
        note(f"The oracle selects nothing from {count} acts; stage 1 skips them.")
    identity = {
        "configuration": sha256(repr(replace(settings, seed=0)).encode()),
        "set of training data": _digest(training),
        "set of validation data": _digest(held_out),
    }
    note(f"Training on {len(training):,} acts, validating on {len(held_out):,}.")
    gold: dict[str, Any] = {}
    if settings.learns_from_gold:
        annotated, held_out = training.with_choice, held_out.with_choice
        note(f"Of these, {len(annotated):,} and {len(held_out):,} have gold annotations.")
        if not annotated or not held_out:
            raise DataError("Training and validation both need acts with gold annotations; add some.")
        gold = {"silver": settings.silver, "annotated": annotated, "validator": GoldValidation(held_out)}
    budget = Budget.parse(settings.selection.budget)
    task = Task(model, training, held_out, settings.warm_start, settings.rloo, settings.seed, budget, identity, **gold)
    with limit_threads(threads):
        best = train(
            task,
            target,
            stages=stages,
            checkpoint_seconds=checkpoint_seconds,
            progress=progress,
            note=note,
            group=group,
        )
    if is_main:
        model.save(target / MODEL, _metadata(settings, training, best))
    return best


def model_for(config: Config, training: Sequence[Example]) -> TrainableModel:
    """Return the model of a configuration with its initial weights.

    Some models take the means and deviations of their features from the training data.
    """
    model: TrainableModel = resolve_name(NETWORKS[config.network].model)(config, training)
    return model


def check_prepared(prepared: Prepared, config: Config) -> None:
    """Raise DataError if acts were prepared with other settings than the configuration's."""
    manifest = prepared.manifest
    wanted = {
        "profile": config.profile,
        "encoder": config.encoder.name,
        "dimensions": config.encoder.dimensions,
    }
    if config.learns_from_gold and "gold" not in manifest:
        raise DataError(f"'{prepared.folder}' was prepared without gold annotations; prepare it with --gold.")
    if not config.learns_from_gold:
        wanted["oracle"] = asdict(config.oracle)
    if config.encoder.name == "static":
        wanted["fingerprint"] = encoding.load().fingerprint
    for name, value in wanted.items():
        if manifest[name] != value:
            raise DataError(
                f"'{prepared.folder}' was prepared with {name} {json.dumps(manifest[name])}, not {json.dumps(value)}; "
                "prepare the data again, or change the configuration."
            )


def split_validation(prepared: Prepared, seed: int) -> tuple[Prepared, Prepared]:
    """Split off a tenth of the acts for validation; all rows of an act stay on the same side."""
    groups: dict[str, list[int]] = {}
    for index, key in enumerate(prepared.keys):
        groups.setdefault(key.celex or key.text, []).append(index)
    acts = list(groups.values())
    if len(acts) < 2:
        raise DataError("A single act cannot be split into training and validation data; add more acts.")
    sampled = np.random.default_rng(seed).permutation(len(acts))[: max(1, round(len(acts) / _HELD_OUT))]
    held_out = {index for act in sampled for index in acts[act]}
    rest = [index for index in range(len(prepared)) if index not in held_out]
    return prepared.take(rest), prepared.take(sorted(held_out))


def exclude_validation(training: Prepared, validation: Prepared, note: Note) -> Prepared:
    """Return the training data without the acts of the validation data, in any language."""
    numbers = {key.celex for key in validation.keys} - {""}
    texts = {key.text for key in validation.keys}
    kept = [i for i, key in enumerate(training.keys) if key.celex not in numbers and key.text not in texts]
    if dropped := len(training) - len(kept):
        note(f"{dropped} of {len(training)} training rows are of validation acts and are skipped.")
    if not kept:
        raise DataError("All training acts are validation acts too; add others.")
    return training.take(kept)


def _stage(config: Config, stage: str) -> Stage:
    if stage == SILVER and config.silver is not None:
        return config.silver
    return config.rloo if stage == "rloo" else config.warm_start


def _prepared_source(source: Source, folder: Path) -> Source:
    """The folder of prepared acts, once the main process has prepared what was not."""
    return source if _is_prepared(source) else folder


def _is_prepared(source: Source) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(source, str | os.PathLike) and Prepared.is_at(Path(source))


@contextmanager
def _claimed(folder: Path, config_path: Path, config: Config, resume: bool) -> Iterator[None]:
    """Create the folder of a run, or check that it is that of this run; remove it if the data turn out unusable."""
    is_new = is_unused(folder)
    if is_new:
        make_folder(folder)
        write_whole(folder / _CONFIG, config_path.read_bytes())
    elif not resume:
        raise OutputError(f"'{folder}' is not empty; name a new folder, or resume the run in it with --resume.")
    elif not (folder / _CONFIG).is_file():
        raise OutputError(f"'{folder}' does not hold a training run; name the folder of one, or a new folder.")
    elif read_config(folder / _CONFIG) != config:
        raise OutputError(
            f"The run in '{folder}' was started with another configuration; resume it with '{folder / _CONFIG}'."
        )
    try:
        yield
    except LexLatticeError:
        with suppress(OSError):  # not empty: prepared data are kept
            (folder / _PREPARED).rmdir()
        if is_new and [path.name for path in folder.iterdir()] == [_CONFIG]:
            (folder / _CONFIG).unlink()
            folder.rmdir()
        raise


def _load_data(
    data: Source,
    validation: Source | None,
    folder: Path,
    config: Config,
    options: PrepareOptions,
    device: str,
    progress: bool,
    note: Note,
) -> tuple[Prepared, Prepared]:
    """Open the training and validation data, preparing them first if necessary."""

    def opened(source: Source, split: str) -> Prepared:
        if _is_prepared(source):
            prepared = Prepared.open(source, verify=True)
            if options.fields or options.language or options.hierarchy or options.strict:
                note(f"'{source}' is already prepared; the options for reading and for its fields are ignored.")
        else:
            prepared = prepare(
                [source],
                folder / split,
                split=split,
                profile=config.profile,
                encoder=config.encoder.name,
                device=device,
                oracle=config.oracle,
                gold=(options.gold or {}).get(split, split) if config.learns_from_gold else None,
                fields=options.fields,
                language=options.language,
                hierarchy=options.hierarchy,
                jobs=options.jobs,
                strict=options.strict,
                progress=progress,
                note=note,
            )
        check_prepared(prepared, config)
        return prepared

    if validation is None:
        training, held_out = split_validation(opened(data, "train"), config.seed)
        note(f"No validation data are given; {len(held_out)} acts are held out.")
    else:
        held_out = opened(validation, "validation")  # first, since it is smaller: its errors show sooner
        training = exclude_validation(opened(data, "train"), held_out, note)
    if training.manifest["fingerprint"] != held_out.manifest["fingerprint"]:
        raise DataError("Training and validation data were prepared with different encoders; prepare them again.")
    return training, held_out


def _digest(prepared: Prepared) -> str:
    """A digest of everything in the data that affects training."""
    keys: list[Key] = prepared.keys
    return sha256(json.dumps([prepared.manifest["shards"], keys]).encode())


def _metadata(config: Config, training: Prepared, best: Best) -> dict[str, str]:
    """The metadata of the weights file; nothing that differs between two runs of the same training."""
    return {
        "profile": config.profile,
        "encoder": config.encoder.name,
        "fingerprint": training.manifest["fingerprint"],
        **({"precision": training.manifest["precision"]} if "precision" in training.manifest else {}),
        "dimensions": str(config.encoder.dimensions),
        "seed": str(config.seed),
        "acts": str(len(training)),
        "stage": best.stage,
        "epoch": str(best.epoch),
        "validation": json.dumps({name: round(figure, 4) for name, figure in best.figures.items()}),
    }
