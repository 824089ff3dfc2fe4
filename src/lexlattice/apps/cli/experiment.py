"""`lexlattice experiment`: a table or figure of the paper, from a file of settings."""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from pathlib import Path

from lexlattice.apps.cli.shell import Commands, say
from lexlattice.errors import LexLatticeError, MissingExtraError
from lexlattice.research.experiments import EXPERIMENTS, run_experiment


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "experiment",
        help="make a table of the paper anew",
        description="Make a table of the paper anew, as JSON, Markdown and LaTeX. What was ended goes on where it was.",
        epilog="; ".join(f"{name}: {what}" for name, what in EXPERIMENTS.items()),
    )
    command.set_defaults(run=_experiment)
    command.add_argument("name", metavar="NAME", choices=EXPERIMENTS, help=", ".join(EXPERIMENTS))
    command.add_argument("--config", metavar="FILE.toml", required=True, help="what it is to do")
    command.add_argument(
        "-o", "--output", metavar="FOLDER", default="build/experiments", help="where it goes (default: %(default)s)"
    )
    command.add_argument(
        "-j",
        "--jobs",
        type=int,
        metavar="N",
        default=os.cpu_count() or 1,
        help="processes (default: one for each core)",
    )
    command.add_argument("-q", "--quiet", action="store_true", help="say nothing while it works")


def _experiment(options: argparse.Namespace) -> int:
    if options.jobs < 1:
        raise LexLatticeError(f"{options.jobs} processes can do nothing; give one at least.")
    if find_spec("torch") is None:
        raise MissingExtraError("An experiment", "train")
    tables = run_experiment(
        options.name,
        options.config,
        options.output,
        command=f"lexlattice experiment {options.name} --config {options.config}",
        jobs=options.jobs,
        note=(lambda sentence: None) if options.quiet else say,
    )
    print("\n".join(table.to_markdown() for table in tables))
    say(f"tables: {Path(options.output) / Path(options.config).stem}")
    return 0
