"""The REST service over real connections: responses, refusals, limits and shutdown."""

from __future__ import annotations

import io
import json
import logging
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from helpers.service import asking, fetched_before, served
from lexlattice import read, summarize
from lexlattice.apps.cli import main
from lexlattice.apps.serve.pages import WEB
from lexlattice.multilingual.alignment import align
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.cover import written_day
from lexlattice.rendering.phrases import phrases

PUNYCODE = "multipart/form-data; boundary=X; charset=punycode"
LITTLE = "Article 1\n\nHives shall be registered.\n\nArticle 2\n\nBees are free."
SECRET = "Quokkas shall be counted in secret."
LIMIT = 3_000_000
PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def service() -> Iterator[httpx.Client]:
    """A service with low limits."""
    with served(workers=2, max_bytes=LIMIT, max_seconds=60.0, max_acts=5, fetch=False) as server, asking(server) as it:
        yield it


@pytest.fixture(scope="module")
def english(examples: Path) -> bytes:
    return (examples / "short" / "en.txt").read_bytes()


def upload(
    service: httpx.Client, content: bytes, path: str = "/v1/summaries", **fields: str | list[str]
) -> httpx.Response:
    return service.post(path, files={"file": ("act", content)}, data=fields)


def refused(answer: httpx.Response, status: int) -> str:
    """Check that the response is a problem of one sentence, and return it."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    problem = answer.json()
    assert set(problem) == {"type", "title", "status", "detail", "code", "values"}
    assert re.fullmatch("[a-z-]+", problem["code"])
    assert problem["status"] == status
    assert "Traceback" not in answer.text
    assert "\n" not in problem["detail"]
    assert problem["detail"].endswith(".")
    return str(problem["detail"])


# --- responses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({}, {}),
        ({"words": "60", "language": "en"}, {"words": 60, "language": "en"}),
        ({"ratio": "0.2", "focus": "articles"}, {"ratio": 0.2, "focus": "articles"}),
        ({"budget": "short", "explain": "true"}, {"budget": "short", "explain": True}),
        ({"budget": "medium"}, {}),
    ],
)
def test_a_summary_is_that_of_the_library(
    service: httpx.Client, english: bytes, fields: dict[str, str], options: dict[str, Any]
) -> None:
    expected = summarize(english, **options).to_dict()
    assert upload(service, english, **fields).json() == expected
    fields_as_json = options | {name: value for name, value in fields.items() if name == "budget"}
    assert service.post("/v1/summaries", json={"text": english.decode(), **fields_as_json}).json() == expected


def test_groups_are_optional(service: httpx.Client, english: bytes) -> None:
    assert upload(service, english, group="true").json() == summarize(english).to_dict(group=True)


@pytest.mark.parametrize("name", ["act.pdf", "act.docx", "act.fmx.xml", "act.fmx4.zip", "act.akn.xml", "act.oj.xhtml"])
def test_an_act_in_any_format_is_that_of_the_library(service: httpx.Client, examples: Path, name: str) -> None:
    content = (examples / "formats" / name).read_bytes()
    assert upload(service, content, "/v1/acts").json() == json.loads(read(content).to_json())


def test_languages_examples_and_interface_texts(service: httpx.Client, examples: Path) -> None:
    languages = service.get("/v1/languages").json()
    assert [entry["code"] for entry in languages] == list(LANGUAGES)
    known = service.get("/v1/examples").json()
    assert [(one["language"], one["id"]) for one in known][:3] == [
        ("bg", name) for name in ("regulation", "directive", "decision")
    ]
    assert len(known) == 3 * len(languages)
    for language in LANGUAGES:
        text = (examples / "short" / f"{language}.txt").read_text("utf-8")
        assert service.get(f"/v1/examples/{language}").text == text
    for language in ("bg", "en"):
        words = service.get(f"/v1/words/{language}").json()
        assert words.items() >= phrases(language).reader.items()
        day = words["date_written"].format(day=3, month=words["month_12"], year=2026)
        assert day == written_day(date(2026, 12, 3), language)
    for path in ("/v1/examples/xx", "/v1/examples/..%2f..%2fREADME", "/v1/words/tlh"):
        refused(service.get(path), 404)


def test_only_the_files_of_the_page_are_served(service: httpx.Client) -> None:
    assert service.get("/").headers["content-type"] == "text/html; charset=utf-8"
    for path in (path for path in WEB.rglob("*") if path.is_file()):
        answer = service.get(f"/{path.relative_to(WEB).as_posix()}")
        assert answer.content == path.read_bytes()
        kind = answer.headers["content-type"].split(";")[0]
        assert kind in ("text/html", "text/css", "text/javascript", "text/plain") or (
            path.suffix in (".svg", ".png", ".json", ".woff2")
        )
    for name in ("/../app.py", "/%2e%2e/app.py", "//etc/passwd", "/web/index.html"):
        refused(service.get(name), 404)


def test_a_view_has_the_units_of_the_act(service: httpx.Client, english: bytes) -> None:
    view = upload(service, english, "/v1/views").json()
    act = read(english)
    assert [unit["id"] for unit in view["units"]] == [unit.id for unit in act.units]
    assert service.post("/v1/views", json={"text": english.decode()}).json()["title"] == act.title


@pytest.mark.parametrize(
    ("format", "begins"),
    [("md", b"# "), ("html", b"<!doctype html"), ("json", b"{"), ("docx", b"PK"), ("pdf", b"%PDF-"), ("text", b"")],
)
def test_an_export_is_a_file(service: httpx.Client, english: bytes, format: str, begins: bytes) -> None:
    answer = upload(service, english, f"/v1/exports?format={format}", words="60", group="true")
    assert answer.status_code == 200
    assert answer.content.lower().startswith(begins.lower())
    ending = {"text": "txt"}.get(format, format)
    assert answer.headers["content-disposition"] == f'attachment; filename="32024R9001.en.{ending}"'


def test_an_export_has_exactly_the_units_named(service: httpx.Client, english: bytes) -> None:
    units = [unit.id for unit in read(english).units if unit.id.startswith("art-2")]
    own = sum(unit.words for unit in read(english).units if unit.id in units)
    for answer, budget in (
        (upload(service, english, "/v1/exports?format=json", units=" ".join(units), words="9"), 9),
        (service.post("/v1/exports?format=json", json={"text": english.decode(), "units": units}), own),
    ):
        exported = answer.json()
        assert [item["id"] for item in exported["extract"]] == units
        assert (exported["budget"], exported["words"]) == (budget, own)  # the length that was set, if one was
    repeated = upload(service, english, "/v1/exports?format=json", units=units, words="9")
    assert [item["id"] for item in repeated.json()["extract"]] == units
    unknown = service.post("/v1/exports?format=json", json={"text": english.decode(), "units": [*units, "art-99"]})
    refused(unknown, 404)
    assert (unknown.json()["code"], unknown.json()["values"]["units"]) == ("no-such-provision", ["art-99"])
    refused(service.post("/v1/exports?format=json", json={"text": english.decode(), "units": []}), 422)
    refused(upload(service, english, "/v1/exports?format=exe"), 422)


def test_several_acts_give_one_line_each_in_order(service: httpx.Client, examples: Path) -> None:
    texts = [(examples / "short" / f"{code}.txt").read_text("utf-8") for code in ("de", "el", "fr")]
    lines = [json.dumps({"text": text, "words": 80}) for text in texts]
    lines[1:1] = ["{", json.dumps({"text": " "})]
    answer = service.post(
        "/v1/summaries", content="\n".join(lines) + "\n", headers={"Content-Type": "application/x-ndjson"}
    )
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    found = [json.loads(line) for line in answer.text.splitlines()]
    assert [entry.get("language", entry.get("status")) for entry in found] == ["de", 400, 422, "el", "fr"]
    assert [entry["number"] for entry in found if "detail" in entry] == [2, 3]
    assert found[0] == summarize(texts[0], words=80).to_dict()
    files = [("file", ("act", text.encode())) for text in texts]
    answer = service.post("/v1/acts", files=files)
    assert [json.loads(line)["language"] for line in answer.text.splitlines()] == ["de", "el", "fr"]
    refused(service.post("/v1/views", files=files), 422)


def test_a_service_that_does_not_fetch_says_so(service: httpx.Client) -> None:
    for path in ("", "/summary", "/export?format=md", "/provisions/art-1"):
        answer = service.get(f"/v1/acts/32016R0679{path}")
        assert "fetch" in refused(answer, 422)
        assert answer.json()["code"] == "fetch-disabled"


def test_a_celex_number_is_fetched_from_known_hosts_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, english: bytes
) -> None:
    monkeypatch.setenv("LEXLATTICE_CACHE", str(tmp_path))
    fetched_before(tmp_path, "32024R9001", "en", LITTLE.encode())
    with served(workers=1) as server, asking(server) as service:
        answer = service.post("/v1/acts", json={"celex": "32024R9001"}).json()
        assert (answer["celex"], answer["language"], len(answer["sections"])) == ("32024R9001", "en", 2)
        export = service.post("/v1/exports?format=json", json={"celex": "32024R9001", "units": ["art-1"]})
        assert export.json()["celex"] == "32024R9001"
        assert export.headers["content-disposition"] == 'attachment; filename="32024R9001.en.json"'
        here = service.base_url
        for number in (str(here), f"{here}?celex=32024R9001", "file:///etc/passwd", "../32024R9001", ""):
            refused(service.post("/v1/acts", json={"celex": number}), 422)


def test_two_versions_are_aligned_as_in_the_library(service: httpx.Client, examples: Path) -> None:
    english, german = ((examples / "short" / f"{language}.txt").read_bytes() for language in ("en", "de"))
    shifted = german.replace(b"Artikel 2\nBegriffsbestimmungen\n", b"")
    files = [("file", ("act", english)), ("file", ("act", shifted))]
    answer = service.post("/v1/alignments", files=files, data={"language": ["en", "de"]}).json()
    found = align(read(english), read(shifted))
    pairs = {name: list(others) for name, others in found.pairs.items()}
    assert answer == {"pairs": pairs, "unaligned": list(found.unaligned)}
    assert answer["pairs"]["art-2"] == ["art-1.par-2.sub-2"], "whose header was lost"
    mixed = service.post("/v1/alignments", files=[("file", ("act", shifted)), ("text", (None, english))])
    assert mixed.json()["pairs"]["art-1.par-2.sub-2"] == ["art-2"], "in the order in which they were sent"


def test_empty_parts_of_an_alignment_are_ignored(service: httpx.Client) -> None:
    """The page of the API sends every field."""
    two: list[tuple[str, tuple[str | None, bytes]]] = [("file", ("act", LITTLE.encode()))] * 2
    expected = service.post("/v1/alignments", files=two).json()
    empty = [("file", ("", b"")), ("text", (None, b"")), ("celex", (None, b" ")), ("language", (None, b""))]
    assert service.post("/v1/alignments", files=[*empty, *two]).json() == expected
    languages = [("language", (None, b"en")), ("language", (None, b""))]
    assert service.post("/v1/alignments", files=[*two, *languages]).json() == expected


@pytest.mark.parametrize(
    ("files", "fields"),
    [
        (1, {}),
        (3, {}),
        (2, {"language": "en"}),
        (2, {"language": ["en", "tlh"]}),
        (2, {"words": "60"}),
        (1, {"celex": "http://127.0.0.1/"}),
    ],
)
def test_an_alignment_needs_exactly_two_acts(
    service: httpx.Client, files: int, fields: dict[str, str | list[str]]
) -> None:
    sent = [("file", ("act", LITTLE.encode()))] * files
    refused(service.post("/v1/alignments", files=sent, data=fields), 422)


# --- refusals --------------------------------------------------------------------------------------


def test_options_in_the_query_of_a_post_are_refused(service: httpx.Client) -> None:
    """They would be ignored otherwise."""
    for path in (
        "/v1/summaries?words=20",
        "/v1/acts?language=en",
        "/v1/exports?format=md&words=9",
        "/v1/alignments?x=",
    ):
        answer = upload(service, LITTLE.encode(), path)
        assert "body" in refused(answer, 422)
        assert answer.json()["values"]["field"] in path
    for path in ("/v1/exports", "/v1/provisions"):
        assert "query" in refused(upload(service, LITTLE.encode(), path), 422)


def test_an_unknown_type_is_answered_with_those_of_the_route(service: httpx.Client) -> None:
    form, json_type, ndjson = "multipart/form-data", "application/json", "application/x-ndjson"
    for path, sent, types in (
        ("/v1/summaries", "text/plain", [form, json_type, ndjson]),
        ("/v1/acts", "text/plain", [form, json_type, ndjson]),
        ("/v1/views", "text/plain", [form, json_type]),
        ("/v1/exports?format=md", ndjson, [form, json_type]),
        ("/v1/provisions?provision=1", ndjson, [form, json_type]),
        ("/v1/alignments", json_type, [form]),
    ):
        answer = service.post(path, content=b"{}", headers={"Content-Type": sent})
        refused(answer, 415)
        assert answer.json()["values"]["types"] == types, path


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[]", "application/json", 400),
        (b'{"text": "a", "ratio": true}', "application/json", 422),
        (b'{"text": "\\ud800"}', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"no form", "multipart/form-data", 400),
        (b"no form", "multipart/form-data; boundary=x", 400),
        (b"--x\r\nContent-Disposition: form-data\r\n\r\nno name\r\n--x--", "multipart/form-data; boundary=x", 400),
        (LITTLE.encode(), "text/plain", 415),
        (b"", "application/json", 400),
        (b"", "application/x-ndjson", 422),
        (b"{}", "application/json", 422),
        (b'{"text": ""}', "application/json", 422),
        (b'{"text": "a", "celex": "32016R0679"}', "application/json", 422),
        (b'{"text": "a", "words": 0}', "application/json", 422),
        (b'{"text": "a", "words": 5, "ratio": 0.5}', "application/json", 422),
        (b'{"text": "a", "language": "tlh"}', "application/json", 422),
        (b'{"text": "a", "url": "http://127.0.0.1/"}', "application/json", 422),
        (b'{"celex": "32016R0679"}', "application/json", 422),
        (b"{}\n" * 6, "application/x-ndjson", 413),
    ],
)
def test_invalid_bodies_are_refused(service: httpx.Client, body: bytes, kind: str, status: int) -> None:
    refused(service.post("/v1/summaries", content=body, headers={"Content-Type": kind}), status)


def test_unknown_paths_and_methods_are_refused(service: httpx.Client) -> None:
    refused(service.get("/nowhere"), 404)
    refused(service.get("/docs"), 404)
    answer = service.get("/v1/summaries")
    refused(answer, 405)
    assert answer.headers["allow"] == "POST"
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    refused(service.post("/v1/acts", content=b"{}", headers=headers), 415)


@pytest.mark.parametrize("text", ["/etc/passwd", "README.md", "32016R0679", "http://127.0.0.1:1/"])
def test_a_text_is_never_taken_for_a_path_or_url(service: httpx.Client, text: str) -> None:
    answer = service.post("/v1/acts", json={"text": text, "language": "en"}).json()
    assert answer["source"] == text


def test_a_byte_order_mark_is_ignored(service: httpx.Client) -> None:
    body = b"\xef\xbb\xbf" + json.dumps({"text": LITTLE}).encode()
    assert service.post("/v1/acts", content=body, headers={"Content-Type": "application/json"}).status_code == 200


@pytest.mark.parametrize(
    "path", ["/healthz", "/nowhere", "/v1/languages", "/v1/summaries", "/v1/acts/32016R0679", "/openapi.json", "/"]
)
def test_every_response_has_security_headers(service: httpx.Client, path: str) -> None:
    headers = service.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "server" not in headers


# --- hostile uploads --------------------------------------------------------------------------------------


def entity_bomb() -> bytes:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    return f'<?xml version="1.0"?><!DOCTYPE ACT [<!ENTITY a0 "ha">{entities}]><ACT><P>&a11;</P></ACT>'.encode()


def zip_bomb(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, b"<ACT>" + b" " * 40_000_000 + b"</ACT>")
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [entity_bomb(), zip_bomb("act.xml"), zip_bomb("word/document.xml"), b"%PDF-1.7\n" + bytes(range(256)) * 50],
    ids=["entities", "formex", "docx", "pdf"],
)
def test_decompression_bombs_are_refused(service: httpx.Client, content: bytes) -> None:
    start = time.monotonic()
    refused(upload(service, content), 422)
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("tag", ["div", "GR.SEQ", "b", "table"])
def test_ten_thousand_nested_tags_are_read_or_refused(service: httpx.Client, tag: str) -> None:
    root = "ACT" if tag.isupper() else "html"
    content = f"<{root}>{f'<{tag}>' * 10_000}Article 1{f'</{tag}>' * 10_000}</{root}>".encode()
    answer = upload(service, content)
    assert answer.status_code == 200 or refused(answer, 422)


def test_script_in_a_title_stays_text(service: httpx.Client) -> None:
    script = "<script>alert(1)</script>"
    answer = service.post("/v1/summaries", json={"text": f"Regulation {script} of 1 May 2020\n\n{LITTLE}"})
    assert answer.headers["content-type"] == "application/json"
    page = service.post("/v1/exports?format=html", json={"text": f"Regulation {script} of 1 May 2020\n\n{LITTLE}"})
    assert page.headers["content-disposition"].startswith("attachment")
    assert script not in page.text


def connected(service: httpx.Client, *headers: str) -> socket.socket:
    """A connection on which a request has begun."""
    place = urlsplit(str(service.base_url))
    link = socket.create_connection((place.hostname, place.port), timeout=60)
    head = ["POST /v1/summaries HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers, "", ""]
    link.sendall("\r\n".join(head).encode())
    return link


@pytest.mark.parametrize("announced", [True, False])
def test_a_large_body_is_refused_while_it_arrives(service: httpx.Client, announced: bool) -> None:
    size, piece = 200_000_000, b"x" * 50_000
    header = f"Content-Length: {size}" if announced else "Transfer-Encoding: chunked"
    chunk = piece if announced else b"%x\r\n%b\r\n" % (len(piece), piece)
    sent = 0
    with connected(service, header) as link:
        while sent < size and not select.select([link], [], [], 0)[0]:
            link.sendall(chunk)
            sent += len(piece)
        assert link.recv(1000).startswith(b"HTTP/1.1 413 ")
    assert sent < LIMIT + 20_000_000  # what is on the way fills some buffers


def test_a_slow_body_times_out_without_blocking_others() -> None:
    with served(workers=1, max_seconds=3.0) as server, asking(server) as service:
        start = time.monotonic()
        with connected(service, "Content-Length: 1000") as link:
            while not select.select([link], [], [], 0.1)[0]:
                link.sendall(b" ")
                assert service.post("/v1/acts", json={"text": LITTLE}).status_code == 200
            assert link.recv(1000).startswith(b"HTTP/1.1 408 ")
        assert 2.9 < time.monotonic() - start < 60


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HTTP/1.1\r\nHost: local"])
def test_an_incomplete_request_head_times_out(begun: bytes) -> None:
    with served(workers=1, max_seconds=1.0) as server, asking(server) as service:
        place = urlsplit(str(service.base_url))
        start = time.monotonic()
        with socket.create_connection((place.hostname, place.port), timeout=60) as link:
            link.sendall(begun)
            with suppress(ConnectionResetError):
                assert link.recv(1000) == b""
            assert 0.9 < time.monotonic() - start < 50
        assert service.get("/healthz").status_code == 200


@pytest.mark.slow
def test_a_client_that_does_not_read_is_disconnected(english: bytes) -> None:
    with served(workers=1, max_seconds=1.0) as server, asking(server) as service:
        place = urlsplit(str(service.base_url))
        line = json.dumps({"text": english.decode()}).encode() + b"\n"
        with socket.socket() as link:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            link.connect((place.hostname, place.port))
            head = "POST /v1/acts HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
            link.sendall(f"{head}Content-Length: {200 * len(line)}\r\n\r\n".encode() + 200 * line)
            bodies = server.config.app.state.service.bodies  # type: ignore[union-attr]
            wait_until(lambda: bodies.held_bytes > 0)
            wait_until(lambda: bodies.held_bytes == 0)


def test_excess_connections_are_closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexlattice.apps.serve.server.max_connections", lambda: 5)
    with served(workers=1) as server, asking(server) as service:
        place = urlsplit(str(service.base_url))
        links = [socket.create_connection((place.hostname, place.port), timeout=60) for _ in range(8)]
        wait_until(lambda: len(select.select(links, [], [], 0)[0]) == 3)
        for link in links:
            link.close()
        assert service.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:8000"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Host": "localhost", "Origin": "http://localhost"}, 200),
        ({"Host": "localhost", "Origin": "http://localhost:1234"}, 403),
        ({"Host": "localhost:1234", "Origin": "http://127.0.0.1:1234"}, 403),
        ({"Host": "law.example", "Origin": "https://law.example:8443"}, 403),
        ({"Host": "localhost", "Origin": "https://recht.example:8443"}, 200),
        ({"Host": "recht.example:8443", "Origin": "https://recht.example:8443"}, 200),
        ({"Host": "localhost", "Origin": "https://recht.example"}, 403),
        ({"Host": "localhost", "Origin": "http://localhost", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "anything"}, 403),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Host": "localhost", "Origin": "https://law.example", "Sec-Fetch-Site": "same-site"}, 200),
        ({"Host": "localhost", "Origin": "http://evil@localhost"}, 403),
        ({"Host": "localhost", "Origin": "http://localhost/"}, 403),
        ({"Host": "localhost", "Origin": "ftp://localhost"}, 403),
        ({"Host": "localhost:1234", "Origin": "http://localhost:1234"}, 200),
        ({"Host": "localhost:1234", "Origin": "http://localhost:4321"}, 403),
        ({"Host": "localhost:1234", "Origin": "http://localhost"}, 403),
        ({"Host": "localhost:1234", "Origin": "http://localhost:99999"}, 403),
        ({"Host": "localhost:80", "Origin": "http://localhost"}, 200),
        ({"Host": "localhost:1234", "Origin": "https://law.example"}, 200),
        ({"Host": "[::1]:80", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Host": "law.example", "Origin": "https://law.example"}, 200),
    ],
)
def test_cross_site_requests_are_refused(headers: dict[str, str], status: int, named: httpx.Client) -> None:
    answer = named.post("/v1/acts", json={"text": LITTLE}, headers=headers)
    assert answer.status_code == status
    if status != 200:
        refused(answer, status)


@pytest.fixture(scope="module")
def named() -> Iterator[httpx.Client]:
    with served(workers=1, allowed_hosts=("law.example", "recht.example:8443")) as server, asking(server) as client:
        yield client


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (
            b'--X\r\nContent-Disposition: form-data; name="text"\r\n\r\n-' + b"a" * 400_000 + b"\r\n--X--\r\n",
            PUNYCODE,
            415,
        ),
        (b"{" + b",".join(b'"k%d":1' % number for number in range(200_000)) + b"}", "application/json", 400),
        (b"\n" * (LIMIT - 1), "application/x-ndjson", 422),
        (b"{}\n" * (LIMIT // 3), "application/x-ndjson", 413),
        (b"--X\r\n" * (LIMIT // 5), "multipart/form-data; boundary=X", 400),
    ],
    ids=["a codec", "keys", "lines", "acts", "parts"],
)
def test_expensive_bodies_do_not_block_others(service: httpx.Client, body: bytes, kind: str, status: int) -> None:
    with ThreadPoolExecutor(1) as aside:
        tedious = aside.submit(service.post, "/v1/summaries", content=body, headers={"Content-Type": kind})
        while not tedious.done():
            start = time.monotonic()
            assert service.get("/healthz").status_code == 200
            assert time.monotonic() - start < 5
        refused(tedious.result(), status)


@pytest.mark.slow
def test_the_number_of_streams_is_limited() -> None:
    """A stream holds its place until it is read; others are told to come back, and single acts are still read."""
    with served(workers=1) as server, asking(server) as service, ExitStack() as streams:
        lines = b"".join(json.dumps({"text": LITTLE * 200, "language": "en"}).encode() + b"\n" for _ in range(200))
        kind = {"Content-Type": "application/x-ndjson"}
        for _ in range(16):
            answer = streams.enter_context(service.stream("POST", "/v1/acts", content=lines, headers=kind))
            assert answer.status_code == 200
        refused(service.post("/v1/acts", content=lines, headers=kind), 429)
        assert service.post("/v1/acts", json={"text": LITTLE}).status_code == 200


# --- load -------------------------------------------------------------------------------------------------


def test_a_huge_act_times_out_without_blocking_others(english: bytes) -> None:
    """Others are answered meanwhile; were they to wait for it, only the first of them would be."""
    with served(workers=2, max_seconds=3.0) as server, asking(server) as service, ThreadPoolExecutor(1) as aside:
        huge = aside.submit(upload, service, b"Article 1\n\n" + b"(a) the hives of a keeper. Bees\n\n" * 300_000)
        wait_until(lambda: "\nlexlattice_running 1.0\n" in service.get("/metrics").text)
        meanwhile = 0
        while not huge.done():
            assert upload(service, english).status_code == 200
            meanwhile += not huge.done()
        assert meanwhile > 2
        refused(huge.result(), 408)
        wait_until(lambda: "\nlexlattice_worker_restarts 1.0\n" in service.get("/metrics").text)


def test_requests_beyond_the_queue_are_refused(examples: Path) -> None:
    act = (examples / "long" / "en.txt").read_bytes()
    with served(workers=1, queue=3) as server, asking(server) as service, ThreadPoolExecutor(24) as crowd:
        few = Counter(answer.status_code for answer in crowd.map(lambda _: upload(service, act), range(4)))
        assert few == {200: 4}
        answers = list(crowd.map(lambda _: upload(service, act), range(24)))
        codes = Counter(answer.status_code for answer in answers)
        assert set(codes) == {200, 429}
        assert codes[200] >= 4
        for answer in answers:
            if answer.status_code == 429:
                refused(answer, 429)
                assert int(answer.headers["retry-after"]) > 0


def test_a_disconnected_client_leaves_the_queue() -> None:
    with served(workers=1, queue=1) as server, asking(server) as service, ThreadPoolExecutor(1) as aside:
        pool = server.config.app.state.service.pool  # type: ignore[union-attr]
        work = aside.submit(upload, service, b"Article 1\n\n" + b"(a) the hives of a keeper. Bees\n\n" * 20_000)
        body = json.dumps({"text": LITTLE}).encode()
        wait_until(lambda: pool.running == 1)
        with connected(service, f"Content-Length: {len(body)}") as link:
            link.sendall(body)
            wait_until(lambda: pool.waiting == 1)
        wait_until(lambda: pool.waiting == 0)
        assert pool.running == 1
        assert upload(service, LITTLE.encode()).status_code == work.result().status_code == 200


def test_memory_for_bodies_is_bounded() -> None:
    """Sixteen of the largest are held at once; a request more is told to come back."""
    with served(workers=1, max_bytes=100_000) as server, asking(server) as service:
        links = [connected(service, "Content-Length: 100000") for _ in range(17)]
        for link in links:
            link.sendall(b" " * 99_999)
        assert select.select(links, [], [], 5)[0]
        answers = [link.recv(100) for link in select.select(links, [], [], 0)[0]]
        assert {answer[:12] for answer in answers} == {b"HTTP/1.1 503"}
        for link in links:
            link.close()
        bodies = server.config.app.state.service.bodies  # type: ignore[union-attr]
        wait_until(lambda: bodies.held_bytes == 0)
        assert upload(service, LITTLE.encode()).status_code == 200


# --- privacy and metrics --------------------------------------------------------------------------------


def test_nothing_of_an_upload_is_logged_or_written(
    service: httpx.Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nonexistent")  # where uploads would be spooled to
    caplog.set_level(logging.DEBUG)
    text = LITTLE + f"\n\nArticle 3\n\n{SECRET}\n" + " " * 2_000_000
    assert SECRET in upload(service, text.encode(), "/v1/summaries", words="500").text
    refused(service.post(f"/v1/acts?note={SECRET[:7]}", json={SECRET: SECRET}), 422)
    lines = [record.getMessage() for record in caplog.records if record.name.startswith("lexlattice")]
    assert [re.sub(r"\d+ ms", "", line) for line in lines] == ["POST /v1/summaries 200 ", "POST /v1/acts 422 "]
    others = [r.getMessage() for r in caplog.records if not r.name.startswith(("httpx", "httpcore"))]
    assert SECRET[:7] not in "".join(others)


def test_prometheus_metrics_count_requests(service: httpx.Client, english: bytes) -> None:
    def count() -> float:
        page = service.get("/metrics")
        assert page.headers["content-type"].startswith("text/plain")
        found = re.search(r'^lexlattice_requests_total\{code="200",route="/v1/summaries"\} (\S+)', page.text, re.M)
        return float(found[1]) if found else 0

    before = count()
    upload(service, english)
    assert count() == before + 1
    page = service.get("/metrics").text
    for name in ("waiting", "running", "worker_restarts", "request_seconds_bucket"):
        assert re.search(rf"^lexlattice_{name}\b", page, re.M)


def test_liveness_and_readiness(service: httpx.Client) -> None:
    assert service.get("/healthz").json() == service.get("/readyz").json() == {"status": "ok"}


def test_the_openapi_document_has_an_example_for_each_body(service: httpx.Client) -> None:
    document = service.get("/openapi.json").json()
    for path in ("/v1/summaries", "/v1/acts", "/v1/views", "/v1/exports"):
        post = document["paths"][path]["post"]
        example = post["requestBody"]["content"]["application/json"]["examples"]["text"]["value"]
        address = f"{path}?format=md" if path.endswith("exports") else path
        assert service.post(address, json=example).status_code == 200
        assert {"400", "408", "413", "415", "422", "429", "503"} <= set(post["responses"])


# --- the command ------------------------------------------------------------------------------------


def test_the_command_prints_its_address_and_shuts_down_gracefully(examples: Path) -> None:
    act = (examples / "long" / "en.txt").read_bytes()
    command = [sys.executable, "-m", "lexlattice", "serve", "--port", "0", "--workers", "1", "--no-open"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:\d+/", process.stderr.readline())
        assert found
        with httpx.Client(base_url=found[0], timeout=60.0, trust_env=False) as service, ThreadPoolExecutor(6) as crowd:
            answers = [crowd.submit(upload, service, act) for _ in range(6)]

            def all_have_come() -> bool:
                done = sum(answer.done() for answer in answers)
                figures = service.get("/metrics").text
                return done + sum(map(float, re.findall(r"^lexlattice_(?:waiting|running) (.+)", figures, re.M))) == 6

            wait_until(all_have_come)
            process.send_signal(signal.SIGTERM)
            assert [answer.result().status_code for answer in answers] == [200] * 6
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--timeout", "nan"],
        ["--timeout", "inf"],
        ["--max-mb", "nan"],
        ["--max-mb", "0"],
        ["--queue", "-1"],
        ["--port", "70000"],
        ["--workers", "0"],
        ["--timeout", "0"],
        ["--max-connections-per-address", "0"],
        ["--allow-host", "https://law.example"],
        ["--allow-host", "*"],
        ["--host", "256.1.1.1"],
        ["--port", "="],
    ],
)
def test_invalid_settings_are_one_sentence(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["serve", "--no-open", *(port if argument == "=" else argument for argument in arguments)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("lexlattice: ")
    assert error.count("\n") == 1


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "lexlattice.apps.serve.server")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve", "--no-open"]) == 2
    assert "pip install 'lexlattice[serve]'" in capsys.readouterr().err


def test_a_browser_is_opened_if_there_is_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that the environment names, which here is a script that ends the service."""
    code = "import os, signal, sys; os.kill(int(sys.argv[1]), signal.SIGTERM)"
    run = (
        "import os, sys; from lexlattice.apps.cli import main;"
        f"os.environ['BROWSER'] = '{sys.executable} -c \"{code}\" ' + str(os.getpid()) + ' %s';"
        "sys.exit(main(['serve', '--port', '0', '--workers', '1']))"
    )
    monkeypatch.setenv("DISPLAY", ":0")
    with subprocess.Popen([sys.executable, "-c", run], stderr=subprocess.PIPE, text=True) as process:
        assert process.wait(30) == 0
        assert process.stderr is not None
        assert re.fullmatch(r"lexlattice: open http://127\.0\.0\.1:\d+/ in .*\n", process.stderr.read())


def test_new_requests_are_refused_during_shutdown() -> None:
    with served(workers=1) as server, asking(server) as service:
        server.config.app.state.service.pool.drain()  # type: ignore[union-attr]
        answer = upload(service, LITTLE.encode())
        refused(answer, 503)
        assert int(answer.headers["retry-after"]) > 0
        refused(service.get("/readyz"), 503)
        assert service.get("/healthz").status_code == 200
