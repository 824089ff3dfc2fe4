"""Anybody's own encoder, `package.module:attribute`: a function of texts, or something with an `encode`."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lexlattice._internal.imports import import_object
from lexlattice.encoding.base import Encoder, EncodingError, Vectors, checked, report_empty
from lexlattice.encoding.chunking import SAMPLES
from lexlattice.errors import brief


def own(name: str) -> Encoder:
    """What is named, or an instance of it where it is a class, as an encoder."""
    found: Any = import_object(name)
    try:
        found = found() if inspect.isclass(found) else found
    except Exception as error:
        raise EncodingError(f"The encoder '{name}' cannot be made ({brief(error)}).") from error
    if isinstance(found, Encoder):
        return found
    encode: Any = getattr(found, "encode", found)
    return Own(name, encode)


class Own:
    """An encoder of which nothing is known but what it makes of texts: its fingerprint is what it makes of four."""

    def __init__(self, name: str, encode: Callable[[list[str]], ArrayLike]) -> None:
        if not callable(encode):
            raise EncodingError(f"'{name}' is no encoder; name something that turns texts into vectors.")
        self.name, self._encode = name, encode
        samples = self._vectors(list(SAMPLES))
        self.dimensions = samples.shape[1]
        self.fingerprint = hashlib.sha256(name.encode() + samples.astype(np.float16).tobytes()).hexdigest()[:16]

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> Vectors:
        """One row for each text, zero for those with nothing in them: what is blank is never asked for."""
        listed = checked(texts)
        vectors = np.zeros((len(listed), self.dimensions), np.float32)
        if places := [place for place, text in enumerate(listed) if text.strip()]:
            vectors[places] = self._vectors([listed[place] for place in places])
        report_empty(vectors)
        return vectors

    def _vectors(self, texts: list[str]) -> Vectors:
        try:
            made: Any = self._encode(texts)
            vectors = np.asarray(made, np.float32)
        except Exception as error:  # somebody else's code can raise anything
            raise EncodingError(f"The encoder '{self.name}' cannot encode ({brief(error)}).") from error
        width = getattr(self, "dimensions", None) or vectors.shape[-1] if vectors.ndim else 0
        if vectors.shape != (len(texts), width) or not np.isfinite(vectors).all():
            raise EncodingError(f"'{self.name}' is no encoder: it has to make one vector of numbers of each text.")
        return vectors
