"""Language models behind an address: ask one, have its replies checked, kept and paid for within bounds.

`Endpoint` is the one way in. It speaks to any address that understands Anthropic's messages or OpenAI's chat
completions, which most servers of open models do as well.
"""

from lexlattice.llm.config import EndpointConfig
from lexlattice.llm.cost import Cap, Estimate, SpendingError
from lexlattice.llm.endpoint import Endpoint, ReplyError, Request
from lexlattice.llm.sending import EndpointError
from lexlattice.llm.store import Reply, Store

__all__ = [
    "Cap",
    "Endpoint",
    "EndpointConfig",
    "EndpointError",
    "Estimate",
    "Reply",
    "ReplyError",
    "Request",
    "SpendingError",
    "Store",
]
