"""Child process of a step's command, with limits on folders, time, memory and disk; it ends with its parent process."""

import errno
import os
import shutil
import signal
import site
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.errors import InputError

__all__ = ["Bounds", "StepFolder", "run_command"]

PROGRAM_ROOT: Final = Path(__file__).resolve().parents[3]
CONFINED_PROGRAM: Final = Path(__file__).with_name("confined.py")
LOOK_SECONDS: Final = 0.1
# Interval between measurements of a step's files; a measurement walks through its folder.
MEASURE_SECONDS: Final = 1.0
# Bytes at the end of a command's messages; the last lines state the cause of a failure.
TAIL_BYTES: Final = 4000
REFUSAL_CODES: Final = frozenset({2, 3})
NO_MEMORY: Final = ("MemoryError", "numpy._core._exceptions._ArrayMemoryError", "numpy.core._exceptions._ArrayMemoryError")
# Environment variables passed to a step; none names the database, keys or folders of the server.
ENVIRONMENT: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_CACHE_DIR")


@dataclass(frozen=True)
class Bounds:
    """Limits of a step: `seconds`, bytes of `memory`, `bytes` of written files, and bytes that must stay free on the disk."""

    seconds: float
    memory: int
    bytes: int
    least_free: int = 0


@dataclass(frozen=True)
class StepFolder:
    """Folders of a step below an empty folder: the working folder, and a home for other files."""

    folder: Path

    @property
    def work(self) -> Path:
        """Working folder, with the files that the step reads and writes."""
        return self.folder / "work"

    @property
    def home(self) -> Path:
        """Folder that serves as home, data folder and folder of temporary files."""
        return self.folder / "home"

    @property
    def log(self) -> Path:
        """File with the step's standard error."""
        return self.folder / "log"

    def make(self) -> None:
        """Create the folders."""
        self.work.mkdir()
        self.home.mkdir()

    def size(self) -> int:
        """Present size of all files in the folder, in bytes."""
        sizes = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                try:
                    sizes += (Path(folder) / name).lstat().st_size
                except FileNotFoundError:
                    continue
        return sizes

    def messages(self) -> list[str]:
        """Last lines of standard error, without control characters."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - TAIL_BYTES))
            lines = log.read().decode("utf-8", "replace").splitlines()
        plain_lines = ("".join(c if c.isprintable() else " " for c in line).strip() for line in lines)
        return [line for line in plain_lines if line]


def run_command(
    step: str, arguments: list[str], place: StepFolder, prints: str | None, bounds: Bounds, watch: Callable[[str], object]
) -> list[str]:
    """Run ``assay ARGUMENTS`` in `place`; return the last lines of standard error.

    `watch` is called during the run with the latest line, and may raise. InputError if the command refuses its input or exceeds a
    limit; RuntimeError for other failures; OSError if the disk is full at the start.
    """
    if shutil.disk_usage(place.folder).free < bounds.least_free:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    start_bytes = place.size()
    print_file = Path(os.devnull) if prints is None else place.work / prints
    print_file.parent.mkdir(parents=True, exist_ok=True)
    # -P: Python must not import a caller's file that has the name of a module.
    command = [sys.executable, "-P", "-s", "-m", "app", *arguments]
    readable = _readable()
    # The root may only be listed, which Python needs to find packages.
    # A step adds its newly compiled kernels.
    kernels = os.environ.get("NUMBA_CACHE_DIR") or str(PROGRAM_ROOT / "app")
    folders = [str(place.folder.resolve()), kernels, str(PROGRAM_ROOT)]
    limits = [str(os.getpid()), str(bounds.memory), str(bounds.bytes), *folders, str(len(readable))]
    with place.log.open("wb") as log, print_file.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(CONFINED_PROGRAM), *limits, *readable, *command],
            cwd=place.work,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=log,
            env=_environment(place),
            start_new_session=True,
        )
        try:
            _wait(process, step, place, bounds, start_bytes, watch)
        finally:
            _end(process)
    messages = place.messages()
    if process.returncode and any(line.startswith(NO_MEMORY) or os.strerror(errno.ENOMEM) in line for line in messages):
        raise InputError("too-much-work", f"{step}: a step has at most {bounds.memory} bytes of memory", ("recipe", step))
    if process.returncode in REFUSAL_CODES:
        detail = (messages[-1] if messages else "it was refused").removeprefix("assay: ")
        raise InputError("invalid-job", f"{step}: {detail}", ("recipe", step))
    if process.returncode:
        if any(line.startswith("RecursionError") for line in messages):
            raise InputError("invalid-job", f"{step}: a file has lists in lists, deeper than any that is read", ("recipe", step))
        raise RuntimeError(f"{step} ended with {process.returncode}: {' / '.join(messages)}")
    return messages


def _wait(
    process: "subprocess.Popen[bytes]",
    step: str,
    place: StepFolder,
    bounds: Bounds,
    start_bytes: int,
    watch: Callable[[str], object],
) -> None:
    deadline, measure, last = time.monotonic() + bounds.seconds, 0.0, ""
    while True:
        try:
            process.wait(LOOK_SECONDS)
            return
        except subprocess.TimeoutExpired:
            watch(last)
        now = time.monotonic()
        if now >= deadline:
            raise InputError("too-much-work", f"{step}: a step takes at most {bounds.seconds:g} seconds", ("recipe", step))
        if now >= measure:
            measure = now + MEASURE_SECONDS
            last = next(reversed(place.messages()), "")
            if place.size() - start_bytes > bounds.bytes:
                raise InputError("too-much-work", f"{step}: files of a recipe have too many bytes in all", ("recipe", step))
            if shutil.disk_usage(place.folder).free < bounds.least_free:
                raise InputError("disk-full", f"{step}: there was no room left on the disk; try the job again", ("recipe", step))


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the command and its child processes."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()


def _readable() -> list[str]:
    """Readable paths of a step beside its folder: the interpreter, packages, and shipped files, but no user data.

    `sys.path` is not used, since it may have the working folder of this process.
    """
    shipped_folders = [str(PROGRAM_ROOT / name) for name in ("app", "resources", "models")]
    search_path = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    packages = [path for path in (*site.getsitepackages(), *search_path) if Path(path).resolve() != PROGRAM_ROOT]
    return list(dict.fromkeys([sys.prefix, sys.base_prefix, *packages, *shipped_folders]))


def _environment(place: StepFolder) -> dict[str, str]:
    variables = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    paths = os.pathsep.join(filter(None, [str(PROGRAM_ROOT), os.environ.get("PYTHONPATH", "")]))
    home = str(place.home)
    return {**variables, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1", "HOME": home, "TMPDIR": home, "ASSAY_DATA_DIR": home}
