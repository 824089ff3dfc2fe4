"""The routes that read acts: sent with the request, or named by their CELEX number and fetched."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from lexlattice.apps.serve import jobs
from lexlattice.apps.serve.bodies import ActUpload
from lexlattice.apps.serve.openapi import ACT, ACTS, READER, SUMMARIES
from lexlattice.apps.serve.responses import AlignmentResponse, ProvisionResponse, SummaryResponse
from lexlattice.apps.serve.schemas import (
    EXPORT_TYPES,
    FILE_RESPONSE,
    JSON,
    PROBLEMS,
    ActRequest,
    ExportRequest,
    Format,
    SummaryRequest,
    act_body,
    json_or_ndjson_response,
    json_response,
    pair_body,
    query_parameters,
    reference_response,
)
from lexlattice.apps.serve.service import Service
from lexlattice.apps.serve.view_schema import ViewResponse

api: Final = APIRouter()


async def _service(request: Request) -> Service:  # FastAPI would call a plain function in a thread
    service: Service = request.app.state.service
    return service


ServiceDependency = Annotated[Service, Depends(_service)]
Celex = Annotated[str, Path(description="CELEX number", examples=["32016R0679"])]
Cited = Annotated[
    str,
    Path(
        max_length=500,
        description="id or citation, as acts or as people write it, in any of the 24 languages",
        examples=["art-6.par-1", "Article 6(1)", "art. 6 para. 1", "Recital 4"],
    ),
]


# Acts that come with the request.


@api.post(
    "/v1/summaries",
    tags=[SUMMARIES],
    summary="Summarize an act",
    responses=PROBLEMS | json_or_ndjson_response("SummaryResponse", SummaryResponse),
    openapi_extra=act_body(SummaryRequest, ndjson=True),
)
async def summarize(request: Request, service: ServiceDependency) -> Response:
    """Return the most important provisions of an act, verbatim; several acts give one line each, in order."""
    return await service.respond(request, SummaryRequest, jobs.summarize)


@api.post(
    "/v1/exports",
    tags=[SUMMARIES],
    summary="Export a summary as a file",
    response_class=Response,
    responses=PROBLEMS | FILE_RESPONSE,
    openapi_extra=act_body(ExportRequest),
)
async def export(request: Request, service: ServiceDependency, format: Format) -> Response:
    """Return a summary, or the units with the given ids, as a file to download."""
    service.pool.admit()
    return await _export(request, service, (await service.bodies.read(request, ExportRequest)).single(), format)


@api.post(
    "/v1/acts",
    tags=[ACTS],
    summary="Parse an act",
    responses=PROBLEMS | json_or_ndjson_response(ACT),
    openapi_extra=act_body(ActRequest, ndjson=True),
)
async def parse(request: Request, service: ServiceDependency) -> Response:
    """Return the units of an act with ids, citations and positions; several acts give one line each, in order."""
    return await service.respond(request, ActRequest, jobs.parse)


@api.post(
    "/v1/provisions",
    tags=[ACTS],
    summary="Quote a provision",
    responses=PROBLEMS | json_response(ProvisionResponse),
    openapi_extra=act_body(ActRequest),
)
async def quote(
    request: Request,
    service: ServiceDependency,
    provision: Annotated[str, Query(min_length=1, max_length=500, description="id or citation", examples=["Art. 1"])],
) -> Response:
    """Return the exact text of a provision of an act, with its parts, its citation and its position."""
    service.pool.admit()
    act = (await service.bodies.read(request, ActRequest)).single()
    return Response(await service.run(request, jobs.quote, act, provision), media_type=JSON)


@api.post(
    "/v1/alignments",
    tags=[ACTS],
    summary="Align two versions of an act",
    responses=PROBLEMS | json_response(AlignmentResponse),
    openapi_extra=pair_body(),
)
async def align(request: Request, service: ServiceDependency) -> Response:
    """Return which units of two language versions of an act correspond."""
    service.pool.admit()
    first, second = await service.bodies.read_pair(request)
    return Response(await service.run(request, jobs.align, first, second), media_type=JSON)


@api.post(
    "/v1/views",
    tags=[READER],
    summary="Everything the reader shows",
    responses=PROBLEMS | json_response(ViewResponse),
    openapi_extra=act_body(ActRequest),
)
async def view(request: Request, service: ServiceDependency) -> Response:
    """Return all data that the web reader shows of an act; it may change with the reader."""
    service.pool.admit()
    act = (await service.bodies.read(request, ActRequest)).single()
    return Response(await service.run(request, jobs.view, act), media_type=JSON)


# Acts that are fetched. A service without fetching answers 422.


@api.get(
    "/v1/acts/{celex}",
    tags=[ACTS],
    summary="Fetch and parse an act",
    responses=PROBLEMS | reference_response(ACT),
    openapi_extra=query_parameters(ActRequest),
)
async def get_act(request: Request, service: ServiceDependency, celex: Celex) -> Response:
    """Return an act by its CELEX number, as `POST /v1/acts` does."""
    act = await _named(request, service, ActRequest, celex)
    return Response(await service.run(request, jobs.parse, act), media_type=JSON)


@api.get(
    "/v1/acts/{celex}/summary",
    tags=[SUMMARIES],
    summary="Fetch and summarize an act",
    responses=PROBLEMS | json_response(SummaryResponse),
    openapi_extra=query_parameters(SummaryRequest),
)
async def get_summary(request: Request, service: ServiceDependency, celex: Celex) -> Response:
    """Return the summary of an act by its CELEX number, as `POST /v1/summaries` does."""
    act = await _named(request, service, SummaryRequest, celex)
    return Response(await service.run(request, jobs.summarize, act), media_type=JSON)


@api.get(
    "/v1/acts/{celex}/export",
    tags=[SUMMARIES],
    summary="Fetch an act and export its summary",
    response_class=Response,
    responses=PROBLEMS | FILE_RESPONSE,
    openapi_extra=query_parameters(SummaryRequest),
)
async def get_export(request: Request, service: ServiceDependency, celex: Celex, format: Format) -> Response:
    """Return the summary of an act by its CELEX number as a file, as `POST /v1/exports` does."""
    return await _export(request, service, await _named(request, service, SummaryRequest, celex), format)


@api.get(
    "/v1/acts/{celex}/provisions/{provision}",
    tags=[ACTS],
    summary="Fetch an act and quote a provision",
    responses=PROBLEMS | json_response(ProvisionResponse),
    openapi_extra=query_parameters(ActRequest),
)
async def get_provision(request: Request, service: ServiceDependency, celex: Celex, provision: Cited) -> Response:
    """Return the exact text of a provision of an act by its CELEX number, as `POST /v1/provisions` does."""
    act = await _named(request, service, ActRequest, celex)
    return Response(await service.run(request, jobs.quote, act, provision), media_type=JSON)


async def _named(request: Request, service: Service, model: type[ActRequest], celex: str) -> ActUpload:
    service.pool.admit()
    return await service.bodies.read_query(request, model, celex)


async def _export(request: Request, service: Service, act: ActUpload, format: Format) -> Response:
    content, name = await service.run(request, jobs.export, act, format)
    suffix = "txt" if format == "text" else format
    return Response(
        content,
        headers={"Content-Disposition": f'attachment; filename="{name}.{suffix}"'},
        media_type=EXPORT_TYPES[format],
    )
