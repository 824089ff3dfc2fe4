"""Errors as problem+json (RFC 9457): a status, a code that stays the same, and a sentence in the client's language."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from lexlattice.apps.serve.codes import CODES, OTHER
from lexlattice.apps.serve.workers import (
    BusyError,
    ClosingError,
    InternalError,
    JobTimeoutError,
    QueueFullError,
    TooLargeError,
    WorkerLostError,
)
from lexlattice.errors import FetchError, LexLatticeError, MissingExtraError, NoSuchProvisionError, TooComplexError
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.phrases import phrases

MEDIA_TYPE: Final = "application/problem+json"
ENGLISH: Final = "en"
_RETRY_AFTER: Final = {"Retry-After": "5"}
_STATUS: Final[dict[type[LexLatticeError], int]] = {
    QueueFullError: 429,
    BusyError: 503,
    ClosingError: 503,
    WorkerLostError: 503,
    JobTimeoutError: 408,
    TooLargeError: 413,
    TooComplexError: 413,
    MissingExtraError: 501,
    InternalError: 500,
    NoSuchProvisionError: 404,
    FetchError: 502,
}
"""Every other error is caused by the input: 422."""
_HTTP_CODES: Final = {404: "not-found", 405: "method-not-allowed"}
_RANGE: Final = re.compile(r"([a-z]{2,3})(?:-[a-z0-9]{1,8})*(?:\s*;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?))?", re.IGNORECASE)
_MAX_RANGES: Final = 50


def language_of(accepted: str) -> str | None:
    """Return the official language that an Accept-Language header prefers; `None` if it names none.

    >>> language_of("de-AT,de;q=0.9,en;q=0.8"), language_of("ja, fr;q=0.5, it;q=0.7"), language_of("*")
    ('de', 'it', None)
    """
    best, highest = None, 0.0
    for part in accepted.split(",")[:_MAX_RANGES]:
        match = _RANGE.fullmatch(part.strip())
        quality = float(match[2] or 1) if match else 0.0
        if match and quality > highest and (code := match[1].lower()) in LANGUAGES:
            best, highest = code, quality
    return best


class ProblemError(Exception):
    """A request that cannot be answered.

    Args:
        status: The HTTP status.
        code: What happened; it stays the same when the wording changes.
        detail: What happened and what to do, in English.
        headers: Further headers of the response.
        **values: The numbers and names in the sentence, by their placeholder in the translations.

    """

    def __init__(
        self, status: int, code: str, detail: str, headers: Mapping[str, str] | None = None, **values: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.values = status, code, detail, values
        self.headers = {**(_RETRY_AFTER if status in (429, 503) else {}), **(headers or {})}

    @classmethod
    def from_error(cls, error: LexLatticeError) -> ProblemError:
        """Return the problem for an error of the library."""
        status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 422)
        if isinstance(error, FetchError) and error.absent:
            status = 404
        return cls(status, error.code if error.code in CODES else OTHER, str(error), **error.values)

    def in_language(self, language: str | None) -> tuple[str, str]:
        """Return the sentence and its language: the one asked for if it is known, else English.

        Without a language it is the sentence for developers.
        """
        own = self.detail, ENGLISH
        template = phrases(language).errors.get(self.code, "") if language else ""
        try:
            return (template.format(**_shown(self.values)), language) if language and template else own
        except (KeyError, IndexError):  # this instance lacks a value, so only its own sentence is right
            return own

    def to_json(self, language: str | None = None, number: int | None = None) -> bytes:
        """Return the problem as JSON; `number` says which act of several it is about, from 1."""
        problem: dict[str, Any] = {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.in_language(language)[0],
            "code": self.code,
            "values": self.values,
        }
        if number is not None:
            problem["number"] = number
        return json.dumps(problem, ensure_ascii=False).encode(errors="replace")

    def to_response(self, request: Request) -> Response:
        """Return the HTTP response in the language that the request accepts."""
        language = language_of(request.headers.get("accept-language", ""))
        headers = {**self.headers, "Content-Language": self.in_language(language)[1], "Vary": "Accept-Language"}
        return Response(self.to_json(language), self.status, headers, MEDIA_TYPE)


def _shown(values: Mapping[str, Any]) -> dict[str, str]:
    return {name: ", ".join(value) if isinstance(value, list) else str(value) for name, value in values.items()}


def add_exception_handlers(app: FastAPI) -> None:
    """Answer every error with problem+json."""
    app.add_exception_handler(ProblemError, _handle_problem)
    app.add_exception_handler(LexLatticeError, _handle_library_error)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(RequestValidationError, _handle_invalid_parameter)


async def _handle_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return error.to_response(request)


async def _handle_library_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, LexLatticeError)
    return ProblemError.from_error(error).to_response(request)


async def _handle_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    details = {404: "Not found; see /openapi.json.", 405: "Method not allowed; see /openapi.json."}
    detail = details.get(error.status_code, "Invalid request; see /openapi.json.")
    code = _HTTP_CODES.get(error.status_code, OTHER)
    return ProblemError(error.status_code, code, detail, error.headers).to_response(request)


async def _handle_invalid_parameter(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    name, message = str(first["loc"][-1])[:80], first["msg"].removeprefix("Value error, ").rstrip(".")
    where = f" in the {first['loc'][0]}" if first["loc"][0] in ("query", "path") else ""
    detail = f"Invalid parameter '{name}'{where}: {message}."
    return ProblemError(422, "invalid-field", detail, field=name).to_response(request)
