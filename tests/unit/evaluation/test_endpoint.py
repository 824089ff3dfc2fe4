"""Services as systems, against real servers on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from lexlattice.errors import ConfigError, DataError, LexLatticeError
from lexlattice.evaluation.endpoint import SENT, Endpoint
from lexlattice.reading import fetch

ACT = ("32024R9001", "en", "Article 1\nHives are registered.", 20)


class Service(ThreadingHTTPServer):
    """Answers with what tests arrange; the last answer is repeated."""

    daemon_threads, block_on_close = True, False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: deque[tuple[int, object]] = deque([(200, {"extract": "Hives are registered."})])
        self.headers: dict[str, str] = {}
        self.received: list[tuple[dict[str, str], Any]] = []
        self.delay = 0.0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/extract"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: in some tests the client leaves."""


class Handler(BaseHTTPRequestHandler):
    server: Service

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.received.append(({k.lower(): v for k, v in self.headers.items()}, json.loads(body)))
        answers = self.server.answers
        status, content = answers.popleft() if len(answers) > 1 else answers[0]
        time.sleep(self.server.delay)
        if status == 0:
            self.connection.close()
            return
        sent = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in self.server.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setattr(fetch, "BACKOFF", 0.001)
    with Service() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()


def test_an_act_is_sent_and_its_extract_comes_back(service: Service) -> None:
    assert Endpoint.named(service.url).extract(*ACT) == "Hives are registered."
    assert service.received[0][1] == dict(zip(SENT, ACT, strict=True))


@pytest.mark.parametrize(
    ("extract", "expected"),
    [
        (["One.", "Two."], "One.\nTwo."),
        ([{"text": "One.", "citation": "Article 1"}], "One."),
        ([[0, 2]], ((0, 2),)),
        ([], ""),
        ("", ""),
    ],
)
def test_extracts_have_the_forms_of_files(service: Service, extract: object, expected: object) -> None:
    service.answers = deque([(200, {"extract": extract, "more": 1})])
    assert Endpoint(service.url).extract(*ACT) == expected


def test_settings_are_read_from_a_file(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(f'url = "{service.url}"\ntimeout = 5\nattempts = 2\nkey_from = "MINE"\nsend = ["text", "words"]\n')
    endpoint = Endpoint.named(str(path))
    with pytest.raises(ConfigError, match="MINE"):
        endpoint.extract(*ACT)
    monkeypatch.setenv("MINE", "secret-17")
    endpoint.extract(*ACT)
    headers, body = service.received[0]
    assert headers["authorization"] == "Bearer secret-17"
    assert body == {"text": ACT[2], "words": 20}


def test_what_may_pass_is_tried_again(service: Service) -> None:
    service.answers.extendleft([(503, "busy"), (0, ""), (429, "")])
    service.headers["retry-after"] = "0"
    assert Endpoint(service.url, attempts=4).extract(*ACT) == "Hives are registered."
    assert len(service.received) == 4


@pytest.mark.parametrize("status", [500, 429, 0])
def test_a_broken_service_is_given_up_after_its_attempts(service: Service, status: int) -> None:
    service.answers = deque([(status, "")])
    with pytest.raises(DataError, match=r"127\.0\.0\.1"):
        Endpoint(service.url, attempts=3).extract(*ACT)
    assert len(service.received) == 3


def test_a_slow_service_is_given_up_in_time(service: Service) -> None:
    service.delay = 5
    start = time.perf_counter()
    with pytest.raises(DataError, match=r"0\.1 seconds"):
        Endpoint(service.url, timeout=0.1, attempts=2).extract(*ACT)
    assert time.perf_counter() - start < 3


def test_a_service_that_is_not_there_is_named() -> None:
    with Service() as server:
        url = server.url
    with pytest.raises(DataError, match=r"127\.0\.0\.1"):
        Endpoint(url, attempts=1).extract(*ACT)


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (404, "nothing here"),
        (422, "unknown field"),
        (301, ""),
        (200, ""),
        (200, "no json"),
        (200, "[" * 100_000),
        (200, ["One."]),
        (200, {"summary": "One."}),
        (200, {"extract": 7}),
        (200, {"extract": [None]}),
    ],
)
def test_a_wrong_answer_is_one_sentence_and_not_tried_again(service: Service, status: int, answer: object) -> None:
    service.answers = deque([(status, answer)])
    with pytest.raises(DataError) as caught:
        Endpoint(service.url).extract(*ACT)
    assert len(str(caught.value)) < 500
    assert len(service.received) == 1


def test_the_key_is_never_repeated(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINE", "secret-17")
    service.answers = deque([(403, "not for Bearer secret-17")])
    with pytest.raises(DataError) as caught:
        Endpoint(service.url, key_from="MINE").extract(*ACT)
    assert "secret-17" not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        "not toml",
        'timeout = 5\nurl = "ftp://host/x"',
        "url = 7",
        "timeout = 5",
        'url = "http://host/x"\nmodel = "m"',
        'url = "http://host/x"\ntimeout = 0',
        'url = "http://host/x"\ntimeout = true',
        'url = "http://host/x"\nattempts = 0',
        'url = "http://host/x"\nattempts = "3"',
        'url = "http://host/x"\nsend = ["words"]',
        'url = "http://host/x"\nsend = ["text", "words", "title"]',
        'url = "http://host/x"\nsend = "text"',
    ],
)
def test_bad_settings_are_an_error(tmp_path: Path, settings: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(settings)
    with pytest.raises(LexLatticeError):
        Endpoint.named(str(path))


@pytest.mark.parametrize("name", ["", "nowhere.toml", "ftp://host/x"])
def test_what_is_neither_address_nor_file_is_an_error(name: str) -> None:
    with pytest.raises(ConfigError):
        Endpoint.named(name)
