"""Instruction-tuned language models as summarizers: the act itself, or our extract of it, and a plain request.

A model is any function of a system prompt and a user prompt, such as `Local`, or an endpoint of `research.llm`. What it
 says is cut to the budget; what it thinks aloud first, between <think> and </think>, is not part of what it says.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Final, Protocol

from lexlattice._internal.imports import quiet
from lexlattice.act.document import Act
from lexlattice.errors import OptionError
from lexlattice.research.external.models import first_words, load, positions, shortened, tokens_at_most

Complete = Callable[[str, str], str]
"""System prompt and user prompt → text."""


class Endpoint(Protocol):
    """Something like `lexlattice.research.llm.Endpoint`: its replies have a text."""

    def complete(self, system: str, prompt: str) -> Any:
        """What is said to both prompts."""

    def estimate(self, requests: Iterable[Any]) -> Any:
        """What asking takes: of each request the system prompt, the prompt, no schema, and the characters expected."""


Extracting = Callable[[Act, int], Any]
"""What makes extracts: text, or something whose `text` is it."""

METHODS: Final = ("zero-shot", "extract")
CONTEXT: Final = 32_000
"""Tokens that an endpoint takes in, unless another number is given."""
TIMES: Final = 4.0
"""How much longer the extract is than the summary that is made of it."""
_NEW: Final = 2048
_LETTERS: Final = 8
"""Of a word and the space after it, rather too many than too few."""
_TEMPLATE: Final = 64
"""Tokens kept free for what a chat template puts around the prompts."""
_THOUGHTS: Final = re.compile(r"^.*</think>|<think>.*$", re.DOTALL)


class Prompted:
    """A language model that is asked for a summary, of the act (`zero-shot`) or of an extract of it (`extract`).

    An act beyond the context loses its middle: words of its front and of its end stay, two to one.
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
        """`context` is for prompts only, as `count` counts; `language` is that of the summary, if not the act's."""
        if method not in METHODS:
            raise OptionError(f"There is no method '{method}' of prompting; choose among {', '.join(METHODS)}.")
        if method == "extract" and extract is None:
            raise OptionError("To summarise an extract, something has to make it; give what does, or zero-shot.")
        if times < 1:
            raise OptionError(f"An extract cannot be {times:g} times as long as its summary; give at least 1.")
        self._model, self._complete, self._method, self._times = complete, _completing(complete), method, times
        self._extract = extract if method == "extract" else None
        self._context, self._count, self._language = context, count, language

    def __call__(self, act: Act, words: int) -> str:
        """What the model says of an act, in so many words at most."""
        if words <= 0 or not act.source.strip():
            return ""
        system, prompt = self.prompts(act, words)
        said = self._complete(system, prompt)
        return first_words(_THOUGHTS.sub("", said).strip(), words)

    def estimate(self, tasks: Iterable[tuple[Act, int]]) -> Any:
        """What summaries of acts in so many words will take, as the endpoint says; None where nothing is paid for."""
        if callable(self._model):
            return None
        asked = ((*self.prompts(act, words), None, _LETTERS * words) for act, words in tasks if words > 0)
        return self._model.estimate(asked)

    def prompts(self, act: Act, words: int) -> tuple[str, str]:
        """What the model is shown: the system prompt, and the user's with the act in it."""
        system, frame = _prompt("system"), _prompt(self._method)
        asked = {"words": words, "language": _language(self._language or act.language)}
        room = self._context - self._count(system + frame.format(**asked, text="")) - _TEMPLATE
        text = shortened(self._text(act, words), room, self._count)
        if not text:
            raise OptionError(f"Nothing of an act fits into {self._context} tokens of context; give more.")
        return system, frame.format(**asked, text=text)

    def _text(self, act: Act, words: int) -> str:
        if self._extract is None:
            return act.source
        extract = self._extract(act, int(words * self._times))
        return extract if isinstance(extract, str) else str(extract.text)


class Local:
    """A causal language model on this machine, with its own chat template; greedy, so the same every time."""

    def __init__(self, name: str, tokens: int = _NEW) -> None:
        """`tokens` is how many it may say at most."""
        self._tokenizer, self._model = load("AutoModelForCausalLM", name, dtype="auto")
        self._tokens = tokens
        config = self._model.config.get_text_config(decoder=True)  # of models that see pictures, the part that reads
        longest = positions(config, "max_position_embeddings", "n_positions") or CONTEXT + tokens
        self.context: Final = longest - tokens
        """Tokens that prompts may have."""
        if self.context <= 0:
            raise OptionError(f"'{name}' takes {longest} tokens in all; let it say fewer than {tokens}.")

    def count(self, text: str) -> int:
        """Tokens of a text."""
        with quiet():
            return len(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def __call__(self, system: str, prompt: str) -> str:
        """What it says."""
        import torch

        ids = torch.tensor([self._ids(system, prompt)], device=self._model.device)
        with quiet(), torch.inference_mode():
            said = self._model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=self._tokens,
                **{"do_sample": False, "temperature": None, "top_p": None, "top_k": None, "num_beams": 1},
                pad_token_id=self._tokenizer.pad_token_id or self._tokenizer.eos_token_id or 0,
            )
        text: str = self._tokenizer.decode(said[0, ids.shape[1] :], skip_special_tokens=True)
        return text

    def _ids(self, system: str, prompt: str) -> list[int]:
        """Both prompts as the model was taught to read them; in one message where its template knows no system."""
        if not self._tokenizer.chat_template:
            ids: list[int] = self._tokenizer(f"{system}\n\n{prompt}")["input_ids"]
            return ids
        user = {"role": "user", "content": prompt}
        try:
            return self._templated([{"role": "system", "content": system}, user])
        except Exception:  # templates are programs that raise what they like
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
