"""Acts that are cited by number, with their kind: the regulation of a number is not the directive of that number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lexlattice.rewriting.lexicon import Found, Lexicon
from lexlattice.rewriting.tokens import Line

_ACT: Final = re.compile(r"\d{1,4}/\d{1,4}")
_DIGITS: Final = 4
_JOINING: Final = 3
"""The kind is so near to the number of an article: "Article 5 of that Regulation"."""
_BEFORE: Final = 8
"""So many words may stand between the kind and the number: "Regulation of the Council (EC) No 5/2004"."""


def is_act(number: str) -> bool:
    """Whether a number is that of an act.

    >>> is_act("2016/679"), is_act("1/2")
    (True, False)
    """
    return _ACT.match(number) is not None and sum(map(str.isdigit, number)) >= _DIGITS


def kinds(line: Line, known: Lexicon) -> dict[int, str]:
    """The kind of each act that a line cites by number, by the place of the number; empty where none is named."""
    named = known.acts.find(line)
    return {
        place: _kind(place, named, known.act_after_number)
        for place, token in enumerate(line.tokens)
        if token.kind == "number" and is_act(token.text)
    }


def without_article(said: Line, cited: Sequence[Line], known: Lexicon) -> str:
    """The first article that a sentence names of an act and the provisions name of another only."""
    given = {pair for line in cited for pair in _articles(line, known)}
    return next((f"{article} … {act}" for article, act in _articles(said, known) if (article, act) not in given), "")


def _articles(line: Line, known: Lexicon) -> list[tuple[str, str]]:
    """Numbers that stand right before the kind of an act, with the number of that act: "Article 5 of Regulation …"."""
    numbers = [place for place, token in enumerate(line.tokens) if token.kind == "number"]
    acts = list(kinds(line, known))
    pairs = []
    for one in known.acts.find(line):
        of = [place for place in acts if 0 <= place - one.end < _BEFORE]
        article = [place for place in numbers if 0 < one.start - place <= _JOINING and place not in acts]
        joined = article and all(line.is_joined(place) for place in range(article[-1], one.start))
        if of and joined:
            pairs.append((line.tokens[article[-1]].text, line.tokens[of[0]].text))
    return pairs


def _kind(place: int, named: list[Found], is_after: bool) -> str:
    before = [one.concept for one in reversed(named) if 0 <= place - one.end < _BEFORE]
    after = [one.concept for one in named if 0 < one.start - place <= _BEFORE]
    nearest = [*after, *before] if is_after else [*before, *after]
    return nearest[0] if nearest else ""
