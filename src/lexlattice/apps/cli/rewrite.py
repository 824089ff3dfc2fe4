"""`lexlattice rewrite`: a summary in other words, of which only what can be verified is shown."""

from __future__ import annotations

import argparse
import json

from lexlattice.apps.cli.shell import Commands, output, say


def add(commands: Commands) -> None:
    """Declare the command."""
    command = commands.add_parser(
        "rewrite",
        help="a summary in other words, by a language model, checked sentence by sentence",
        description="Have a language model write the summary of an act in other words. Sentences whose numbers, dates, "
        "references or names are not in the provisions they cite are replaced by these provisions, word for word.",
    )
    command.set_defaults(run=_rewrite)
    command.add_argument("input", metavar="INPUT", help="a file, a CELEX number such as 32016R0679, or a URL")
    command.add_argument(
        "--endpoint",
        metavar="FILE.toml",
        required=True,
        help="the model: kind (anthropic or openai), url, model, key_from",
    )
    command.add_argument("--words", type=int, metavar="N", help="of the extract that is rewritten")
    command.add_argument("--lang", metavar="xx", help="language, if it is not to be found out")
    command.add_argument("--format", choices=("md", "json"), default="md", help="how it comes (default: %(default)s)")
    command.add_argument("-o", "--output", metavar="FILE", help="where it goes")


def _rewrite(options: argparse.Namespace) -> int:
    from lexlattice.research.llm import open_endpoint
    from lexlattice.research.rewriting import rewrite
    from lexlattice.summarizer import summarize

    with open_endpoint(options.endpoint) as endpoint:
        found = rewrite(summarize(options.input, words=options.words, language=options.lang), endpoint)
    kept = sum(sentence.status == "verified" for sentence in found.sentences)
    say(f"{kept} sentences were verified, {len(found.rejected)} rejected.")
    text = found.to_markdown() if options.format == "md" else json.dumps(found.to_dict(), ensure_ascii=False, indent=2)
    if options.output is None:
        print(text)
        return 0
    with output(options.output, options.input) as file:
        file.write(f"{text}\n".encode())
    return 0
