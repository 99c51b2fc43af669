"""Access of calls and pages: what it refuses before anything is queued, and whose keys are whose."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import httpx2
import pytest
from pydantic import ValidationError

from app.engine import Engine
from app.errors import InputError
from app.main import create_app
from app.operations.operation import Plan
from app.running.rates import QuotaError
from app.server.service import KEYLESS_CALLER, Access, Caller, JobForm, JobRequest, ResultForm, Service
from app.server.service.readiness import DatabaseWatch
from app.server.store import DatabaseUnavailableError, JobOrigin, KeyStore, open_database
from app.settings import Settings
from tests.databases import damage
from tests.servers import free_port

PLAN = Plan("quality", {}, [(1, {"sources": ["a"], "translations": ["b"]})])
RO_EN = {"source_language": "ro", "target_language": "en"}


class TestedAccess(Access):
    """Plans without an engine, so that nothing has to be loaded."""

    def _plan(self, content: object) -> Plan:
        return PLAN


@pytest.fixture
def access(tmp_path: Path) -> Iterator[Access]:
    settings = Settings(data_dir=tmp_path, tagging_process=False)
    service = Service(settings)
    service.use(open_database(settings.sqlalchemy_url))
    yield TestedAccess(service, KEYLESS_CALLER)
    service.stop()


def submitted(access: Access, key: str | None, **fields: object) -> str:
    content = {"kind": "quality", "params": {}, **fields}
    return access.submit(json.dumps(content).encode(), content, key).id


def test_a_key_makes_one_job_for_its_owner(access: Access) -> None:
    first = submitted(access, "k", owner="Ana")
    assert submitted(access, "k", owner="Ana") == first
    assert submitted(access, "k", owner="Bo") != first
    assert submitted(access, None, owner="Ana") != first
    with pytest.raises(InputError, match="another request") as refused:
        submitted(access, "k", owner="Ana", params={"set": "x"})
    assert refused.value.code == "idempotency-conflict"


@pytest.mark.parametrize(
    ("key", "fields"),
    [
        ("a b", {}),
        ("", {}),
        ("k" * 201, {}),
        (None, {"owner": "x" * 101}),
        (None, {"owner": "a\nb"}),
        (None, {"webhook": "http://x"}),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_queued(access: Access, key: str | None, fields: dict[str, str]) -> None:
    with pytest.raises(InputError):
        submitted(access, key, **fields)
    assert access.list_jobs(10, None, None, None) == []


def test_nobody_is_counted_while_nobody_needs_a_key_but_the_queue_has_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(
        data_dir=tmp_path, tagging_process=False, max_queued_jobs=2, quota_jobs_at_once=1, quota_rates="1 segments/day",
        quota_stored_bytes=1,
    )  # fmt: skip
    service = Service(settings)
    service.use(open_database(settings.sqlalchemy_url))
    access = TestedAccess(service, KEYLESS_CALLER)
    jobs = [submitted(access, None, owner=owner) for owner in ("Ana", "Ana")]
    with pytest.raises(QuotaError) as refused:
        submitted(access, None)
    assert refused.value.code == "queue-full" and access.standing == ()
    access.cancel(jobs[0])
    submitted(access, None)
    with pytest.raises(QuotaError):
        access.retry(jobs[0])
    assert service.quotas.usage.used("day", 0.0) == []
    service.stop()


def test_wrong_rates_keep_a_server_from_starting(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ASSAY_QUOTA_RATES: write a rate") as refused:
        Service(Settings(data_dir=tmp_path, tagging_process=False, quota_rates="many"))
    assert refused.value.code == "invalid-request"


def test_a_result_needs_an_end(access: Access) -> None:
    job = submitted(access, None)
    with pytest.raises(InputError) as refused:
        access.result(job, ResultForm("json"))
    assert refused.value.code == "job-not-finished"
    assert access.cancel(job).state == "cancelled"
    assert access.retry(job).state == "queued" and access.remove(job).id == job
    with pytest.raises(InputError) as gone:
        access.job(job)
    assert gone.value.code == "unknown-job"


@pytest.mark.parametrize(
    ("kind", "params", "pairs", "visible"),
    [
        ("quality", RO_EN, {"en-de"}, False),
        ("quality", RO_EN, {"en-de", "ro-en"}, True),
        ("quality", {"source_language": "en", "target_language": "pt-BR"}, {"en-pt"}, True),
        ("train", {**RO_EN, "pairs": ["ro-en", "en-de"], "base": "x" * 30_000}, {"ro-en"}, False),
        ("score", {"metrics": ["bleu"]}, {"en-de"}, True),
        ("no longer known", RO_EN, {"ro-en"}, False),
    ],
)
def test_a_key_for_some_pairs_sees_no_jobs_of_other_pairs(
    access: Access, kind: str, params: dict[str, object], pairs: set[str], visible: bool
) -> None:
    service = access._service
    origin = JobOrigin("Ana", "k", hashlib.sha256(b"null").hexdigest())
    job = service.stores.jobs.create(replace(PLAN, kind=kind, params=params), origin).id
    scopes = frozenset({"jobs", "quality", "score", "train", "feedback"})
    caller = TestedAccess(service, Caller("k", "Ana", scopes, frozenset(pairs)))
    assert [view.id for view in caller.list_jobs(1, None, None, None)] == [job] * visible
    reads: list[Callable[[], object]] = [
        lambda: caller.job(job), lambda: caller.rows(job), lambda: caller.files(job), lambda: caller.file_names(job),
        lambda: caller.published(job, "curve"), lambda: caller.corrections(job), lambda: caller.submit(b"null", None, "k"),
    ]  # fmt: skip
    changes: list[Callable[[], object]] = [
        lambda: caller.result(job, ResultForm()), lambda: caller.file(job, "file"), lambda: caller.retry(job),
        lambda: caller.cancel(job), lambda: caller.remove(job), lambda: caller.list_jobs(1, job, None, None),
    ]  # fmt: skip
    if visible:
        for read in reads:
            read()
        return
    for call in reads + changes:
        with pytest.raises(InputError) as refused:
            call()
        assert refused.value.code == "unknown-job"
    assert service.stores.jobs.get(job).state == "queued"


def test_nothing_is_answered_before_it_is_loaded(access: Access) -> None:
    assert not access.ready
    with pytest.raises(InputError) as refused:
        _ = access.engine
    assert refused.value.code == "not-ready"


def test_a_high_priority_is_for_administrators(access: Access) -> None:
    made = [access.job(submitted(access, None, **fields)).priority for fields in ({}, {"priority": "low"}, {"priority": "high"})]
    assert made == ["normal", "low", "high"]
    other = TestedAccess(access._service, Caller("k", "Ana", frozenset({"jobs", "quality"})))
    assert other.job(submitted(other, None, priority="low")).priority == "low"
    with pytest.raises(InputError, match="priority: this needs a key with the scope admin") as refused:
        submitted(other, None, priority="high")
    assert refused.value.code == "forbidden"
    assert [job.priority for job in other.list_jobs(10, None, None, None)] == ["low"]


@pytest.mark.parametrize("priority", ["urgent", 1, None, ["high"]])
def test_what_is_no_priority_is_refused(priority: object) -> None:
    with pytest.raises(ValidationError, match="priority"):
        JobRequest.model_validate({"kind": "quality", "params": {}, "priority": priority})


def test_forms_are_told_apart_by_their_priority() -> None:
    forms = [JobForm("quality", {}, {}, priority=priority) for priority in (None, "low", "high")]
    assert len({form.digest() for form in forms}) == 3


def test_a_server_whose_database_is_gone_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = DatabaseWatch()
    watch.check()
    watch.open(Settings(data_dir=tmp_path), threading.Event())
    watch.check()

    def gone(_: object) -> None:
        raise DatabaseUnavailableError

    monkeypatch.setattr("app.server.service.readiness.check_database", gone)
    monkeypatch.setattr("app.server.service.readiness.CACHE_SECONDS", 0.0)
    watch._until = 0.0
    with pytest.raises(DatabaseUnavailableError):
        watch.check()


@pytest.mark.parametrize(
    ("table", "lost"),
    [
        ("jobs", {"/v1/jobs", "/metrics"}),
        ("usage_counts", set()),
        ("audit", {"/v1/audit"}),
        ("api_keys", {"/v1/jobs", "/metrics", "/v1/audit", "/v1/score"}),
    ],
)
def test_a_damaged_database_refuses_only_calls_that_need_the_damaged_part(tmp_path: Path, table: str, lost: set[str]) -> None:
    scored = {"metrics": ["bleu"], "systems": {"a": ["The house."]}, "references": {"A": ["The house."]}}

    async def run() -> dict[str, tuple[int, str]]:
        app = create_app(Settings(data_dir=tmp_path, tagging_process=False))
        service = app.state.service
        database = service.database_watch.open(service.settings, threading.Event())
        service.use(database)
        service._engine = Engine.open(tmp_path, tmp_path)
        headers = {"Authorization": f"Bearer {KeyStore(database).create('cat', ['admin'])[1]}"}
        database.dispose()
        damage(tmp_path / "assay.sqlite3", table)
        transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://assay", headers=headers) as client:
            answers = {path: await client.get(path) for path in ("/health/ready", "/v1/jobs", "/metrics", "/v1/audit")}
            answers["/v1/score"] = await client.post("/v1/score", json=scored)
            # Damage is for good, also when the database answers something again.
            service.database_watch._until = 0.0
            answers["/health/ready again"] = await client.get("/health/ready")
        service.stop()
        return {path: (answer.status_code, answer.text) for path, answer in answers.items()}

    answers = anyio.run(run)
    refused = {path for path, (status, text) in answers.items() if status == 503 and "/problems/database-damaged" in text}
    assert refused == {"/health/ready", "/health/ready again"} | lost
    assert {status for path, (status, _) in answers.items() if path not in refused} <= {200}


def test_a_database_that_is_not_there_yet_is_waited_for_until_the_server_stops() -> None:
    stopping = threading.Event()
    threading.Timer(0.2, stopping.set).start()
    nowhere = Settings(database_url=f"postgresql://assay@127.0.0.1:{free_port()}/assay")
    with pytest.raises(DatabaseUnavailableError):
        DatabaseWatch().open(nowhere, stopping)
