"""Processor time of commands and of a server until it is ready: ``python -m benchmarks.start_up [REPEATS] [--base FOLDER]``.

Measures the checkout of this file with the running interpreter. ``--base`` measures a second checkout in turns with it,
so that both have the load of one machine. The first run of each command compiles and caches its kernels, and does not count.
Processor time is user and system time: of a command with its children; of a server until it is ready; and of the server's
children until they rest. Linux only.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2

from benchmarks.processes import megabytes, processor_seconds, with_descendants

ROOT = Path(__file__).resolve().parent.parent
PORT = 8733
LONGEST_START = 600.0
# Children with less processor time than this in a second have loaded everything.
RESTING_SECONDS = 0.1
LINES = 50
# Prints the names of all commands of a checkout.
LIST_COMMANDS = """
from typer.main import get_command
from app.shell.program import program

def names(group, path=()):
    for name in group.commands:
        below = group.commands[name]
        if hasattr(below, "commands"):
            names(below, (*path, name))
        else:
            print(*path, name)

names(get_command(program))
"""


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


def environment(root: Path, **settings: str) -> dict[str, str]:
    """Environment for a checkout, with `settings` as its only settings."""
    unset = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    return {**unset, "PYTHONPATH": os.pathsep.join([str(root), str(root / "client")]), **settings}


def run(root: Path, arguments: Sequence[str]) -> Command:
    """Run a command of a checkout. Raise RuntimeError if it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "app", *arguments],
        cwd=root,
        env=environment(root),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"assay {' '.join(arguments)} ended with {process.returncode} in {root}")
    return Command(usage.ru_utime + usage.ru_stime, time.perf_counter() - start)


def commands_of(root: Path) -> list[str]:
    """Names of all commands of a checkout, in the order of help."""
    command = [sys.executable, "-c", LIST_COMMANDS]
    return subprocess.check_output(command, cwd=root, env=environment(root), stderr=subprocess.PIPE, text=True).splitlines()


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
    """Processor seconds and megabytes of the descendants of a process, once they rest."""
    before = -1.0
    while True:
        children = with_descendants(process)[1:]
        now = processor_seconds(*children)
        if now - before < RESTING_SECONDS:
            return now, megabytes(*children)
        before = now
        time.sleep(1)


def start(root: Path) -> Start:
    with TemporaryDirectory() as data:
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "app", "serve", "--port", str(PORT)],
            cwd=root,
            env=environment(root, ASSAY_DATA_DIR=data, ASSAY_WORKERS="1"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until_ready(process)
            wall, server, memory = time.perf_counter() - begin, processor_seconds(process.pid), megabytes(process.pid)
            children, children_memory = children_at_rest(process.pid)
        finally:
            process.terminate()
            process.wait()
    return Start(server, children, wall, memory, children_memory)


def report(name: str, measure: Callable[[Path], Command | Start], repeats: int, roots: Sequence[Path]) -> None:
    """Print a line for each measure and checkout: median, minimum and maximum of its runs."""
    for root in roots:
        measure(root)
    turns = [[measure(root) for root in roots] for _ in range(repeats)]
    for root, runs in zip(roots, zip(*turns, strict=True), strict=True):
        columns = zip(*map(astuple, runs), strict=True)
        for field, values in zip(fields(runs[0]), columns, strict=True):
            unit = "MB" if field.name.endswith("mb") else "s"
            line = f"{name}, {field.name.removesuffix('_mb')}"
            print(
                f"{root.name:12s} {line:44s} {statistics.median(values):9.2f} {min(values):9.2f} {max(values):9.2f} {unit}",
                flush=True,
            )


def report_help(repeats: int, roots: Sequence[Path], commands: Sequence[str]) -> None:
    """Print the minimum processor time of help for all commands or for `commands`; a dash if a checkout lacks the command."""
    names = {root: commands_of(root) for root in roots}
    print(f"{'processor time of help, least':44s} " + " ".join(f"{root.name:>12s}" for root in roots))
    for name in commands or dict.fromkeys(chain.from_iterable(names.values())):
        cells = []
        for root in roots:
            runs = [run(root, [*name.split(), "--help"]).processor for _ in range(repeats)] if name in names[root] else []
            cells.append(f"{min(runs):12.2f}" if runs else f"{'-':>12s}")
        print(f"{'assay ' + name + ' --help':44s} " + " ".join(cells), flush=True)


def main() -> None:
    """Measure commands, help and the server of one or two checkouts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repeats", nargs="?", type=int, default=5)
    parser.add_argument("--base", type=Path, help="a second checkout")
    parser.add_argument("--command", action="append", default=[], help="a command for the times of help (default all commands)")
    parser.add_argument("--without-server", action="store_true", help="measure commands alone")
    arguments = parser.parse_args()
    repeats: int = arguments.repeats
    roots = [ROOT] if arguments.base is None else [arguments.base.resolve(), ROOT]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {repeats} runs")
    print(f"{'':57s} {'median':>9s} {'least':>9s} {'most':>9s}")
    with TemporaryDirectory() as folder:
        reference, output = Path(folder) / "reference.txt", Path(folder) / "output.txt"
        lines = [f"the house number {number} of the street is large and old ." for number in range(LINES)]
        reference.write_text("\n".join(lines) + "\n")
        output.write_text("\n".join(line.replace("large", "big") for line in lines) + "\n")
        score = ["score", str(reference), "-i", str(output)]
        report("assay --help", lambda root: run(root, ["--help"]), repeats, roots)
        report("assay score -m bleu", lambda root: run(root, [*score, "-m", "bleu"]), repeats, roots)
        metrics = [*score, "-m", "bleu", "-m", "chrf", "-m", "ter"]
        report("assay score -m bleu -m chrf -m ter", lambda root: run(root, metrics), repeats, roots)
    report_help(repeats, roots, arguments.command)
    if not arguments.without_server:
        report("assay serve", start, repeats, roots)


if __name__ == "__main__":
    main()
