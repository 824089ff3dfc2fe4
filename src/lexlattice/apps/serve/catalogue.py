"""The routes that read no act: identifiers, languages, interface texts, examples, health and metrics."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute

from lexlattice.apps.serve.example_acts import FOLDERS, all_examples, path_of
from lexlattice.apps.serve.openapi import ACTS, EXAMPLES, OPERATIONS, READER
from lexlattice.apps.serve.problems import ENGLISH, ProblemError, language_of
from lexlattice.apps.serve.responses import ExampleResponse, Health, IdentifierResponse, LanguageResponse
from lexlattice.apps.serve.routes import ServiceDependency
from lexlattice.apps.serve.schemas import problems, text_response
from lexlattice.reading import LANGUAGES
from lexlattice.reading.identifiers import MAX_CHARACTERS, act_name, identify_act
from lexlattice.reading.languages.grammar import raw
from lexlattice.rendering.phrases import phrases

catalogue: Final = APIRouter()
_FIRST: Final = next(iter(FOLDERS))
Code = Annotated[str, Path(description="two-letter code of an official language", examples=["en"])]


@catalogue.get("/v1/identifiers", tags=[ACTS], summary="Understand what a person typed", responses=problems(422))
def identify(
    text: Annotated[
        str,
        Query(
            max_length=MAX_CHARACTERS,
            description="a CELEX number, the name or number of an act in any language, an ELI or EUR-Lex address",
            examples=["2016/679"],
        ),
    ],
    request: Request,
    response: Response,
    service: ServiceDependency,
) -> IdentifierResponse:
    """Return the acts that a text can name, the most likely first. Nothing is fetched or looked up."""
    language = language_of(request.headers.get("accept-language", "")) or ENGLISH
    response.headers.update({"Content-Language": language, "Vary": "Accept-Language"})
    fetches, found = service.settings.fetch, identify_act(text)
    if found is None:
        return IdentifierResponse(
            understood="none",
            celex="",
            name="",
            language=None,
            kind="",
            consolidated=None,
            candidates=[],
            fetches=fetches,
        )
    candidates = [{**act._asdict(), "name": act_name(act.celex, language)} for act in found.candidates]
    return IdentifierResponse.model_validate(
        {
            "understood": "celex",
            "fetches": fetches,
            **candidates[0],
            "language": found.language,
            "consolidated": found.consolidated,
            "candidates": candidates,
        }
    )


@catalogue.get("/v1/languages", tags=[READER], summary="The official languages", responses=problems())
def list_languages() -> list[LanguageResponse]:
    """List the 24 official languages."""
    return _languages()


@catalogue.get("/v1/words/{language}", tags=[READER], summary="Interface texts", responses=problems(404, 422))
def get_words(language: Code) -> dict[str, str]:
    """Return the interface texts of the web reader in a language, and how it writes dates."""
    _check_language(language)
    dates = raw(language)["dates"]
    months = {f"month_{number}": name for number, name in enumerate(dates["months"], 1)}
    return {**phrases(language).reader, "date_written": dates["written"], **months}


@catalogue.get("/v1/examples", tags=[EXAMPLES], summary="List the example acts", responses=problems())
def list_examples() -> list[ExampleResponse]:
    """List the example acts, three in each language. They are fictional."""
    return all_examples()


@catalogue.get(
    "/v1/examples/{language}",
    tags=[EXAMPLES],
    summary="The first example in a language",
    response_class=PlainTextResponse,
    responses=problems(404, 422) | text_response("The text of the act"),
)
def get_first_example(language: Code) -> Response:
    """Return the text of the first example act in a language."""
    return get_example(language, _FIRST)


@catalogue.get(
    "/v1/examples/{language}/{name}",
    tags=[EXAMPLES],
    summary="An example in a language",
    response_class=PlainTextResponse,
    responses=problems(404, 422) | text_response("The text of the act"),
)
def get_example(
    language: Code, name: Annotated[str, Path(description="id of the example", examples=list(FOLDERS))]
) -> Response:
    """Return the text of an example act in a language."""
    _check_language(language)
    path = path_of(language, name)
    if path is None:
        raise ProblemError(404, "no-example", "There is no such example in this language; see /v1/examples.")
    return PlainTextResponse(path.read_text("utf-8"))


@catalogue.get("/healthz", tags=[OPERATIONS], summary="Liveness", responses=problems())
async def get_liveness() -> Health:
    """Say that the service is up."""
    return Health()


@catalogue.get("/readyz", tags=[OPERATIONS], summary="Readiness", responses=problems(503))
async def get_readiness(service: ServiceDependency) -> Health:
    """Say whether a worker is available."""
    if not service.pool.ready:
        raise ProblemError(503, "not-ready", "No worker is ready; try again later.")
    return Health()


@catalogue.get(
    "/metrics",
    tags=[OPERATIONS],
    summary="Metrics",
    response_class=Response,
    responses=problems() | text_response("Metrics in the text format of Prometheus"),
)
async def get_metrics(service: ServiceDependency) -> Response:
    """Return metrics for Prometheus."""
    return Response(service.metrics.exposition(), media_type="text/plain; version=0.0.4; charset=utf-8")


for _route in tuple(catalogue.routes):
    # Monitors ask with HEAD. FastAPI allows it only where it is named, and would document it as a second operation.
    if isinstance(_route, APIRoute):
        catalogue.add_api_route(_route.path, _route.endpoint, methods=["HEAD"], include_in_schema=False)


@cache
def _languages() -> list[LanguageResponse]:
    # Only the head of each grammar file is parsed: loading all 24 grammars takes seconds.
    folder = files("lexlattice.reading").joinpath("languages")
    heads = {code: folder.joinpath(f"{code}.toml").read_text("utf-8").partition("\n[")[0] for code in LANGUAGES}
    return [LanguageResponse(code=code, name=tomllib.loads(head)["name"]) for code, head in heads.items()]


def _check_language(language: str) -> None:
    if language not in LANGUAGES:
        raise ProblemError(404, "unknown-language", "Not one of the 24 official languages; see /v1/languages.")
