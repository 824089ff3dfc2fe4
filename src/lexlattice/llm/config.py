"""What must be known of an endpoint before it can be asked."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from lexlattice.errors import LexLatticeError
from lexlattice.llm.wire import PROTOCOLS

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
