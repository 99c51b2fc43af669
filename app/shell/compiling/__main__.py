"""Compile all kernels, with a bar that counts modules; done in a moment where all caches are fresh."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from app.running.kernel_caches import KernelCaches
from app.settings import ROOT
from app.shell.output import progress_bar, say

__all__ = ["main"]

# Both parts take about equally long: two processes, for two cores.
PARTS: Final = ("engine", "wings")
MODULE: Final = "app.shell.compiling.uses"


def main() -> None:
    """Compile modules without a cache. If a part fails, end with status 1 and the end of its log."""
    caches = KernelCaches()
    if caches.fresh():
        return
    stale = caches.discard_stale()
    say(f"Compiling kernels for this machine, {len(stale)} modules of {len(caches.modules)} (a minute or two, once) ...")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        logs = [Path(folder) / f"{part}.log" for part in PARTS]
        processes = [_start_part(part, Path(folder), log) for part, log in zip(PARTS, logs, strict=True)]
        try:
            with progress_bar("kernels") as show:
                while any(process.poll() is None for process in processes):
                    count = len(stale) - len(caches.without_cache())
                    show(f"{count} of {len(stale)} modules", count / max(len(stale), 1))
                    time.sleep(0.5)
        finally:
            for process in processes:
                process.terminate()
        for process, log in zip(processes, logs, strict=True):
            if process.wait():
                sys.exit(f"Kernels were not compiled:\n{log.read_text('utf-8', 'replace')[-2000:]}")
    caches.keep_record()
    say(f"Compiled in {time.monotonic() - begin:.0f} s.")


def _start_part(part: str, folder: Path, log: Path) -> "subprocess.Popen[bytes]":
    """Start a process that uses a part in its own folder, with its data folder inside."""
    work = folder / part
    work.mkdir()
    paths = os.pathsep.join([str(ROOT), str(ROOT / "client")])
    environment = {**os.environ, "PYTHONPATH": paths, "ASSAY_DATA_DIR": str(work / "data"), "OPENBLAS_NUM_THREADS": "1"}
    with log.open("wb") as output:
        return subprocess.Popen([sys.executable, "-m", MODULE, part], cwd=work, env=environment, stdout=output, stderr=output)


if __name__ == "__main__":
    main()
