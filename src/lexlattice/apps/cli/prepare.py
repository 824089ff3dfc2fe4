"""`lexlattice prepare`: acts with summaries, made ready to be learnt from."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from lexlattice.apps.cli.shell import Commands, say
from lexlattice.errors import LexLatticeError
from lexlattice.reading import PROFILES

if TYPE_CHECKING:
    from lexlattice.evaluation.oracle import Oracle

DATA = (
    "JSON Lines (.jsonl, .jsonl.gz) or Parquet with reference (the act) and summary, and celex_id and language if they "
    "are known; a folder saved by datasets; or hf:NAME:CONFIG:SPLIT"
)


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "prepare",
        help="make acts with summaries ready to be learnt from",
        description="Read and encode acts with summaries, find what an oracle would extract, and keep all that in a "
        "folder for `lexlattice train`. A run that was killed goes on where it stopped if it is started again.",
    )
    command.set_defaults(run=_prepare)
    command.add_argument("data", metavar="DATA", nargs="+", help=DATA)
    command.add_argument("-o", "--output", metavar="FOLDER", required=True, help="where the prepared acts go")
    command.add_argument(
        "--config", metavar="FILE.toml", help="take profile, encoder and oracle from a training's configuration"
    )
    command.add_argument("--profile", choices=PROFILES, help="how acts are read (default: provisions)")
    command.add_argument(
        "--encoder",
        metavar="NAME",
        help="what turns units into vectors: static, mt5, mt5:…, st:…, onnx:… (default: static)",
    )
    command.add_argument(
        "--oracle",
        choices=("budgeted", "greedy"),
        help="what is learnt from (default: greedy, the paper's, in profile paper; budgeted in the other)",
    )
    command.add_argument(
        "--gold",
        metavar="FILE.jsonl",
        help="learn from gold annotations and silver alignment instead: a file, or train or validation for the "
        "project's own",
    )
    command.add_argument(
        "--split", metavar="NAME", default="train", help="of a data set with several (default: %(default)s)"
    )
    command.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    add_rows_options(command)


def add_rows_options(command: argparse.ArgumentParser) -> None:
    """What can be said wherever rows are prepared."""
    command.add_argument(
        "--fields",
        metavar="OURS=THEIRS,…",
        help="what the data call the fields that have other names: reference=text,celex_id=bill_id",
    )
    command.add_argument("--language", metavar="xx", help="of the acts, if it is not to be found out")
    command.add_argument(
        "--jobs", type=int, metavar="N", help="processes (default: all cores with the encoder static, else one)"
    )
    command.add_argument("--strict", action="store_true", help="stop at a row that cannot be used; else it is left out")
    command.add_argument("--quiet", action="store_true", help="no progress bar")


def jobs_for(encoder: str, asked: int | None) -> int:
    """As many processes as asked for; transformers have threads of their own, and need a lot of memory each."""
    if asked is not None:
        return asked
    return os.cpu_count() or 1 if encoder.partition(":")[0] == "static" else 1


def _prepare(options: argparse.Namespace) -> int:
    from lexlattice.evaluation.rows import parse_fields
    from lexlattice.training.prepare import prepare

    profile, encoder, oracle = _settings(options)
    prepared = prepare(
        options.data,
        options.output,
        profile=profile,
        encoder=encoder,
        oracle=oracle,
        gold=options.gold,
        language=options.language,
        split=options.split,
        fields=parse_fields(options.fields) if options.fields else None,
        jobs=jobs_for(encoder, options.jobs),
        limit=options.limit,
        strict=options.strict,
        progress=not options.quiet and sys.stderr is not None,
        note=say,
    )
    about = prepared.manifest
    say(f"{len(prepared):,} acts with {about['units']:,} units, encoder {about['encoder']}: {options.output}")
    return 0


def _settings(options: argparse.Namespace) -> tuple[str, str, Oracle | None]:
    """Profile, encoder and oracle: from the configuration, or each as it was asked for."""
    from lexlattice.evaluation.oracle import Oracle
    from lexlattice.training.config import read_config

    if options.config is None:
        oracle = Oracle(options.oracle) if options.oracle else None
        return options.profile or "provisions", options.encoder or "static", oracle
    if given := [name for name in ("profile", "encoder", "oracle") if getattr(options, name)]:
        raise LexLatticeError(
            f"--{given[0]} is said in the configuration already; leave it out here, or change it there."
        )
    config = read_config(options.config)
    return config.profile, config.encoder.name, config.oracle
