"""Processor time of short commands and of a server until it is ready: ``python -m benchmarks.start_up [REPEATS]``.

Measures the checkout that this file lies in, with the interpreter that runs it. Compiled kernels are cached before: what is not
printed is a first run of everything. Processor time is user and system; of a server, its own until it is ready, and that of the
processes it started until they rest. Linux only.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2

ROOT = Path(__file__).resolve().parent.parent
PORT = 8733
TICKS = os.sysconf("SC_CLK_TCK")
LONGEST_START = 600.0
# Children that used less than this in a second have nothing left to load.
RESTING_SECONDS = 0.1
LINES = 100


@dataclass(frozen=True)
class Command:
    """Seconds of one run of a command."""

    processor: float
    wall: float


@dataclass(frozen=True)
class Start:
    """Seconds and megabytes of one start of a server."""

    server: float
    children: float
    wall: float
    server_mb: float
    children_mb: float


def environment(**more: str) -> dict[str, str]:
    """Of settings, those that are given and no others."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "client")]), **more}


def run(arguments: list[str]) -> Command:
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "app", *arguments], cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"assay {' '.join(arguments)} ended with {process.returncode}")
    return Command(used.ru_utime + used.ru_stime, time.perf_counter() - begun)


def descendants(process: int) -> Iterator[int]:
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from descendants(int(child))


def processor_seconds(process: int) -> float:
    """User and system time of all threads of a process so far."""
    after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / TICKS


def megabytes(process: int) -> float:
    return int(Path(f"/proc/{process}/status").read_text().split("VmRSS:")[1].split()[0]) / 1024


def wait_until_ready(process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + LONGEST_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with {process.returncode}")
        try:
            if httpx2.get(f"http://127.0.0.1:{PORT}/health/ready").status_code == 200:
                return
        except httpx2.TransportError:
            pass
        time.sleep(0.05)
    raise RuntimeError("the server did not become ready")


def children_at_rest(process: int) -> tuple[float, float]:
    """Processor time and memory of the processes under one, as soon as they do nothing more."""
    before = -1.0
    while True:
        children = list(descendants(process))
        now = sum(map(processor_seconds, children))
        if now - before < RESTING_SECONDS:
            return now, sum(map(megabytes, children))
        before = now
        time.sleep(1)


def start() -> Start:
    with TemporaryDirectory() as data:
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "serve", "--port", str(PORT)],
            cwd=ROOT,
            env=environment(ASSAY_DATA_DIR=data, ASSAY_WORKERS="1"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until_ready(process)
            wall, server, memory = time.perf_counter() - begun, processor_seconds(process.pid), megabytes(process.pid)
            children, children_memory = children_at_rest(process.pid)
        finally:
            process.terminate()
            process.wait()
    return Start(server, children, wall, memory, children_memory)


def report(name: str, measure: Callable[[], Command | Start], repeats: int) -> None:
    measure()
    runs = [measure() for _ in range(repeats)]
    columns = zip(*map(astuple, runs), strict=True)
    for field, values in zip(fields(runs[0]), columns, strict=True):
        unit = "MB" if field.name.endswith("mb") else "s"
        what = f"{name}, {field.name.removesuffix('_mb')}"
        print(f"{what:38s} {statistics.median(values):9.2f} {min(values):9.2f} {max(values):9.2f} {unit}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repeats", nargs="?", type=int, default=5)
    repeats = parser.parse_args().repeats
    print(f"{ROOT.name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {repeats} runs")
    print(f"{'':38s} {'median':>9s} {'least':>9s} {'most':>9s}")
    with TemporaryDirectory() as folder:
        reference, output = Path(folder) / "reference.txt", Path(folder) / "output.txt"
        lines = [f"the house number {number} of the street is large and old ." for number in range(LINES)]
        reference.write_text("\n".join(lines) + "\n")
        output.write_text("\n".join(line.replace("large", "big") for line in lines) + "\n")
        report("assay --help", lambda: run(["--help"]), repeats)
        report(
            "assay score",
            lambda: run(["score", str(reference), "-i", str(output), "-m", "bleu", "-m", "chrf", "-m", "ter"]),
            repeats,
        )
    report("assay serve", start, repeats)


if __name__ == "__main__":
    main()
