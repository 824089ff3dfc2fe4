"""The codes of all problems of the service, with their statuses and values: for OpenAPI and docs/service.md."""

from __future__ import annotations

from typing import Final, NamedTuple


class Code(NamedTuple):
    """What a program may rely on: the HTTP statuses that a code comes with, and the names of its values."""

    statuses: tuple[int, ...]
    values: tuple[str, ...] = ()


_INPUT: Final = Code((422,))
CODES: Final[dict[str, Code]] = {
    # The file or text.
    "unreadable": _INPUT,
    "not-an-act": _INPUT,
    "not-official": Code((422,), ("percent",)),
    "unknown-format": _INPUT,
    "empty": _INPUT,
    "damaged": _INPUT,
    "encrypted": _INPUT,
    "scanned": _INPUT,
    "unsafe": _INPUT,
    "missing-extra": Code((501,), ("extra",)),
    # Size and time.
    "request-too-large": Code((413,), ("megabytes",)),
    "act-too-large": Code((413,), ("megabytes",)),
    "file-too-large": Code((422,), ("megabytes",)),
    "too-large": Code((413,)),
    "too-complex": Code((413,)),
    "timeout": Code((408,), ("seconds",)),
    "slow-request": Code((408,), ("seconds",)),
    "too-many-acts": Code((413,), ("limit",)),
    # The service.
    "queue-full": Code((429,)),
    "busy": Code((503,)),
    "memory-full": Code((503,)),
    "closing": Code((503,)),
    "worker-lost": Code((503,)),
    "not-ready": Code((503,)),
    "internal": Code((500,)),
    # Fetching.
    "fetch-disabled": _INPUT,
    "fetch-absent": Code((404,), ("celex", "language")),
    "fetch-failed": Code((502,), ("celex", "language")),
    "invalid-celex": Code((422,), ("field",)),
    # Places.
    "no-such-provision": Code((404,), ("provision", "nearest", "units", "count")),
    "unknown-language": Code((404,)),
    "no-example": Code((404,)),
    "not-found": Code((404,)),
    "method-not-allowed": Code((405,)),
    # Requests.
    "one-act": _INPUT,
    "two-acts": _INPUT,
    "no-act": _INPUT,
    "media-type": Code((415,), ("types",)),
    "compressed": Code((415,)),
    "invalid-form": Code((400, 415)),
    "invalid-json": Code((400,)),
    "invalid-field": Code((422,), ("field",)),
    "invalid-option": _INPUT,
    "invalid-request": Code((400, 422), ("field",)),
    "cross-site": Code((403,)),
    "unknown-host": Code((421,)),
}
OTHER: Final = "invalid-request"
"""The code of an error that has none of these."""
