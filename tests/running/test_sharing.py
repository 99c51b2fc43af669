"""Counts of several processes: each writes its own row, and all read the sums."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.running.sharing import Sharing
from app.settings import ROOT

PROGRAM = """
import os
from pathlib import Path
from app.running.sharing import Sharing
sharing = Sharing(3, Path("."))
counts = sharing.counts(5)
processes = []
for place in range(3):
    process = os.fork()
    if not process:
        sharing.place = place
        for _ in range(10_000 * (place + 1)):
            counts.add(1, place)
            counts.add(2, 4)
        os._exit(0)
    processes.append(process)
for process in processes:
    os.waitpid(process, 0)
print(counts.totals().tolist(), counts.total(4), counts.of([0, 2], 4))
sharing.clear(2)
print(counts.totals().tolist())
"""


def test_forked_processes_see_each_other() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines() == ["[10000, 20000, 30000, 0, 120000] 120000 [20000, 60000]", "[10000, 20000, 0, 0, 60000]"]


def test_counts_that_nobody_would_see_are_refused() -> None:
    sharing = Sharing(2, Path())
    sharing.place = 1
    with pytest.raises(RuntimeError, match="before the fork"):
        sharing.counts()
