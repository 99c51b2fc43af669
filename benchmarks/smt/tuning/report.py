"""Report the worth of tuning methods on your own lists: ``python -m benchmarks.smt.tuning.report instability --dev NBEST --dev-reference REFERENCE``."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import numpy as np
import typer

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric
from app.running.journal import Journal, ProgressJournal, Share
from app.shell.declaration.files import check_file
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import number, refuse
from app.shell.here import engine_here
from app.shell.output import print_json, print_rows, progress_bar, say
from app.smt.commands.options.n_best.tuning import Missing, MissingWeights
from app.smt.operations.tune.same_columns import in_columns_of
from app.text.reading.n_best_files import ReadLists
from benchmarks.smt.protocols.cross_metric import cross_metrics
from benchmarks.smt.protocols.instability import measure_instability
from benchmarks.smt.protocols.learning_curves import AXES, learning_curve
from benchmarks.smt.protocols.measured_lists import MeasuredLists, measure, read_with_references, start_weights
from benchmarks.smt.protocols.runs import FIRST, tune_all
from benchmarks.smt.protocols.systems import best_by_metric, measure_systems
from benchmarks.smt.protocols.tables import Table, cross_tables, curve_table, instability_tables, pairs_table, system_tables
from benchmarks.smt.protocols.unjudged_pairs import draw_unjudged_pairs

__all__ = ["commands"]

commands = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


class Report(StrEnum):
    """Kinds of report."""

    INSTABILITY = "instability"
    SYSTEMS = "systems"
    CURVE = "curve"
    METRICS = "metrics"
    PAIRS = "pairs"


TUNING: Final = (Report.INSTABILITY, Report.SYSTEMS, Report.CURVE, Report.METRICS)
METHODS: Final = ("mert", "pro", "mira")
# A sweep of MERT over a thousand weights is a thousand line searches.
METHODS_OF_MANY: Final = ("mert|restarts:0|directions:0", "pro", "mira")
# Default metrics of each report; the first is the metric of tuning.
DEFAULT_METRICS: Final[Mapping[Report, tuple[str, ...]]] = {
    Report.INSTABILITY: ("bleu", "chrf", "ter"),
    Report.SYSTEMS: ("bleu", "nist", "meteor", "wer", "per", "sbleu"),
    Report.CURVE: ("bleu",),
    Report.METRICS: ("bleu", "simpbleu:PABC4", "chrf", "ter", "beer"),
    Report.PAIRS: ("bleu",),
}
ORACLES: Final = ("sbleu", "meteor")
AMOUNTS: Final[Mapping[str, tuple[int, ...]]] = {
    "segments": (25, 50, 100, 200, 400, 800),
    "features": (10, 30, 100, 300, 1000),
    "size": (5, 10, 20, 50, 100),
}
ACROSS: Final[Mapping[str, str]] = {
    "segments": "segments to tune on",
    "features": "synthetic features",
    "size": "hypotheses a list",
}


@dataclass(frozen=True)
class Question:
    """Lists, start weights, and the methods and seeds of the runs."""

    dev: MeasuredLists
    test: MeasuredLists
    start: Float64s
    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    journal: Journal


@commands.command()
def tune_report(
    report: Annotated[Report, typer.Argument(help="Kind of report, as instability: the spread over seeds.")],
    dev: Annotated[list[str], typer.Option(help="N-best list with features to tune on; repeat for lists to merge.")],
    dev_references: Annotated[
        list[str] | None, typer.Option("--dev-reference", help="Reference of the lists; repeat for more.")
    ] = None,
    test: Annotated[list[str] | None, typer.Option(help="Lists to measure on (default every second segment of --dev).")] = None,
    test_references: Annotated[
        list[str] | None, typer.Option("--test-reference", help="Reference of the lists; repeat for more.")
    ] = None,
    methods: Annotated[
        list[str] | None, typer.Option("--method", help="Tuning method, as mert|restarts:20; repeat for more.")
    ] = None,
    metrics: Annotated[
        list[str] | None, typer.Option("--metrics", "-m", help="Metric; repeat for more. The first is tuned towards.")
    ] = None,
    towards: Annotated[list[str] | None, typer.Option(help="Metric to tune towards (default all of --metrics).")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run, or of drawn pairs.")] = 1,
    runs: Annotated[int, typer.Option(min=1, max=1000, help="Runs of every method, each with its own seed.")] = 5,
    weights: Annotated[Path | None, typer.Option(help="File of start weights (default equal weights).")] = None,
    missing_weights: MissingWeights = Missing.REFUSED,
    segments: Annotated[int | None, typer.Option(min=1, help="Largest number of segments of each set, evenly spaced.")] = None,
    baseline: Annotated[str | None, typer.Option(help="Method, or metric of tuning, as the baseline of tests.")] = None,
    oracle_metrics: Annotated[list[str] | None, typer.Option("--oracle-metric", help="Metric of oracles; repeat for more.")] = None,
    axis: Annotated[str | None, typer.Option("--by", help=f"Axis of a curve: {', '.join(AXES)}.")] = None,
    amounts: Annotated[list[int] | None, typer.Option("--amount", help="Amount on the axis; repeat for more.")] = None,
    signal: Annotated[float, number(about="Signal of synthetic features: 0 is noise, 1 the strongest.", low=0.0, high=1.0)] = 0.0,
    count: Annotated[int | None, typer.Option(min=1, max=100_000, help="Number of pairs to draw.")] = None,
    plot: Annotated[Path | None, typer.Option(help="SVG file of the curve.")] = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Report the worth of tuning methods: runs, systems, learning curves, metrics."""
    tuning = {"--test": test, "--method": methods, "--metrics": metrics, "--weights": weights, "--segments": segments}
    zero_missing = missing_weights is Missing.ZERO
    _refuse(
        report,
        {
            "--baseline": (baseline, (Report.INSTABILITY, Report.METRICS)),
            "--oracle-metric": (oracle_metrics, (Report.SYSTEMS,)),
            "--towards": (towards, (Report.METRICS,)),
            "--count": (count, (Report.PAIRS,)),
            "--missing-weights": (zero_missing, TUNING),
            **{name: (value, TUNING) for name, value in tuning.items()},
            "--by": (axis, (Report.CURVE,)),
            "--amount": (amounts, (Report.CURVE,)),
            "--signal": (signal, (Report.CURVE,)),
            "--plot": (plot, (Report.CURVE,)),
        },
    )
    if plot is not None:
        check_file(plot, "--plot")
    if report is Report.PAIRS:
        _print(report, _pairs(read_with_references(dev, dev_references), count or 1000, seed), form)
        return
    oracles = list(oracle_metrics or (ORACLES if report is Report.SYSTEMS else ()))
    metrics_by_name = engine_here().metrics([*dict.fromkeys([*(metrics or DEFAULT_METRICS[report]), *oracles, *(towards or ())])])
    dev_lists, test_lists = _sets(metrics_by_name, (dev, dev_references), (test, test_references), segments, zero_missing)
    with progress_bar("tuning") as progress:
        seeds = tuple(range(seed, seed + runs))
        usual = METHODS_OF_MANY if axis == "features" else METHODS
        start = start_weights(weights, dev_lists, zero_missing)
        question = Question(dev_lists, test_lists, start, tuple(methods or usual), seeds, ProgressJournal(progress))
        if report is Report.INSTABILITY:
            tables = _instability(question, baseline or FIRST)
        elif report is Report.SYSTEMS:
            tables = _systems(question, oracles, metrics_by_name)
        elif report is Report.METRICS:
            tables = _metrics(question, list(towards or metrics or DEFAULT_METRICS[report]), baseline or FIRST)
        else:
            tables = _curve(question, axis or "segments", amounts, signal, plot)
    count_of_references = len(dev_references or ()) or len(read_with_references(dev, None).references)
    _print(report, tables, form, {name: metric.signature(count_of_references) for name, metric in metrics_by_name.items()})


def _refuse(report: Report, options: Mapping[str, tuple[object, tuple[Report, ...]]]) -> None:
    for name, (value, reports) in options.items():
        if report not in reports:
            refuse({name: value}, f"the report {report} has no use for this")


def _sets(
    metrics: Mapping[str, Metric],
    dev: tuple[list[str], list[str] | None],
    test: tuple[list[str] | None, list[str] | None],
    segments: int | None,
    zero_missing: bool,
) -> tuple[MeasuredLists, MeasuredLists]:
    """Return the tuning set and the held-out set."""
    if not test[0]:
        refuse({"--test-reference": test[1]}, "there are no lists of --test beside it")
        say("no --test: every second segment is tuned on, and the others are measured")
        return _measured(read_with_references(*dev), metrics, None if segments is None else 2 * segments).halves()
    dev_lists, test_lists = (
        _measured(read_with_references(files or (), references), metrics, segments) for files, references in (dev, test)
    )
    return dev_lists, replace(test_lists, pool=in_columns_of(test_lists.pool, dev_lists.pool, zero_missing))


def _measured(read: ReadLists, metrics: Mapping[str, Metric], segments: int | None) -> MeasuredLists:
    """Lists of some segments, evenly spaced, measured by all metrics."""
    lists, references = read.lists, [list(column) for column in read.references]
    if segments is not None and segments < len(lists):
        rows = np.unique(np.linspace(0, len(lists) - 1, segments).round().astype(np.int64))
        lists = lists.rows(rows)
        references = [[column[segment] for segment in rows.tolist()] for column in references]
    return measure(lists, metrics, references)


def _instability(question: Question, baseline: str) -> list[Table]:
    answer = measure_instability(
        question.dev, question.test, question.start, question.methods, question.seeds, baseline, question.journal
    )
    return instability_tables(answer)


def _systems(question: Question, oracles: list[str], metrics: Mapping[str, Metric]) -> list[Table]:
    tunings = tune_all(question.dev.pool, question.start, question.methods, question.seeds, question.journal)
    systems = {method: result.best.weights for method, result in tunings.items()}
    rows = measure_systems({"dev": question.dev, "test": question.test}, systems, oracles)
    return system_tables(rows, best_by_metric(rows, metrics))


def _metrics(question: Question, towards: list[str], baseline: str) -> list[Table]:
    tables = []
    for place, method in enumerate(question.methods):
        share = Share(question.journal, place / len(question.methods), (place + 1) / len(question.methods))
        rows = cross_metrics(question.dev, question.test, question.start, method, towards, question.seeds, baseline, share)
        tables += cross_tables(method, rows, baseline)
    return tables


def _curve(question: Question, axis: str, amounts: list[int] | None, signal: float, plot: Path | None) -> list[Table]:
    if axis not in AXES:
        raise InputError("invalid-request", f"curves are drawn by {', '.join(AXES)}", ("--by",))
    points = learning_curve(
        question.dev,
        question.test,
        question.start,
        question.methods,
        axis,
        amounts or AMOUNTS[axis],
        question.seeds,
        signal,
        question.journal,
    )
    if plot is not None:
        # The pages, and what draws for them, take a second to import.
        from benchmarks.smt.protocols.curve_chart import curves_svg

        metric = next(iter(question.dev.metrics))
        lines = [(point.method, point.amount, point.test, point.low, point.high) for point in points]
        plot.write_text(curves_svg(lines, f"{ACROSS[axis]}, logarithmic", f"{metric} on the test set"), encoding="utf-8")
        say(f"wrote {plot}")
    return [curve_table(points)]


def _pairs(read: ReadLists, count: int, seed: int) -> list[Table]:
    return [pairs_table(draw_unjudged_pairs(read.lists, read.references[0], count, seed))]


def _print(report: Report, tables: list[Table], form: Format, signatures: Mapping[str, str] | None = None) -> None:
    if form is Format.JSON:
        header = {} if signatures is None else {"signatures": signatures}
        print_json({"report": report.value, **header, **{table.name: table.records for table in tables}})
        return
    heading: Callable[[str], None] = print if form is Format.MARKDOWN else say
    for place, table in enumerate(tables):
        if form is not Format.TSV:
            heading(f"{'' if place == 0 else chr(10)}### {table.title}\n" if form is Format.MARKDOWN else f"\n{table.title}:")
        print_rows(table.rows, form)
        if table.note:
            heading(f"\n{table.note}" if form is Format.MARKDOWN else table.note)


if __name__ == "__main__":
    commands()
