"""Fetching acts, against a loopback server that answers as Cellar and EUR-Lex do."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexlattice.errors import FetchError
from lexlattice.reading import fetch as module
from lexlattice.reading.celex import ISO_639_2
from lexlattice.reading.fetch import Fetched, fetch, is_celex, is_url

GDPR = "32016R0679"
XHTML, HTML, FORMEX, PDF = module.MEDIA_TYPES
TEXT = "<html><body><p>Artikolu 1 — Is-suġġett</p></body></html>".encode()
Answer = Callable[["Handler"], None]


class Site(ThreadingHTTPServer):
    """Cellar under /resource/, EUR-Lex under /legal-content/, and failures that precede their answers."""

    daemon_threads, block_on_close = True, False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server_port}"
        self.works: dict[tuple[str, str, str], list[str]] = {}  # (CELEX, language, media type) → stream names
        self.pages: dict[str, Answer] = {}
        self.failures: deque[Answer] = deque()  # answers to the next requests, in this order
        self.requests: list[tuple[str, str, str]] = []  # path, Accept, Accept-Language
        self.closing = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent: in some tests the client closes the connection."""

    def paths(self) -> list[str]:
        return [path for path, _, _ in self.requests]


class Handler(BaseHTTPRequestHandler):
    server: Site
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        accept, language = self.headers.get("Accept", ""), self.headers.get("Accept-Language", "")
        self.server.requests.append((self.path, accept, language))
        path = unquote(urlsplit(self.path).path)
        if self.server.failures:
            self.server.failures.popleft()(self)
        elif self.path in self.server.pages:
            self.server.pages[self.path](self)
        elif path.startswith("/resource/celex/"):
            self.negotiate(path.removeprefix("/resource/celex/"), language, accept)
        elif path.startswith("/resource/cellar/"):
            self.reply(200, TEXT, Content_Type=f"{accept};charset=UTF-8")
        else:
            self.reply(404)

    def negotiate(self, celex: str, language: str, accept: str) -> None:
        if language not in ISO_639_2.values():
            return self.reply(400)
        if accept not in module.MEDIA_TYPES:
            return self.reply(406)
        names = self.server.works.get((celex, language, accept), [])
        urls = [f"{self.server.base}/resource/cellar/5d64b6c8.0006.03/DOC_{n + 1}" for n in range(len(names))]
        if not names:
            return self.reply(404)
        if len(names) == 1:
            return self.reply(303, Location=urls[0])
        items = "".join(
            f'<li title="item"><a href="{url}"><span class="url">({url})</span></a><ul>'
            f'<li title="stream_name">{name}</li><li title="stream_order">{n}</li></ul></li>'
            for n, (url, name) in enumerate(zip(urls, names, strict=True), 1)
        )
        listing = f"<html><head><title>300 Multiple-Choice Response</title></head><body><ul>{items}</ul></body>"
        self.reply(300, listing.encode(), Content_Type="text/html")


def answer(status: int, body: bytes = b"", **headers: str) -> Answer:
    return lambda handler: handler.reply(status, body, **headers)


def cut_off(handler: Handler) -> None:
    handler.reply(200, TEXT[:20], Content_Length=str(len(TEXT)), Content_Type=XHTML)
    handler.close_connection = True


def cut_off_chunk(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"ff\r\n" + TEXT[:20])
    handler.close_connection = True


def hang_up(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def slow(handler: Handler) -> None:
    handler.server.closing.wait(60)
    handler.close_connection = True


def trickle(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.closing.wait(0.002):
        handler.wfile.write(b".")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Site]:
    monkeypatch.setattr(module, "BACKOFF", 0.001)
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))  # loopback needs no certificates, and they load slowly
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = Site()
    server.works[GDPR, "eng", XHTML] = ["L_2016119EN.01000101.xhtml"]
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.closing.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def get(site: Site, tmp_path: Path) -> Callable[..., Fetched]:
    def get(reference: str = GDPR, **options: Any) -> Fetched:
        hosts: dict[str, Any] = {"cellar": site.base, "eurlex": site.base, "cache": tmp_path / "cache"}
        return fetch(reference, **(hosts | options))

    return get


Get = Callable[..., Fetched]


def message(get: Get, reference: str = GDPR, **options: Any) -> str:
    """The message of the FetchError that fetching raises: one line, one sentence."""
    with pytest.raises(FetchError) as raised:
        get(reference, **options)
    text = str(raised.value)
    assert text.endswith(".") and "\n" not in text and ". " not in text
    return text


def closed_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


# References


NUMBERS = """
32016R0679 12012E067 21979A1113(01) 32013R0575R(04) 02016R0679-20160504 62004TJ0201 52021PC0206 11957E086
12012M/TXT C2022/114A/01 E2019P0001 32016r0679 CELEX:32016R0679 31958R0001(01) 92014E010123
"""
OTHERS = """
2016/679 32016R679 3216R0679 32016R0679.html 32016RRR0679 A2016R0679 32016R0679-20160504 32916R0679
acts/32016R0679 ３2016R0679 32016ſ0679 32016R0679(1) 32016R0679R
"""


@pytest.mark.parametrize("text", NUMBERS.split())
def test_a_celex_number_is_recognized(text: str) -> None:
    assert is_celex(text) and not is_url(text)


@pytest.mark.parametrize("text", [*OTHERS.split(), "", "32016 R 0679"])
def test_other_text_is_not_a_celex_number(text: str) -> None:
    assert not is_celex(text)


@given(
    sector=st.sampled_from("123456789CE"),
    year=st.integers(1951, 2099).map(str),
    descriptor=st.sampled_from(["A", "R", "L", "D", "CJ", "PC", "ZZ"]),
    number=st.integers(0, 9999).map("{:04}".format),
    suffix=st.sampled_from(["", "(01)", "R(04)", "(02)R(01)"]),
)
def test_every_number_of_the_form_is_a_celex_number(
    sector: str, year: str, descriptor: str, number: str, suffix: str
) -> None:
    celex = sector + year + descriptor + number + suffix
    assert is_celex(celex) and is_celex(f" {celex.lower()}\n")
    assert not is_celex(celex + "x") and not is_celex("x" + celex) and not is_celex(celex[1:])


@given(st.text())
def test_the_predicates_accept_any_text(text: str) -> None:
    assert not (is_celex(text) and is_url(text))
    assert not is_url("http://[" + text.replace("]", ""))


def test_only_http_urls_are_recognized() -> None:
    assert is_url("https://eur-lex.europa.eu/eli/reg/2016/679/oj") and is_url(" HTTP://a.b/c ")
    for text in (
        "ftp://a.b/c",
        "file:///etc/passwd",
        "http://",
        "a.b/c",
        "http://a b/",
        "http://[",
        "C:\\act.html",
    ):
        assert not is_url(text)


@pytest.mark.parametrize("reference", ["act.html", "ftp://a.b/c", "", "file:///etc/passwd"])
def test_a_reference_that_is_neither_number_nor_url_is_refused(get: Get, site: Site, reference: str) -> None:
    assert repr(reference) in message(get, reference)
    assert not site.requests


def test_an_unknown_language_is_refused(get: Get, site: Site) -> None:
    assert "'tlh'" in message(get, language="tlh")
    assert not site.requests


# Content negotiation


def test_a_redirect_to_the_item_is_followed(get: Get, site: Site) -> None:
    item = "/resource/cellar/5d64b6c8.0006.03/DOC_1"
    assert get() == Fetched(TEXT, XHTML, site.base + item, GDPR, "en")
    assert site.requests == [(f"/resource/celex/{GDPR}", XHTML, "eng"), (item, XHTML, "eng")]


def test_all_24_languages_are_requested_by_their_three_letter_code(get: Get, site: Site) -> None:
    assert len(ISO_639_2) == 24
    for two, three in ISO_639_2.items():
        site.works[GDPR, three, XHTML] = ["act.xhtml"]
        assert get(language=two).language == get(language=three.upper()).language == two
        assert site.requests[-1][2] == three
    expected = {"de": "deu", "el": "ell", "ga": "gle", "hr": "hrv", "mt": "mlt", "nl": "nld", "ro": "ron"}
    assert expected.items() <= ISO_639_2.items()


@pytest.mark.parametrize("media_type", module.MEDIA_TYPES)
def test_media_types_are_tried_in_order_until_one_exists(get: Get, site: Site, media_type: str) -> None:
    site.works = {(GDPR, "fra", media_type): ["act"]}
    fetched = get(language="fr")
    assert fetched.media_type == media_type.partition(";")[0]
    requests = [accept for path, accept, language in site.requests if "celex" in path and language == "fra"]
    assert tuple(requests) == module.MEDIA_TYPES[: module.MEDIA_TYPES.index(media_type) + 1]


@pytest.mark.parametrize("status", [404, 406, 410])
def test_a_refused_media_type_is_followed_by_the_next(get: Get, site: Site, status: int) -> None:
    site.works[GDPR, "eng", HTML] = ["act.html"]
    site.failures.append(answer(status))
    assert get().media_type == HTML


@pytest.mark.parametrize(
    ("names", "item"),
    [
        (["1_EN_ACT_part1_v7.html", "1_EN_annexe_proposition_part1_v7.html"], "DOC_1"),
        (["L_2016119EN_anx1.xhtml", "L_2016119EN.xhtml"], "DOC_2"),
        (["image.jpg", "act.xhtml", "style.css"], "DOC_2"),
        (["annex1.html", "annex2.html"], "DOC_1"),
    ],
)
def test_the_main_text_is_chosen_from_several_items(get: Get, site: Site, names: list[str], item: str) -> None:
    site.works[GDPR, "eng", XHTML] = names
    assert get().url.endswith(item)


def test_choices_may_come_in_the_link_header_or_the_location(get: Get, site: Site) -> None:
    site.failures.append(answer(300, Link='</resource/cellar/a/DOC_1>; rel="alternate"; type="text/html"'))
    assert get().url == f"{site.base}/resource/cellar/a/DOC_1"
    site.failures.append(answer(300, b"<p>one of many</p>", Location="/resource/cellar/b/DOC_1"))
    assert get(language="fr").url == f"{site.base}/resource/cellar/b/DOC_1"


@pytest.mark.parametrize("celex", ["21979A1113(01)", "12012M/TXT", "02016R0679-20160504"])
def test_numbers_are_percent_encoded_in_the_address(get: Get, site: Site, celex: str) -> None:
    site.works[celex, "eng", XHTML] = ["act.xhtml"]
    assert get(celex).celex == celex
    assert "(" not in site.requests[0][0] and site.requests[0][0].count("/") == 3


# EUR-Lex


def test_eurlex_is_tried_when_cellar_lacks_the_text(get: Get, site: Site) -> None:
    page = f"/legal-content/MT/TXT/HTML/?uri=CELEX:{GDPR}"
    site.pages[page] = answer(200, TEXT, Content_Type="text/html;charset=UTF-8")
    assert get(language="mt") == Fetched(TEXT, "text/html", site.base + page, GDPR, "mt")
    assert site.paths() == [f"/resource/celex/{GDPR}"] * 4 + [page]


def test_eurlex_is_tried_when_cellar_is_down(get: Get, site: Site) -> None:
    site.pages[f"/legal-content/EN/TXT/HTML/?uri=CELEX:{GDPR}"] = answer(200, TEXT, Content_Type="text/html")
    assert get(cellar=closed_port()).content == TEXT
    site.failures.extend([answer(503)] * 4)
    assert get().url.startswith(f"{site.base}/legal-content")


def test_an_error_names_number_and_language_when_no_source_has_the_text(get: Get, site: Site) -> None:
    text = message(get, language="mt")
    assert GDPR in text and "'mt'" in text
    assert len(site.requests) == 5


def test_the_error_says_whether_the_text_is_absent_or_the_sources_failed(get: Get, site: Site) -> None:
    def is_absent(**options: Any) -> bool:
        with pytest.raises(FetchError) as raised:
            get(**options)
        assert pickle.loads(pickle.dumps(raised.value)).absent == raised.value.absent  # they cross processes
        return raised.value.absent

    assert is_absent(language="mt")
    assert not is_absent(language="mt", cellar=closed_port(), attempts=1)
    site.pages[f"/legal-content/MT/TXT/HTML/?uri=CELEX:{GDPR}"] = answer(202)
    assert not is_absent(language="mt")
    assert not is_absent(language="tlh")


def test_a_page_that_requires_a_browser_is_an_error(get: Get, site: Site) -> None:
    page = f"/legal-content/MT/TXT/HTML/?uri=CELEX:{GDPR}"
    site.pages[page] = answer(202, x_amzn_waf_action="challenge")
    for reference in (GDPR, site.base + page):
        requests = len(site.requests)
        message(get, reference, language="mt")
        assert site.paths()[requests:].count(page) == 1  # no retry


def test_for_another_site_that_requires_a_browser_the_celex_number_is_suggested(get: Get, elsewhere: Site) -> None:
    page = f"/mirror?celex={GDPR}"
    elsewhere.pages[page] = answer(202)
    assert GDPR in message(get, elsewhere.base + page)


# URLs


@pytest.mark.parametrize(
    ("path", "celex"),
    [
        ("/legal-content/FR/TXT/?uri=CELEX:32016R0679", GDPR),
        ("/legal-content/FR/TXT/?uri=CELEX%3A32016R0679&from=EN", GDPR),
        ("/legal-content/FR/ALL/?uri=celex%253A32013R0575R%252804%2529", "32013R0575R(04)"),
        ("/LexUriServ/LexUriServ.do?uri=CELEX:21979A1113(01):fr:HTML", "21979A1113(01)"),
        ("/smartapi/cgi/sga_doc?smartapi!celexplus!prod!CELEXnumdoc&numdoc=31985L0374", "31985L0374"),
        ("/legal-content/FR/TXT/?uri=CELEX:02016R0679-20160504", "02016R0679-20160504"),
        ("/legal-content/FR/TXT/?uri=CELEX:12012M/TXT", "12012M/TXT"),
        ("/eli/reg/2016/679/oj/fra", GDPR),
        ("/eli/reg_impl/2016/679/oj/fra/pdf", GDPR),
        ("/eli/reg/2016/679/2016-05-04/fra", "02016R0679-20160504"),
        ("/legal-content/FR/TXT/?uri=OJ:L_202401689", None),
        ("/eli/reg/2016/679/corrigendum/2018-05-23/oj/fra", None),
    ],
)
class TestUrls:
    def test_the_act_a_url_names_is_requested_from_cellar_first(
        self, get: Get, site: Site, path: str, celex: str | None
    ) -> None:
        site.works = {(celex or "", "fra", HTML): ["act.html"]}
        site.pages[path] = answer(200, b"a frame", Content_Type="text/html", Content_Language="fr-FR")
        fetched = get(f" {site.base}{path} ", language=None if "sga_doc" not in path else "fr")
        assert (fetched.celex, fetched.language) == (celex, "fr")
        assert fetched.content == (b"a frame" if celex is None else TEXT)
        assert (path in site.paths()) == (celex is None)

    def test_the_url_itself_is_fetched_if_no_source_has_the_number(
        self, get: Get, site: Site, path: str, celex: str | None
    ) -> None:
        site.pages[path] = answer(200, TEXT, Content_Type="text/html", Content_Language="fr-FR")
        assert get(f" {site.base}{path} ") == Fetched(TEXT, "text/html", site.base + path, celex, "fr")
        assert site.paths()[-1] == path
        assert site.requests[-1][1].startswith(XHTML)

    def test_a_url_of_another_site_is_fetched_directly(
        self, get: Get, site: Site, elsewhere: Site, path: str, celex: str | None
    ) -> None:
        elsewhere.pages[path] = answer(200, TEXT, Content_Type="text/html", Content_Language="fr-FR")
        assert get(elsewhere.base + path) == Fetched(TEXT, "text/html", elsewhere.base + path, celex, "fr")
        assert (site.paths(), elsewhere.paths()) == ([], [path])


def test_the_language_argument_overrides_the_url(get: Get, site: Site) -> None:
    url = f"{site.base}/legal-content/FR/TXT/?uri=CELEX:{GDPR}"
    assert get(url, language="en").language == "en"
    assert get(f"{site.base}/eli/reg/2016/679/oj").language == "en"


def test_language_and_type_may_be_unknown(get: Get, site: Site) -> None:
    site.pages["/act"] = answer(200, TEXT)
    assert get(f"{site.base}/act") == Fetched(TEXT, "application/octet-stream", f"{site.base}/act", None, None)


def test_a_cellar_url_is_negotiated(get: Get, site: Site) -> None:
    site.works = {(GDPR, "deu", PDF): ["act.pdf"]}
    fetched = get(f"{site.base}/resource/celex/{GDPR}", language="de")
    assert (fetched.media_type, fetched.celex, fetched.language) == (PDF, GDPR, "de")


def test_a_missing_page_is_an_error(get: Get, site: Site) -> None:
    assert f"{site.base}/x" in message(get, f"{site.base}/x")
    assert len(site.requests) == 1


def test_passwords_appear_neither_in_errors_nor_in_the_cache(get: Get, site: Site, tmp_path: Path) -> None:
    url = site.base.replace("//", "//user:secret@")
    assert "secret" not in message(get, f"{url}/x")
    site.pages["/act"] = answer(200, TEXT)
    assert get(f"{url}/act").url == f"{site.base}/act"
    assert not any(b"secret" in path.read_bytes() for path in (tmp_path / "cache").iterdir())


# Redirects


def test_up_to_ten_relative_redirects_are_followed(get: Get, site: Site) -> None:
    for n in range(10):
        site.pages[f"/{n}"] = answer((301, 302, 303, 307, 308)[n % 5], Location=f"{n + 1}")
    site.pages["/10"] = answer(200, TEXT)
    assert get(f"{site.base}/0").url == f"{site.base}/10"


def test_a_redirect_loop_ends_after_ten_redirects(get: Get, site: Site) -> None:
    site.pages["/a"], site.pages["/b"] = answer(302, Location="/b"), answer(302, Location="/a")
    message(get, f"{site.base}/a")
    assert len(site.requests) == 11


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://[", "ftp://a.b/c", "http://a..b/"])
def test_a_redirect_to_another_scheme_is_not_followed(get: Get, site: Site, location: str) -> None:
    site.pages["/a"] = answer(302, Location=location)
    message(get, f"{site.base}/a")
    assert len(site.requests) == 1


# Other hosts


@pytest.fixture
def elsewhere(site: Site) -> Iterator[Site]:
    other = Site()
    other.pages["/act"] = answer(200, TEXT, Content_Type=XHTML)
    threading.Thread(target=other.serve_forever, args=(0.01,), daemon=True).start()
    yield other
    other.closing.set()
    other.shutdown()
    other.server_close()


@pytest.mark.parametrize("address", ["{there}/act", "{there}/act#@{here}", "{here}@{there}/act"])
def test_a_celex_number_is_never_fetched_from_another_host(get: Get, site: Site, elsewhere: Site, address: str) -> None:
    hosts = {"there": urlsplit(elsewhere.base).netloc, "here": urlsplit(site.base).netloc}
    site.failures.append(answer(303, Location=f"http://{address.format(**hosts)}"))
    message(get)
    assert not elsewhere.requests


def test_choices_on_another_host_are_not_followed(get: Get, site: Site, elsewhere: Site) -> None:
    site.failures.append(answer(300, f'<a href="{elsewhere.base}/act">act</a>'.encode()))
    page = f"/legal-content/EN/TXT/HTML/?uri=CELEX:{GDPR}"
    site.pages[page] = answer(200, TEXT, Content_Type="text/html")
    assert get().url == site.base + page  # the next source
    assert not elsewhere.requests


def test_a_url_may_redirect_to_another_host(get: Get, site: Site, elsewhere: Site) -> None:
    site.pages["/a"] = answer(302, Location=f"{elsewhere.base}/act")
    assert get(f"{site.base}/a").url == f"{elsewhere.base}/act"


def test_all_hosts_of_the_eu_are_allowed() -> None:
    usual = module._Limits(1, module._official_hosts(module.CELLAR, module.EURLEX))
    for host in ("publications.europa.eu", "eur-lex.europa.eu", "op.europa.eu"):
        assert usual.allow(host)
    for host in ("europa.eu.example.org", "noteuropa.eu", "127.0.0.1", "op.europa.eu:8080", "europa.eu", ""):
        assert not usual.allow(host)
    given = module._Limits(1, module._official_hosts("http://me@Mirror.example.org:81/x/", module.EURLEX))
    assert given.allow("mirror.example.org:81") and given.allow("eur-lex.europa.eu")
    assert not given.allow("mirror.example.org") and not given.allow("op.europa.eu")


def test_the_default_sources_use_https() -> None:
    assert module.CELLAR.startswith("https://") and module.EURLEX.startswith("https://")


# Retries


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_temporary_failure_is_retried(get: Get, site: Site, status: int) -> None:
    site.failures.extend([answer(status), answer(status)])
    assert get().content == TEXT
    assert len(site.requests) == 4


@pytest.mark.parametrize("failure", [cut_off, cut_off_chunk, hang_up, answer(200)])
def test_an_incomplete_body_is_requested_again(get: Get, site: Site, tmp_path: Path, failure: Answer) -> None:
    site.pages["/act"] = failure
    message(get, f"{site.base}/act")
    assert len(site.requests) == 4 and not (tmp_path / "cache").exists()
    site.pages["/act"] = answer(200, TEXT)
    site.failures.append(failure)
    assert get(f"{site.base}/act").content == TEXT


def test_corrupt_compression_is_requested_again(get: Get, site: Site) -> None:
    packed = gzip.compress(TEXT)
    site.pages["/act"] = answer(200, packed, Content_Encoding="gzip")
    site.failures.append(answer(200, b"not gzip at all", Content_Encoding="gzip"))
    assert get(f"{site.base}/act").content == TEXT


def test_retry_after_is_honoured_up_to_a_maximum(get: Get, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAIT", 0.2)
    site.failures.append(answer(429, Retry_After="3600"))
    start = time.monotonic()
    assert get().content == TEXT
    assert 0.2 <= time.monotonic() - start < 60


def test_the_wait_follows_the_header_or_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BACKOFF", 0.5)
    assert [module.seconds_to_wait("", attempt) for attempt in range(1, 10)] == [0.5, 1, 2, 4, 8, 16, 32, 60, 60]
    assert [module.seconds_to_wait(stated, 1) for stated in ("7", " 0 ", "86400", "9" * 5000)] == [7, 0, 60, 60]
    assert 5 < module.seconds_to_wait(formatdate(time.time() + 50, usegmt=True), 1) <= 50
    assert module.seconds_to_wait(formatdate(time.time() + 1e6, usegmt=True), 1) == 60
    assert module.seconds_to_wait("Wed, 21 Oct 2015 07:28:00 GMT", 1) == 0
    assert [module.seconds_to_wait(stated, 2) for stated in ("soon", "-5", "nan", "1e3")] == [1, 1, 1, 1]


def test_a_lasting_failure_is_an_error(get: Get, site: Site) -> None:
    site.failures.extend([answer(503)] * 8)
    text = message(get)
    assert text.count("503") == 2
    assert not site.failures and len(site.requests) == 8


@pytest.mark.parametrize("attempts", [0, 1, 2])
def test_a_source_is_tried_as_often_as_requested(get: Get, site: Site, attempts: int) -> None:
    site.pages["/act"] = answer(500)
    message(get, f"{site.base}/act", attempts=attempts)
    assert len(site.requests) == max(attempts, 1)


def test_a_permanent_failure_is_not_retried(get: Get, site: Site) -> None:
    site.pages["/act"] = answer(403)
    assert "403" in message(get, f"{site.base}/act")
    assert len(site.requests) == 1


def test_a_slow_answer_times_out(get: Get, site: Site) -> None:
    site.pages["/act"] = slow
    start = time.monotonic()
    message(get, f"{site.base}/act", timeout=0.5, attempts=2)
    assert time.monotonic() - start < 30 and len(site.requests) == 2


def test_an_endless_trickle_of_bytes_times_out(get: Get, site: Site) -> None:
    site.pages["/act"] = trickle
    message(get, f"{site.base}/act", timeout=0.01, attempts=1)


def test_too_large_an_answer_is_refused(get: Get, site: Site, tmp_path: Path) -> None:
    bomb = gzip.compress(bytes(3_000_000))
    site.pages["/act"] = answer(200, bomb, Content_Encoding="gzip")
    assert "2.5 MB" in message(get, f"{site.base}/act", max_bytes=2_500_000)
    assert len(site.requests) == 1 and not (tmp_path / "cache").exists()


def test_errors_name_the_hosts_that_cannot_be_reached(get: Get) -> None:
    cellar, eurlex, other = closed_port(), closed_port(), closed_port()
    text = message(get, cellar=cellar, eurlex=eurlex)
    assert GDPR in text and urlsplit(cellar).netloc in text and urlsplit(eurlex).netloc in text
    assert urlsplit(other).netloc in message(get, f"{other}/act.html")


def test_an_unusable_proxy_is_an_error_without_its_password(get: Get, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "gopher://secret@127.0.0.1:1")
    assert "secret" not in message(get)


# The cache


def test_a_cached_act_is_not_requested_again(get: Get, site: Site) -> None:
    first = get()
    requests = len(site.requests)
    assert get() == get(f" celex:{GDPR.lower()} ") == first and len(site.requests) == requests
    site.works[GDPR, "fra", XHTML] = ["act.xhtml"]
    assert get(language="fr").language == "fr" and len(site.requests) > requests


def test_a_cached_act_needs_no_network(get: Get, site: Site) -> None:
    first = get()
    site.failures.extend([hang_up] * 20)
    assert get() == first


@pytest.mark.parametrize("suffix", [".act", ".json"])
@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"null", b'{"sha256": 1}', b"\xff\x00", None])
def test_a_corrupt_entry_is_fetched_again(
    get: Get, site: Site, tmp_path: Path, suffix: str, content: bytes | None
) -> None:
    first = get()
    (path,) = (tmp_path / "cache").glob(f"*{suffix}")
    path.unlink() if content is None else path.write_bytes(content)
    requests = len(site.requests)
    assert get() == first and len(site.requests) == 2 * requests
    assert get() == first and len(site.requests) == 2 * requests


def test_the_cache_holds_the_content_and_its_metadata(get: Get, tmp_path: Path) -> None:
    fetched = get()
    assert sorted(path.suffix for path in (tmp_path / "cache").iterdir()) == [".act", ".json"]
    (sidecar,) = (tmp_path / "cache").glob("*.json")
    metadata = json.loads(sidecar.read_bytes())
    assert (metadata["media_type"], metadata["url"]) == (XHTML, fetched.url)
    assert sidecar.with_suffix(".act").read_bytes() == TEXT


def test_a_cache_folder_that_cannot_be_written_is_ignored(get: Get, site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert get(cache=tmp_path / "file" / "cache").content == TEXT
    assert get(cache=tmp_path / "file").content == TEXT
    assert len(site.requests) == 4


@pytest.mark.skipif(sys.platform != "linux", reason="the default folder depends on the platform")
def test_the_default_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEXLATTICE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with monkeypatch.context() as homeless:
        homeless.setattr(os.path, "expanduser", lambda path: path)
        assert module._cache_folder().is_relative_to("/dev/null")
    monkeypatch.setenv("HOME", "/home/me")
    assert module._cache_folder() == Path("/home/me/.cache/lexlattice")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert module._cache_folder() == Path("/xdg/lexlattice")
    monkeypatch.setenv("LEXLATTICE_CACHE", "/mine")
    assert module._cache_folder() == Path("/mine")


def test_the_environment_variable_sets_the_cache_folder(
    site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LEXLATTICE_CACHE", str(tmp_path / "mine"))
    fetch(GDPR, cellar=f"{site.base}/", eurlex=site.base)
    assert len(list((tmp_path / "mine").iterdir())) == 2


def test_importing_the_module_does_not_import_the_http_client() -> None:
    code = "import sys, lexlattice.reading.fetch; sys.exit(not {'httpx', 'tenacity'}.isdisjoint(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
