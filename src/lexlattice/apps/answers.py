"""What the client of the REST service gets as an answer: JSON of the service, a problem, or something foreign."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from lexlattice.errors import LexLatticeError

if TYPE_CHECKING:
    import httpx

Built = TypeVar("Built")
TIMEOUT: Final = "client-timeout"
"""The code of a request without a response in time."""


class ServiceError(LexLatticeError):
    """The service refused a request.

    Attributes:
        status: The HTTP status, or 0 if there was no response.
        code: The code of the problem as in docs/service.md, "client-timeout" if there was no response in time, and
            "service" if there is no other.

    """

    code = "service"

    def __init__(
        self, sentence: str, status: int = 0, *, code: str = "", values: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(sentence, code=code, values=values)
        self.status = status


def decoded(content: str | bytes, build: Callable[[Any], Built]) -> Built:
    """Return what JSON says; whatever is at the address need not be this service."""
    try:
        return build(json.loads(content))
    except (LexLatticeError, ValueError, KeyError, TypeError, AttributeError):
        raise foreign(200) from None


def error_of(response: httpx.Response) -> ServiceError:
    """Return the error of a response that is no success."""
    try:
        problem = json.loads(response.content)
        code, values = str(problem.get("code", "")), problem.get("values") or {}
        return ServiceError(str(problem["detail"]), response.status_code, code=code, values=values)
    except (ValueError, KeyError, TypeError, AttributeError):
        return foreign(response.status_code)


def foreign(status: int) -> ServiceError:
    """Return the error for an answer that cannot be one of the service."""
    return ServiceError(f"The answer (HTTP status {status}) is not one of the service; check its address.", status)
