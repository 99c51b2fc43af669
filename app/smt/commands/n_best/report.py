"""`assay nbest report`: what methods of tuning are worth on somebody's lists."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.errors import InputError
from app.metrics import Metric
from app.running.journal import Journal, ProgressJournal, Share
from app.shell.declaration.files import check_file
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import refuse
from app.shell.here import engine_here
from app.shell.output import print_json, print_rows, progress_bar, say
from app.smt.commands.n_best.report_tables import (
    Table,
    cross_tables,
    curve_table,
    instability_tables,
    pairs_table,
    system_tables,
)
from app.smt.commands.options.n_best.report import Report, ReportOptions
from app.smt.commands.options.n_best.weights import Missing
from app.smt.lists.diagnosis.system_protocol import best_by_metric, measure_systems
from app.smt.operations.tune.same_columns import in_columns_of
from app.smt.tuning.moses_weights import read_any_weights
from app.smt.tuning.protocols.cross_metric import cross_metrics
from app.smt.tuning.protocols.instability import measure_instability
from app.smt.tuning.protocols.learning_curves import AXES, learning_curve
from app.smt.tuning.protocols.measured_lists import MeasuredLists, measure
from app.smt.tuning.protocols.runs import FIRST, tune_all
from app.smt.tuning.protocols.unjudged_pairs import draw_unjudged_pairs
from app.text.reading.n_best_files import ReadLists, read_lists

__all__ = ["tune_report"]


TUNING: Final = (Report.INSTABILITY, Report.SYSTEMS, Report.CURVE, Report.METRICS)
METHODS: Final = ("mert", "pro", "mira")
# A sweep of MERT over a thousand weights is a thousand line searches.
METHODS_OF_MANY: Final = ("mert|restarts:0|directions:0", "pro", "mira")
# Metrics of each report where none is named; the first is tuned towards.
MEASURED: Final[Mapping[Report, tuple[str, ...]]] = {
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
    """Lists, weights to begin with, and how much is done with them."""

    dev: MeasuredLists
    test: MeasuredLists
    start: Float64s
    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    journal: Journal


def tune_report(options: ReportOptions) -> None:
    """Report what methods of tuning are worth: runs, systems, learning curves, metrics."""
    tuning = {
        "--test": options.test,
        "--method": options.methods,
        "--metrics": options.metrics,
        "--weights": options.weights,
        "--segments": options.segments,
    }
    zero_missing = options.missing_weights is Missing.ZERO
    _refuse(
        options.report,
        {
            "--baseline": (options.baseline, (Report.INSTABILITY, Report.METRICS)),
            "--oracle-metric": (options.oracle_metrics, (Report.SYSTEMS,)),
            "--towards": (options.towards, (Report.METRICS,)),
            "--count": (options.count, (Report.PAIRS,)),
            "--missing-weights": (zero_missing, TUNING),
            **{name: (value, TUNING) for name, value in tuning.items()},
            "--by": (options.axis, (Report.CURVE,)),
            "--amount": (options.amounts, (Report.CURVE,)),
            "--signal": (options.signal, (Report.CURVE,)),
            "--plot": (options.plot, (Report.CURVE,)),
        },
    )
    if options.plot is not None:
        check_file(options.plot, "--plot")
    if options.report is Report.PAIRS:
        _print(
            options.report, _pairs(_read(options.dev, options.dev_references), options.count or 1000, options.seed), options.form
        )
        return
    oracles = list(options.oracle_metrics or (ORACLES if options.report is Report.SYSTEMS else ()))
    named = engine_here().metrics(
        [*dict.fromkeys([*(options.metrics or MEASURED[options.report]), *oracles, *(options.towards or ())])]
    )
    learnt, held = _sets(
        named, (options.dev, options.dev_references), (options.test, options.test_references), options.segments, zero_missing
    )
    with progress_bar("tuning") as progress:
        seeds = tuple(range(options.seed, options.seed + options.runs))
        usual = METHODS_OF_MANY if options.axis == "features" else METHODS
        question = Question(
            learnt,
            held,
            _start(options.weights, learnt, zero_missing),
            tuple(options.methods or usual),
            seeds,
            ProgressJournal(progress),
        )
        if options.report is Report.INSTABILITY:
            tables = _instability(question, options.baseline or FIRST)
        elif options.report is Report.SYSTEMS:
            tables = _systems(question, oracles, named)
        elif options.report is Report.METRICS:
            tables = _metrics(
                question, list(options.towards or options.metrics or MEASURED[options.report]), options.baseline or FIRST
            )
        else:
            tables = _curve(question, options.axis or "segments", options.amounts, options.signal, options.plot)
    count_of_references = len(options.dev_references or ()) or len(_read(options.dev, None).references)
    _print(options.report, tables, options.form, {name: metric.signature(count_of_references) for name, metric in named.items()})


def _refuse(report: Report, options: Mapping[str, tuple[object, tuple[Report, ...]]]) -> None:
    for name, (value, where) in options.items():
        if report not in where:
            refuse({name: value}, f"the report {report} has no use for this")


def _read(files: list[str], references: list[str] | None) -> ReadLists:
    read = read_lists([Path(path) for path in files], references=[Path(path) for path in references or ()])
    if not read.references:
        raise InputError("missing-evidence", "lists are measured against references, and there are none", ("references",))
    return read


def _sets(
    metrics: Mapping[str, Metric],
    dev: tuple[list[str], list[str] | None],
    test: tuple[list[str] | None, list[str] | None],
    segments: int | None,
    zero_missing: bool,
) -> tuple[MeasuredLists, MeasuredLists]:
    """What is tuned on, and what is held out from it."""
    if not test[0]:
        refuse({"--test-reference": test[1]}, "there are no lists of --test beside it")
        say("no --test: every second segment is tuned on, and the others are measured")
        return _measured(_read(*dev), metrics, None if segments is None else 2 * segments).halves()
    learnt, held = (_measured(_read(list(files or ()), references), metrics, segments) for files, references in (dev, test))
    return learnt, replace(held, pool=in_columns_of(held.pool, learnt.pool, zero_missing))


def _measured(read: ReadLists, metrics: Mapping[str, Metric], segments: int | None) -> MeasuredLists:
    """Lists of some segments, measured; nothing else is."""
    lists, references = read.lists, [list(column) for column in read.references]
    if segments is not None and segments < len(lists):
        kept = np.unique(np.linspace(0, len(lists) - 1, segments).round().astype(np.int64))
        lists = lists.rows(kept)
        references = [[column[segment] for segment in kept.tolist()] for column in references]
    return measure(lists, metrics, references)


def _start(path: Path | None, learnt: MeasuredLists, zero_missing: bool) -> Float64s:
    names = learnt.pool.names
    if path is None:
        return np.ones(len(names))
    return read_any_weights(path.read_bytes(), names, path.name).weights.of_columns(names, zero_missing)


def _instability(question: Question, baseline: str) -> list[Table]:
    answer = measure_instability(
        question.dev, question.test, question.start, question.methods, question.seeds, baseline, question.journal
    )
    return instability_tables(answer)


def _systems(question: Question, oracles: list[str], metrics: Mapping[str, Metric]) -> list[Table]:
    tuned = tune_all(question.dev.pool, question.start, question.methods, question.seeds, question.journal)
    systems = {method: result.best.weights for method, result in tuned.items()}
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
        from app.server.web.charts import curves_svg

        metric = next(iter(question.dev.metrics))
        lines = [(point.method, point.amount, point.test, point.low, point.high) for point in points]
        plot.write_text(curves_svg(lines, f"{ACROSS[axis]}, logarithmic", f"{metric} on the test set"), encoding="utf-8")
        say(f"wrote {plot}")
    return [curve_table(points)]


def _pairs(read: ReadLists, count: int, seed: int) -> list[Table]:
    return [pairs_table(draw_unjudged_pairs(read.lists, read.references[0], count, seed))]


def _print(report: Report, tables: list[Table], form: Format, signatures: Mapping[str, str] | None = None) -> None:
    if form is Format.JSON:
        told = {} if signatures is None else {"signatures": signatures}
        print_json({"report": report.value, **told, **{table.name: table.whole for table in tables}})
        return
    heading: Callable[[str], None] = print if form is Format.MARKDOWN else say
    for place, table in enumerate(tables):
        if form is not Format.TSV:
            heading(f"{'' if place == 0 else chr(10)}### {table.title}\n" if form is Format.MARKDOWN else f"\n{table.title}:")
        print_rows(table.rows, form)
        if table.note:
            heading(f"\n{table.note}" if form is Format.MARKDOWN else table.note)
