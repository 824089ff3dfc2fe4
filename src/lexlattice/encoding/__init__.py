"""Units → vectors: one protocol, an encoder of our own for all 24 languages, the paper's, and any other by name."""

from __future__ import annotations

from typing import Final

from lexlattice.encoding.protocol import EmptyTextWarning, Encoder, EncodingError, require, vectors_of_units

__all__ = ["NAMES", "EmptyTextWarning", "Encoder", "EncodingError", "is_name", "load", "require", "vectors_of_units"]

NAMES: Final = ("static", "static:FILE", "mt5", "mt5:ID-or-FOLDER", "st:NAME-or-FOLDER", "onnx:FOLDER")
"""What `load` takes."""


def load(name: str = "static", *, precision: str = "fp32") -> Encoder:
    """The encoder of that name, loaded and ready; heavy ones are imported only when they are asked for.

    Only mT5 can be had in another `precision`: bf16 or int8.

    >>> load().dimensions
    256
    """
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
    raise EncodingError(f"There is no encoder '{name}'; choose among {', '.join(NAMES)}.")


def is_name(name: str) -> bool:
    """Whether a name is of the kind that `load` takes."""
    return name.partition(":")[0] in {known.partition(":")[0] for known in NAMES}
