"""Time and memory of reading n-best lists: ``python -m benchmarks.smt.tuning.list_reading [--runs N]``.

Lists of 1,000 × 1,000 hypotheses with 14 features, as from Moses, go to a temporary file, plain and gzip, then with
three sparse features of 20,000 in every hypothesis. A new process reads each file. Its largest resident memory counts,
with Python and compiled kernels.
"""

import argparse
import gzip
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from benchmarks.figures import Spread, Table, add_json_option

NAMES: Final = (("d", 7), ("lm", 1), ("w", 1), ("tm", 5))
SPARSE_NAMES: Final = 20_000
WORDS: Final = 20


def lines(segment: int, hypotheses: int, rng: np.random.Generator, sparse: int) -> str:
    """The list of one segment."""
    values = rng.normal(-10, 5, (hypotheses, sum(count for _, count in NAMES)))
    words = rng.zipf(1.3, (hypotheses, WORDS)).clip(max=99_999)
    rows = []
    for row, (numbers, ranks) in enumerate(zip(values.tolist(), words.tolist(), strict=True)):
        text = " ".join(f"w{word}" for word in ranks)
        cells, at = [], 0
        for name, count in NAMES:
            cells.append(f"{name}= {' '.join(f'{value:.6g}' for value in numbers[at : at + count])}")
            at += count
        cells += [f"wt_{name}= 1" for name in sorted(set(rng.integers(0, SPARSE_NAMES, sparse).tolist()))]
        rows.append(f"{segment} ||| {text} {row} ||| {' '.join(cells)} ||| {sum(numbers):.6g}\n")
    return "".join(rows)


def write(path: Path, segments: int, hypotheses: int, sparse: int = 0) -> None:
    """Lists into a file."""
    rng = np.random.default_rng(1)
    with gzip.open(path, "wt", compresslevel=1) if path.suffix == ".gz" else path.open("w") as file:
        for segment in range(segments):
            file.write(lines(segment, hypotheses, rng, sparse))


# The measured process: kernels are loaded, or compiled, before the clock starts.
READING: Final = """
import json, resource, sys, time
from pathlib import Path
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import read_lists
read_lists([TextFile("head", b"0 ||| a ||| lm= 1 wt_a= 1 ||| 1")])
before, cpu, rss = time.perf_counter(), time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
lists = read_lists([Path(sys.argv[1])]).lists
seconds, cpu_seconds = time.perf_counter() - before, time.process_time() - cpu
most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert len(lists.scores) == int(sys.argv[2])
print(json.dumps([seconds, cpu_seconds, most * 1024 / 1e6, rss * 1024 / 1e6]))
"""
COLUMNS: Final = {"file": "", "MB": ".0f", "s": ".1f", "s of processor time": ".1f", "MB of memory": ".0f", "MB before": ".0f"}


def main() -> None:
    """Print seconds and memory of each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--segments", type=int, default=1000, help="number of lists")
    parser.add_argument("--hypotheses", type=int, default=1000, help="hypotheses per list")
    parser.add_argument("--runs", type=int, default=5)
    add_json_option(parser)
    options = parser.parse_args()
    table = Table("list_reading", COLUMNS, options.json)
    with TemporaryDirectory() as folder:
        for name, sparse in (("dense.nbest", 0), ("dense.nbest.gz", 0), ("sparse.nbest", 3)):
            path = Path(folder) / name
            write(path, options.segments, options.hypotheses, sparse)
            command = [sys.executable, "-c", READING, str(path), str(options.segments * options.hypotheses)]
            runs = [json.loads(subprocess.check_output(command)) for _ in range(options.runs)]
            table.add(name, path.stat().st_size / 1e6, *(Spread(column) for column in zip(*runs, strict=True)))
            path.unlink()


if __name__ == "__main__":
    main()
