"""A bulk task that takes no time, in a module whose import takes little, since every worker process imports it."""

from __future__ import annotations

import os
import re
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from lexlattice import LexLatticeError
from lexlattice.act.document import Act
from lexlattice.apps.bulk.output import Columns
from lexlattice.apps.bulk.records import Record
from lexlattice.apps.bulk.tasks import Task

_POISON = {
    "dies": lambda: os._exit(9),
    "stops": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "locks": lambda: re.match(r"(a+)+$", "a" * 40 + "b"),
}
"""The last one takes years, and no other thread of the process runs meanwhile."""


@dataclass(frozen=True)
class Letters(Task):
    """Counts the letters of a text; some texts are poison.

    With a `place`, the process dies while it is set up, as often as there are files in the folder `die` there; once it
    is set up, there is a file with its number in the folder `up`.
    """

    place: str = ""

    name: ClassVar[str] = "letters"
    task_columns: ClassVar[Columns] = {"letters": int}
    weights: ClassVar[str] = "none"

    @property
    def columns(self) -> Columns:
        return {"source": str, "letters": int}

    def load(self) -> None:
        if self.place:
            with suppress(StopIteration, FileNotFoundError):
                next(Path(self.place, "die").iterdir()).unlink()
                os._exit(7)
            Path(self.place, "up", str(os.getpid())).touch()

    def values(self, act: Act, record: Record) -> dict[str, Any]:
        raise NotImplementedError

    def row(self, record: Record) -> dict[str, Any]:
        if record.fault:
            raise LexLatticeError(record.fault)
        text = record.content.decode()
        if text in _POISON:
            _POISON[text]()
        return {"source": record.source, "letters": len(text)}
