"""Progress of trainings, however many run at once: what their logs say, read while they are written."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, time
from typing import Final

from lexlattice._internal.progress import Note, elapsed, has_terminal
from lexlattice.training.config import Config
from lexlattice.training.run import MODEL

_LOG: Final = "log.csv"
_TAIL: Final = 4096
"""Bytes at the end of a log, which contain its last complete row."""
_REFRESH: Final = 1.0
"""Seconds between two looks at the logs on a terminal."""
_PAUSE: Final = 30.0
"""Seconds between two lines where there is no terminal."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A training whose progress is shown."""

    name: str
    folder: Path
    config: Config

    @property
    def is_over(self) -> bool:
        """Whether the model is there."""
        return (self.folder / MODEL).is_file()

    def state(self, since: float) -> str:
        """Stage and epoch, such as "2D, seed 0: rloo, epoch 2 of 6"; empty before it starts and after it ends.

        A log may be older than the run: that of an earlier run, or of the model that a training continues from.
        """
        log = self.folder / _LOG
        try:
            if self.is_over or log.stat().st_mtime < since:
                return ""
            with log.open("rb") as file:
                file.seek(max(0, log.stat().st_size - _TAIL))
                lines = file.read().decode("utf-8", "replace").split("\n")[:-1]  # the last may be incomplete
        except OSError:
            return ""
        if not lines or lines[-1].startswith("stage,"):
            return f"{self.name}: first epoch"
        stage, epoch, *_ = lines[-1].split(",")
        settings = getattr(self.config, stage.replace("-", "_"), None)
        return f"{self.name}: {stage}, epoch {epoch}" + (f" of {settings.epochs}" if settings else "")


@contextmanager
def watched(trainings: Sequence[Watched], note: Note, *, is_shown: bool) -> Iterator[None]:
    """Show what the trainings are doing while the body runs."""
    if not is_shown or not trainings:
        yield
        return
    is_over = threading.Event()
    show = _on_terminal if has_terminal() else _as_lines
    thread = threading.Thread(target=show, args=(trainings, note, is_over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _on_terminal(trainings: Sequence[Watched], _: Note, is_over: threading.Event) -> None:
    from tqdm import tqdm

    since = time()
    with tqdm(bar_format="{desc} [{elapsed}]", leave=False) as line:
        while not is_over.wait(_REFRESH):
            running = "; ".join(state for one in trainings if (state := one.state(since)))
            done = sum(one.is_over for one in trainings)
            line.set_description_str(f"training ({done} of {len(trainings)} done) {running}".rstrip())


def _as_lines(trainings: Sequence[Watched], note: Note, is_over: threading.Event) -> None:
    since, started = time(), monotonic()
    while not is_over.wait(_PAUSE):
        for one in trainings:
            if state := one.state(since):
                note(f"training {state}, {elapsed(started)}")
