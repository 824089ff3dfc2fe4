"""Files of a training run: the CSV log of its steps, and checkpoints to resume from."""

from __future__ import annotations

import csv
import json
import math
import os
import re
import struct
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, Self

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_safetensors
from torch import Tensor

from lexlattice._internal.files import locked, make_folder, remove_parts, sha256, sync_folder, write_whole, writing
from lexlattice._internal.shards import LOCK
from lexlattice.errors import DataError
from lexlattice.training.validation import ROUGE_FIGURES

_STEP_COLUMNS: Final = ("stage", "epoch", "step", "acts", "loss", "reward", "seconds")
COLUMNS: Final = (*_STEP_COLUMNS, *ROUGE_FIGURES)
"""One row per step; and one per epoch with the means, the seconds and the validation figures."""


class Log:
    """The CSV log of a training run."""

    def __init__(self, path: Path, length: int, figures: Sequence[str] = ROUGE_FIGURES) -> None:
        """Open the log and truncate it to `length` bytes: a resumed run repeats the steps after its checkpoint.

        `figures` are the names of the validation figures.
        """
        self._path = path
        with writing(path):
            self._file = path.open("a", encoding="utf-8", newline="")
            self._file.truncate(min(length, self._file.tell()))
            self._file.seek(0, 2)
            sync_folder(path.parent)
        self._writer = csv.DictWriter(self._file, (*_STEP_COLUMNS, *figures))
        if not self.length:
            self._writer.writeheader()

    @property
    def length(self) -> int:
        """The size of the file in bytes, once they are on disk: a checkpoint that names it may rely on them."""
        with writing(self._path):
            self._file.flush()
            os.fsync(self._file.fileno())
            return self._file.tell()

    def write(self, **values: Any) -> None:
        """Write a row; columns without a value stay empty."""
        row = {name: f"{value:.6g}" if isinstance(value, float) else value for name, value in values.items()}
        with writing(self._path):
            self._writer.writerow(row)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with writing(self._path):
            self._file.close()


State = dict[str, Any]
"""Tensors, numbers, strings and None, and lists, tuples and dictionaries of these."""

FORMAT: Final = "lexlattice checkpoint 3"
_DIGEST_LENGTH: Final = 16
_NAME: Final = re.compile(rf"(\d{{6,}})-([0-9a-f]{{{_DIGEST_LENGTH}}})\.safetensors")
"""The number of a checkpoint, and a digest of its content, which reveals damaged files."""


class Checkpoints:
    """The checkpoints of one training run in a folder: the last two, written atomically, safe to load (no pickle)."""

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        """`identity` must be equal for a run to be resumed: names of inputs and their digests."""
        self._folder = folder
        self._identity = dict(identity)
        make_folder(folder)

    def locked(self) -> AbstractContextManager[None]:
        """Keep other processes from writing checkpoints of the same run."""
        return locked(self._folder / LOCK)

    def save(self, state: State) -> None:
        """Write a checkpoint; keep the last undamaged one before it, and delete all others."""
        content = pack_state({**state, "identity": self._identity})
        known = self._paths()
        number = int(known[-1].name.split("-")[0]) + 1 if known else 1
        write_whole(self._folder / f"{number:06d}-{sha256(content)[:_DIGEST_LENGTH]}.safetensors", content)
        last = next((path for path in reversed(known) if _is_undamaged(path)), None)
        with writing(self._folder):
            for path in reversed(known):
                if path != last:
                    path.unlink(missing_ok=True)
        remove_parts(self._folder)

    def load(self) -> State | None:
        """Return the state of the last undamaged checkpoint; None if there are no checkpoints.

        Raises:
            DataError: all checkpoints are damaged, or belong to another training run.

        """
        paths = self._paths()
        for path in reversed(paths):
            if _is_undamaged(path):
                return self._read(path)
        if paths:
            raise DataError(f"All checkpoints in '{self._folder}' are damaged; train again in a new folder.")
        return None

    def _read(self, path: Path) -> State:
        try:
            state = unpack_state(path)
            identity = dict(state.get("identity", {}))
        except (
            SafetensorError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            struct.error,
            RecursionError,
        ) as error:
            raise DataError(f"'{path}' is not a checkpoint of this version; remove it, then resume.") from error
        if other := [name for name, digest in self._identity.items() if identity.get(name) != digest]:
            raise DataError(
                f"The training was started with another {other[0]}; resume it with that, or train in a new folder."
            )
        return state

    def _paths(self) -> list[Path]:
        """All checkpoints, oldest first."""
        found = [path for path in self._folder.iterdir() if _NAME.fullmatch(path.name) and path.is_file()]
        return sorted(found, key=lambda path: int(path.name.split("-")[0]))


def _is_undamaged(path: Path) -> bool:
    """Whether the content of a checkpoint has the digest in its name."""
    try:
        return sha256(path.read_bytes())[:_DIGEST_LENGTH] == path.stem.split("-")[1]
    except OSError:
        return False


def pack_state(state: State) -> bytes:
    """Serialize a state as safetensors: the tensors, and the structure around them as JSON in the metadata."""
    tensors: dict[str, Tensor] = {}
    structure = json.dumps(_to_json(state, "", tensors), separators=(",", ":"))
    return to_safetensors(tensors, {"format": FORMAT, "state": structure})


def unpack_state(path: Path) -> State:
    """Read what `pack_state` wrote, bit for bit."""
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
        # clones, because tensors of a memory-mapped file must not be modified in place
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118
    if metadata["format"] != FORMAT:
        raise ValueError(f"the format is {metadata['format']}")
    state = _from_json(json.loads(metadata["state"]), tensors)
    if not isinstance(state, dict):
        raise TypeError("a state is a dictionary")
    return state


def _to_json(value: object, name: str, tensors: dict[str, Tensor]) -> object:
    """Convert a value to JSON; tensors are collected under the name of their position.

    What JSON lacks becomes an object with one key, which says what it is.
    """
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"float": struct.pack(">d", value).hex()}
        case list():
            return [_to_json(inner, f"{name}.{place}", tensors) for place, inner in enumerate(value)]
        case tuple():
            return {"tuple": _to_json(list(value), name, tensors)}
        case dict():
            items = ((key, _to_json(inner, f"{name}.{key}", tensors)) for key, inner in value.items())
            return {"dict": [[_to_json(key, "", {}), inner] for key, inner in items]}
        case Tensor():
            name = name.removeprefix(".")
            while name in (*tensors, "__metadata__"):  # a key may itself contain dots, and one name is reserved
                name += "~"
            # a copy, because safetensors refuses tensors that share memory
            tensors[name] = value.detach().clone(memory_format=torch.contiguous_format)
            return {"tensor": name}
    raise TypeError(f"a checkpoint cannot hold a {type(value).__name__}")


def _from_json(value: Any, tensors: Mapping[str, Tensor]) -> Any:
    """Invert `_to_json`."""
    if isinstance(value, list):
        return [_from_json(inner, tensors) for inner in value]
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    match kind:
        case "float":
            return struct.unpack(">d", bytes.fromhex(inner))[0]
        case "tuple":
            return tuple(_from_json(inner, tensors))
        case "dict":
            return {_from_json(key, tensors): _from_json(item, tensors) for key, item in inner}
        case "tensor":
            return tensors[inner]
    raise ValueError(f"unknown kind '{kind}'")
