"""The client, against a real service."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.service import served
from lexlattice import LexLatticeError, read, summarize
from lexlattice.apps.client import Client, ServiceError
from lexlattice.reading import LANGUAGES


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with served(workers=1, queue=2, fetch=False) as server, Client(server.address, attempts=1) as client:
        yield client


def test_a_summary_from_a_path_bytes_or_text(client: Client, examples: Path) -> None:
    path = examples / "short" / "de.txt"
    expected = summarize(path, words=80).to_dict(group=True)
    for source in (path, path.read_bytes(), path.read_text("utf-8")):
        assert client.summarize(source, words=80, group=True).to_dict(group=True) == expected


def test_what_is_left_out_comes_too(client: Client, examples: Path) -> None:
    act = read(examples / "long" / "en.txt")
    words = next(words for words in range(200, act.words, 200) if summarize(act, words=words).cuts)
    found = client.summarize(examples / "long" / "en.txt", words=words)
    assert found.left_out == summarize(act, words=words).cuts


def test_an_act_is_the_same_as_here(client: Client, examples: Path) -> None:
    path = examples / "formats" / "act.docx"
    assert client.parse(path) == read(path)
    assert client.parse(path, language="en").language == "en"


def test_the_languages(client: Client) -> None:
    assert [language.code for language in client.languages()] == list(LANGUAGES)


@pytest.mark.parametrize("count", [1, 40])
def test_many_acts_come_in_their_order_and_what_fails_in_its_place(client: Client, examples: Path, count: int) -> None:
    """In several requests, since there are more than go in one."""
    acts = [examples / "short" / f"{code}.txt" for code in (*LANGUAGES, *LANGUAGES)][:count]
    sources = [*acts[:3], b" ", *acts[3:]] if count > 1 else [b" "]
    found = list(client.summarize_many(sources, words=40))
    errors = [(place, one) for place, one in enumerate(found) if isinstance(one, ServiceError)]
    assert [(place, error.status) for place, error in errors] == [(3 if count > 1 else 0, 422)]
    languages = [one.language for one in found if not isinstance(one, ServiceError)]
    assert languages == ([path.stem for path in acts] if count > 1 else [])


def test_a_refusal_is_the_services_sentence(client: Client) -> None:
    with pytest.raises(ServiceError, match=r"^The input is empty; .*\.$") as refused:
        client.summarize(b"   ")
    assert refused.value.status == 422
    with pytest.raises(ServiceError, match=r"fetches no acts"):
        client.parse(celex="32016R0679")
    with pytest.raises(ServiceError, match=r"language"):
        list(client.summarize_many([b"a", b"b"], language="xx"))


def test_what_cannot_be_asked_is_said_here(client: Client, tmp_path: Path) -> None:
    with pytest.raises(LexLatticeError, match=r"^Give the act once"):
        client.summarize()
    with pytest.raises(LexLatticeError, match=r"cannot be read: No such file"):
        client.parse(tmp_path / "nothing.txt")


def test_a_service_that_is_not_there() -> None:
    with Client("http://127.0.0.1:1") as client, pytest.raises(ServiceError, match=r"gave no answer .*running\?$"):
        client.languages()
