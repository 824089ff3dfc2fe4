"""`lexlattice plot`: the lattice of an act, or how salience settles on it, as a picture."""

from __future__ import annotations

import argparse
import sys

from lexlattice.apps.cli.shell import Commands, output, say
from lexlattice.errors import LexLatticeError
from lexlattice.reading import LANGUAGES, read
from lexlattice.selection import SummaryOptions


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "plot",
        help="draw the lattice of an act, or the salience of its units",
        description="Draw the lattice of an act, or the salience of its units step by step, as SVG, PNG or PDF.",
    )
    command.set_defaults(run=_plot)
    command.add_argument(
        "figure",
        choices=("lattice", "salience"),
        help="lattice: sections and their units; salience: what matters, before the first step and after each",
    )
    command.add_argument(
        "input",
        metavar="FILE|-|CELEX|URL",
        help="a file or Formex folder, - for standard input, a CELEX number such as 32016R0679, or a URL",
    )
    command.add_argument(
        "-o", "--output", metavar="FIGURE.svg|png|pdf", required=True, help="where the figure goes, and in what format"
    )
    command.add_argument(
        "--lang",
        metavar="xx",
        help=f"language, if it is not to be found out (for CELEX numbers: English): {' '.join(LANGUAGES)}",
    )
    command.add_argument(
        "--words", type=int, metavar="N", help="of salience: choose units of so many words (default: as summaries have)"
    )


def _plot(options: argparse.Namespace) -> int:
    from lexlattice.rendering.figures import format_of, plot_lattice, plot_salience, rendered

    if options.figure == "lattice" and options.words is not None:
        raise LexLatticeError("Nothing is chosen in a lattice; leave --words out, or plot the salience.")
    if options.input == "-" and sys.stdin is None:
        raise LexLatticeError("Standard input is closed; give a file, or open it.")
    if not options.input:
        raise LexLatticeError("No input was named; give a file, a CELEX number or a URL.")
    format = format_of(options.output)
    source = sys.stdin.buffer if options.input == "-" else options.input
    with output(options.output, options.input) as file:
        act = read(source, language=options.lang.lower() if options.lang else None)
        if options.figure == "lattice":
            figure = plot_lattice(act)
        else:
            from lexlattice.summarizer import Summarizer

            summarizer = Summarizer.from_pretrained()
            chosen = [item.id for item in summarizer.summarize(act, SummaryOptions(words=options.words))]
            figure = plot_salience(act, summarizer.trajectory(act), chosen)
        file.write(rendered(figure, format))
    for warning in act.warnings:
        say(f"note: {warning}")
    return 0
