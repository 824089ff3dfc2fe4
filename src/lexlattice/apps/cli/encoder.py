"""`lexlattice encoder`: train the embedded encoder, measure an encoder, convert and export mT5."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from lexlattice.apps.cli.common import ENCODERS, Commands, add_quiet, info, shows_bar, shows_progress
from lexlattice.errors import MissingExtraError, OptionError


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "encoder",
        help="train, measure, convert or export an encoder",
        description="Train the embedded encoder, measure how well an encoder retrieves translations, or convert and "
        "export mT5.",
    )
    actions = command.add_subparsers(title="actions", required=True, metavar="ACTION")
    train = actions.add_parser(
        "train",
        help="train the embedded encoder",
        description="Train the embedded encoder, and write its weights with a model card.",
    )
    train.set_defaults(run=_train)
    _add_data(train)
    train.add_argument("-o", "--output", metavar="FILE.safetensors", required=True, help="output file")
    train.add_argument("--steps", type=int, metavar="N", help="training steps")
    train.add_argument("--dimensions", type=int, metavar="N", help="dimensions of the vectors, an even number")
    train.add_argument("--vocabulary", type=int, metavar="N", help="subwords in the vocabulary")
    train.add_argument("--initial", choices=("svd", "random"), help="initialization of the vectors")
    train.add_argument("--seed", type=int, metavar="N", help="random seed")
    add_quiet(train)
    measure = actions.add_parser(
        "measure",
        help="measure how well an encoder retrieves translations, language by language",
        description="Measure how often a sentence in one language retrieves its translation among 500 in another.",
    )
    measure.set_defaults(run=_measure)
    _add_data(measure)
    measure.add_argument("--encoder", metavar="NAME", default="static", help=f"{ENCODERS} (default: %(default)s)")
    convert = actions.add_parser(
        "convert",
        help="convert mT5 from pickled weights to safetensors",
        description="Download mT5 from the Hugging Face hub (or $HF_ENDPOINT), or take a folder, and write its encoder "
        "half as safetensors. Pickled weights are read in a process of their own, which accepts nothing but tensors.",
    )
    convert.set_defaults(run=_convert)
    convert.add_argument("model", metavar="ID-or-FOLDER", help="the mT5 model, such as google/mt5-base")
    convert.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        help="output folder, which must be new (default: the cache, where mt5:ID finds it)",
    )
    add_quiet(convert)
    export = actions.add_parser(
        "export",
        help="export mT5 for ONNX Runtime",
        description="Export mT5 to a folder that needs only ONNX Runtime; use it as the encoder onnx:FOLDER.",
    )
    export.set_defaults(run=_export)
    export.add_argument("encoder", metavar="mt5|mt5:ID-or-FOLDER", help="the mT5 model")
    export.add_argument("-o", "--output", metavar="FOLDER", required=True, help="output folder, which must be new")
    export.add_argument("--int8", action="store_true", help="quantize to 8 bits: a third of the size, and faster")


def _add_data(command: argparse.ArgumentParser) -> None:
    command.add_argument("data", metavar="DATA", nargs="?", help="data folder (default: $LEXLATTICE_DATA)")


def _train(options: argparse.Namespace) -> int:
    data = _data_folder(options.data)
    try:
        from lexlattice.research.encoder.run import train_encoder
    except ImportError as error:
        raise MissingExtraError("Training the encoder", "train") from error
    names = ("steps", "dimensions", "vocabulary", "initial", "seed")
    changes = {name: value for name in names if (value := getattr(options, name)) is not None}
    card = train_encoder(data, Path(options.output), changes, progress=shows_bar(options))
    info(f"weights written to {options.output}, model card to {card}")
    return 0


def _measure(options: argparse.Namespace) -> int:
    from lexlattice.encoding import load
    from lexlattice.research.encoder.measure import evaluate_encoder, results_table

    print(results_table(evaluate_encoder(load(options.encoder).encode, _data_folder(options.data))))
    return 0


def _convert(options: argparse.Namespace) -> int:
    from lexlattice.encoding.convert import convert
    from lexlattice.encoding.mt5 import BASE

    folder = convert(options.model, options.output, progress=shows_progress(options), note=info)
    name = "mt5" if options.model == BASE else f"mt5:{options.model}"
    info(f"use it as mt5:{folder}" if options.output else f"use it as {name}; it is in {folder}")
    return 0


def _export(options: argparse.Namespace) -> int:
    from lexlattice.encoding import load
    from lexlattice.encoding.mt5 import MT5, export_onnx

    encoder = load(options.encoder)
    if not isinstance(encoder, MT5):
        raise OptionError(f"'{options.encoder}' is not an mT5 encoder; only mT5 can be exported.")
    info(f"use it as onnx:{export_onnx(encoder, options.output, int8=options.int8)}")
    return 0


def _data_folder(name: str | None) -> Path:
    folder = name or os.environ.get("LEXLATTICE_DATA", "")
    if not folder:
        raise OptionError("No data folder is set; pass one, or set LEXLATTICE_DATA.")
    if not Path(folder).is_dir():
        raise OptionError(f"There is no data folder '{folder}'; pass another, or set LEXLATTICE_DATA.")
    return Path(folder)
