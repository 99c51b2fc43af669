"""`assay nbest oracle`: oracles of n-best lists."""

from typing import Any

from app.shell.declaration.forms import Format
from app.shell.inputs import named_lists, read_lines
from app.shell.output import counted, print_json, print_rows, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.smt.commands.n_best.lists import check_beside, read_list_arguments
from app.smt.commands.options.n_best.oracle import OracleOptions
from app.smt.operations.oracle import OracleRequest, operation

__all__ = ["oracle"]


def oracle(options: OracleOptions) -> None:
    """Find the oracles of n-best lists: how good they are, where they stand, and what tells them apart."""
    texts = named_lists(options.references)
    read = read_list_arguments(options.files, texts.values())
    sources = read_lines(options.source) if options.source else read.sources
    check_beside(read.lists, texts)
    request = make_request(OracleRequest, options, n_best=read.lists, references=texts, sources=sources and list(sources))
    answer = answer_to(operation, request, options.server)
    if options.form is Format.JSON:
        print_json(answer)
    elif options.segments:
        print_rows(answer["rows"], options.form)
    else:
        _print(answer, options.form)


def _print(answer: dict[str, Any], form: Format) -> None:
    empty_lists = f", {answer['without_hypotheses']} without hypotheses" if answer["without_hypotheses"] else ""
    say(f"{counted(answer['segments'], 'segment')}{empty_lists}, {answer['hypotheses']} hypotheses")
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
