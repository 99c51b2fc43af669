"""`assay compare` and `assay correlate`: where systems differ, and how well metrics agree with people."""

import json

from app.operations.analysis.compare import CompareRequest
from app.operations.analysis.compare import operation as compare_operation
from app.operations.analysis.correlate import CorrelateRequest
from app.operations.analysis.correlate import operation as correlate_operation
from app.shell.declaration.forms import Format
from app.shell.inputs import named_lists, read_any_table, read_lines
from app.shell.options.analysis import CompareOptions, CorrelateOptions
from app.shell.output import print_json, print_rows, say
from app.shell.requests import make_request
from app.shell.running import answer_to

__all__ = ["compare", "correlate"]

ROW_LIMIT = 5


def compare(options: CompareOptions) -> None:
    """Show where a system differs from a baseline: n-grams, lengths, word frequencies, segments."""
    request = make_request(
        CompareRequest,
        references=named_lists(options.references),
        baseline=read_lines(options.baseline),
        system=read_lines(options.system),
        metrics=options.metrics,
        tokenise=options.tokenize,
        most=options.most,
    )
    answer = answer_to(compare_operation, request, options.server)
    if options.form is Format.JSON:
        print_json(answer)
        return
    for title, rows in (
        ("n-grams the system gets right more often", answer["ngrams"]["better"]),
        ("n-grams the system gets right less often", answer["ngrams"]["worse"]),
        ("by reference length", answer["lengths"]),
        ("words by frequency", answer["frequencies"]),
    ):
        say(f"\n{title}:")
        print_rows(rows, options.form)
    for gains in answer["segments"]:
        say(f"\n{gains['metric']}: {gains['wins']} segments better, {gains['losses']} worse, {gains['ties']} equal")
        for row in (*gains["most_improved"][:ROW_LIMIT], *gains["most_worsened"][:ROW_LIMIT]):
            texts = {"baseline": request.baseline[row["segment"]], "system": request.system[row["segment"]]}
            print(json.dumps({**row, **texts}, ensure_ascii=False))


def correlate(options: CorrelateOptions) -> None:
    """Measure how well metrics' scores agree with people's."""
    table = read_any_table(str(options.file))
    request = make_request(
        CorrelateRequest,
        human=table.numbers(options.human),
        metrics={name: table.numbers(name) for name in options.columns},
        groups=list(table[options.group]) if options.group else None,
        agreements=options.agreements,
        tests=options.tests,
    )
    answer = answer_to(correlate_operation, request, options.server)
    if options.form is Format.JSON:
        print_json(answer)
        return
    print_rows(answer["metrics"], options.form)
    if options.tests:
        print_rows(answer["tests"], options.form, ["metric", "other", "williams_p_value", "permutation_p_value"])
