"""A bulk run on a Ray cluster: acts are read here, sent to actors on any machine, and their rows written here.

Ray retries nothing by itself. An actor that is lost, with its machine or alone, is replaced by a new one, and the acts
it had are sent to others; their contents are still here. So an act has one outcome, whatever dies in between.
"""

from __future__ import annotations

import logging
import socket
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final

import ray
from ray.exceptions import ActorDiedError, RayError, RayTaskError

from lexlattice import __version__
from lexlattice._internal.worker import WorkerStartError
from lexlattice.apps.bulk.engines import RESUME, Limits, cannot_start
from lexlattice.apps.bulk.records import Outcome, WorkItem
from lexlattice.apps.bulk.remote import RemoteWorker
from lexlattice.apps.bulk.tasks import Task
from lexlattice.apps.bulk.window import Window
from lexlattice.errors import LexLatticeError, brief

_AHEAD: Final = 4
"""Acts under way for each actor, those included that wait for the rows before them."""
_QUEUE: Final = 2
"""Acts that an actor has at a time: one is on its way while the other is processed."""
_WINDOW: Final = 64_000_000
"""Bytes of acts and rows under way, however many actors there are."""
_STORE_SHARE: Final = 4
"""Acts under way take at most this part of the smallest object store, since rows and copies go through it too."""
_STORE: Final = 300_000_000
"""Bytes of the object store of a cluster that is started here."""
_TICK: Final = 1.0
"""Seconds between looks at the cluster while nothing arrives."""
_CONNECT_SECONDS: Final = 5.0
_ACTOR_SECONDS: Final = 600.0
"""How long there may be no actor at all: machines of a cloud take minutes to start."""
_START_ATTEMPTS: Final = 5
"""Actors in a row that may fail to start a worker process; each of them has tried several times."""
_GRACE: Final = 300.0
"""Seconds that an actor may take on top of the limits of an act, to replace its process and send the row."""


def run_on_cluster(
    task: Task, items: Iterable[WorkItem], limits: Limits, jobs: int, address: str | None
) -> Generator[Outcome, None, None]:
    """Yield the outcomes in the order of the items.

    Raises:
        LexLatticeError: Ray cannot be reached or failed, or workers cannot be started.

    """
    with _connected(jobs, address):
        window: Window[_Actor] = Window(items, _AHEAD * jobs, _window_size())
        actors = _Actors(task, limits, jobs)
        try:
            window.fill()
            while not window.is_done:
                actors.send(window)
                actors.receive(window)
                yield from window.outcomes()
                window.fill()
        except RayError as error:
            raise LexLatticeError(f"Ray failed ({brief(error)}); {RESUME}") from error
        finally:
            actors.close()


@contextmanager
def _connected(jobs: int, address: str | None) -> Iterator[None]:
    """Connect to a running cluster, or start one on this machine."""
    options: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    try:
        if address:
            _check_reachable(address)
            options["address"] = address
        else:
            options |= {"num_cpus": jobs, "object_store_memory": _STORE, "include_dashboard": False}
        ray.init(**options)
    except (OSError, RuntimeError, ValueError, RayError) as error:
        raise LexLatticeError(f"Ray cannot be reached ({brief(error)}); start it, or give another address.") from error
    try:
        yield
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Raise an OSError if nothing listens at an address; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if port.isdecimal():  # else it is a word for Ray to look up, such as "auto"
        socket.create_connection((host.rpartition("/")[2].strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()


def _window_size() -> int:
    stores = [node["Resources"].get("object_store_memory", _STORE) for node in ray.nodes() if node["Alive"]]
    return min(_WINDOW, int(min(stores, default=_STORE)) // _STORE_SHARE)


@dataclass(eq=False, slots=True)
class _Actor:
    """An actor of the cluster, and its answers that are awaited."""

    handle: Any
    starting: Any
    """The answer to `start`; None once it has come."""
    answers: deque[Any] = field(default_factory=deque)
    """To `process`, in the order in which they will come."""
    since: float = field(default_factory=monotonic)
    """When it began to start, or with the first of its acts."""

    @property
    def awaited(self) -> Any:
        """The answer that comes next, or None."""
        return self.starting or (self.answers[0] if self.answers else None)


class _Actors:
    """As many actors as there are jobs; some may be waiting for a free CPU."""

    def __init__(self, task: Task, limits: Limits, jobs: int) -> None:
        # Ray restarts and retries nothing: both are done here, where it is known what an actor had to do.
        self._class = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD")(
            RemoteWorker
        )
        self._arguments = (task, limits, __version__)
        self._overdue = 2 * limits.seconds + _GRACE
        self._actors: list[_Actor] = []
        self._failed_starts = 0
        self._alive = monotonic()
        for _ in range(jobs):
            self._add()

    def send(self, window: Window[_Actor]) -> None:
        """Give every actor something to do, as far as there is anything: first one act to each, then a second."""
        for depth in range(1, _QUEUE + 1):
            for actor in self._actors:
                if actor.starting is None and len(actor.answers) < depth:
                    if (item := window.next_for(actor)) is None:
                        return
                    if not actor.answers:
                        actor.since = monotonic()
                    actor.answers.append(actor.handle.process.remote(item))

    def receive(self, window: Window[_Actor]) -> None:
        """Wait for answers, pass them on, and replace actors that are lost.

        Raises:
            LexLatticeError: No worker can be started, or the cluster is gone.

        """
        awaited = {actor.awaited: actor for actor in self._actors if actor.awaited is not None}
        if not awaited:  # only acts of complete shards were read
            return
        arrived, _ = ray.wait(list(awaited), num_returns=1, timeout=_TICK)
        for answer in arrived:
            actor = awaited[answer]
            try:
                value = ray.get(answer)
            except RayError as error:
                _raise_if_permanent(error)
                self._replace(actor, window)
                continue
            if isinstance(value, LexLatticeError):
                self._failed_to_start(actor, value, window)
            elif actor.starting is not None:
                actor.starting = None
                self._failed_starts = 0
            else:
                actor.answers.popleft()
                actor.since = monotonic()
                window.done(actor, value)
        self._watch(window)

    def close(self) -> None:
        """End all actors."""
        for actor in self._actors:
            with suppress(RayError):
                ray.kill(actor.handle)

    def _add(self) -> None:
        handle = self._class.remote(*self._arguments)
        self._actors.append(_Actor(handle, handle.start.remote()))

    def _replace(self, actor: _Actor, window: Window[_Actor], *, is_innocent: bool = False) -> None:
        self._actors.remove(actor)
        with suppress(RayError):
            ray.kill(actor.handle)  # it may be alive all the same, and must not hold a CPU
        window.lost(actor, is_innocent=is_innocent)
        self._add()

    def _failed_to_start(self, actor: _Actor, fault: LexLatticeError, window: Window[_Actor]) -> None:
        """Replace an actor whose worker process cannot be started, be it its first one or another."""
        self._failed_starts += 1
        if not isinstance(fault, WorkerStartError):
            raise fault
        if self._failed_starts == _START_ATTEMPTS:
            raise cannot_start(fault)
        self._replace(actor, window, is_innocent=True)

    def _watch(self, window: Window[_Actor]) -> None:
        """Notice what Ray does not report: actors that hang, and that there are none at all."""
        now = monotonic()
        for actor in [each for each in self._actors if each.answers and now - each.since > self._overdue]:
            self._replace(actor, window)
        if any(actor.starting is None for actor in self._actors):
            self._alive = now
        elif now - self._alive > _ACTOR_SECONDS:
            raise LexLatticeError(
                f"The Ray cluster had no free CPU for {_ACTOR_SECONDS:g} seconds; add machines, then {RESUME}"
            )


def _raise_if_permanent(error: RayError) -> None:
    """Raise an error that every other actor would have, too."""
    is_ours = isinstance(error, RayTaskError) and not isinstance(error.cause, RayError)
    if is_ours or (isinstance(error, ActorDiedError) and error.actor_init_failed):
        reason = str(error).strip().rpartition("\n")[2]  # what precedes it is a traceback
        raise LexLatticeError(
            f"A machine of the Ray cluster cannot run LexLattice ({reason.rstrip('. ')}); "
            "install the same version with the same Python on all machines."
        ) from error
