"""The peers: other people's summarizers from PyPI, each with the units of an act as its sentences.

All that can be done before it ranks is done before: sentences are cut, words are found, stop words gone, the
frequencies of words in documents counted. What is timed is its ranking alone. lexrank and summa find words in their own
way; sumy's tokenizer wants a model from the network, so it is given one that needs none.

Nothing of ours is imported here, so that the cold start of a peer is its own:

Usage: python benchmarks/peers.py NAME FILE WORDS (a file with a sentence on each line)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TypeVar

Sentences = Sequence[str]
Ready = Callable[[int], list[str]]
"""Texts of the best sentences, up to N words."""

T = TypeVar("T")

_WORD = re.compile(r"[^\W\d_]+")


class Tokenizer:
    """Letters that stand together, in the form that sumy takes a tokenizer."""

    def __init__(self, stop_words: Iterable[str]) -> None:
        self._stop_words = frozenset(stop_words)

    def to_words(self, text: str) -> tuple[str, ...]:
        """The words that are left."""
        return tuple(word for word in _WORD.findall(text.lower()) if word not in self._stop_words)


def enough(best: Iterable[T], words: int, text_of: Callable[[T], str]) -> list[T]:
    """The first sentences, up to N words.

    >>> enough(["one two", "three", "four five", "six"], 3, str)
    ['one two', 'three']
    """
    taken = []
    for item in best:
        if words <= 0:
            break
        taken.append(item)
        words -= len(text_of(item).split())
    return taken


def sumy(method: str, texts: Sentences) -> Ready:
    """One of sumy's methods: "lex_rank", "text_rank" or "lsa"."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.utils import get_stop_words

    name = method.title().replace("_", "")
    summarizer = getattr(import_module(f"sumy.summarizers.{method}"), f"{name}Summarizer")()
    tokenizer = Tokenizer(get_stop_words("english"))
    document = ObjectDocumentModel([Paragraph(Sentence(text, tokenizer) for text in texts)])
    assert document.words  # found now, and kept

    def ready(words: int) -> list[str]:
        count = partial(enough, words=words, text_of=lambda rated: str(rated.sentence))
        return list(map(str, summarizer(document, count)))

    return ready


def lexrank(texts: Sentences) -> Ready:
    """The package of that name; each sentence is a document to it."""
    from lexrank import STOPWORDS, LexRank

    ranker = LexRank([[text] for text in texts], stopwords=STOPWORDS["en"])
    found = {text: ranker.tokenize_sentence(text) for text in texts}
    ranker.tokenize_sentence = found.__getitem__

    def ready(words: int) -> list[str]:
        scores = ranker.rank_sentences(texts, fast_power_method=False)  # the faster one, in spite of its name
        best = enough(scores.argsort()[::-1], words, texts.__getitem__)
        return [texts[place] for place in sorted(best)]

    return ready


def summa(texts: Sentences) -> Ready:
    """TextRank by the package of that name.

    Asked for words it returns nothing if its best sentence is twice as long as that: so it is asked for scores.
    """
    from summa import summarizer
    from summa.preprocessing import textcleaner

    textcleaner.init_textcleanner("english", None)
    units = textcleaner.merge_syntactic_units(texts, textcleaner.filter_words(texts))

    def ready(words: int) -> list[str]:
        summarizer._clean_text_by_sentences = lambda *_: list(units)
        scored = summarizer.summarize("", ratio=1.0, scores=True)
        order = sorted(range(len(scored)), key=lambda place: -scored[place][1])
        best = enough(order, words, lambda place: scored[place][0])
        return [scored[place][0] for place in sorted(best)]

    return ready


PEERS: dict[str, Callable[[Sentences], Ready]] = {
    "sumy LexRank": partial(sumy, "lex_rank"),
    "sumy TextRank": partial(sumy, "text_rank"),
    "sumy LSA": partial(sumy, "lsa"),
    "lexrank": lexrank,
    "summa": summa,
}


def main() -> None:
    """Rank the lines of a file, with no more packages at hand than sumy asks for: NLTK imports what else it finds."""
    name, path, words = sys.argv[1:]
    if name.startswith("sumy"):
        sys.modules.update(dict.fromkeys(("scipy", "sklearn", "pandas", "matplotlib")))  # type: ignore[arg-type]
    lines = Path(path).read_text("utf-8").splitlines()
    print("\n".join(PEERS[name](lines)(int(words))))


if __name__ == "__main__":
    main()
