"""Where a training stands, kept on disk: whole or not at all, the last two of them, and never as code.

A checkpoint has its digest in its name. One that does not hold what its name says is passed over for the one before.
"""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch

from lexlattice.errors import LexLatticeError
from lexlattice.files import sha256, write_whole, writing

State = dict[str, Any]
"""Tensors, numbers, strings, and lists and dictionaries of these: what `torch.load` takes without trusting the file."""

FORMAT: Final = "lexlattice training 1"
_KEPT: Final = 2
_DIGITS: Final = 16
_NAME: Final = re.compile(rf"(\d{{6,}})-([0-9a-f]{{{_DIGITS}}})\.pt")


class Checkpoints:
    """The checkpoints in a folder, all of one training."""

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        """`identity` is what must be the same for a training to be resumed: names of things, and their digests."""
        self._folder = folder
        self._identity = dict(identity)
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
            for path in folder.glob(".*.part"):
                path.unlink()

    def save(self, state: State) -> None:
        """Keep where a training stands, and forget what is older than the last one kept."""
        with io.BytesIO() as file:
            torch.save({**state, "format": FORMAT, "identity": self._identity}, file)
            content = file.getvalue()
        kept = self._names()
        number = int(kept[-1].name.split("-")[0]) + 1 if kept else 1
        write_whole(self._folder / f"{number:06d}-{sha256(content)[:_DIGITS]}.pt", content)
        with writing(self._folder):
            for path in kept[: 1 - _KEPT]:
                path.unlink(missing_ok=True)

    def load(self) -> State | None:
        """The last one that is whole; none if there is none at all."""
        names = self._names()
        for path in reversed(names):
            content = path.read_bytes()
            if sha256(content)[:_DIGITS] != path.stem.split("-")[1]:
                continue
            try:
                state: State = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
            except (RuntimeError, pickle.UnpicklingError, EOFError, ValueError) as error:
                raise LexLatticeError(f"'{path}' is no checkpoint of ours; remove it, and go on without.") from error
            self._check(state)
            return state
        if names:
            raise LexLatticeError(f"All checkpoints in '{self._folder}' are damaged; train anew, into a new folder.")
        return None

    def _check(self, state: State) -> None:
        """Refuse to go on with something else than was begun."""
        if not isinstance(state, dict) or state.get("format") != FORMAT:
            raise LexLatticeError("The checkpoint is not of this version; train anew, into a new folder.")
        known = state["identity"]
        if other := [name for name, digest in self._identity.items() if known.get(name) != digest]:
            raise LexLatticeError(
                f"The training was begun with another {other[0]}; go on with that, or train anew into a new folder."
            )

    def _names(self) -> list[Path]:
        """From the first to the last."""
        found = [path for path in self._folder.iterdir() if _NAME.fullmatch(path.name)]
        return sorted(found, key=lambda path: int(path.name.split("-")[0]))
