"""Progress of long work: a bar on a terminal, and a line now and then where there is none.

>>> said = []
>>> list(tracked("ab", "reading", note=said.append))
['a', 'b']
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Final, Self, TypeVar

Item = TypeVar("Item")
Note = Callable[[str], object]

_PAUSE: Final = 30.0
"""Seconds between two lines: few enough for the log of a run of days, and the first comes soon enough."""


def has_terminal() -> bool:
    """Whether messages go to a terminal, where a bar can be drawn."""
    return sys.stderr is not None and sys.stderr.isatty()


class Progress:
    """Counts what is done. A context manager; several threads must not update it at once.

    Args:
        title: What is done, such as "measuring lead on en".
        total: How many items there are; None if unknown.
        unit: What the items are, in the plural.
        note: Receives the lines where there is no terminal.
        is_shown: If false, nothing is shown at all.

    """

    def __init__(
        self, title: str, total: int | None = None, unit: str = "acts", *, note: Note, is_shown: bool = True
    ) -> None:
        self._title, self._total, self._unit, self._note = title, total, unit, note
        self._is_shown, self.done = is_shown, 0
        self._bar: Any = None
        self._started = self._said = monotonic()

    def __enter__(self) -> Self:
        if self._is_shown and has_terminal():
            from tqdm import tqdm

            self._bar = tqdm(total=self._total, desc=self._title, unit=f" {self._unit}", dynamic_ncols=True)
            keep_time(self._bar)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def write(self, line: str) -> None:
        """Write a line to standard error without tearing the bar apart."""
        if self._bar is not None:
            self._bar.write(line, file=sys.stderr)
        elif sys.stderr is not None:
            with suppress(OSError):  # a full disk; the work goes on
                print(line, file=sys.stderr)  # noqa: T201

    def update(self, count: int = 1) -> None:
        """Count further items as done."""
        self.done += count
        if self._bar is not None:
            self._bar.update(count)
        elif self._is_shown and monotonic() - self._said >= _PAUSE:
            of = "" if self._total is None else f" of {self._total:,}"
            self._note(f"{self._title}: {self.done:,}{of} {self._unit}, {elapsed(self._started)}")
            self._said = monotonic()


def keep_time(bar: Any) -> None:
    """Let a bar of tqdm measure by a clock that nobody can set; by its own, it stops while the clock is set back."""
    bar._time = monotonic
    bar.start_t = bar.last_print_t = monotonic()


@contextmanager
def reports_interruption(state: Callable[[], str]) -> Iterator[None]:
    """Give the `KeyboardInterrupt` of the block a message that says what was finished; the command prints it.

    Args:
        state: Returns what was done and what to do next, in one sentence.

    """
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(state()) from None


def tracked(
    items: Iterable[Item],
    title: str,
    total: int | None = None,
    unit: str = "acts",
    *,
    note: Note,
    is_shown: bool = True,
) -> Iterator[Item]:
    """Yield the items, and show how many are done; the total is their length by default, if they have one."""
    count = len(items) if total is None and isinstance(items, Sized) else total
    with Progress(title, count, unit, note=note, is_shown=is_shown) as progress:
        for item in items:
            yield item
            progress.update()


def elapsed(since: float) -> str:
    """The time since a moment of `time.monotonic`, for people: seconds, then minutes, then hours and minutes."""
    seconds = int(monotonic() - since)
    if seconds < 60:
        return f"{seconds} s"
    minutes = seconds // 60
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
