"""`lexlattice.summarize_many`: many acts on all cores, each with its summary or its error."""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from itertools import chain
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

from lexlattice._internal.processes import WorkerPool, WorkerSlot
from lexlattice._internal.spawning import without_main_module
from lexlattice._internal.worker import InternalError, TooLargeError
from lexlattice.act.document import Act
from lexlattice.act.result import Result, require_several
from lexlattice.act.summary import Item, Summary
from lexlattice.apps.sources import plain_or_error
from lexlattice.errors import LexLatticeError, OptionError
from lexlattice.selection import Options, SummaryOptions
from lexlattice.selection.budget import whole_number
from lexlattice.summarizer import Source, Summarizer, file_of, shipped

if TYPE_CHECKING:
    from lexlattice.reading.hierarchies import Hierarchy

_SECONDS_ALONE: Final = 1.0
"""Work in this process before others are started, unless the caller asks for them: about what starting them takes."""
_AHEAD: Final = 4
"""Acts taken from the sources for each process: enough to keep it busy, few enough for any memory."""
_QUICK: Final = 0.01
"""Seconds; a source that took longer to come may be one of a slow stream."""
_MOST_JOBS: Final = 10_000
_MOST_MEMORY: Final = 10**15

Outcome = Summary | LexLatticeError


def summarize_many(
    sources: Iterable[Source],
    options: SummaryOptions | None = None,
    *,
    jobs: int | None = None,
    ordered: bool = True,
    seconds: float | None = None,
    memory: int | None = None,
    model: str | os.PathLike[str] | None = None,
    hierarchy: str | os.PathLike[str] | Hierarchy | None = None,
    **fields: Unpack[Options],
) -> Generator[Result[Summary], None, None]:
    r"""Summarize many acts, using several processes.

    Sources are taken only as results are consumed, so they can be an endless generator. Closing the generator that is
    returned, or leaving the loop over it, ends the processes. They do not import the calling script, so it needs no
    `if __name__ == "__main__"`. Taking a source may take long: what is done by then is yielded when it is there. If
    taking one raises an exception, the results of the sources before it are yielded first.

    Args:
        sources: The acts, each as for `lexlattice.summarize`: a list, a generator and so on.
        options: The options of all summaries.
        jobs: How many processes; 1 works in this one, act by act. By default this process does the first second of
            work, and for what is left there are as many processes as cores.
        ordered: Yield results in the order of the sources; otherwise as soon as they are there.
        seconds: How long an act may take; it is summarized in another process then, even with one job.
        memory: How many bytes a process may allocate, likewise.
        model: The folder or file of a model that `lexlattice train` wrote; by default the one of the package.
        hierarchy: How to read documents that are no EU acts, as in `lexlattice.read`.
        **fields: The fields of `SummaryOptions` instead of `options`.

    Yields:
        A `Result` for each source, with its summary or error. An act that fails does not affect others.

    Raises:
        OptionError: An option, the number of jobs or a limit is not valid, or a single act was given as the sources.
        WeightsError: There is no such model.
        ConfigError: There is no such hierarchy.

    Examples:
        >>> for result in summarize_many(["Article 1\n\nBees are free.", "no such file.html"], language="en"):
        ...     print(result.error.code if result.error else result.summary[0].citation)
        Article 1
        unreadable

    """
    require_several(sources)
    file = None if model is None else file_of(model).absolute()
    task = Task(_plain(SummaryOptions.of(options, fields)), file, _described(hierarchy))
    jobs, memory = _whole("jobs", jobs, _MOST_JOBS), _whole("memory", memory, _MOST_MEMORY)
    if seconds is not None and not (isinstance(seconds, Real) and 0 < seconds <= threading.TIMEOUT_MAX):
        raise OptionError(f"seconds={seconds!r} cannot be a limit; give a number above 0, or leave it out.")
    is_limited = seconds is not None or memory is not None
    is_daemon = multiprocessing.current_process().daemon  # which may not have processes of its own
    if is_daemon and (is_limited or (jobs or 1) > 1):
        raise OptionError("A process of a pool cannot start others; leave out jobs and limits in it.")
    if model is not None:
        task.load()  # so that a model that is not there is an error at once
    return _run(iter(sources), task, 1 if is_daemon else jobs, ordered, seconds, memory, is_limited=is_limited)


@dataclass(frozen=True, slots=True)
class Task:
    """How acts are summarized; sent to each process once."""

    options: SummaryOptions
    model: Path | None
    hierarchy: Hierarchy | None

    def load(self) -> Callable[[Source], Summary]:
        """Load the model, and return the function that summarizes an act."""
        summarizer = shipped() if self.model is None else Summarizer.from_pretrained(self.model)
        return partial(summarizer.summarize, options=self.options, hierarchy=self.hierarchy)


def _plain(options: SummaryOptions) -> SummaryOptions:
    """Return the same options without types of the caller's own, which another process would not know."""
    return SummaryOptions(**json.loads(json.dumps(options.to_dict())))


def _described(hierarchy: str | os.PathLike[str] | Hierarchy | None) -> Hierarchy | None:
    """Read a hierarchy once, since the caller may change to another folder while acts are summarized."""
    if hierarchy is None:
        return None
    from lexlattice.reading.hierarchies import load_hierarchy  # EU acts do not need it

    return load_hierarchy(hierarchy)


def _whole(name: str, value: int | None, most: int) -> int | None:
    """Return a number that is left out, or whole and possible."""
    whole = whole_number(value)
    if value is not None and (whole is None or not 1 <= whole <= most):
        raise OptionError(f"{name}={value!r} is not possible; give a whole number from 1 to {most:,}, or leave it out.")
    return whole


def _run(
    sources: Iterator[Source],
    task: Task,
    jobs: int | None,
    ordered: bool,
    seconds: float | None,
    memory: int | None,
    *,
    is_limited: bool,
) -> Generator[Result[Summary], None, None]:
    if not is_limited and jobs in (None, 1):
        yield from _in_this_process(sources, task, _SECONDS_ALONE if jobs is None else None)
    for first in sources:  # only if there are any left
        pool = WorkerPool(jobs or _cores(), partial(_load, task), seconds=seconds, memory=memory)
        try:
            yield from _in_processes(pool, chain([first], sources), ordered)
        finally:
            pool.close()


def _in_this_process(sources: Iterator[Source], task: Task, seconds: float | None) -> Iterator[Result[Summary]]:
    """Yield one result after the other, until N seconds were spent on them."""
    summarize, spent = task.load(), 0.0
    while seconds is None or spent < seconds:
        # `next` outside of a loop over the sources: none may be taken that is not summarized here.
        try:
            source = next(sources)
        except StopIteration:
            return
        start = time.perf_counter()
        result = _result(summarize, source, plain_or_error(source))
        spent += time.perf_counter() - start
        yield result


def _outcome(summarize: Callable[[Source], Summary], source: Source) -> Outcome:
    """The summary of an act, or the error that takes its place, whatever it is."""
    try:
        return summarize(source)
    except LexLatticeError as error:
        return error
    except MemoryError:
        return TooLargeError()
    except Exception as error:
        internal = InternalError(details=traceback.format_exc())
        internal.__cause__ = error
        return internal


def _in_processes(pool: WorkerPool, sources: Iterator[Source], ordered: bool) -> Iterator[Result[Summary]]:
    """Yield results while processes work on the acts that follow."""

    def send(source: Source) -> Summary:
        with without_main_module():
            act, *rest = pool.work(_summarize_in, source)
        return Summary(source if isinstance(source, Act) else act, *rest)

    waiting: deque[Future[Result[Summary]]] = deque()
    most, is_over, is_slow = _AHEAD * len(pool.slots), False, False
    failure: Exception | None = None
    while waiting or not is_over:
        if is_over or len(waiting) == most:
            wait([waiting[0]] if ordered else waiting, return_when=FIRST_COMPLETED)
        # A source is taken for each result, so that the processes never wait for more work until many results are
        # consumed; but before one that may be long in coming, all that is done is yielded.
        while (done := _first_done(waiting, ordered)) is not None:
            waiting.remove(done)
            yield done.result()
            if not is_slow:
                break
        if not is_over and len(waiting) < most:
            start = time.perf_counter()
            try:
                source = next(sources)
            except StopIteration:
                is_over = True
            except Exception as error:  # raised below: what is under way is not lost
                is_over, failure = True, error
            else:
                waiting.append(pool.submit(_result, send, source, plain_or_error(source)))
            is_slow = time.perf_counter() - start > _QUICK
    if failure is not None:
        raise failure


def _first_done(waiting: deque[Future[Result[Summary]]], ordered: bool) -> Future[Result[Summary]] | None:
    """Return the first result that can be yielded, so that none waits for ever if there is always another one."""
    if ordered:
        return waiting[0] if waiting and waiting[0].done() else None
    return next((future for future in waiting if future.done()), None)


def _result(
    summarize: Callable[[Source], Summary], source: Source, content: Source | LexLatticeError
) -> Result[Summary]:
    """Summarize the content of a source."""
    return Result(source, content if isinstance(content, LexLatticeError) else _outcome(summarize, content))


def _cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _summarize_in(slot: WorkerSlot, source: Source) -> Any:
    return slot.run(_summarize_there, source)


# Called in the worker processes:

_summarize: Callable[[Source], Summary]


def _load(task: Task) -> None:
    global _summarize
    _summarize = task.load()


def _summarize_there(source: Source) -> tuple[Act | None, int, tuple[Item, ...], tuple[str, ...]]:
    """Return the parts of a summary; an act that came from the other process is not sent back."""
    found = _summarize(source)
    return None if isinstance(source, Act) else found.act, found.budget, found.items, found.warnings
