"""`lexlattice experiment`: reproduce a table or figure of the paper."""

from __future__ import annotations

import argparse
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lexlattice.apps.cli.common import ENCODERS, Commands, add_device, add_jobs, add_quiet, info, shows_progress
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
    command.add_argument(
        "--config", metavar="NAME", required=True, help="settings: packaged ones such as paper/table2, or a TOML file"
    )
    command.add_argument("--data", metavar="FOLDER", help="data instead of those in the settings")
    command.add_argument("--languages", metavar="xx,…", help="languages (default: those of the settings)")
    command.add_argument("--split", metavar="NAME", help="split to evaluate on (default: that of the settings)")
    command.add_argument("--encoder", metavar="NAME", help=f"encoder of all models: {ENCODERS}")
    command.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="another setting, such as acts=20; repeatable"
    )
    command.add_argument(
        "-o", "--output", metavar="FOLDER", default="build/experiments", help="output folder (default: %(default)s)"
    )
    add_jobs(command)
    add_device(command)
    add_quiet(command)


def _experiment(options: argparse.Namespace) -> int:
    from lexlattice.encoding.devices import choose_device
    from lexlattice.research.experiments import run_experiment
    from lexlattice.research.experiments.settings import parse_change, settings_name

    if options.jobs < 1:
        raise OptionError(f"--jobs must be at least 1, not {options.jobs}.")
    if find_spec("torch") is None:
        raise MissingExtraError("An experiment", "train")
    choose_device(options.device)  # an error now, not after hours
    tables = run_experiment(
        options.name,
        options.config,
        options.output,
        command=_command(options),
        changes={**_changes(options), **dict(map(parse_change, options.set))},
        jobs=options.jobs,
        device=options.device,
        note=(lambda sentence: None) if options.quiet else info,
        progress=shows_progress(options),
    )
    print("\n".join(table.to_markdown() for table in tables))
    info(f"tables written to {Path(options.output) / settings_name(options.config)}")
    return 0


def _changes(options: argparse.Namespace) -> dict[str, Any]:
    """The settings that have options of their own, as far as they are given."""
    given = {name: value for name in ("data", "split", "encoder") if (value := getattr(options, name)) is not None}
    return given if options.languages is None else {**given, "languages": options.languages.lower().split(",")}


def _command(options: argparse.Namespace) -> str:
    """The command that makes the same tables again, as far as it determines them."""
    words = ["lexlattice", "experiment", options.name, "--config", options.config]
    for name in ("data", "languages", "split", "encoder"):
        if (value := getattr(options, name)) is not None:
            words += [f"--{name}", value]
    for change in options.set:
        words += ["--set", change]
    return shlex.join(words)
