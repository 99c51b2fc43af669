"""Steps of a job in a command. Finished steps are saved, so a killed command resumes after them."""

import fcntl
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from app import __version__
from app.arrays import Float64s
from app.errors import InputError
from app.operations.operation import Body, Json, Operation, Output, Plan, Planning, Steps
from app.operations.translating import NO_SERVICES, Translators
from app.registry.artifacts import ArtifactStore
from app.running.journal import FileJournal, Journal, Share
from app.shell.here import limits_here, settings_here
from app.shell.output import progress_bar

if TYPE_CHECKING:
    from app.engine import Engine

__all__ = ["LocalContext", "LocalJob", "local_job", "run_here"]

R = TypeVar("R", bound=Body)


@dataclass(frozen=True)
class LocalContext:
    """The `Context` of a step in a command: `journal` shows progress and records arrays. Published values have no reader."""

    engine: "Engine"
    params: Json
    artifacts: ArtifactStore
    journal: Journal
    translators: Translators = NO_SERVICES
    job: str = ""
    files: None = None

    def report(self, task: str, share: float) -> None:
        """Show the task and its finished share."""
        self.journal.report(task, share)

    def recall(self, compute: Callable[[], Float64s]) -> Float64s:
        """The next recorded array of an earlier, killed run, or the result of `compute`."""
        return self.journal.recall(compute)

    def learns_from(self, model: str, feedback: Sequence[str]) -> None:
        """Do nothing: only servers have feedback."""

    def publish(self, name: str, value: Any) -> None:
        """Do nothing."""

    def published(self, name: str) -> Any:
        """Return None."""


@dataclass(frozen=True)
class LocalJob:
    """A planned job whose finished chunks and recorded arrays lie in a folder; ``report(task, share)`` shows its progress."""

    steps: Steps[Any]
    params: Json
    chunks: list[tuple[int, Json]]
    folder: Path
    engine: "Engine"
    artifacts: ArtifactStore
    report: Callable[[str, float], None]

    def outputs(self) -> Iterator[Output]:
        """Outputs of all chunks in order; computes missing outputs first. An output that passes its chunk on is not saved."""
        chunk_outputs: dict[int, Output] = {}
        for number, (_, chunk) in enumerate(self.chunks):
            if not self._output(number).is_file():
                output = self._work(number, chunk)
                if output.get("carry") is chunk:
                    chunk_outputs[number] = output
                else:
                    self._save(number, output)
        return (chunk_outputs.get(number) or json.loads(self._output(number).read_bytes()) for number in range(len(self.chunks)))

    def _output(self, number: int) -> Path:
        return self.folder / f"{number}.json"

    def _work(self, number: int, chunk: Json) -> Output:
        begin, end = number / len(self.chunks), (number + 1) / len(self.chunks)
        with self.context(f"chunk-{number}", begin, end) as context:
            output = self.steps.work(context, chunk)
            context.report("segments", 1.0)
        return output

    def _save(self, number: int, output: Output) -> None:
        scratch = self.folder / "unfinished"
        scratch.write_text(json.dumps(output), encoding="ascii")
        # Renaming makes an output appear complete or not at all.
        scratch.replace(self._output(number))

    def finish(self) -> Any:
        """The job's summary."""
        outputs = self.outputs()
        with self.context("finish") as context:
            return self.steps.finish(context, outputs)

    @contextmanager
    def context(self, step: str, begin: float = 0.0, end: float = 1.0) -> Iterator[LocalContext]:
        """The context of one step, which has its own journal and moves the progress from `begin` to `end`."""
        path = self.folder / f"{step}.journal"
        journal = FileJournal(path, self.report)
        try:
            yield LocalContext(self.engine, self.params, self.artifacts, Share(journal, begin, end))
        finally:
            journal.close()
        path.unlink()


@contextmanager
def local_job(operation: Operation[R, Any], engine: "Engine", request: R, artifacts: ArtifactStore) -> Iterator[LocalJob]:
    """Plan a job, or resume an equal job that was killed. Saved steps are removed when it ends or is refused.

    InputError if it cannot be planned, or if another process works on it.
    """
    steps = operation.steps
    assert steps is not None
    settings = settings_here()
    plan = steps.split(Planning(engine, limits_here(), settings.chunk_segments, in_process=True), request)
    chunks = list(plan.chunks)
    folder = settings.data_dir / f".{operation.name}-{_digest(plan, chunks)}"
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    with _locked(folder), progress_bar(operation.name) as report:
        try:
            yield LocalJob(steps, plan.params, chunks, folder, engine, artifacts, report)
        except InputError:
            # An equal job would be refused again.
            shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError("invalid-request", "another process works on an equal job; wait for its end") from None
        yield


def _digest(plan: Plan, chunks: list[tuple[int, Json]]) -> str:
    """Digest of a job's input and Assay's version, which may cut or record in another way."""
    digest = hashlib.sha256()
    for part in (__version__, plan.kind, plan.params, *chunks):
        # Values of chunks in memory have digests.
        digest.update(json.dumps(part, sort_keys=True, default=lambda value: value.digest()).encode("ascii"))
    return digest.hexdigest()[:16]


def run_here(operation: Operation[R, Any], engine: "Engine", request: R, artifacts: ArtifactStore) -> Any:
    """The summary of an operation's job."""
    with local_job(operation, engine, request, artifacts) as job:
        return job.finish()
