"""`lexlattice experiment`: reproduce a table or figure of the paper."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lexlattice.apps.cli.common import Commands, add_device, add_jobs, add_quiet, info
from lexlattice.errors import MissingExtraError, OptionError


class _ListExperiments(argparse.Action):
    """Prints the experiments and exits, so that they are imported only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from lexlattice.research.experiments import EXPERIMENTS

        width = max(map(len, EXPERIMENTS))
        print("\n".join(f"{name:<{width}}  {description}" for name, description in EXPERIMENTS.items()))
        parser.exit()


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "experiment",
        help="reproduce a table or figure of the paper",
        description="Reproduce a table or figure of the paper as JSON, Markdown and LaTeX. Interrupted runs resume "
        "when the same command is started again.",
    )
    command.set_defaults(run=_experiment)
    command.add_argument("name", metavar="NAME", help="name of the experiment; --list shows all")
    command.add_argument("--list", action=_ListExperiments, nargs=0, help="list the experiments and exit")
    command.add_argument("--config", metavar="FILE.toml", required=True, help="settings of the experiment")
    command.add_argument(
        "-o", "--output", metavar="FOLDER", default="build/experiments", help="output folder (default: %(default)s)"
    )
    add_jobs(command)
    add_device(command)
    add_quiet(command)


def _experiment(options: argparse.Namespace) -> int:
    from lexlattice.encoding.devices import choose_device
    from lexlattice.research.experiments import run_experiment

    if options.jobs < 1:
        raise OptionError(f"--jobs must be at least 1, not {options.jobs}.")
    if find_spec("torch") is None:
        raise MissingExtraError("An experiment", "train")
    choose_device(options.device)  # an error now, not after hours
    tables = run_experiment(
        options.name,
        options.config,
        options.output,
        command=f"lexlattice experiment {options.name} --config {options.config}",
        jobs=options.jobs,
        device=options.device,
        note=(lambda sentence: None) if options.quiet else info,
    )
    print("\n".join(table.to_markdown() for table in tables))
    info(f"tables written to {Path(options.output) / Path(options.config).stem}")
    return 0
