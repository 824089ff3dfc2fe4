"""One model at one address: asked at temperature 0, and never twice for the same thing."""

from __future__ import annotations

import json
import math
import os
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple

from lexlattice.errors import LexLatticeError, brief
from lexlattice.research.llm.ledger import Cap, Estimate, Prices, Purse, SpendingError, tokens_of
from lexlattice.research.llm.schema import Reply, Schema, Store, fault, key_of, parse
from lexlattice.research.llm.transport import EndpointConfig, EndpointError, Line, Lost, RefusedError

_UNKNOWN_SHAPE: Final = (400, 422)
"""How servers that know no structured output refuse it."""


class ReplyError(LexLatticeError):
    """The model replied, but not in the form that was asked for, not even when told so."""


class Request(NamedTuple):
    """Something that will be asked, and how many characters, of the prompt's script, are expected in return."""

    system: str
    prompt: str
    schema: Schema | None = None
    expected: int = 0


class Endpoint:
    """Asks a model. Several threads may use it at once; close it, or use it in a `with` statement."""

    def __init__(self, config: EndpointConfig, store: Store, *, cap: Cap | None = None) -> None:
        self.config = config
        self._store = store
        self._prices = Prices(config.price_in, config.price_out)
        self._purse = Purse(store, cap or Cap(), self._prices)
        self._line = Line(config)
        self._is_plain = False
        """It has refused structured output, and understood the same request without."""

    def __enter__(self) -> Endpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of connections."""
        self._line.close()

    @property
    def spent(self) -> Estimate:
        """What was paid for through this object; replies that were kept cost nothing."""
        return self._purse.own

    def complete(self, system: str, prompt: str, *, schema: Schema | None = None) -> Reply:
        """The model's reply; with a schema its `data` fits it.

        A reply that does not fit is shown to the model once, with what is wrong. If the second does not fit either,
        that is a `ReplyError`.
        """
        reply = self._kept_or_asked(system, prompt, schema)
        if schema is None:
            return reply
        first = _checked(reply, schema)
        if isinstance(first, Reply):
            return first
        second = self._kept_or_asked(system, _repair(prompt, reply, first, schema), schema)
        repaired = _checked(second, schema)
        if isinstance(repaired, Reply):
            both = (reply.tokens_in + second.tokens_in, reply.tokens_out + second.tokens_out)
            return replace(repaired, tokens_in=both[0], tokens_out=both[1])
        advice = "raise max_tokens" if second.is_cut else "try another model"
        raise ReplyError(f"{self.config.model} gave no usable reply, even when asked again ({repaired}); {advice}.")

    def kept(self, request: Request) -> Reply | None:
        """The reply that is kept, if there is one and it fits; nothing is asked."""
        question = self._question(request.system, request.prompt, request.schema)
        reply = self._store.load(key_of(question), self.config.max_tokens)
        if reply is None or request.schema is None:
            return reply
        checked = _checked(reply, request.schema)
        return checked if isinstance(checked, Reply) else None

    def estimate(self, requests: Iterable[Request]) -> Estimate:
        """What asking all this will take; what is kept already takes nothing."""
        total = Estimate()
        for system, prompt, schema, expected in requests:
            question = self._question(system, prompt, schema)
            if self._store.load(key_of(question), self.config.max_tokens) is None:
                out = math.ceil(expected * tokens_of(prompt) / max(1, len(prompt)))
                total += self._prices.estimate(_tokens_in(system, prompt, schema), min(out, self.config.max_tokens))
        return total

    def check(self, estimate: Estimate) -> None:
        """Refuse to start what will not be finished within the cap, with all that was ever spent on these replies."""
        self._purse.check(estimate)

    def _question(self, system: str, prompt: str, schema: Schema | None) -> dict[str, Any]:
        return {"model": self.config.model, "system": system, "prompt": prompt, "schema": schema}

    def _kept_or_asked(self, system: str, prompt: str, schema: Schema | None) -> Reply:
        question, longest = self._question(system, prompt, schema), self.config.max_tokens
        key = key_of(question)
        if (kept := self._store.load(key, longest)) is not None:
            return kept
        expected = _tokens_in(system, prompt, schema)
        alone = self._prices.estimate(expected, 0)
        aside, paid = self._purse.set_aside(self._prices.estimate(expected, longest)), alone
        try:
            reply = self._asked(system, prompt, schema, lambda: self._purse.lose(alone))
            tokens_in = reply.tokens_in if reply.tokens_in >= 0 else expected
            tokens_out = reply.tokens_out if reply.tokens_out >= 0 else tokens_of(reply.text)
            reply = replace(reply, tokens_in=tokens_in, tokens_out=tokens_out)
            paid = self._prices.estimate(tokens_in, tokens_out)
            self._store.save(key, question, reply, longest)
        except (EndpointError, SpendingError):
            paid = Estimate()  # attempts that may have been billed were counted one by one
            raise
        finally:
            self._purse.pay(aside, paid)
        return reply

    def _asked(self, system: str, prompt: str, schema: Schema | None, lost: Lost) -> Reply:
        """Ask in the endpoint's own way for structured output, or in words where it knows none."""
        if schema is not None and not self._is_plain:
            try:
                return self._line.send(system, prompt, schema, lost)
            except RefusedError as refused:
                if refused.status not in _UNKNOWN_SHAPE:
                    raise
            reply = self._line.send(_in_words(system, schema), prompt, None, lost)
            self._is_plain = True
            return reply
        return self._line.send(system if schema is None else _in_words(system, schema), prompt, None, lost)


def _checked(reply: Reply, schema: Schema) -> Reply | str:
    """The reply with its data, or what is wrong with it."""
    try:
        data = parse(reply.text)
    except ValueError as error:
        return str(error)
    return fault(data, schema) or replace(reply, data=data)


def _repair(prompt: str, reply: Reply, wrong: str, schema: Schema) -> str:
    return (
        f"{prompt}\n\nYou were asked this before, and replied:\n{reply.text}\n\nThat reply cannot be used: {wrong}. "
        f"Reply again, with nothing but JSON that fits this JSON Schema:\n{_written(schema)}"
    )


def _in_words(system: str, schema: Schema) -> str:
    return f"{system}\n\nReply with nothing but JSON that fits this JSON Schema:\n{_written(schema)}"


def _written(schema: Schema) -> str:
    return json.dumps(schema, ensure_ascii=False)


def _tokens_in(system: str, prompt: str, schema: Schema | None) -> int:
    return tokens_of(system, prompt, "" if schema is None else _written(schema))


# An endpoint from a TOML file that describes it; its replies are kept in a folder beside the file.


def endpoint_in(path: str | os.PathLike[str]) -> Endpoint:
    """The endpoint: the fields of `EndpointConfig`, and perhaps `cap`, what may ever be spent on it."""
    place = Path(path)
    try:
        described = tomllib.loads(place.read_text("utf-8"))
        cap = described.pop("cap", None)
        return Endpoint(
            EndpointConfig(**described), Store(place.with_suffix(".replies")), cap=None if cap is None else Cap(cap)
        )
    except OSError as error:
        raise LexLatticeError(f"The endpoint '{path}' cannot be read ({error.strerror or error}).") from error
    except (ValueError, TypeError) as error:
        raise LexLatticeError(f"'{path}' describes no endpoint ({brief(error)}); write kind, url and model.") from error
