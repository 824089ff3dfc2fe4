"""Encoder-decoders as summarizers (LED, LongT5, T5, BART and similar), on acts longer than their input.

SLED (Ivgi et al., 2023) encodes overlapping windows separately, and keeps of each window the states that have context
on both sides. Unlimiformer (Bertsch et al., 2023) uses the same states, but every head of the decoder's cross-attention
attends only to the k states nearest to its query, in every layer and for every generated token.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lexlattice._internal.imports import silent_transformers
from lexlattice.act.document import Act
from lexlattice.errors import OptionError
from lexlattice.research.external.models import first_words, load, positions, tokens_of

if TYPE_CHECKING:
    import torch


_CROSS_ATTENTION: Final = ("EncDecAttention", "encoder_attn")
"""The names of cross-attention modules in T5-like and in BART-like models."""
_TOKENS_AT_ONCE: Final = 4096


class Window(NamedTuple):
    """Tokens that are encoded together, and the range of them whose states are kept, by position in the text."""

    start: int
    end: int
    first: int
    last: int
    """Exclusive."""


def windows(length: int, chunk: int, overlap: float) -> list[Window]:
    """Windows of `chunk` tokens over a text of `length` tokens; the share `overlap` of each is context only.

    All windows have the same size, and the last ends with the text.

    >>> windows(10, 4, 0.5)[:2]
    [Window(start=0, end=4, first=0, last=3), Window(start=2, end=6, first=3, last=5)]
    """
    margin = min(int(chunk * overlap / 2), (chunk - 1) // 2)
    found: list[Window] = []
    while not found or found[-1].last < length:
        first = found[-1].last if found else 0
        end = min(length, max(chunk, first - margin + chunk))
        found.append(Window(max(0, end - chunk), end, first, length if end == length else end - margin))
    return found


def encoded(model: Any, ids: torch.Tensor, chunk: int, overlap: float) -> torch.Tensor:
    """Encode tokens (1 × length) in windows: states of shape 1 × length × dimensions."""
    import torch

    parts = windows(ids.shape[1], chunk, overlap)
    rows = max(1, _TOKENS_AT_ONCE // chunk)
    kept = []
    for batch in (parts[start : start + rows] for start in range(0, len(parts), rows)):
        states = encode(model, torch.cat([ids[:, part.start : part.end] for part in batch]))
        kept += [states[i, part.first - part.start : part.last - part.start] for i, part in enumerate(batch)]
    return torch.cat(kept)[None]


def encode(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """Encode rows of tokens; the first token of a Longformer gets global attention, as in its training."""
    import torch

    options = {}
    if model.config.model_type == "led":
        options["global_attention_mask"] = torch.zeros_like(ids)
        options["global_attention_mask"][:, 0] = 1
    with torch.inference_mode():
        output = model.get_encoder()(input_ids=ids, attention_mask=torch.ones_like(ids), **options)
    states: torch.Tensor = output.last_hidden_state
    return states


@contextmanager
def nearest_only(model: Any, states: torch.Tensor, k: int) -> Iterator[None]:
    """Inside a `with` block, restrict each head of the cross-attention to the `k` states nearest to its query."""
    with ExitStack() as stack:
        found = [part for name, part in model.named_modules() if name.endswith(_CROSS_ATTENTION)]
        if not found:
            raise OptionError(
                f"The cross-attention of a '{model.config.model_type}' model is unknown; use the method sled."
            )
        for part in found:
            hook = part.register_forward_pre_hook(_Nearest(states[0], k), with_kwargs=True)
            stack.callback(hook.remove)
        yield


class _Nearest:
    """A forward pre-hook of a cross-attention: replaces its cache by the keys and values of the nearest states.

    Keys are computed only for selected states: q · (W s) = (Wᵀ q) · s, so the states are stored once for all layers and
    heads. The bias of the keys adds the same to all products of a query, and does not change the order.
    """

    def __init__(self, states: torch.Tensor, k: int) -> None:
        self._states, self._k = states, min(k, len(states))

    def __call__(self, part: Any, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
        import torch
        from transformers import DynamicCache, EncoderDecoderCache

        hidden = args[0] if args else options["hidden_states"]
        if hidden.shape[1] != 1:
            raise OptionError("Unlimiformer decodes one token at a time; do not pass several decoder tokens.")
        query, key, value = (getattr(part, name, None) or getattr(part, f"{name}_proj") for name in "qkv")
        heads = getattr(part, "n_heads", None) or part.num_heads

        def by_head(weight: torch.Tensor) -> torch.Tensor:
            return weight.view(heads, -1, *weight.shape[1:])

        queries = torch.einsum("bhd,hdm->bhm", query(hidden).view(len(hidden), heads, -1), by_head(key.weight))
        chosen = (queries @ self._states.T).topk(self._k).indices.sort().values
        near = self._states[chosen]

        def made(layer: Any) -> torch.Tensor:
            result = torch.einsum("bhkm,hdm->bhkd", near, by_head(layer.weight))
            return result if layer.bias is None else result + by_head(layer.bias)[None, :, None]

        cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        cache.cross_attention_cache.update(made(key), made(value), part.layer_idx)
        cache.is_updated[part.layer_idx] = True
        mask = {name: None for name in ("mask", "attention_mask") if name in options}
        return args, {**options, **mask, "past_key_values": cache}


METHODS: Final = ("plain", "sled", "unlimiformer")
_LENGTH: Final = 1024
"""The input length if neither the model nor its tokenizer states one."""
_NO_LIMIT: Final = 1_000_000
"""Tokenizers without a limit report a far larger number."""
_SAMPLE: Final = 1000
"""Words from which the tokens per word are estimated."""
_MORE_TOKENS: Final = 1.25
"""A summary may have more tokens per word than its act; surplus words are cut."""


class Seq2Seq:
    """A deterministic summarizer with a model of Transformers' AutoModelForSeq2SeqLM.

    Args:
        name: A folder, or a name on the Hugging Face hub.
        method: `plain` (truncate), `sled` or `unlimiformer`.
        length: Tokens that `plain` reads; by default the model's input length.
        chunk: Tokens per window of the other methods.
        overlap: The share of a window that is context only.
        k: States per head of `unlimiformer`; by default as many as `chunk`.
        beams: Beams of the search; by default as the model's configuration says.
        prefix: Text before the act, which some models expect.
        least: The minimum length of a summary as a share of the budget.
        unrepeated: Length of n-grams that are not repeated; by default as the model's configuration says.
        device: One of `lexlattice.encoding.devices.DEVICES`.

    Raises:
        OptionError: An argument is out of range.
        WeightsError: The model cannot be loaded.

    """

    def __init__(
        self,
        name: str,
        *,
        method: str = "plain",
        length: int | None = None,
        chunk: int = 256,
        overlap: float = 0.5,
        k: int | None = None,
        beams: int | None = None,
        prefix: str = "",
        least: float = 0.5,
        unrepeated: int | None = None,
        device: str = "auto",
    ) -> None:
        if method not in METHODS:
            raise OptionError(f"There is no method '{method}' for long texts; choose among {', '.join(METHODS)}.")
        k = chunk if k is None else k
        if any(number is not None and number < 1 for number in (chunk, k, beams, length, unrepeated)):
            raise OptionError("Numbers of tokens, states and beams must be at least 1.")
        if not (0 <= overlap < 1 and 0 <= least <= 1):
            raise OptionError("overlap and least must be from 0 to 1, and overlap below 1.")
        self._tokenizer, self._model = load("AutoModelForSeq2SeqLM", name, device=device)
        limit = positions(self._model.config, "max_encoder_position_embeddings", "max_position_embeddings")
        at_once = chunk if method != "plain" else length or 1
        if limit is not None and at_once > limit:
            raise OptionError(f"'{name}' reads {limit} tokens at once, not {at_once}; give a smaller number.")
        self._method, self._chunk, self._overlap, self._k = method, chunk, overlap, k
        self._length = length or limit or self._default_length()
        self._prefix, self._least = prefix, least
        decoding = {"num_beams": beams, "no_repeat_ngram_size": unrepeated}
        self._decoding = {name: number for name, number in decoding.items() if number is not None}

    def __call__(self, act: Act, words: int) -> str:
        """Summarize an act in at most this many words."""
        if words <= 0 or not act.source.strip():
            return ""
        return first_words(self.generate(act.source, words), words)

    def generate(self, text: str, words: int) -> str:
        """Generate a summary of about this many words."""
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        ids = self.tokens(text)
        tokens = words * self._tokens_per_word(text)
        most = min(math.ceil(_MORE_TOKENS * tokens) + 1, self._max_output())
        states = self.states(ids)
        with (
            silent_transformers(),
            torch.inference_mode(),
            nearest_only(self._model, states, self._k) if self._method == "unlimiformer" else nullcontext(),
        ):
            output = self._model.generate(
                encoder_outputs=BaseModelOutput(last_hidden_state=states),
                attention_mask=torch.ones(states.shape[:2], dtype=torch.long, device=states.device),
                max_new_tokens=most,
                min_new_tokens=min(int(self._least * tokens), most),
                do_sample=False,
                **self._decoding,
            )
        summary: str = self._tokenizer.decode(output[0], skip_special_tokens=True)
        return summary

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text that the model reads."""
        return tokens_of(self._tokenizer, self._prefix + text, self._length if self._method == "plain" else None)

    def states(self, ids: list[int]) -> Any:
        """Encoder states, one per token."""
        import torch

        rows = torch.tensor([ids], device=self._model.device)
        if self._method == "plain":
            return encode(self._model, rows)
        return encoded(self._model, rows, self._chunk, self._overlap)

    def _tokens_per_word(self, text: str) -> float:
        """Estimated from the text, since it depends on the language."""
        sample = first_words(text, _SAMPLE)
        return len(tokens_of(self._tokenizer, sample)) / max(1, len(sample.split()))

    def _default_length(self) -> int:
        """The input length of a model without a limit."""
        stated = self._tokenizer.model_max_length
        return positions(self._model.config, "n_positions") or (stated if stated < _NO_LIMIT else _LENGTH)

    def _max_output(self) -> int:
        limit = positions(self._model.config, "max_decoder_position_embeddings", "max_position_embeddings")
        return _NO_LIMIT if limit is None else limit - 1
