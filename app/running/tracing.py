"""Traces for OpenTelemetry, where the settings ask for them; otherwise nothing of it is imported and nothing is sent anywhere.

A span tells names, numbers and ids, never texts: messages of exceptions, which may quote what was sent, are left out.
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
NOTHING: Final = nullcontext()


class _Tracing:
    """The tracer of this process; none while there are no traces."""

    tracer: Any = None
    provider: Any = None


def check_tracing() -> None:
    """InputError where what makes traces is not installed."""
    try:
        import opentelemetry.exporter.otlp.proto.http.trace_exporter
        import opentelemetry.sdk.trace  # noqa: F401
    except ImportError:
        raise InputError("invalid-request", "traces need more packages: pip install 'assay[otel]'", ("ASSAY_OTEL",)) from None


def start_tracing(role: str, exporter: "SpanExporter | None" = None) -> None:
    """Make traces from here on, and send them where OpenTelemetry's own variables say (`OTEL_EXPORTER_OTLP_ENDPOINT` and so on).

    `role` tells the server from its workers; an `exporter` takes the spans instead, each when it ends.
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
    # Not as the provider of the whole process: other libraries' spans may hold addresses and messages.
    _Tracing.provider, _Tracing.tracer = provider, provider.get_tracer("assay", __version__)


def stop_tracing() -> None:
    """Send what is left, and make no more."""
    provider, _Tracing.provider, _Tracing.tracer = _Tracing.provider, None, None
    if provider is not None:
        provider.shutdown()


def is_tracing() -> bool:
    """Whether there are traces."""
    return _Tracing.tracer is not None


def span(
    name: str, kind: SpanKind = "internal", parent: str | None = None, nested: bool = False, **attributes: Value
) -> AbstractContextManager[Any]:
    """Time what is done inside; nothing while there are no traces.

    `parent` is a traceparent that came from elsewhere. What is `nested` is left out where it would begin a trace of its own.
    """
    if _Tracing.tracer is None:
        return NOTHING
    from opentelemetry import trace

    if nested and not trace.get_current_span().get_span_context().is_valid:
        return NOTHING
    return _span(name, kind, parent, attributes)


@contextmanager
def _span(name: str, kind: SpanKind, parent: str | None, attributes: Mapping[str, Value]) -> Iterator[Any]:
    from opentelemetry.trace import SpanKind as Kind
    from opentelemetry.trace import Status, StatusCode
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    context = TraceContextTextMapPropagator().extract({"traceparent": parent}) if parent else None
    given = {f"assay.{key}" if "." not in key else key: value for key, value in attributes.items() if value is not None}
    with _Tracing.tracer.start_as_current_span(
        name, context, Kind[kind.upper()], given, record_exception=False, set_status_on_exception=False
    ) as opened:
        try:
            yield opened
        except BaseException as error:
            opened.set_attribute("error.type", type(error).__qualname__)
            opened.set_status(Status(StatusCode.ERROR))
            raise


def set_attributes(opened: Any, name: str | None = None, failed: bool = False, **attributes: Value) -> None:
    """Say more of a span that `span` gave."""
    if opened is None:
        return
    from opentelemetry.trace import Status, StatusCode

    for key, value in attributes.items():
        if value is not None:
            opened.set_attribute(f"assay.{key}" if "." not in key else key, value)
    if name is not None:
        opened.update_name(name)
    if failed:
        opened.set_status(Status(StatusCode.ERROR))


def traceparent_here() -> str | None:
    """The trace at hand as others are told of it (W3C); while there are no traces here, the one that the request came with."""
    if _Tracing.tracer is not None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carrier: dict[str, str] = {}
        TraceContextTextMapPropagator().inject(carrier)
        return carrier.get("traceparent")
    request = request_here()
    return request.traceparent if request is not None else None
