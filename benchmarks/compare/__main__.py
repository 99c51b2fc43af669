"""Speed of this checkout beside another commit: ``python -m benchmarks.compare REV [--format json] [--runs 5] [--measure NAME]``.

A temporary folder holds the commit's files. Both checkouts run with this interpreter and its packages, in turns, so that other load
meets both. Kernels are compiled before, and the first run of each measurement does not count. The texts are made up (`texts.py`).

A line has the medians with the smallest and the largest run, and the ratio: the speed of this checkout over that of the commit. A ratio
above 1 means that this checkout is faster. Ratios come from pairs of runs, and also have their extremes. Read a ratio as a change if
its extremes leave out 1. Processor times are user and system time. Requests and jobs are wall time: client and server share the cores.
"""

import argparse
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.compare.measures import Checkout, MeasurementError, opened_checkout, work_texts
from benchmarks.compare.tree import commit_of, compile_kernels, worktree
from benchmarks.start_up import ROOT


@dataclass(frozen=True)
class Measure:
    """One measurement of a checkout; numbers of `function` times `factor` have the unit."""

    name: str
    about: str
    unit: str
    function: Callable[[Checkout], float]
    factor: float = 1.0
    is_rate: bool = False


MEASURES = (
    Measure("command", "assay quality of one line, processor time", "s", Checkout.command),
    Measure("import", "import of the server, processor time", "s", Checkout.imports),
    Measure("fast-1", "one fast segment in process, processor time", "ms", lambda checkout: checkout.work("fast-1"), 1000),
    Measure("fast-10", "ten fast segments in process, processor time", "ms", lambda checkout: checkout.work("fast-10"), 1000),
    Measure("bleu", "BLEU of 4 x 1,000 segments, processor time", "ms", lambda checkout: checkout.work("bleu"), 1000),
    Measure("chrf", "chrF of 4 x 1,000 segments, processor time", "ms", lambda checkout: checkout.work("chrf"), 1000),
    Measure("ter", "TER of 4 x 1,000 segments, processor time", "ms", lambda checkout: checkout.work("ter"), 1000),
    Measure("mert", "MERT on 200 x 30 x 8 with reading, processor time", "s", lambda checkout: checkout.work("mert")),
    Measure("requests", "requests of a fast segment, 8 connections", "/s", Checkout.requests, is_rate=True),
    Measure("job", "job of 1,000 fast segments, wall time", "s", Checkout.job),
)


@dataclass(frozen=True)
class Row:
    """Runs of a measurement in both checkouts, in turns; without runs, the `error` of a checkout."""

    name: str
    about: str
    unit: str
    before: list[float]
    after: list[float]
    ratios: list[float]
    error: str | None = None


def main() -> None:
    """Compare this checkout with a commit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", metavar="REV", help="a commit of this repository, as HEAD^")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each measurement and checkout (default 5)")
    parser.add_argument("--measure", action="append", choices=[measure.name for measure in MEASURES], help="only this measurement")
    options = parser.parse_args()
    commit = commit_of(options.revision)
    if commit is None:
        sys.exit(f"{options.revision} is no commit of this repository; a shallow clone lacks parents: git fetch --unshallow")
    measures = [measure for measure in MEASURES if options.measure is None or measure.name in options.measure]
    machine = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"
    is_text = options.format == "text"
    if is_text:
        print(f"{machine}; {options.runs} runs in turns; {commit[:8]} and this checkout: median (least-most)")
        print(f"{'':52s} {commit[:8]:>26s} {'this checkout':>26s} {'ratio':>22s}", flush=True)
    rows = []
    with ExitStack() as closing:
        folder = Path(closing.enter_context(TemporaryDirectory(prefix="comparison-")))
        roots = (closing.enter_context(worktree(commit)), ROOT)
        texts = folder / "texts.json"
        texts.write_text(work_texts(), "utf-8")
        for root in roots:
            compile_kernels(root, folder)
        checkouts = [
            closing.enter_context(opened_checkout(root, folder / name, texts))
            for name, root in zip(("before", "after"), roots, strict=True)
        ]
        for measure in measures:
            rows.append(row_of(measure, checkouts, options.runs))
            if is_text:
                print(line_of(rows[-1]), flush=True)
    if not is_text:
        print(json.dumps({"commit": commit, "machine": machine, "rows": [asdict(row) for row in rows]}, indent=1))


def row_of(measure: Measure, checkouts: Sequence[Checkout], runs: int) -> Row:
    """Measure both checkouts in turns; the first turn does not count."""
    try:
        turns = [[measure.factor * measure.function(checkout) for checkout in checkouts] for _ in range(runs + 1)]
    except MeasurementError as error:
        return Row(measure.name, measure.about, measure.unit, [], [], [], str(error))
    before, after = (list(side) for side in zip(*turns[1:], strict=True))
    ratios = [second / first if measure.is_rate else first / second for first, second in zip(before, after, strict=True)]
    return Row(measure.name, measure.about, measure.unit, before, after, ratios)


def line_of(row: Row) -> str:
    """A line of the table."""
    if row.error is not None:
        return f"{row.about:52s} not measured: {row.error}"
    before, after = (f"{spread(side)} {row.unit}" for side in (row.before, row.after))
    return f"{row.about:52s} {before:>26s} {after:>26s} {spread(row.ratios):>22s}"


def spread(values: list[float]) -> str:
    """The median, the smallest and the largest value, with three digits."""
    return f"{statistics.median(values):.3g} ({min(values):.3g}-{max(values):.3g})"


if __name__ == "__main__":
    main()
