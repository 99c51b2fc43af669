"""A supervisor starts ended processes again, and refuses to fork beside threads."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from app.settings import ROOT

PROGRAM = """
import sys, time, signal
from pathlib import Path
from app.shell.serving.supervisor import Supervisor, Task
folder = Path(sys.argv[1])
def work():
    (folder / "begin").open("a").write("x")
    if sys.argv[2] == "crash":
        raise ValueError("no")
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))
    while not stopped:
        time.sleep(0.05)
    (folder / "end").open("a").write("x")
    return 0
def ended():
    (folder / "ended").open("a").write("x")
sys.exit(Supervisor([Task("works", work, ended), Task("works too", work, ended)], 5, lambda: None).run())
"""
THREADS = """
import threading
from app.running.processes.forking import fork_process
threading.Thread(target=threading.Event().wait, name="pool", daemon=True).start()
fork_process(lambda: 0)
"""


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def until(folder: Path, name: str, count: int) -> None:
    deadline = time.monotonic() + 30
    while size(folder / name) < count:
        assert time.monotonic() < deadline, (name, size(folder / name))
        time.sleep(0.02)


def begin(folder: Path, behaviour: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", PROGRAM, str(folder), behaviour]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)


def test_an_ended_process_is_started_again_and_the_first_signal_lets_all_finish(tmp_path: Path) -> None:
    supervisor = begin(tmp_path, "work")
    until(tmp_path, "begin", 2)
    found = subprocess.run(["pgrep", "-P", str(supervisor.pid)], capture_output=True, text=True, check=True).stdout.split()
    os.kill(int(found[0]), signal.SIGKILL)
    until(tmp_path, "begin", 3)
    time.sleep(0.2)
    supervisor.send_signal(signal.SIGINT)
    assert supervisor.wait(30) == 0
    assert (size(tmp_path / "end"), size(tmp_path / "ended")) == (2, 3)


def test_processes_that_fail_are_started_with_growing_pauses(tmp_path: Path) -> None:
    supervisor = begin(tmp_path, "crash")
    until(tmp_path, "begin", 2)
    begin_time = time.monotonic()
    until(tmp_path, "begin", 8)
    # After 0.25, 0.5 and 1 seconds.
    assert time.monotonic() - begin_time > 1.6
    supervisor.terminate()
    assert supervisor.wait(30) == 0


def test_a_process_with_threads_is_not_forked() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "RuntimeError: a process with the threads pool cannot be forked" in done.stderr
