"""Language detection: which of the 24 languages an act is in, and how much of its text is in that language.

Acts are recognized by their formulas ("Having regard to", "vu le", "tekintettel"), which takes a few milliseconds. Only
a text without them goes to py3langid's model, which takes a second to load. The model knows about a hundred languages,
so it also tells that a text is in none of the 24.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from lexlattice.reading.languages.grammar import HEAD, LANGUAGES, fold, openers, raw

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

LINES: Final = 400
"""Lines searched for formulas: citations, recitals, the enacting formula and the first articles are near the start."""

_FIRST_LINES: Final = 80
"""Lines that suffice for most acts."""

_MIN_FORMULAS: Final = 3
"""Formulas of one language that decide it, if they are of two kinds and twice as many as those of any other."""

_SAMPLE: Final = 6000
"""Characters passed to the statistical model."""

MIN_SHARE: Final = 0.55
"""Least share of a text in official languages: acts have three quarters or more, other texts a quarter at most."""

_PIECE, _PIECES, _MIN_SENTENCE = 250, 16, 80
"""Length and number of the pieces classified one by one, and the length from which a line counts as a sentence."""
_MIN_PIECES: Final = 4
_MIN_TEXT: Final = 400
"""Characters from which a text is long enough to contradict the language it is said to be in."""
_SIGNS: Final = frozenset("{}=_\\$@^~")
_MAX_SIGNS: Final = 0.015
"""Share of signs above which a piece is code or data, not a sentence."""
_MIN_LETTERS: Final = 0.6
_MIN_OF_ALPHABET: Final = 0.8
"""Least shares of a sentence: letters of all characters, and letters of the language's alphabet of all letters."""
_INDISTINGUISHABLE: Final = {"bs": "hr", "sr": "hr"}
"""Languages that the model cannot tell from one of the 24, if they are written in the same script."""


def identify(lines: Sequence[str]) -> str:
    """Return the language of an act; of an act in two languages, the first."""
    for line in lines[:6]:
        if len(line) == 2 and line.isupper() and line.lower() in LANGUAGES:
            return line.lower()
    first = lines[: len(lines) // 2]  # in case the text is in two languages, one after the other
    return by_formulas(lines) or by_formulas(first) or classify("\n".join(lines)[: _SAMPLE * 2])


def by_formulas(lines: Sequence[str]) -> str:
    """Return the language whose formulas an act has, or an empty string if they are not conclusive.

    One kind of formula is not enough: "under henvisning til" is Norwegian as well.
    """
    for limit in (_FIRST_LINES, LINES):  # most acts are recognized by the first lines alone
        votes, kinds = _count_formulas(lines[:limit])
        if votes:
            (best, count), *others = votes.most_common(2)
            if count >= _MIN_FORMULAS and len(kinds[best]) > 1 and (not others or count >= 2 * others[0][1]):
                return best
        if len(lines) <= limit:
            break
    return ""


def contradicts(lines: Sequence[str], language: str) -> str:
    """Return the language whose formulas a text has if it has none of `language`, else an empty string."""
    votes, _ = _count_formulas(lines[:LINES])
    best, count = votes.most_common(1)[0] if votes else ("", 0)
    return best if count >= _MIN_FORMULAS and not votes[language] else ""


def classify(text: str) -> str:
    """Return the official language that py3langid's model ranks first for a text.

    The middle of the text is used, since headings mislead the model.
    """
    start = max(0, len(text) // 2 - _SAMPLE // 2)
    ranking = _model().rank(text[start : start + _SAMPLE])
    return next(str(label) for label, _ in ranking if label in LANGUAGES)


def share_of(lines: Sequence[str], languages: Collection[str] = LANGUAGES) -> float:
    """Return the share of a text that is in one of `languages`, by the letters in a sample of its sentences."""
    matching = total = 0
    for piece in _pieces(lines):
        letters = sum(map(str.isalpha, piece))
        total += letters
        if letters and _is_prose(piece, letters):
            label = str(_model().classify(piece)[0])
            label = _INDISTINGUISHABLE.get(label, label)
            if label in languages and _has_alphabet_of(piece, letters, label):
                matching += letters
    return matching / total if total else 0.0


def misfit(lines: Sequence[str], language: str) -> float | None:
    """Return the share of a text in `language` if it is too small for the text to be in it, else `None`.

    A text with one of the language's formulas, or one that is too short to tell, is not doubted.
    """
    votes, _ = _count_formulas(lines[:LINES])
    if votes[language] or sum(map(len, lines[:LINES])) < _MIN_TEXT:
        return None
    share = share_of(lines, (language,))
    return share if share < MIN_SHARE else None


def _pieces(lines: Sequence[str]) -> list[str]:
    """Return evenly spaced pieces of the sentences near the start, or of the whole start if it has few sentences."""
    found = [piece for line in lines[:LINES] for piece in _cut(line[: _SAMPLE * 4]) if len(piece) >= _MIN_SENTENCE]
    if len(found) < _MIN_PIECES:
        found = list(_cut(" ".join(lines[:LINES])[:_SAMPLE]))
    step = max(1.0, len(found) / _PIECES)  # evenly spaced, so that no part of the text dominates
    return [found[int(i * step)] for i in range(min(_PIECES, len(found)))]


def _cut(line: str) -> Iterator[str]:
    return (line[i : i + _PIECE] for i in range(0, len(line), _PIECE))


def _is_prose(piece: str, letters: int) -> bool:
    """Whether a piece can be part of a sentence: mostly letters, neither code nor data."""
    length = len(piece) - piece.count(" ")
    signs = sum(character in _SIGNS for character in piece)
    return letters >= _MIN_LETTERS * length and signs <= _MAX_SIGNS * length


def _has_alphabet_of(piece: str, letters: int, language: str) -> bool:
    """Whether the letters of a piece are those of a language."""
    alphabet = _alphabet(language)
    return sum(character in alphabet for character in piece.lower()) >= _MIN_OF_ALPHABET * letters


@cache
def _alphabet(language: str) -> frozenset[str]:
    letters: str = raw(language)["letters"]
    is_latin = letters[:1] <= "ʯ"  # the last letter of the Latin blocks; Greek and Cyrillic follow
    return frozenset(letters + ascii_lowercase if is_latin else letters)


def _count_formulas(lines: Sequence[str]) -> tuple[Counter[str], dict[str, set[str]]]:
    """Count the formulas of each language, and collect which kinds they are of."""
    votes: Counter[str] = Counter()
    kinds: dict[str, set[str]] = {}
    table = _openers()
    for line in lines:
        head = fold(line[:HEAD])
        # The index by four letters leaves a handful of the several hundred formulas to compare.
        for opener, what, languages in table.get(head[:4], ()):
            if head.startswith(opener) and not head[len(opener) : len(opener) + 1].isalpha():
                votes.update(languages)
                for language in languages:
                    kinds.setdefault(language, set()).add(what)
    return votes, kinds


@cache
def _openers() -> dict[str, list[tuple[str, str, list[str]]]]:
    """Index the formulas of all languages by their first four letters, with their kind and the languages using them."""
    users: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for language in LANGUAGES:
        formulas = openers(language)
        for what in ("citation", "recitals", "enacting", "binding", "closing"):
            for opener in formulas[what]:
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
