"""Units → vectors: one protocol, an encoder of our own for all 24 languages, the paper's, and any other by name."""

from __future__ import annotations

import os
from typing import Final

from lexlattice.encoding.base import EmptyTextWarning, Encoder, EncodingError, require, vectors_of_units

__all__ = [
    "NAMES",
    "EmptyTextWarning",
    "Encoder",
    "EncodingError",
    "load",
    "require",
    "trained_with",
    "vectors_of_units",
]

NAMES: Final = ("static", "static:FILE", "mt5", "mt5:ID-or-FOLDER", "st:NAME-or-FOLDER", "onnx:FOLDER")
"""What `load` takes."""


def load(name: str = "static", *, precision: str = "fp32", cache: str | os.PathLike[str] | None = None) -> Encoder:
    """The encoder of that name, loaded and ready; heavy ones are imported only when they are asked for.

    Besides these `NAMES` it may be anybody's own, as `package.module:attribute`. Only mT5 can be had in another
    `precision`: bf16 or int8. With a folder as `cache`, vectors are kept there, and taken from there.

    >>> load().dimensions
    256
    """
    if cache is not None:
        from lexlattice.encoding.cache import CachedEncoder

        return CachedEncoder(load(name, precision=precision), cache)
    kind, _, where = name.partition(":") if isinstance(name, str) else ("", "", "")
    if precision != "fp32" and kind != "mt5":
        raise EncodingError(f"Only mt5 has a choice of precision; load '{name}' without.")
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
    if where and not is_known(name):
        from lexlattice.encoding.custom import own

        return own(name)
    raise EncodingError(
        f"There is no encoder '{name}'; choose among {', '.join(NAMES)}, or name your own as package.module:attribute."
    )


def trained_with(name: str) -> str:
    """The encoder that a file of weights names; a file alone never has anybody's code run."""
    if not is_known(name):
        raise EncodingError(f"The model was trained with an encoder of somebody's own, '{name}'; name it yourself.")
    return name


def is_known(name: str) -> bool:
    """Whether it is one of the package's own."""
    return name.partition(":")[0] in {known.partition(":")[0] for known in NAMES}
