"""Requests on their way: sent until they are answered or there is no hope.

The key is read from the environment when a request is made. It goes into that request's headers and nowhere else: not
into errors, not onto the disk, not even where the endpoint repeats it.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from lexlattice.errors import LexLatticeError
from lexlattice.llm.config import EndpointConfig
from lexlattice.llm.schema import Schema
from lexlattice.llm.store import Reply
from lexlattice.llm.wire import PROTOCOLS

if TYPE_CHECKING:
    import httpx

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
