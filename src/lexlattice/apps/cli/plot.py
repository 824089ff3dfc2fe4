"""`lexlattice plot`: draw the lattice of an act, or the salience of its units."""

from __future__ import annotations

import argparse

from lexlattice.apps.cli.common import Commands, add_input, add_language, info, output_file, read_input
from lexlattice.errors import OptionError


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
        help="lattice: sections and their units; salience: the score of each unit before and after each step",
    )
    add_input(command)
    command.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="output file; its suffix (.svg, .png, .pdf) is the format"
    )
    add_language(command)
    command.add_argument(
        "--words",
        type=int,
        metavar="N",
        help="salience only: mark a summary of at most N words (default: the length of official summaries)",
    )


def _plot(options: argparse.Namespace) -> int:
    from lexlattice.rendering.figures import format_of, plot_lattice, plot_salience, rendered

    if options.figure == "lattice" and options.words is not None:
        raise OptionError("--words applies to the figure 'salience' only; omit it.")
    format = format_of(options.output)
    with output_file(options.output, options.input) as file:
        act = read_input(options.input, language=options.language)
        if options.figure == "lattice":
            figure = plot_lattice(act)
        else:
            from lexlattice.selection import SummaryOptions
            from lexlattice.summarizer import shipped

            chosen = [item.id for item in shipped().summarize(act, SummaryOptions(words=options.words))]
            figure = plot_salience(act, shipped().trajectory(act), chosen)
        file.write(rendered(figure, format))
    for warning in act.warnings:
        info(f"warning: {warning}")
    return 0
