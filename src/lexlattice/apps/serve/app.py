"""The service: routes, and what stands around all of them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from lexlattice import __version__
from lexlattice.apps.serve import jobs, pages
from lexlattice.apps.serve.intake import JSON, LINES, Intake, Sent
from lexlattice.apps.serve.middleware import Around, Metrics
from lexlattice.apps.serve.openapi import FILE, PROBLEMS, answered, body, several, two_acts
from lexlattice.apps.serve.schemas import (
    ActRequest,
    AlignmentAnswer,
    ExportRequest,
    Format,
    Health,
    ProblemError,
    SummaryAnswer,
    SummaryRequest,
)
from lexlattice.apps.serve.settings import Settings
from lexlattice.apps.serve.workers import Job, JobTimeoutError, QueueFullError, RequestPool
from lexlattice.errors import LexLatticeError
from lexlattice.reading.fetch import fetch
from lexlattice.selection import SummaryOptions

_FETCHERS: Final = 4
"""Acts that are fetched at the same time."""
_STREAMS: Final = 16
"""Requests of many acts that are answered at the same time."""
_MEDIA: Final = {
    "md": "text/markdown; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": JSON,
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
}


def create_app(settings: Settings | None = None) -> FastAPI:
    """The service with these limits; its processes start and end with it."""
    service = Service(settings or Settings())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        try:
            await service.pool.start()
            yield
        finally:
            await service.close()

    app = FastAPI(
        title="LexLattice",
        version=__version__,
        description="The provisions of EU acts that matter, word for word, each with its citation.",
        docs_url=None,  # their pages load from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    _add_routes(app, service)
    app.include_router(pages.router())
    app.add_middleware(Around, settings=service.settings, intake=service.intake, metrics=service.metrics)
    app.add_exception_handler(ProblemError, _answer_problem)
    app.add_exception_handler(LexLatticeError, _answer_error)
    app.add_exception_handler(HTTPException, _answer_http)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    return app


class Service:
    """What the routes share: the processes, and how an act gets to them."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pool = RequestPool(settings.workers, settings.queue, settings.max_seconds, jobs.begin, settings.max_memory)
        self.intake = Intake(settings)
        self.metrics = Metrics(self.pool)
        self._fetchers = ThreadPoolExecutor(_FETCHERS, "fetch")
        self._fetching = self._streams = 0

    async def close(self) -> None:
        """Finish what is running."""
        self._fetchers.shutdown(wait=False, cancel_futures=True)
        await self.pool.close()

    async def do(self, job: Job, *args: Any, patient: bool = False) -> Any:
        """Have a job done on an act, which is fetched first if only its number was given, or on two."""
        known = [await self._asked(arg) if isinstance(arg, Sent) else arg for arg in args]
        return await self.pool.run(job, *known, patient=patient)

    async def do_for(self, request: Request, job: Job, *args: Any) -> Any:
        """The same, as long as there is somebody to do it for: who went away keeps no place in the queue."""
        work = asyncio.ensure_future(self.do(job, *args))
        gone = asyncio.ensure_future(request.receive())
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise ClientDisconnect
            return work.result()
        finally:
            work.cancel()
            gone.cancel()

    async def answer(self, request: Request, model: type[ActRequest], job: Job) -> Response:
        """One answer for one act, and a line each for several."""
        self.pool.admit()
        batch = await self.intake.take(request, model)
        if batch.many:
            if self._streams >= _STREAMS:
                raise QueueFullError
            return StreamingResponse(self._lines(job, batch.acts), media_type=LINES)
        return Response(await self.do_for(request, job, batch.one()), media_type=JSON)

    async def _lines(self, job: Job, acts: list[Sent | ProblemError]) -> AsyncIterator[bytes]:
        """In their order, and never more at work than there are processes."""
        tasks: deque[asyncio.Task[bytes]] = deque()
        self._streams += 1
        try:
            for number, act in enumerate(acts, 1):
                tasks.append(asyncio.create_task(self._line(job, act, number)))
                if len(tasks) >= self.settings.workers:
                    yield await tasks.popleft() + b"\n"
            while tasks:
                yield await tasks.popleft() + b"\n"
        finally:
            self._streams -= 1
            for task in tasks:
                task.cancel()

    async def _line(self, job: Job, act: Sent | ProblemError, number: int) -> bytes:
        if isinstance(act, ProblemError):
            return act.to_line(number)
        try:
            line: bytes = await self.do(job, act, patient=True)
        except ProblemError as problem:
            return problem.to_line(number)
        except LexLatticeError as error:
            return ProblemError.of(error).to_line(number)
        return line

    async def _asked(self, sent: Sent) -> jobs.Asked:
        wishes = sent.request.model_dump(exclude={"text", "celex"}, exclude_defaults=True)
        celex = sent.request.celex
        if celex is not None:
            wishes["language"] = sent.request.language or "en"
        return jobs.Asked(
            sent.content if celex is None else await self._fetch(celex, wishes["language"]),
            celex="" if celex is None else celex.strip().upper().removeprefix("CELEX:"),
            name=sent.name,
            options=SummaryOptions.from_mapping(wishes),
            group=wishes.get("group", False),
            units=tuple(wishes["units"]) if "units" in wishes else None,
        )

    async def _fetch(self, celex: str, language: str) -> bytes:
        if not self.settings.fetch:
            raise ProblemError(422, "This service fetches no acts; send the act itself.")
        if self._fetching >= _FETCHERS + self.settings.queue:
            raise QueueFullError
        seconds, most, loop = self.settings.max_seconds, self.settings.max_bytes, asyncio.get_running_loop()
        self._fetching += 1
        work = loop.run_in_executor(
            self._fetchers, lambda: fetch(celex, language=language, timeout=seconds / 2, attempts=2, most=most)
        )
        work.add_done_callback(self._fetched)
        try:
            async with asyncio.timeout(seconds):
                content: bytes = (await asyncio.shield(work)).content
        except TimeoutError:
            raise JobTimeoutError(seconds) from None
        if len(content) > most:  # it was fetched and kept by somebody who allowed more
            raise ProblemError(413, f"The act is larger than {most / 1e6:g} MB.")
        return content

    def _fetched(self, work: asyncio.Future[Any]) -> None:
        self._fetching -= 1
        if not work.cancelled():
            work.exception()  # seen, even if nobody waits for it any more


def _add_routes(app: FastAPI, service: Service) -> None:
    """The routes that need the service."""

    @app.post(
        "/v1/summaries", responses=PROBLEMS | several(SummaryAnswer), openapi_extra=body(SummaryRequest, lines=True)
    )
    async def summaries(request: Request) -> Response:
        """The provisions of an act that matter; of several acts, a line each, in their order."""
        return await service.answer(request, SummaryRequest, jobs.summarize)

    @app.post("/v1/acts", responses=PROBLEMS | several(None), openapi_extra=body(ActRequest, lines=True))
    async def acts(request: Request) -> Response:
        """All units of an act, with ids and citations; of several acts, a line each, in their order."""
        return await service.answer(request, ActRequest, jobs.parse)

    @app.post("/v1/views", responses=PROBLEMS, openapi_extra=body(ActRequest))
    async def views(request: Request) -> Response:
        """All that the page shows of an act."""
        service.pool.admit()
        sent = (await service.intake.take(request, ActRequest)).one()
        return Response(await service.do_for(request, jobs.view, sent), media_type=JSON)

    @app.post("/v1/alignments", responses=PROBLEMS | answered(AlignmentAnswer), openapi_extra=two_acts())
    async def alignments(request: Request) -> Response:
        """Which units of one version of an act say what those of another say, in whatever two languages."""
        service.pool.admit()
        first, second = await service.intake.take_two(request)
        return Response(await service.do_for(request, jobs.align, first, second), media_type=JSON)

    @app.post("/v1/exports", responses=PROBLEMS | FILE, openapi_extra=body(ExportRequest))
    async def exports(request: Request, format: Format) -> Response:
        """The summary as a file."""
        service.pool.admit()
        sent = (await service.intake.take(request, ExportRequest)).one()
        content, name = await service.do_for(request, jobs.export, sent, format)
        ending = "txt" if format == "text" else format
        return Response(
            content,
            headers={"Content-Disposition": f'attachment; filename="{name}.{ending}"'},
            media_type=_MEDIA[format],
        )

    @app.get("/healthz")
    async def healthz() -> Health:
        """Whether the service is there."""
        return Health()

    @app.get("/readyz", responses={503: PROBLEMS[503]})
    async def readyz() -> Health:
        """Whether it can work."""
        if not service.pool.ready:
            raise ProblemError(503, "No worker is ready; try again later.")
        return Health()

    @app.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
    async def metrics() -> Response:
        """Figures for Prometheus."""
        return Response(service.metrics.page(), media_type="text/plain; version=0.0.4; charset=utf-8")


async def _answer_problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return error.to_response()


async def _answer_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, LexLatticeError)
    return ProblemError.of(error).to_response()


async def _answer_http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    details = {404: "There is nothing here; see /openapi.json.", 405: "This cannot be done here; see /openapi.json."}
    detail = details.get(error.status_code, "The request cannot be understood.")
    return ProblemError(error.status_code, detail, error.headers).to_response()


async def _answer_invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return ProblemError(422, f"{first['loc'][-1]}: {first['msg'].rstrip('.')}.").to_response()
