"""`lexlattice rewrite`: rewrite a summary with a language model, and keep only verified sentences."""

from __future__ import annotations

import argparse
import json

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


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "rewrite",
        help="rewrite a summary with a language model, and verify each sentence",
        description="Rewrite the summary of an act in plain words with a language model. Sentences whose numbers, "
        "dates, references or names do not occur in the provisions they cite are replaced by these provisions.",
    )
    command.set_defaults(run=_rewrite)
    add_input(command)
    command.add_argument(
        "--endpoint",
        metavar="FILE.toml",
        required=True,
        help="the language model: kind (anthropic or openai), url, model, key_from",
    )
    add_length(command)
    add_language(command)
    command.add_argument("--format", choices=("md", "json"), default="md", help="output format (default: %(default)s)")
    command.add_argument("-o", "--output", metavar="FILE", help="output file (default: standard output)")


def _rewrite(options: argparse.Namespace) -> int:
    from lexlattice.research.llm import open_endpoint
    from lexlattice.research.rewriting import rewrite
    from lexlattice.summarizer import summarize

    with open_endpoint(options.endpoint) as endpoint:
        act = read_input(options.input, language=options.language)
        result = rewrite(summarize(act, budget=budget_of(options)), endpoint)
    verified = sum(sentence.status == "verified" for sentence in result.sentences)
    info(f"{verified} sentences verified, {len(result.rejected)} rejected.")
    if options.format == "md":
        text = result.to_markdown()
    else:
        text = json.dumps(result.to_dict(), ensure_ascii=False, indent=2)
    if options.output is None:
        print(text)
        return 0
    with output_file(options.output, options.input) as file:
        file.write(f"{text}\n".encode())
    return 0
