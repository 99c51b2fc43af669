"""Running a recipe on this machine: a step runs in its own process if its command, inputs or outputs have changed."""

import fcntl
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import IO, Final

from app import __version__
from app.errors import InputError
from app.smt.recipes.command_lines import MANIFESTS, CommandLine, command_lines, overlap, typed_line
from app.smt.recipes.manifests import Digests, StepManifest, key_of, read_step_manifest, write_step_manifest
from app.smt.recipes.reading import Recipe
from app.smt.recipes.step_commands import StepCommand

__all__ = ["Outcome", "run_recipe"]

STANDARD_ERROR: Final = 2
PROGRAM_ROOT: Final = Path(__file__).resolve().parents[3]


class RunReason(StrEnum):
    """Reasons for running or skipping a step."""

    NO_CHANGE = "unchanged"
    NEW = "not run before"
    CUT_OFF = "was cut off"
    NEW_INPUT = "its command or what it reads has changed"
    OUTPUT_DIFFERENCE = "what it wrote is not there, or is not what it wrote"
    REQUEST = "as asked"
    BEFORE = "a step before it is run"


@dataclass(frozen=True)
class Outcome:
    """Result of a step: run, to be run (dry run) or unchanged, with the reason; `seconds` only after a run."""

    step: str
    reason: RunReason
    line: str
    seconds: float | None = None

    @property
    def runs(self) -> bool:
        """True if the step runs."""
        return self.reason is not RunReason.NO_CHANGE


def run_recipe(
    recipe: Recipe,
    commands: Mapping[str, StepCommand],
    tell: Callable[[str], None],
    *,
    last: str | None = None,
    force: Collection[str] = (),
    dry: bool = False,
    take_over: bool = False,
) -> list[Outcome]:
    """Run the steps up to `last` in order, without unchanged ones; return an outcome for each. A `dry` run only predicts outcomes.

    All steps are checked before the first runs. InputError for a malformed step, a failing step, or another run of the recipe at
    the same time. InputError also for an output file from outside the recipe, unless `take_over` is True.
    """
    lines = command_lines(recipe, commands)
    names = [line.step.name for line in lines]
    for option, choices in (("--to", [last] if last else []), ("--force", force)):
        missing = next((name for name in choices if name not in names), None)
        if missing is not None:
            raise InputError("invalid-request", f"no step is called {missing}; there are {', '.join(names)}", (option,))
    lines = lines[: names.index(last) + 1] if last else lines
    folder = recipe.root / recipe.folder
    records = folder / MANIFESTS
    if not take_over:
        _check_own(recipe, lines, records)
    if dry:
        return list(_predictions(recipe, lines, records, force))
    records.mkdir(parents=True, exist_ok=True)
    with _locked(records) as lock:
        digests = Digests(recipe.root)
        return [_run_step(recipe, line, records, digests, lock, tell, line.step.name in force) for line in lines]


def _check_own(recipe: Recipe, lines: Sequence[CommandLine], records: Path) -> None:
    """Raise InputError if a step would replace a file that is in no manifest of this recipe."""
    manifests = [read_step_manifest(path) for path in sorted(records.glob("*.json"))]
    own_paths = {path for manifest in manifests if manifest is not None for path in manifest.writes}
    for line in lines:
        for path in line.outputs:
            if (recipe.root / path).exists() and path not in own_paths:
                detail = f"{path} is there, and was not written by this recipe; --replace lets {line.step.name} write in its place"
                raise InputError("invalid-request", detail, ("--replace",))


def _reason(line: CommandLine, manifest: StepManifest | None, digests: Digests, force: bool) -> RunReason:
    if manifest is None:
        return RunReason.NEW
    if manifest.finished is None:
        return RunReason.CUT_OFF
    if force:
        return RunReason.REQUEST
    if manifest.key != key_of(line, digests.of(line.reads)):
        return RunReason.NEW_INPUT
    try:
        is_intact = digests.of(line.outputs) == dict(manifest.outputs)
    except OSError:
        is_intact = False
    return RunReason.NO_CHANGE if is_intact else RunReason.OUTPUT_DIFFERENCE


def _predictions(recipe: Recipe, lines: Sequence[CommandLine], records: Path, force: Collection[str]) -> Iterator[Outcome]:
    """Predicted outcomes; a step after a run step may in fact prove unchanged."""
    digests = Digests(recipe.root)
    fresh: set[str] = set()
    for line in lines:
        manifest = read_step_manifest(records / f"{line.step.name}.json")
        is_behind = any(overlap(path, output) for path in line.reads for output in fresh)
        reason = RunReason.BEFORE if is_behind else _reason(line, manifest, digests, line.step.name in force)
        if reason is not RunReason.NO_CHANGE:
            fresh.update(line.outputs)
        yield Outcome(line.step.name, reason, typed_line(line))


def _run_step(
    recipe: Recipe, line: CommandLine, records: Path, digests: Digests, lock: IO[str], tell: Callable[[str], None], force: bool
) -> Outcome:
    path = records / f"{line.step.name}.json"
    reason = _reason(line, read_step_manifest(path), digests, force)
    if reason is RunReason.NO_CHANGE:
        tell(f"{line.step.name}: unchanged")
        return Outcome(line.step.name, reason, typed_line(line))
    tell(f"{line.step.name}: {reason}\n  {typed_line(line)}")
    inputs = digests.of(line.reads)
    start = StepManifest(line.step.name, typed_line(line), __version__, key_of(line, inputs), inputs, {}, line.outputs)
    write_step_manifest(path, start)
    before, at = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    _run(recipe, line, lock)
    seconds = time.monotonic() - at
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    missing = next((name for name in line.outputs if not (recipe.root / name).exists()), None)
    if missing is not None:
        raise InputError(
            "invalid-request", f"{line.step.name} ended and has not written {missing}", (str(recipe.path), line.step.line)
        )
    finished = replace(
        start,
        outputs=digests.of(line.outputs),
        finished=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(seconds, 2),
        processor_seconds=round(processor_seconds, 2),
    )
    write_step_manifest(path, finished)
    tell(f"  {seconds:.1f} s, {processor_seconds:.1f} s of processors")
    return Outcome(line.step.name, reason, typed_line(line), seconds)


def _run(recipe: Recipe, line: CommandLine, lock: IO[str]) -> None:
    """Run a step as a child process; its printed output replaces the old file after success."""
    for path in line.outputs:
        place = recipe.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if not line.replaces and not line.resumes:
            _remove(place)
    words = len(line.step.command.split(" "))
    arguments = [*line.arguments[:words], *(["--replace"] if line.replaces else []), *line.arguments[words:]]
    paths = os.pathsep.join(filter(None, [str(PROGRAM_ROOT), os.environ.get("PYTHONPATH", "")]))
    temporary = None if line.prints is None else recipe.root / f"{line.prints}.new"
    with (Path(os.devnull) if temporary is None else temporary).open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "app", *arguments],
            cwd=recipe.root,
            stdin=subprocess.DEVNULL,
            # Output without a file goes to standard error, like the messages of the step.
            stdout=STANDARD_ERROR if temporary is None else output,
            env={**os.environ, "PYTHONPATH": paths},
            pass_fds=[lock.fileno()],
        )
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    if status:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        end = f"by signal {-status}" if status < 0 else f"with exit code {status}"
        detail = f"line {line.step.line} of {recipe.path}: {line.step.name} ended {end}; what was done before it stays"
        raise InputError("invalid-request", detail, (str(recipe.path), line.step.line))
    if temporary is not None and line.prints is not None:
        temporary.replace(recipe.root / line.prints)


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


@contextmanager
def _locked(records: Path) -> Iterator[IO[str]]:
    """Lock of a run, inherited by its steps: after a kill, no new run begins before the last step ends. SIGTERM ends the step."""
    with (records / ".lock").open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError("invalid-request", f"a recipe is being run in {records.parent}; let it end, or end it") from None
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
        try:
            yield lock
        finally:
            signal.signal(signal.SIGTERM, before)
