"""`lexlattice train`: both stages, from prepared acts or from any data with acts and summaries."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from lexlattice.apps.cli.prepare import DATA, add_rows_options, jobs_for
from lexlattice.apps.cli.shell import Commands, say
from lexlattice.errors import LexLatticeError, MissingExtraError

if TYPE_CHECKING:
    from lexlattice.training.parallel import ProcessGroup

_STAGES = {"warm-start": ("warm-start",), "rloo": ("rloo",), "both": ("warm-start", "rloo")}


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "train",
        help="train a model on acts with summaries",
        description="Train a model on acts with summaries: first it imitates the oracle, then it reinforces what earns "
        "more. Writes model.safetensors, log.csv, config.toml and checkpoints into a folder. Several processes share "
        "the work with torchrun --nproc-per-node N -m lexlattice train ….",
    )
    command.set_defaults(run=_train)
    command.add_argument(
        "--config",
        metavar="NAME|FILE.toml",
        required=True,
        help="the configuration: provisions, paper, paper-static, coverage, or a TOML file",
    )
    command.add_argument(
        "--data", metavar="DATA", required=True, help=f"a folder that `lexlattice prepare` made; or {DATA}"
    )
    command.add_argument(
        "--validation", metavar="DATA", help="the same, to choose by (default: a tenth of the acts is held out)"
    )
    command.add_argument("-o", "--output", metavar="FOLDER", required=True, help="where the model goes")
    command.add_argument("--stage", choices=_STAGES, default="both", help="what to do (default: %(default)s)")
    command.add_argument("--resume", action="store_true", help="go on with what was begun in the folder")
    command.add_argument("--seed", type=int, metavar="N", help="another seed than the configuration's")
    command.add_argument(
        "--checkpoint-every",
        type=float,
        default=5.0,
        metavar="MINUTES",
        help="between checkpoints inside an epoch; there is one after each epoch always (default: %(default)g)",
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
    from lexlattice.evaluation.rows import parse_fields
    from lexlattice.training.config import read_config
    from lexlattice.training.run import MODEL, PrepareOptions, run_training
    from lexlattice.training.validation import format_figures

    if options.seed is not None and not 0 <= options.seed < 1 << 32:
        raise LexLatticeError("The seed is a whole number from 0, of less than 33 bits.")
    if not options.checkpoint_every >= 0:
        raise LexLatticeError("Minutes between checkpoints are a number from 0.")
    encoder = read_config(options.config).encoder.name
    best = run_training(
        options.config,
        options.data,
        options.output,
        validation=options.validation,
        stages=_STAGES[options.stage],
        resume=options.resume,
        seed=options.seed,
        prepare_options=PrepareOptions(
            fields=parse_fields(options.fields) if options.fields else None,
            language=options.language,
            jobs=jobs_for(encoder, options.jobs),
            strict=options.strict,
        ),
        checkpoint_seconds=60 * options.checkpoint_every,
        progress=not options.quiet and sys.stderr is not None,
        note=say,
        group=group,
    )
    if group and not group.is_main:
        return 0
    say(f"the best: {best.stage}, epoch {best.epoch}, {format_figures(best.figures)}")
    say(f"model: {options.output}/{MODEL}")
    return 0
