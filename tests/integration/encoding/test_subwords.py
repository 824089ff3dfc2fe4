"""Texts → words → subwords: array operations must agree with a plain implementation that goes letter by letter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from unicodedata import category, name, normalize

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lexlattice.encoding.subwords import Spelling, Words, embedding_rows, split_words, subwords, unique_words

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"
LONGEST = 40
BLOCKS = ((0, 0x2100), (0x2C60, 0x2C80), (0xA640, 0xA800), (0xAB30, 0xAB70))

LATIN = "aábcčçdďðđeéěęfgğħhiíıjklłmnñŋoóöőøœpqrřsšșßtťțþuúüűvwxyýzžżæåAÁBCČDĐEÉFGHIİJKLŁNOÖØPQRSŠTUÜVWXYZŽÆÅ"
GREEK = "αβγδεζηθικλμνξοπρσςτυφχψωάέίόύήώϊϋΐΰΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΊΌΎΉΏΪΫ"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюяѝёђјљњћџѓѕќєіїґўАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЬЮЯЍ"
UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufe00\ufe0f\ufeff"
MARKS = "\u0300\u0301\u0302\u0307\u0308\u030c\u0323\u0327\u0328\u0345\u036f\u20dd" + UNSEEN
TRAPS = "ẞǅǆŉﬁﬆſª\u212a\u2126µǰ０９Ａ٣²½Ⅳ①_-'’·/\u2028\x00\x1c\n\r\t 😀👩🚀中한שمʼʹ\ud800\udc00ȺⱥɫⱢꙋ"
SPELLED = dict(
    zip(
        "ßłđøæœħıþðŋ" + "αβγδεζηθικλμνξοπρσςτυφχψω" + "абвгдежзийклмнопрстуфхцчшщъыьэюяђјљњћџѓѕќєіїґў",
        "sldoaohitdn" + "avgdezitiklmnxoprsstifhpo" + "abvgdezziiklmnoprstufhccssaiieuadjlncdgskeiigu",
        strict=True,
    )
)

letters = st.text(LATIN, min_size=1) | st.text(GREEK, min_size=1) | st.text(CYRILLIC, min_size=1)
huge = st.builds(str.__mul__, st.sampled_from(["a", "9", "ж", "ου", "é", "e\u0301", "ß1"]), st.integers(18, 90))
piece = letters | huge | st.text("0123456789") | st.text(LATIN + GREEK + CYRILLIC + MARKS + TRAPS)
text = st.lists(piece, max_size=6).map(" ".join) | st.text()
texts = st.lists(text, max_size=6)
words = st.lists(st.text("aabcdeefghhijklmnopqrstuvwxyzoo09", min_size=1, max_size=45), max_size=12).map(
    lambda some: split_words([" ".join(some)])[0]
)
spellings = st.builds(
    Spelling,
    *[st.sets(st.integers(1, 9), max_size=3).map(sorted).map(tuple) for _ in ("prefixes", "folded", "skeleton")],
)


# --- the plain implementation --------------------------------------------------------------------------------------


def read(text: str) -> list[str]:
    """The words of a text; letters that the small alphabet does not have are private characters."""
    text = by_sound("".join(letter for letter in normalize("NFKC", text) if not unseen(letter)))
    runs = groupby(map(written, text), lambda letter: bool(letter) + (letter not in SYMBOLS[:10]))
    return ["".join(run)[:LONGEST] for kind, run in runs if kind]


def unseen(letter: str) -> bool:
    """Marks of no letter's own, soft hyphens, joiners, variants of emoji: they neither are letters nor cut words."""
    return letter in UNSEEN or "\u0300" <= letter <= "\u036f" or "\ufe00" <= letter <= "\ufe0f"


def by_sound(text: str) -> str:
    """Greek pairs of letters that are one sound; some are so only where a word begins."""
    text = re.sub("[Ͱ-Ͽ]", lambda greek: greek[0].lower(), text)
    for pair, sound in (("ο[υύ]", "u"), ("α[ιί]", "e"), ("[εο][ιί]", "i"), ("(?<=[αε])[υύ]|(?<=[άέ])υ", "v")):
        text = re.sub(pair, sound, text)
    found, before = "", ""
    while text:
        begins = not before or written(before) in SYMBOLS[:10]
        one_sound = {"μπ": "b", "ντ": "d", "γκ": "g"}.get(text[:2]) if begins else None
        before, text = (one_sound, text[2:]) if one_sound else (text[0], text[1:])
        found += before
    return found


def written(character: str) -> str:
    """In the small alphabet; nothing for what is no digit and no letter of the three scripts."""
    if not any(first <= ord(character) < last for first, last in BLOCKS):
        return ""
    letter = normalize("NFKD", character.lower())[0]
    letter = SPELLED.get(letter, letter)
    if letter in SYMBOLS:
        return letter
    is_ours = letter.isalpha() and name(letter).split()[0] in ("LATIN", "GREEK", "CYRILLIC")
    return chr(0xE000 + ord(letter) % 128) if is_ours else ""


def spelled(words: Words) -> list[str]:
    """The words of an array, as the plain implementation returns them."""
    alphabet = "\0" + SYMBOLS + "".join(chr(0xE000 + other) for other in range(128))
    bounds = words.starts.tolist()
    return ["".join(alphabet[code] for code in words.letters[a:b]) for a, b in pairwise(bounds)]


def words_of(text: str) -> list[str]:
    return spelled(split_words([text])[0])


def hashed(word: str, kind: int) -> int:
    """The hash that identifies a subword in weights files; it must never change."""
    factors = [pow(0x9E3779B97F4A7C15, place + 1, 1 << 64) for place in range(len(word))]
    total = sum((SYMBOLS.index(letter) + 1) * factor for letter, factor in zip(word, factors, strict=True))
    total %= 1 << 64
    return ((total ^ total >> 29 ^ kind) * 0xD6E8FEB86659FD93 % (1 << 64)) >> 32


def folded(word: str) -> str:
    kept = [
        letter
        for before, letter in zip(" " + word, word, strict=False)
        if before == " " or not (letter == "h" or (letter == "e" and before in "ao"))
    ]
    alike = "".join(kept).translate(str.maketrans("cqwyjxz", "kkviiss"))
    own = alike[1:] if alike[:2] in ("gk", "bp", "dt", "mb", "nd", "bf") else alike
    return "".join(letter for letter, _ in groupby(own))


def expected_subwords(word: str, spelling: Spelling) -> list[int | None]:
    """Kind by kind, the hash of the subword, or nothing if the word has none."""
    found: list[int | None] = [hashed(word, 0)]
    if word[0].isdigit():
        return found + [None] * (len(spelling.prefixes) + len(spelling.folded) + len(spelling.skeleton))
    found += [hashed(word[:length], 1) if len(word) > length else None for length in spelling.prefixes]
    fold, shortest = folded(word), 0
    for length in spelling.folded:
        found.append(hashed(fold[:length], 2) if len(fold) > shortest else None)
        shortest = length
    skeleton = fold[0] + re.sub("[aeiou]", "", fold[1:])
    found += [hashed(skeleton[:length], 3) if len(skeleton) > length else None for length in spelling.skeleton]
    return found


def expected_rows(word: str, spelling: Spelling, vocabulary: Sequence[int], buckets: int) -> list[int]:
    hashes = expected_subwords(word, spelling)
    found = [vocabulary.index(value) for value in hashes if value in vocabulary]
    if hashes[0] not in vocabulary:
        skeletons = hashes[1 + len(spelling.prefixes) + len(spelling.folded) :]
        for value in [hashes[0], *skeletons]:
            if value is not None and value not in vocabulary:
                found += [len(vocabulary) + value % buckets, len(vocabulary) + value // buckets % buckets]
    return found


# --- texts into words -------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(text)
@example("ΟΥΑΙΕΙΟΙΑΥΕΥ ΜΠΟΥ ΝΤΟ ΓΚΑΙ αμπου")
@example("ού αί εί οί αύ εύ άυ έυ άύ έύ όυ άι έι όι οϊ οϋ αΐ αΰ ουυ αυυ οιι οου αου εου ευι")
@example("20the 1º m² H₂O 5€ IV.Ⅳ § 3a,4(b)")
@example("Ꚁ ⱥ \ua7ff\ua800 \ua63f\ua640 \u2c5f\u2c60 \u2c7f\u2c80 \ue000 \uffff \U0010ffff \u20ff\u2100")
def test_words_agree_with_the_plain_implementation(text: str) -> None:
    assert words_of(text) == read(text)


def test_every_letter_is_transliterated_as_by_the_plain_implementation() -> None:
    for first in [
        *range(0, 0x3000, 0x100),
        *range(0xA600, 0xAC00, 0x100),
        0xF900,
        0xFB00,
        0xFE00,
        0xFF00,
        0x1D400,
        0x1D500,
        0x1F100,
    ]:
        for pattern in ("a{}b ", "{}μπ "):
            text = "".join(pattern.format(chr(code)) for code in range(first, first + 0x100))
            assert words_of(text) == read(text)


@given(texts)
def test_counts_add_up_and_words_never_span_two_texts(texts: list[str]) -> None:
    words, counts = split_words(texts)
    assert counts.tolist() == [len(read(text)) for text in texts]
    assert counts.sum() == len(words.starts) - 1
    assert spelled(words) == [word for text in texts for word in read(text)]
    assert words.starts[0] == 0
    assert words.starts[-1] == len(words.letters)
    assert all(0 < length <= LONGEST for length in words.lengths)


@given(texts)
def test_a_batch_is_split_like_its_single_texts(texts: list[str]) -> None:
    alone = [split_words([text]) for text in texts]
    words, counts = split_words(texts)
    assert counts.tolist() == [count for _, [count] in alone]
    assert words.letters.tolist() == [letter for single, _ in alone for letter in single.letters]


@given(text, text)
@example("İstanbul", "α")
@example("έύ", "α")
@example("Ⱥ", "α")
def test_a_word_does_not_depend_on_its_context(one: str, other: str) -> None:
    assert words_of(f"{one} {other}") == words_of(one) + words_of(other)


def test_letters_do_not_depend_on_greek_in_the_same_text() -> None:
    for first in range(0, 0x11000, 0x100):
        alone = " ".join(map(chr, range(first, first + 0x100)))
        assert words_of(f"{alone} α") == [*words_of(alone), "a"], hex(first)


@pytest.mark.parametrize("pair", [("a", "b"), ("1", "2"), ("", "a"), ("ο", "υ"), ("e", "\u0301"), ("\ud83d", "\ude00")])
def test_the_end_of_a_text_is_not_joined_to_the_next(pair: tuple[str, str]) -> None:
    assert spelled(split_words(pair)[0]) == words_of(pair[0]) + words_of(pair[1])


def test_texts_without_letters_have_no_words() -> None:
    for none in ([], [""], ["", ""], [" \n\t"], ["—…§€"], ["\u0301\u0308"], ["😀\ud800"], ["中文 한국어 日本語"]):
        words, counts = split_words(none)
        assert counts.tolist() == [0] * len(none)
        assert (words.letters.tolist(), words.starts.tolist()) == ([], [0])


@given(text)
@example("n\u0303 \u1e69 s\u0323\u0307 s\u0307\u0323 \u1112\u1161\u11ab")
def test_composed_and_decomposed_letters_are_the_same(text: str) -> None:
    assert words_of(normalize("NFD", text)) == words_of(normalize("NFC", text)) == words_of(text)


@given(letters.map(lambda word: word.replace("ß", "s")))
def test_case_makes_no_difference(word: str) -> None:
    assert words_of(word) == words_of(word.upper()) == words_of(word.lower()) == words_of(word.title())


@given(st.text(LATIN, min_size=1) | st.text(CYRILLIC, min_size=1))
def test_accents_make_no_difference(word: str) -> None:
    bare = "".join(letter for letter in normalize("NFD", word) if category(letter) != "Mn")
    assert words_of(word) == words_of(bare)


@given(letters)
def test_a_word_of_any_of_the_three_scripts_is_one_word_in_the_small_alphabet(word: str) -> None:
    [found] = words_of(word)
    assert set(found) <= set(SYMBOLS[10:])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Größe GRÖẞE STRASSE", ["grose", "grose", "strasse"]),
        ("İstanbul ISTANBUL ıspanak", ["istanbul", "istanbul", "ispanak"]),
        ("ΟΔΟΣ οδός Οδοσ ὁδός", ["odos"] * 4),
        ("Ǆ ǅ ǆ Ǉǈǉ", ["dz", "dz", "dz", "ljljlj"]),
        ("ﬁn ﬃ ﬆ ſ K Å", ["fin", "ffi", "st", "s", "k", "a"]),
        ("Ļaužu ŁÓDŹ Đorđe ÆRØ œuvre", ["lauzu", "lodz", "dorde", "aro", "ouvre"]),
        ("Европейския съюз ЕВРОПЕЙСКИЯ СЪЮЗ", ["evropeiskia", "sauz", "evropeiskia", "sauz"]),
        ("Κανονισμός ΚΑΝΟΝΙΣΜΟΣ", ["kanonismos", "kanonismos"]),
        ("Ευρωπαϊκή Ένωση ΟΥΣΙΑ ουσία", ["evropaiki", "enosi", "usia", "usia"]),
        ("μπύρα ΜΠΥΡΑ λάμπα ντομάτα γκάζι", ["bira", "bira", "lampa", "domata", "gazi"]),
        ("(EU) 2016/679, Art. 5(1)a", ["eu", "2016", "679", "art", "5", "1", "a"]),
        ("l’article d'un non-EU", ["l", "article", "d", "un", "non", "eu"]),
        ("20th ２０１６ m² ½", ["20", "th", "2016", "m", "2", "1", "2"]),
        ("a" * 41 + "b c" + "1" * 99 + "d", ["a" * 40, "c", "1" * 40, "d"]),
    ],
)
def test_words_as_acts_have_them(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_a_greek_word_begins_where_its_letters_do() -> None:
    assert words_of("5μπύρα 中μπύρα") == ["5", "bira", "bira"]
    assert words_of("_ντομάτα ʼντομάτα") == ["domata", "domata"]
    assert words_of("λάμπα aμπ жμπ") == ["lampa", "amp", "zmp"]


@pytest.mark.parametrize("mark", [*UNSEEN, "\u0301", "\u0308", "\u036f"])
def test_invisible_characters_and_combining_marks_do_not_split_words(mark: str) -> None:
    assert words_of(f"q{mark}werty Б{mark}ългария 20{mark}16 ο{mark}υσία") == [
        "qwerty",
        "balgaria",
        "2016",
        *words_of(normalize("NFC", f"ο{mark}υσία")),
    ]
    assert words_of(f"qwerty{mark} {mark}Б {mark}") == ["qwerty", "b"]


@pytest.mark.parametrize("word", ["ΐ", "πραΰς", "ǰ"])
def test_capitals_of_several_characters_stay_one_word(word: str) -> None:
    assert words_of(f"α{word}ω".upper()) == words_of(f"α{word}ω")


@pytest.mark.parametrize("text", ["שלום", "مرحبا", "Հայերեն", "हिन्दी", "ไทย", "ქართული", "አማርኛ", "ʼʹ"])
def test_letters_of_other_scripts_separate_words(text: str) -> None:
    assert words_of(text) == []
    assert words_of(f"{text}Article{text}5{text}") == ["article", "5"]


def test_letters_beyond_the_fortieth_do_not_count() -> None:
    assert words_of("ж" * 41 + "x") == words_of("ж" * 1_000_000) == ["z" * 40]


# --- words into subwords ----------------------------------------------------------------------------------


@given(words)
def test_unique_words_returns_each_word_once_and_the_indices(words: Words) -> None:
    unique, hashes, places = unique_words(words)
    assert (hashes[1:] > hashes[:-1]).all()
    once = spelled(unique)
    assert sorted(once) == sorted(set(spelled(words)))
    assert [once[place] for place in places] == spelled(words)


@settings(max_examples=200)
@given(words, spellings)
@example(split_words(["gcara bhpobal ndochas ghearr aaeoeehh gh ch h e o mbh dth gk g"])[0], Spelling(skeleton=(1, 2)))
@example(split_words(["20 a 1 20"])[0], Spelling())
def test_subwords_agree_with_the_plain_implementation(words: Words, spelling: Spelling) -> None:
    expected = [expected_subwords(word, spelling) for word in spelled(words)]
    found = list(subwords(words, spelling))
    assert len(found) == 1 + len(spelling.prefixes) + len(spelling.folded) + len(spelling.skeleton)
    for kind, (owners, hashes) in enumerate(found):
        assert hashes.dtype == np.uint32
        have = {word: subword[kind] for word, subword in enumerate(expected) if subword[kind] is not None}
        assert owners.tolist() == list(have)
        assert hashes.tolist() == list(have.values())


def test_every_bigram_is_folded_as_by_the_plain_implementation() -> None:
    pairs = [one + other for one in SYMBOLS[10:] for other in SYMBOLS[10:]]
    written = pairs + [f"k{pair}t" for pair in pairs]
    _, (_, hashes) = subwords(split_words([" ".join(written)])[0], Spelling((), (4,)))
    assert hashes.tolist() == [hashed(folded(word), 2) for word in written]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("commission", "Kommission"),
        ("theater", "teatr"),
        ("foetus", "fœtus"),
        ("Aegean", "Ægean"),
        ("coetzee", "kotse"),
        ("gCoimisiún", "Coimisiún"),
        ("bpobal", "pobal"),
        ("комисия", "komisja"),
    ],
)
def test_neighbouring_languages_share_the_folded_spelling(one: str, other: str) -> None:
    spelling = Spelling(prefixes=(), folded=(4,))
    _, (_, [first, second]) = subwords(split_words([f"{one} {other}"])[0], spelling)
    assert first == second == hashed(folded(words_of(one)[0])[:4], 2)


def test_a_prefix_a_folded_word_and_a_word_of_the_same_letters_are_different() -> None:
    _, (_, [prefix]), (_, [fold]), (_, [skeleton]) = subwords(split_words(["bbb"])[0], Spelling((1,), (1,), (0,)))
    (_, [whole]), *_ = subwords(split_words(["b"])[0], Spelling((), (), ()))
    assert len({whole, prefix, fold}) == 3
    assert skeleton == hashed("", 3)


@st.composite
def lookups(draw: st.DrawFn) -> tuple[Words, Spelling, list[int], int]:
    """Words, and a vocabulary that has some of their subwords."""
    some, spelling = draw(words), draw(spellings)
    present = {value for word in spelled(some) for value in expected_subwords(word, spelling) if value is not None}
    known = draw(st.sets(st.sampled_from(sorted(present)))) if present else set()
    others = draw(st.sets(st.integers(0, 2**32 - 1) | st.sampled_from([0, 2**32 - 1]), min_size=1, max_size=5))
    return some, spelling, sorted(known | others), draw(st.integers(1, 9) | st.sampled_from([8192, 1 << 20]))


@settings(max_examples=200)
@given(lookups())
def test_rows_agree_with_the_plain_implementation_and_no_word_occurs_twice_in_a_kind(
    lookup: tuple[Words, Spelling, list[int], int],
) -> None:
    words, spelling, vocabulary, buckets = lookup
    found = Counter[tuple[int, int]]()
    for owners, places in embedding_rows(words, spelling, np.array(vocabulary, np.uint32), buckets):
        assert len(set(owners.tolist())) == len(owners) == len(places)
        found.update(zip(owners.tolist(), places.tolist(), strict=True))
    assert found == Counter(
        (owner, row)
        for owner, word in enumerate(spelled(words))
        for row in expected_rows(word, spelling, vocabulary, buckets)
    )


def rows_of(word: str, spelling: Spelling, vocabulary: Iterable[int], buckets: int) -> list[int]:
    arrays = embedding_rows(split_words([word])[0], spelling, np.array(sorted(vocabulary), np.uint32), buckets)
    return [int(row) for _, places in arrays for row in places]


def test_only_words_outside_the_vocabulary_use_shared_rows() -> None:
    word, skeleton = hashed("register", 0), Spelling((), (), (2,))
    assert rows_of("register", Spelling((), ()), {word}, 10) == [0]
    assert rows_of("register", skeleton, {word}, 10) == [0]
    for spelling, many in ((Spelling(), 2), (skeleton, 4)):
        shared = rows_of("unknown", spelling, {word}, 10)
        assert len(shared) == many
        assert all(1 <= row < 11 for row in shared)


def test_unknown_words_with_the_same_skeleton_share_rows_across_scripts() -> None:
    spelling = Spelling((), (), (2, 3))
    latin, cyrillic = (set(rows_of(name, spelling, {1}, 1 << 20)) for name in ("Kovachev", "Ковачов"))
    assert len(latin & cyrillic) == 4
