"""Leases and chunks, on SQLite and on PostgreSQL."""

import io
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect

from app.errors import InputError
from app.jobs import FeedbackItem, FeedbackStore, JobPlan, JobStore, Origin, open_database
from app.store.feedback import is_held_back
from app.store.jobs import LeaseLostError
from app.store.tables import Tables
from tests.conftest import free_port

PLAN = JobPlan("quality", {"a": "ă\ud800"}, [(3, {"x": [1, 2, 3]}), (2, {"x": [4, 5]})])


def postgres_programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of our own."""
    programs = postgres_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not on this machine")
    folder, port = tmp_path_factory.mktemp("pg"), free_port()
    command: list[str] = []
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root.
        for path in (folder, *folder.parents[:2]):
            path.chmod(0o755)
        shutil.chown(folder, "postgres", "postgres")
        command = ["runuser", "-u", "postgres", "--"]
    data = str(folder / "data")
    subprocess.run([*command, str(programs / "initdb"), "-D", data, "-A", "trust", "-U", "assay"], check=True, capture_output=True)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1"
    control = [*command, str(programs / "pg_ctl"), "-D", data, "-w"]
    subprocess.run([*control, "-o", options, "-l", str(folder / "log"), "start"], check=True, capture_output=True)
    yield f"postgresql://assay@127.0.0.1:{port}/postgres"
    subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}" if request.param == "sqlite" else request.getfixturevalue("postgres")
    engine = open_database(url)
    yield engine
    Tables.metadata.drop_all(engine)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE alembic_version")
    engine.dispose()


@pytest.fixture
def store(database: Engine) -> JobStore:
    return JobStore(database, 30.0)


def test_migrations_make_the_declared_tables(database: Engine) -> None:
    found = inspect(database)
    for table in Tables.metadata.sorted_tables:
        columns = {column["name"]: column["nullable"] for column in found.get_columns(table.name)}
        assert columns == {column.name: bool(column.nullable) for column in table.columns}
    open_database(str(database.url.render_as_string(hide_password=False)))


def test_a_job_from_queue_to_result(store: JobStore) -> None:
    job = store.create(PLAN).id
    assert store.get(job).state == "queued"
    taken = store.take("a:1")
    assert taken is not None
    assert taken.params == PLAN.params
    assert store.take("b:2") is None
    assert store.next_chunk(job) == (0, {"x": [1, 2, 3]})
    store.save_chunk(job, "a:1", 0, {"rows": ["one"]})
    assert store.get(job).done == 3
    assert store.next_chunk(job) == (1, {"x": [4, 5]})
    store.save_chunk(job, "a:1", 1, {"rows": ["two"]})
    assert store.next_chunk(job) is None
    store.succeed(job, "a:1", {"fine": True})
    assert [each["rows"] for each in store.outputs(job)] == [["one"], ["two"]]
    assert (store.get(job).state, store.get(job).done) == ("succeeded", 5)
    assert store.counts()["succeeded"] == 1


def test_a_chunk_is_saved_once(store: JobStore) -> None:
    job = store.create(PLAN).id
    store.take("a:1")
    store.save_chunk(job, "a:1", 0, {"rows": [1]})
    with pytest.raises(LeaseLostError):
        store.save_chunk(job, "a:1", 0, {"rows": [2]})
    assert store.get(job).done == 3


def test_a_worker_that_lost_its_lease_changes_nothing(store: JobStore) -> None:
    job = store.create(PLAN).id
    store.take("a:1")
    store.release_owned_by(["a:1"])
    assert store.take("b:2") is not None
    for change in (
        lambda: store.save_chunk(job, "a:1", 0, {"rows": []}),
        lambda: store.succeed(job, "a:1", {}),
        lambda: store.fail(job, "a:1", {}),
        lambda: store.renew(job, "a:1"),
    ):
        with pytest.raises(LeaseLostError):
            change()
    store.save_chunk(job, "b:2", 0, {"rows": [7]})
    assert store.get(job).done == 3


def test_jobs_are_taken_oldest_first_and_by_one_worker_each(store: JobStore) -> None:
    jobs = [store.create(PLAN).id for _ in range(3)]
    assert [getattr(store.take(f"w:{k}"), "id", None) for k in range(4)] == [*jobs, None]
    assert sorted(store.owners()) == ["w:0", "w:1", "w:2"]


def test_a_job_that_keeps_killing_its_worker_is_given_up(store: JobStore) -> None:
    job = store.create(PLAN).id
    for k in range(3):
        assert store.take(f"w:{k}") is not None
        store.release_owned_by([f"w:{k}"])
    assert store.take("w:9") is None
    assert store.get(job).state == "failed"


def test_states_only_move_forward(store: JobStore) -> None:
    job = store.create(PLAN).id
    store.take("a:1")
    store.stop(job, "a:1")
    assert store.get(job).state == "cancelled"
    with pytest.raises(LeaseLostError):
        store.succeed(job, "a:1", {})
    assert store.cancel(job).state == "cancelled"
    assert store.take("b:1") is None
    store.remove(job)
    with pytest.raises(InputError):
        store.get(job)


def test_feedback_is_kept_whole_and_counted(database: Engine) -> None:
    store = FeedbackStore(database)
    odd = {"source": "ă\ud800", "translation": "x", "post_edit": "y", "token_log_probs": [-0.1], "tokens": ["▁x"]}
    items = [FeedbackItem("ro-en", "hter", 0.5, "m", "tests", odd)]
    items += [FeedbackItem("ro-en", "da", i / 10, None, "", {"source": f"casa {i}", "translation": "z"}) for i in range(40)]
    ids = store.add(items)
    assert len(set(ids)) == 41
    [(item, held)] = list(store.read("ro-en", "hter"))
    assert (item, held) == (items[0], is_held_back(odd["source"]))  # type: ignore[arg-type]
    read = [item for item, _ in store.read("ro-en", "da")]
    assert sorted(item.value for item in read) == sorted(item.value for item in items[1:])
    counts = {each.label: each for each in store.counts()}
    assert (counts["da"].segments, counts["hter"].segments) == (40, 1)
    assert counts["da"].held_back == sum(is_held_back(f"casa {i}") for i in range(40))
    assert store.counts(since=2**40) == []
    assert list(store.read("et-en", "da")) == []


def test_one_key_is_one_job_and_files_come_back(database: Engine) -> None:
    store = JobStore(database, 30)
    raw = os.urandom(3_000_000)
    plan = JobPlan(
        "quality", {"a": 1}, [(3, {"x": [1, 2, 3]}), (2, {"x": [4, 5]})], {"file": io.BytesIO(raw), "source": io.BytesIO(b"")}
    )
    origin = Origin("Ana", "key", "digest", None)
    job = store.create(plan, origin)
    assert (job.owner, store.file(job.id, "file"), store.file(job.id, "source")) == ("Ana", raw, None)
    assert store.repeated(origin) == job
    # Two that were planned at the same moment: the second is told of the first.
    again = store.create(JobPlan("quality", {"a": 1}, [(1, {})]), origin)
    assert again.id == job.id and len(store.list()) == 1
    with pytest.raises(InputError, match="another request"):
        store.create(JobPlan("quality", {"a": 2}, [(1, {})]), Origin("Ana", "key", "other", None))
    store.cancel(job.id)
    assert store.remove(job.id).id == job.id and store.file(job.id, "file") is None


def test_another_try_goes_on_where_the_first_ended(database: Engine) -> None:
    store = JobStore(database, 30)
    job = store.create(JobPlan("quality", {"a": 1}, [(3, {"x": 1}), (2, {"x": 2})], {"file": io.BytesIO(b"abc")}))
    with pytest.raises(InputError, match="queued"):
        store.retry(job.id)
    assert store.take("w:1") is not None
    store.save_chunk(job.id, "w:1", 0, {"rows": [1]})
    store.fail(job.id, "w:1", {"detail": "no"})
    again = store.retry(job.id)
    assert (again.state, again.done, again.total, again.id != job.id) == ("queued", 3, 5, True)
    assert store.next_chunk(again.id) == (1, {"x": 2}) and store.file(again.id, "file") == b"abc"
    assert store.get(job.id).state == "failed" and list(store.outputs(again.id)) == [{"rows": [1]}]


def test_jobs_are_paged_and_chosen(database: Engine) -> None:
    store = JobStore(database, 30)
    made = [store.create(JobPlan(kind, {}, [(1, {})])).id for kind in ("quality", "rank", "quality", "quality")]
    first = [job.id for job in store.list(limit=3)]
    assert first + [job.id for job in store.list(limit=3, after=first[-1])] == made[::-1]
    assert [job.id for job in store.list(kind="rank")] == [made[1]]
    store.cancel(made[0])
    assert [job.id for job in store.list(state="cancelled")] == [made[0]]
