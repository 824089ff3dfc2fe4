"""What is wrong, in one sentence, as problem+json (RFC 9457)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from starlette.responses import Response

from lexlattice.errors import FetchError, LexLatticeError, MissingExtraError
from lexlattice.serving.work import (
    BrokenError,
    BusyError,
    ClosingError,
    GoneError,
    OverdueError,
    QueueFullError,
    TooLargeError,
)

MEDIA_TYPE: Final = "application/problem+json"
_AGAIN: Final = {"Retry-After": "5"}
_STATUS: Final[dict[type[LexLatticeError], int]] = {
    QueueFullError: 429,
    BusyError: 503,
    ClosingError: 503,
    GoneError: 503,
    OverdueError: 408,
    TooLargeError: 413,
    MissingExtraError: 501,
    BrokenError: 500,
    FetchError: 502,
}
"""Any other is the input's fault: 422."""


class ProblemError(Exception):
    """Why a request cannot be answered."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.headers = {**(_AGAIN if status in (429, 503) else {}), **(headers or {})}

    @classmethod
    def of(cls, error: LexLatticeError) -> ProblemError:
        """The problem that an error of the library's is."""
        if isinstance(error, FetchError) and error.absent:
            return cls(404, str(error))
        return cls(next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 422), str(error))

    def to_dict(self, number: int | None = None) -> dict[str, Any]:
        """As JSON; with its number if it is about one act of several."""
        title = HTTPStatus(self.status).phrase
        about = {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail}
        return about if number is None else {**about, "number": number}

    def to_line(self, number: int) -> bytes:
        """A line of NDJSON, without its end."""
        return json.dumps(self.to_dict(number), ensure_ascii=False).encode(errors="replace")

    def to_response(self) -> Response:
        """The whole answer."""
        body = json.dumps(self.to_dict(), ensure_ascii=False).encode(errors="replace")
        return Response(body, self.status, self.headers, MEDIA_TYPE)
