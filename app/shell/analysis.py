"""`assay compare` and `assay correlate`: where systems differ, and how well metrics agree with people."""

import json
from pathlib import Path
from typing import Annotated

import typer

from app.analyses import comparison_answer, correlation_answer
from app.shell.inputs import named_lists, read_any_table, read_lines
from app.shell.output import Format, print_json, print_rows, say
from app.shell.serving import Server
from app.shell.session import call_server, metrics_here, settings_here

__all__ = ["register"]


def compare(
    references: Annotated[list[str], typer.Argument(help="Reference files, or NAME=FILE.")],
    baseline: Annotated[str, typer.Option(help="The baseline's output.")],
    system: Annotated[str, typer.Option(help="The other system's output.")],
    metrics: Annotated[list[str] | None, typer.Option("--metrics", "-m", help="Metric; repeat for more.")] = None,
    tokenize: Annotated[str, typer.Option("--tokenize", "-tok", help="Tokeniser of n-grams and lengths.")] = "13a",
    most: Annotated[int, typer.Option(min=1, max=500, help="How many n-grams and segments of each kind.")] = 20,
    server: Server = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Show where a system differs from a baseline: n-grams, lengths, word frequencies, segments."""
    longest = settings_here().max_segment_characters
    refs = named_lists(references, longest)
    lists = read_lines(baseline, longest), read_lines(system, longest)
    wanted = metrics or ["bleu", "chrf"]
    if server:
        body = {"baseline": lists[0], "system": lists[1], "references": refs, "metrics": wanted, "tokenise": tokenize, "most": most}
        answer = call_server(server, "POST", "/v1/compare", body)
    else:
        answer = comparison_answer(metrics_here(wanted), *lists, refs, tokenize, most)
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
    for each in answer["segments"]:
        say(f"\n{each['metric']}: {each['wins']} segments better, {each['losses']} worse, {each['ties']} equal")
        for row in (*each["most_improved"][:5], *each["most_worsened"][:5]):
            place = row["segment"]
            print(json.dumps({**row, "baseline": lists[0][place], "system": lists[1][place]}, ensure_ascii=False))


def correlate(
    file: Annotated[Path, typer.Argument(help="Table with a header: human scores and metrics' scores, higher for better.")],
    human: Annotated[str, typer.Option(help="Column of human scores.")],
    columns: Annotated[list[str], typer.Option("--metric", "-m", help="Column of a metric's scores; repeat for more.")],
    group: Annotated[str | None, typer.Option(help="Column of groups: only translations of one group are paired.")] = None,
    agreements: Annotated[list[str] | None, typer.Option("--agreement", "-a", help="Measure; repeat for more.")] = None,
    tests: Annotated[bool, typer.Option("--tests", help="Test every two metrics against each other.")] = False,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Measure how well metrics' scores agree with people's."""
    table = read_any_table(str(file))
    scores = {name: table.numbers(name) for name in columns}
    asked = agreements or ["pearson", "spearman", "tau-b", "accuracy-calibrated"]
    answer = correlation_answer(table.numbers(human), scores, table[group] if group else None, asked, tests)
    if form is Format.JSON:
        print_json(answer)
        return
    print_rows(answer["metrics"], form)
    if tests:
        print_rows(answer["tests"], form, ["metric", "other", "williams_p_value", "permutation_p_value"])


def register(program: typer.Typer) -> None:
    """Add the commands."""
    for command in (compare, correlate):
        program.command()(command)
