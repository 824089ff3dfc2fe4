"""How the clients of the REST service connect: checked arguments, errors of the connection, and patience."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

from lexlattice.apps.answers import TIMEOUT, ServiceError, error_of
from lexlattice.errors import OptionError, brief
from lexlattice.selection.budget import whole_number

if TYPE_CHECKING:
    import httpx

_RETRIED: Final = (429, 503)
"""Status codes after which a request is sent again. That is safe: requests change nothing on the service."""
_LONGEST_PAUSE: Final = 10.0
"""Seconds, where the service does not say how long to wait."""


def http_options(
    base_url: str, timeout: float | None, language: str | None, headers: Mapping[str, str] | None
) -> dict[str, Any]:
    """Return the arguments of an httpx client.

    Raises:
        OptionError: One of them is not valid.

    """
    import httpx

    try:
        address = httpx.URL(base_url)
    except (httpx.InvalidURL, TypeError, ValueError):
        address = httpx.URL("")
    if address.scheme not in ("http", "https") or not address.host:
        raise OptionError(f"{base_url!r} is not the address of a service; give one such as http://127.0.0.1:8000.")
    if timeout is not None and not (isinstance(timeout, Real) and 0 < timeout <= threading.TIMEOUT_MAX):
        raise OptionError(f"timeout={timeout!r} is not possible; give seconds above 0, or None for no limit.")
    given = {**({"Accept-Language": language} if language else {}), **(headers or {})}
    for name, value in given.items():
        if not all(isinstance(text, str) and text.isascii() and text.isprintable() for text in (name, value)):
            raise OptionError(f"The header {name!r} cannot be sent; use ASCII letters and signs in one line.")
    return {"base_url": address, "timeout": timeout, "headers": given}


def possible_attempts(attempts: int | None) -> int | None:
    """Return how often a request may be sent.

    Raises:
        OptionError: There is to be no attempt at all.

    """
    whole = whole_number(attempts)
    if attempts is not None and (whole is None or whole < 1):
        raise OptionError(f"attempts={attempts!r} is not possible; give a whole number from 1 up, or leave it out.")
    return whole


class Patience:
    """When to send one request again while the service is busy.

    Args:
        attempts: How often the request is sent at most.
        seconds: How long all pauses may be together.

    """

    def __init__(self, attempts: int | None, seconds: float | None) -> None:
        self._attempts, self._seconds = attempts, seconds
        self._sent, self._waited = 0, 0.0

    def pause(self, response: httpx.Response) -> float:
        """Return the seconds to wait before the request is sent again.

        A pause is never shorter than the service asks for, and of random length, so that requests that were refused
        together do not come back together.

        Raises:
            ServiceError: It is not sent again; this is why it was refused.

        """
        self._sent += 1
        asked = response.headers.get("retry-after", "")
        least = float(asked) if asked.isdecimal() else min(2.0 ** (self._sent - 1), _LONGEST_PAUSE)
        pause = random.uniform(least, 2 * least)
        self._waited += pause
        is_last = self._sent == self._attempts or (self._seconds is not None and self._waited > self._seconds)
        if response.status_code not in _RETRIED or is_last:
            raise error_of(response)
        return pause


def closed_client() -> ServiceError:
    """Return the error of a request after the connection was closed."""
    return ServiceError("This client is closed; open another one.")


@contextmanager
def translated_errors(address: httpx.URL) -> Iterator[None]:
    """Turn errors of httpx into those of the service."""
    import httpx

    try:
        yield
    except httpx.TimeoutException:
        sentence = f"{address} did not respond in time; send less, or set a longer timeout."
        raise ServiceError(sentence, code=TIMEOUT) from None
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        raise ServiceError(f"No response from {address} ({brief(error)}); is the service running?") from None
