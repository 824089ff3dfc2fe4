"""Language models behind an endpoint: replies are checked, cached and paid for within a cap.

`Endpoint` works with every address that understands Anthropic's messages or OpenAI's chat completions, which most
servers of open models do as well.
"""

from lexlattice.research.llm.client import EndpointConfig, EndpointError
from lexlattice.research.llm.cost_ledger import Cap, Estimate, SpendingError
from lexlattice.research.llm.endpoint import Endpoint, ReplyError, Request, open_endpoint
from lexlattice.research.llm.replies import Reply, ReplyCache

__all__ = [
    "Cap",
    "Endpoint",
    "EndpointConfig",
    "EndpointError",
    "Estimate",
    "Reply",
    "ReplyCache",
    "ReplyError",
    "Request",
    "SpendingError",
    "open_endpoint",
]
