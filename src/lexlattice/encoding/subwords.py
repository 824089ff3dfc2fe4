"""Texts → words → subwords, as arrays: the features for which the embedded encoder has vectors.

Letters of all scripts are transliterated to one small alphabet without case and diacritics, so that related words of
different languages look alike. A subword is a part of a word, identified by its hash alone: no text is stored, and
looking up thousands of subwords is one binary search in a sorted array.

There are no loops over words or letters. All words of all texts are one array of letter codes (`Words`), and the hash
of the first letters of a word is a difference of two prefix sums (a polynomial rolling hash).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8]
Indices = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Hashes32 = NDArray[np.uint32]

_SYMBOLS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_SPELLED: Final = (
    ("ßłđøæœħıþðŋ", "sldoaohitdn"),
    ("αβγδεζηθικλμνξοπρσςτυφχψω", "avgdezitiklmnxoprsstifhpo"),
    ("абвгдежзийклмнопрстуфхцчшщъыьэюяђјљњћџѓѕќєіїґў", "abvgdezziiklmnoprstufhccssaiieuadjlncdgskeiigu"),
)
"""Letters that are not a Latin letter with a diacritic, and their transliteration."""
_FOLDED: Final = ("cqwyjxz", "kkviiss")
"""Letters that languages use for the same sound; the folded spelling merges them."""
_ECLIPSES: Final = ("gk", "bp", "dt", "mb", "nd", "bf")
"""Beginnings of Irish words with an eclipsed first sound (folded): the first letter is a prefix, gCoimisiún."""

_INVISIBLE: Final = re.compile("[\u00ad\u0300-\u036f\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]+")
_GREEK: Final = re.compile("[Ͱ-Ͽ]")
_GREEK_DIGRAPHS: Final = dict(
    zip("ου ού αι αί ει εί οι οί αυ αύ ευ εύ άυ έυ".split(), "u u e e i i i i αv αv εv εv αv εv".split(), strict=True)
)
"""Greek digraphs that are one sound, or a different one than their letters."""
_GREEK_INITIALS: Final = {"μπ": "b", "ντ": "d", "γκ": "g"}
"""Digraphs that are one sound only at the beginning of a word."""

_SCRIPTS: Final = ("LATIN", "GREEK", "CYRILLIC")
_BLOCKS: Final = (
    *(range(0x530), range(0x1C80, 0x1C90), range(0x1D00, 0x2100)),
    *(range(0x2C60, 0x2C80), range(0xA640, 0xA800), range(0xAB30, 0xAB70)),
)
"""The Unicode blocks with the letters of these scripts."""
_SEPARATOR: Final = 0
_FIRST_LETTER: Final = 1 + _SYMBOLS.index("a")
_OTHER_LETTER: Final = 1 + len(_SYMBOLS)
MAX_LETTERS: Final = 40
"""Letters and digits of a word beyond this are ignored."""
_BASE: Final = np.uint64(0x9E3779B97F4A7C15)
"""The base of the polynomial hash: 2⁶⁴ divided by the golden ratio, odd. Weights on disk depend on it."""
_MIX: Final = np.uint64(0xD6E8FEB86659FD93)
"""An odd multiplier that spreads hashes over all bits. Weights on disk depend on it."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """Which subwords a word has besides itself; stored with the weights that were trained with it."""

    prefixes: tuple[int, ...] = (4, 6)
    """Lengths of prefixes."""
    folded: tuple[int, ...] = (4, 6)
    """Lengths of prefixes of the folded spelling, which may be all of it."""
    skeleton: tuple[int, ...] = ()
    """Lengths of prefixes of the folded spelling without vowels; the shipped weights have none (see decision 9)."""


class Words(NamedTuple):
    """Words as one array of letter codes."""

    letters: Codes
    starts: Indices
    """Where each word begins in `letters`, and finally where the last one ends."""

    @classmethod
    def cut(cls, letters: Codes, begins: Indices, lengths: Indices) -> Words:
        """Copy words from an array of letters."""
        starts = np.concatenate([[0], np.cumsum(lengths)])
        # For each letter of the result its index in `letters`: the offset of its word plus a running number.
        indices = np.repeat(begins - starts[:-1], lengths) + np.arange(starts[-1])
        return cls(letters[indices], starts)

    def take(self, indices: Indices) -> Words:
        """The words with these indices."""
        return Words.cut(self.letters, self.starts[indices], self.lengths[indices])

    def keep(self, mask: NDArray[np.bool_]) -> Words:
        """The same words without the letters that are masked out."""
        kept = np.concatenate([[0], np.cumsum(mask)])  # letters kept before each position
        return Words(self.letters[mask], kept[self.starts])

    @property
    def lengths(self) -> Indices:
        """The number of letters of each word."""
        return np.diff(self.starts)

    @property
    def positions(self) -> Indices:
        """The position of each letter in its word."""
        return np.arange(len(self.letters)) - np.repeat(self.starts[:-1], self.lengths)

    @property
    def hashes(self) -> Hashes:
        """The hash of each word: equal for the same word wherever it occurs."""
        sums = self.prefix_sums
        return sums[self.starts[1:]] - sums[self.starts[:-1]]

    @property
    def prefix_sums(self) -> Hashes:
        """Running sums of letter × base ** (position + 1), modulo 2⁶⁴.

        The exponent starts again at each word, so that the hash of a word, or of its first letters, is the difference
        of two of these sums.
        """
        terms = self.letters * _powers()[self.positions]
        return np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])


def split_words(texts: Sequence[str]) -> tuple[Words, Indices]:
    """Split texts into words, which are runs of letters or runs of digits.

    Returns:
        The words of all texts, and the number of words of each text.
    """
    normal = _normalized(texts)
    page = "\n".join(["", *normal, ""])  # a separator at either end, so that every word has two edges
    points = np.frombuffer(page.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    codes = _alphabet().take(points, mode="clip")  # code points beyond the table become its last entry, a separator
    # 0 for separators, 1 for digits, 2 for letters: a word begins and ends where this changes.
    kind = (codes > _SEPARATOR).view(np.int8) + (codes >= _FIRST_LETTER).view(np.int8)
    before, after = kind[:-1], kind[1:]
    is_edge, is_word = before != after, kind > 0
    begins = np.flatnonzero(is_edge & is_word[1:]) + 1
    lengths = np.flatnonzero(is_edge & is_word[:-1]) + 1 - begins
    limits = np.cumsum([len(text) + 1 for text in normal], dtype=np.int64) + 1  # where each text ends in the page
    counts = np.diff(np.searchsorted(begins, limits), prepend=0)
    if lengths.max(initial=0) > MAX_LETTERS:
        return Words.cut(codes, begins, np.minimum(lengths, MAX_LETTERS)), counts
    # Without overlong words the letters of all words are simply all that are not separators; bytes are filtered faster
    # than arrays.
    letters = np.frombuffer(codes.tobytes().translate(None, bytes([_SEPARATOR])), np.uint8)
    return Words(letters, np.concatenate([[0], np.cumsum(lengths)])), counts


def _normalized(texts: Sequence[str]) -> Sequence[str]:
    """Normalize all texts that are not ASCII, together if none of them has line breaks: calls cost most."""
    others = [text for text in texts if not text.isascii()]
    page = "\n".join(others)
    if not others or page.count("\n") >= len(others):
        return [text if text.isascii() else _normalize(text) for text in texts]
    normal = iter(_normalize(page).split("\n"))
    return [text if text.isascii() else next(normal) for text in texts]


def _normalize(text: str) -> str:
    """Compose letters and drop invisible characters; spell Greek digraphs by their sound."""
    text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    if _GREEK.search(text):
        text = text.replace("İ", "I").lower()  # "İ".lower() would be two characters
        for pair, sound in _GREEK_DIGRAPHS.items():
            text = text.replace(pair, sound)
        text = _initial_digraphs().sub(lambda found: _GREEK_INITIALS[found[0]], text)
    return text


class UniqueWords(NamedTuple):
    """Each word once, sorted by hash."""

    words: Words
    hashes: NDArray[np.uint64]
    indices: Indices
    """For each given word its index among these."""


def unique_words(words: Words) -> UniqueWords:
    """Return each word once, sorted by hash: `np.unique` for words."""
    hashes = words.hashes
    order = np.argsort(hashes)
    ordered = hashes[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    indices = np.empty(len(order), np.int64)
    indices[order] = np.cumsum(is_new) - 1
    return UniqueWords(words.take(order[is_new]), ordered[is_new], indices)


def embedding_rows(
    words: Words, spelling: Spelling, vocabulary: Hashes32, buckets: int
) -> Iterator[tuple[Indices, Indices]]:
    """Yield, for each kind of subword, which words have one and the rows of their vectors.

    A word outside the vocabulary, most often a name or a number, has no row of its own. It gets two of the `buckets`
    rows after the vocabulary's, chosen by its hash, and two for each skeleton. Two words rarely share both.

    Args:
        words: The words to look up.
        spelling: The subwords that words have.
        vocabulary: The sorted hashes of subwords with their own row.
        buckets: The number of shared rows.

    Yields:
        Indices of words, sorted and without repetition, and a row for each of them.
    """
    is_unknown = np.ones(len(words.starts) - 1, np.bool_)
    for kind, (owners, hashes) in enumerate(subwords(words, spelling)):
        rows = np.minimum(np.searchsorted(vocabulary, hashes), len(vocabulary) - 1)
        is_known = vocabulary[rows] == hashes
        yield owners[is_known], rows[is_known]
        if kind == 0:
            is_unknown[owners[is_known]] = False
        if kind == 0 or kind > len(spelling.prefixes) + len(spelling.folded):  # whole words and skeletons
            missing = ~is_known & is_unknown[owners]
            shared = hashes[missing].astype(np.int64)
            yield owners[missing], len(vocabulary) + shared % buckets
            yield owners[missing], len(vocabulary) + shared // buckets % buckets


def subwords(words: Words, spelling: Spelling) -> Iterator[tuple[Indices, Hashes32]]:
    """Yield, for each kind of subword, which words have one and its hash; the words themselves come first.

    The kind is part of the hash: a prefix differs from a word with the same letters.
    """
    everyone = np.arange(len(words.starts) - 1)
    yield _prefix_hashes(words, words.prefix_sums, everyone, 0, 0, MAX_LETTERS)
    spelled = everyone[words.letters[words.starts[:-1]] >= _FIRST_LETTER]  # numbers have no parts
    letters = words.take(spelled)
    sums = letters.prefix_sums
    for length in spelling.prefixes:
        yield _prefix_hashes(letters, sums, spelled, 1, length, length)
    folded = _fold(letters)
    sums = folded.prefix_sums
    for shorter, length in pairwise((0, *spelling.folded)):
        yield _prefix_hashes(folded, sums, spelled, 2, shorter, length)
    if spelling.skeleton:
        skeleton = folded.keep((folded.positions == 0) | ~_is("aeiou")[folded.letters])
        sums = skeleton.prefix_sums
        for length in spelling.skeleton:
            yield _prefix_hashes(skeleton, sums, spelled, 3, length, length)


def _prefix_hashes(
    words: Words, sums: Hashes, owners: Indices, kind: int, more_than: int, length: int
) -> tuple[Indices, Hashes32]:
    """Hash the first `length` letters (or all) of the words that have more than `more_than`."""
    longer = words.lengths > more_than
    begins = words.starts[:-1][longer]
    ends = np.minimum(begins + length, words.starts[1:][longer])
    return owners[longer], _mix(sums[ends] - sums[begins], kind)


def _fold(words: Words) -> Words:
    """Spell words as a related language might: merge similar letters, drop mute ones, undo doubling."""
    # "h" is mute except at the beginning, and so is "e" after "a" and "o": theater, Aegean, foetus.
    before = np.concatenate([np.zeros(1, np.uint8), words.letters[:-1]])
    inside = words.positions > 0
    mute = inside & (_is("h")[words.letters] | (_is("e")[words.letters] & _is("ao")[before]))
    words = words.keep(~mute)
    words = Words(_folding()[words.letters], words.starts)
    # Drop the first letter of eclipsed Irish words, by looking up the first two letters in a table.
    begins = words.starts[:-1]
    second = words.letters[np.minimum(begins + 1, len(words.letters) - 1)] if len(begins) else begins
    eclipsed = (words.lengths > 1) & _is_eclipse()[words.letters[begins], second]
    keep = np.ones(len(words.letters), np.bool_)
    keep[begins[eclipsed]] = False
    words = words.keep(keep)
    doubled = np.concatenate([np.zeros(min(1, len(words.letters)), np.bool_), words.letters[1:] == words.letters[:-1]])
    return words.keep(~(doubled & (words.positions > 0)))


def _mix(hashes: Hashes, kind: int) -> Hashes32:
    """Spread hashes over 32 bits: the low bits of a polynomial hash are poor."""
    mixed = (hashes ^ (hashes >> np.uint64(29)) ^ np.uint64(kind)) * _MIX
    return (mixed >> np.uint64(32)).astype(np.uint32)


@cache
def _alphabet() -> Codes:
    """For each code point its code in the small alphabet; 0 for separators. The last entry stands for all beyond it.

    Letters of other scripts are separators too: they would only be noise.
    """
    spelled = {ord(symbol): code for code, symbol in enumerate(_SYMBOLS, 1)}
    for letters, latin in _SPELLED:
        spelled |= {ord(letter): spelled[ord(spelling)] for letter, spelling in zip(letters, latin, strict=True)}
    codes = np.zeros(_BLOCKS[-1].stop + 1, np.uint8)
    for point in chain(*_BLOCKS):
        letter = unicodedata.normalize("NFKD", chr(point).lower())[:1]
        is_ours = letter.isalpha() and unicodedata.name(letter).startswith(_SCRIPTS)
        codes[point] = spelled.get(ord(letter or " "), _OTHER_LETTER + ord(letter) % 128 if is_ours else _SEPARATOR)
    return codes


@cache
def _initial_digraphs() -> re.Pattern[str]:
    letters = "".join(map(chr, np.flatnonzero(_alphabet() >= _FIRST_LETTER)))
    return re.compile(f"(?<![{letters}])(?:{'|'.join(_GREEK_INITIALS)})")


@cache
def _folding() -> Codes:
    codes = np.arange(256, dtype=np.uint8)
    codes[[_code(letter) for letter in _FOLDED[0]]] = [_code(letter) for letter in _FOLDED[1]]
    return codes


@cache
def _is(letters: str) -> NDArray[np.bool_]:
    found = np.zeros(256, np.bool_)
    found[[_code(letter) for letter in letters]] = True
    return found


@cache
def _is_eclipse() -> NDArray[np.bool_]:
    found = np.zeros((256, 256), np.bool_)
    for first, second in _ECLIPSES:
        found[_code(first), _code(second)] = True
    return found


def _code(letter: str) -> int:
    return _SYMBOLS.index(letter) + 1


@cache
def _powers() -> Hashes:
    return np.cumprod(np.full(MAX_LETTERS, _BASE, np.uint64), dtype=np.uint64)
