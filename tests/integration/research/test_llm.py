"""Endpoints: the two protocols over real connections, replies that are checked and kept, and what they may cost."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from email.utils import formatdate
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import ROOT
from helpers.llm_server import KEY, KEY_FROM, LittleLLM, Trouble, little_llm
from lexlattice import read
from lexlattice.act.summary import Item, Summary
from lexlattice.errors import LexLatticeError
from lexlattice.research.judging import Document, judge
from lexlattice.research.llm import (
    Cap,
    Endpoint,
    EndpointConfig,
    EndpointError,
    ReplyError,
    Request,
    SpendingError,
    Store,
)
from lexlattice.research.llm import transport as module
from lexlattice.research.llm.endpoint import endpoint_in
from lexlattice.research.llm.ledger import NAME, tokens_of
from lexlattice.research.llm.schema import fault, parse
from lexlattice.research.rewriting import rewrite

KINDS = ["anthropic", "openai"]
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"points": {"type": "array", "items": {"type": "string"}, "minItems": 1}},
    "required": ["points"],
    "additionalProperties": False,
}
GOOD = '{"points": ["Οι μελισσοκόμοι"]}'


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_FROM, KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(module, "BACKOFF", 0.01)


@pytest.fixture
def server() -> Iterator[LittleLLM]:
    with little_llm(lambda question: GOOD if question.is_structured else f"You said: {question.prompt}") as server:
        yield server


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "replies")


# --- asking -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_asked_and_answered(kind: str, server: LittleLLM, store: Store) -> None:
    with Endpoint(server.config(kind, max_tokens=77), store) as endpoint:
        reply = endpoint.complete("Be brief.", "Κυψέλη?")
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("You said: Κυψέλη?", 100, 10)
    (question,) = server.asked
    assert question.system == "Be brief."
    assert question.body["temperature"] == 0
    assert (question.body["model"], question.body["max_tokens"]) == ("little", 77)
    sent = question.headers["x-api-key"] if kind == "anthropic" else question.headers["authorization"]
    assert sent.removeprefix("Bearer ") == KEY


@pytest.mark.parametrize("kind", KINDS)
def test_structured_replies_are_asked_for_in_the_endpoints_own_way(kind: str, server: LittleLLM, store: Store) -> None:
    with Endpoint(server.config(kind), store) as endpoint:
        assert endpoint.complete("s", "p", schema=SCHEMA).data == {"points": ["Οι μελισσοκόμοι"]}
    body = server.asked[0].body
    if kind == "anthropic":
        assert body["tools"][0]["input_schema"] == SCHEMA
        assert body["tool_choice"]["name"] == body["tools"][0]["name"]
    else:
        assert body["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize("kind", KINDS)
def test_an_endpoint_without_structured_output_is_asked_in_words_from_then_on(kind: str, store: Store) -> None:
    with little_llm(lambda _: f"```json\n{GOOD}\n```") as server:
        server.structured = False
        with Endpoint(server.config(kind), store) as endpoint:
            for prompt in ("one", "two"):
                assert endpoint.complete("s", prompt, schema=SCHEMA).data == json.loads(GOOD)
        assert [question.is_structured for question in server.asked] == [True, False, False]
        assert '"minItems": 1' in server.asked[1].system


@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_that_does_not_fit_is_mended_once(kind: str, store: Store) -> None:
    with little_llm(lambda question: GOOD if "cannot be used" in question.prompt else '{"points": []}') as server:
        with Endpoint(server.config(kind), store) as endpoint:
            reply = endpoint.complete("s", "p", schema=SCHEMA)
        assert reply.data == json.loads(GOOD)
        assert (reply.tokens_in, reply.tokens_out) == (200, 20)
        assert "has 0 entries" in server.asked[1].prompt


def test_a_reply_that_does_not_fit_twice_is_an_error_and_is_not_asked_a_third_time(store: Store) -> None:
    with little_llm(lambda _: "I would rather not.") as server, Endpoint(server.config(), store) as endpoint:
        for _ in range(2):
            with pytest.raises(ReplyError, match="not JSON"):
                endpoint.complete("s", "p", schema=SCHEMA)
        assert len(server.asked) == 2


# --- patience ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
def test_what_passes_is_waited_for(status: int, server: LittleLLM, store: Store) -> None:
    server.troubles.extend([Trouble(status), Trouble(status)])
    with Endpoint(server.config(), store) as endpoint:
        assert endpoint.complete("s", "p").text == "You said: p"
    assert len(server.asked) == 3


def test_waiting_is_as_long_as_the_endpoint_says(server: LittleLLM, store: Store) -> None:
    server.troubles.append(Trouble(429, {"retry-after": "0.4"}))
    start = time.monotonic()
    with Endpoint(server.config(), store) as endpoint:
        endpoint.complete("s", "p")
    assert time.monotonic() - start >= 0.4
    server.troubles.append(Trouble(429, {"retry-after": formatdate(time.time() + 86400, usegmt=True)}))
    with Endpoint(server.config(), store) as endpoint, pytest.raises(EndpointError, match="HTTP 429; try again later"):
        endpoint.complete("s", "q")


def test_patience_ends(server: LittleLLM, store: Store) -> None:
    server.troubles.extend([Trouble(500)] * 9)
    with Endpoint(server.config(attempts=3), store) as endpoint, pytest.raises(EndpointError, match="HTTP 500"):
        endpoint.complete("s", "p")
    assert len(server.asked) == 3


def test_an_answer_that_takes_too_long_is_asked_for_again(server: LittleLLM, store: Store) -> None:
    server.troubles.append(Trouble(200, delay=0.5))
    with Endpoint(server.config(timeout=0.1), store) as endpoint:
        assert endpoint.complete("s", "p").text == "You said: p"


def test_nobody_there(store: Store) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        config = EndpointConfig("openai", f"http://127.0.0.1:{free.getsockname()[1]}", "m", attempts=2)
        with Endpoint(config, store) as endpoint, pytest.raises(EndpointError, match="could not be reached"):
            endpoint.complete("s", "p")


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"choices": []}', b'{"content": "no list"}'])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_such_endpoint_is_said(kind: str, body: bytes, server: LittleLLM, store: Store) -> None:
    server.troubles.append(Trouble(200, body=body))
    with Endpoint(server.config(kind), store) as endpoint, pytest.raises(EndpointError, match="check its kind and url"):
        endpoint.complete("s", "p")


# --- the key ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_the_key_is_in_no_error_and_in_no_file(
    kind: str, status: int, server: LittleLLM, store: Store, tmp_path: Path
) -> None:
    said = json.dumps({"error": {"message": f"{'x' * 190} {KEY} is wrong"}}).encode()
    server.troubles.append(Trouble(status, body=said))
    with Endpoint(server.config(kind), store) as endpoint:
        with pytest.raises(EndpointError) as error:
            endpoint.complete("s", "p")
        assert len(server.asked) == 1, "it is not asked again"
        endpoint.complete("s", "p")
        shown = f"{error.value!r} {error.value} {endpoint!r} {endpoint.config!r} {vars(endpoint)}"
    assert KEY[:6] not in shown
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not any(KEY.encode() in content for content in written)


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_that_the_model_repeats_is_not_kept(kind: str, store: Store, tmp_path: Path) -> None:
    with little_llm(lambda _: f"I was sent {KEY}.") as server, Endpoint(server.config(kind), store) as endpoint:
        assert endpoint.complete("s", "p").text == "I was sent …."
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("where", ["key_from", "kind", "url"])
def test_a_key_in_the_wrong_place_is_not_repeated(where: str) -> None:
    with pytest.raises(LexLatticeError) as error:
        EndpointConfig(**{"kind": "openai", "url": "http://h", "model": "m", where: KEY})
    assert KEY not in str(error.value)
    assert where in str(error.value)


@pytest.mark.parametrize("value", ["", "two\nlines", "ключ"])
def test_a_key_that_is_none_is_not_sent(
    value: str, server: LittleLLM, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_FROM, value)
    with Endpoint(server.config(), store) as endpoint, pytest.raises(EndpointError, match=KEY_FROM) as error:
        endpoint.complete("s", "p")
    assert not server.asked
    assert not value or value not in str(error.value)


# --- the config -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["http://h", "http://h/", "http://h/v1", "http://h/v1/", "http://h/v1/chat/completions"]
)
def test_addresses_may_be_given_in_full_or_in_part(url: str) -> None:
    assert EndpointConfig("openai", url, "m").address == "http://h/v1/chat/completions"


@pytest.mark.parametrize(
    "wrong",
    [
        *(
            {"kind": "other"},
            {"url": "ftp://h"},
            {"url": "h"},
            {"url": "http://h:99999"},
            {"url": "http://user:secret@h"},
            {"model": ""},
        ),
        *({"max_tokens": 0}, {"timeout": 0.0}, {"attempts": 0}, {"price_in": -1.0}, {"price_out": float("nan")}),
    ],
)
def test_a_config_that_cannot_work_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(LexLatticeError) as error:
        EndpointConfig(**{"kind": "openai", "url": "http://h", "model": "m", **wrong})
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, 1) for name in ("kind", "url", "model", "key_from")),
        *((name, "1") for name in ("price_in", "price_out", "max_tokens", "timeout", "attempts")),
        *((name, True) for name in ("price_in", "price_out", "max_tokens", "timeout", "attempts")),
        *((name, 1.5) for name in ("max_tokens", "attempts")),
        *((name, ["http://h"]) for name in ("kind", "url", "model", "price_in", "timeout")),
        *((name, float("inf")) for name in ("price_in", "price_out", "timeout")),
    ],
)
def test_a_field_of_the_wrong_type_is_named(name: str, value: Any, tmp_path: Path) -> None:
    described = {"kind": "openai", "url": "http://h", "model": "m", name: value}
    path = tmp_path / "model.toml"
    path.write_text(
        "\n".join(f"{key} = {json.dumps(one)}" for key, one in described.items()).replace("Infinity", "inf")
    )
    with pytest.raises(LexLatticeError, match=f"endpoint's .*{name.partition('_')[0]}"):
        endpoint_in(path)


@pytest.mark.parametrize("cap", ['"much"', "true", "-1", "[1]"])
def test_a_cap_that_is_none_is_refused(cap: str, tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(f'cap = {cap}\nkind = "openai"\nurl = "http://h"\nmodel = "m"\nprice_in = 0\nprice_out = 0')
    with pytest.raises(LexLatticeError, match="cap on spending must be a number"):
        endpoint_in(path)


# --- keeping ----------------------------------------------------------------------------------------------


def test_what_was_answered_is_not_asked_again(server: LittleLLM, store: Store) -> None:
    for _ in range(2):
        with Endpoint(server.config(), store) as endpoint:
            first = endpoint.complete("s", "p", schema=SCHEMA)
            spent = endpoint.spent
    assert len(server.asked) == 1
    assert first.data == json.loads(GOOD)
    assert spent.requests == 0


@pytest.mark.parametrize("change", [{"model": "other"}, {"system": "t"}, {"prompt": "q"}, {"schema": SCHEMA}])
def test_another_question_is_asked(change: dict[str, Any], server: LittleLLM, store: Store) -> None:
    asked: dict[str, Any] = {"model": "little", "system": "s", "prompt": "p", "schema": None}
    for one in (asked, asked | change):
        config = EndpointConfig("openai", server.config().url, one["model"])
        with Endpoint(config, store) as endpoint:
            endpoint.complete(one["system"], one["prompt"], schema=one["schema"])
    assert len(server.asked) == 2


def test_a_reply_that_was_cut_off_is_asked_for_again_once_it_may_be_longer(server: LittleLLM, store: Store) -> None:
    server.cut = True
    for longest, asked in ((8, 1), (8, 1), (16, 2)):
        with Endpoint(server.config(max_tokens=longest), store) as endpoint:
            assert endpoint.complete("s", "p").is_cut
        assert len(server.asked) == asked


def test_a_damaged_file_is_asked_for_again(server: LittleLLM, store: Store, tmp_path: Path) -> None:
    with Endpoint(server.config(), store) as endpoint:
        endpoint.complete("s", "p")
        (path,) = (path for path in tmp_path.rglob("*.json"))
        path.write_bytes(path.read_bytes()[:-20])
        assert endpoint.complete("s", "p").text == "You said: p"
    assert len(server.asked) == 2


def test_many_threads_may_ask_the_same(server: LittleLLM, store: Store, tmp_path: Path) -> None:
    with Endpoint(server.config(), store) as endpoint, ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: endpoint.complete("s", "p"), range(16)))
    assert {reply.text for reply in replies} == {"You said: p"}
    assert sorted(path.suffix for path in tmp_path.rglob("*") if path.is_file()) == [".json", ".sqlite"]


# --- cost -------------------------------------------------------------------------------------------------


def test_an_estimate_counts_what_is_not_kept(server: LittleLLM, store: Store) -> None:
    config = server.config(price_in=3.0, price_out=15.0, max_tokens=50)
    requests = [Request("s" * 30, "p" * 270, None, 60), Request("s" * 30, "q" * 270, None, 8000)]
    with Endpoint(config, store) as endpoint:
        before = endpoint.estimate(requests)
        assert (before.requests, before.tokens_in, before.tokens_out) == (2, 200, 20 + 50)
        assert before.money == pytest.approx((200 * 3 + 70 * 15) / 1e6)
        endpoint.complete("s" * 30, "p" * 270)
        assert endpoint.estimate(requests).requests == 1
        assert endpoint.spent.money == pytest.approx((100 * 3 + 10 * 15) / 1e6)


def test_nothing_starts_that_would_pass_the_cap(server: LittleLLM, store: Store) -> None:
    with Endpoint(server.config(), store, cap=Cap(tokens=300)) as endpoint:
        endpoint.check(endpoint.estimate([Request("s", "p" * 796)]))
        with pytest.raises(SpendingError, match="above the cap"):
            endpoint.check(endpoint.estimate([Request("s", "p" * 1600)]))


@pytest.mark.parametrize("cap", [Cap(tokens=350), Cap(money=350e-6)])
def test_spending_ends_before_the_cap_and_what_was_paid_for_stays(cap: Cap, server: LittleLLM, store: Store) -> None:
    """Each takes 110 of 350, and may take 10 + 1."""
    config = server.config(max_tokens=10, price_in=1.0, price_out=1.0)
    with Endpoint(config, store, cap=cap) as endpoint:
        for prompt in "abc":
            endpoint.complete("s", prompt)
        assert endpoint.spent.tokens_in + endpoint.spent.tokens_out == 330
        endpoint.complete("s", "a")
        with pytest.raises(SpendingError, match="nothing that was answered is asked twice"):
            endpoint.complete("s", "d" * 40)
    assert len(server.asked) == 3


def test_what_is_refused_is_not_paid_for(server: LittleLLM, store: Store) -> None:
    server.troubles.extend([Trouble(400)] * 5)
    with Endpoint(server.config(max_tokens=10), store, cap=Cap(tokens=20)) as endpoint:
        for _ in range(5):
            with pytest.raises(EndpointError):
                endpoint.complete("s", "p")
        assert endpoint.spent.requests == 0
        endpoint.complete("s", "p")


def test_tokens_that_are_not_told_are_estimated(server: LittleLLM, store: Store) -> None:
    server.usage = None
    with Endpoint(server.config(), store) as endpoint:
        reply = endpoint.complete("s" * 4, "p" * 8)
    assert (reply.tokens_in, reply.tokens_out) == (4, 6)


@given(st.text())
def test_tokens_are_counted_rather_too_high(text: str) -> None:
    """A quarter of the bytes at least, and for what is not ASCII a token a letter."""
    assert tokens_of(text) >= len(text.encode("utf-8", "replace")) / 4
    assert tokens_of(text) >= sum(letter > "\x7f" for letter in text)


@pytest.mark.parametrize("prompt", ["Δηλώνονται οι κυψέλες.", "Кошерите се декларират."])
def test_a_reply_is_expected_in_the_script_of_its_prompt(prompt: str, server: LittleLLM, store: Store) -> None:
    with Endpoint(server.config(), store) as endpoint:
        assert endpoint.estimate([Request("s", prompt, None, 300)]).tokens_out > 250
        assert endpoint.estimate([Request("s", "Tell of hives.", None, 300)]).tokens_out <= 120


def test_a_cap_in_money_needs_prices(server: LittleLLM, store: Store) -> None:
    for prices in ({}, {"price_in": 3.0}, {"price_out": 15}):
        with pytest.raises(LexLatticeError, match="give the endpoint price_in and price_out"):
            Endpoint(server.config(**prices), store, cap=Cap(money=5))
    with Endpoint(server.config(price_in=0, price_out=0), store, cap=Cap(money=5)) as endpoint:
        endpoint.complete("s", "p")
        assert endpoint.spent.money == 0
    with Endpoint(server.config(), store) as endpoint:
        assert "no prices known" in str(endpoint.estimate([Request("s", "q")]))


def test_what_was_spent_before_counts_against_the_cap(server: LittleLLM, store: Store) -> None:
    config = server.config(max_tokens=10, price_in=1.0, price_out=1.0)
    for prompt in "ab":
        with Endpoint(config, store, cap=Cap(money=230e-6)) as endpoint:
            endpoint.complete("s", prompt)
    with Endpoint(config, store, cap=Cap(money=230e-6)) as endpoint:
        endpoint.complete("s", "a")
        assert endpoint.spent.requests == 0, "through this one"
        with pytest.raises(SpendingError, match="so far 2 requests, 200 \\+ 20 tokens"):
            endpoint.complete("s", "c")
        with pytest.raises(SpendingError, match="after 2 requests"):
            endpoint.check(endpoint.estimate([Request("s", "c" * 60)]))
    assert len(server.asked) == 2


def test_replies_that_nobody_noted_the_cost_of_count_at_the_prices_of_today(
    server: LittleLLM, store: Store, tmp_path: Path
) -> None:
    with Endpoint(server.config(), store) as endpoint:
        endpoint.complete("s", "a")
    for _ in range(2):
        config, said = server.config(price_in=1000.0, price_out=2000.0), "so far 1 requests, 100 \\+ 10 tokens, 0.12 in"
        with Endpoint(config, store, cap=Cap(money=1)) as endpoint, pytest.raises(SpendingError, match=said):
            endpoint.complete("s", "b")
        (tmp_path / "replies" / NAME).unlink()


def test_an_answer_that_never_came_is_paid_for_as_far_as_it_was_asked_for(server: LittleLLM, store: Store) -> None:
    """Four tokens each time: twice no answer in time, once a failure there, once an answer that is none."""
    server.troubles.extend([*[Trouble(200, delay=0.6)] * 2, Trouble(500), Trouble(200, body=b"[]")])
    with Endpoint(server.config(timeout=0.2), store) as endpoint:
        with pytest.raises(EndpointError, match="check its kind and url"):
            endpoint.complete("s" * 3, "p" * 9)
        spent = endpoint.spent
        assert (spent.requests, spent.tokens_in, spent.tokens_out) == (4, 16, 0)
        endpoint.complete("s" * 3, "p" * 9)
        assert endpoint.spent.tokens_in == 116


def test_who_was_not_reached_or_had_no_time_is_not_paid(server: LittleLLM, store: Store) -> None:
    server.troubles.extend([Trouble(429)] * 2)
    with Endpoint(server.config(), store) as endpoint:
        endpoint.complete("s", "p")
        assert endpoint.spent.requests == 1
    server.server_close()
    with Endpoint(server.config(attempts=2), store) as endpoint, pytest.raises(EndpointError, match="be reached"):
        endpoint.complete("s", "q")
    assert endpoint.spent.requests == 0


def test_patience_ends_at_the_cap(server: LittleLLM, store: Store) -> None:
    """Each attempt takes 100 tokens, and 10 are kept for the reply."""
    server.troubles.extend([Trouble(500)] * 9)
    config = server.config(max_tokens=10, attempts=9)
    with Endpoint(config, store, cap=Cap(tokens=350)) as endpoint, pytest.raises(SpendingError):
        endpoint.complete("s", "p" * 299)
    assert len(server.asked) == 3
    assert endpoint.spent.tokens_in == 300


def ask(config: EndpointConfig, folder: Path, prompts: str) -> int:
    """In a process of its own: how many of the prompts could be paid for."""
    answered = 0
    with Endpoint(config, Store(folder), cap=Cap(tokens=1000)) as endpoint:
        for prompt in prompts:
            with suppress(SpendingError):
                endpoint.complete("s", prompt)
                answered += 1
    return answered


def test_a_cap_holds_over_all_processes(server: LittleLLM, tmp_path: Path) -> None:
    """Each request takes 110 of 1000, and 110 are set aside for it."""
    config = server.config(max_tokens=109)
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        answered = list(pool.map(partial(ask, config, tmp_path), ["abcdef", "ghijkl", "mnopqr"]))
    assert sum(answered) == len(server.asked) == 9


def test_what_a_killed_process_was_asking_stays_paid(server: LittleLLM, store: Store, tmp_path: Path) -> None:
    server.troubles.append(Trouble(200, delay=2.0))
    config = server.config(max_tokens=109)
    process = get_context("spawn").Process(target=ask, args=(config, tmp_path / "replies", "a"))
    process.start()
    while process.is_alive() and not server.asked:
        time.sleep(0.02)
    process.kill()
    process.join()
    said = "so far 1 requests, 1 \\+ 109 tokens"
    with Endpoint(config, store, cap=Cap(tokens=200)) as endpoint, pytest.raises(SpendingError, match=said):
        endpoint.complete("s", "b")


def test_what_cannot_be_counted_is_not_spent(server: LittleLLM, store: Store, tmp_path: Path) -> None:
    (tmp_path / "replies").mkdir()
    (tmp_path / "replies" / NAME).write_text("This is no database, however long one looks at it. " * 40)
    with Endpoint(server.config(), store) as endpoint, pytest.raises(LexLatticeError, match="remove the file"):
        endpoint.complete("s", "p")
    assert not server.asked


# --- the shape of replies ---------------------------------------------------------------------------------

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(-2, 2).filter(lambda x: x != int(x))
    | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=6,
)
schemas = st.recursive(
    st.fixed_dictionaries({}, optional={"enum": st.lists(st.sampled_from(["a", "b", 1, True]), min_size=1)})
    | st.fixed_dictionaries({"type": st.sampled_from("string integer number boolean".split())})
    | st.just({"type": "string", "minLength": 2}),
    lambda inner: (
        st.fixed_dictionaries(
            {"type": st.just("array"), "items": inner},
            optional={"minItems": st.integers(0, 2), "maxItems": st.integers(0, 2)},
        )
        | st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("xyz"), inner, max_size=3)},
            optional={
                "required": st.lists(st.sampled_from("xyz"), max_size=2, unique=True),
                "additionalProperties": st.booleans(),
            },
        )
    ),
    max_leaves=4,
)


@given(values, schemas)
def test_what_fits_is_what_json_schema_says(value: Any, schema: dict[str, Any]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    assert (not fault(value, schema)) == jsonschema.Draft202012Validator(schema).is_valid(value)


def test_a_schema_that_cannot_be_checked_is_refused() -> None:
    with pytest.raises(ValueError, match="pattern"):
        fault("a", {"type": "string", "pattern": "b"})


@given(
    values.filter(lambda value: isinstance(value, dict)), st.sampled_from(["{}", "```json\n{}\n```", "Well: {} Yes."])
)
def test_json_is_found_in_what_stands_around_it(value: Any, around: str) -> None:
    assert parse(around.replace("{}", json.dumps(value))) == value


@pytest.mark.parametrize("text", ["", "no", "{", "}{", '{"a": NaN}', "[" * 100_000, '{"a":' * 100_000])
def test_what_is_no_json_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="it is"):
        parse(text)


# --- a real server of a real model ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EndpointConfig]:
    """`transformers serve` on loopback, with a model of random weights."""
    for package in ("transformers", "fastapi", "uvicorn", "openai", "accelerate"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"transformers serve needs {package}")
    folder = tmp_path_factory.mktemp("tiny") / "model"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder.parent / "log"
    with log.open("wb") as out:
        script = ROOT / "tests" / "helpers" / "tiny_chat.py"
        process = subprocess.Popen([sys.executable, script, folder, str(port)], stdout=out, stderr=out, env=os.environ)
    url = f"http://127.0.0.1:{port}"
    try:
        with httpx.Client(trust_env=False) as client:
            for _ in range(600):
                assert process.poll() is None, log.read_text()
                try:
                    client.get(f"{url}/health")
                    break
                except httpx.HTTPError:
                    time.sleep(0.2)
        yield EndpointConfig("openai", url, str(folder), max_tokens=12)
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_a_real_server_of_random_weights(served: EndpointConfig, tmp_path: Path) -> None:
    """One test, because the server takes long to start."""
    check_that_it_is_understood(served, tmp_path)
    check_that_it_gives_no_structured_reply(served, tmp_path / "structured")
    check_that_it_neither_judges_nor_is_shown(served, tmp_path / "judge")


def check_that_it_is_understood(served: EndpointConfig, tmp_path: Path) -> None:
    replies = []
    for name in ("one", "two"):
        with Endpoint(served, Store(tmp_path / name)) as endpoint:
            replies.append(endpoint.complete("Be brief.", "Κυψέλη?"))
    first = replies[0]
    prompt = "system: Be brief.\nuser: Κυψέλη?\nassistant: "
    assert first.text
    assert (first.tokens_in, first.tokens_out, first.is_cut) == (len(prompt.encode()), 12, True)
    assert replies[1] == first, "at temperature 0"


def check_that_it_gives_no_structured_reply(served: EndpointConfig, tmp_path: Path) -> None:
    """The whole way there and back: asked, refused, asked again with the reason, refused."""
    with Endpoint(served, Store(tmp_path)) as endpoint:
        with pytest.raises(ReplyError, match="raise max_tokens"):
            endpoint.complete("Be brief.", "Say it.", schema=SCHEMA)
        assert endpoint.spent.requests == 2


def check_that_it_neither_judges_nor_is_shown(served: EndpointConfig, tmp_path: Path) -> None:
    """The two who ask, over a real model: nothing of what it says gets through."""
    act = read(ROOT / "examples" / "short" / "en.txt")
    unit = act["art-3.par-1"]
    summary = Summary(act, 50, (Item.of(unit, act.sections[unit.section], 0.5, "key_points"),))
    with Endpoint(served, Store(tmp_path)) as endpoint:
        assert [one.status for one in rewrite(summary, endpoint).sentences] == ["verbatim"]
        judgement = judge([Document("1", "en", "Keepers register.", {"a": [unit.text], "b": []})], endpoint)
    assert list(judgement.failures) == ["1"]
    assert not judgement.scores
    assert judgement.to_dict()["systems"] == {}
