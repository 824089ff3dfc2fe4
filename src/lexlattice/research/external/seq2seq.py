"""Long texts for encoders that read little at once: windows that overlap, of which the middles together are the text.

The way of SLED (Ivgi et al., 2023): each window is encoded by itself, and of its states only those are kept that have
their surroundings on both sides. Unlimiformer (Bertsch et al., 2023) reads the same states, but lets every head of the
decoder look at the few that are nearest to what it asks for, in every layer and for every word anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lexlattice._internal.imports import quiet
from lexlattice.act.document import Act
from lexlattice.errors import OptionError
from lexlattice.research.external.models import first_words, load, positions, tokens_of

if TYPE_CHECKING:
    import torch


_CROSS_ATTENTION: Final = ("EncDecAttention", "encoder_attn")
"""What it is called in models after T5, and in those after BART."""
_TOKENS_AT_ONCE: Final = 4096


class Window(NamedTuple):
    """Tokens that are encoded together, and those among them whose states are kept, by their places in the text."""

    start: int
    end: int
    first: int
    last: int
    """The one after the last that is kept."""


def windows(length: int, chunk: int, overlap: float) -> list[Window]:
    """Windows of `chunk` tokens over a text of `length`, of which the share `overlap` is there for its surroundings.

    All are of the same size, and the last ends with the text.

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
    """The states of all tokens (1 × length), each from the window that keeps it: 1 × length × dimensions."""
    import torch

    parts = windows(ids.shape[1], chunk, overlap)
    rows = max(1, _TOKENS_AT_ONCE // chunk)
    kept = []
    for batch in (parts[start : start + rows] for start in range(0, len(parts), rows)):
        states = encode(model, torch.cat([ids[:, part.start : part.end] for part in batch]))
        kept += [states[i, part.first - part.start : part.last - part.start] for i, part in enumerate(batch)]
    return torch.cat(kept)[None]


def encode(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """The states of rows of tokens; the first token of a Longformer sees all others, as it was trained."""
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
    """While it lasts, each head of the decoder's cross-attention sees the `k` of these states that answer it best."""
    with ExitStack() as stack:
        found = [part for name, part in model.named_modules() if name.endswith(_CROSS_ATTENTION)]
        if not found:
            raise OptionError(
                f"Where a model of the kind '{model.config.model_type}' attends to its text is not known; use sled."
            )
        for part in found:
            hook = part.register_forward_pre_hook(_Nearest(states[0], k), with_kwargs=True)
            stack.callback(hook.remove)
        yield


class _Nearest:
    """What is put before a cross-attention: it gets a cache in which there are the nearest states only.

    A key is never made unless it is chosen: its product with a query is that of the state with the query turned by the
    matrix of keys, so the states are kept once for all layers and heads. The keys' bias is the same for all of them.
    """

    def __init__(self, states: torch.Tensor, k: int) -> None:
        self._states, self._k = states, min(k, len(states))

    def __call__(self, part: Any, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[tuple[Any, ...], Any]:
        import torch
        from transformers import DynamicCache, EncoderDecoderCache

        hidden = args[0] if args else options["hidden_states"]
        if hidden.shape[1] != 1:
            raise OptionError("Only one word after the other can be decoded with the nearest states.")
        query, key, value = (getattr(part, name, None) or getattr(part, f"{name}_proj") for name in "qkv")
        heads = getattr(part, "n_heads", None) or part.num_heads

        def by_head(weight: torch.Tensor) -> torch.Tensor:
            return weight.view(heads, -1, *weight.shape[1:])

        asked = torch.einsum("bhd,hdm->bhm", query(hidden).view(len(hidden), heads, -1), by_head(key.weight))
        chosen = (asked @ self._states.T).topk(self._k).indices.sort().values
        near = self._states[chosen]

        def made(layer: Any) -> torch.Tensor:
            result = torch.einsum("bhkm,hdm->bhkd", near, by_head(layer.weight))
            return result if layer.bias is None else result + by_head(layer.bias)[None, :, None]

        cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        cache.cross_attention_cache.update(made(key), made(value), part.layer_idx)
        cache.is_updated[part.layer_idx] = True
        mask = {name: None for name in ("mask", "attention_mask") if name in options}
        return args, {**options, **mask, "past_key_values": cache}


# Encoder-decoders as summarizers (LED, LongT5, T5, BART and their kin), on acts that are longer than they take.

METHODS: Final = ("plain", "sled", "unlimiformer")
_LENGTH: Final = 1024
"""Where neither the model nor its tokenizer says how long a text may be."""
_NO_LIMIT: Final = 1_000_000
"""Tokenizers without a limit give a number that is larger by far."""
_SAMPLE: Final = 1000
"""So many words tell how many tokens a word has."""
_MORE_TOKENS: Final = 1.25
"""A summary may have more tokens for a word than the act it is of; what is too much is cut."""


class Seq2Seq:
    """A model of Transformers' AutoModelForSeq2SeqLM that says in so many words what an act says, the same every time.

    It reads the act's source, from its first line on. `length` is how many tokens `plain` reads, by default what the
    model was made for. `chunk` tokens are encoded at once by the other methods, `overlap` of them only as surroundings;
    each head of `unlimiformer` sees `k` states, by default as many as a chunk has. `prefix` stands before the text, as
    some models expect. The summary has no fewer words than about the share `least` of those allowed. Of how many
    `beams` it is the best, and how many tokens in a row are `unrepeated`, is as the model has it, unless given.
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
    ) -> None:
        if method not in METHODS:
            raise OptionError(f"There is no method '{method}' for long texts; choose among {', '.join(METHODS)}.")
        k = chunk if k is None else k
        if any(number is not None and number < 1 for number in (chunk, k, beams, length, unrepeated)):
            raise OptionError("Numbers of tokens, states and beams begin at 1.")
        if not (0 <= overlap < 1 and 0 <= least <= 1):
            raise OptionError("The shares overlap and least are numbers from 0 to 1, overlap below 1.")
        self._tokenizer, self._model = load("AutoModelForSeq2SeqLM", name)
        limit = positions(self._model.config, "max_encoder_position_embeddings", "max_position_embeddings")
        at_once = chunk if method != "plain" else length or 1
        if limit is not None and at_once > limit:
            raise OptionError(f"'{name}' reads {limit} tokens at once, not {at_once}; give a smaller number.")
        self._method, self._chunk, self._overlap, self._k = method, chunk, overlap, k
        self._length = length or limit or self._usual()
        self._prefix, self._least = prefix, least
        decoding = {"num_beams": beams, "no_repeat_ngram_size": unrepeated}
        self._decoding = {name: number for name, number in decoding.items() if number is not None}

    def __call__(self, act: Act, words: int) -> str:
        """The summary of an act, in so many words at most."""
        if words <= 0 or not act.source.strip():
            return ""
        return first_words(self.generate(act.source, words), words)

    def generate(self, text: str, words: int) -> str:
        """What the model says of a text, in about so many words."""
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        ids = self.tokens(text)
        tokens = words * self._tokens_of_a_word(text)
        most = min(math.ceil(_MORE_TOKENS * tokens) + 1, self._longest_said())
        states = self.states(ids)
        with (
            quiet(),
            torch.inference_mode(),
            nearest_only(self._model, states, self._k) if self._method == "unlimiformer" else nullcontext(),
        ):
            said = self._model.generate(
                encoder_outputs=BaseModelOutput(last_hidden_state=states),
                attention_mask=torch.ones(states.shape[:2], dtype=torch.long, device=states.device),
                max_new_tokens=most,
                min_new_tokens=min(int(self._least * tokens), most),
                do_sample=False,
                **self._decoding,
            )
        summary: str = self._tokenizer.decode(said[0], skip_special_tokens=True)
        return summary

    def tokens(self, text: str) -> list[int]:
        """What the model reads of a text."""
        return tokens_of(self._tokenizer, self._prefix + text, self._length if self._method == "plain" else None)

    def states(self, ids: list[int]) -> Any:
        """What the decoder attends to: a state for each token."""
        import torch

        rows = torch.tensor([ids], device=self._model.device)
        if self._method == "plain":
            return encode(self._model, rows)
        return encoded(self._model, rows, self._chunk, self._overlap)

    def _tokens_of_a_word(self, text: str) -> float:
        """As the text has it: that of one language is not that of another."""
        sample = first_words(text, _SAMPLE)
        return len(tokens_of(self._tokenizer, sample)) / max(1, len(sample.split()))

    def _usual(self) -> int:
        """What a model that knows no bounds was made for."""
        said = self._tokenizer.model_max_length
        return positions(self._model.config, "n_positions") or (said if said < _NO_LIMIT else _LENGTH)

    def _longest_said(self) -> int:
        limit = positions(self._model.config, "max_decoder_position_embeddings", "max_position_embeddings")
        return _NO_LIMIT if limit is None else limit - 1
