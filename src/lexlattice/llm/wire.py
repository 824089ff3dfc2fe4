"""The two protocols: what a request looks like, and where in an answer the reply stands. Nothing is sent here."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from lexlattice.llm.schema import Schema
from lexlattice.llm.store import Reply

_NAME: Final = "reply"
"""What the structured reply is called."""


class Protocol(NamedTuple):
    """How to speak to one kind of endpoint."""

    path: str
    headers: Callable[[str], dict[str, str]]
    """With a key, or the empty string for none."""
    body: Callable[[str, int, str, str, Schema | None], dict[str, Any]]
    """Of the model, the most tokens, the system prompt, the prompt and the schema."""
    reply: Callable[[Any], Reply]
    """Any of `KeyError`, `TypeError`, `IndexError`, `ValueError` if it is not what the protocol says; tokens that are
    not told are −1."""


def _anthropic_headers(key: str) -> dict[str, str]:
    version = {"anthropic-version": "2023-06-01"}
    return {**version, "x-api-key": key} if key else version


def _anthropic_body(model: str, longest: int, system: str, prompt: str, schema: Schema | None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": longest,
        "temperature": 0,
        "system": system,
        "messages": [{"role": "user", "content": prompt}],
    }
    if schema is not None:
        body["tools"] = [{"name": _NAME, "description": "Give the reply.", "input_schema": schema}]
        body["tool_choice"] = {"type": "tool", "name": _NAME}
    return body


def _anthropic_reply(answer: Any) -> Reply:
    parts = answer["content"]
    used = [json.dumps(part["input"], ensure_ascii=False) for part in parts if part["type"] == "tool_use"]
    said = "".join(part["text"] for part in parts if part["type"] == "text")
    usage = answer.get("usage") or {}
    cut = answer.get("stop_reason") == "max_tokens"
    return Reply(used[0] if used else said, _count(usage, "input_tokens"), _count(usage, "output_tokens"), cut)


def _openai_headers(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"} if key else {}


def _openai_body(model: str, longest: int, system: str, prompt: str, schema: Schema | None) -> dict[str, Any]:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
    body: dict[str, Any] = {"model": model, "max_tokens": longest, "temperature": 0, "messages": messages}
    if schema is not None:
        body["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": _NAME, "schema": schema, "strict": True},
        }
    return body


def _openai_reply(answer: Any) -> Reply:
    choice = answer["choices"][0]
    text = choice["message"].get("content") or ""
    if not isinstance(text, str):
        raise TypeError("the content is not text")
    usage = answer.get("usage") or {}
    cut = choice.get("finish_reason") == "length"
    return Reply(text, _count(usage, "prompt_tokens"), _count(usage, "completion_tokens"), cut)


def _count(usage: dict[str, Any], name: str) -> int:
    count = usage.get(name)
    return count if isinstance(count, int) and count >= 0 else -1


PROTOCOLS: Final = {
    "anthropic": Protocol("/messages", _anthropic_headers, _anthropic_body, _anthropic_reply),
    "openai": Protocol("/chat/completions", _openai_headers, _openai_body, _openai_reply),
}
