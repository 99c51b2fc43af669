"""HTTP interface of an application."""

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

from app.server.api import audit, catalogue, corrections, feedback, health, me, models, operations, owners, translate_qe
from app.server.api.files import files_router
from app.server.api.jobs import jobs_router
from app.server.api.middleware.authentication import Authentication
from app.server.api.middleware.forwarding import Forwarding
from app.server.api.middleware.limits import Admission, AdmissionLimits, AnnouncedSizeLimit
from app.server.api.middleware.request_log import RequestLog
from app.server.api.middleware.telemetry import Telemetry, TelemetryMiddleware
from app.server.api.problems import install_problem_handlers
from app.server.service import Service
from app.settings import Settings

__all__ = ["install_api"]


def install_api(app: FastAPI, settings: Settings, service: Service) -> None:
    """Add routes, limits, problems and telemetry."""
    install_problem_handlers(app)
    app.state.telemetry = Telemetry(service)
    app.add_middleware(RequestBodyLimitMiddleware, max_body_size=settings.max_body_bytes)
    app.add_middleware(
        AnnouncedSizeLimit,
        limit=settings.max_body_bytes,
        upload_limit=settings.max_upload_bytes,
        upload_paths=frozenset({"/v1/jobs", "/v1/files"}),
    )
    app.add_middleware(
        Admission,
        limits=AdmissionLimits(
            settings.max_waiting_requests, settings.max_client_requests, settings.body_seconds, settings.body_bytes_per_second
        ),
        sharing=service.sharing,
    )
    # Outside of what costs anything, inside of what answers browsers' questions before they ask.
    app.add_middleware(Authentication, service=service, settings=settings)
    app.add_middleware(Forwarding, proxies=service.proxies)
    if settings.cors_origins:
        origins = [origin.strip() for origin in settings.cors_origins.split(",") if origin.strip()]
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=[
                "Authorization",
                "Content-Type",
                "Idempotency-Key",
                "If-None-Match",
                "Prefer",
                "X-Request-ID",
                "traceparent",
            ],
            expose_headers=[
                "Assay-Corrections",
                "ETag",
                "Location",
                "Preference-Applied",
                "RateLimit",
                "RateLimit-Policy",
                "Retry-After",
                "X-Request-ID",
            ],
        )
    app.add_middleware(TelemetryMiddleware, telemetry=app.state.telemetry)
    app.add_middleware(RequestLog, lines=settings.logs_requests)
    for router in (
        health.router,
        me.router,
        operations.router,
        catalogue.router,
        catalogue.problems_router,
        models.router,
        translate_qe.router,
        feedback.router,
        audit.router,
        corrections.router,
        owners.router,
        jobs_router(settings.max_upload_bytes),
        files_router(settings.max_upload_bytes),
    ):
        app.include_router(router)
