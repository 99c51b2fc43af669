"""`assay oracle`: what n-best lists hold."""

from typing import Annotated, Any

import typer

from app.shell.inputs import named_lists
from app.shell.output import Format, counted, print_json, print_rows, say
from app.shell.parameters import Server, default, number_option, option
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.commands.n_best.lists import check_beside, read_list_arguments
from app.smt.operations.oracle import OracleRequest, operation

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)


@commands.command()
def oracle(
    files: Annotated[list[str], typer.Argument(help="N-best lists (- is stdin); several of the same segments are merged.")],
    references: Annotated[list[str], typer.Option("--reference", "-r", help="Reference file, or NAME=FILE; repeat for more.")],
    metrics: Annotated[list[str] | None, typer.Option("--metrics", "-m", help="Metric; repeat for more.")] = None,
    oracle_metric: Annotated[str, option(OracleRequest, "oracle_metric")] = default(OracleRequest, "oracle_metric"),
    sizes: Annotated[list[int] | None, typer.Option("--size", help="Also lists cut to this size; repeat for more.")] = None,
    shown: Annotated[int, option(OracleRequest, "shown")] = default(OracleRequest, "shown"),
    mix: Annotated[float, number_option(OracleRequest, "mix", "The model's share of mixed oracles.", shares=True)] = default(
        OracleRequest, "mix"
    ),
    share: Annotated[
        float, number_option(OracleRequest, "share", "The best share of a list that is looked at.", shares=True)
    ] = default(OracleRequest, "share"),
    difference: Annotated[
        float | None, number_option(OracleRequest, "difference", "Threshold of DIFFERENCE; between mean and median otherwise.")
    ] = None,
    diversity: Annotated[
        float | None, number_option(OracleRequest, "diversity", "Threshold of DIVERSITY; between mean and median otherwise.")
    ] = None,
    segments: Annotated[bool, typer.Option("--segments", "-s", help="Print a row for each segment, and nothing else.")] = False,
    server: Server = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")] = Format.TEXT,
) -> None:
    """Find the oracles of n-best lists: how good they are, where they stand, and what tells them apart."""
    texts = named_lists(references)
    lists = read_list_arguments(files, texts.values()).lists
    check_beside(lists, texts)
    request = make_request(
        OracleRequest,
        n_best=lists,
        references=texts,
        metrics=metrics,
        oracle_metric=oracle_metric,
        sizes=sizes,
        shown=shown,
        mix=mix,
        share=share,
        difference=difference,
        diversity=diversity,
    )
    answer = answer_to(operation, request, server)
    if form is Format.JSON:
        print_json(answer)
    elif segments:
        print_rows(answer["rows"], form)
    else:
        _print(answer, form)


def _print(answer: dict[str, Any], form: Format) -> None:
    left_out = f", {answer['without_hypotheses']} without hypotheses" if answer["without_hypotheses"] else ""
    say(f"{counted(answer['segments'], 'segment')}{left_out}, {answer['hypotheses']} hypotheses")
    print_rows(
        [
            {"choice": row["choice"]} | row["scores"] | {f"{name} 95 %": interval for name, interval in row["intervals"].items()}
            for row in answer["choices"]
        ],
        form,
    )
    say(f"\noracles by {answer['oracle_metric']}:")
    filters = answer["filters"]
    facts = {
        "first is as good as the oracle": answer["on_top"],
        "model error": answer["model_error"],
        "mean rank of the oracle": answer["mean_rank"],
        **{f"oracles at rank {name}": count for name, count in answer["ranks"].items()},
        "hypotheses as good as the oracle": answer["ties"],
        "segments with a reference among the hypotheses": answer["reachable"],
        f"difference above {filters['difference']:.4f}": filters["above_difference"],
        f"diversity above {filters['diversity']:.4f}": filters["above_diversity"],
        "both": filters["trusted"],
    }
    print_rows([{"oracles": name, "value": value} for name, value in facts.items()], form)
    if answer["features"]:
        say("\nfeatures, shares of segments where the value is larger:")
        print_rows(answer["features"], form)
    if answer["features_left_out"]:
        say(f"{counted(answer['features_left_out'], 'component')} that differ less are left out")
