"""Processor time of tuning on real lists: ``python -m benchmarks.smt.tuning.speed DATA [--base FOLDER] [--runs N]``.

DATA holds multi30k-nbest and multi30k-de-en. `assay nbest tune` reads val's lists (1,014 × 77 hypotheses, 8 features) and tunes them by
each method, with the start of Python. ``--base`` measures a second checkout in turns, and compares its answers. The first turn does
not count.
"""

import argparse
import gzip
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from app.settings import ROOT
from benchmarks.figures import Spread, Table, add_json_option
from benchmarks.start_up import environment

METHODS = ("mert", "mira", "pro")


def tune(root: Path, folder: Path, lists: Path, method: str) -> tuple[float, bytes]:
    """Processor seconds of a command of a checkout, and its answer. Raise RuntimeError if it fails."""
    command = [sys.executable, "-m", "app", "nbest", "tune", str(lists), "-r", str(folder / "val.en"), "--format", "json"]
    with (folder / "answer").open("wb") as output:
        settings = {"ASSAY_DATA_DIR": str(folder / "data"), "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [*command, "--method", method], cwd=root, env=environment(root, **settings), stdout=output, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"a tuning by {method} ended with {process.returncode} in {root}")
    return usage.ru_utime + usage.ru_stime, (folder / "answer").read_bytes()


def measure(data: Path, roots: Sequence[Path], runs: int, path: Path | None) -> None:
    table = Table("tuning", {"method": "", "checkout": "", "s of processor time": ".2f", "answer": ""}, path)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "val.en").write_bytes(gzip.decompress((data / "multi30k-de-en" / "val.en.gz").read_bytes()))
        for method in METHODS:
            turns = [
                [tune(root, folder, data / "multi30k-nbest" / "val.nbest.gz", method) for root in roots] for _ in range(runs + 1)
            ]
            answers = {answer for turn in turns for _, answer in turn}
            for root, results in zip(roots, zip(*turns[1:], strict=True), strict=True):
                seconds = Spread([seconds for seconds, _ in results])
                table.add(method, root.name, seconds, "equal" if len(answers) == 1 else "differs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--base", type=Path, help="a second checkout")
    parser.add_argument("--runs", type=int, default=5)
    add_json_option(parser)
    options = parser.parse_args()
    roots = [root.resolve() for root in (options.base, ROOT) if root is not None]
    measure(options.data.resolve(), roots, options.runs, options.json)


if __name__ == "__main__":
    main()
