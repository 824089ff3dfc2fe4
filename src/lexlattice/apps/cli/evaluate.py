"""`lexlattice evaluate`: compare systems on acts with reference summaries."""

from __future__ import annotations

import argparse
import json

from lexlattice.apps.cli.common import (
    ENCODERS,
    ROWS,
    Commands,
    add_encoder_options,
    add_fields,
    add_hierarchy,
    add_jobs,
    add_language,
    add_length,
    add_quiet,
    budget_of,
    check_stdout,
    fail,
    fields_of,
    info,
    shows_progress,
)
from lexlattice.reading import PROFILES


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "evaluate",
        help="compare systems on acts with reference summaries",
        description="Compare systems on acts with official summaries at equal length, by meaning and ROUGE.",
        epilog="Systems: lexlattice (the shipped model), coverage (a research model that maximizes ROUGE), lead, "
        "random, lexrank, textrank, centroid, published, oracle, oracle-greedy; with --encoder also lexrank-vectors "
        "and published-vectors; with --gold also gold (the annotated extract); model:FILE for a trained "
        "model, scores:FILE for one without its decoder; package.module:attribute for your own function, extracts:FILE "
        "for a file of extracts, endpoint:URL for a service. NAME=SYSTEM sets the name in tables.",
    )
    command.set_defaults(run=_evaluate)
    command.add_argument("data", metavar="DATA", help=ROWS)
    command.add_argument(
        "--system",
        metavar="NAME,…",
        default="lexlattice,lead,random,lexrank",
        help="systems to compare (default: %(default)s)",
    )
    command.add_argument(
        "--gold",
        metavar="FILE",
        help="gold annotations: evaluate only the annotated acts, and report points, precision and F1 first; train and "
        "validation name those in data/gold",
    )
    add_length(command, reference=True)
    command.add_argument(
        "--profile",
        choices=PROFILES,
        default="provisions",
        help="units to divide acts into; paper also cuts extracts to the budget (default: %(default)s)",
    )
    command.add_argument("--mode", metavar="MODE", help="whole or paper (default: depends on the profile)")
    command.add_argument(
        "--tokenizer",
        metavar="NAME,…",
        default="unicode,compat",
        help="ROUGE tokens: unicode (words of any script), compat (as rouge-score); with English stems: "
        "unicode-stemmed, compat-stemmed (default: %(default)s)",
    )
    add_language(command)
    add_hierarchy(command)
    command.add_argument("--encoder", metavar="NAME", help=f"encoder of the vector systems: {ENCODERS}")
    add_encoder_options(command)
    add_fields(command)
    command.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (default: %(default)s)")
    command.add_argument(
        "--split", metavar="NAME", default="validation", help="split of the data set (default: %(default)s)"
    )
    command.add_argument("--limit", type=int, metavar="N", help="use the first N rows only")
    add_jobs(command)
    command.add_argument(
        "--per-act",
        metavar="FILE",
        default="evaluation.jsonl",
        help="write the results of each act to this file, as JSON Lines (default: %(default)s)",
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    add_quiet(command)


def _evaluate(options: argparse.Namespace) -> int:
    from lexlattice.evaluation import evaluate
    from lexlattice.evaluation.report import report

    check_stdout()
    result = evaluate(
        options.data,
        options.system,
        budget=budget_of(options, "reference"),
        profile=options.profile,
        mode=options.mode,
        tokenizers=options.tokenizer,
        language=options.language,
        encoder=options.encoder,
        device=options.device,
        precision=options.precision,
        cache=options.cache,
        cache_limit=options.cache_limit,
        seed=options.seed,
        jobs=options.jobs,
        split=options.split,
        limit=options.limit,
        per_act=options.per_act,
        gold=options.gold,
        fields=fields_of(options),
        hierarchy=options.hierarchy,
        progress=shows_progress(options),
        note=info,
    )
    if options.json:
        print(json.dumps(result.to_dict(), ensure_ascii=False))
        for row in result.skipped:
            info(f"skipped line {row['line']}: {row['reason']}")
        for row in result.notes:
            info(f"note on line {row['line']}: {row['note']}")
    else:
        print(report(result))
    info(f"results of each act written to {options.per_act}")
    if any(row["is_end"] for row in result.skipped):
        return fail(f"The data are damaged: only {result.acts} acts could be read. Download the file again.")
    return 0
