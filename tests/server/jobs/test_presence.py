"""Who lives holds a lock; who was killed does not, whatever has its process number now."""

import subprocess
import sys
from pathlib import Path

from app.server.jobs import presence
from app.server.jobs.presence import departed_workers, hold_presence
from app.settings import ROOT

# The module alone, without all that a worker imports.
HOLD = """
import runpy, sys, time
from pathlib import Path
runpy.run_path(sys.argv[1])["hold_presence"](Path(sys.argv[2]), "killed")
print("held", flush=True)
time.sleep(600)
"""


def test_a_killed_worker_has_departed_and_is_forgotten(tmp_path: Path) -> None:
    assert list(departed_workers(tmp_path / "none")) == []
    hold_presence(tmp_path, "living")
    command = [sys.executable, "-c", HOLD, str(presence.__file__), str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as killed:
        try:
            assert killed.stdout is not None and killed.stdout.readline() == "held\n"
            assert list(departed_workers(tmp_path)) == []
        finally:
            killed.kill()
    assert list(departed_workers(tmp_path)) == ["killed"]
    assert list(departed_workers(tmp_path)) == []


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
