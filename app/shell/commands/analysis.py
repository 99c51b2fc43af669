"""`assay compare` and `assay correlate`: where systems differ, and how well metrics agree with people."""

import json
from pathlib import Path
from typing import Annotated

import typer

from app.operations.compare import CompareRequest
from app.operations.compare import operation as compare_operation
from app.operations.correlate import CorrelateRequest
from app.operations.correlate import operation as correlate_operation
from app.shell.inputs import named_lists, read_any_table, read_lines
from app.shell.output import Format, print_json, print_rows, say
from app.shell.parameters import Server, default, option
from app.shell.requests import make_request
from app.shell.running import answer_to

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
AnalysisForm = Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")]
Metrics = Annotated[list[str] | None, typer.Option("--metrics", "-m", help="Metric; repeat for more.")]
SHOWN = 5


@commands.command()
def compare(
    references: Annotated[list[str], typer.Argument(help="Reference files, or NAME=FILE.")],
    baseline: Annotated[str, typer.Option(help="The baseline's output.")],
    system: Annotated[str, typer.Option(help="The other system's output.")],
    metrics: Metrics = None,
    tokenize: Annotated[str, typer.Option("--tokenize", "-tok", help="Tokeniser of n-grams and lengths.")] = default(
        CompareRequest, "tokenise"
    ),
    most: Annotated[int, option(CompareRequest, "most")] = default(CompareRequest, "most"),
    server: Server = None,
    form: AnalysisForm = Format.TEXT,
) -> None:
    """Show where a system differs from a baseline: n-grams, lengths, word frequencies, segments."""
    request = make_request(
        CompareRequest,
        references=named_lists(references),
        baseline=read_lines(baseline),
        system=read_lines(system),
        metrics=metrics,
        tokenise=tokenize,
        most=most,
    )
    answer = answer_to(compare_operation, request, server)
    if form is Format.JSON:
        print_json(answer)
        return
    for title, rows in (
        ("n-grams the system gets right more often", answer["ngrams"]["better"]),
        ("n-grams the system gets right less often", answer["ngrams"]["worse"]),
        ("by reference length", answer["lengths"]),
        ("words by frequency", answer["frequencies"]),
    ):
        say(f"\n{title}:")
        print_rows(rows, form)
    for gains in answer["segments"]:
        say(f"\n{gains['metric']}: {gains['wins']} segments better, {gains['losses']} worse, {gains['ties']} equal")
        for row in (*gains["most_improved"][:SHOWN], *gains["most_worsened"][:SHOWN]):
            texts = {"baseline": request.baseline[row["segment"]], "system": request.system[row["segment"]]}
            print(json.dumps({**row, **texts}, ensure_ascii=False))


@commands.command()
def correlate(
    file: Annotated[Path, typer.Argument(help="Table with a header: human scores and metrics' scores, higher for better.")],
    human: Annotated[str, typer.Option(help="Column of human scores.")],
    columns: Annotated[list[str], typer.Option("--metric", "-m", help="Column of a metric's scores; repeat for more.")],
    group: Annotated[str | None, typer.Option(help="Column of groups: only translations of one group are paired.")] = None,
    agreements: Annotated[list[str] | None, typer.Option("--agreement", "-a", help="Measure; repeat for more.")] = None,
    tests: Annotated[bool, typer.Option("--tests", help="Test every two metrics against each other.")] = False,
    server: Server = None,
    form: AnalysisForm = Format.TEXT,
) -> None:
    """Measure how well metrics' scores agree with people's."""
    table = read_any_table(str(file))
    request = make_request(
        CorrelateRequest,
        human=table.numbers(human),
        metrics={name: table.numbers(name) for name in columns},
        groups=list(table[group]) if group else None,
        agreements=agreements,
        tests=tests,
    )
    answer = answer_to(correlate_operation, request, server)
    if form is Format.JSON:
        print_json(answer)
        return
    print_rows(answer["metrics"], form)
    if tests:
        print_rows(answer["tests"], form, ["metric", "other", "williams_p_value", "permutation_p_value"])
