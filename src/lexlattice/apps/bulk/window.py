"""The items of a run that are under way on other machines: which to send next, and which outcomes are due.

Nothing here knows how items are sent. Items are kept until their outcomes are here, so that those of a lost worker can
be sent to another; outcomes are kept until all before them are here, so that they leave in the order of the items.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from lexlattice.apps.bulk.records import Outcome, WorkItem

MAX_LOSSES: Final = 10
"""An act that was being processed when this number of workers was lost is taken for the cause.

Machines die for reasons of their own, but hardly so often under the same act; without a limit an act that does bring
them down would go round for ever.
"""

Worker = TypeVar("Worker", bound=Hashable)


@dataclass(order=True, slots=True)
class _Entry:
    position: int
    item: WorkItem | None = field(compare=False)
    """None once there is an outcome."""
    size: int = field(compare=False)
    losses: int = field(default=0, compare=False)
    outcome: Outcome | None = field(default=None, compare=False)


class Window(Generic[Worker]):
    """Items that were read and whose outcomes have not left yet; a bounded number, of bounded size.

    Args:
        items: Read only as far as there is room.
        count: How many items there may be.
        size: How many bytes they and their rows may have; a single item may have more.

    """

    def __init__(self, items: Iterable[WorkItem], count: int, size: int) -> None:
        self._items = iter(items)
        self._count, self._size = count, size
        self._entries: deque[_Entry] = deque()
        self._to_send: list[_Entry] = []
        """A heap, so that what was sent in vain is sent again before anything that comes later."""
        self._sent: dict[Worker, deque[_Entry]] = {}
        self._read = self._held = 0
        self._is_exhausted = False

    @property
    def is_done(self) -> bool:
        """Whether all items were read and all outcomes have left."""
        return self._is_exhausted and not self._entries

    def fill(self) -> None:
        """Read items as long as there is room."""
        while not self._is_exhausted and self._has_room:
            self._read_one()

    def next_for(self, worker: Worker) -> WorkItem | None:
        """Return the next item to send to a worker, which does its items in the order in which it gets them."""
        if not self._to_send:
            return None
        entry = heapq.heappop(self._to_send)
        self._sent.setdefault(worker, deque()).append(entry)
        return entry.item

    def done(self, worker: Worker, outcome: Outcome) -> None:
        """Record the outcome of the first item that a worker has."""
        self._finish(self._sent[worker].popleft(), outcome)

    def lost(self, worker: Worker, *, is_innocent: bool = False) -> None:
        """Take back the items of a worker that will not answer.

        The first of them was being processed; that counts against it unless it `is_innocent`, since the worker could
        not even begin.
        """
        entries = self._sent.pop(worker, deque())
        if entries and not is_innocent:
            entries[0].losses += 1
        for entry in entries:
            item = entry.item
            assert item is not None
            if entry.losses >= MAX_LOSSES:
                reason = f"{MAX_LOSSES} workers were lost while they processed this act; look at it, then retry it."
                self._finish(entry, Outcome(item.shard, item.record.source, item.record.digest, reason=reason))
            else:
                heapq.heappush(self._to_send, entry)

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the outcomes that are due."""
        while self._entries and (outcome := self._entries[0].outcome) is not None:
            self._held -= self._entries.popleft().size
            yield outcome

    @property
    def _has_room(self) -> bool:
        return not self._entries or (len(self._entries) < self._count and self._held < self._size)

    def _read_one(self) -> None:
        item = next(self._items, None)
        if item is None:
            self._is_exhausted = True
            return
        entry = _Entry(self._read, item, item.record.size)
        self._read += 1
        self._held += entry.size
        self._entries.append(entry)
        if item.skipped:  # there is nothing to do
            self._finish(entry, Outcome(item.shard, "", "", skipped=item.skipped))
        else:
            heapq.heappush(self._to_send, entry)

    def _finish(self, entry: _Entry, outcome: Outcome) -> None:
        entry.item = None
        entry.outcome = outcome._replace(restarts=outcome.restarts + entry.losses)
        size = len(outcome.row)
        self._held += size - entry.size
        entry.size = size
