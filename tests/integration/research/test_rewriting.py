"""The abstractive stage: what a model writes is shown only where it can be verified, else the act speaks for itself."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from helpers import RECORDED as RECORDED_FOLDER
from helpers import ROOT
from helpers.llm_server import KEY, KEY_FROM, FakeLLM, fake_llm
from lexlattice import Act, read
from lexlattice.act.summary import Item, Summary
from lexlattice.reading import LANGUAGES
from lexlattice.reading.languages.grammar import fold
from lexlattice.research.llm import Endpoint, ReplyCache
from lexlattice.research.llm import client as llm
from lexlattice.research.rewriting import Checker, Rewritten, rewrite, verify
from lexlattice.research.rewriting.tokens import vocabulary

EXAMPLES = ROOT / "examples" / "short"
RECORDED = json.loads(RECORDED_FOLDER.joinpath("rewriting.json").read_text("utf-8"))
OWN_NUMBER = re.compile(r"^(?:\(?[^\W_]{1,4}[.)]+|—)\s+")
IDS = [*RECORDED["items"], "art-99", ""]


@cache
def act_in(language: str) -> Act:
    return read(EXAMPLES / f"{language}.txt")


@cache
def checker(language: str) -> Checker:
    return Checker(language, act_in(language).source)


def summary_in(language: str, ids: list[str]) -> Summary:
    act = act_in(language)
    units = [act[name] for name in ids]
    return Summary(act, 400, tuple(Item.of(unit, act.sections[unit.section], 0.5, "key_points") for unit in units))


def provisions(language: str) -> list[str]:
    """Those a summary is made of, without their own numbers."""
    kinds = ("recital", "paragraph", "subparagraph", "point", "indent")
    return [OWN_NUMBER.sub("", unit.text) for unit in act_in(language).units if unit.kind in kinds]


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_FROM, KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(llm, "BACKOFF", 0.01)


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    sentences = [{"text": one["text"], "ids": one["ids"]} for one in RECORDED["sentences"]]
    with fake_llm(lambda _: json.dumps({"sentences": sentences})) as server:
        yield server


@pytest.fixture
def rewritten(server: FakeLLM, tmp_path: Path) -> Rewritten:
    with Endpoint(server.config(), ReplyCache(tmp_path)) as endpoint:
        return rewrite(summary_in("en", RECORDED["items"]), endpoint)


# --- the whole stage --------------------------------------------------------------------------------------


def test_what_fails_is_replaced_by_the_acts_own_words(rewritten: Rewritten) -> None:
    assert [[one.status, list(one.ids)] for one in rewritten.sentences] == RECORDED["shown"]
    items = {item.id: item for item in rewritten.summary}
    assert all(one.text == items[one.ids[0]].text for one in rewritten.sentences if one.status == "verbatim")
    refused = [one for one in RECORDED["sentences"] if one["refused"]]
    assert [one.text for one in rewritten.rejected] == [one["text"] for one in refused]
    for one, expected in zip(rewritten.rejected, refused, strict=True):
        assert expected["refused"] in one.reason


def test_the_model_is_shown_the_items_and_their_ids_only(rewritten: Rewritten, server: FakeLLM) -> None:
    (question,) = server.received
    shown = json.loads(question.prompt)
    assert shown["language"] == "en"
    assert shown["provisions"] == [{"id": item.id, "text": item.text} for item in rewritten.summary]


def test_as_plain_json_nothing_rejected_is_among_the_sentences(rewritten: Rewritten) -> None:
    data = rewritten.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert {one["status"] for one in data["sentences"]} == {"verified", "verbatim"}
    assert data["sentences"][1]["citations"] == ["Article 2, point (3)"]
    assert not {one["text"] for one in data["rejected"]} & {one["text"] for one in data["sentences"]}


def test_markdown_marks_each_sentence_and_cites_it(rewritten: Rewritten) -> None:
    html = MarkdownIt().render(rewritten.to_markdown())
    assert html.count("<blockquote>") == 5
    assert "per square kilometre. <strong>✓ Article 2, point (3)</strong>" in html
    assert "It shall apply from 1 September 2024. <strong>= Article 10, second paragraph</strong>" in html
    assert "Europol" not in html


def test_a_model_without_a_usable_reply_leaves_the_extract_as_it_is(tmp_path: Path) -> None:
    with fake_llm(lambda _: "?") as server, Endpoint(server.config(), ReplyCache(tmp_path)) as endpoint:
        summary = summary_in("en", RECORDED["items"])
        rewritten = rewrite(summary, endpoint)
    assert rewritten.text == summary.text
    assert "gave no usable reply" in rewritten.to_dict()["warnings"][0]


def test_nothing_is_requested_for_an_empty_extract(server: FakeLLM, tmp_path: Path) -> None:
    with Endpoint(server.config(), ReplyCache(tmp_path)) as endpoint:
        assert rewrite(summary_in("en", []), endpoint).sentences == ()
    assert not server.received


texts = st.sampled_from([one["text"] for one in RECORDED["sentences"]] + provisions("en")) | st.text(max_size=20)


@given(st.lists(st.tuples(texts, st.lists(st.sampled_from(IDS), max_size=3, unique=True).map(tuple)), max_size=8))
def test_every_item_is_there_and_nothing_is_verified_that_is_not(written: list[tuple[str, tuple[str, ...]]]) -> None:
    summary = summary_in("en", RECORDED["items"])
    shown, rejected = verify(summary, written)
    items = {item.id: item.text for item in summary}
    assert {name for one in shown for name in one.ids} == set(items)
    own = [one for one in shown if one.status == "verbatim"]
    assert len(set(own)) == len(own), "the act's words stand once"
    for one in shown:
        if one.status == "verbatim":
            assert [one.text] == [items[name] for name in one.ids]
        else:
            assert not checker("en").refusal(one.text, [items[name] for name in one.ids])
    assert len(rejected) + sum(one.status == "verified" for one in shown) == len(written)


# --- the checker ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_provisions_rest_on_themselves(language: str) -> None:
    found = {text: checker(language).refusal(f"{text} ", [f"(1) {text}"]) for text in provisions(language)}
    assert len(found) > 30
    assert not {text: reason for text, reason in found.items() if reason}


numbers = st.one_of(
    st.integers(0, 10**6).map(str),
    st.decimals(0, 1000, places=2).map(str),
    st.decimals(0, 1000, places=1).map(lambda n: str(n).replace(".", ",")),
    st.tuples(st.integers(1, 999), st.sampled_from(" ., '’\u202f")).map(lambda pair: f"{pair[0]}{pair[1]}000"),
    st.tuples(st.integers(1, 31), st.integers(1, 12), st.integers(1950, 2050)).map(lambda d: "{}.{}.{}".format(*d)),
    st.tuples(st.integers(1950, 2050), st.integers(1, 9999)).map(lambda pair: "{}/{}".format(*pair)),
    st.tuples(st.integers(1, 99), st.integers(1, 9), st.sampled_from("abc")).map(lambda p: "{}({})({})".format(*p)),
)


@given(st.data(), st.sampled_from(LANGUAGES), numbers)
def test_a_number_that_the_provisions_do_not_have_is_refused_wherever_it_stands(
    data: st.DataObject, language: str, number: str
) -> None:
    provision = data.draw(st.sampled_from(provisions(language)))
    words = provision.split()
    words.insert(data.draw(st.integers(0, len(words))), number)
    figures = re.findall(r"\d+", number)
    assume(not set(figures) & set(re.findall(r"\d+", provision)))
    assert checker(language).refusal(" ".join(words), [provision])


@given(st.data(), st.sampled_from(LANGUAGES))
def test_a_number_that_is_changed_is_refused(data: st.DataObject, language: str) -> None:
    provision = data.draw(st.sampled_from([text for text in provisions(language) if re.search(r"\d", text)]))
    match = data.draw(st.sampled_from(list(re.finditer(r"\d+", provision))))
    other = data.draw(st.integers(1, 5000).map(str))
    assume(other not in re.findall(r"\d+", provision))
    assert checker(language).refusal(provision[: match.start()] + other + provision[match.end() :], [provision])


@given(st.data(), st.sampled_from(LANGUAGES), st.from_regex(r"[A-Z]{2,6}|[ΑΒΓΔ]{2,6}|[БДЖЗ]{2,6}", fullmatch=True))
def test_an_acronym_that_the_provisions_do_not_have_is_refused(data: st.DataObject, language: str, name: str) -> None:
    provision = data.draw(st.sampled_from(provisions(language)))
    words = provision.split()
    assume(name not in re.findall(r"\w+", provision))
    words.insert(data.draw(st.integers(0, len(words))), name)
    assert checker(language).refusal(" ".join(words), [provision])


@pytest.mark.parametrize(
    ("language", "sentence", "provision"),
    [
        ("en", "Keepers pay within 5 days.", "Keepers pay in accordance with Article 5 within 30 days."),
        ("en", "It lasts five months.", "It lasts five years; after seven months it is renewed."),
        ("en", "It lasts seven years.", "It lasts five years; after seven months it is renewed."),
        ("en", "It applies from 1 October 2024.", "It applies from 1 September 2024."),
        ("en", "It applies from October 2024.", "It applies from 1 September 2024."),
        ("en", "It applies from 1.9.2024.", "It applies from 1 September 2024."),
        ("en", "The fine is EUR 5 000.", "The fine is EUR 50 000."),
        ("en", "The fine is USD 500.", "The fine is EUR 500."),
        ("en", "The fine is USD 500 in all.", "The fine is EUR 500 in all, or in USD."),
        ("en", "The fine is EUR 5 billion.", "The fine is EUR 5 million, not a billion."),
        ("en", "It ends in April 2024 at noon.", "It ends in March 2024 at noon, not in April."),
        ("en", "A fee of EUR 5 daily is due.", "A fee of EUR 5 monthly is due and reported daily."),
        ("en", "Keepers report every October.", "Keepers report every September."),
        ("en", "Keepers inform the WHO.", "Who informs the keepers is open."),
        ("en", "Common Council members keep it.", "Council members keep it."),
        ("en", "It shall apply to gardens and fire services.", "Keepers register each beehive."),
        ("en", "ReplyCache it at 5 °C.", "ReplyCache it at -5 °C."),
        ("en", "It is at most 3 %.", "It is at most 0.3 %."),
        ("en", "See Annex III on labels.", "See Annex II on labels."),
        ("en", "See Annex I on labels.", "See Annex II on labels."),
        ("en", "See Article 5(1), point (b), on labels.", "See Article 5(1), point (a), on labels."),
        ("en", "See Article 5(2) on labels.", "See Article 5(1) on labels."),
        ("en", "The second paragraph applies.", "The first paragraph applies."),
        ("en", "Directive 2021/99 applies to it.", "Regulation 2021/99 applies to it."),
        ("en", "Keepers inform the European Parliament.", "Keepers inform the European Council."),
        ("en", "Europol informs keepers.", "The authority informs keepers."),
        ("en", "Keepers are ‘owners of beehives’.", "Keepers are persons responsible for beehives, or owners."),
        ("en", 'Keepers are "responsible persons.', "Keepers are responsible persons."),
        ("en", "Keepers write to info@example.eu on it.", "Keepers write to the authority on it."),
        ("en", "Bananas grow nicely under glass.", "Keepers register each beehive."),
        ("en", "…", "Keepers register each beehive."),
        ("de", "Es gilt Artikel 5 Buchstabe b für Halter.", "Es gilt Artikel 5 Buchstabe a für Halter."),
        ("de", "Die Frist beträgt zwölf Tage.", "Die Frist beträgt fünf Tage."),
        ("de", "Die Kosten betragen 5 Milliarden Euro.", "Die Kosten betragen 5 Millionen Euro."),
        ("fr", "Le délai est de trente jours.", "Le délai est de 30 jours."),
        ("bg", "Срокът е дванадесет дни.", "Срокът е десет дни."),
        ("el", "Η προθεσμία είναι δώδεκα ημέρες.", "Η προθεσμία είναι δέκα ημέρες."),
        ("hu", "A határidő 2024. október 12.", "A határidő 2024. március 12."),
        ("ga", "Cuirfidh an gCúirt tuarascáil isteach.", "Cuirfidh an gCoimisiún tuarascáil isteach."),
        ("mt", "Il-Qorti tibgħat rapport lill-Istati Membri.", "Il-Kummissjoni tibgħat rapport lill-Istati Membri."),
        ("pl", "Rejestracja zgodnie z art. 6 jest wolna.", "Rejestracja zgodnie z art. 5 ust. 6 jest wolna."),
        ("el", "Keepers register each beehive within days.", "Οι μελισσοκόμοι καταχωρίζουν κάθε κυψέλη."),
    ],
)
def test_claims_that_are_not_in_the_provisions_are_refused(language: str, sentence: str, provision: str) -> None:
    assert checker(language).refusal(sentence, [provision])


@pytest.mark.parametrize(
    ("language", "sentence", "provision"),
    [
        (
            "en",
            "Keepers must register every beehive in 30 days.",
            "Keepers shall register each beehive within 30 days.",
        ),
        ("en", "A label lasts at least five years.", "The label should withstand rain for at least five years."),
        ("en", "Article 5(1) applies to labels.", "Labels are made in accordance with Article 5(1) of the act."),
        ("en", "The rules apply from 1 September 2024.", "The rules shall apply from 1 September 2024 at the latest."),
        (
            "en",
            "Keepers register under Regulation (EU) 2021/99.",
            "Keepers register. Regulation (EU) 2021/99 is amended.",
        ),
        ("en", "An “urban area” is dense.", "‘urban area’ means a dense area"),
        ("de", "Der Halter meldet es binnen 30 Tagen.", "Der Halter meldet es innerhalb einer Frist von 30 Tagen."),
        ("fr", "L’autorité décide dans les 15 jours.", "L’autorité compétente décide dans un délai de 15 jours."),
        ("hu", "A határidő 2024. március 12.", "A jelentés határideje és a határidő 2024. március 12."),
        ("ga", "Cuirfidh an Coimisiún tuarascáil ar fáil.", "Cuirfidh an gCoimisiún tuarascáil isteach."),
        ("fi", "Asetus (EY) N:o 192/2007 kumotaan.", "Kumotaan asetus (EY) N:o 192/2007."),
        ("pl", "Zgodnie z art. 5 rejestracja jest wolna.", "Rejestracja zgodnie z art. 5 jest wolna."),
        ("el", "Η προθεσμία των 30 ημερών ισχύει.", "Ισχύει προθεσμία 30 ημερών."),
    ],
)
def test_supported_paraphrases_are_accepted(language: str, sentence: str, provision: str) -> None:
    assert not checker(language).refusal(sentence, [provision])


@pytest.mark.parametrize("language", LANGUAGES)
def test_numerals_are_folded_and_every_language_has_them(language: str) -> None:
    known = vocabulary(language)
    words = (*known.beginnings, *known.numerals)
    assert len(words) > 20
    assert all(fold(word) == word for word in words)
    assert all(fold(word) == word for word in known.within)
