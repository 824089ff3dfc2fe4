"""`lexlattice train`: warm start on the oracle, then reinforcement learning."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from lexlattice.apps.cli.common import ROWS, Commands, add_device, fields_of, info, shows_progress
from lexlattice.apps.cli.prepare import add_rows_options
from lexlattice.errors import MissingExtraError, OptionError

if TYPE_CHECKING:
    from lexlattice.training.parallel import ProcessGroup

_STAGES: Final = {"warm-start": ("warm-start",), "rloo": ("rloo",), "both": ("warm-start", "rloo")}


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "train",
        help="train a model on acts with summaries",
        description="Train a model on acts with summaries: a supervised warm start on the oracle, then reinforcement "
        "learning (RLOO). Writes model.safetensors, log.csv, config.toml and checkpoints. Interrupted runs resume "
        "bit-for-bit with --resume. For several processes, run torchrun --nproc-per-node N -m lexlattice train ….",
    )
    command.set_defaults(run=_train)
    command.add_argument(
        "--config",
        metavar="NAME|FILE.toml",
        required=True,
        help="training configuration: provisions, paper, paper-static, coverage, or a file",
    )
    command.add_argument(
        "--data", metavar="DATA", required=True, help=f"output folder of `lexlattice prepare`; or {ROWS}"
    )
    command.add_argument(
        "--validation", metavar="DATA", help="validation data, as --data (default: hold out a tenth of the acts)"
    )
    command.add_argument("-o", "--output", metavar="FOLDER", required=True, help="output folder")
    command.add_argument("--stage", choices=_STAGES, default="both", help="stages to run (default: %(default)s)")
    command.add_argument("--resume", action="store_true", help="resume the run in the output folder")
    command.add_argument("--seed", type=int, metavar="N", help="random seed (default: from the configuration)")
    command.add_argument(
        "--checkpoint-every",
        type=float,
        default=5.0,
        metavar="MINUTES",
        help="interval of checkpoints within an epoch, in addition to one per epoch (default: %(default)g)",
    )
    add_device(command)
    command.add_argument(
        "--threads",
        type=int,
        default=1,
        metavar="N",
        help="threads of a training on the CPU; more help large models only, and round sums differently "
        "(default: %(default)s)",
    )
    add_rows_options(command)


def _train(options: argparse.Namespace) -> int:
    try:
        from lexlattice.training.parallel import process_group
    except ImportError as error:
        raise MissingExtraError("Training", "train") from error
    with process_group() as group:
        return _train_in(group, options)


def _train_in(group: ProcessGroup | None, options: argparse.Namespace) -> int:
    from lexlattice.training.run import MODEL, PrepareOptions, run_training
    from lexlattice.training.validation import format_figures

    if options.seed is not None and not 0 <= options.seed < 1 << 32:
        raise OptionError(f"--seed must be an integer from 0 to {(1 << 32) - 1}, not {options.seed}.")
    if not options.checkpoint_every >= 0:
        raise OptionError(f"--checkpoint-every must be at least 0 minutes, not {options.checkpoint_every:g}.")
    best = run_training(
        options.config,
        options.data,
        options.output,
        validation=options.validation,
        stages=_STAGES[options.stage],
        resume=options.resume,
        seed=options.seed,
        device=options.device,
        threads=options.threads,
        prepare_options=PrepareOptions(
            fields=fields_of(options),
            language=options.language,
            hierarchy=options.hierarchy,
            jobs=options.jobs,
            strict=options.strict,
        ),
        checkpoint_seconds=60 * options.checkpoint_every,
        progress=shows_progress(options),
        note=info,
        group=group,
    )
    # Of several processes only the first reports.
    if group and not group.is_main:
        return 0
    info(f"best checkpoint: {best.stage}, epoch {best.epoch}, {format_figures(best.figures)}")
    info(f"model written to {options.output}/{MODEL}")
    return 0
