"""The one door of calls and pages: what it refuses before anything is queued, and whose keys are whose."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import InputError
from app.operations.operation import Plan
from app.service import ANYBODY, Access, Service
from app.settings import Settings
from app.store import JobStore, open_database

PLAN = Plan("quality", {}, [(1, {})])


class Door(Access):
    """Plans without an engine, so that nothing has to be loaded."""

    def _plan(self, content: object) -> Plan:
        return PLAN


@pytest.fixture
def access(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Access]:
    settings = Settings(data_dir=tmp_path, tagging_process=False)
    service = Service(settings)
    monkeypatch.setattr(service, "_jobs", JobStore(open_database(settings.sqlalchemy_url)))
    yield Door(service, ANYBODY)
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


def test_a_result_needs_an_end(access: Access) -> None:
    job = submitted(access, None)
    with pytest.raises(InputError) as refused:
        access.result(job, "json")
    assert refused.value.code == "job-not-finished"
    assert access.cancel(job).state == "cancelled"
    assert access.retry(job).state == "queued" and access.remove(job).id == job
    with pytest.raises(InputError) as gone:
        access.job(job)
    assert gone.value.code == "unknown-job"


def test_nothing_is_answered_before_it_is_loaded(access: Access) -> None:
    assert not access.ready
    with pytest.raises(InputError) as refused:
        _ = access.engine
    assert refused.value.code == "not-ready"
