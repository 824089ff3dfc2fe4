"""The files of the web reader and of the API page, each at a fixed address."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse

WEB: Final = Path(__file__).parent / "web"
API_PAGE: Final = "/api"
_MEDIA_TYPE: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}
_ADDRESSES: Final = {"index.html": ("/", "/index.html"), "api.html": (API_PAGE,)}


def pages() -> APIRouter:
    """Return a route for each file of the web reader; since routes are fixed, no path can reach another file."""
    router = APIRouter()
    for path in sorted(path for path in WEB.rglob("*") if path.suffix in _MEDIA_TYPE):
        name = path.relative_to(WEB).as_posix()
        for address in _ADDRESSES.get(name, (f"/{name}",)):
            _add_file(router, address, path)
    return router


def _add_file(router: APIRouter, address: str, path: Path) -> None:
    async def file() -> Response:
        # no-cache: browsers revalidate, so that a page never mixes files of two releases
        return FileResponse(path, headers={"Cache-Control": "no-cache"}, media_type=_MEDIA_TYPE[path.suffix])

    router.add_api_route(address, file, methods=["GET", "HEAD"], include_in_schema=False)
