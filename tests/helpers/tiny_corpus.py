"""Rows of a tiny corpus in 24 languages: parts of the example act, and summaries made of its lines."""

from __future__ import annotations

from pathlib import Path

from lexlattice.reading import LANGUAGES

FIRST = ["bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "hr", "hu"]
"""Languages that have an act more to train on."""

Split = dict[str, list[dict[str, str]]]


def tiny_corpus(examples: Path) -> dict[str, Split]:
    """By language and split; every language has an act to train on, or two, and one to validate on."""
    corpus = {}
    for language in LANGUAGES:
        lines = (examples / "short" / f"{language}.txt").read_text("utf-8").splitlines()
        numbers = {"train": range(1 + (language in FIRST)), "validation": range(9, 10)}
        corpus[language] = {split: [tiny_row(lines, number) for number in some] for split, some in numbers.items()}
    return corpus


def tiny_row(lines: list[str], number: int) -> dict[str, str]:
    """An act that lacks some lines of another one, with every third of its long lines as the summary."""
    kept = [line for i, line in enumerate(lines[:44]) if i < 24 or i % 5 != number % 5]
    long = [line for line in kept if len(line) > 80]
    return {
        "celex_id": f"32024R9{number:03}",
        "reference": "\n".join(kept),
        "summary": "\n".join(long[number % 3 :: 3]),
    }
