"""The FastAPI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from lexlattice import __version__
from lexlattice.apps.serve.catalogue import catalogue
from lexlattice.apps.serve.middleware import ServiceMiddleware
from lexlattice.apps.serve.openapi import DESCRIPTION, add_openapi, operation_id
from lexlattice.apps.serve.pages import pages
from lexlattice.apps.serve.problems import add_exception_handlers
from lexlattice.apps.serve.routes import api
from lexlattice.apps.serve.service import Service
from lexlattice.apps.serve.settings import Settings


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the application; its worker processes start and stop with it.

    Args:
        settings: Limits and allowed hosts; the defaults suit one person on their own machine.

    """
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
        description=DESCRIPTION,
        generate_unique_id_function=operation_id,
        docs_url=None,  # these pages load scripts from other hosts; there is one at /api
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.service = service
    app.include_router(api)
    app.include_router(catalogue)
    app.include_router(pages())
    add_openapi(app)
    app.add_middleware(ServiceMiddleware, settings=service.settings, bodies=service.bodies, metrics=service.metrics)
    add_exception_handlers(app)
    return app
