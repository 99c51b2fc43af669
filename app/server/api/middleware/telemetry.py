"""Metrics for Prometheus: requests by route and status, their time, jobs by state, loaded models."""

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.server.service import Service

__all__ = ["Telemetry", "TelemetryMiddleware"]

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)


class Telemetry:
    """The registry of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter("assay_requests", "Requests answered", ["route", "status"], registry=self.registry)
        self.seconds = Histogram(
            "assay_request_seconds", "Time from request to answer", ["route"], buckets=BUCKETS, registry=self.registry
        )
        self.jobs = Gauge("assay_jobs", "Jobs by state", ["state"], registry=self.registry)
        self.workers = Gauge("assay_workers", "Worker processes that run", registry=self.registry)
        self.models = Gauge("assay_models", "Predictors that are loaded", registry=self.registry)
        self.drift = Gauge(
            "assay_model_drift", "Mean population stability index of a model's features", ["model"], registry=self.registry
        )
        self.feedback = Gauge("assay_feedback_segments", "Judgements of users", ["pair", "label"], registry=self.registry)
        self.ready = Gauge("assay_ready", "1 when requests can be answered", registry=self.registry)

    def observe(self, service: Service) -> None:
        """Bring the gauges up to date."""
        self.ready.set(service.ready)
        if not service.ready:
            return
        self.models.set(len(service.engine.models))
        self.workers.set(service.workers)
        drift = service.engine.registry.drift
        for name in drift.watched_models():
            model = service.engine.models.get(name)
            if model is not None:
                self.drift.labels(name).set(drift.report(model).mean)
        for feedback_count in service.stores.feedback.counts():
            self.feedback.labels(feedback_count.pair, feedback_count.label).set(feedback_count.segments)
        for state, count in service.stores.jobs.counts().items():
            self.jobs.labels(state).set(count)


class TelemetryMiddleware:
    """ASGI middleware that counts requests by their route's template, never by the caller's path."""

    def __init__(self, app: ASGIApp, telemetry: Telemetry) -> None:
        self.app = app
        self.telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Time the request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start_time = time.perf_counter()
        status = 500

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, observed)
        finally:
            route = getattr(scope.get("route"), "path", "other")
            self.telemetry.requests.labels(route, str(status)).inc()
            self.telemetry.seconds.labels(route).observe(time.perf_counter() - start_time)
