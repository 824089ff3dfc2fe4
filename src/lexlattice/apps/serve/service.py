"""What all requests share: the worker pool, the body reader, the metrics, and fetching acts by CELEX number."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.requests import ClientDisconnect

from lexlattice.apps.serve import jobs
from lexlattice.apps.serve.bodies import ActUpload, BodyReader
from lexlattice.apps.serve.middleware import Metrics
from lexlattice.apps.serve.problems import ProblemError, language_of
from lexlattice.apps.serve.schemas import JSON, NDJSON, ActRequest
from lexlattice.apps.serve.settings import Settings
from lexlattice.apps.serve.workers import Job, JobTimeoutError, QueueFullError, RequestPool
from lexlattice.errors import LexLatticeError
from lexlattice.reading.fetch import fetch
from lexlattice.selection import SummaryOptions

_FETCH_THREADS: Final = 4
_MAX_STREAMS: Final = 16
"""Requests with several acts that are answered at the same time."""


class Service:
    """The state of the application, as `app.state.service`."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pool = RequestPool(
            settings.workers, settings.queue, settings.max_seconds, jobs.warm_up, settings.max_memory
        )
        self.bodies = BodyReader(settings)
        self.metrics = Metrics(self.pool)
        self._fetch_threads = ThreadPoolExecutor(_FETCH_THREADS, "fetch")
        self._fetching = self._streams = 0

    async def close(self) -> None:
        """Finish the running jobs, and stop the workers."""
        self._fetch_threads.shutdown(wait=False, cancel_futures=True)
        await self.pool.close()

    async def respond(self, request: Request, model: type[ActRequest], job: Job) -> Response:
        """Run a job for each act of a request: JSON for one act, a stream of NDJSON for several."""
        self.pool.admit()
        batch = await self.bodies.read(request, model)
        if batch.is_many:
            # A stream lasts until the client has read it, so streams need a limit apart from the queue.
            if self._streams >= _MAX_STREAMS:
                raise QueueFullError
            language = language_of(request.headers.get("accept-language", ""))
            return StreamingResponse(self._lines(job, batch.acts, language), media_type=NDJSON)
        return Response(await self.run(request, job, batch.single()), media_type=JSON)

    async def run(self, request: Request, job: Job, *args: Any) -> Any:
        """Run a job in a worker, unless the client disconnects first: that frees its place in the queue.

        Args:
            request: The request, whose connection is watched.
            job: A function of `jobs`.
            *args: Its arguments; uploads are turned into job requests, and fetched if they have a CELEX number only.

        Raises:
            ClientDisconnect: The client closed the connection.

        """
        work = asyncio.ensure_future(self._run(job, *args))
        # The body was read completely, so the next message is the disconnection.
        disconnected = asyncio.ensure_future(request.receive())
        try:
            await asyncio.wait((work, disconnected), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClientDisconnect
            return work.result()
        finally:
            work.cancel()
            disconnected.cancel()

    async def _run(self, job: Job, *args: Any, patient: bool = False) -> Any:
        known = [await self._job_request(arg) if isinstance(arg, ActUpload) else arg for arg in args]
        return await self.pool.run(job, *known, patient=patient)

    async def _lines(
        self, job: Job, acts: list[ActUpload | ProblemError], language: str | None
    ) -> AsyncIterator[bytes]:
        """Yield a line per act in order, with at most one act per worker under way."""
        tasks: deque[asyncio.Task[bytes]] = deque()
        self._streams += 1
        try:
            for number, act in enumerate(acts, 1):
                tasks.append(asyncio.create_task(self._line(job, act, language, number)))
                # Waiting for the oldest keeps the order; the others run on meanwhile.
                if len(tasks) >= self.settings.workers:
                    yield await tasks.popleft() + b"\n"
            while tasks:
                yield await tasks.popleft() + b"\n"
        finally:
            self._streams -= 1
            for task in tasks:
                task.cancel()

    async def _line(self, job: Job, act: ActUpload | ProblemError, language: str | None, number: int) -> bytes:
        if isinstance(act, ProblemError):
            return act.to_json(language, number)
        try:
            line: bytes = await self._run(job, act, patient=True)
        except ProblemError as problem:
            return problem.to_json(language, number)
        except LexLatticeError as error:
            return ProblemError.from_error(error).to_json(language, number)
        return line

    async def _job_request(self, upload: ActUpload) -> jobs.JobRequest:
        fields = upload.request.model_dump(exclude={"text", "celex"}, exclude_defaults=True)
        content, celex = upload.content, upload.request.celex or ""
        if celex:
            fields.setdefault("language", "en")  # the documented default for CELEX numbers
            content = await self._fetch(celex, fields["language"])
        return jobs.JobRequest(
            content,
            celex=celex.strip().upper().removeprefix("CELEX:"),
            name=upload.name,
            options=SummaryOptions.from_mapping(fields),
            group=fields.get("group", False),
            units=tuple(fields["units"]) if "units" in fields else None,
        )

    async def _fetch(self, celex: str, language: str) -> bytes:
        if not self.settings.fetch:
            raise ProblemError(422, "fetch-disabled", "This service does not fetch acts; send the act itself.")
        if self._fetching >= _FETCH_THREADS + self.settings.queue:
            raise QueueFullError
        seconds, limit, loop = self.settings.max_seconds, self.settings.max_bytes, asyncio.get_running_loop()
        self._fetching += 1
        work = loop.run_in_executor(
            self._fetch_threads,
            lambda: fetch(celex, language=language, timeout=seconds / 2, attempts=2, max_bytes=limit),
        )
        work.add_done_callback(self._fetched)
        try:
            async with asyncio.timeout(seconds):
                # A thread cannot be cancelled; without the shield its future would count as done while it still runs.
                content: bytes = (await asyncio.shield(work)).content
        except TimeoutError:
            raise JobTimeoutError(seconds) from None
        if len(content) > limit:  # from the cache of a process with a higher limit
            megabytes = f"{limit / 1e6:g}"
            raise ProblemError(413, "act-too-large", f"The act is larger than {megabytes} MB.", megabytes=megabytes)
        return content

    def _fetched(self, work: asyncio.Future[Any]) -> None:
        self._fetching -= 1
        if not work.cancelled():
            work.exception()  # mark it as retrieved, or asyncio logs it if the client has gone
