"""Requests on their way: sent until they are answered or there is no hope.

The key is read from the environment when a request is made. It goes into that request's headers and nowhere else: not
into errors, not onto the disk, not even where the endpoint repeats it.
"""

from __future__ import annotations

import json
import math
import os
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from lexlattice.errors import LexLatticeError
from lexlattice.research.llm.schema import Reply, Schema

if TYPE_CHECKING:
    import httpx


# The two protocols: what a request looks like, and where in an answer the reply stands. Nothing is sent here.

_NAME: Final = "reply"
"""What the structured reply is called."""


class Protocol(NamedTuple):
    """How to speak to one kind of endpoint."""

    path: str
    headers: Callable[[str], dict[str, str]]
    """With a key, or the empty string for none."""
    body: Callable[[str, int, str, str, Schema | None], dict[str, Any]]
    """Of the model, the most tokens, the system prompt, the prompt and the schema."""
    reply: Callable[[Any], Reply]
    """Any of `KeyError`, `TypeError`, `IndexError`, `ValueError` if it is not what the protocol says; tokens that are
    not told are −1."""


def _anthropic_headers(key: str) -> dict[str, str]:
    version = {"anthropic-version": "2023-06-01"}
    return {**version, "x-api-key": key} if key else version


def _anthropic_body(model: str, longest: int, system: str, prompt: str, schema: Schema | None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": longest,
        "temperature": 0,
        "system": system,
        "messages": [{"role": "user", "content": prompt}],
    }
    if schema is not None:
        body["tools"] = [{"name": _NAME, "description": "Give the reply.", "input_schema": schema}]
        body["tool_choice"] = {"type": "tool", "name": _NAME}
    return body


def _anthropic_reply(answer: Any) -> Reply:
    parts = answer["content"]
    used = [json.dumps(part["input"], ensure_ascii=False) for part in parts if part["type"] == "tool_use"]
    said = "".join(part["text"] for part in parts if part["type"] == "text")
    usage = answer.get("usage") or {}
    cut = answer.get("stop_reason") == "max_tokens"
    return Reply(used[0] if used else said, _count(usage, "input_tokens"), _count(usage, "output_tokens"), cut)


def _openai_headers(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _openai_body(model: str, longest: int, system: str, prompt: str, schema: Schema | None) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
    body: dict[str, Any] = {"model": model, "max_tokens": longest, "temperature": 0, "messages": messages}
    if schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": _NAME, "schema": schema, "strict": True},
        }
    return body


def _openai_reply(answer: Any) -> Reply:
    choice = answer["choices"][0]
    text = choice["message"].get("content") or ""
    if not isinstance(text, str):
        raise TypeError("the content is not text")
    usage = answer.get("usage") or {}
    cut = choice.get("finish_reason") == "length"
    return Reply(text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"), cut)


def _count(usage: dict[str, Any], name: str) -> int:
    count = usage.get(name)
    return count if isinstance(count, int) and count >= 0 else -1


PROTOCOLS: Final = {
    "anthropic": Protocol("/messages", _anthropic_headers, _anthropic_body, _anthropic_reply),
    "openai": Protocol("/chat/completions", _openai_headers, _openai_body, _openai_reply),
}


# What must be known of an endpoint before it can be asked.

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KINDS: Final[dict[str, tuple[tuple[type, ...], str]]] = {
    **dict.fromkeys(("kind", "url", "model", "key_from"), ((str,), "a text in quotes")),
    **dict.fromkeys(("max_tokens", "attempts"), ((int,), "a whole number")),
    "timeout": ((int, float), "a number"),
    **dict.fromkeys(("price_in", "price_out"), ((int, float, type(None)), "a number")),
}


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """Where a model is and what it costs."""

    kind: str
    """`anthropic` or `openai`: which protocol is spoken there."""
    url: str
    """With or without `/v1`: "https://api.anthropic.com", "http://127.0.0.1:8000/v1"."""
    model: str
    key_from: str = ""
    """The name of the environment variable that holds the key; empty where none is needed."""
    price_in: float | None = None
    price_out: float | None = None
    """Of a million tokens; 0 for a model that costs nothing. Without them nothing can be capped in money."""
    max_tokens: int = 4096
    """The longest reply."""
    timeout: float = 120.0
    attempts: int = 5

    def __post_init__(self) -> None:
        """No error repeats a value: somebody may have written a key there."""
        for name, (types, what) in _KINDS.items():
            value = getattr(self, name)
            if not isinstance(value, types) or isinstance(value, bool):
                raise LexLatticeError(f"The endpoint's {name} must be {what}.")
        if self.kind not in PROTOCOLS:
            raise LexLatticeError(f"There is no such kind of endpoint; choose among {', '.join(PROTOCOLS)}.")
        if not _is_address(self.url):
            raise LexLatticeError(
                "The endpoint's url must be an http(s) address without a user name, password or query."
            )
        if not self.model:
            raise LexLatticeError("The endpoint's model has no name; give the one its provider uses.")
        if self.key_from and not _VARIABLE.fullmatch(self.key_from):
            raise LexLatticeError(
                "The endpoint's key_from must be the name of an environment variable that holds the key, not the key."
            )
        if min(self.max_tokens, self.attempts) < 1 or not 0 < self.timeout < math.inf:
            raise LexLatticeError("An endpoint's max_tokens, attempts and timeout must be above zero, and finite.")
        if not all(price is None or 0 <= price < math.inf for price in (self.price_in, self.price_out)):
            raise LexLatticeError("An endpoint's prices must not be negative, and finite.")

    @property
    def address(self) -> str:
        """Where requests go."""
        path = PROTOCOLS[self.kind].path
        base = self.url.rstrip("/").removesuffix(path)
        return f"{base}{path}" if base.endswith("/v1") else f"{base}/v1{path}"


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_web and parts.username is None and not (parts.query or parts.fragment)


# Requests on their way: sent until they are answered or there is no hope.

BACKOFF: Final = 1.0
"""Seconds before the second attempt, doubled from then on."""
LONGEST_WAIT: Final = 300.0
_PASSING: Final = (408, 409, 425, 429)
"""Refusals that patience may help against, besides all from 500 on."""
_FREE: Final = (409, 425, 429)
"""Those of requests that nobody has begun with; all other failures may be billed."""
Lost = Callable[[], None]
"""What is called for each attempt that was sent, was not answered, and may be billed all the same."""


class EndpointError(LexLatticeError):
    """The endpoint cannot be used: wrong address, wrong key, or no answer."""


class _PassingError(Exception):
    """No answer yet; `wait` is what the endpoint said of when to come back."""

    def __init__(self, reason: str, wait: str = "") -> None:
        super().__init__(reason)
        self.wait = wait


class RefusedError(EndpointError):
    """The request itself was refused, with this HTTP status."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class Line:
    """The connection to an endpoint; several threads may use it at once."""

    def __init__(self, config: EndpointConfig) -> None:
        self._config = config
        self._client: httpx.Client | None = None
        self._opening = threading.Lock()

    def close(self) -> None:
        """Let go of connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def send(self, system: str, prompt: str, schema: Schema | None, lost: Lost) -> Reply:
        """Send a request until it is answered or there is no hope."""
        config, protocol = self._config, PROTOCOLS[self._config.kind]
        body = protocol.body(config.model, config.max_tokens, system, prompt, schema)
        key = _key(config.key_from)
        attempt = 1
        while True:
            try:
                return self._answered(body, key, lost)
            except _PassingError as passing:
                pause = _pause(passing.wait, attempt)
                if attempt >= config.attempts or pause > LONGEST_WAIT:
                    raise EndpointError(f"{self._host} {passing}; try again later.") from None
                time.sleep(pause)
                attempt += 1

    def _answered(self, body: dict[str, Any], key: str, lost: Lost) -> Reply:
        """One attempt."""
        import httpx

        protocol = PROTOCOLS[self._config.kind]
        try:
            answer = self._open().post(self._config.address, json=body, headers=protocol.headers(key))
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError):
            raise _PassingError("could not be reached") from None
        except httpx.TimeoutException:
            lost()
            raise _PassingError("did not answer in time") from None
        except httpx.HTTPError:
            lost()
            raise _PassingError("broke off the answer") from None
        status = answer.status_code
        if status in _PASSING or status >= 500:
            if status not in _FREE:
                lost()
            raise _PassingError(f"answered HTTP {status}", answer.headers.get("retry-after", ""))
        if status in (401, 403):
            named = f"the key in {self._config.key_from}" if self._config.key_from else "a request without a key"
            raise EndpointError(f"{self._host} refused {named} (HTTP {status}); correct it, or name another key_from.")
        if status != 200:
            said = _said(answer, key)
            raise RefusedError(
                f"{self._host} refused the request (HTTP {status}{said}); check the url, the model and its limits.",
                status,
            )
        try:
            reply = protocol.reply(answer.json())
        except (KeyError, TypeError, IndexError, ValueError, AttributeError):
            lost()
            raise EndpointError(
                f"{self._host} did not answer as '{self._config.kind}' endpoints do; check its kind and url."
            ) from None
        return replace(reply, text=_without(key, reply.text))

    def _open(self) -> httpx.Client:
        import httpx

        with self._opening:
            if self._client is None:
                try:
                    self._client = httpx.Client(timeout=self._config.timeout, headers={"User-Agent": "lexlattice"})
                except (ImportError, ValueError):
                    raise EndpointError(
                        "The proxy set in the environment cannot be used; correct or unset it."
                    ) from None
            return self._client

    @property
    def _host(self) -> str:
        return urlsplit(self._config.url).netloc


def _key(name: str) -> str:
    if not name:
        return ""
    key = os.environ.get(name, "").strip()
    if not key or not re.fullmatch(r"[!-~]+", key):
        raise EndpointError(f"The environment variable {name} holds no key; set it to the endpoint's key.")
    return key


def _pause(retry_after: str, attempt: int) -> float:
    """As long as the endpoint says, else twice as long each time."""
    seconds, said = min(BACKOFF * 2.0 ** min(attempt - 1, 16), LONGEST_WAIT), retry_after.strip()
    with suppress(ValueError, OverflowError):
        is_number = re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", said)
        seconds = float(said) if is_number else parsedate_to_datetime(said).timestamp() - time.time()
    return max(seconds, 0.0)


def _said(answer: httpx.Response, key: str) -> str:
    """What the endpoint says of why it refused, in one short line after a colon; empty if it says nothing."""
    said: Any = ""
    with suppress(ValueError, AttributeError):
        error = answer.json().get("error", "")
        said = error.get("message", "") if isinstance(error, dict) else error
    line = " ".join(str(said).split())
    line = _without(key, line)[:200].rstrip(". ")
    return line and f": {line}"


def _without(key: str, text: str) -> str:
    """A text of the endpoint's, which may repeat the key that it was sent."""
    return text.replace(key, "…") if key else text
