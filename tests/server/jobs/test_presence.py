"""Who lives holds a lock; who was killed does not, whatever has its process number now."""

import subprocess
import sys
from pathlib import Path

from app.server.jobs.presence import departed_workers, hold_presence
from app.settings import ROOT

HOLD = """
import sys, time
from pathlib import Path
from app.server.jobs.presence import hold_presence
hold_presence(Path(sys.argv[1]), sys.argv[2])
print("held", flush=True)
time.sleep(600)
"""


def start(folder: Path, worker: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(folder), worker], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def test_a_killed_worker_has_departed_and_is_forgotten(tmp_path: Path) -> None:
    assert list(departed_workers(tmp_path / "none")) == []
    killed, living = start(tmp_path, "killed"), start(tmp_path, "living")
    try:
        assert list(departed_workers(tmp_path)) == []
        killed.kill()
        killed.wait()
        assert list(departed_workers(tmp_path)) == ["killed"]
        assert list(departed_workers(tmp_path)) == []
    finally:
        for process in (killed, living):
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def test_a_worker_that_could_not_be_freed_is_found_again(tmp_path: Path) -> None:
    (tmp_path / "left").touch()
    departed = departed_workers(tmp_path)
    assert next(departed) == "left"
    # Whoever asked could not free its jobs, and did not ask for the next.
    departed.close()  # type: ignore[attr-defined]
    assert list(departed_workers(tmp_path)) == ["left"]


def test_a_file_that_was_removed_before_it_was_locked_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "w").touch()
    assert list(departed_workers(tmp_path)) == ["w"]
    hold_presence(tmp_path, "w")
    assert (tmp_path / "w").exists() and list(departed_workers(tmp_path)) == []
