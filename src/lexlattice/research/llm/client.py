"""The official OpenAI and Anthropic clients behind one interface, with retries that the cost ledger can follow.

The clients' own retries are switched off: every attempt that may be billed has to be entered into the ledger, and the
spending cap may forbid the next one.

The key is read from the environment at the first request. It goes into the headers of requests and nowhere else: not
into errors and not onto the disk, not even if the endpoint repeats it.
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
from importlib import import_module
from typing import Any, Final
from urllib.parse import urlsplit

from lexlattice.errors import ConfigError, LexLatticeError, MissingExtraError
from lexlattice.research.llm.replies import Reply, Schema

KINDS: Final = {"anthropic": "/messages", "openai": "/chat/completions"}
"""The protocols, and the path of a request in each."""
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TYPES: Final[dict[str, tuple[tuple[type, ...], str]]] = {
    **dict.fromkeys(("kind", "url", "model", "key_from"), ((str,), "a string")),
    **dict.fromkeys(("max_tokens", "attempts"), ((int,), "an integer")),
    "timeout": ((int, float), "a number"),
    **dict.fromkeys(("price_in", "price_out"), ((int, float, type(None)), "a number")),
}


class EndpointError(LexLatticeError):
    """The endpoint cannot be used: wrong address, wrong key, or no answer."""

    code = "endpoint"


class RejectedError(EndpointError):
    """The endpoint rejected the request itself, with this HTTP status."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """The address of a model and its prices."""

    kind: str
    """The protocol: `anthropic` or `openai`."""
    url: str
    """With or without `/v1`: "https://api.anthropic.com", "http://127.0.0.1:8000/v1"."""
    model: str
    key_from: str = ""
    """The name of the environment variable that holds the key; empty if no key is needed."""
    price_in: float | None = None
    price_out: float | None = None
    """Per million tokens; 0 for a free model. Without prices, spending can be capped in tokens only."""
    max_tokens: int = 4096
    """The maximum length of a reply."""
    timeout: float = 120.0
    attempts: int = 5

    def __post_init__(self) -> None:
        """Validate all fields. No error quotes a value: it may be a key in the wrong place."""
        for name, (types, what) in _TYPES.items():
            value = getattr(self, name)
            if not isinstance(value, types) or isinstance(value, bool):
                raise ConfigError(f"The endpoint's {name} must be {what}.")
        if self.kind not in KINDS:
            raise ConfigError(f"The endpoint's kind is unknown; choose one of: {', '.join(KINDS)}.")
        if not _is_address(self.url):
            raise ConfigError("The endpoint's url must be an http(s) address without a user name, password or query.")
        if not self.model:
            raise ConfigError("The endpoint's model is empty; give the name that its provider uses.")
        if self.key_from and not _VARIABLE.fullmatch(self.key_from):
            raise ConfigError("The endpoint's key_from must be the name of an environment variable, not the key.")
        if min(self.max_tokens, self.attempts) < 1 or not 0 < self.timeout < math.inf:
            raise ConfigError("An endpoint's max_tokens, attempts and timeout must be positive and finite.")
        if not all(price is None or 0 <= price < math.inf for price in (self.price_in, self.price_out)):
            raise ConfigError("An endpoint's price_in and price_out must be finite and not negative.")

    @property
    def base_url(self) -> str:
        """The address that the official client of this kind expects."""
        root = self.url.rstrip("/").removesuffix(KINDS[self.kind]).removesuffix("/v1")
        return f"{root}/v1" if self.kind == "openai" else root


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return is_web and parts.username is None and not (parts.query or parts.fragment)


BACKOFF: Final = 1.0
"""Seconds before the second attempt; doubled for each further one."""
MAX_WAIT: Final = 300.0
_TRANSIENT: Final = (408, 409, 425, 429)
"""HTTP statuses that are retried, besides all from 500."""
_FREE: Final = (409, 425, 429)
"""Statuses of requests that were not processed; all other failures may be billed."""
_UNSENT: Final = ("ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError")
"""Errors of httpx before a request is sent, by name, since the clients may bring their own version of it."""
_REPLY: Final = "reply"
"""The name of the tool or schema in requests for structured output."""

OnUnanswered = Callable[[], None]
"""Called for each attempt that was sent but not answered, and may be billed; it may raise to stop further attempts."""


class _TransientError(Exception):
    """A failure that may pass; `retry_after` is the header of that name."""

    def __init__(self, reason: str, retry_after: str = "") -> None:
        super().__init__(reason)
        self.retry_after = retry_after


class Client:
    """A connection to one endpoint; several threads may use it at once."""

    def __init__(self, config: EndpointConfig) -> None:
        self._config = config
        self._client: Any = None
        self._opening = threading.Lock()
        self._host = urlsplit(config.url).netloc

    def close(self) -> None:
        """Close all connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def send(self, system: str, prompt: str, schema: Schema | None, on_unanswered: OnUnanswered) -> Reply:
        """Send a request at temperature 0, and retry while failures are transient.

        Raises:
            RejectedError: The endpoint rejected the request.
            EndpointError: The endpoint cannot be used, or did not answer in all attempts.

        """
        key = _key(self._config.key_from)
        attempt = 1
        while True:
            try:
                return self._attempt(system, prompt, schema, key, on_unanswered)
            except _TransientError as error:
                pause = _pause(error.retry_after, attempt)
                if attempt >= self._config.attempts or pause > MAX_WAIT:
                    raise EndpointError(f"{self._host} {error}; try again later.") from None
                time.sleep(pause)
                attempt += 1

    def _attempt(self, system: str, prompt: str, schema: Schema | None, key: str, on_unanswered: OnUnanswered) -> Reply:
        config = self._config
        sdk, client = self._open(key)
        create = _create_openai if config.kind == "openai" else _create_anthropic
        headers = {} if key else {"Authorization": sdk.Omit(), "X-Api-Key": sdk.Omit()}
        try:
            reply = create(client, config, system, prompt, schema, headers)
        except sdk.APITimeoutError as error:
            if type(error.__cause__).__name__ in _UNSENT:
                raise _TransientError("could not be reached") from None
            on_unanswered()
            raise _TransientError("did not answer in time") from None
        except sdk.APIConnectionError as error:
            if type(error.__cause__).__name__ in _UNSENT:
                raise _TransientError("could not be reached") from None
            on_unanswered()
            raise _TransientError("closed the connection before the answer was complete") from None
        except sdk.APIStatusError as error:
            status = error.status_code
            if status in _TRANSIENT or status >= 500:
                if status not in _FREE:
                    on_unanswered()
                raise _TransientError(
                    f"answered HTTP {status}", error.response.headers.get("retry-after", "")
                ) from None
            if status in (401, 403):
                named = f"the key in {config.key_from}" if config.key_from else "a request without a key"
                raise EndpointError(f"{self._host} refused {named} (HTTP {status}); set another key.") from None
            said = _error_message(error.body, key)
            raise RejectedError(
                f"{self._host} rejected the request (HTTP {status}{said}); check the url, the model and its limits.",
                status,
            ) from None
        except (sdk.APIError, AttributeError, TypeError, IndexError, ValueError):
            # The clients return whatever the endpoint sends; it fails once a field of the protocol is missing.
            on_unanswered()
            raise EndpointError(
                f"{self._host} did not answer like an endpoint of kind '{config.kind}'; check its kind and url."
            ) from None
        return replace(reply, text=_without(key, reply.text))

    def _open(self, key: str) -> tuple[Any, Any]:
        """The module of the official client, and the client, created at the first request."""
        try:
            sdk = import_module(self._config.kind)
        except ImportError as error:
            raise MissingExtraError("A language model behind an endpoint", "llm") from error
        with self._opening:
            if self._client is None:
                build = sdk.OpenAI if self._config.kind == "openai" else sdk.Anthropic
                try:
                    self._client = build(
                        api_key=key or "none",  # without an argument the clients would look for other keys
                        base_url=self._config.base_url,
                        timeout=self._config.timeout,
                        max_retries=0,
                        # Some versions of Anthropic's client send keys as bearer tokens, which not all servers know.
                        # Headers of the client are not logged, those of a request are.
                        default_headers={"X-Api-Key": key, "Authorization": sdk.Omit()}
                        if key and self._config.kind == "anthropic"
                        else {},
                    )
                except (ImportError, ValueError):
                    raise EndpointError("The proxy set in the environment is invalid; correct or unset it.") from None
            return sdk, self._client


def _create_openai(
    client: Any, config: EndpointConfig, system: str, prompt: str, schema: Schema | None, headers: dict[str, Any]
) -> Reply:
    structured: dict[str, Any] = {}
    if schema is not None:
        described = {"name": _REPLY, "schema": schema, "strict": True}
        structured["response_format"] = {"type": "json_schema", "json_schema": described}
    answer = client.chat.completions.create(
        model=config.model,
        max_tokens=config.max_tokens,
        temperature=0,
        messages=[{"role": "system", "content": system}, {"role": "user", "content": prompt}],
        extra_headers=headers,
        **structured,
    )
    choice = answer.choices[0]
    text = choice.message.content or ""
    if not isinstance(text, str):
        raise TypeError("the content is not text")
    used = _tokens(answer.usage, "prompt_tokens"), _tokens(answer.usage, "completion_tokens")
    return Reply(text, *used, choice.finish_reason == "length")


def _create_anthropic(
    client: Any, config: EndpointConfig, system: str, prompt: str, schema: Schema | None, headers: dict[str, Any]
) -> Reply:
    structured: dict[str, Any] = {}
    if schema is not None:
        structured["tools"] = [{"name": _REPLY, "description": "Give the reply.", "input_schema": schema}]
        structured["tool_choice"] = {"type": "tool", "name": _REPLY}
    answer = client.messages.create(
        model=config.model,
        max_tokens=config.max_tokens,
        system=system,
        messages=[{"role": "user", "content": prompt}],
        extra_headers=headers,
        extra_body={"temperature": 0},  # newer versions of the client have no argument for it
        **structured,
    )
    inputs = [json.dumps(part.input, ensure_ascii=False) for part in answer.content if part.type == "tool_use"]
    text = "".join(part.text for part in answer.content if part.type == "text")
    used = _tokens(answer.usage, "input_tokens"), _tokens(answer.usage, "output_tokens")
    return Reply(inputs[0] if inputs else text, *used, answer.stop_reason == "max_tokens")


def _tokens(usage: Any, name: str) -> int:
    """A count of tokens; −1 if the endpoint does not report it."""
    count = getattr(usage, name, None)
    return count if isinstance(count, int) and count >= 0 else -1


def _key(name: str) -> str:
    if not name:
        return ""
    key = os.environ.get(name, "").strip()
    if not key or not re.fullmatch(r"[!-~]+", key):
        raise EndpointError(f"The environment variable {name} holds no key; set it to the endpoint's key.")
    return key


def _pause(retry_after: str, attempt: int) -> float:
    """Seconds to wait: what the endpoint says (a number or a date), else exponential backoff."""
    seconds, said = min(BACKOFF * 2.0 ** min(attempt - 1, 16), MAX_WAIT), retry_after.strip()
    with suppress(ValueError, OverflowError):
        is_number = re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", said)
        seconds = float(said) if is_number else parsedate_to_datetime(said).timestamp() - time.time()
    return max(seconds, 0.0)


def _error_message(body: Any, key: str) -> str:
    """The endpoint's error message as one short line after a colon; empty if there is none."""
    error = body.get("error", body) if isinstance(body, dict) else ""
    said = error.get("message", "") if isinstance(error, dict) else error
    line = _without(key, " ".join(str(said).split()))[:200].rstrip(". ")
    return line and f": {line}"


def _without(key: str, text: str) -> str:
    """A text of the endpoint without the key, which it may repeat."""
    return text.replace(key, "…") if key else text
