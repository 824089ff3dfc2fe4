"""`lexlattice parse`: read an act and show its structure."""

from __future__ import annotations

import argparse
import json
import sys

from lexlattice.act.document import Act, Section
from lexlattice.apps.cli.common import Commands, add_hierarchy, add_input, add_language, check_stdout, info, read_input
from lexlattice.reading import FORMATS, PROFILES
from lexlattice.reading.structure.health import health
from lexlattice.reading.structure.provisions import SENTENCES_FROM
from lexlattice.rendering.status import notices, standing


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "parse",
        help="read an act and show its structure",
        description="Read an act and show its structure: an outline on a terminal, JSON otherwise.",
    )
    command.set_defaults(run=_parse)
    add_input(command)
    add_language(command)
    add_hierarchy(command)
    command.add_argument("--format", metavar="NAME", help=f"input format (default: detected): {', '.join(FORMATS)}")
    command.add_argument(
        "--profile",
        choices=PROFILES,
        default="provisions",
        help="units to divide the act into: provisions as lawyers cite them, or the paper's paragraphs "
        "(default: %(default)s)",
    )
    command.add_argument(
        "--sentences-from",
        type=int,
        metavar="N",
        default=SENTENCES_FROM,
        help="split provisions of more than N words into sentences; 0 to never split (default: %(default)s)",
    )
    command.add_argument(
        "--health",
        action="store_true",
        help="report parsing problems instead: gaps in numbering, duplicate citations, very long units …",
    )
    shape = command.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print JSON (default when piped)")
    shape.add_argument("--tree", action="store_true", help="print an outline with word counts (default on a terminal)")


def _parse(options: argparse.Namespace) -> int:
    check_stdout()
    act = read_input(
        options.input,
        language=options.language,
        profile=options.profile,
        format=options.format,
        sentences_from=options.sentences_from,
        hierarchy=options.hierarchy,
    )
    indent = 1 if sys.stdout.isatty() else None
    as_json = options.json or not (options.tree or sys.stdout.isatty())
    if options.health:
        report = health(act)
        print(json.dumps(report.to_dict(), ensure_ascii=False, indent=indent) if as_json else report)
    else:
        print(act.to_json(indent=indent) if as_json else _tree(act))
    for warning in act.warnings:
        info(f"warning: {warning}")
    return 0


def _tree(act: Act) -> str:
    """Return an outline: the headings in order, with the number of units and words below each."""
    number, counts = act.consolidated_celex or act.celex, (f"{len(act.units):,} units", f"{act.words:,} words")
    facts = [number, act.type, act.date, act.language, *standing(act), *counts]
    lines = [act.title or "(no title)", " · ".join(fact for fact in facts if fact), *notices(act), ""]
    width = min(72, max((2 * len(section.enclosing) + len(_name(section)) for section in act.sections), default=0))
    open_divisions: tuple[str, ...] = ()
    for section in act.sections:
        # A division is printed where its path differs from the previous section's: two may have the same heading.
        for depth, heading in enumerate(section.enclosing):
            if open_divisions[: depth + 1] != section.enclosing[: depth + 1]:
                lines.append(f"{'  ' * depth}{heading}")
        open_divisions = section.enclosing
        words = sum(unit.words for unit in section.units)
        name = f"{'  ' * len(section.enclosing)}{_name(section)}"
        name = f"{name[: width - 1]}…" if len(name) > width else name
        units = "unit " if len(section.units) == 1 else "units"
        lines.append(f"{name:<{width}}  {len(section.units):>5,} {units} {words:>7,} words")
    kinds = sorted({piece.kind for piece in act.furniture} - {"heading"})
    if kinds:
        lines += ["", f"not part of any unit: {', '.join(kinds)}"]
    return "\n".join(lines)


def _name(section: Section) -> str:
    label = section.label or section.kind
    return f"{label} — {section.heading}" if section.heading else label
