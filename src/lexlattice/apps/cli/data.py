"""`lexlattice data`: download the data set of the paper."""

from __future__ import annotations

import argparse
from pathlib import Path

from lexlattice.apps.cli.common import Commands, add_quiet, info, shows_progress


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "data", help="download the data set of the paper", description="Download data sets for training and evaluation."
    )
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    get = actions.add_parser(
        "get",
        help="download a data set",
        description="Download EUR-Lex-Sum from the Hugging Face hub (or $HF_ENDPOINT) to "
        "FOLDER/LANGUAGE/SPLIT.parquet. Interrupted downloads resume when the same command is started again.",
    )
    get.set_defaults(run=_get)
    get.add_argument("name", choices=("eur-lex-sum",), help="the data set")
    get.add_argument(
        "--languages",
        metavar="xx,…",
        type=_listed,
        default=(),
        help="two-letter codes, such as en,fr (default: all 24)",
    )
    get.add_argument(
        "--splits",
        metavar="NAME,…",
        type=_listed,
        default=("train", "validation", "test"),
        help="train, validation, test (default: all three). The test split is only for final tables: never choose "
        "anything by it. Experiments need it to keep its acts out of training in all other languages",
    )
    get.add_argument(
        "-o", "--output", metavar="FOLDER", default="eur-lex-sum", help="output folder (default: %(default)s)"
    )
    add_quiet(get)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(name.strip().lower() for name in text.split(",") if name.strip())


def _get(options: argparse.Namespace) -> int:
    from lexlattice.evaluation.download import download_eur_lex_sum

    files = download_eur_lex_sum(
        Path(options.output), options.languages, options.splits, progress=shows_progress(options), note=info
    )
    rows, size = (sum(entry[key] for entry in files.values()) for key in ("rows", "bytes"))
    info(f"{rows:,} acts in {len(files)} files, {size / 1e6:,.1f} MB, in {options.output}")
    return 0
