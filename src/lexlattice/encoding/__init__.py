"""Encoders: texts → vectors. One protocol, `Encoder`, and one way to get an encoder, `load(name)`.

| name | encoder | module |
|---|---|---|
| `static` | the embedded encoder: subword vectors for 24 languages, NumPy only | `static`, `subwords` |
| `static:FILE` | the same with other weights | `static` |
| `mt5`, `mt5:ID-or-FOLDER` | the encoder of the paper, mT5 | `mt5` |
| `st:NAME-or-FOLDER` | any model of sentence-transformers | `sentence_transformers` |
| `onnx:FOLDER` | a transformer exported to ONNX, without PyTorch | `onnx` |
| `package.module:attribute` | your own: an encoder, or a function from texts to vectors | `custom` |

What all of them share is in `base`, what transformers share in `chunking`; `cache` stores vectors on disk, and `tokens`
has the tokenizers that metrics and n-grams use.
"""

from __future__ import annotations

import os
from typing import Final

from lexlattice.encoding.base import EmptyTextWarning, Encoder, EncodingError, require_fingerprint, vectors_of_units

__all__ = [
    "NAMES",
    "EmptyTextWarning",
    "Encoder",
    "EncodingError",
    "load",
    "require_builtin",
    "require_fingerprint",
    "vectors_of_units",
]

NAMES: Final = ("static", "static:FILE", "mt5", "mt5:ID-or-FOLDER", "st:NAME-or-FOLDER", "onnx:FOLDER")
"""The names of built-in encoders that `load` accepts."""


def load(name: str = "static", *, precision: str = "fp32", cache: str | os.PathLike[str] | None = None) -> Encoder:
    """Load an encoder by name; heavy dependencies are imported only for the encoders that need them.

    Args:
        name: One of `NAMES`, or your own encoder as `package.module:attribute`.
        precision: "fp32", or for mT5 also "bf16" or "int8".
        cache: A folder in which vectors are stored and looked up.

    Returns:
        The encoder, ready for use.

    Raises:
        EncodingError: The name is unknown, or the encoder cannot be loaded.
        MissingExtraError: The encoder needs an optional dependency that is not installed.

    Examples:
        >>> encoder = load()
        >>> encoder.encode(["Keepers shall register.", "Les apiculteurs s'enregistrent."]).shape
        (2, 256)
    """
    if cache is not None:
        from lexlattice.encoding.cache import CachedEncoder

        return CachedEncoder(load(name, precision=precision), cache)
    kind, _, where = name.partition(":") if isinstance(name, str) else ("", "", "")
    if precision != "fp32" and kind != "mt5":
        raise EncodingError(f"Only mt5 has a choice of precision; load '{name}' without one.")
    if kind == "static" and (where or name == kind):
        from lexlattice.encoding.static import PATH, Static

        return Static(where or PATH)
    if kind == "mt5" and (where or name == kind):
        from lexlattice.encoding.mt5 import BASE, MT5

        return MT5(where or BASE, precision)
    if kind == "st" and where:
        from lexlattice.encoding.sentence_transformers import SentenceTransformers

        return SentenceTransformers(where)
    if kind == "onnx" and where:
        from lexlattice.encoding.onnx import Onnx

        return Onnx(where)
    if where and not _is_builtin(name):
        from lexlattice.encoding.custom import load_custom

        return load_custom(name)
    raise EncodingError(
        f"There is no encoder '{name}'; choose one of {', '.join(NAMES)}, or your own as package.module:attribute."
    )


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
