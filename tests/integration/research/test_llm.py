"""Endpoints: both protocols over real connections; replies are checked and cached, spending is capped."""

from __future__ import annotations

import importlib.util
import json
import os
import re
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
from helpers.llm_server import KEY, KEY_FROM, Failure, FakeLLM, Slowly, fake_llm
from lexlattice import read
from lexlattice.act.summary import Item, Summary
from lexlattice.errors import ConfigError, OutputError
from lexlattice.research.judging import Document, judge
from lexlattice.research.llm import (
    Cap,
    Endpoint,
    EndpointConfig,
    EndpointError,
    ReplyCache,
    ReplyError,
    Request,
    SpendingError,
    open_endpoint,
)
from lexlattice.research.llm import client as client_module
from lexlattice.research.llm.cost_ledger import NAME, max_tokens_of
from lexlattice.research.llm.replies import parse, schema_error
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
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_FROM, KEY)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(client_module, "BACKOFF", 0.01)


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with fake_llm(lambda received: GOOD if received.is_structured else f"You said: {received.prompt}") as server:
        yield server


def numbers(error: Exception) -> set[str]:
    return set(re.findall(r"\d+(?:\.\d+)?", str(error)))


@pytest.fixture
def cache(tmp_path: Path) -> ReplyCache:
    return ReplyCache(tmp_path / "replies")


# --- requests -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_request_and_its_reply(kind: str, server: FakeLLM, cache: ReplyCache) -> None:
    with Endpoint(server.config(kind, max_tokens=77), cache) as endpoint:
        reply = endpoint.complete("Be brief.", "Κυψέλη?")
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("You said: Κυψέλη?", 100, 10)
    (received,) = server.received
    assert received.system == "Be brief."
    assert received.body["temperature"] == 0
    assert (received.body["model"], received.body["max_tokens"]) == ("little", 77)
    sent = received.headers["x-api-key"] if kind == "anthropic" else received.headers["authorization"]
    assert sent.removeprefix("Bearer ") == KEY


@pytest.mark.parametrize("kind", KINDS)
def test_structured_output_uses_the_protocol_of_the_endpoint(kind: str, server: FakeLLM, cache: ReplyCache) -> None:
    with Endpoint(server.config(kind), cache) as endpoint:
        assert endpoint.complete("s", "p", schema=SCHEMA).data == {"points": ["Οι μελισσοκόμοι"]}
    body = server.received[0].body
    if kind == "anthropic":
        assert body["tools"][0]["input_schema"] == SCHEMA
        assert body["tool_choice"]["name"] == body["tools"][0]["name"]
    else:
        assert body["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize("kind", KINDS)
def test_without_structured_output_the_schema_goes_into_the_prompt(kind: str, cache: ReplyCache) -> None:
    with fake_llm(lambda _: f"```json\n{GOOD}\n```") as server:
        server.has_structured_output = False
        with Endpoint(server.config(kind), cache) as endpoint:
            for prompt in ("one", "two"):
                assert endpoint.complete("s", prompt, schema=SCHEMA).data == json.loads(GOOD)
        assert [received.is_structured for received in server.received] == [True, False, False]
        assert '"minItems": 1' in server.received[1].system


@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_that_does_not_fit_is_repaired_once(kind: str, cache: ReplyCache) -> None:
    with fake_llm(lambda received: GOOD if "cannot be used" in received.prompt else '{"points": []}') as server:
        with Endpoint(server.config(kind), cache) as endpoint:
            reply = endpoint.complete("s", "p", schema=SCHEMA)
        assert reply.data == json.loads(GOOD)
        assert (reply.tokens_in, reply.tokens_out) == (200, 20)
        assert "$.points" in server.received[1].prompt, "it says what is wrong"


def test_two_replies_that_do_not_fit_are_an_error_without_a_third_request(cache: ReplyCache) -> None:
    with fake_llm(lambda _: "I would rather not.") as server, Endpoint(server.config(), cache) as endpoint:
        for _ in range(2):
            with pytest.raises(ReplyError):
                endpoint.complete("s", "p", schema=SCHEMA)
        assert len(server.received) == 2


# --- retries ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
def test_transient_failures_are_retried(status: int, server: FakeLLM, cache: ReplyCache) -> None:
    server.failures.extend([Failure(status), Failure(status)])
    with Endpoint(server.config(), cache) as endpoint:
        assert endpoint.complete("s", "p").text == "You said: p"
    assert len(server.received) == 3


def test_the_retry_after_header_is_respected(server: FakeLLM, cache: ReplyCache) -> None:
    server.failures.append(Failure(429, {"retry-after": "0.4"}))
    start = time.monotonic()
    with Endpoint(server.config(), cache) as endpoint:
        endpoint.complete("s", "p")
    assert time.monotonic() - start >= 0.4
    server.failures.append(Failure(429, {"retry-after": formatdate(time.time() + 86400, usegmt=True)}))
    with Endpoint(server.config(), cache) as endpoint, pytest.raises(EndpointError) as error:
        endpoint.complete("s", "q")
    assert "429" in str(error.value)


def test_retries_end(server: FakeLLM, cache: ReplyCache) -> None:
    server.failures.extend([Failure(500)] * 9)
    with Endpoint(server.config(attempts=3), cache) as endpoint, pytest.raises(EndpointError) as error:
        endpoint.complete("s", "p")
    assert "500" in str(error.value)
    assert len(server.received) == 3


def test_a_timeout_is_retried(server: FakeLLM, cache: ReplyCache) -> None:
    server.failures.append(Failure(200, delay=20))
    with Endpoint(server.config(timeout=0.5), cache) as endpoint:
        assert endpoint.complete("s", "p").text == "You said: p"


def test_an_address_without_a_server_is_named(cache: ReplyCache) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        config = EndpointConfig("openai", f"http://127.0.0.1:{free.getsockname()[1]}", "m", attempts=2)
        with Endpoint(config, cache) as endpoint, pytest.raises(EndpointError) as error:
            endpoint.complete("s", "p")
        assert config.url.removeprefix("http://") in str(error.value)


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"choices": []}', b'{"content": "no list"}'])
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_of_another_protocol_is_an_error(kind: str, body: bytes, server: FakeLLM, cache: ReplyCache) -> None:
    server.failures.append(Failure(200, body=body))
    with Endpoint(server.config(kind), cache) as endpoint, pytest.raises(EndpointError) as error:
        endpoint.complete("s", "p")
    assert f"'{kind}'" in str(error.value)


# --- the key ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_the_key_is_in_no_error_and_in_no_file(
    kind: str, status: int, server: FakeLLM, cache: ReplyCache, tmp_path: Path
) -> None:
    said = json.dumps({"error": {"message": f"{'x' * 190} {KEY} is wrong"}}).encode()
    server.failures.append(Failure(status, body=said))
    with Endpoint(server.config(kind), cache) as endpoint:
        with pytest.raises(EndpointError) as error:
            endpoint.complete("s", "p")
        assert len(server.received) == 1, "it is not asked again"
        endpoint.complete("s", "p")
        shown = f"{error.value!r} {error.value} {endpoint!r} {endpoint.config!r} {vars(endpoint)}"
    assert KEY[:6] not in shown
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not any(KEY.encode() in content for content in written)


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_that_the_model_repeats_is_not_kept(kind: str, cache: ReplyCache, tmp_path: Path) -> None:
    with fake_llm(lambda _: f"I was sent {KEY}.") as server, Endpoint(server.config(kind), cache) as endpoint:
        assert endpoint.complete("s", "p").text == "I was sent …."
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("where", ["key_from", "kind", "url"])
def test_a_key_in_the_wrong_place_is_not_repeated(where: str) -> None:
    with pytest.raises(ConfigError) as error:
        fields: dict[str, Any] = {"kind": "openai", "url": "http://h", "model": "m", where: KEY}
        EndpointConfig(**fields)
    assert KEY not in str(error.value)
    assert where in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
def test_no_other_key_of_the_environment_is_sent(
    kind: str, server: FakeLLM, cache: ReplyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "sk-of-somebody-else")
    for key_from in (KEY_FROM, ""):
        config = EndpointConfig(kind, server.config().url, "little", key_from=key_from)
        with Endpoint(config, cache) as endpoint:
            endpoint.complete("s", f"p {key_from}")
    with_key, without_key = (received.headers for received in server.received)
    assert "sk-of-somebody-else" not in f"{with_key} {without_key}"
    assert KEY in str(with_key)
    assert not {"authorization", "x-api-key"} & without_key.keys()


@pytest.mark.parametrize("value", ["", "two\nlines", "ключ"])
def test_an_invalid_key_is_not_sent(
    value: str, server: FakeLLM, cache: ReplyCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_FROM, value)
    with Endpoint(server.config(), cache) as endpoint, pytest.raises(EndpointError) as error:
        endpoint.complete("s", "p")
    assert KEY_FROM in str(error.value)
    assert not server.received
    assert not value or value not in str(error.value)


# --- the config -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["http://h", "http://h/", "http://h/v1", "http://h/v1/", "http://h/v1/chat/completions"]
)
def test_urls_may_be_given_in_full_or_in_part(url: str) -> None:
    assert EndpointConfig("openai", url, "m").base_url == "http://h/v1"
    assert EndpointConfig("anthropic", url.replace("chat/completions", "messages"), "m").base_url == "http://h"


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
def test_an_invalid_config_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as error:
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
    with pytest.raises(ConfigError) as error:
        open_endpoint(path)
    assert name in str(error.value)


@pytest.mark.parametrize("cap", ['"much"', "true", "-1", "[1]"])
def test_an_invalid_cap_is_refused(cap: str, tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    path.write_text(f'cap = {cap}\nkind = "openai"\nurl = "http://h"\nmodel = "m"\nprice_in = 0\nprice_out = 0')
    with pytest.raises(ConfigError):
        open_endpoint(path)


# --- cache ----------------------------------------------------------------------------------------------


def test_cached_replies_are_not_requested_again(server: FakeLLM, cache: ReplyCache) -> None:
    for _ in range(2):
        with Endpoint(server.config(), cache) as endpoint:
            first = endpoint.complete("s", "p", schema=SCHEMA)
            spent = endpoint.spent
    assert len(server.received) == 1
    assert first.data == json.loads(GOOD)
    assert spent.requests == 0


@pytest.mark.parametrize("change", [{"model": "other"}, {"system": "t"}, {"prompt": "q"}, {"schema": SCHEMA}])
def test_a_different_request_is_sent(change: dict[str, Any], server: FakeLLM, cache: ReplyCache) -> None:
    asked: dict[str, Any] = {"model": "little", "system": "s", "prompt": "p", "schema": None}
    for one in (asked, asked | change):
        config = EndpointConfig("openai", server.config().url, one["model"])
        with Endpoint(config, cache) as endpoint:
            endpoint.complete(one["system"], one["prompt"], schema=one["schema"])
    assert len(server.received) == 2


def test_a_reply_that_was_cut_off_is_requested_again_with_a_higher_limit(server: FakeLLM, cache: ReplyCache) -> None:
    server.is_cut = True
    for longest, asked in ((8, 1), (8, 1), (16, 2)):
        with Endpoint(server.config(max_tokens=longest), cache) as endpoint:
            assert endpoint.complete("s", "p").is_cut
        assert len(server.received) == asked


def test_a_damaged_cache_file_is_requested_again(server: FakeLLM, cache: ReplyCache, tmp_path: Path) -> None:
    with Endpoint(server.config(), cache) as endpoint:
        endpoint.complete("s", "p")
        (path,) = (path for path in tmp_path.rglob("*.json"))
        path.write_bytes(path.read_bytes()[:-20])
        assert endpoint.complete("s", "p").text == "You said: p"
    assert len(server.received) == 2


def test_many_threads_may_send_the_same_request(server: FakeLLM, cache: ReplyCache, tmp_path: Path) -> None:
    with Endpoint(server.config(), cache) as endpoint, ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda _: endpoint.complete("s", "p"), range(16)))
    assert {reply.text for reply in replies} == {"You said: p"}
    assert sorted(path.suffix for path in tmp_path.rglob("*") if path.is_file()) == [".json", ".sqlite"]


# --- cost -------------------------------------------------------------------------------------------------


def test_an_estimate_excludes_cached_replies(server: FakeLLM, cache: ReplyCache) -> None:
    config = server.config(price_in=3.0, price_out=15.0, max_tokens=50)
    requests = [Request("s" * 30, "p" * 270, None, 60), Request("s" * 30, "q" * 270, None, 8000)]
    with Endpoint(config, cache) as endpoint:
        before = endpoint.estimate(requests)
        assert (before.requests, before.tokens_in, before.tokens_out) == (2, 200, 20 + 50)
        assert before.money == pytest.approx((200 * 3 + 70 * 15) / 1e6)
        endpoint.complete("s" * 30, "p" * 270)
        assert endpoint.estimate(requests).requests == 1
        assert endpoint.spent.money == pytest.approx((100 * 3 + 10 * 15) / 1e6)


def test_work_that_would_exceed_the_cap_is_not_started(server: FakeLLM, cache: ReplyCache) -> None:
    with Endpoint(server.config(), cache, cap=Cap(tokens=300)) as endpoint:
        endpoint.check(endpoint.estimate([Request("s", "p" * 796)]))
        with pytest.raises(SpendingError):
            endpoint.check(endpoint.estimate([Request("s", "p" * 1600)]))


@pytest.mark.parametrize("cap", [Cap(tokens=350), Cap(money=350e-6)])
def test_spending_ends_before_the_cap_and_paid_replies_stay_cached(
    cap: Cap, server: FakeLLM, cache: ReplyCache
) -> None:
    """Each takes 110 of 350, and may take 10 + 1."""
    config = server.config(max_tokens=10, price_in=1.0, price_out=1.0)
    with Endpoint(config, cache, cap=cap) as endpoint:
        for prompt in "abc":
            endpoint.complete("s", prompt)
        assert endpoint.spent.tokens_in + endpoint.spent.tokens_out == 330
        endpoint.complete("s", "a")
        with pytest.raises(SpendingError):
            endpoint.complete("s", "d" * 40)
    assert len(server.received) == 3


def test_rejected_requests_cost_nothing(server: FakeLLM, cache: ReplyCache) -> None:
    server.failures.extend([Failure(400)] * 5)
    with Endpoint(server.config(max_tokens=10), cache, cap=Cap(tokens=20)) as endpoint:
        for _ in range(5):
            with pytest.raises(EndpointError):
                endpoint.complete("s", "p")
        assert endpoint.spent.requests == 0
        endpoint.complete("s", "p")


def test_tokens_that_are_not_reported_are_estimated(server: FakeLLM, cache: ReplyCache) -> None:
    server.usage = None
    with Endpoint(server.config(), cache) as endpoint:
        reply = endpoint.complete("s" * 4, "p" * 8)
    assert (reply.tokens_in, reply.tokens_out) == (4, 6)


@given(st.text())
def test_the_estimate_of_tokens_is_an_upper_bound(text: str) -> None:
    """A quarter of the bytes at least, and for what is not ASCII a token a letter."""
    assert max_tokens_of(text) >= len(text.encode("utf-8", "replace")) / 4
    assert max_tokens_of(text) >= sum(letter > "\x7f" for letter in text)


@pytest.mark.parametrize("prompt", ["Δηλώνονται οι κυψέλες.", "Кошерите се декларират."])
def test_a_reply_is_expected_in_the_script_of_its_prompt(prompt: str, server: FakeLLM, cache: ReplyCache) -> None:
    with Endpoint(server.config(), cache) as endpoint:
        assert endpoint.estimate([Request("s", prompt, None, 300)]).tokens_out > 250
        assert endpoint.estimate([Request("s", "Tell of hives.", None, 300)]).tokens_out <= 120


def test_a_cap_in_money_needs_prices(server: FakeLLM, cache: ReplyCache) -> None:
    for prices in ({}, {"price_in": 3.0}, {"price_out": 15}):
        with pytest.raises(ConfigError):
            Endpoint(server.config(**prices), cache, cap=Cap(money=5))
    with Endpoint(server.config(price_in=0, price_out=0), cache, cap=Cap(money=5)) as endpoint:
        endpoint.complete("s", "p")
        assert endpoint.spent.money == 0
    with Endpoint(server.config(), cache) as endpoint:
        assert endpoint.estimate([Request("s", "q")]).money is None


def test_earlier_spending_counts_against_the_cap(server: FakeLLM, cache: ReplyCache) -> None:
    config = server.config(max_tokens=10, price_in=1.0, price_out=1.0)
    for prompt in "ab":
        with Endpoint(config, cache, cap=Cap(money=230e-6)) as endpoint:
            endpoint.complete("s", prompt)
    with Endpoint(config, cache, cap=Cap(money=230e-6)) as endpoint:
        endpoint.complete("s", "a")
        assert endpoint.spent.requests == 0, "through this one"
        with pytest.raises(SpendingError) as error:
            endpoint.complete("s", "c")
        assert {"2", "200", "20"} <= numbers(error.value)
        with pytest.raises(SpendingError) as error:
            endpoint.check(endpoint.estimate([Request("s", "c" * 60)]))
        assert "2" in numbers(error.value)
    assert len(server.received) == 2


def test_replies_without_a_recorded_cost_count_at_current_prices(
    server: FakeLLM, cache: ReplyCache, tmp_path: Path
) -> None:
    with Endpoint(server.config(), cache) as endpoint:
        endpoint.complete("s", "a")
    for _ in range(2):
        config = server.config(price_in=1000.0, price_out=2000.0)
        with Endpoint(config, cache, cap=Cap(money=1)) as endpoint, pytest.raises(SpendingError) as error:
            endpoint.complete("s", "b")
        assert {"1", "100", "10", "0.12"} <= numbers(error.value)
        (tmp_path / "replies" / NAME).unlink()


def test_unanswered_attempts_cost_their_prompt(server: FakeLLM, cache: ReplyCache) -> None:
    """Four tokens each time: twice no answer in time, once a failure there, once an answer that is none."""
    server.failures.extend([*[Failure(200, delay=20)] * 2, Failure(500), Failure(200, body=b"[]")])
    with Endpoint(server.config(timeout=1.0), cache) as endpoint:
        with pytest.raises(EndpointError):
            endpoint.complete("s" * 3, "p" * 9)
        spent = endpoint.spent
        assert (spent.requests, spent.tokens_in, spent.tokens_out) == (4, 16, 0)
        endpoint.complete("s" * 3, "p" * 9)
        assert endpoint.spent.tokens_in == 116


def test_unsent_and_rate_limited_attempts_cost_nothing(server: FakeLLM, cache: ReplyCache) -> None:
    server.failures.extend([Failure(429)] * 2)
    with Endpoint(server.config(), cache) as endpoint:
        endpoint.complete("s", "p")
        assert endpoint.spent.requests == 1
    server.server_close()
    with Endpoint(server.config(attempts=2), cache) as endpoint, pytest.raises(EndpointError):
        endpoint.complete("s", "q")
    assert endpoint.spent.requests == 0


def test_retries_end_at_the_cap(server: FakeLLM, cache: ReplyCache) -> None:
    """Each attempt takes 100 tokens, and 10 are kept for the reply."""
    server.failures.extend([Failure(500)] * 9)
    config = server.config(max_tokens=10, attempts=9)
    with Endpoint(config, cache, cap=Cap(tokens=350)) as endpoint, pytest.raises(SpendingError):
        endpoint.complete("s", "p" * 299)
    assert len(server.received) == 3
    assert endpoint.spent.tokens_in == 300


def test_requests_at_once_wait_for_each_other_before_a_cap_stops_them(server: FakeLLM, cache: ReplyCache) -> None:
    """Each takes 110 tokens and reserves 401: of eight at once only two fit, and still nine can be paid for."""
    server.respond = slow = Slowly(lambda _: "Yes.", 0.05)
    cap = 8 * 110 + 401
    with (
        Endpoint(server.config(max_tokens=400), cache, cap=Cap(tokens=cap)) as endpoint,
        ThreadPoolExecutor(8) as pool,
    ):
        list(pool.map(lambda prompt: endpoint.complete("s", prompt), "abcdefghi"))
        assert endpoint.spent.tokens_in + endpoint.spent.tokens_out == 9 * 110
        assert 1 < slow.most <= cap // 401
        with pytest.raises(SpendingError):
            endpoint.complete("s", "j")
    assert len(server.received) == 9


def ask(config: EndpointConfig, folder: Path, prompts: str) -> int:
    """In a process of its own: how many of the prompts could be paid for."""
    answered = 0
    with Endpoint(config, ReplyCache(folder), cap=Cap(tokens=1000)) as endpoint:
        for prompt in prompts:
            with suppress(SpendingError):
                endpoint.complete("s", prompt)
                answered += 1
    return answered


@pytest.mark.slow
def test_a_cap_holds_over_all_processes(server: FakeLLM, tmp_path: Path) -> None:
    """Each request takes 110 of 1000, and 110 are set aside for it."""
    config = server.config(max_tokens=109)
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        answered = list(pool.map(partial(ask, config, tmp_path), ["abcdef", "ghijkl", "mnopqr"]))
    assert sum(answered) == len(server.received) == 9


@pytest.mark.slow
def test_the_reservation_of_a_killed_process_stays_spent(server: FakeLLM, cache: ReplyCache, tmp_path: Path) -> None:
    server.failures.append(Failure(200, delay=60))
    config = server.config(max_tokens=109)
    process = get_context("spawn").Process(target=ask, args=(config, tmp_path / "replies", "a"))
    process.start()
    while process.is_alive() and not server.received:
        time.sleep(0.02)
    process.kill()
    process.join()
    with Endpoint(config, cache, cap=Cap(tokens=200)) as endpoint, pytest.raises(SpendingError) as error:
        endpoint.complete("s", "b")
    assert {"1", "109"} <= numbers(error.value)


def test_nothing_is_sent_if_the_ledger_cannot_be_written(server: FakeLLM, cache: ReplyCache, tmp_path: Path) -> None:
    (tmp_path / "replies").mkdir()
    (tmp_path / "replies" / NAME).write_text("This is no database, however long one looks at it. " * 40)
    with Endpoint(server.config(), cache) as endpoint, pytest.raises(OutputError) as error:
        endpoint.complete("s", "p")
    assert NAME in str(error.value)
    assert not server.received


# --- the shape of replies ---------------------------------------------------------------------------------

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        None,
        {"points": []},
        {"points": "a"},
        {"points": [1]},
        {"points": ["a"], "more": 1},
        {"points": [[]] * 999},
    ],
)
def test_a_value_that_violates_the_schema_is_described_in_one_short_line(value: object) -> None:
    problem = schema_error(value, SCHEMA)
    assert 0 < len(problem) < 400
    assert "\n" not in problem
    assert not schema_error({"points": ["a"]}, SCHEMA)


@given(
    values.filter(lambda value: isinstance(value, dict)), st.sampled_from(["{}", "```json\n{}\n```", "Well: {} Yes."])
)
def test_json_is_found_between_other_words(value: Any, around: str) -> None:
    assert parse(around.replace("{}", json.dumps(value))) == value


@pytest.mark.parametrize("text", ["", "no", "{", "}{", '{"a": NaN}', "[" * 100_000, '{"a":' * 100_000])
def test_text_without_json_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
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
        with Endpoint(served, ReplyCache(tmp_path / name)) as endpoint:
            replies.append(endpoint.complete("Be brief.", "Κυψέλη?"))
    first = replies[0]
    prompt = "system: Be brief.\nuser: Κυψέλη?\nassistant: "
    assert first.text
    assert (first.tokens_in, first.tokens_out, first.is_cut) == (len(prompt.encode()), 12, True)
    assert replies[1] == first, "at temperature 0"


def check_that_it_gives_no_structured_reply(served: EndpointConfig, tmp_path: Path) -> None:
    """The whole round trip: requested, rejected, requested again with the reason, rejected."""
    with Endpoint(served, ReplyCache(tmp_path)) as endpoint:
        with pytest.raises(ReplyError) as error:
            endpoint.complete("Be brief.", "Say it.", schema=SCHEMA)
        assert "max_tokens" in str(error.value), "it was cut off"
        assert endpoint.spent.requests == 2


def check_that_it_neither_judges_nor_is_shown(served: EndpointConfig, tmp_path: Path) -> None:
    """The two users of endpoints, over a real model: nothing of its replies passes the checks."""
    act = read(ROOT / "examples" / "short" / "en.txt")
    unit = act["art-3.par-1"]
    summary = Summary(act, 50, (Item.of(unit, act.sections[unit.section], 0.5, "key_points"),))
    with Endpoint(served, ReplyCache(tmp_path)) as endpoint:
        assert [one.status for one in rewrite(summary, endpoint).sentences] == ["verbatim"]
        judgement = judge([Document("1", "en", "Keepers register.", {"a": [unit.text], "b": []})], endpoint)
    assert list(judgement.failures) == ["1"]
    assert not judgement.scores
    assert judgement.to_dict()["systems"] == {}
