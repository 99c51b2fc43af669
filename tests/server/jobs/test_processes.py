"""Worker processes that are killed, stopped, and asked to cancel, whatever their step does; on SQLite and on PostgreSQL."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from app.operations.operation import Plan
from app.running.processors import available_processors
from app.server.jobs import ProcessExecutor
from app.server.jobs.executors.processes import worker_environment
from app.server.jobs.lease import EXIT_CODE
from app.server.store import FINAL_STATES, JobQueue, JobStore, JobView, job_answer, open_database
from app.settings import Settings
from tests.databases import new_database
from tests.server.jobs.fake_operations import RECORDED

pytestmark = pytest.mark.faults
# A process takes seconds to begin: both databases see a cancellation and a kill, and one sees the rest.
ON_SQLITE = pytest.mark.parametrize("all_workers", ["sqlite"], indirect=True)
CHUNKS = [(2, {"numbers": [1, 2]}), (1, {"numbers": [3]})]


class Workers:
    """One worker process at a time, and the jobs that it is given."""

    def __init__(self, url: str, folder: Path) -> None:
        self.settings = Settings(data_dir=folder / "data", database_url=url, workers=1, drain_seconds=60, lease_seconds=60)
        self.database = open_database(url)
        self.store, self.queue = JobStore(self.database), JobQueue(self.database, self.settings.lease_seconds)
        self.log = folder / "log"
        self.executor = self.start()

    def start(self) -> ProcessExecutor:
        executor = ProcessExecutor(self.settings, self.queue, "tests.server.jobs.fake_operations")
        executor.start()
        return executor

    @property
    def pid(self) -> int:
        return self.executor._workers[0].process.pid

    def give(self, kind: str, **params: Any) -> str:
        return self.store.create(Plan(kind, {"log": str(self.log), **params}, CHUNKS)).id

    def wait(self, job: str, ready: Callable[[JobView], bool], seconds: float = 60) -> JobView:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            view = self.store.get(job)
            if ready(view):
                return view
            time.sleep(0.02)
        raise AssertionError(view)

    def steps(self) -> list[int]:
        """What steps have noted in their file."""
        return [int(line) for line in self.log.read_text().split()]

    def wait_for_lines(self, job: str, lines: int) -> JobView:
        return self.wait(job, lambda view: self.log.exists() and len(self.steps()) >= lines)

    def end(self, job: str, seconds: float = 60) -> JobView:
        return self.wait(job, lambda view: view.state in FINAL_STATES, seconds)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def all_workers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Started once: a process takes seconds to begin."""
    folder = tmp_path_factory.mktemp("workers")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PAUSE_SECONDS", "LOOK_SECONDS"):
            patch.setattr(f"app.server.jobs.executors.processes.{name}", 0.1)
        started = Workers(new_database(request, folder), folder)
        yield started
        started.executor.stop()
        started.database.dispose()


@pytest.fixture
def workers(all_workers: Workers) -> Workers:
    all_workers.log.unlink(missing_ok=True)
    if not all_workers.executor.alive():
        all_workers.executor = all_workers.start()
    return all_workers


def test_progress_is_seen_and_a_cancelled_step_ends_at_once(workers: Workers) -> None:
    job = workers.give("learn", seconds=0.03)
    seen = []
    for share in (0.05, 0.15):
        view = workers.wait(job, lambda view, share=share: (view.step_share or 0) >= share)
        seen.append(job_answer(view)["progress"])
        assert view.done == view.total == 3
    assert [progress["step"] for progress in seen] == ["learning"] * 2
    assert len(workers.store.published(job, "curve")) >= 1
    pid = workers.pid
    workers.store.cancel(job)
    assert workers.end(job).state == "cancelled"
    assert len(workers.steps()) < RECORDED
    # It was the step that ended, not the process: the next job begins with no delay.
    assert workers.end(workers.give("learn", seconds=0), 10).state == "succeeded" and workers.pid == pid


@pytest.mark.parametrize(
    ("all_workers", "kind", "kill_seconds", "message"),
    [("sqlite", "deaf", 60, f"ended with {EXIT_CODE}"), ("postgres", "stone-deaf", 1, "did not cancel its job in time")],
    indirect=["all_workers"],
)
def test_a_step_that_does_not_listen_is_cancelled_by_ending_its_process(
    kind: str,
    kill_seconds: float,
    message: str,
    workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The worker ends itself, or is killed if it cannot do even that."""
    monkeypatch.setattr("app.server.jobs.executors.processes.KILL_SECONDS", kill_seconds)
    job = workers.give(kind, seconds=100)
    workers.wait_for_lines(job, 1)
    [pid] = workers.steps()
    begun = time.monotonic()
    workers.store.cancel(job)
    assert workers.end(job).state == "cancelled" and time.monotonic() - begun >= 1
    assert workers.end(workers.give("learn", seconds=0)).state == "succeeded"
    assert workers.pid != pid
    assert any(message in line and str(pid) in line for line in caplog.messages)


# As often as a job may kill its worker that does not get on, and once more; one database is enough for that.
@pytest.mark.parametrize(("all_workers", "kills"), [("sqlite", (40, 100)), ("postgres", (70,))], indirect=["all_workers"])
def test_what_was_recorded_before_a_kill_is_not_computed_again(kills: tuple[int, ...], workers: Workers) -> None:
    undisturbed = workers.end(workers.give("learn", seconds=0))
    workers.log.unlink()
    job = workers.give("learn", seconds=0.02)
    for lines in kills:
        workers.wait_for_lines(job, lines)
        os.kill(workers.pid, signal.SIGKILL)
    view = workers.end(job)
    assert view.summary == undisturbed.summary
    assert workers.store.published(job, "curve") == undisturbed.summary["curve"]  # type: ignore[index]
    steps = workers.steps()
    assert set(steps) == set(range(RECORDED))
    # Each kill loses what was computed in half a second at most.
    assert len(steps) - RECORDED <= len(kills) * (0.5 / 0.02)


@ON_SQLITE
def test_a_job_goes_on_after_the_end_of_its_worker_by_sigterm_and_with_its_server(workers: Workers) -> None:
    job = workers.give("learn", seconds=0.02)
    workers.wait_for_lines(job, 20)
    former = workers.executor
    # The server sends it twice, and an operator may send more.
    for _ in range(2_000):
        os.kill(workers.pid, signal.SIGTERM)
    former.stop()
    # What does not stop in time is killed.
    assert former.alive() == 0 and former._workers[0].process.returncode == 0
    assert workers.store.get(job).state == "running"
    before = len(workers.steps())
    workers.executor = workers.start()
    workers.wait_for_lines(job, before + 20)
    # Nothing that was computed is computed again.
    steps = workers.steps()
    assert steps == list(range(len(steps)))
    # As if the server had gone with it: nobody looks after this worker any more.
    former = workers.executor
    former._stopping.set()
    former._thread.join()
    os.kill(workers.pid, signal.SIGKILL)
    former._workers[0].process.wait()
    workers.executor = workers.start()
    assert workers.end(job, 30).state == "succeeded"
    assert len(list(workers.settings.workers_dir.iterdir())) == 1


@ON_SQLITE
def test_what_does_not_stop_in_time_is_killed_and_given_back(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    job = workers.give("stone-deaf", seconds=100)
    workers.wait_for_lines(job, 1)
    monkeypatch.setattr(workers.settings, "drain_seconds", 0.3)
    workers.executor.stop()
    assert workers.queue.take("other") == workers.store.get(job)
    workers.queue.stop(job, "other")


def test_settings_reach_workers_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for settings in (Settings(data_dir=tmp_path), Settings(sentencepiece_model=tmp_path / "x.model", tagging_process=False)):
        environment = worker_environment(settings, {"ASSAY_SENTENCEPIECE_MODEL": "other", "ASSAY_PORT": "1", "HOME": "/h"})
        assert environment["HOME"] == "/h" and "None" not in environment.values()
        for name in [name for name in os.environ if name.startswith("ASSAY_")]:
            monkeypatch.delenv(name)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert Settings() == settings
    assert json.loads(json.dumps(environment)) == environment


@ON_SQLITE
@pytest.mark.skipif(available_processors() < 2, reason="a worker has an assistant where a processor is left for it")
def test_a_killed_assistant_ends_its_worker_and_another_finishes_the_job(workers: Workers) -> None:
    job = workers.store.create(Plan("square", {"seconds": 0.02}, [(1, {"numbers": [k]}) for k in range(20, 120)])).id

    def processes() -> set[int]:
        return {row["process"] for output in workers.store.outputs(job) for row in output["rows"]}

    workers.wait(job, lambda view: len(processes()) == 2)
    pid = workers.pid
    (assistant,) = processes() - {pid}
    os.kill(assistant, signal.SIGKILL)
    assert workers.end(job).state == "succeeded" and workers.pid != pid
    assert [row["square"] for output in workers.store.outputs(job) for row in output["rows"]] == [k * k for k in range(20, 120)]
