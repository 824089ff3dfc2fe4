"""A real HTTP server on loopback that speaks both protocols, with replies and failures that tests arrange."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lexlattice.research.llm import EndpointConfig

KEY = "sk-little-0123456789"
KEY_FROM = "LITTLE_LLM_KEY"
PATHS = {"anthropic": "/v1/messages", "openai": "/v1/chat/completions"}


@dataclass
class Received:
    """A request as the server received it."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def kind(self) -> str:
        return next(kind for kind, path in PATHS.items() if path == self.path)

    @property
    def system(self) -> str:
        if self.kind == "anthropic":
            return str(self.body["system"])
        return str(self.body["messages"][0]["content"])

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][-1]["content"])

    @property
    def is_structured(self) -> bool:
        return "tools" in self.body or "response_format" in self.body


@dataclass
class Failure:
    """An HTTP response that is sent instead of a reply."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    delay: float = 0.0


class Slowly:
    """Replies after a pause, and knows how many requests were under way at once."""

    def __init__(self, respond: Callable[[Received], str], seconds: float) -> None:
        self._respond, self._seconds, self._lock = respond, seconds, threading.Lock()
        self._now = self.most = 0

    def __call__(self, received: Received) -> str:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self._seconds)
        with self._lock:
            self._now -= 1
        return self._respond(received)


class FakeLLM(ThreadingHTTPServer):
    daemon_threads, block_on_close = True, False

    def __init__(self, respond: Callable[[Received], str]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.respond = respond
        self.received: list[Received] = []
        self.failures: deque[Failure] = deque()
        self.has_structured_output = True
        self.usage: tuple[int, int] | None = (100, 10)
        self.is_cut = False

    def config(self, kind: str = "openai", **others: Any) -> EndpointConfig:
        return EndpointConfig(kind, f"http://127.0.0.1:{self.server_port}", "little", key_from=KEY_FROM, **others)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing: in some tests the client closes the connection."""


class Handler(BaseHTTPRequestHandler):
    server: FakeLLM
    protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        received = Received(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        self.server.received.append(received)
        if self.server.failures:
            trouble = self.server.failures.popleft()
            time.sleep(trouble.delay)
            self.answer(trouble.status, trouble.body, trouble.headers)
        elif self.path not in PATHS.values():
            self.answer(404, b"{}")
        elif received.is_structured and not self.server.has_structured_output:
            self.answer(400, b'{"error": {"message": "response_format is not supported"}}')
        else:
            self.answer(200, json.dumps(self.reply(received, self.server.respond(received))).encode())

    def reply(self, received: Received, text: str) -> dict[str, Any]:
        is_cut, usage = self.server.is_cut, self.server.usage
        if received.kind == "openai":
            choice = {
                "message": {"role": "assistant", "content": text},
                "finish_reason": "length" if is_cut else "stop",
            }
            counts = {} if usage is None else {"usage": dict(zip(OPENAI_USAGE, usage, strict=True))}
            return {"object": "chat.completion", "choices": [choice], **counts}
        content: dict[str, Any] = {"type": "text", "text": text}
        if "tools" in received.body and text.startswith("{"):
            content = {"type": "tool_use", "id": "t1", "name": "reply", "input": json.loads(text)}
        counts = {} if usage is None else {"usage": dict(zip(ANTHROPIC_USAGE, usage, strict=True))}
        return {
            "type": "message",
            "content": [content],
            "stop_reason": "max_tokens" if is_cut else "end_turn",
            **counts,
        }

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


OPENAI_USAGE = ("prompt_tokens", "completion_tokens")
OPENAI_END = {False: "stop", True: "length"}
ANTHROPIC_END = {False: "end_turn", True: "max_tokens"}
ANTHROPIC_USAGE = ("input_tokens", "output_tokens")


@contextmanager
def fake_llm(respond: Callable[[Received], str]) -> Iterator[FakeLLM]:
    """Serve for the duration of a `with` block; `respond` makes the text of each reply."""
    with FakeLLM(respond) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server
        server.shutdown()
