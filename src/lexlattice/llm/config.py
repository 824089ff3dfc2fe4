"""What must be known of an endpoint before it can be asked."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from lexlattice.errors import LexLatticeError
from lexlattice.llm.wire import PROTOCOLS


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
    price_in: float = 0.0
    price_out: float = 0.0
    """Of a million tokens."""
    max_tokens: int = 4096
    """The longest reply."""
    timeout: float = 120.0
    attempts: int = 5

    def __post_init__(self) -> None:
        if self.kind not in PROTOCOLS:
            raise LexLatticeError(f"'{self.kind}' is no kind of endpoint; choose among {', '.join(PROTOCOLS)}.")
        try:
            parts = urlsplit(self.url)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
            is_address = is_address and parts.port != 0 and not (parts.query or parts.fragment)
        except ValueError:
            is_address = False
        if not is_address:
            raise LexLatticeError(
                "The endpoint's url must be an http(s) address without a user name, password or query."
            )
        if not self.model:
            raise LexLatticeError("The endpoint's model has no name; give the one its provider uses.")
        if min(self.max_tokens, self.attempts) < 1 or not self.timeout > 0:
            raise LexLatticeError("An endpoint's max_tokens, attempts and timeout must be above zero.")
        if not (self.price_in >= 0 and self.price_out >= 0):
            raise LexLatticeError("An endpoint's prices must not be negative.")

    @property
    def address(self) -> str:
        """Where requests go."""
        path = PROTOCOLS[self.kind].path
        base = self.url.rstrip("/").removesuffix(path)
        return f"{base}{path}" if base.endswith("/v1") else f"{base}/v1{path}"
