"""A real HTTP server on loopback with the part of the Hugging Face hub's API and layout that downloads use.

Repositories are folders in memory at one commit. Large files redirect to another path, as the hub redirects to its
storage, which answers requests for ranges. Tests arrange what goes wrong there.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

PAGE = 10
"""Entries on a page of a listing."""
_SMALL = (".json", ".md", ".txt")
"""Files that are in Git itself; all others have a SHA-256."""


@dataclass
class Repository:
    """A data set or a model."""

    files: dict[str, bytes]
    branches: tuple[str, ...] = ("main",)

    @property
    def commit(self) -> str:
        content = repr(sorted((path, _sha256(text)) for path, text in self.files.items()))
        return hashlib.sha1(content.encode()).hexdigest()


@dataclass
class Fault:
    """What goes wrong with the content of a file."""

    kind: Literal["drop", "truncate", "change", "hold"]
    """`drop`: close the connection halfway; `hold`: wait there until the server stops; `truncate`: announce and send
    half of the file; `change`: send other bytes."""
    times: int = 1


@dataclass
class Request:
    method: str
    path: str
    range: str = ""


class HubServer(ThreadingHTTPServer):
    """The hub; `received` has all requests."""

    daemon_threads, block_on_close = True, False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repositories: dict[str, Repository] = {}
        self.faults: dict[str, Fault] = {}
        self.received: list[Request] = []
        self.is_held = threading.Event()
        self.stopping = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, kind: str, name: str, files: Mapping[str, bytes], *branches: str) -> Repository:
        """Add a repository; `kind` is `datasets` or `models`."""
        repository = Repository(dict(files), branches or ("main",))
        self.repositories[f"{kind}/{name}"] = repository
        return repository

    def downloads(self) -> list[str]:
        """The names of the files whose content was requested, in order."""
        return [request.path for request in self.received if request.method == "GET" and "/storage/" in request.path]

    def take_fault(self, path: str) -> str:
        fault = self.faults.get(path)
        if fault is None or fault.times == 0:
            return ""
        fault.times -= 1
        return fault.kind


@contextmanager
def hub_server() -> Iterator[HubServer]:
    server = HubServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.shutdown()
        server.server_close()


def use_hub(server: HubServer, monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Let `huggingface_hub`, which reads `HF_ENDPOINT` when it is imported, use this server and an empty cache."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "ENDPOINT", server.url)
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.partition("/{repo_id}")
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", server.url + "".join(template[1:]))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)  # other tests set the variable, here and for subprocesses
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: HubServer

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        url = urlsplit(self.path)
        path = unquote(url.path)
        self.server.received.append(Request(self.command, path, self.headers.get("Range", "")))
        for name, repository in self.server.repositories.items():
            public = name.removeprefix("models/")
            if path == f"/api/{name}" or path.startswith(f"/api/{name}/"):
                return self._api(path.removeprefix(f"/api/{name}"), repository, name, parse_qs(url.query))
            for what, answer in (("resolve", self._resolve), ("storage", self._storage)):
                if path.startswith(f"/{public}/{what}/"):
                    rest = path.removeprefix(f"/{public}/{what}/")
                    for revision in (*repository.branches, repository.commit):
                        if rest.startswith(f"{revision}/"):
                            return answer(repository, public, rest.removeprefix(f"{revision}/"))
        self._send(404, b'{"error": "not found"}', {"X-Error-Code": "RepoNotFound"})

    def _api(self, rest: str, repository: Repository, name: str, query: Mapping[str, list[str]]) -> None:
        what, _, revision = rest.lstrip("/").partition("/")
        if (revision or "main") not in (*repository.branches, repository.commit):
            return self._send(404, b'{"error": "no revision"}', {"X-Error-Code": "RevisionNotFound"})
        if what != "tree":
            about = {"_id": "0", "id": name.partition("/")[2], "sha": repository.commit}
            siblings = [{"rfilename": path} for path in repository.files]
            return self._send_json({**about, "siblings": siblings, "private": False, "tags": [], "downloads": 0})
        entries = [_entry(path, content) for path, content in sorted(repository.files.items())]
        start = int(query.get("cursor", ["0"])[0])
        headers = {}
        if start + PAGE < len(entries):
            address = f"{self.server.url}{self.path.partition('?')[0]}?recursive=True&cursor={start + PAGE}"
            headers["Link"] = f'<{address}>; rel="next"'
        self._send_json(entries[start : start + PAGE], headers)

    def _resolve(self, repository: Repository, name: str, path: str) -> None:
        content = repository.files.get(path)
        commit = {"X-Repo-Commit": repository.commit}
        if content is None:
            return self._send(404, b"", {"X-Error-Code": "EntryNotFound", **commit})
        if path.endswith(_SMALL):
            return self._send(200, content, {"ETag": f'"{_git_id(content)}"', **commit})
        linked = {"X-Linked-Size": str(len(content)), "X-Linked-Etag": f'"{_sha256(content)}"'}
        location = {"Location": f"http://localhost:{self.server.server_port}/{name}/storage/{repository.commit}/{path}"}
        self._send(302, b"", {**commit, **linked, **location})

    def _storage(self, repository: Repository, name: str, path: str) -> None:
        content = repository.files[path]
        fault = self.server.take_fault(path)
        if fault == "change":
            content = bytes(byte ^ 1 for byte in content)
        if fault == "truncate":
            content = content[: len(content) // 2]
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
        body = content[start:]
        headers = {"Content-Range": f"bytes {start}-{len(content) - 1}/{len(content)}"} if start else {}
        if fault not in ("drop", "hold"):
            return self._send(206 if start else 200, body, headers)
        self._start(206 if start else 200, len(body), headers)
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        if fault == "hold":
            self.server.is_held.set()
            self.server.stopping.wait()
        self.close_connection = True

    def _send_json(self, content: Any, headers: Mapping[str, str] | None = None) -> None:
        self._send(200, json.dumps(content).encode(), {"Content-Type": "application/json", **(headers or {})})

    def _send(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        self._start(status, len(body), headers)
        if self.command != "HEAD":
            self.wfile.write(body)

    def _start(self, status: int, length: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(length)}.items():
            self.send_header(name, value)
        self.end_headers()


def _entry(path: str, content: bytes) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "file", "path": path, "size": len(content), "oid": _git_id(content)}
    if not path.endswith(_SMALL):
        entry["lfs"] = {"oid": _sha256(content), "size": len(content), "pointerSize": 134}
    return entry


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _git_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
