"""Instruction-tuned language models as summarizers, prompted with the act itself or with an extract of it.

A model is any function of a system prompt and a user prompt, such as `Local`, or an endpoint of `research.llm`. Its
output is cut to the budget; a chain of thought between <think> and </think> is removed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Final, Protocol

from lexlattice._internal.imports import silent_transformers
from lexlattice.act.document import Act
from lexlattice.errors import OptionError
from lexlattice.research.external.models import first_words, load, positions, shortened, tokens_at_most

Complete = Callable[[str, str], str]
"""System prompt and user prompt → text."""


class Endpoint(Protocol):
    """Something like `lexlattice.research.llm.Endpoint`: its replies have a text."""

    def complete(self, system: str, prompt: str) -> Any:
        """The reply to both prompts."""

    def estimate(self, requests: Iterable[Any]) -> Any:
        """The cost of requests: tuples of system prompt, prompt, no schema, and expected characters."""


Extracting = Callable[[Act, int], Any]
"""Makes extracts: text, or an object with a `text`."""

METHODS: Final = ("zero-shot", "extract")
CONTEXT: Final = 32_000
"""The default context of an endpoint, in tokens."""
TIMES: Final = 4.0
"""The length of the extract relative to the summary."""
_NEW: Final = 2048
_CHARACTERS_PER_WORD: Final = 8
"""With the space after it; an upper estimate."""
_TEMPLATE: Final = 64
"""Tokens reserved for the chat template."""
_THOUGHTS: Final = re.compile(r"^.*</think>|<think>.*$", re.DOTALL)


class Prompted:
    """A language model prompted for a summary of the act (`zero-shot`) or of an extract of it (`extract`).

    The middle of an act that exceeds the context is left out: two thirds of the kept words are from the front.
    """

    def __init__(
        self,
        complete: Complete | Endpoint,
        *,
        method: str = "zero-shot",
        extract: Extracting | None = None,
        times: float = TIMES,
        context: int = CONTEXT,
        count: Callable[[str], int] = tokens_at_most,
        language: str | None = None,
    ) -> None:
        """Wrap a model.

        Args:
            complete: The model, as a function or an endpoint.
            method: `zero-shot` or `extract`.
            extract: Makes the extracts for `extract`.
            times: The length of extracts relative to the summary.
            context: The maximum of tokens in prompts, as `count` counts them.
            count: Counts tokens.
            language: The language of the summary; the act's by default.

        """
        if method not in METHODS:
            raise OptionError(f"There is no method '{method}' of prompting; choose among {', '.join(METHODS)}.")
        if method == "extract" and extract is None:
            raise OptionError("The method extract needs a function that makes extracts; give one, or use zero-shot.")
        if times < 1:
            raise OptionError(f"An extract cannot be {times:g} times as long as its summary; give at least 1.")
        self._model, self._complete, self._method, self._times = complete, _completing(complete), method, times
        self._extract = extract if method == "extract" else None
        self._context, self._count, self._language = context, count, language

    def __call__(self, act: Act, words: int) -> str:
        """Summarize an act in at most this many words."""
        if words <= 0 or not act.source.strip():
            return ""
        system, prompt = self.prompts(act, words)
        reply = self._complete(system, prompt)
        return first_words(_THOUGHTS.sub("", reply).strip(), words)

    def estimate(self, tasks: Iterable[tuple[Act, int]]) -> Any:
        """The estimated cost of summaries of acts, each in a number of words; None if the model is free."""
        if callable(self._model):
            return None
        return self._model.estimate(
            (*self.prompts(act, words), None, _CHARACTERS_PER_WORD * words) for act, words in tasks if words > 0
        )

    def prompts(self, act: Act, words: int) -> tuple[str, str]:
        """The system prompt, and the user prompt with the act."""
        system, template = _prompt("system"), _prompt(self._method)
        values = {"words": words, "language": _language(self._language or act.language)}
        room = self._context - self._count(system + template.format(**values, text="")) - _TEMPLATE
        text = shortened(self._text(act, words), room, self._count)
        if not text:
            raise OptionError(f"A context of {self._context} tokens is too small for any part of an act; give more.")
        return system, template.format(**values, text=text)

    def _text(self, act: Act, words: int) -> str:
        if self._extract is None:
            return act.source
        extract = self._extract(act, int(words * self._times))
        return extract if isinstance(extract, str) else str(extract.text)


class Local:
    """A causal language model on this machine, with its chat template and greedy (deterministic) decoding."""

    def __init__(self, name: str, tokens: int = _NEW, *, device: str = "auto") -> None:
        """Load a model; `tokens` is the maximum length of its output."""
        self._tokenizer, self._model = load("AutoModelForCausalLM", name, dtype="auto", device=device)
        self._tokens = tokens
        config = self._model.config.get_text_config(decoder=True)  # the text part of multimodal models
        longest = positions(config, "max_position_embeddings", "n_positions") or CONTEXT + tokens
        self.context: Final = longest - tokens
        """The maximum of tokens in prompts."""
        if self.context <= 0:
            raise OptionError(f"'{name}' has a context of {longest} tokens; set tokens below {tokens}.")

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        with silent_transformers():
            return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def __call__(self, system: str, prompt: str) -> str:
        """Generate a reply."""
        import torch

        ids = torch.tensor([self._ids(system, prompt)], device=self._model.device)
        with silent_transformers(), torch.inference_mode():
            output = self._model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=self._tokens,
                **{"do_sample": False, "temperature": None, "top_p": None, "top_k": None, "num_beams": 1},
                pad_token_id=self._tokenizer.pad_token_id or self._tokenizer.eos_token_id or 0,
            )
        text: str = self._tokenizer.decode(output[0, ids.shape[1] :], skip_special_tokens=True)
        return text

    def _ids(self, system: str, prompt: str) -> list[int]:
        """The tokens of both prompts in the chat template; in one message if it has no system role."""
        if not self._tokenizer.chat_template:
            ids: list[int] = self._tokenizer(f"{system}\n\n{prompt}")["input_ids"]
            return ids
        user = {"role": "user", "content": prompt}
        try:
            return self._templated([{"role": "system", "content": system}, user])
        except Exception:  # templates are programs that can raise anything
            return self._templated([{**user, "content": f"{system}\n\n{prompt}"}])

    def _templated(self, messages: list[dict[str, str]]) -> list[int]:
        text: str = self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


def _completing(model: Complete | Endpoint) -> Complete:
    if callable(model):
        return model
    return lambda system, prompt: str(model.complete(system, prompt).text)


@cache
def _prompt(name: str) -> str:
    return files(__package__).joinpath("prompts", f"{name}.txt").read_text("utf-8").strip()


@cache
def _languages() -> dict[str, str]:
    names: dict[str, str] = tomllib.loads(files(__package__).joinpath("prompts", "languages.toml").read_text("utf-8"))
    return names


def _language(code: str) -> str:
    return _languages().get(code, code)
