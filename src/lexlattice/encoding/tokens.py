"""Words as scores count them: two tokenizers, one of which is to be named wherever a figure is given.

`unicode` takes the word characters of any script, lower-cased. `compat` is to the letter what the `rouge-score`
package does by default; it knows the letters a to z only, and is here to stand beside published tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from string import ascii_lowercase, digits
from typing import Final
from unicodedata import normalize

from lexlattice.errors import LexLatticeError, MissingExtraError

_WORDS: Final = re.compile(r"\w+")
_BLANKED: Final = "".join(chr(code) if _WORDS.match(chr(code)) else " " for code in range(128))
_LINES_OF_WORDS: Final = bytes(byte if chr(byte) in f"\n{digits}{ascii_lowercase}" else ord(" ") for byte in range(256))
_STEMMED_FROM: Final = 4
"""Shorter words are left as they are, as in the original ROUGE script."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Splits text into tokens, as a whole or by line."""

    name: str
    _prepare: Callable[[str], str]
    """Whatever need not be done line by line."""
    _split: Callable[[str], list[str]]
    _stem: Callable[[str], str] | None = None

    def __call__(self, text: str) -> list[str]:
        """All tokens of a text."""
        return self._tokens(self._prepare(text))

    def lines(self, text: str) -> list[list[str]]:
        """The tokens of each line that has any; line by line they are those of the whole text."""
        lines = map(self._tokens, self._prepare(text).split("\n"))
        return [tokens for tokens in lines if tokens]

    def _tokens(self, text: str) -> list[str]:
        tokens = self._split(text)
        if stem := self._stem:
            return [stem(token) if len(token) >= _STEMMED_FROM else token for token in tokens]
        return tokens


def tokenizer(name: str = "unicode", *, stem: bool = False) -> Tokenizer:
    """The tokenizer of that name, with English (Porter) stemming on request.

    >>> tokenizer("unicode")("Κανονισμός (ΕΕ) 2024/9001, č. 5")
    ['κανονισμός', 'εε', '2024', '9001', 'č', '5']
    >>> tokenizer("compat")("Κανονισμός (ΕΕ) 2024/9001, č. 5")
    ['2024', '9001', '5']
    """
    if name not in _TOKENIZERS:
        raise LexLatticeError(f"There is no tokenizer '{name}'; choose one of: {', '.join(_TOKENIZERS)}.")
    found = _TOKENIZERS[name]
    return replace(found, _stem=_porter()) if stem else found


def _lower_and_composed(text: str) -> str:
    """Composed, because a letter and its accent in two characters would be two words."""
    return normalize("NFC", text.lower())


def _words(text: str) -> list[str]:
    """Runs of word characters; where there are none but ASCII's, the rest is blanked, which is three times faster."""
    return text.translate(_BLANKED).split() if text.isascii() else _WORDS.findall(text)


def _latin_lower(text: str) -> str:
    return text.lower().encode("ascii", "replace").translate(_LINES_OF_WORDS).decode("ascii")


_TOKENIZERS: Final = {
    "unicode": Tokenizer("unicode", _lower_and_composed, _words),
    "compat": Tokenizer("compat", _latin_lower, str.split),
}
TOKENIZERS: Final = tuple(_TOKENIZERS)


@cache
def _porter() -> Callable[[str], str]:
    try:
        from nltk.stem.porter import PorterStemmer
    except ImportError as error:
        raise MissingExtraError("Stemming", "stem") from error
    return lru_cache(maxsize=1 << 17)(PorterStemmer().stem)
