"""Windows of drift: shared ones count as local ones do, and several processes lose nothing."""

import subprocess
import sys
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.registry.windows import LocalWindows, SharedWindows, Windows
from app.settings import ROOT

PROGRAM = """
import sys
from pathlib import Path
from app.registry.windows import SharedWindows
windows = SharedWindows(Path(sys.argv[1]))
for _ in range(2000):
    with windows.use("a/b", (3, 10)) as counts:
        counts[1] += 1
"""


@given(changes=st.lists(st.tuples(st.sampled_from(["a", "b/c", "ü"]), st.integers(0, 1), st.integers(1, 9)), max_size=20))
def test_shared_windows_are_local_ones(changes: list[tuple[str, int, int]], tmp_path_factory: object) -> None:
    folder = Path(tmp_path_factory.mktemp("windows"))  # type: ignore[attr-defined]
    windows: list[Windows] = [LocalWindows(), SharedWindows(folder), SharedWindows(folder)]
    for number, (model, window, count) in enumerate(changes):
        for part in (windows[0], windows[1 + number % 2]):
            with part.use(model, (2, 10)) as counts:
                counts[window, 1] += count
    assert sorted(windows[0].models()) == windows[1].models() == windows[2].models()
    for model in windows[0].models():
        with windows[0].use(model, (2, 10)) as local, windows[1].use(model, (2, 10)) as shared:
            np.testing.assert_array_equal(local, shared)


def test_processes_count_beside_each_other(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "windows")]
    (tmp_path / "windows").mkdir()
    processes = [subprocess.Popen(command, cwd=ROOT) for _ in range(2)]
    assert [process.wait(60) for process in processes] == [0, 0]
    with SharedWindows(tmp_path / "windows").use("a/b", (3, 10)) as counts:
        assert (counts[1] == 4000).all() and not counts[0].any()
