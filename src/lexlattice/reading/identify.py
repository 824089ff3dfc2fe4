"""Which of the 24 languages an act is in.

Acts give themselves away by their formulas ("Having regard to", "vu le", "tekintettel"), which costs a few
milliseconds to see; a text without them goes to py3langid's model, restricted to the 24, which takes a second to load.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from lexlattice.reading.grammar import HEAD, LANGUAGES, fold, raw

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LINES: Final = 400
"""Formulas stand near the beginning: citations, recitals, the enacting formula and the first articles."""

CERTAIN: Final = 3
"""So many formulas of one language, and twice as many as of any other, settle it."""

SAMPLE: Final = 6000
"""Characters shown to the statistical model."""


def identify(lines: Sequence[str]) -> str:
    """The language of an act, from its lines."""
    for line in lines[:6]:
        if len(line) == 2 and line.isupper() and line.lower() in LANGUAGES:
            return line.lower()
    votes = _votes(lines[:LINES])
    if votes:
        (best, count), *others = votes.most_common(2)
        if count >= CERTAIN and (not others or count >= 2 * others[0][1]):
            return best
    return classify("\n".join(lines)[: SAMPLE * 4])


def contradicts(lines: Sequence[str], language: str) -> str:
    """The language whose formulas a text has, if it has none of the language it is said to be in; else nothing."""
    votes = _votes(lines[:LINES])
    best, count = votes.most_common(1)[0] if votes else ("", 0)
    return best if count >= CERTAIN and not votes[language] else ""


def classify(text: str) -> str:
    """The language of any text, by py3langid's model; the middle counts, since headings mislead."""
    start = max(0, len(text) // 2 - SAMPLE // 2)
    label, _ = _model().classify(text[start : start + SAMPLE])
    return str(label)


def _votes(lines: Sequence[str]) -> Counter[str]:
    votes: Counter[str] = Counter()
    table = _openers()
    for line in lines:
        head = fold(line[:HEAD])
        for opener, languages in table.get(head[:4], ()):
            if head.startswith(opener) and not head[len(opener) : len(opener) + 1].isalpha():
                votes.update(languages)
    return votes


@cache
def _openers() -> dict[str, list[tuple[str, list[str]]]]:
    """All languages' formulas by their first letters, with the languages that use each."""
    users: dict[str, list[str]] = {}
    for language in LANGUAGES:
        openers = raw(language)["openers"]
        for what in ("citation", "recitals", "enacting", "binding", "closing"):
            for opener in openers[what]:
                folded = fold(opener)
                if len(folded) >= 4 and language not in users.setdefault(folded, []):
                    users[folded].append(language)
    table: dict[str, list[tuple[str, list[str]]]] = {}
    for opener, languages in users.items():
        table.setdefault(opener[:4], []).append((opener, languages))
    return table


@cache
def _model() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    model = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    model.set_languages(list(LANGUAGES))
    return model
