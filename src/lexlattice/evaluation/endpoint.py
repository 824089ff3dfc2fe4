"""A service as a system: `endpoint:URL`, or `endpoint:FILE.toml` with settings.

For each act it receives a POST with JSON, and answers with an extract in one of the forms of `evaluation.extracts`:

    {"celex_id": "32016R0679", "language": "en", "text": "…", "words": 400}  →  {"extract": ["…", "…"]}

The settings are the fields of `Endpoint`. LexLattice's own service is such an endpoint, with `send` as below:

    url = "http://127.0.0.1:8000/v1/summaries"
    send = ["language", "text", "words"]
"""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from lexlattice.errors import ConfigError, DataError, brief
from lexlattice.evaluation.extracts import Content, extract_of
from lexlattice.reading.fetch import is_url, seconds_to_wait

if TYPE_CHECKING:
    from tenacity import RetryCallState

SENT: Final = ("celex_id", "language", "text", "words")
"""The fields of a request."""
_TRANSIENT: Final = (408, 425, 429)
"""HTTP statuses after which a request is sent again, besides all from 500."""


class _TransientError(DataError):
    """A failure that may pass; `retry_after` is the header of that name."""

    retry_after = ""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a service and how it is asked."""

    url: str
    timeout: float = 120.0
    """Seconds to wait for an answer."""
    attempts: int = 3
    key_from: str = ""
    """The environment variable that holds the bearer token; empty if none is needed."""
    send: tuple[str, ...] = SENT
    """The fields that are sent, for services that refuse others."""

    def __post_init__(self) -> None:
        """Validate all fields. No error quotes a value: it may be a key in the wrong place."""
        types = {"url": str, "timeout": (int, float), "attempts": int, "key_from": str, "send": tuple}
        for name, kind in types.items():
            value = getattr(self, name)
            if not isinstance(value, kind) or isinstance(value, bool):  # type: ignore[arg-type]
                raise ConfigError(f"The endpoint's {name} has the wrong type; see docs/gold.md.")
        if not is_url(self.url):
            raise ConfigError("The endpoint's url must be an http(s) address.")
        if self.attempts < 1 or not 0 < self.timeout < math.inf:
            raise ConfigError("An endpoint's attempts and timeout must be positive and finite.")
        if not {"text", "words"} <= {*self.send} <= {*SENT}:
            raise ConfigError(f"An endpoint's send must name text, words and others of: {', '.join(SENT)}.")

    @classmethod
    def named(cls, name: str) -> Self:
        """The endpoint at a URL, or that a TOML file describes.

        Raises:
            ConfigError: There is no such file, or a setting is not valid.

        """
        if is_url(name):
            return cls(name)
        try:
            settings = tomllib.loads(Path(name).read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(
                f"'{name}' is neither an address nor a TOML file that describes an endpoint ({brief(error)})."
            ) from None
        known = [field.name for field in fields(cls)]
        if unknown := next((key for key in settings if key not in known), ""):
            raise ConfigError(f"'{name}' has an unknown setting '{unknown}'; choose from {', '.join(known)}.")
        if "url" not in settings:
            raise ConfigError(f"'{name}' has no url; give the address of the endpoint.")
        if isinstance(settings.get("send"), list):
            settings["send"] = tuple(map(str, settings["send"]))
        return cls(**settings)

    def extract(self, celex: str, language: str, text: str, words: int) -> Content:
        """Ask for the extract of an act.

        Raises:
            ConfigError: The variable with the key is not set.
            DataError: The endpoint refused the request, did not answer, or its answer is no extract.

        """
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

        if self.key_from and not os.environ.get(self.key_from):
            raise ConfigError(f"The environment variable {self.key_from} is not set; set it to the endpoint's key.")
        act = dict(zip(SENT, (celex, language, text, words), strict=True))
        retrying = Retrying(
            stop=stop_after_attempt(self.attempts),
            wait=_wait,
            retry=retry_if_exception_type(_TransientError),
            reraise=True,
        )
        return retrying(self._post, {name: act[name] for name in self.send})

    def _post(self, body: Mapping[str, Any]) -> Content:
        import httpx  # here, so that evaluation starts fast without an endpoint

        host = urlsplit(self.url).netloc.rpartition("@")[2]
        key = os.environ[self.key_from] if self.key_from else ""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            answer = httpx.post(self.url, json=body, headers=headers, timeout=self.timeout)
        except httpx.TimeoutException:
            raise _TransientError(f"{host} did not answer within {self.timeout:g} seconds; allow it more.") from None
        except httpx.TransportError:
            raise _TransientError(f"{host} could not be reached; check that the service runs.") from None
        except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
            raise DataError(f"{host} cannot be asked ({brief(error)}); check the address.") from None
        status = answer.status_code
        if status in _TRANSIENT or status >= 500:
            busy = _TransientError(f"{host} answered HTTP {status}; try again later.")
            busy.retry_after = answer.headers.get("retry-after", "")
            raise busy
        if status != 200:
            raise DataError(f"{host} refused the request (HTTP {status}: {_quoted(answer.text, key)}).")
        try:
            found = answer.json()
        except (ValueError, RecursionError):
            found = None
        content = extract_of(found) if isinstance(found, Mapping) else None
        if content is None:
            raise DataError(
                f"{host} answered without an extract ({_quoted(answer.text, key)}); it must be JSON with the field "
                "'extract': text, a list of passages, or a list of places [from, to]."
            )
        return content


def _quoted(text: str, key: str) -> str:
    """The beginning of an answer, on one line, without the key that it may repeat."""
    return " ".join((text.replace(key, "…") if key else text)[:200].split()) or "nothing"


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return seconds_to_wait(getattr(error, "retry_after", ""), state.attempt_number)
