"""The files of the web reader and of the API page, each at a fixed address."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse

from lexlattice.apps.serve.middleware import POLICY

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
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
}
_RAPIDOC_STYLES: Final = (
    "'sha256-dmbMb5j0IJSjK6gEnevk+o8rCKI7j0LsA6mkw2XPJZs='",  # light
    "'sha256-7K1+v7DB+5HbbNOq6O0G4l9YTHF8niWoU9ko6Qlq/+M='",  # dark
)
"""The only style elements that RapiDoc adds, by their content: they change with its version and with its attributes."""
_POLICIES: Final = {
    "api.html": POLICY.replace(
        "style-src 'self'", f"style-src 'self' {' '.join(_RAPIDOC_STYLES)}; style-src-attr 'unsafe-inline'"
    )
}
"""Policies of pages that need another one: the templates of RapiDoc have style attributes. Scripts stay as strict."""
_ADDRESSES: Final = {"index.html": ("/", "/index.html"), "api.html": (API_PAGE, "/api.html")}


def pages() -> APIRouter:
    """Return a route for each file of the web reader; since routes are fixed, no path can reach another file."""
    router = APIRouter()
    for path in sorted(path for path in WEB.rglob("*") if path.suffix in _MEDIA_TYPE):
        name = path.relative_to(WEB).as_posix()
        for address in _ADDRESSES.get(name, (f"/{name}",)):
            _add_file(router, address, path)
    return router


def _add_file(router: APIRouter, address: str, path: Path) -> None:
    # no-cache: browsers revalidate, so that a page never mixes files of two releases
    headers = {"Cache-Control": "no-cache"}
    if path.name in _POLICIES:
        headers["Content-Security-Policy"] = _POLICIES[path.name]

    async def file() -> Response:
        return FileResponse(path, headers=headers, media_type=_MEDIA_TYPE[path.suffix])

    router.add_api_route(address, file, methods=["GET", "HEAD"], include_in_schema=False)
