"""Items under way on other machines: whatever is lost, each has one outcome, in order, and few are held at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexlattice.apps.bulk.records import Outcome, Record, WorkItem
from lexlattice.apps.bulk.window import MAX_LOSSES, Window

COUNT, SIZE = 6, 40


def outcome(item: WorkItem) -> Outcome:
    return Outcome(item.shard, item.record.source, "", row="r" * len(item.record.content))


class Cluster:
    """Workers that answer or are lost, as drawn."""

    def __init__(self, sizes: list[int], skipped: set[int], draw: Iterator[int]) -> None:
        self.draw = draw
        self.read = 0
        self.expected = [str(number) if number not in skipped else "" for number in range(len(sizes))]
        self.sizes = [0 if number in skipped else size for number, size in enumerate(sizes)]
        self.window: Window[int] = Window(self._items(skipped), COUNT, SIZE)
        self.workers: dict[int, deque[WorkItem]] = {number: deque() for number in range(3)}
        self.next_worker = 3

    def _items(self, skipped: set[int]) -> Iterator[WorkItem]:
        for number, size in enumerate(self.sizes):
            self.read += 1
            if number in skipped:
                yield WorkItem(number, Record(""), skipped=7)
            else:
                yield WorkItem(number, Record(str(number), b"x" * size))

    def run(self) -> list[Outcome]:
        left: list[Outcome] = []
        self.window.fill()
        while not self.window.is_done:
            for worker, queue in self.workers.items():
                while len(queue) < 2 and (item := self.window.next_for(worker)) is not None:
                    queue.append(item)
            assert self.read - len(left) <= COUNT
            assert sum(self.sizes[len(left) : self.read - 1]) < SIZE, "only the last one may exceed it"
            self._step()
            left += self.window.outcomes()
            self.window.fill()
        return left

    def _step(self) -> None:
        busy = [worker for worker, queue in self.workers.items() if queue]
        if not busy:
            return
        drawn = next(self.draw, 1)
        worker = busy[drawn % len(busy)]
        if drawn % 5 == 0:
            del self.workers[worker]
            self.window.lost(worker)
            self.workers[self.next_worker] = deque()
            self.next_worker += 1
        else:
            self.window.done(worker, outcome(self.workers[worker].popleft()))


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(0, 60), max_size=40),
    skipped=st.sets(st.integers(0, 40)),
    drawn=st.lists(st.integers(0, 100), max_size=120),
)
def test_whatever_is_lost_each_item_has_one_outcome_in_order(
    sizes: list[int], skipped: set[int], drawn: list[int]
) -> None:
    cluster = Cluster(sizes, skipped, iter(drawn))
    left = cluster.run()
    assert [(each.shard, each.source) for each in left] == list(enumerate(cluster.expected))
    assert all(bool(each.skipped) == (each.shard in skipped) for each in left)


@pytest.fixture
def window() -> Window[str]:
    window: Window[str] = Window([WorkItem(0, Record(name, b"x")) for name in "ab"], COUNT, SIZE)
    window.fill()
    return window


def test_what_was_lost_is_sent_again_before_anything_later(window: Window[str]) -> None:
    first = window.next_for("one")
    window.lost("one")
    assert window.next_for("two") is first


def test_a_loss_is_blamed_on_the_act_that_was_processed_not_on_the_one_that_waited(window: Window[str]) -> None:
    for number in range(MAX_LOSSES):
        assert not list(window.outcomes())
        for name in "ab":
            item = window.next_for(str(number))
            assert item is not None and item.record.source == name
        window.lost(str(number))
    (culprit,) = window.outcomes()
    assert (culprit.source, culprit.row, culprit.restarts) == ("a", "", MAX_LOSSES)
    assert culprit.reason and culprit.digest
    item = window.next_for("last")
    assert item is not None
    window.done("last", outcome(item))
    (innocent,) = window.outcomes()
    assert (innocent.source, innocent.reason, innocent.restarts) == ("b", "", 0)
    window.fill()
    assert window.is_done


def test_losing_a_worker_without_work_changes_nothing(window: Window[str]) -> None:
    window.lost("idle")
    item = window.next_for("one")
    assert item is not None and item.record.source == "a"


def test_an_item_whose_worker_could_not_even_begin_is_not_blamed_for_it() -> None:
    window: Window[int] = Window([WorkItem(0, Record("a", b"a"))], COUNT, SIZE)
    window.fill()
    for worker in range(2 * MAX_LOSSES):
        assert window.next_for(worker) is not None
        window.lost(worker, is_innocent=True)
    item = window.next_for(-1)
    assert item is not None
    window.done(-1, outcome(item))
    assert [found.reason for found in window.outcomes()] == [""]
