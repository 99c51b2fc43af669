"""Metrics for Prometheus: requests by route and status, their time, jobs by state, loaded models."""

import time
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.server.service import Service

__all__ = ["Telemetry", "TelemetryMiddleware"]

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)


class Telemetry:
    """Metrics of one application: requests, which all processes count, and gauges, which the answering process reads."""

    def __init__(self, service: Service) -> None:
        self._sharing, self._gauges = service.sharing, _Gauges(service)
        self._registry = CollectorRegistry()
        self.requests = Counter("assay_requests", "Requests answered", ["route", "status"], registry=self._registry)
        self.seconds = Histogram(
            "assay_request_seconds", "Time from request to answer", ["route"], buckets=BUCKETS, registry=self._registry
        )

    def text(self) -> bytes:
        """All metrics as Prometheus text."""
        registry = self._registry
        if self._sharing is not None:
            registry = CollectorRegistry()
            MultiProcessCollector(registry, str(self._sharing.folder))  # type: ignore[no-untyped-call]
        return generate_latest(registry) + generate_latest(self._gauges)


class _Gauges(Collector):
    """State of a service at the moment of a request for metrics."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Each gauge with its present values."""
        service = self._service
        yield GaugeMetricFamily("assay_ready", "1 when requests can be answered", value=service.ready)
        yield GaugeMetricFamily("assay_processes", "Processes that answer requests", value=service.processes)
        if not service.ready:
            return
        engine, stores = service.engine, service.stores
        yield GaugeMetricFamily("assay_models", "Predictors that are loaded", value=len(engine.models))
        yield GaugeMetricFamily("assay_workers", "Worker processes that run", value=service.workers)
        drift = GaugeMetricFamily("assay_model_drift", "Mean population stability index of a model's features", labels=["model"])
        for name in engine.registry.drift.watched_models():
            model = engine.models.get(name)
            if model is not None:
                drift.add_metric([name], engine.registry.drift.report(model).mean)
        yield drift
        feedback = GaugeMetricFamily("assay_feedback_segments", "Judgements of users", labels=["pair", "label"])
        for count in stores.feedback.counts():
            feedback.add_metric([count.pair, count.label], count.segments)
        yield feedback
        jobs = GaugeMetricFamily("assay_jobs", "Jobs by state", labels=["state"])
        for state, number in stores.jobs.counts().items():
            jobs.add_metric([state], number)
        yield jobs


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
