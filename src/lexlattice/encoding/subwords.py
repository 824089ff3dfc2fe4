"""Texts → words → subwords, in whole arrays: the features that the embedded encoder has vectors for.

Letters of all scripts are written in one small alphabet, without case and accents, so that related words of different
languages look alike. A subword is a stretch of a word, known by its hash alone: nothing has to be kept as text, and
looking up thousands of them is one search in a sorted array.
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
Places = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Hashes32 = NDArray[np.uint32]

_SYMBOLS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_SPELLED: Final = (
    ("ßłđøæœħıþðŋ", "sldoaohitdn"),
    ("αβγδεζηθικλμνξοπρσςτυφχψω", "avgdezitiklmnxoprsstifhpo"),
    ("абвгдежзийклмнопрстуфхцчшщъыьэюяђјљњћџѓѕќєіїґў", "abvgdezziiklmnoprstufhccssaiieuadjlncdgskeiigu"),
)
"""Letters that stripping accents does not reach, and what they are written as."""
_ALIKE: Final = ("cqwyjxz", "kkviiss")
"""Letters that languages use for one another: in the folded spelling they are the same."""
_ECLIPSED: Final = ("gk", "bp", "dt", "mb", "nd", "bf")
"""How Irish words begin when their first sound is eclipsed (folded): the first letter is not the word's own."""

_UNSEEN: Final = re.compile("[\u00ad\u0300-\u036f\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff]+")
_GREEK: Final = re.compile("[Ͱ-Ͽ]")
_GREEK_SOUNDS: Final = dict(
    zip("ου ού αι αί ει εί οι οί αυ αύ ευ εύ άυ έυ".split(), "u u e e i i i i αv αv εv εv αv εv".split(), strict=True)
)
"""Pairs of letters that stand for one sound, or for another than each alone."""
_GREEK_BEGINNINGS: Final = {"μπ": "b", "ντ": "d", "γκ": "g"}
"""Pairs that do so where a word begins."""

_SCRIPTS: Final = ("LATIN", "GREEK", "CYRILLIC")
_BLOCKS: Final = (range(0x2100), range(0x2C60, 0x2C80), range(0xA640, 0xA800), range(0xAB30, 0xAB70))
"""Where their letters stand in Unicode, small and capital."""
_SEPARATOR: Final = 0
_FIRST_LETTER: Final = 1 + _SYMBOLS.index("a")
_OTHER_LETTER: Final = 1 + len(_SYMBOLS)
LONGEST: Final = 40
"""Letters of a word that count; also the longest number."""
_BASE: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX: Final = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class Spelling:
    """Which subwords a word has, besides itself; the encoder's weights say what they were trained with."""

    prefixes: tuple[int, ...] = (4, 6)
    """First letters, as they are spelled."""
    folded: tuple[int, ...] = (4, 6)
    """First letters of the folded spelling, or all that it has."""
    skeleton: tuple[int, ...] = ()
    """First letters of the folded spelling without its vowels; the shipped weights have none (see decision 9)."""


class Words(NamedTuple):
    """Words, one after the other, in the small alphabet."""

    letters: Codes
    starts: Places
    """Where each word begins in `letters`; and, last, where the last one ends."""

    @classmethod
    def cut(cls, letters: Codes, begins: Places, lengths: Places) -> Words:
        """The words that stand at those places."""
        starts = np.concatenate([[0], np.cumsum(lengths)])
        places = np.repeat(begins - starts[:-1], lengths) + np.arange(starts[-1])
        return cls(letters[places], starts)

    def take(self, places: Places) -> Words:
        """Some of the words."""
        return Words.cut(self.letters, self.starts[places], self.lengths[places])

    def keep(self, mask: NDArray[np.bool_]) -> Words:
        """The same words with some of their letters only."""
        kept = np.concatenate([[0], np.cumsum(mask)])
        return Words(self.letters[mask], kept[self.starts])

    @property
    def lengths(self) -> Places:
        """Letters of each word."""
        return np.diff(self.starts)

    @property
    def positions(self) -> Places:
        """Of each letter in its word."""
        return np.arange(len(self.letters)) - np.repeat(self.starts[:-1], self.lengths)

    @property
    def hashes(self) -> Hashes:
        """Of each word: equal for the same word wherever it occurs."""
        sums = self.sums
        return sums[self.starts[1:]] - sums[self.starts[:-1]]

    @property
    def sums(self) -> Hashes:
        """Running sums of letters by powers of a base, from which the hash of any stretch follows."""
        terms = self.letters * _powers()[self.positions]
        return np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])


def split(texts: Sequence[str]) -> tuple[Words, Places]:
    """The words of all texts, and how many each text has. Runs of letters are words, and so are runs of digits."""
    normal = [text if text.isascii() else _normal(text) for text in texts]
    page = "\n".join(["", *normal, ""])  # a separator at either end, so that every word has two edges
    points = np.frombuffer(page.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    codes = _alphabet().take(points, mode="clip")
    kind = (codes > _SEPARATOR).view(np.int8) + (codes >= _FIRST_LETTER).view(np.int8)
    edges = np.flatnonzero(kind[1:] != kind[:-1]) + 1
    begins, lengths = edges[:-1], np.diff(edges)
    is_word = kind[begins] > 0
    begins, lengths = begins[is_word], lengths[is_word]
    limits = np.cumsum([len(text) + 1 for text in normal], dtype=np.int64) + 1
    counts = np.diff(np.searchsorted(begins, limits), prepend=0)
    if lengths.max(initial=0) > LONGEST:
        return Words.cut(codes, begins, np.minimum(lengths, LONGEST)), counts
    return Words(codes[kind > 0], np.concatenate([[0], np.cumsum(lengths)])), counts


def _normal(text: str) -> str:
    """Composed letters only, and Greek spelled by sound where one letter alone would mislead."""
    text = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    if _GREEK.search(text):
        text = text.replace("İ", "I").lower()
        for pair, sound in _GREEK_SOUNDS.items():
            text = text.replace(pair, sound)
        text = _at_beginning().sub(lambda found: _GREEK_BEGINNINGS[found[0]], text)
    return text


class Distinct(NamedTuple):
    """Each word once."""

    words: Words
    hashes: NDArray[np.uint64]
    """Of each of them, in rising order: equal for the same word wherever it occurs."""
    places: Places
    """For each word that was given its place among these."""


def distinct(words: Words) -> Distinct:
    """Each word once, in the order of their hashes."""
    hashes = words.hashes
    order = np.argsort(hashes)  # whichever of equal words comes first, it is the same word
    ordered = hashes[order]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = ordered[1:] != ordered[:-1]
    places = np.empty(len(order), np.int64)
    places[order] = np.cumsum(is_new) - 1
    return Distinct(words.take(order[is_new]), ordered[is_new], places)


def rows(words: Words, spelling: Spelling, vocabulary: Hashes32, buckets: int) -> Iterator[tuple[Places, Places]]:
    """Kind by kind, the words that have a subword with a vector, and the row of that vector; no word twice in a kind.

    A word that the (sorted) vocabulary does not have as a whole is a stranger, most often a name or a number. It shares
    the rows after the vocabulary's with other strangers, by its hash, and by those of its skeleton if it has any.
    """
    strange = np.ones(len(words.starts) - 1, np.bool_)
    for kind, (owners, hashes) in enumerate(subwords(words, spelling)):
        places = np.minimum(np.searchsorted(vocabulary, hashes), len(vocabulary) - 1)
        known = vocabulary[places] == hashes
        yield owners[known], places[known]
        if kind == 0:
            strange[owners[known]] = False
        if kind == 0 or kind > len(spelling.prefixes) + len(spelling.folded):
            missing = ~known & strange[owners]
            shared = hashes[missing].astype(np.int64)
            yield owners[missing], len(vocabulary) + shared % buckets
            yield owners[missing], len(vocabulary) + shared // buckets % buckets


def subwords(words: Words, spelling: Spelling) -> Iterator[tuple[Places, Hashes32]]:
    """Kind by kind, which words have a subword, and its hash; first come the words themselves.

    Kinds have hashes of their own: a prefix is not a word of the same letters.
    """
    everyone = np.arange(len(words.starts) - 1)
    yield _beginning(words, words.sums, everyone, 0, 0, LONGEST)
    spelled = everyone[words.letters[words.starts[:-1]] >= _FIRST_LETTER]
    letters = words.take(spelled)
    sums = letters.sums
    for length in spelling.prefixes:
        yield _beginning(letters, sums, spelled, 1, length, length)
    folded = _folded(letters)
    sums = folded.sums
    for shorter, length in pairwise((0, *spelling.folded)):
        yield _beginning(folded, sums, spelled, 2, shorter, length)
    if spelling.skeleton:
        skeleton = folded.keep((folded.positions == 0) | ~_is("aeiou")[folded.letters])
        sums = skeleton.sums
        for length in spelling.skeleton:
            yield _beginning(skeleton, sums, spelled, 3, length, length)


def _beginning(
    words: Words, sums: Hashes, owners: Places, kind: int, more_than: int, length: int
) -> tuple[Places, Hashes32]:
    """The first letters, `length` at most, of words that have more than so many."""
    longer = words.lengths > more_than
    begins = words.starts[:-1][longer]
    ends = np.minimum(begins + length, words.starts[1:][longer])
    return owners[longer], _mixed(sums[ends] - sums[begins], kind)


def _folded(words: Words) -> Words:
    """Words as a neighbouring language might spell them: alike letters the same, h and umlaut e mute, none doubled."""
    before = np.concatenate([np.zeros(1, np.uint8), words.letters[:-1]])
    inside = words.positions > 0
    mute = inside & (_is("h")[words.letters] | (_is("e")[words.letters] & _is("ao")[before]))
    words = words.keep(~mute)
    words = Words(_alike()[words.letters], words.starts)
    begins = words.starts[:-1]
    second = words.letters[np.minimum(begins + 1, len(words.letters) - 1)] if len(begins) else begins
    eclipsed = (words.lengths > 1) & _eclipses()[words.letters[begins], second]
    keep = np.ones(len(words.letters), np.bool_)
    keep[begins[eclipsed]] = False
    words = words.keep(keep)
    doubled = np.concatenate([np.zeros(min(1, len(words.letters)), np.bool_), words.letters[1:] == words.letters[:-1]])
    return words.keep(~(doubled & (words.positions > 0)))


def _mixed(hashes: Hashes, kind: int) -> Hashes32:
    """Well-spread 32 bits."""
    mixed = (hashes ^ (hashes >> np.uint64(29)) ^ np.uint64(kind)) * _MIX
    return (mixed >> np.uint64(32)).astype(np.uint32)


@cache
def _alphabet() -> Codes:
    """For each code point, its code in the small alphabet; 0 for what separates words, and for all beyond the last.

    Letters of other scripts separate too: they would only be noise.
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
def _at_beginning() -> re.Pattern[str]:
    letters = "".join(map(chr, np.flatnonzero(_alphabet() >= _FIRST_LETTER)))
    return re.compile(f"(?<![{letters}])(?:{'|'.join(_GREEK_BEGINNINGS)})")


@cache
def _alike() -> Codes:
    codes = np.arange(256, dtype=np.uint8)
    codes[[_code(letter) for letter in _ALIKE[0]]] = [_code(letter) for letter in _ALIKE[1]]
    return codes


@cache
def _is(letters: str) -> NDArray[np.bool_]:
    found = np.zeros(256, np.bool_)
    found[[_code(letter) for letter in letters]] = True
    return found


@cache
def _eclipses() -> NDArray[np.bool_]:
    found = np.zeros((256, 256), np.bool_)
    for first, second in _ECLIPSED:
        found[_code(first), _code(second)] = True
    return found


def _code(letter: str) -> int:
    return _SYMBOLS.index(letter) + 1


@cache
def _powers() -> Hashes:
    return np.cumprod(np.full(LONGEST, _BASE, np.uint64), dtype=np.uint64)
