"""The client, against a real service."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from helpers.service import served
from lexlattice import read, summarize
from lexlattice.apps.client import Client, Language, ServiceError
from lexlattice.errors import LexLatticeError, OptionError, OutputError, ReadingError
from lexlattice.multilingual.alignment import align
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.phrases import phrases


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with served(workers=1, queue=2, fetch=False) as server, Client(server.address, attempts=1) as client:
        yield client


def test_a_summary_from_a_path_bytes_or_text(client: Client, examples: Path) -> None:
    path = examples / "short" / "de.txt"
    expected = summarize(path, words=80).to_dict(group=True)
    for source in (path, path.read_bytes(), path.read_text("utf-8")):
        assert client.summarize(source, words=80, group=True).to_dict(group=True) == expected


def test_omissions_are_those_of_the_library(client: Client, examples: Path) -> None:
    act = read(examples / "long" / "en.txt")
    words = next(words for words in range(200, act.words, 200) if summarize(act, words=words).cuts)
    found = client.summarize(examples / "long" / "en.txt", words=words)
    assert found.left_out == summarize(act, words=words).cuts


def test_an_act_is_that_of_the_library(client: Client, examples: Path) -> None:
    path = examples / "formats" / "act.docx"
    assert client.parse(path) == read(path)
    assert client.parse(path, language="en").language == "en"


def test_a_string_is_what_it_is_for_the_library(
    client: Client, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(examples)
    for name in ("short/en.txt", str(examples / "short" / "en.txt")):
        assert client.parse(name) == read(name)
    with pytest.raises(ReadingError, match=r"nothing\.txt"):
        client.parse("nothing.txt")
    for number in ("32016R0679", "https://eur-lex.europa.eu/eli/reg/2016/679/oj"):
        with pytest.raises(ServiceError) as refused:
            client.summarize(number)
        assert refused.value.code == "fetch-disabled"
    with pytest.raises(OptionError):
        client.summarize("https://example.com/act")
    with pytest.raises(OptionError, match="32016R0679"):
        client.summarize("2016/679")


def test_an_export_is_returned_and_saved(client: Client, examples: Path, tmp_path: Path) -> None:
    path = examples / "short" / "en.txt"
    saved = client.export(path, "json", to=tmp_path / "summary.json", words=80)
    assert saved == (tmp_path / "summary.json").read_bytes()
    assert [item["id"] for item in json.loads(saved)["extract"]] == [item.id for item in summarize(path, words=80)]
    only = json.loads(client.export(path, "json", units=["art-4"]))
    assert [item["id"] for item in only["extract"]] == ["art-4"]
    with pytest.raises(OptionError):
        client.export(path, units=[])
    with pytest.raises(OutputError):
        client.export(path, "text", to=tmp_path)


def test_two_versions_are_aligned_and_a_provision_is_quoted(client: Client, examples: Path) -> None:
    english, german = (examples / "short" / f"{language}.txt" for language in ("en", "de"))
    found, expected = client.align(english, german), align(read(english), read(german))
    assert found.pairs == {unit: list(others) for unit, others in expected.pairs.items()}
    assert found.unaligned == list(expected.unaligned)
    assert client.align(english, german, languages=("en", "de")) == found
    assert client.quote(german, provision="Art. 3 Abs. 2")["id"] == "art-3.par-2"
    with pytest.raises(ServiceError) as refused:
        client.quote(german, provision="Art. 99")
    assert (refused.value.status, refused.value.code) == (404, "no-such-provision")
    assert refused.value.values["provision"] == "Art. 99"


def test_what_a_person_types_is_understood(client: Client) -> None:
    assert client.identify("Directive 95/46/EC")["celex"] == "31995L0046"


def test_the_official_languages_are_listed(client: Client) -> None:
    assert [language.code for language in client.languages()] == list(LANGUAGES)


@pytest.mark.parametrize("count", [1, 40])
def test_many_summaries_come_in_order_and_errors_in_their_place(client: Client, examples: Path, count: int) -> None:
    """40 acts need several requests."""
    acts = [examples / "short" / f"{code}.txt" for code in (*LANGUAGES, *LANGUAGES)][:count]
    sources: list[Path | bytes] = [*acts[:3], b" ", *acts[3:]] if count > 1 else [b" "]
    found = list(client.summarize_many(sources, words=40))
    errors = [(place, one) for place, one in enumerate(found) if isinstance(one, ServiceError)]
    assert [(place, error.status) for place, error in errors] == [(3 if count > 1 else 0, 422)]
    languages = [one.language for one in found if not isinstance(one, LexLatticeError)]
    assert languages == ([path.stem for path in acts] if count > 1 else [])


def test_a_source_that_cannot_be_sent_does_not_lose_the_others(client: Client, examples: Path, tmp_path: Path) -> None:
    act = examples / "short" / "en.txt"
    first, missing, number, last = client.summarize_many([act, tmp_path / "nothing.txt", "32016R0679", act], words=40)
    assert first == last == client.summarize(act, words=40)
    assert isinstance(missing, ReadingError)
    assert isinstance(number, OptionError)
    assert [type(one) for one in client.summarize_many(["nothing.txt"])] == [ReadingError]


def test_errors_are_in_the_language_of_the_client(client: Client) -> None:
    with Client(str(client._http.base_url), language="de", headers={"X-Key": "7"}) as german:
        assert german._http.headers["X-Key"] == "7"
        with pytest.raises(ServiceError) as refused:
            german.summarize(b"   ")
        assert str(refused.value) == phrases("de").errors[refused.value.code]


@pytest.mark.parametrize("content", [b"<html>Log in</html>", b"[]", b'{"status": "ok"}', b"", b"null", b"[1]"])
def test_an_answer_of_something_else_is_an_error(examples: Path, content: bytes) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=content))
    act = examples / "short" / "en.txt"
    with Client("http://service.test") as client:
        client._http = httpx.Client(base_url="http://service.test", transport=transport)
        calls: list[Callable[[], object]] = [
            lambda: client.summarize(act),
            lambda: client.export(act),
            lambda: client.quote(act, provision="1"),
            lambda: client.align(act, act),
            lambda: client.identify("1"),
            lambda: client.parse(act),
            lambda: list(client.summarize_many([act])),
            lambda: list(client.summarize_many([act, act])),
            *([client.languages] if content != b"[]" else []),
        ]
        for call in calls:
            with pytest.raises(ServiceError) as refused:
                call()
            assert (refused.value.status, refused.value.code) == (200, "service")


def test_a_service_that_does_not_answer_in_time_has_a_code_of_its_own() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Client(address, timeout=0.05) as client, pytest.raises(ServiceError) as refused:
            client.languages()
    assert (refused.value.status, refused.value.code) == (0, "client-timeout")
    with pytest.raises(OptionError):
        Client(attempts=0)


def test_a_refused_request_has_the_status_of_the_service(client: Client) -> None:
    with pytest.raises(ServiceError) as refused:
        client.summarize(b"   ")
    assert refused.value.status == 422
    with pytest.raises(ServiceError) as refused:
        client.parse(celex="32016R0679")  # this service does not fetch
    assert refused.value.status == 422
    with pytest.raises(ServiceError, match="language") as refused:
        list(client.summarize_many([b"a", b"b"], language="xx"))
    assert refused.value.status == 422


def test_invalid_calls_are_refused_without_a_request(client: Client, tmp_path: Path) -> None:
    with pytest.raises(OptionError):
        client.summarize()
    with pytest.raises(ReadingError, match=r"nothing\.txt"):
        client.parse(tmp_path / "nothing.txt")


def test_a_service_that_is_not_running_has_no_status() -> None:
    with Client("http://127.0.0.1:1") as client, pytest.raises(ServiceError, match=r"127\.0\.0\.1:1") as refused:
        client.languages()
    assert refused.value.status == 0


def test_a_busy_service_is_tried_again() -> None:
    statuses = iter((503, 429, 200))

    def respond(request: httpx.Request) -> httpx.Response:
        return httpx.Response(next(statuses), headers={"Retry-After": "0"}, json=[{"code": "en", "name": "English"}])

    with Client("http://service.test", attempts=3) as client:
        client._http = httpx.Client(base_url="http://service.test", transport=httpx.MockTransport(respond))
        assert client.languages() == [Language("en", "English")]


def test_a_service_that_stays_busy_is_an_error() -> None:
    with Client("http://service.test", attempts=2) as client, pytest.raises(ServiceError) as refused:
        transport = httpx.MockTransport(lambda _: httpx.Response(503, headers={"Retry-After": "0"}, content=b"busy"))
        client._http = httpx.Client(base_url="http://service.test", transport=transport)
        client.languages()
    assert refused.value.status == 503
