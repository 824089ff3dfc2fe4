"""Property-based requests generated from the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

from helpers.service import served
from lexlattice.apps.serve.app import create_app

DOCUMENT = schemathesis.openapi.from_dict(create_app().openapi())
PROMISED = CHECKS.get_by_names(
    ["not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance"]
)


@schemathesis.serializer("application/x-ndjson")
def lines(_context: Any, value: Any) -> bytes:
    return (value if isinstance(value, str) else json.dumps(value)).encode("utf-8", "replace")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(workers=2, fetch=False) as server:
        yield server.address.rstrip("/")


@DOCUMENT.parametrize()
@settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_response_conforms_to_the_document(case: Any, address: str) -> None:
    """Status code, media type and schema are documented, and there is no server error."""
    case.call_and_validate(base_url=address, checks=PROMISED)
