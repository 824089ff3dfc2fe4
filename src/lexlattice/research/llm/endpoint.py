"""One model at one address: requests at temperature 0, cached on disk, checked against a schema, within a cap."""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from lexlattice.errors import ConfigError, LexLatticeError, brief
from lexlattice.research.llm.client import Client, EndpointConfig, EndpointError, OnUnanswered, RejectedError
from lexlattice.research.llm.cost_ledger import Cap, CostLedger, Estimate, Prices, SpendingError, max_tokens_of
from lexlattice.research.llm.replies import Reply, ReplyCache, Schema, cache_key, parse, schema_error

_UNSUPPORTED: Final = (400, 422)
"""The statuses with which servers without structured output reject a request for it."""


class ReplyError(LexLatticeError):
    """The model's reply does not conform to the schema, not even after it was told what is wrong."""

    code = "unusable-reply"


class Request(NamedTuple):
    """A request, and the expected length of its reply in characters (of the prompt's script)."""

    system: str
    prompt: str
    schema: Schema | None = None
    expected: int = 0


class Endpoint:
    """A language model behind an address. Several threads may use it at once; close it, or use it in a `with` block.

    Examples:
        with Endpoint(EndpointConfig("openai", "http://127.0.0.1:8000", "model"), ReplyCache("replies")) as endpoint:
            print(endpoint.complete("Be brief.", "What is a beehive?").text)

    """

    def __init__(self, config: EndpointConfig, cache: ReplyCache, *, cap: Cap | None = None) -> None:
        self.config = config
        self._cache = cache
        self._prices = Prices(config.price_in, config.price_out)
        self._ledger = CostLedger(cache, cap or Cap(), self._prices)
        self._client = Client(config)
        self._is_plain = False
        """Whether the endpoint rejected structured output, but accepted the same request without it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    @property
    def spent(self) -> Estimate:
        """The cost of requests through this object; cached replies are free."""
        return self._ledger.spent_here

    def complete(self, system: str, prompt: str, *, schema: Schema | None = None) -> Reply:
        """Return the model's reply, from the cache if possible.

        Args:
            system: The system prompt.
            prompt: The user prompt.
            schema: A JSON Schema that the reply has to conform to. A reply that does not is shown to the model once,
                with what is wrong.

        Returns:
            The reply; with a schema, its `data` conforms to it.

        Raises:
            ReplyError: The repeated reply does not conform either.
            EndpointError: The endpoint cannot be used.
            SpendingError: The request could exceed the cap.

        """
        reply = self._cached_or_sent(system, prompt, schema)
        if schema is None:
            return reply
        checked = _checked(reply, schema)
        if isinstance(checked, Reply):
            return checked
        second = self._cached_or_sent(system, _repair_prompt(prompt, reply, checked, schema), schema)
        repaired = _checked(second, schema)
        if isinstance(repaired, Reply):
            tokens_in, tokens_out = reply.tokens_in + second.tokens_in, reply.tokens_out + second.tokens_out
            return replace(repaired, tokens_in=tokens_in, tokens_out=tokens_out)
        advice = "raise max_tokens" if second.is_cut else "try another model"
        raise ReplyError(f"{self.config.model} gave no usable reply in two attempts ({repaired}); {advice}.")

    def cached(self, request: Request) -> Reply | None:
        """The cached reply, if there is one that conforms to the schema; nothing is sent."""
        reply = self._load(request.system, request.prompt, request.schema)
        if reply is None or request.schema is None:
            return reply
        checked = _checked(reply, request.schema)
        return checked if isinstance(checked, Reply) else None

    def estimate(self, requests: Iterable[Request]) -> Estimate:
        """Estimate the cost of requests; those with a cached reply are free."""
        total = Estimate()
        for system, prompt, schema, expected in requests:
            if self._load(system, prompt, schema) is None:
                # As many tokens per character as the prompt, whose language and script the reply shares.
                out = math.ceil(expected * max_tokens_of(prompt) / max(1, len(prompt)))
                total += self._prices.estimate(_tokens_in(system, prompt, schema), min(out, self.config.max_tokens))
        return total

    def check(self, estimate: Estimate) -> None:
        """Raise `SpendingError` if this and everything ever spent on the cached replies exceeds the cap."""
        self._ledger.check(estimate)

    def _request(self, system: str, prompt: str, schema: Schema | None) -> dict[str, Any]:
        """What a reply is cached by."""
        return {"model": self.config.model, "system": system, "prompt": prompt, "schema": schema}

    def _load(self, system: str, prompt: str, schema: Schema | None) -> Reply | None:
        return self._cache.load(cache_key(self._request(system, prompt, schema)), self.config.max_tokens)

    def _cached_or_sent(self, system: str, prompt: str, schema: Schema | None) -> Reply:
        if (cached := self._load(system, prompt, schema)) is not None:
            return cached
        request, max_tokens = self._request(system, prompt, schema), self.config.max_tokens
        expected = _tokens_in(system, prompt, schema)
        prompt_only = self._prices.estimate(expected, 0)
        # From here to `settle` the ledger holds the most that the request can cost, also if the process is killed.
        reservation = self._ledger.reserve(self._prices.estimate(expected, max_tokens))
        cost = prompt_only
        try:
            reply = self._sent(system, prompt, schema, lambda: self._ledger.record_unanswered(prompt_only))
            tokens_in = reply.tokens_in if reply.tokens_in >= 0 else expected
            tokens_out = reply.tokens_out if reply.tokens_out >= 0 else max_tokens_of(reply.text)
            reply = replace(reply, tokens_in=tokens_in, tokens_out=tokens_out)
            cost = self._prices.estimate(tokens_in, tokens_out)
            self._cache.save(cache_key(request), request, reply, max_tokens)
        except (EndpointError, SpendingError):
            cost = Estimate()  # attempts that may have been billed are recorded one by one
            raise
        finally:
            self._ledger.settle(reservation, cost)
        return reply

    def _sent(self, system: str, prompt: str, schema: Schema | None, on_unanswered: OnUnanswered) -> Reply:
        """Request structured output, or describe the schema in the system prompt if the endpoint has none."""
        if schema is None:
            return self._client.send(system, prompt, None, on_unanswered)
        if not self._is_plain:
            try:
                return self._client.send(system, prompt, schema, on_unanswered)
            except RejectedError as rejected:
                if rejected.status not in _UNSUPPORTED:
                    raise
        reply = self._client.send(f"{system}\n\n{_instruction(schema)}", prompt, None, on_unanswered)
        self._is_plain = True
        return reply


def _checked(reply: Reply, schema: Schema) -> Reply | str:
    """The reply with its data, or what is wrong with it."""
    try:
        data = parse(reply.text)
    except ValueError as error:
        return str(error)
    return schema_error(data, schema) or replace(reply, data=data)


def _repair_prompt(prompt: str, reply: Reply, problem: str, schema: Schema) -> str:
    return (
        f"{prompt}\n\nYou were asked this before, and replied:\n{reply.text}\n\nThat reply cannot be used: {problem}. "
        f"{_instruction(schema).replace('Reply', 'Reply again,', 1)}"
    )


def _instruction(schema: Schema) -> str:
    return f"Reply with nothing but JSON that fits this JSON Schema:\n{json.dumps(schema, ensure_ascii=False)}"


def _tokens_in(system: str, prompt: str, schema: Schema | None) -> int:
    return max_tokens_of(system, prompt, "" if schema is None else json.dumps(schema, ensure_ascii=False))


def open_endpoint(path: str | os.PathLike[str]) -> Endpoint:
    """Open the endpoint that a TOML file describes.

    Args:
        path: A file with the fields of `EndpointConfig` and optionally `cap`, the most that may ever be spent on it.
            Replies are cached in a folder next to the file.

    Raises:
        ConfigError: The file cannot be read or is not valid.

    """
    place = Path(path)
    try:
        fields = tomllib.loads(place.read_text("utf-8"))
        cap = fields.pop("cap", None)
        cache = ReplyCache(place.with_suffix(".replies"))
        return Endpoint(EndpointConfig(**fields), cache, cap=None if cap is None else Cap(cap))
    except OSError as error:
        raise ConfigError(f"The endpoint '{path}' cannot be read ({error.strerror or error}).") from error
    except (ValueError, TypeError) as error:
        raise ConfigError(
            f"'{path}' does not describe an endpoint ({brief(error)}); write kind, url and model."
        ) from error
