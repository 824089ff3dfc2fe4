"""The client, against a real service."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import socket
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from helpers.service import served
from lexlattice import AsyncClient, Budget, Result, SummaryOptions, read, summarize
from lexlattice.act.summary import SummaryRecord
from lexlattice.apps.client import Client, Language, ServiceError, Source
from lexlattice.apps.connection import Patience
from lexlattice.errors import OptionError, OutputError, ReadingError
from lexlattice.multilingual.alignment import align
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.phrases import phrases

Found = TypeVar("Found")


def run(work: Coroutine[Any, Any, Found]) -> Found:
    """Run a coroutine in a thread of its own: the tests in a browser keep an event loop in this one."""
    found: list[Found] = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(work)))
    thread.start()
    thread.join()
    return found[0]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with served(workers=1, queue=64, fetch=False) as server, Client(server.address, attempts=1) as client:
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
    assert [result.source for result in found] == sources
    errors = [(place, one.error) for place, one in enumerate(found) if isinstance(one.error, ServiceError)]
    assert [(place, error.status) for place, error in errors] == [(3 if count > 1 else 0, 422)]
    languages = [one.summary.language for one in found if one.error is None]
    assert languages == ([path.stem for path in acts] if count > 1 else [])


def test_a_source_that_cannot_be_sent_does_not_lose_the_others(client: Client, examples: Path, tmp_path: Path) -> None:
    act = examples / "short" / "en.txt"
    first, missing, number, last = client.summarize_many([act, tmp_path / "nothing.txt", "32016R0679", act], words=40)
    assert first.summary == last.summary == client.summarize(act, words=40)
    assert isinstance(missing.error, ReadingError)
    assert isinstance(number.error, OptionError)
    assert [type(one.error) for one in client.summarize_many(["nothing.txt"])] == [ReadingError]


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
    options = SummaryOptions()
    object.__setattr__(options, "language", "xx")  # as a client of another version might send it
    with pytest.raises(ServiceError, match="language") as refused:
        list(client.summarize_many([b"a", b"b"], options))
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


# --- options as an object, and the asynchronous client -------------------------------------------------------


def test_options_are_an_object_or_named(client: Client, examples: Path) -> None:
    act = examples / "short" / "en.txt"
    expected = client.summarize(act, words=80, focus="articles")
    for options in (
        SummaryOptions(words=80, focus="articles"),
        SummaryOptions(budget=Budget("words", 80), focus="articles"),
    ):
        assert client.summarize(act, options) == expected
        assert [result.summary for result in client.summarize_many([act], options)] == [expected]
        assert json.loads(client.export(act, "json", options=options)) == expected.to_dict()
    with pytest.raises(OptionError):
        client.summarize(act, SummaryOptions(), words=80)
    with pytest.raises(OptionError):
        client.summarize(act, words=0)


def test_the_asynchronous_client_has_the_same_answers(client: Client, examples: Path, tmp_path: Path) -> None:
    english, german = (examples / "short" / f"{language}.txt" for language in ("en", "de"))

    async def ask() -> list[object]:
        async with AsyncClient(str(client._http.base_url), attempts=1) as other:
            return [
                await other.summarize(english, words=80, group=True),
                await other.parse(german),
                await other.quote(german, provision="Art. 3 Abs. 2"),
                await other.align(english, german),
                await other.identify("Directive 95/46/EC"),
                await other.languages(),
                await other.export(english, "json", to=tmp_path / "summary.json", options=SummaryOptions(words=80)),
            ]

    assert run(ask()) == [
        client.summarize(english, words=80, group=True),
        client.parse(german),
        client.quote(german, provision="Art. 3 Abs. 2"),
        client.align(english, german),
        client.identify("Directive 95/46/EC"),
        client.languages(),
        (tmp_path / "summary.json").read_bytes(),
    ]


@pytest.mark.parametrize("ordered", [True, False])
def test_many_requests_are_open_at_once_but_no_more_than_allowed(client: Client, examples: Path, ordered: bool) -> None:
    paths = [examples / "short" / f"{language}.txt" for language in LANGUAGES]
    sources: list[Source] = [*paths, "nothing.txt", "32016R0679", b" ", *paths]
    taken = 0

    async def slowly() -> AsyncIterator[Source]:
        nonlocal taken
        for source in sources:
            taken += 1
            yield source

    async def ask() -> list[Result[SummaryRecord]]:
        found: list[Result[SummaryRecord]] = []
        async with AsyncClient(str(client._http.base_url)) as other:
            async for result in other.summarize_many(slowly(), concurrency=16, ordered=ordered, words=40):
                found.append(result)
                assert taken <= len(found) + 16
        return found

    found = run(ask())
    assert len(found) == len(sources)
    if ordered:
        assert [result.source for result in found] == sources
    else:
        assert {str(result.source) for result in found} == {str(source) for source in sources}
    errors = {str(one.source): type(one.error) for one in found if one.error}
    assert errors == {"nothing.txt": ReadingError, "32016R0679": ServiceError, "b' '": ServiceError}
    assert all(one.summary.language == Path(one.source).stem for one in found if not one.error)


def test_asynchronous_calls_that_fail_are_the_same_errors(examples: Path) -> None:
    act = examples / "short" / "en.txt"

    async def refused(work: Coroutine[Any, Any, object]) -> tuple[type, str]:
        try:
            await work
        except (ServiceError, OptionError) as error:
            return type(error), error.code
        return type(None), ""

    async def ask() -> list[tuple[type, str]]:
        async with AsyncClient("http://127.0.0.1:1") as nowhere:

            async def many(**options: Any) -> None:
                async for _ in nowhere.summarize_many([act], **options):
                    pass

            return [
                await refused(work)
                for work in (nowhere.languages(), many(), nowhere.summarize(), many(words=0), many(concurrency=0))
            ]

    assert run(ask()) == [(ServiceError, "service")] * 2 + [(OptionError, "invalid-option")] * 3


def test_a_busy_service_is_tried_again_asynchronously() -> None:
    statuses = iter((503, 429, 200, 503, 503, 503))

    def respond(request: httpx.Request) -> httpx.Response:
        return httpx.Response(next(statuses), headers={"Retry-After": "0"}, json=[{"code": "en", "name": "English"}])

    async def ask() -> tuple[list[Language], int]:
        async with AsyncClient("http://service.test", attempts=3) as other:
            other._http = httpx.AsyncClient(base_url="http://service.test", transport=httpx.MockTransport(respond))
            found = await other.languages()
            try:
                await other.languages()
            except ServiceError as error:
                return found, error.status
            return found, 0

    assert run(ask()) == ([Language("en", "English")], 503)


def test_whatever_holds_the_act_is_sent(client: Client, examples: Path) -> None:
    path = examples / "short" / "de.txt"
    expected = client.summarize(path, words=80)
    with path.open("rb") as file, path.open(encoding="utf-8") as text:
        for source in (file, text, bytearray(path.read_bytes()), read(path)):
            assert client.summarize(source, words=80) == expected


@pytest.mark.parametrize("ordered", [True, False])
def test_what_is_no_act_is_an_error_in_its_place(client: Client, examples: Path, ordered: bool) -> None:
    content = (examples / "short" / "en.txt").read_bytes()
    damaged = gzip.open(io.BytesIO(gzip.compress(content)[:-20]))  # noqa: SIM115
    address = "https://eur-lex.europa.eu/" + "x" * 500
    wrong: list[Any] = [None, 5, damaged, object(), [content], memoryview(content), address]

    def sources() -> Iterator[Any]:
        for source in wrong:
            yield source
            with io.BytesIO(content) as file:  # closed before a request is made
                yield file

    async def ask() -> list[Result[SummaryRecord]]:
        async with AsyncClient(str(client._http.base_url)) as other:
            return [result async for result in other.summarize_many(sources(), ordered=ordered, words=40)]

    expected = summarize(content, words=40).items
    for found in ([*client.summarize_many(sources(), words=40)], run(ask())):
        assert len(found) == 2 * len(wrong)
        assert all((result.error is not None) == (result.source in wrong) for result in found)
        assert all(isinstance(one.error, ReadingError | OptionError | None) for one in found)
        assert all(result.summary.extract == expected for result in found if not result.error)


def test_results_and_exceptions_of_sources_come_when_they_are_there(client: Client, examples: Path) -> None:
    path = examples / "short" / "en.txt"

    async def ask(ordered: bool) -> list[int]:
        arrived = asyncio.Event()
        found = 0

        async def slowly() -> AsyncIterator[Source]:
            yield path
            await asyncio.wait_for(arrived.wait(), 60)  # the result of the first comes before the second source
            yield path
            raise ZeroDivisionError

        async with AsyncClient(str(client._http.base_url)) as other:
            with pytest.raises(ZeroDivisionError):
                async for result in other.summarize_many(slowly(), ordered=ordered, words=40):
                    assert result.error is None
                    found += 1
                    arrived.set()
        return [found]

    assert run(ask(ordered=True)) == run(ask(ordered=False)) == [2]

    def broken() -> Iterator[Source]:
        yield path
        raise ZeroDivisionError

    results = client.summarize_many(broken(), words=40)
    assert next(results).summary.language == "en"
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_one_act_is_not_taken_for_several(client: Client, examples: Path) -> None:
    path = examples / "short" / "en.txt"
    single: list[Any] = [str(path), path, path.read_bytes(), read(path), io.BytesIO(b"text"), None]
    for source in single:
        for many in (client.summarize_many, AsyncClient().summarize_many):
            with pytest.raises(OptionError, match="list"):
                many(source)


def test_arguments_that_cannot_be_are_refused_at_once() -> None:
    arguments: list[dict[str, Any]] = [{"base_url": url} for url in ("http://[::1", None, "", "127.0.0.1:8000", 5)]
    arguments += [{"timeout": timeout} for timeout in (0, -1, float("nan"), float("inf"), "x")]
    arguments += [{"attempts": attempts} for attempts in (0, "2", 1.5)]
    arguments += [{"language": "\u00fc"}, {"language": "de\r\nX: y"}, {"headers": {"X": "1\n2"}}, {"headers": {"X": 5}}]
    for named in arguments:
        for kind in (Client, AsyncClient):
            with pytest.raises(OptionError):
                kind(**named)
    for concurrency in (0, "8", 1.5):
        with pytest.raises(OptionError):
            AsyncClient().summarize_many([], concurrency=concurrency)  # type: ignore[arg-type]


def test_a_client_that_is_closed_or_of_another_loop_says_so(client: Client) -> None:
    closed = Client(str(client._http.base_url))
    closed.close()
    with pytest.raises(ServiceError, match="closed"):
        closed.languages()

    async def ask(other: AsyncClient) -> int:
        try:
            return len(await other.languages())
        except ServiceError as error:
            return error.status

    other = AsyncClient(str(client._http.base_url))
    assert [run(ask(other)), run(ask(other))] == [24, 0]
    run(other.close())
    closed_too = AsyncClient(str(client._http.base_url))
    run(closed_too.close())
    assert run(ask(closed_too)) == 0


def test_units_are_one_id_or_several(client: Client, examples: Path) -> None:
    path = examples / "short" / "en.txt"
    assert client.export(path, "json", units="art-4") == client.export(path, "json", units=["art-4"])


def test_a_service_is_waited_for_as_long_as_it_asks_within_the_time_for_a_response() -> None:
    """Not more often than allowed, never sooner than asked, and not all at the same time."""
    response = httpx.Response(429, headers={"Retry-After": "5"}, content=b"busy")
    patient = Patience(None, 60.0)
    pauses: list[float] = []
    with pytest.raises(ServiceError):
        while True:
            pauses.append(patient.pause(response))
    assert sum(pauses) <= 60.0
    assert 5 <= len(pauses) <= 12
    assert all(5 <= pause <= 10 for pause in pauses)
    assert len({*pauses}) == len(pauses)
    for refused in (Patience(1, 60.0), Patience(None, 4.0)):
        with pytest.raises(ServiceError):
            refused.pause(response)
    with pytest.raises(ServiceError):
        Patience(None, None).pause(httpx.Response(422, headers={"Retry-After": "5"}))


@pytest.mark.slow
def test_more_requests_than_the_queue_holds_are_all_answered(examples: Path) -> None:
    async def ask(address: str) -> list[Result[SummaryRecord]]:
        async with AsyncClient(address) as other:
            sources = [examples / "long" / "en.txt"] * 60
            return [result async for result in other.summarize_many(sources, concurrency=30)]

    with served(workers=1, queue=1, fetch=False) as server:
        found = run(ask(server.address))
    assert [result.error for result in found] == [None] * 60
