"""What the weights are, what they were made of and how good they are: written by the training itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import TYPE_CHECKING

from lexlattice.encoding.static import Static
from lexlattice.learning.encoder.lexicon import Lexicon
from lexlattice.learning.encoder.measure import Found, between_others, into_english
from lexlattice.learning.encoder.texts import Source
from lexlattice.reading import LANGUAGES

if TYPE_CHECKING:
    from lexlattice.learning.encoder.training import Recipe


def model_card(
    encoder: Static, sources: Sequence[Source], recipe: Recipe, lexicon: Lexicon, measured: Mapping[str, Found]
) -> str:
    """The whole card, in Markdown."""
    rows = [
        f"| {source.name} | {len(source.rows):,} | {len({code for row in source.rows for code in row})} | {source.licence} |"
        for source in sources
    ]
    settings = ", ".join(f"{name} {value}" for name, value in asdict(recipe).items() if name != "spelling")
    return f"""# Model card: the embedded encoder

Turns text in any of the 24 official languages of the European Union into a vector of {encoder.dimensions} numbers; texts that
say the same in two languages lie near each other. A text is the mean of its words, a word the sum of its subwords: there is
nothing else to it, so it is fast, and blind to the order of words.

- Fingerprint: `{encoder.fingerprint}`
- Subwords: {len(lexicon.vocabulary):,} with a vector of their own (the word, its first {_listed(recipe.spelling.prefixes)} letters, its
  first {_listed(recipe.spelling.folded)} letters in a spelling that neighbouring languages share), and {recipe.buckets:,} vectors
  that all other words share by their hash. Four bits a number.
- Recipe: {settings}.
- Made by: `lexlattice encoder train`, which also wrote this card.

## What it was trained on

| texts | rows | languages | licence |
|---|---|---|---|
{chr(10).join(rows)}

Contains information from JRC-Acquis, EuroVoc and EUR-Lex, © European Union, reused with acknowledgement of the source; the
European Union does not endorse the result. Sentences of Tatoeba are by its contributors (CC BY 2.0 FR). Not used: texts that may
not be passed on so, acts of EUR-Lex-Sum's validation split, and the acts of JRC-Acquis that are held out for measuring.

## How good it is

{quality(measured)}

## What it is weak at

- It does not see the order of words, nor negation: "A shall pay B" and "B shall pay A" are the same to it.
- Outside law, words that its texts do not have are known by their spelling only. Of the languages that are far from all others
  or have little text, most is lost; the table says how much.
- Irish and Croatian have no law in its texts: EuroVoc, Tatoeba and the Universal Declaration of Human Rights are all it knows them from.
- Other scripts than Latin, Greek and Cyrillic have no vectors; a text in them only is a zero vector.
"""


def quality(measured: Mapping[str, Found]) -> str:
    """Tables of what was found, in Markdown."""
    names = list(measured)
    english = {name: into_english(found) for name, found in measured.items()}
    lines = [
        "How often a text finds its translation first, among those of all others (precision at 1). *Law*: 500 sentences of acts",
        "that nothing was learned from, no two of which share four fifths of their English words; *near-doubles*: 500 with such",
        "sentences among them, which differ in a number or a word. *Modern law*: the acts that MultiEURLEX has in 23 languages.",
        "*News*: NTREX, twice 500 sentences. *Paragraphs*: three sentences that follow one another.",
        "",
        f"| into English from | {' | '.join(names)} |",
        f"|---|{'---|' * len(names)}",
    ]
    for code in LANGUAGES:
        if code != "en":
            lines.append(f"| {code} | {' | '.join(_share(english[name].get(code)) for name in names)} |")
    lines.append(f"| **mean** | {' | '.join(_share(fmean(english[name].values())) for name in names)} |")
    lines.append(f"| **worst** | {' | '.join(_share(min(english[name].values())) for name in names)} |")
    others = [between_others(measured[name]) for name in names]
    lines.append(f"| between the others, mean | {' | '.join(_share(fmean(pairs.values())) for pairs in others)} |")
    lines.append(f"| between the others, worst | {' | '.join(_share(min(pairs.values())) for pairs in others)} |")
    return "\n".join(lines)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _listed(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers)) or "no"
