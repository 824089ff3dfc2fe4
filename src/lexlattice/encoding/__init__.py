"""Encoders: texts → vectors. One protocol, `Encoder`, and one way to get an encoder, `load(name)`.

| name | encoder | module |
|---|---|---|
| `static` | the embedded encoder: subword vectors for 24 languages, NumPy only | `static`, `subwords` |
| `static:FILE` | the same with other weights | `static` |
| `mt5`, `mt5:ID-or-FOLDER` | the encoder of the paper, mT5 | `mt5` |
| `st:NAME-or-FOLDER` | any model of sentence-transformers | `sentence_transformers` |
| `onnx:FOLDER` | a transformer exported to ONNX, without PyTorch | `onnx` |
| `package.module:attribute` | your own: an encoder, or a function from texts to vectors | `custom` |

What all of them share is in `base`, what transformers share in `chunking`; `devices` chooses where PyTorch computes,
`cache` stores vectors on disk, and `tokens` has the tokenizers that metrics and n-grams use.
"""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from lexlattice.encoding.base import EmptyTextWarning, Encoder, EncodingError, require_fingerprint, vectors_of_units

__all__ = [
    "DEFAULTS",
    "NAMES",
    "EmptyTextWarning",
    "Encoder",
    "EncodingError",
    "Options",
    "load",
    "precision_of",
    "require_builtin",
    "require_fingerprint",
    "runs_in_workers",
    "vectors_of_units",
]

NAMES: Final = ("static", "static:FILE", "mt5", "mt5:ID-or-FOLDER", "st:NAME-or-FOLDER", "onnx:FOLDER")
"""The names of built-in encoders that `load` accepts."""


class Options(NamedTuple):
    """The keyword arguments of `load`, for functions that load encoders on behalf of others."""

    device: str = "auto"
    precision: str = "auto"
    batch_tokens: int | None = None
    cache: str | None = None
    cache_limit: int | None = None

    def load(self, name: str) -> Encoder:
        """Load an encoder with these options."""
        return load(name, **self._asdict())


DEFAULTS: Final = Options()


def load(
    name: str = "static",
    *,
    device: str = "auto",
    precision: str = "auto",
    batch_tokens: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    cache_limit: int | None = None,
) -> Encoder:
    """Load an encoder by name; heavy dependencies are imported only for the encoders that need them.

    Args:
        name: One of `NAMES`, or your own encoder as `package.module:attribute`.
        device: Where a transformer computes, one of `lexlattice.encoding.devices.DEVICES`; others ignore it.
        precision: "fp32", "bf16" or "fp16" for mt5 and st, also "int8" for mt5 on the CPU; by default fp32 on the CPU,
            and on a GPU bf16 (fp16 if it has no bf16).
        batch_tokens: The most tokens, padding included, that a transformer encodes at once; by default as many as suit
            the device.
        cache: A folder in which vectors are stored and looked up.
        cache_limit: The most bytes of that folder; by default `lexlattice.encoding.cache.DEFAULT_LIMIT`.

    Returns:
        The encoder, ready for use.

    Raises:
        EncodingError: The name is unknown, or the encoder cannot be loaded.
        OptionError: There is no such device here.
        MissingExtraError: The encoder needs an optional dependency that is not installed.

    Examples:
        >>> encoder = load()
        >>> encoder.encode(["Keepers shall register.", "Les apiculteurs s'enregistrent."]).shape
        (2, 256)
    """
    if cache is not None:
        from lexlattice.encoding.cache import DEFAULT_LIMIT, CachedEncoder

        encoder = load(name, device=device, precision=precision, batch_tokens=batch_tokens)
        return CachedEncoder(encoder, cache, limit=DEFAULT_LIMIT if cache_limit is None else cache_limit)
    kind, _, where = name.partition(":") if isinstance(name, str) else ("", "", "")
    if precision not in ("auto", "fp32") and kind not in ("mt5", "st"):
        raise EncodingError(f"Only mt5 and st have a choice of precision; load '{name}' without one.")
    if batch_tokens is not None and batch_tokens < 1:
        raise EncodingError(f"A batch cannot have {batch_tokens} tokens; give a number from 1.")
    if kind == "static" and (where or name == kind):
        from lexlattice.encoding.static import PATH, Static

        return Static(where or PATH)
    if kind == "mt5" and (where or name == kind):
        from lexlattice.encoding.mt5 import BASE, MT5

        return MT5(where or BASE, precision, device, batch_tokens)
    if kind == "st" and where:
        from lexlattice.encoding.sentence_transformers import SentenceTransformers

        return SentenceTransformers(where, precision, device, batch_tokens)
    if kind == "onnx" and where:
        from lexlattice.encoding.onnx import Onnx

        return Onnx(where, device, batch_tokens)
    if where and not _is_builtin(name):
        from lexlattice.encoding.custom import load_custom

        return load_custom(name)
    raise EncodingError(
        f"There is no encoder '{name}'; choose one of {', '.join(NAMES)}, or your own as package.module:attribute."
    )


def runs_in_workers(name: str) -> bool:
    """Whether an encoder is used in worker processes, or only in the process that started them.

    The one rule for whatever reads or evaluates acts in several processes. Only the embedded encoder is small and uses
    one thread. Transformers have threads, a GPU or gigabytes of their own, which processes would compete for; of a
    custom encoder nothing is known.

    Examples:
        >>> runs_in_workers("static"), runs_in_workers("mt5"), runs_in_workers("my.module:encoder")
        (True, False, False)
    """
    return name.partition(":")[0] == "static"


def precision_of(encoder: Encoder) -> str:
    """The precision in which an encoder computes, with which `load` gives the same one elsewhere; fp32 for most."""
    from lexlattice.encoding.cache import CachedEncoder
    from lexlattice.encoding.torch_encoder import TorchEncoder

    inner = encoder.encoder if isinstance(encoder, CachedEncoder) else encoder
    return inner.precision if isinstance(inner, TorchEncoder) else "fp32"


def require_builtin(name: str) -> str:
    """Return the name of an encoder that a weights file asks for, if it is a built-in one.

    A weights file must not be able to run code by naming a custom encoder.

    Raises:
        EncodingError: The name is that of a custom encoder.
    """
    if not _is_builtin(name):
        raise EncodingError(f"The model was trained with the custom encoder '{name}'; pass that encoder yourself.")
    return name


def _is_builtin(name: str) -> bool:
    return name.partition(":")[0] in {known.partition(":")[0] for known in NAMES}
