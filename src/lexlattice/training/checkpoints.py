"""What happened in a training, step by step, as a CSV file."""

from __future__ import annotations

import csv
import json
import math
import re
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lexlattice._internal.files import sha256, write_whole, writing
from lexlattice._internal.weights import TYPES, Types, Weights, read_arrays, safetensors
from lexlattice.errors import LexLatticeError
from lexlattice.training.validation import FIGURES

_OF_STEPS: Final = ("stage", "epoch", "step", "acts", "loss", "reward", "seconds")
COLUMNS: Final = (*_OF_STEPS, *FIGURES)
"""A row for each step; and for each epoch one with the figures of validation, the means, and the seconds it took."""


class Log:
    """The file, to be written to line by line."""

    def __init__(self, path: Path, length: int, figures: Sequence[str] = FIGURES) -> None:
        """Begin a log, or go on behind that many bytes: what was written since is written again.

        `figures` are the names of what validation measures.
        """
        with writing(path):
            self._file = path.open("a", encoding="utf-8", newline="")
            self._file.truncate(min(length, self._file.tell()))
            self._file.seek(0, 2)
        self._writer = csv.DictWriter(self._file, (*_OF_STEPS, *figures))
        if not self.length:
            self._writer.writeheader()

    @property
    def length(self) -> int:
        """Bytes by now, all of them written."""
        self._file.flush()
        return self._file.tell()

    def write(self, **values: Any) -> None:
        """A line; what is not given stays empty."""
        self._writer.writerow(
            {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in values.items()}
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


# Where a training stands, kept on disk: whole or not at all, the last two of them, and never as code.

State = dict[str, Any]
"""Tensors, numbers, strings and None, and lists, tuples and dictionaries of these."""

FORMAT: Final = "lexlattice training 2"
_DIGITS: Final = 16
_NAME: Final = re.compile(rf"(\d{{6,}})-([0-9a-f]{{{_DIGITS}}})\.safetensors")
_TYPES: Final[Types] = {
    **TYPES,
    **{"BOOL": np.bool_, "I16": np.int16, "I32": np.int32, "I64": np.int64, "F64": np.float64},
}
_LONGEST_HEADER: Final = 1 << 30
"""It holds the loss of every step of an epoch, and is checked by its digest."""


class Checkpoints:
    """The checkpoints in a folder, all of one training."""

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        """`identity` is what must be the same for a training to be resumed: names of things, and their digests."""
        self._folder = folder
        self._identity = dict(identity)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)

    def save(self, state: State) -> None:
        """Keep where a training stands, and the last whole one before; forget all others, damaged ones first."""
        content = packed({**state, "identity": self._identity})
        known = self._names()
        number = int(known[-1].name.split("-")[0]) + 1 if known else 1
        write_whole(self._folder / f"{number:06d}-{sha256(content)[:_DIGITS]}.safetensors", content)
        last = next((path for path in reversed(known) if _is_whole(path)), None)
        with writing(self._folder):
            for path in (*reversed(known), *self._folder.glob(".*.part")):
                if path != last:
                    path.unlink(missing_ok=True)

    def load(self) -> State | None:
        """The last one that is whole; none if there is none at all."""
        names = self._names()
        for path in reversed(names):
            if _is_whole(path):
                return self._opened(path)
        if names:
            raise LexLatticeError(f"All checkpoints in '{self._folder}' are damaged; train anew, into a new folder.")
        return None

    def _opened(self, path: Path) -> State:
        """What a whole one holds; refuse to go on with something else than was begun."""
        try:
            file = read_arrays(path, _TYPES, _LONGEST_HEADER)
            is_ours = file.about.get("format") == FORMAT
            state = unpacked(file) if is_ours else {}
            known = dict(state.get("identity", {}))
        except (LexLatticeError, ValueError, KeyError, TypeError, struct.error, RecursionError) as error:
            raise LexLatticeError(f"'{path}' is no checkpoint of ours; remove it, and go on without.") from error
        if not is_ours:
            raise LexLatticeError("The checkpoint is not of this version; train anew, into a new folder.")
        if other := [name for name, digest in self._identity.items() if known.get(name) != digest]:
            raise LexLatticeError(
                f"The training was begun with another {other[0]}; go on with that, or train anew into a new folder."
            )
        return state

    def _names(self) -> list[Path]:
        """From the first to the last."""
        found = [path for path in self._folder.iterdir() if _NAME.fullmatch(path.name)]
        return sorted(found, key=lambda path: int(path.name.split("-")[0]))


def _is_whole(path: Path) -> bool:
    """Whether a checkpoint holds what its name says."""
    return sha256(path.read_bytes())[:_DIGITS] == path.stem.split("-")[1]


def packed(state: State) -> bytes:
    """A state as a safetensors file."""
    arrays: dict[str, NDArray[Any]] = {}
    plain = json.dumps(_plain(state, "", arrays), separators=(",", ":"))
    return safetensors(arrays, {"format": FORMAT, "state": plain}, _TYPES)


def unpacked(file: Weights) -> State:
    """What was packed, bit for bit."""
    state = _made(json.loads(file.about["state"]), file.arrays)
    if not isinstance(state, dict):
        raise TypeError("a state is a dictionary")
    return state


def _plain(value: object, name: str, arrays: dict[str, NDArray[Any]]) -> object:
    """A value as JSON can hold it; tensors go among the arrays, named by where they stand.

    What JSON lacks becomes an object with one key, which says what it is.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"float": struct.pack(">d", value).hex()}
        case list():
            return [_plain(inner, f"{name}.{place}", arrays) for place, inner in enumerate(value)]
        case tuple():
            return {"tuple": _plain(list(value), name, arrays)}
        case dict():
            pairs = ((key, _plain(inner, f"{name}.{key}", arrays)) for key, inner in value.items())
            return {"dict": [[_plain(key, "", {}), inner] for key, inner in pairs]}
        case Tensor():
            name = name.removeprefix(".")
            while name in (*arrays, "__metadata__"):
                name += "~"
            arrays[name] = value.numpy(force=True)
            return {"tensor": name}
    raise TypeError(f"a checkpoint cannot keep a {type(value).__name__}")


def _made(plain: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """The value that became this JSON."""
    if isinstance(plain, list):
        return [_made(inner, arrays) for inner in plain]
    if not isinstance(plain, dict):
        return plain
    ((kind, inner),) = plain.items()
    match kind:
        case "float":
            return struct.unpack(">d", bytes.fromhex(inner))[0]
        case "tuple":
            return tuple(_made(inner, arrays))
        case "dict":
            return {_made(key, arrays): _made(value, arrays) for key, value in inner}
        case "tensor":
            array = arrays[inner]
            return torch.from_numpy(np.array(array, array.dtype.newbyteorder("=")))
    raise ValueError(f"nothing is a {kind}")
