"""`lexlattice evaluate`: compare systems on acts with summaries."""

from __future__ import annotations

import argparse
import json
import os
import sys

from lexlattice.apps.cli.shell import Commands, fail, say
from lexlattice.errors import LexLatticeError
from lexlattice.evaluation.rows import parse_fields
from lexlattice.reading import PROFILES


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "evaluate",
        help="compare systems on acts with summaries",
        description="Compare systems on acts with official summaries, at the same length, by meaning and ROUGE.",
        epilog="Systems: lexlattice (what people get), coverage (for research: most words of summaries), lead, random, "
        "lexrank, textrank, centroid, published, oracle, oracle-greedy; with --encoder lexrank-vectors, "
        "published-vectors; with --gold gold (the annotated extract); a trained model as model:FILE, without its "
        "decoder as scores:FILE; your own as package.module:attribute.",
    )
    command.set_defaults(run=_evaluate)
    command.add_argument(
        "data",
        metavar="DATA",
        help="JSON Lines (.jsonl, .jsonl.gz) or Parquet with celex_id, reference and summary; a folder saved by "
        "datasets; or hf:NAME:CONFIG:SPLIT",
    )
    command.add_argument(
        "--system",
        metavar="NAME,…",
        default="lexlattice,lead,random,lexrank",
        help="what to compare (default: %(default)s)",
    )
    command.add_argument(
        "--gold",
        metavar="FILE",
        help="gold annotations: evaluate the annotated acts only, and report points, precision and F1 first; train and "
        "validation are the project's own (data/gold)",
    )
    length = command.add_mutually_exclusive_group()
    length.add_argument("--words", type=int, metavar="N", help="length of the extracts, short for --budget words:N")
    length.add_argument(
        "--budget",
        default="reference",
        metavar="BUDGET",
        help="length of the extracts: reference (as long as each summary, the default), words:N, ratio:R, or auto "
        "(as long as official summaries of acts of that length)",
    )
    command.add_argument(
        "--profile",
        choices=PROFILES,
        default="provisions",
        help="how acts are read; paper also cuts extracts to the budget, provisions takes whole units",
    )
    command.add_argument("--mode", metavar="MODE", help="whole or paper, if it is not to follow the profile")
    command.add_argument(
        "--tokenizer",
        metavar="NAME,…",
        default="unicode,compat",
        help="unicode: words of any script; compat: as rouge-score does (default: both)",
    )
    command.add_argument("--lang", metavar="xx", help="language of the acts, if it is not to be found out")
    command.add_argument(
        "--encoder",
        metavar="NAME",
        help="what turns texts into vectors: static, mt5, mt5:…, st:…, onnx:… or your own package.module:attribute",
    )
    command.add_argument("--cache", metavar="FOLDER", help="keep vectors there, and take those that are there already")
    command.add_argument(
        "--fields",
        metavar="OURS=THEIRS,…",
        help="what rows call the fields: reference=reference_fr,summary=summary_en,original=reference_en, where "
        "original is the version that gold annotations count the words of",
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="for what is drawn (default: %(default)s)")
    command.add_argument(
        "--split", metavar="NAME", default="validation", help="of a data set with several (default: %(default)s)"
    )
    command.add_argument("--limit", type=int, metavar="N", help="only the first N rows")
    command.add_argument(
        "--jobs", type=int, metavar="N", default=os.cpu_count() or 1, help="processes (default: all cores)"
    )
    command.add_argument(
        "--per-act",
        metavar="FILE",
        default="evaluation.jsonl",
        help="where the results of each act go, one JSON object a line (default: %(default)s)",
    )
    command.add_argument("--json", action="store_true", help="everything, as JSON")
    command.add_argument("--quiet", action="store_true", help="no progress bar")


def _evaluate(options: argparse.Namespace) -> int:
    from lexlattice.evaluation import evaluate
    from lexlattice.evaluation.report import report

    if sys.stdout is None:
        raise LexLatticeError("Standard output is closed; open it to see the result.")
    result = evaluate(
        options.data,
        options.system,
        budget=options.budget if options.words is None else options.words,
        profile=options.profile,
        mode=options.mode,
        tokenizers=options.tokenizer,
        language=options.lang,
        encoder=options.encoder,
        cache=options.cache,
        seed=options.seed,
        jobs=options.jobs,
        split=options.split,
        limit=options.limit,
        per_act=options.per_act,
        gold=options.gold,
        fields=parse_fields(options.fields) if options.fields else None,
        progress=not options.quiet and sys.stderr is not None,
        note=say,
    )
    if options.json:
        print(json.dumps(result.to_dict(), ensure_ascii=False))
        for row in result.skipped:
            say(f"left out, line {row['line']}: {row['reason']}")
        for row in result.notes:
            say(f"note, line {row['line']}: {row['note']}")
    else:
        print(report(result))
    say(f"results of each act: {options.per_act}")
    if any(row["is_end"] for row in result.skipped):
        return fail(f"The data are damaged, and only {result.acts} of the acts could be read; get the file anew.")
    return 0
