"""A step's command in a process of its own: its folder, time, memory and disk are bounded, and it ends with whoever started it."""

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
CONFINED: Final = Path(__file__).with_name("confined.py")
LOOK_SECONDS: Final = 0.1
# Between two looks at how much a step has written, which walks through its folder.
MEASURE_SECONDS: Final = 1.0
# What a command says to the end, which says why it failed.
TAIL_BYTES: Final = 4000
REFUSED: Final = frozenset({2, 3})
NO_MEMORY: Final = ("MemoryError", "numpy._core._exceptions._ArrayMemoryError", "numpy.core._exceptions._ArrayMemoryError")
# Of this process's environment; nothing that names the database, keys or folders of the server.
KEPT: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_CACHE_DIR")


@dataclass(frozen=True)
class Bounds:
    """The most `seconds` of a step, bytes of `memory`, and `bytes` that it may write; so much has to stay free on the disk."""

    seconds: float
    memory: int
    bytes: int
    least_free: int = 0


@dataclass(frozen=True)
class StepFolder:
    """Folders of one step below an empty one: where it works, and where else it might write."""

    folder: Path

    @property
    def work(self) -> Path:
        """Where it is run: files that it reads and writes lie here."""
        return self.folder / "work"

    @property
    def home(self) -> Path:
        """What it takes for its home, its data folder and that of temporary files."""
        return self.folder / "home"

    @property
    def log(self) -> Path:
        """What it says."""
        return self.folder / "log"

    def make(self) -> None:
        """Make the folders."""
        self.work.mkdir()
        self.home.mkdir()

    def written(self) -> int:
        """Bytes of all files in it at this moment."""
        sizes = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                try:
                    sizes += (Path(folder) / name).lstat().st_size
                except FileNotFoundError:
                    continue
        return sizes

    def told(self) -> list[str]:
        """The last lines that it said, without what no line should have."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - TAIL_BYTES))
            lines = log.read().decode("utf-8", "replace").splitlines()
        cleaned = ("".join(c if c.isprintable() else " " for c in line).strip() for line in lines)
        return [line for line in cleaned if line]


def run_command(
    step: str, arguments: list[str], place: StepFolder, prints: str | None, bounds: Bounds, watch: Callable[[str], object]
) -> list[str]:
    """Run ``assay ARGUMENTS`` in `place`; the last lines that it said. `watch` is called all the while, with the last of them so
    far, and may raise.

    InputError where the command refuses what it is given, or takes more than it may; RuntimeError where it fails otherwise, and
    OSError where there is no room on the disk before it begins.
    """
    _check_disk(place, bounds)
    begun = place.written()
    printed = Path(os.devnull) if prints is None else place.work / prints
    printed.parent.mkdir(parents=True, exist_ok=True)
    # -P: a file of a caller's that is called as a module is none.
    command = [sys.executable, "-P", "-s", "-m", "app", *arguments]
    readable = _readable()
    # The root's names alone: packages are found by them.
    own = [str(place.folder.resolve()), _kernels(), str(PROGRAM_ROOT)]
    limits = [str(os.getpid()), str(bounds.memory), str(bounds.bytes), *own, str(len(readable))]
    with place.log.open("wb") as log, printed.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(CONFINED), *limits, *readable, *command],
            cwd=place.work,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=log,
            env=_environment(place),
            start_new_session=True,
        )
        try:
            _wait(process, step, place, bounds, begun, watch)
        finally:
            _end(process)
    told = place.told()
    if process.returncode and any(line.startswith(NO_MEMORY) or os.strerror(errno.ENOMEM) in line for line in told):
        raise InputError("too-much-work", f"{step}: a step has at most {bounds.memory} bytes of memory", ("recipe", step))
    if process.returncode in REFUSED:
        detail = (told[-1] if told else "it was refused").removeprefix("assay: ")
        raise InputError("invalid-job", f"{step}: {detail}", ("recipe", step))
    if process.returncode:
        if any(line.startswith("RecursionError") for line in told):
            raise InputError("invalid-job", f"{step}: a file has lists in lists, deeper than any that is read", ("recipe", step))
        raise RuntimeError(f"{step} ended with {process.returncode}: {' / '.join(told)}")
    return told


def _wait(
    process: "subprocess.Popen[bytes]", step: str, place: StepFolder, bounds: Bounds, begun: int, watch: Callable[[str], object]
) -> None:
    over, measure, last = time.monotonic() + bounds.seconds, 0.0, ""
    while True:
        try:
            process.wait(LOOK_SECONDS)
            return
        except subprocess.TimeoutExpired:
            watch(last)
        now = time.monotonic()
        if now >= over:
            raise InputError("too-much-work", f"{step}: a step takes at most {bounds.seconds:g} seconds", ("recipe", step))
        if now >= measure:
            measure = now + MEASURE_SECONDS
            last = next(reversed(place.told()), "")
            if place.written() - begun > bounds.bytes:
                raise InputError("too-much-work", f"{step}: files of a recipe have too many bytes in all", ("recipe", step))
            if shutil.disk_usage(place.folder).free < bounds.least_free:
                raise InputError("disk-full", f"{step}: there was no room left on the disk; try the job again", ("recipe", step))


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the command with all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()
    process.wait()


def _check_disk(place: StepFolder, bounds: Bounds) -> None:
    if shutil.disk_usage(place.folder).free < bounds.least_free:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _readable() -> list[str]:
    """What a step may read beside its folder: this interpreter, packages, and what ships; nothing of the data folder.

    Not all of `sys.path`, where this process's working folder may stand.
    """
    ships = [str(PROGRAM_ROOT / name) for name in ("app", "resources", "models")]
    named = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    packages = [path for path in (*site.getsitepackages(), *named) if Path(path).resolve() != PROGRAM_ROOT]
    return list(dict.fromkeys([sys.prefix, sys.base_prefix, *packages, *ships]))


def _kernels() -> str:
    """Where compiled kernels are kept, to which a step adds those that it compiles."""
    return os.environ.get("NUMBA_CACHE_DIR") or str(PROGRAM_ROOT / "app")


def _environment(place: StepFolder) -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    paths = os.pathsep.join(filter(None, [str(PROGRAM_ROOT), os.environ.get("PYTHONPATH", "")]))
    home = str(place.home)
    return {**kept, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1", "HOME": home, "TMPDIR": home, "ASSAY_DATA_DIR": home}
