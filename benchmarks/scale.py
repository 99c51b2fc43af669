"""Tables of any size: ``python -m benchmarks.scale DATA --rows 1000000 10000000``.

Pairs of MLQE-PE's ro-en are repeated with row numbers, so that no two are equal. The first table has rows per second and the memory of
the largest process. Beside them stand the rate of batches alone in as many processes at once, and the estimate of `assay plan`. ``--cluster`` adds Ray.
With ``--kills N``, the run of two processes is killed N times at random moments, and its files are compared with those of an undisturbed run.
"""

import argparse
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from app.running.processors import available_processors
from app.scale import Scorer
from app.text.reading.tables import read_column
from benchmarks.figures import Table, add_json_option

GROUP = 20_000
SAMPLE = 100_000
SECONDS = 60
SEED = 1


def write_pairs(data: Path, path: Path, rows: int) -> None:
    """A table of pairs with a number each, in row groups."""
    table = data / "ro-en" / "train.tsv.gz"
    sources, translations, post_edits = (read_column(f"{table}:{name}") for name in ("source", "translation", "post_edit"))
    names = {"src": sources, "mt": translations, "ref": post_edits}
    schema = pa.schema({"id": pa.int64(), **dict.fromkeys(names, pa.string())})
    with pq.ParquetWriter(path, schema) as writer:
        for begin in range(0, rows, GROUP):
            ids = range(begin, min(begin + GROUP, rows))
            texts = [[f"{column[k % len(column)]} {k}" for k in ids] for column in names.values()]
            writer.write_table(pa.table([pa.array(ids, pa.int64()), *texts], schema=schema))


def in_process(path: Path, model: str, profile: str | None) -> float:
    """Rows per second of batches in this process."""
    scorer = Scorer(model=model, profile=profile)
    batches = pq.ParquetFile(path).iter_batches(4096)
    scorer(next(batches))
    start, count = time.perf_counter(), 0
    for batch in batches:
        scorer(batch)
        count += batch.num_rows
        if count >= SAMPLE or time.perf_counter() - start >= SECONDS:
            break
    return count / (time.perf_counter() - start)


def rate_at_once(path: Path, model: str, profile: str | None, processes: int) -> float:
    """Rows per second of batches in processes that work at once, all together: cores of one machine share its memory and clock."""
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        return sum(pool.starmap(in_process, [(path, model, profile)] * processes, chunksize=1))


def assay(*arguments: str) -> list[str]:
    """A command line of the program."""
    return [sys.executable, "-m", "app", *arguments]


def run(command: Sequence[str]) -> tuple[float, float]:
    """Seconds of a command, and megabytes of the largest of its processes."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    largest = 0.0
    while process.poll() is None:
        largest = max(largest, *map(megabytes, processes_of(process.pid)), 0)
        time.sleep(0.2)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return time.perf_counter() - start, largest


def processes_of(session: int) -> list[int]:
    """Ids of the processes of a session."""
    listing = subprocess.run(["ps", "-o", "pid=", "--sid", str(session)], capture_output=True, text=True, check=False)
    return [int(word) for word in listing.stdout.split()]


def megabytes(process: int) -> float:
    """Memory of a process; 0 after its end."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0)


def kill_at_random(command: Sequence[str], kills: int, seconds: float) -> float:
    """Seconds of a run whose command or one of whose processes is killed now and then, and begun again."""
    rng = random.Random(SEED)
    start, rest = time.perf_counter(), kills
    while True:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        while rest and process.poll() is None:
            time.sleep(rng.uniform(0, 2 * seconds / kills))
            victims = processes_of(process.pid)
            if process.poll() is None and victims:
                rest -= 1
                os.killpg(process.pid, signal.SIGKILL) if rest % 2 == 0 else os.kill(rng.choice(victims), signal.SIGKILL)
        if process.wait() == 0:
            return time.perf_counter() - start
        for victim in processes_of(process.pid):
            os.kill(victim, signal.SIGKILL)


def equal_files(first: Path, second: Path) -> bool:
    """True if both folders have equal files, records of the run aside."""
    names = [sorted(path.name for path in folder.iterdir() if path.is_file()) for folder in (first, second)]
    return names[0] == names[1] and all((first / name).read_bytes() == (second / name).read_bytes() for name in names[0])


def estimate_of(path: Path, model: Sequence[str], processes: int) -> int:
    """Seconds that `assay plan` expects."""
    command = assay("plan", str(path), *model, "--processes", str(processes), "--format", "json")
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return int(answer[0]["seconds"])


def measure(path: Path, rows: int, arguments: argparse.Namespace, folder: Path, table: Table) -> None:
    """Add rows for one size to the table."""
    model = ["--model", arguments.model, *([] if arguments.profile is None else ["--profile", arguments.profile])]
    counts = sorted({1, arguments.processes} if arguments.single else {arguments.processes})
    rates = {count: rate_at_once(path, arguments.model, arguments.profile, count) for count in counts}
    for count, rate in rates.items():
        table.add(rows, f"batches alone, {count} at once", None, rate, 1, None, None)
    ways = {f"{count} processes": (["--processes", str(count)], count) for count in counts}
    ways |= {"Ray": (["--cluster", "auto"], arguments.processes)} if arguments.cluster else {}
    for name, (options, count) in ways.items():
        estimate = estimate_of(path, model, count)
        seconds, memory = run(assay("quality", str(path), "--out", str(folder / "out"), *model, *options))
        shutil.rmtree(folder / "out")
        share = rows / seconds / rates[count]
        table.add(rows, name, seconds, rows / seconds, share, memory, estimate)
    sums = ["--columns", "reference=ref,MT=mt", "--processes", str(arguments.processes)]
    seconds, memory = run(assay("score", str(path), "--out", str(folder / "sums"), *sums))
    shutil.rmtree(folder / "sums")
    table.add(rows, "BLEU, chrF, TER", seconds, rows / seconds, None, memory, None)


def disturb(path: Path, arguments: argparse.Namespace, folder: Path) -> None:
    """Print the cost of kills and of a run that finds all files finished."""
    command = assay("quality", str(path), "--model", arguments.model, "--processes", str(arguments.processes), "--out")
    calm, restart = folder / "calm", folder / "restart"
    seconds, _ = run([*command, str(calm)])
    repetition, _ = run([*command, str(calm)])
    with_kills = kill_at_random([*command, str(restart)], arguments.kills, seconds)
    equal = "equal" if equal_files(calm, restart) else "DIFFERENT"
    print(
        f"\n{arguments.kills} kills: {with_kills:.1f} s instead of {seconds:.1f} s, {equal} files; a finished run again: {repetition:.1f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("data", type=Path, help="folder of MLQE-PE")
    parser.add_argument("--rows", type=int, nargs="+", default=[200_000], help="sizes of the table")
    parser.add_argument("--model", default="ro-en-hter-gp-17")
    parser.add_argument("--profile")
    parser.add_argument("--processes", type=int, default=available_processors())
    parser.add_argument("--single", action="store_true", help="one process too")
    parser.add_argument("--cluster", action="store_true", help="Ray too")
    parser.add_argument("--kills", type=int, default=0)
    add_json_option(parser)
    arguments = parser.parse_args()
    columns = {"rows": ",", "run": "", "s": ".1f", "rows/s": ",.0f", "share": ".2f", "MB of a process": ".0f", "estimated s": ""}
    table = Table("scale", columns, arguments.json, ["pyarrow", "ray"])
    with tempfile.TemporaryDirectory() as folder:
        for rows in arguments.rows:
            path = Path(folder) / "pairs.parquet"
            write_pairs(arguments.data, path, rows)
            measure(path, rows, arguments, Path(folder), table)
        if arguments.kills:
            disturb(path, arguments, Path(folder))


if __name__ == "__main__":
    main()
