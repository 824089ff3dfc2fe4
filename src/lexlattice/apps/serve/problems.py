"""Errors as problem+json (RFC 9457): one sentence and a status code, for each class of error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from lexlattice.apps.serve.workers import (
    BusyError,
    ClosingError,
    InternalError,
    JobTimeoutError,
    QueueFullError,
    TooLargeError,
    WorkerLostError,
)
from lexlattice.errors import FetchError, LexLatticeError, MissingExtraError

MEDIA_TYPE: Final = "application/problem+json"
_RETRY_AFTER: Final = {"Retry-After": "5"}
_STATUS: Final[dict[type[LexLatticeError], int]] = {
    QueueFullError: 429,
    BusyError: 503,
    ClosingError: 503,
    WorkerLostError: 503,
    JobTimeoutError: 408,
    TooLargeError: 413,
    MissingExtraError: 501,
    InternalError: 500,
    FetchError: 502,
}
"""Every other error is caused by the input: 422."""


class ProblemError(Exception):
    """A request that cannot be answered, with its HTTP status."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail = status, detail
        self.headers = {**(_RETRY_AFTER if status in (429, 503) else {}), **(headers or {})}

    @classmethod
    def from_error(cls, error: LexLatticeError) -> ProblemError:
        """Return the problem for an error of the library."""
        if isinstance(error, FetchError) and error.absent:
            return cls(404, str(error))
        return cls(next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 422), str(error))

    def to_json(self, number: int | None = None) -> bytes:
        """Return the problem as JSON; `number` says which act of several it is about, from 1."""
        title = HTTPStatus(self.status).phrase
        problem: dict[str, Any] = {"type": "about:blank", "title": title, "status": self.status, "detail": self.detail}
        if number is not None:
            problem["number"] = number
        return json.dumps(problem, ensure_ascii=False).encode(errors="replace")

    def to_response(self) -> Response:
        """Return the HTTP response."""
        return Response(self.to_json(), self.status, self.headers, MEDIA_TYPE)


def add_exception_handlers(app: FastAPI) -> None:
    """Answer every error with problem+json."""
    app.add_exception_handler(ProblemError, _handle_problem)
    app.add_exception_handler(LexLatticeError, _handle_library_error)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(RequestValidationError, _handle_invalid_parameter)


async def _handle_problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return error.to_response()


async def _handle_library_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, LexLatticeError)
    return ProblemError.from_error(error).to_response()


async def _handle_http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    details = {404: "Not found; see /openapi.json.", 405: "Method not allowed; see /openapi.json."}
    detail = details.get(error.status_code, "Invalid request; see /openapi.json.")
    return ProblemError(error.status_code, detail, error.headers).to_response()


async def _handle_invalid_parameter(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return ProblemError(422, f"Invalid parameter '{first['loc'][-1]}': {first['msg'].rstrip('.')}.").to_response()
