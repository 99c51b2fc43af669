"""`assay compare` and `assay correlate`: where systems differ, and how well metrics agree with people."""

from collections.abc import Mapping
from typing import Any, Final

from app.errors import InputError
from app.operations.analysis.compare import CompareRequest
from app.operations.analysis.compare import operation as compare_operation
from app.operations.analysis.correlate import CorrelateRequest
from app.operations.analysis.correlate import operation as correlate_operation
from app.operations.parts.flat_rows import columns_of_rows
from app.operations.score import ScoreRequest
from app.operations.score import operation as score_operation
from app.shell.comparison.page import comparison_page
from app.shell.comparison.predicted import compared_without_references
from app.shell.comparison.tables import print_comparison
from app.shell.declaration.forms import Format
from app.shell.inputs import named_lists, read_any_table, read_lines
from app.shell.options.analysis import TOKENISER, CompareOptions, CorrelateOptions
from app.shell.output import print_answer, print_json, print_rows
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.segments import spans_column
from app.text.reading.tables import Table

__all__ = ["compare", "correlate"]

# Options of comparisons without references.
PREDICTED: Final = ("pair", "model", "label", "profile")
# Members of rows that repeat in each row, or hold parts of their own.
HIDDEN: Final = frozenset({"meaning", "metrics"})


def compare(options: CompareOptions) -> None:
    """Show where a system differs from a baseline: words and scores with references, else predicted quality and checks."""
    systems = named_lists([options.baseline, options.system])
    baseline, system = systems
    if options.references:
        answer = _compared_with_references(options, systems)
    else:
        _check_without_references(options)
        answer = compared_without_references(options, systems)
    if options.form == "html":
        print(comparison_page(answer, baseline, system))
    elif options.form == "json":
        print_json(answer)
    else:
        print_comparison(answer, baseline, system, Format(options.form))


def _compared_with_references(options: CompareOptions, systems: Mapping[str, list[str]]) -> Any:
    surplus = next((name for name in PREDICTED if getattr(options, name) is not None), None)
    if surplus is not None:
        raise InputError("invalid-request", "this is for comparisons without references; leave it out", (f"--{surplus}",))
    baseline, system = systems
    request = make_request(
        CompareRequest,
        references=named_lists(options.references or []),
        baseline=systems[baseline],
        system=systems[system],
        baseline_name=baseline,
        system_name=system,
        sources=None if options.source is None else read_lines(options.source),
        metrics=options.metrics,
        tokenise=options.tokenize,
        most=options.most,
    )
    return answer_to(compare_operation, request, options.server)


def _check_without_references(options: CompareOptions) -> None:
    if options.source is None:
        raise InputError("invalid-request", "give references, or --source for a comparison by predicted quality", ("references",))
    if options.metrics or options.tokenize != TOKENISER:
        raise InputError("invalid-request", "metrics compare with references; give them, or leave the option out", ("--metrics",))


def _scores(table: Table, name: str, server: str | None) -> list[float]:
    """A column of scores, or the scores of a metric if the table has texts but no such column."""
    if name in table.columns or not {"translation", "reference"} <= table.columns.keys():
        return table.numbers(name)
    texts = {"systems": {"translations": list(table["translation"])}, "references": {"reference": list(table["reference"])}}
    request = make_request(ScoreRequest, metrics=[name], segments=True, **texts)
    (row,) = answer_to(score_operation, request, server)["metrics"]
    sign = 1.0 if row["direction"] == "higher is better" else -1.0
    return [sign * score for score in row["segments"]]


def correlate(options: CorrelateOptions) -> None:
    """Measure how well metrics' scores agree with people's."""
    table = read_any_table(str(options.file))
    if options.spans:
        lists = {"human": spans_column(table, options.human), "metrics": {n: spans_column(table, n) for n in options.columns or ()}}
        answer = answer_to(correlate_operation, make_request(CorrelateRequest, human=[], metrics={}, spans=lists), options.server)
        print_answer(answer, "spans", options.form)
        return
    request = make_request(
        CorrelateRequest,
        human=table.numbers(options.human),
        metrics={name: _scores(table, name, options.server) for name in options.columns or ()},
        groups=list(table[options.group]) if options.group else None,
        systems=list(table[options.system]) if options.system else None,
        agreements=options.agreements,
        tests=options.tests,
    )
    answer = answer_to(correlate_operation, request, options.server)
    if options.form is Format.JSON:
        print_json(answer)
        return
    tables = [answer[name] for name in ("metrics", "systems", *(("duels", "tests") if options.tests else ())) if answer.get(name)]
    for number, rows in enumerate(tables):
        if number:
            print()
        # Means of systems become columns.
        flat = [{**row, **row.get("metrics", {})} for row in rows]
        print_rows(flat, options.form, [column for column in columns_of_rows(flat) if column not in HIDDEN])
