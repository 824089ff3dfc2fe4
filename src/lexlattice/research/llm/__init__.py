"""Language models behind an address: ask one, have its replies checked, kept and paid for within bounds.

`Endpoint` is the one way in. It speaks to any address that understands Anthropic's messages or OpenAI's chat
completions, which most servers of open models do as well.
"""

from lexlattice.research.llm.endpoint import Endpoint, ReplyError, Request
from lexlattice.research.llm.ledger import Cap, Estimate, SpendingError
from lexlattice.research.llm.schema import Reply, Store
from lexlattice.research.llm.transport import EndpointConfig, EndpointError

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
