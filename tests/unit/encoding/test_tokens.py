"""The tokenizers of metrics and n-grams."""

from __future__ import annotations

import sys
from itertools import chain
from typing import Literal
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score.tokenize import tokenize

from lexlattice.encoding import tokens
from lexlattice.encoding.tokens import STEMMED, TOKENIZERS, tokenizer
from lexlattice.errors import MissingExtraError, OptionError
from lexlattice.reading import LANGUAGES

PHRASES = {
    "bg": "Пчелите и кошерите се вписват в регистъра на държавата членка",
    "cs": "Včelař zřídí nejpozději příští úterý úplný rejstřík včelích úlů a ohlásí změny",
    "da": "Biavleren fører et register over bistader på øen også når de flyttes",
    "de": "Der Imker führt ein Verzeichnis größerer Bienenstöcke für alle Länder",
    "el": "Ο μελισσοκόμος τηρεί μητρώο των κυψελών και ενημερώνει την αρχή εντός τριών ημερών",
    "en": "The keeper of bees keeps a register of all hives",
    "es": "El apicultor llevará un registro de las colmenas cada año según el artículo",
    "et": "Mesinik peab tarude kohta õiget ja täielikku registrit ning esitab žürii nõudel väljavõtte",
    "fi": "Mehiläishoitaja pitää pesistä rekisteriä myös silloin kun pesät siirtyvät",
    "fr": "Le registre où sont tenues les ruches à déclarer est complété dès leur création ça et là",
    "ga": "Coinneoidh an beachaire clár de na coirceoga go léir ina bhfuil seirbhísí á soláthar ó thús",
    "hr": "Pčelar vodi očevidnik košnica i šalje izvješće nadležnom tijelu još iste godine uz žig i ćirilicu",
    "hu": "A méhész nyilvántartást vezet a kaptárakról és bejelenti az őszi változásokat a fűtött épületből",
    "it": "Il registro degli alveari è pubblico perché così può essere più utile alla città",
    "lt": "Bitininkas tvarko avilių žurnalą ir kasmet praneša apie pokyčius įstaigai kuri jį šią dieną gavo čia",
    "lv": "Biškopis ved stropu reģistru un ziņo iestādei par ģimenēm kā arī ķieģeļu ēkām ļoti žigli",
    "mt": "Min irabbi naħal iżomm reġistru ta kull ċellula u jgħarraf lill awtorità għal dan il għan",
    "nl": "De imker houdt een register bij van alle kasten en reünies in België",
    "pl": "Pszczelarz prowadzi rejestr uli i zgłasza każdą zmianę właściwej władzy też później u źródła",
    "pt": "O apicultor mantém um registo das colmeias e comunica as alterações às autoridades até três dias após",
    "ro": "Apicultorul ține un registru al stupilor și îl pune la dispoziția autorității când i se cere în țară",
    "sk": "Včelár vedie register úľov a každú zmenu ohlási príslušnému úradu ešte v ten istý deň ôsmy kŕmi dĺžku",
    "sl": "Čebelar vodi register panjev in še isti dan sporoči spremembe občini če živi tam",
    "sv": "Biodlaren för ett register över alla bikupor på ön även när de flyttas",
}
"""Without punctuation, so that words are what spaces separate."""

TRAPS = "\u212aİıſŉßǰΐΣςﬁ２٣²½ªº_\u0300\u0307\x00\x1c\x1d\x1e\x1f\x85\xa0\xad\u200b\u2028\u2029\r\v\f\n\n\n 09azAZ"
"""Characters whose lower case is ASCII or several characters, other digits, separators, and plain characters."""

text = st.text(st.characters(codec="utf-8") | st.sampled_from(TRAPS))
english = st.lists(
    st.sampled_from("regist appl relat organ hop dy agre ti s communi gener y sk".split()).flatmap(
        lambda stem: st.sampled_from("ation ies ied ing ed s ational izer fulness ement e ly ying 's".split()).map(
            stem.__add__
        )
    )
    | st.text("aeioubdlnsty", max_size=9),
    max_size=20,
).map(" ".join)


@given(text)
def test_compat_is_the_default_tokenizer_of_rouge_score(text: str) -> None:
    assert tokenizer("compat")(text) == tokenize(text, None)


def test_compat_treats_every_character_there_is_as_rouge_score_does() -> None:
    every = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF)
    text = "".join(f"a{character}b " for character in every)
    assert tokenizer("compat")(text) == tokenize(text, None)


@given(english | text)
def test_stems_are_those_of_rouge_score(text: str) -> None:
    assert tokenizer("compat-stemmed")(text) == tokenize(text, PorterStemmer())


def test_words_of_three_letters_are_not_stemmed() -> None:
    assert tokenizer("unicode-stemmed")("Bees has used uses") == ["bee", "has", "use", "use"]


@pytest.mark.parametrize("name", [*TOKENIZERS, *STEMMED])
@given(text=text)
def test_the_lines_together_are_the_whole(name: str, text: str) -> None:
    words = tokenizer(name)
    assert list(chain.from_iterable(words.lines(text))) == words(text)


@pytest.mark.parametrize("name", TOKENIZERS)
def test_lines_without_words_are_left_out(name: str) -> None:
    words = tokenizer(name)
    assert words.lines("\none two\n\n — . \nthree\r\n\x85four\n") == [["one", "two"], ["three"], ["four"]]
    assert words.lines("") == words.lines("\n\n") == words.lines("–,;\n…") == []


@pytest.mark.parametrize("name", TOKENIZERS)
def test_only_a_line_feed_ends_a_line(name: str) -> None:
    """As in `rouge-score`."""
    text = "a\rb\vc\fd\x1ce\x1ff\x85g\u2028h\u2029i"
    assert tokenizer(name).lines(text) == [list("abcdefghi")]


def test_there_is_a_phrase_in_each_language() -> None:
    assert set(PHRASES) == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_stay_whole_in_every_language(language: str) -> None:
    phrase = PHRASES[language]
    assert tokenizer()(phrase) == phrase.lower().split()
    assert tokenizer()(f"«{phrase.replace(' ', ', ')}»;") == phrase.lower().split()


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"de"}))
def test_capitals_make_no_difference(language: str) -> None:
    """But for German, whose ß has none."""
    assert tokenizer()(PHRASES[language].upper()) == tokenizer()(PHRASES[language])


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_decomposed_letters_make_no_difference(language: str, form: Literal["NFC", "NFD"]) -> None:
    phrase = PHRASES[language]
    assert tokenizer()(normalize(form, phrase)) == tokenizer()(phrase)
    assert tokenizer()(normalize(form, phrase.upper())) == tokenizer()(phrase.upper())


@given(text)
def test_composed_and_decomposed_text_has_the_same_words(text: str) -> None:
    assert tokenizer()(normalize("NFD", text)) == tokenizer()(normalize("NFC", text)) == tokenizer()(text)


@given(text)
def test_words_are_in_lower_case(text: str) -> None:
    assert all(word == word.lower() for word in tokenizer()(text))


def test_a_greek_capital_sigma_is_final_at_the_end_of_a_word() -> None:
    assert tokenizer()("ΚΑΝΟΝΙΣΜΟΣ, ΤΗΣ\nΣΥΝΘΗΚΗΣ. Σ") == ["κανονισμος", "της", "συνθηκης", "σ"]
    assert tokenizer("unicode").lines("ΤΗΣ\nΣΥΝΘΗΚΗΣ\nΑ") == [["της"], ["συνθηκης"], ["α"]]


def test_hyphens_apostrophes_and_slashes_separate_words() -> None:
    assert tokenizer()("l'article 2024/9001, il-punt COVID-19") == "l article 2024 9001 il punt covid 19".split()


@pytest.mark.parametrize("language", ["el", "bg"])
def test_compat_keeps_nothing_of_other_alphabets(language: str) -> None:
    """Why `unicode` is the default: of a Greek or Bulgarian act only its numbers would be compared."""
    assert tokenizer("compat")(f"{PHRASES[language]} 2024/9001") == ["2024", "9001"]
    assert len(tokenizer()(PHRASES[language])) == len(PHRASES[language].split())


def test_compat_breaks_words_at_accents() -> None:
    assert tokenizer("compat")("Včelař zřídí úl") == ["v", "ela", "z", "d", "l"]


def test_tokenizers_have_names() -> None:
    assert TOKENIZERS == ("unicode", "compat")
    assert tokenizer().name == "unicode"
    assert STEMMED == ("unicode-stemmed", "compat-stemmed")
    assert all(tokenizer(name).name == name for name in (*TOKENIZERS, *STEMMED))


def test_an_unknown_tokenizer_is_refused() -> None:
    with pytest.raises(OptionError, match="'words'"):
        tokenizer("words")


def test_only_stemming_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens._porter.cache_clear()
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    assert tokenizer()("Bees") == tokenizer("compat")("Bees") == ["bees"]
    with pytest.raises(MissingExtraError, match=r"lexlattice\[stem\]"):
        tokenizer("unicode-stemmed")
