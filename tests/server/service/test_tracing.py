"""Traces, by an exporter in memory: which spans there are, whose children they are, and that none holds a text."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from sqlalchemy.exc import DatabaseError

from app.engine import Engine
from app.errors import InputError
from app.main import create_app
from app.operations.operation import Plan
from app.running.tracing import check_tracing, span, start_tracing, stop_tracing, traceparent_here
from app.server.jobs import WebhookSender, Worker
from app.server.store import JobOrigin, JobQueue, JobStore, KeyStore, open_database
from app.settings import ROOT, Settings
from tests.server.jobs.fake_operations import FAKES, fake_tools

TRACE, PARENT = "c" * 32, "d" * 16
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
MARKER = "marker-of-a-text"


@pytest.fixture
def spans() -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    start_tracing("tests", exporter)
    yield exporter
    stop_tracing()


def named(spans: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [ended for ended in spans.get_finished_spans() if ended.name == name]


def one(spans: InMemorySpanExporter, name: str) -> ReadableSpan:
    [ended] = named(spans, name)
    return ended


def is_child(child: ReadableSpan, parent: ReadableSpan) -> bool:
    assert parent.context is not None and child.context is not None
    return child.parent is not None and (child.parent.span_id, child.context.trace_id) == (
        parent.context.span_id,
        parent.context.trace_id,
    )


def trace_of(ended: ReadableSpan) -> str:
    assert ended.context is not None
    return f"{ended.context.trace_id:032x}"


def told(spans: InMemorySpanExporter) -> str:
    return "\n".join(ended.to_json() for ended in spans.get_finished_spans())


def asked(tmp_path: Path, engine: Engine, *requests: tuple[str, str, dict[str, Any]]) -> list[httpx2.Response]:
    """Answers of an application in this process, with the database and the engine that it would load."""

    async def run() -> list[httpx2.Response]:
        app = create_app(Settings(data_dir=tmp_path, tagging_process=False))
        service = app.state.service
        database = open_database(service.settings.sqlalchemy_url)
        service.use(database)
        service._engine = engine
        token = KeyStore(database).create("cat", ["admin"])[1]
        headers = {"Authorization": f"Bearer {token}", "traceparent": TRACEPARENT}
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://assay", headers=headers) as client:
            return [await client.request(method, path, **fields) for method, path, fields in requests]

    return anyio.run(run)


def test_a_request_its_operation_and_its_statements(spans: InMemorySpanExporter, engine: Engine, tmp_path: Path) -> None:
    text = f"{MARKER} is a house"
    scored = {"metrics": ["bleu"], "systems": {"a": [text]}, "references": {"A": [text]}}
    query = {"source": "xx", "target": "yy", "sentence": MARKER, "translation": MARKER}
    answers = asked(
        tmp_path,
        engine,
        ("POST", "/v1/score", {"json": scored}),
        ("GET", "/v1/jobs", {"params": {"limit": 7, MARKER: MARKER}}),
        ("GET", "/translate/qe", {"params": query}),
        ("POST", f"/v1/jobs/{MARKER}/retry", {}),
    )
    assert [answer.status_code for answer in answers] == [200, 200, 422, 404]
    request, operation = one(spans, "POST /v1/score"), one(spans, "operation score")
    assert is_child(operation, request) and trace_of(request) == TRACE
    assert request.parent is not None and f"{request.parent.span_id:016x}" == PARENT
    assert request.attributes is not None
    assert request.attributes["http.response.status_code"] == 200 and request.attributes["assay.key"] == "cat"
    assert request.attributes["assay.segments"] == 1 and request.attributes["assay.request_id"] == TRACE
    listing = one(spans, "GET /v1/jobs")
    assert any(is_child(statement, listing) for statement in named(spans, "database SELECT"))
    assert MARKER not in told(spans)


def test_a_failure_is_told_without_its_message(spans: InMemorySpanExporter) -> None:
    with pytest.raises(ValueError, match=MARKER), span("outer"), span("inner", nested=True):
        raise ValueError(MARKER)
    inner = one(spans, "inner")
    assert is_child(inner, one(spans, "outer")) and inner.attributes is not None
    assert inner.attributes["error.type"] == "ValueError" and not inner.status.is_ok
    assert MARKER not in told(spans)
    # What would begin a trace of its own, as a worker that looks for jobs, begins none.
    with span("alone", nested=True):
        pass
    assert not named(spans, "alone")


def test_a_statement_that_fails_ends_its_span(spans: InMemorySpanExporter, tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    with span("outer"), pytest.raises(DatabaseError, match="no such table"), database.connect() as connection:
        connection.exec_driver_sql(f"SELECT '{MARKER}' FROM not_there")
    failed = one(spans, "database SELECT")
    assert is_child(failed, one(spans, "outer")) and not failed.status.is_ok and MARKER not in told(spans)
    with span("after"):
        pass
    assert one(spans, "after").parent is None


def test_a_job_belongs_to_the_trace_of_its_request(spans: InMemorySpanExporter, tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'x.sqlite3'}")
    store, queue = JobStore(database), JobQueue(database, 30.0)
    with span("request", "server", TRACEPARENT):
        origin = JobOrigin(webhook="http://hook/x", traceparent=traceparent_here())
        plan = Plan("learn", {"log": str(tmp_path / "log"), "seconds": 0}, [(1, {"numbers": [1]}), (1, {"numbers": [2]})])
        id = store.create(plan, origin).id
    taken = queue.take("w")
    assert taken is not None
    Worker(FAKES, fake_tools(tmp_path), queue, "w", os.getppid(), 20.0).work(taken)
    assert store.get(id).state == "succeeded"
    request, job = one(spans, "request"), one(spans, "job learn")
    assert is_child(job, request) and trace_of(job) == TRACE
    steps = [one(spans, f"step {name}") for name in ("chunk-0", "chunk-1", "finish")]
    assert all(is_child(step, job) for step in steps)
    assert any(is_child(statement, job) for statement in named(spans, "database UPDATE"))
    hooks: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        hooks.append(request)
        return httpx2.Response(204)

    sender = WebhookSender(database, "secret", lambda job: {"id": job})
    delivery = sender.claim()
    assert delivery is not None
    anyio.run(sender.deliver, httpx2.AsyncClient(transport=httpx2.MockTransport(answer)), delivery)
    webhook = one(spans, "webhook")
    assert is_child(webhook, request) and webhook.context is not None
    assert hooks[0].headers["traceparent"] == f"00-{TRACE}-{webhook.context.span_id:016x}-01"


def test_without_traces_a_webhook_carries_the_one_that_the_request_brought(engine: Engine, tmp_path: Path) -> None:
    body = {"kind": "score", "params": {"metrics": ["bleu"], "systems": {"a": ["x"]}, "references": {"A": ["x"]}}}
    [answer] = asked(tmp_path, engine, ("POST", "/v1/jobs", {"json": body}))
    database = open_database(f"sqlite:///{tmp_path / 'assay.sqlite3'}")
    assert JobStore(database).get(answer.json()["id"]).traceparent == TRACEPARENT
    assert span("x") is span("y")


def test_nothing_of_it_is_imported_unless_it_is_asked_for() -> None:
    program = "import sys, app.main, app.server.jobs.worker_process; print([m for m in sys.modules if m.startswith('opentelemetry.') and ('sdk' in m or 'exporter' in m)])"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_what_is_not_installed_is_refused_at_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = "import sys; sys.modules['opentelemetry.sdk'] = None; from app.shell.program import run; sys.argv = ['assay', 'serve', '--port', '0']; run()"
    environment = {**os.environ, "ASSAY_OTEL": "true", "ASSAY_DATA_DIR": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ran.stderr.strip() == "assay: ASSAY_OTEL: traces need more packages: pip install 'assay[otel]'"
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(InputError, match="otel"):
        check_tracing()
