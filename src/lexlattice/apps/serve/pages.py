"""What is the same for everybody: the page and its words, the languages, the example."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse, PlainTextResponse

from lexlattice.apps.serve.openapi import PROBLEMS
from lexlattice.apps.serve.schemas import LanguageAnswer, ProblemError
from lexlattice.reading import LANGUAGES
from lexlattice.rendering.phrases import phrases

_HERE: Final = Path(__file__).parent
WEB: Final = _HERE / "web"
EXAMPLES: Final = (_HERE / "examples", _HERE.parents[3] / "examples" / "short")
"""In the package that is installed, and where it is developed."""
_MEDIA: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}
_ASK_AGAIN: Final = {"Cache-Control": "no-cache"}


def router() -> APIRouter:
    """The routes; each file of the page is one, so that no other can be asked for."""
    routes = APIRouter()

    @routes.get("/v1/languages")
    def languages() -> list[LanguageAnswer]:
        """The 24 official languages."""
        return _languages()

    @routes.get("/v1/words/{language}", responses={404: PROBLEMS[404], 422: PROBLEMS[422]})
    def words(language: str) -> dict[str, str]:
        """The words of the page."""
        _check(language)
        return dict(phrases(language).reader)

    @routes.get("/v1/examples")
    def examples() -> list[LanguageAnswer]:
        """The languages in which there is an example."""
        return [language for language in _languages() if _example(language.code)]

    @routes.get(
        "/v1/examples/{language}",
        response_class=PlainTextResponse,
        responses={404: PROBLEMS[404], 422: PROBLEMS[422]},
    )
    def example(language: str) -> Response:
        """The text of the example act."""
        _check(language)
        path = _example(language)
        if path is None:
            raise ProblemError(404, "There is no example in this language; choose another.")
        return PlainTextResponse(path.read_text("utf-8"))

    for path in sorted(path for path in WEB.rglob("*") if path.suffix in _MEDIA):
        name = path.relative_to(WEB).as_posix()
        for address in ("/", "/index.html") if name == "index.html" else (f"/{name}",):
            _add_file(routes, address, path)
    return routes


def _add_file(routes: APIRouter, address: str, path: Path) -> None:
    async def file() -> Response:
        return FileResponse(path, headers=_ASK_AGAIN, media_type=_MEDIA[path.suffix])

    routes.add_api_route(address, file, methods=["GET", "HEAD"], include_in_schema=False)


@cache
def _languages() -> list[LanguageAnswer]:
    """Their names alone; all that is known of them takes seconds to load."""
    folder = files("lexlattice.reading").joinpath("languages")
    heads = {code: folder.joinpath(f"{code}.toml").read_text("utf-8").partition("\n[")[0] for code in LANGUAGES}
    return [LanguageAnswer(code=code, name=tomllib.loads(head)["name"]) for code, head in heads.items()]


def _check(language: str) -> None:
    if language not in LANGUAGES:
        raise ProblemError(404, "This is not one of the 24 official languages; see /v1/languages.")


def _example(language: str) -> Path | None:
    return next((path for folder in EXAMPLES if (path := folder / f"{language}.txt").is_file()), None)
