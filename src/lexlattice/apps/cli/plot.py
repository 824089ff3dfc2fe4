"""`lexlattice plot`: draw the lattice of an act, or the salience of its units."""

from __future__ import annotations

import argparse

from lexlattice.apps.cli.common import (
    Commands,
    add_input,
    add_language,
    add_length,
    budget_of,
    info,
    output_file,
    read_input,
)
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
    add_length(command)


def _plot(options: argparse.Namespace) -> int:
    from lexlattice.rendering.figures import format_of, plot_lattice, plot_salience, rendered

    if options.figure == "lattice" and (options.words, options.ratio, options.budget) != (None, None, None):
        raise OptionError("A length applies to the figure 'salience' only, where it marks a summary; omit it.")
    format = format_of(options.output)
    with output_file(options.output, options.input) as file:
        act = read_input(options.input, language=options.language)
        if options.figure == "lattice":
            figure = plot_lattice(act)
        else:
            from lexlattice.selection import SummaryOptions
            from lexlattice.summarizer import shipped

            chosen = [item.id for item in shipped().summarize(act, SummaryOptions(budget=budget_of(options)))]
            figure = plot_salience(act, shipped().trajectory(act), chosen)
        file.write(rendered(figure, format))
    for warning in act.warnings:
        info(f"warning: {warning}")
    return 0
