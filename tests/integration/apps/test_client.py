"""The client, against a real service."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from helpers.service import served
from lexlattice import LexLatticeError, read, summarize
from lexlattice.act import summary
from lexlattice.act.hierarchy import Cut
from lexlattice.apps.client import Client, LeftOut, ServiceError
from lexlattice.apps.client import Item as ClientItem
from lexlattice.apps.serve import schemas
from lexlattice.reading import LANGUAGES


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with served(workers=1, queue=2, fetch=False) as server, Client(server.address, attempts=1) as client:
        yield client


def test_the_fields_of_an_item_are_the_same_wherever_they_are_written() -> None:
    """In the library, in the OpenAPI document and in the client's types."""
    names = {field.name for field in fields(summary.Item)}
    assert set(schemas.Item.model_fields) == set(ClientItem.__annotations__) == names
    left_out = set(Cut("art-1", "art-1", ("art-1.pt-a",), "points").to_dict())
    assert set(schemas.LeftOut.model_fields) == set(LeftOut.__annotations__) == left_out


def test_a_summary_from_a_path_bytes_or_text(client: Client, examples: Path) -> None:
    path = examples / "short" / "de.txt"
    expected = summarize(path, words=80).to_dict(group=True)
    for source in (path, path.read_bytes(), path.read_text("utf-8")):
        assert client.summarize(source, words=80, group=True) == expected


def test_what_is_left_out_comes_too(client: Client, examples: Path) -> None:
    act = read(examples / "long" / "en.txt")
    words = next(words for words in range(200, act.words, 200) if summarize(act, words=words).cuts)
    expected = summarize(act, words=words).to_dict()["left_out"]
    assert client.summarize(examples / "long" / "en.txt", words=words)["left_out"] == expected


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
    languages = [one["language"] for one in found if not isinstance(one, ServiceError)]
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
