"""Long texts for encoders that read little at once: windows that overlap, of which the middles together are the text.

The way of SLED (Ivgi et al., 2023): each window is encoded by itself, and of its states only those are kept that have
their surroundings on both sides. Unlimiformer (Bertsch et al., 2023) reads the same states, but lets every head of the
decoder look at the few that are nearest to what it asks for, in every layer and for every word anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lexlattice.errors import LexLatticeError

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
            raise LexLatticeError(
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
            raise LexLatticeError("Only one word after the other can be decoded with the nearest states.")
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
