"""The routes: the REST API, health and metrics, and the files of the web reader."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import FileResponse, PlainTextResponse

from lexlattice.apps.serve import jobs
from lexlattice.apps.serve.problems import ProblemError
from lexlattice.apps.serve.schemas import (
    FILE_RESPONSE,
    JSON,
    PROBLEMS,
    ActRequest,
    AlignmentResponse,
    ExportRequest,
    Format,
    Health,
    LanguageResponse,
    SummaryRequest,
    SummaryResponse,
    act_body,
    json_or_ndjson_response,
    json_response,
    pair_body,
)
from lexlattice.apps.serve.service import Service
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.phrases import phrases

_HERE: Final = Path(__file__).parent
WEB: Final = _HERE / "web"
_EXAMPLES: Final = (_HERE / "examples", _HERE.parents[3] / "examples" / "short")
"""Folders of example acts: in an installed package, and in a clone."""
_EXPORT_MEDIA_TYPE: Final = {
    "md": "text/markdown; charset=utf-8",
    "text": "text/plain; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "json": JSON,
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
}
_WEB_MEDIA_TYPE: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": JSON,
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}

api: Final = APIRouter()


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


ServiceDependency = Annotated[Service, Depends(_service)]


# Acts.


@api.post(
    "/v1/summaries",
    responses=PROBLEMS | json_or_ndjson_response(SummaryResponse),
    openapi_extra=act_body(SummaryRequest, ndjson=True),
)
async def summaries(request: Request, service: ServiceDependency) -> Response:
    """Summarize an act; several acts give one line each, in order."""
    return await service.respond(request, SummaryRequest, jobs.summarize)


@api.post(
    "/v1/acts", responses=PROBLEMS | json_or_ndjson_response(None), openapi_extra=act_body(ActRequest, ndjson=True)
)
async def acts(request: Request, service: ServiceDependency) -> Response:
    """Parse an act into units with ids and citations; several acts give one line each, in order."""
    return await service.respond(request, ActRequest, jobs.parse)


@api.post("/v1/views", responses=PROBLEMS, openapi_extra=act_body(ActRequest))
async def views(request: Request, service: ServiceDependency) -> Response:
    """Return all data that the web reader shows of an act."""
    service.pool.admit()
    act = (await service.bodies.read(request, ActRequest)).single()
    return Response(await service.run(request, jobs.view, act), media_type=JSON)


@api.post("/v1/alignments", responses=PROBLEMS | json_response(AlignmentResponse), openapi_extra=pair_body())
async def alignments(request: Request, service: ServiceDependency) -> Response:
    """Align the units of two language versions of an act."""
    service.pool.admit()
    first, second = await service.bodies.read_pair(request)
    return Response(await service.run(request, jobs.align, first, second), media_type=JSON)


@api.post("/v1/exports", responses=PROBLEMS | FILE_RESPONSE, openapi_extra=act_body(ExportRequest))
async def exports(request: Request, service: ServiceDependency, format: Format) -> Response:
    """Return a summary as a file."""
    service.pool.admit()
    act = (await service.bodies.read(request, ExportRequest)).single()
    content, name = await service.run(request, jobs.export, act, format)
    suffix = "txt" if format == "text" else format
    return Response(
        content,
        headers={"Content-Disposition": f'attachment; filename="{name}.{suffix}"'},
        media_type=_EXPORT_MEDIA_TYPE[format],
    )


# Languages and examples.


@api.get("/v1/languages")
def languages() -> list[LanguageResponse]:
    """List the 24 official languages."""
    return _languages()


@api.get("/v1/words/{language}", responses={404: PROBLEMS[404], 422: PROBLEMS[422]})
def words(language: str) -> dict[str, str]:
    """Return the interface texts of the web reader in a language."""
    _check_language(language)
    return dict(phrases(language).reader)


@api.get("/v1/examples")
def examples() -> list[LanguageResponse]:
    """List the languages that have an example act."""
    return [language for language in _languages() if _example(language.code)]


@api.get(
    "/v1/examples/{language}",
    response_class=PlainTextResponse,
    responses={404: PROBLEMS[404], 422: PROBLEMS[422]},
)
def example(language: str) -> Response:
    """Return the text of the example act in a language."""
    _check_language(language)
    path = _example(language)
    if path is None:
        raise ProblemError(404, "There is no example in this language; see /v1/examples.")
    return PlainTextResponse(path.read_text("utf-8"))


# Health and metrics.


@api.get("/healthz")
async def healthz() -> Health:
    """Liveness: the service is up."""
    return Health()


@api.get("/readyz", responses={503: PROBLEMS[503]})
async def readyz(service: ServiceDependency) -> Health:
    """Readiness: a worker is available."""
    if not service.pool.ready:
        raise ProblemError(503, "No worker is ready; try again later.")
    return Health()


@api.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(service: ServiceDependency) -> Response:
    """Return metrics for Prometheus."""
    return Response(service.metrics.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")


# The web reader.


def pages() -> APIRouter:
    """Return a route for each file of the web reader; since routes are fixed, no path can reach another file."""
    router = APIRouter()
    for path in sorted(path for path in WEB.rglob("*") if path.suffix in _WEB_MEDIA_TYPE):
        name = path.relative_to(WEB).as_posix()
        for address in ("/", "/index.html") if name == "index.html" else (f"/{name}",):
            _add_file(router, address, path)
    return router


def _add_file(router: APIRouter, address: str, path: Path) -> None:
    async def file() -> Response:
        # no-cache: browsers revalidate, so that a page never mixes files of two releases
        return FileResponse(path, headers={"Cache-Control": "no-cache"}, media_type=_WEB_MEDIA_TYPE[path.suffix])

    router.add_api_route(address, file, methods=["GET", "HEAD"], include_in_schema=False)


@cache
def _languages() -> list[LanguageResponse]:
    # Only the head of each grammar file is parsed: loading all 24 grammars takes seconds.
    folder = files("lexlattice.reading").joinpath("languages")
    heads = {code: folder.joinpath(f"{code}.toml").read_text("utf-8").partition("\n[")[0] for code in LANGUAGES}
    return [LanguageResponse(code=code, name=tomllib.loads(head)["name"]) for code, head in heads.items()]


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise ProblemError(404, "Not one of the 24 official languages; see /v1/languages.")


def _example(language: str) -> Path | None:
    return next((path for folder in _EXAMPLES if (path := folder / f"{language}.txt").is_file()), None)
