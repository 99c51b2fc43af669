"""Traces for OpenTelemetry, if the settings enable them; otherwise nothing is imported and nothing is sent.

Spans have names, numbers and ids, never texts. Messages of exceptions may quote texts of users, so they are left out.
"""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Final, Literal

from app import __version__
from app.errors import InputError
from app.running.request_context import request_here

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

__all__ = ["SpanKind", "check_tracing", "is_tracing", "set_attributes", "span", "start_tracing", "stop_tracing", "traceparent_here"]

SpanKind = Literal["internal", "server", "client"]
Value = str | int | float | bool | None
NO_SPAN: Final = nullcontext()


class _Tracing:
    """Tracer of this process; None without tracing."""

    tracer: Any = None
    provider: Any = None


def check_tracing() -> None:
    """Check that the packages for traces are installed; else InputError (`invalid-request`)."""
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace  # noqa: F401
    except ImportError:
        raise InputError("invalid-request", "traces need more packages: pip install 'assay[otel]'", ("ASSAY_OTEL",)) from None


def start_tracing(role: str, exporter: "SpanExporter | None" = None) -> None:
    """Start tracing, and send traces to the address in OpenTelemetry's variables (`OTEL_EXPORTER_OTLP_ENDPOINT` and so on).

    `role` is server or worker. An `exporter` receives the spans instead, each at its end.
    """
    check_tracing()
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

    resource = Resource.create({"service.version": __version__, "assay.role": role})
    if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
        resource = resource.merge(Resource({"service.name": "assay"}))
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter) if exporter is not None else BatchSpanProcessor(OTLPSpanExporter()))
    # Not the global provider: spans of other libraries may hold addresses and messages.
    _Tracing.provider, _Tracing.tracer = provider, provider.get_tracer("assay", __version__)


def stop_tracing() -> None:
    """Send the remaining spans and stop tracing."""
    provider, _Tracing.provider, _Tracing.tracer = _Tracing.provider, None, None
    if provider is not None:
        provider.shutdown()


def is_tracing() -> bool:
    """Return True if this process traces."""
    return _Tracing.tracer is not None


def span(
    name: str, kind: SpanKind = "internal", parent: str | None = None, nested: bool = False, **attributes: Value
) -> AbstractContextManager[Any]:
    """Time the block as a span; do nothing without tracing.

    `parent` is the traceparent of a caller. A `nested` span is left out if no span is open, so that it begins no trace.
    """
    if _Tracing.tracer is None:
        return NO_SPAN
    from opentelemetry import trace

    if nested and not trace.get_current_span().get_span_context().is_valid:
        return NO_SPAN
    return _span(name, kind, parent, attributes)


@contextmanager
def _span(name: str, kind: SpanKind, parent: str | None, attributes: Mapping[str, Value]) -> Iterator[Any]:
    from opentelemetry.trace import SpanKind as Kind
    from opentelemetry.trace import Status, StatusCode
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    context = TraceContextTextMapPropagator().extract({"traceparent": parent}) if parent else None
    values = {f"assay.{key}" if "." not in key else key: value for key, value in attributes.items() if value is not None}
    with _Tracing.tracer.start_as_current_span(
        name, context, Kind[kind.upper()], values, record_exception=False, set_status_on_exception=False
    ) as open_span:
        try:
            yield open_span
        except BaseException as error:
            open_span.set_attribute("error.type", type(error).__qualname__)
            open_span.set_status(Status(StatusCode.ERROR))
            raise


def set_attributes(open_span: Any, name: str | None = None, failed: bool = False, **attributes: Value) -> None:
    """Set attributes, the name or the failure of an open span; do nothing for None."""
    if open_span is None:
        return
    from opentelemetry.trace import Status, StatusCode

    for key, value in attributes.items():
        if value is not None:
            open_span.set_attribute(f"assay.{key}" if "." not in key else key, value)
    if name is not None:
        open_span.update_name(name)
    if failed:
        open_span.set_status(Status(StatusCode.ERROR))


def traceparent_here() -> str | None:
    """Traceparent (W3C) of the open span; without tracing, that of the request, or None."""
    if _Tracing.tracer is not None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier)
        return carrier.get("traceparent")
    request = request_here()
    return request.traceparent if request is not None else None
