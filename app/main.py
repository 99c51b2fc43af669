"""create_app(): the whole server as one ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from app import __version__
from app.running.logs import install_logs
from app.running.sharing import Sharing
from app.running.tracing import start_tracing, stop_tracing
from app.server.api import install_api
from app.server.api.contract import DocumentedApp, operation_id
from app.server.service import Service
from app.server.web import install_pages
from app.settings import Settings

__all__ = ["create_app"]

DESCRIPTION = """Says how good a machine translation is: without a reference (`/v1/quality`), against references
(`/v1/score`) and next to other candidates (`/v1/rank`). Errors are RFC 9457 problems with a stable `type`."""


def create_app(settings: Settings | None = None, sharing: Sharing | None = None) -> FastAPI:
    """The application; its service starts and stops with it. `sharing` is the state of several processes."""
    settings = settings or Settings()
    service = Service(settings, sharing)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        install_logs(settings.log_format, settings.log_level)
        if settings.otel:
            start_tracing("server")
        await run_in_threadpool(service.start)
        yield
        await run_in_threadpool(service.stop)
        await run_in_threadpool(stop_tracing)

    app = DocumentedApp(
        title="Assay",
        version=__version__,
        description=DESCRIPTION,
        # Relative to the document, so that it holds behind any proxy.
        servers=[{"url": "/"}],
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_id,
        # FastAPI's own traces would tell addresses with their queries, and messages of exceptions.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.service = service
    install_api(app, settings, service)
    install_pages(app)
    return app
