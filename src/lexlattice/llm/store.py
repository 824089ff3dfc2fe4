"""Replies on the disk: what was once asked and answered is not asked again.

A reply's name is a digest of what it answers: the model, the two prompts and the schema. Change any of them, and it is
another question. What is kept are questions and answers, never a key.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lexlattice.files import sha256, write_whole, writing


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model said, and how many tokens it took; `data` is what it says as JSON, where that was asked for."""

    text: str
    tokens_in: int
    tokens_out: int
    is_cut: bool = False
    """It ended because it was as long as it may be."""
    data: Any = None


class Store:
    """A folder of replies. Several threads and processes may use it at once."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    @property
    def folder(self) -> Path:
        """Where the replies are."""
        return self._folder

    def usage(self) -> tuple[int, int, int]:
        """How many replies are kept, and how many tokens in and out they took."""
        used = []
        for path in self._folder.glob("??/*.json"):
            with suppress(OSError, ValueError, TypeError, KeyError):
                reply = Reply(**json.loads(path.read_bytes())["reply"])
                used.append((1, int(reply.tokens_in), int(reply.tokens_out)))
        requests, tokens_in, tokens_out = map(sum, zip(*used, strict=True)) if used else (0, 0, 0)
        return requests, tokens_in, tokens_out

    def load(self, key: str, longest: int) -> Reply | None:
        """The kept reply, unless it was cut off and could now be longer; what is damaged counts as not kept."""
        with suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads(self._path(key).read_bytes())
            reply = Reply(**kept["reply"])
            if isinstance(reply.text, str) and not (reply.is_cut and kept["longest"] < longest):
                return reply
        return None

    def save(self, key: str, question: Mapping[str, Any], reply: Reply, longest: int) -> None:
        """Keep a reply with what was asked; it is on the disk, whole, once this returns."""
        path = self._path(key)
        about = asdict(reply)
        del about["data"]
        content = json.dumps({**question, "longest": longest, "reply": about}, ensure_ascii=False, indent=1)
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
        own = path.with_name(f"{path.name}-{os.getpid()}-{threading.get_ident()}")
        write_whole(own, content.encode("utf-8", "surrogatepass"))
        with writing(path):
            own.replace(path)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


def key_of(question: Mapping[str, Any]) -> str:
    """The digest of what is asked."""
    return sha256(json.dumps(question, sort_keys=True).encode())
