"""`lexlattice encoder`: train the embedded encoder anew, measure an encoder, export mT5."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from lexlattice.apps.cli.shell import Commands, say
from lexlattice.errors import LexLatticeError, MissingExtraError


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "encoder",
        help="train, measure or export an encoder",
        description="Train the embedded encoder anew, measure how well an encoder finds translations, or export mT5.",
    )
    actions = command.add_subparsers(required=True, metavar="ACTION")
    data = {"metavar": "DATA", "nargs": "?", "help": "the data folder (default: what LEXLATTICE_DATA names)"}
    train = actions.add_parser(
        "train",
        help="train the embedded encoder from the data folder",
        description="Train the embedded encoder from the data folder, and write its weights with a model card.",
    )
    train.set_defaults(run=_train)
    train.add_argument("data", **data)  # type: ignore[arg-type]
    train.add_argument("-o", "--output", metavar="FILE.safetensors", required=True, help="where the weights go")
    train.add_argument("--steps", type=int, metavar="N", help="fewer or more steps of training than the recipe has")
    train.add_argument("--dimensions", type=int, metavar="N", help="length of the vectors, an even number")
    train.add_argument("--vocabulary", type=int, metavar="N", help="subwords that have a vector of their own")
    train.add_argument("--initial", choices=("svd", "random"), help="where training starts")
    train.add_argument("--seed", type=int, metavar="N", help="for what is drawn")
    train.add_argument("--quiet", action="store_true", help="no progress bar")
    measure = actions.add_parser(
        "measure",
        help="how well an encoder finds translations, language by language",
        description="How often a sentence in one language finds its translation among 500 in another.",
    )
    measure.set_defaults(run=_measure)
    measure.add_argument("data", **data)  # type: ignore[arg-type]
    measure.add_argument("--encoder", metavar="NAME", default="static", help="which encoder (default: %(default)s)")

    export = actions.add_parser(
        "export",
        help="make a folder for ONNX Runtime of mT5",
        description="Make a folder of mT5 that needs ONNX Runtime only, to be used as onnx:FOLDER.",
    )
    export.set_defaults(run=_export)
    export.add_argument("encoder", metavar="mt5|mt5:ID-or-FOLDER", help="which mT5")
    export.add_argument("-o", "--output", metavar="FOLDER", required=True, help="a new folder")
    export.add_argument("--int8", action="store_true", help="in a third of the size, and faster")


def _train(options: argparse.Namespace) -> int:
    data = _data(options.data)
    try:
        from lexlattice.research.encoder.run import train_encoder
    except ImportError as error:
        raise MissingExtraError("Training the encoder", "train") from error
    chosen = {name: getattr(options, name) for name in ("steps", "dimensions", "vocabulary", "initial", "seed")}
    changes = {name: value for name, value in chosen.items() if value is not None}
    card = train_encoder(data, Path(options.output), changes, progress=not options.quiet and sys.stderr is not None)
    say(f"weights: {options.output}; model card: {card}")
    return 0


def _measure(options: argparse.Namespace) -> int:
    from lexlattice.encoding import load
    from lexlattice.research.encoder.measure import evaluate_encoder, results_table

    print(results_table(evaluate_encoder(load(options.encoder).encode, _data(options.data))))
    return 0


def _export(options: argparse.Namespace) -> int:
    from lexlattice.encoding import load
    from lexlattice.encoding.mt5 import MT5, export

    encoder = load(options.encoder)
    if not isinstance(encoder, MT5):
        raise LexLatticeError(f"'{options.encoder}' is no mT5, and only mT5 can be exported.")
    say(f"use it as onnx:{export(encoder, options.output, int8=options.int8)}")
    return 0


def _data(named: str | None) -> Path:
    folder = named or os.environ.get("LEXLATTICE_DATA", "")
    if not folder or not Path(folder).is_dir():
        raise LexLatticeError(
            f"There is no data folder '{folder}'; name it, or set LEXLATTICE_DATA."
            if folder
            else "No data folder is known; name it, or set LEXLATTICE_DATA."
        )
    return Path(folder)
