"""Which of the 24 languages an act is in, and how much of its text speaks for that.

Acts give themselves away by their formulas ("Having regard to", "vu le", "tekintettel"), which costs a few
milliseconds to see; a text without them goes to py3langid's model, which takes a second to load. It knows a hundred
other languages too, and so tells what is in none of the 24.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from lexlattice.reading.languages.grammar import HEAD, LANGUAGES, fold, raw

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LINES: Final = 400
"""Formulas stand near the beginning: citations, recitals, the enacting formula and the first articles."""

SOON: Final = 80
"""Lines that are enough for most acts."""

CERTAIN: Final = 3
"""So many formulas of one language, of two kinds and twice as many as of any other, settle it."""

SAMPLE: Final = 6000
"""Characters shown to the statistical model."""

LEAST_SHARE: Final = 0.55
"""Of acts three quarters of the letters and more speak for official languages; of other texts a quarter at most."""

_PIECE, _PIECES, _SHORTEST = 250, 16, 80
"""Characters and number of the pieces that are asked one by one, and characters of a line that is a sentence."""
_FEWEST_PIECES: Final = 4
_TELLING: Final = 400
"""Characters of a text that is long enough to be doubted."""
_SIGNS: Final = frozenset("{}=_\\$@^~")
_MOST_SIGNS: Final = 0.015
"""The share of signs that programs and data have, and sentences do not."""
_FEWEST_LETTERS: Final = 0.6
_ITS_LETTERS: Final = 0.8
"""Shares of a piece that are letters, and letters of the language's alphabet, where it is a sentence."""
_SAME: Final = {"bs": "hr", "sr": "hr"}
"""Languages that a statistical model cannot tell from one of the 24, and that read like it, if in the same letters."""


def identify(lines: Sequence[str]) -> str:
    """The language of an act, from its lines; of one that stands in two, the first."""
    for line in lines[:6]:
        if len(line) == 2 and line.isupper() and line.lower() in LANGUAGES:
            return line.lower()
    first = lines[: len(lines) // 2]  # of a text in two languages, one after the other
    return by_formulas(lines) or by_formulas(first) or classify("\n".join(lines)[: SAMPLE * 2])


def by_formulas(lines: Sequence[str]) -> str:
    """The language whose formulas an act has, if they leave no doubt; else nothing.

    One kind does not settle it: "under henvisning til" is Norwegian as well.
    """
    for most in (SOON, LINES):
        votes, kinds = _votes(lines[:most])
        if votes:
            (best, count), *others = votes.most_common(2)
            if count >= CERTAIN and len(kinds[best]) > 1 and (not others or count >= 2 * others[0][1]):
                return best
        if len(lines) <= most:
            break
    return ""


def contradicts(lines: Sequence[str], language: str) -> str:
    """The language whose formulas a text has, if it has none of the language it is said to be in; else nothing."""
    votes, _ = _votes(lines[:LINES])
    best, count = votes.most_common(1)[0] if votes else ("", 0)
    return best if count >= CERTAIN and not votes[language] else ""


def classify(text: str) -> str:
    """The language of any text, by py3langid's model; the middle counts, since headings mislead."""
    start = max(0, len(text) // 2 - SAMPLE // 2)
    ranking = _model().rank(text[start : start + SAMPLE])
    return next(str(label) for label, _ in ranking if label in LANGUAGES)


def share_of(lines: Sequence[str], languages: Collection[str] = LANGUAGES) -> float:
    """The share of the letters, in a sample of the text's sentences, that speaks for one of some languages."""
    speaking = total = 0
    for piece in _pieces(lines):
        letters = sum(map(str.isalpha, piece))
        total += letters
        if letters and _is_prose(piece, letters):
            label = str(_model().classify(piece)[0])
            label = _SAME.get(label, label)
            if label in languages and _fits(piece, letters, label):
                speaking += letters
    return speaking / total if total else 0.0


def misfit(lines: Sequence[str], language: str) -> float | None:
    """The share that speaks for a language, where it is so small that the text can hardly be in it.

    Of a text with one of its formulas, or too short to tell, nothing is said.
    """
    votes, _ = _votes(lines[:LINES])
    if votes[language] or sum(map(len, lines[:LINES])) < _TELLING:
        return None
    share = share_of(lines, (language,))
    return share if share < LEAST_SHARE else None


def _pieces(lines: Sequence[str]) -> list[str]:
    """Pieces of the sentences near the beginning, or of all of a text that has few."""
    found = [piece for line in lines[:LINES] for piece in _cut(line[: SAMPLE * 4]) if len(piece) >= _SHORTEST]
    if len(found) < _FEWEST_PIECES:
        found = list(_cut(" ".join(lines[:LINES])[:SAMPLE]))
    step = max(1.0, len(found) / _PIECES)
    return [found[int(i * step)] for i in range(min(_PIECES, len(found)))]


def _cut(line: str) -> Iterator[str]:
    return (line[i : i + _PIECE] for i in range(0, len(line), _PIECE))


def _is_prose(piece: str, letters: int) -> bool:
    """Whether a piece can be of a sentence: letters above all, no program and no data."""
    length = len(piece) - piece.count(" ")
    signs = sum(character in _SIGNS for character in piece)
    return letters >= _FEWEST_LETTERS * length and signs <= _MOST_SIGNS * length


def _fits(piece: str, letters: int, language: str) -> bool:
    """Whether the letters of a piece are those of a language."""
    own = _alphabet(language)
    return sum(character in own for character in piece.lower()) >= _ITS_LETTERS * letters


@cache
def _alphabet(language: str) -> frozenset[str]:
    letters: str = raw(language)["letters"]
    return frozenset(letters if letters[:1] > "ʯ" else letters + ascii_lowercase)  # Greek and Cyrillic come after


def _votes(lines: Sequence[str]) -> tuple[Counter[str], dict[str, set[str]]]:
    """How many formulas of each language there are, and of which kinds."""
    votes: Counter[str] = Counter()
    kinds: dict[str, set[str]] = {}
    table = _openers()
    for line in lines:
        head = fold(line[:HEAD])
        for opener, what, languages in table.get(head[:4], ()):
            if head.startswith(opener) and not head[len(opener) : len(opener) + 1].isalpha():
                votes.update(languages)
                for language in languages:
                    kinds.setdefault(language, set()).add(what)
    return votes, kinds


@cache
def _openers() -> dict[str, list[tuple[str, str, list[str]]]]:
    """All languages' formulas by their first letters, with their kind and the languages that use each."""
    users: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for language in LANGUAGES:
        openers = raw(language)["openers"]
        for what in ("citation", "recitals", "enacting", "binding", "closing"):
            for opener in openers[what]:
                folded = fold(opener)
                if len(folded) >= 4 and language not in users.setdefault(folded, []):
                    users[folded].append(language)
                    kinds.setdefault(folded, what)
    table: dict[str, list[tuple[str, str, list[str]]]] = {}
    for opener, languages in users.items():
        table.setdefault(opener[:4], []).append((opener, kinds[opener], languages))
    return table


@cache
def _model() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
