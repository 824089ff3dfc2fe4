"""`lexlattice prepare`: read and encode acts with summaries for training."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from lexlattice.apps.cli.common import (
    ENCODERS,
    ROWS,
    Commands,
    add_batch_tokens,
    add_encoder_options,
    add_fields,
    add_jobs,
    add_language,
    add_quiet,
    fields_of,
    info,
    shows_progress,
)
from lexlattice.errors import OptionError
from lexlattice.reading import PROFILES

if TYPE_CHECKING:
    from lexlattice.evaluation.oracle import Oracle


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "prepare",
        help="read and encode acts with summaries for training",
        description="Read and encode acts with summaries, compute their oracle extracts, and write all of it to a "
        "folder for `lexlattice train`. Interrupted runs resume when the same command is started again.",
    )
    command.set_defaults(run=_prepare)
    command.add_argument("data", metavar="DATA", nargs="+", help=ROWS)
    command.add_argument("-o", "--output", metavar="FOLDER", required=True, help="output folder")
    command.add_argument(
        "--config", metavar="FILE.toml", help="take profile, encoder and oracle from a training configuration"
    )
    command.add_argument("--profile", choices=PROFILES, help="units to divide acts into (default: provisions)")
    command.add_argument("--encoder", metavar="NAME", help=f"{ENCODERS} (default: static)")
    add_encoder_options(command)
    add_batch_tokens(command)
    command.add_argument(
        "--oracle",
        choices=("budgeted", "greedy"),
        help="how training targets are extracted (default: greedy for the profile paper, else budgeted)",
    )
    command.add_argument(
        "--gold",
        metavar="FILE",
        help="targets from gold annotations and silver alignment instead: a JSON Lines file, or train or validation "
        "for those in data/gold",
    )
    command.add_argument(
        "--split", metavar="NAME", default="train", help="split of the data set (default: %(default)s)"
    )
    command.add_argument("--limit", type=int, metavar="N", help="use the first N rows only")
    add_rows_options(command)


def add_rows_options(command: argparse.ArgumentParser) -> None:
    """Add the options of commands that prepare rows: `prepare`, and `train` with raw data."""
    add_fields(command)
    add_language(command)
    add_jobs(command)
    command.add_argument("--strict", action="store_true", help="fail at an unusable row instead of skipping it")
    add_quiet(command)


def _prepare(options: argparse.Namespace) -> int:
    from lexlattice.training.prepare import prepare

    profile, encoder, oracle = _settings(options)
    prepared = prepare(
        options.data,
        options.output,
        profile=profile,
        encoder=encoder,
        device=options.device,
        precision=options.precision,
        batch_tokens=options.batch_tokens,
        cache=options.cache,
        cache_limit=options.cache_limit,
        oracle=oracle,
        gold=options.gold,
        language=options.language,
        split=options.split,
        fields=fields_of(options),
        jobs=options.jobs,
        limit=options.limit,
        strict=options.strict,
        progress=shows_progress(options),
        note=info,
    )
    manifest = prepared.manifest
    info(
        f"{len(prepared):,} acts with {manifest['units']:,} units, encoder {manifest['encoder']}, "
        f"written to {options.output}"
    )
    return 0


def _settings(options: argparse.Namespace) -> tuple[str, str, Oracle | None]:
    """Return profile, encoder and oracle, from the configuration or from the options."""
    from lexlattice.evaluation.oracle import Oracle
    from lexlattice.training.config import read_config

    # Without --config each setting has its own option; with it the options would silently lose, so they are refused.
    if options.config is None:
        oracle = Oracle(options.oracle) if options.oracle else None
        return options.profile or "provisions", options.encoder or "static", oracle
    if given := [name for name in ("profile", "encoder", "oracle") if getattr(options, name)]:
        raise OptionError(f"--{given[0]} conflicts with --config; omit it, or change the configuration.")
    config = read_config(options.config)
    return config.profile, config.encoder.name, config.oracle
