"""`assay score`: metrics against references, with gates for CI."""

import sys
from typing import Annotated, Any

import typer

from app.answers import score_answer
from app.metrics import Significance, metric_named, score_systems
from app.shell.inputs import named_lists, read_lines
from app.shell.output import Format, print_json, print_rows, say
from app.shell.serving import Form, Server
from app.shell.session import call_server, settings_here
from app.text import InputError

__all__ = ["register"]


def score(
    references: Annotated[list[str], typer.Argument(help="Reference files, or NAME=FILE.")],
    systems: Annotated[
        list[str] | None, typer.Option("--input", "-i", help="System output: FILE or NAME=FILE; repeat for more. Stdin otherwise.")
    ] = None,
    metrics: Annotated[list[str] | None, typer.Option("--metrics", "-m", help="Metric; repeat for more.")] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", "-lc", help="Ignore case in BLEU and SIMPBLEU.")] = False,
    tokenize: Annotated[str | None, typer.Option("--tokenize", "-tok", help="Tokeniser of BLEU and SIMPBLEU.")] = None,
    segments: Annotated[bool, typer.Option("--sentence-level", "-sl", help="Add the score of every segment.")] = False,
    confidence: Annotated[bool, typer.Option("--confidence", "-ci", help="Add bootstrap intervals and paired tests.")] = False,
    samples: Annotated[int, typer.Option("--confidence-n", min=100, max=10000, help="Bootstrap resamples.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resampling.")] = 12345,
    baseline: Annotated[str | None, typer.Option(help="System that others are compared with; the first otherwise.")] = None,
    fail_below: Annotated[list[str] | None, typer.Option(help="METRIC=VALUE; exit 1 when a system is worse than that.")] = None,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Exit 1 when a system is significantly (p < 0.05) worse than the baseline.")
    ] = False,
    server: Server = None,
    form: Form = Format.TEXT,
) -> None:
    """Score system outputs against references."""
    longest = settings_here().max_segment_characters
    named = named_lists(systems, longest) if systems else {"system": read_lines("-", longest)}
    refs = named_lists(references, longest)
    wanted = [_with_options(m, lowercase, tokenize) for m in metrics or ["bleu", "chrf", "ter"]]
    gates = [_gate(text, wanted) for text in fail_below or ()]
    significance = Significance(samples, seed, baseline) if confidence or fail_if_worse else None
    if server:
        body: dict[str, Any] = {"metrics": wanted, "systems": named, "references": refs, "segments": segments}
        if significance:
            chosen = {"baseline": baseline} if baseline else {}
            body["significance"] = {"samples": samples, "seed": seed, **chosen}
        rows = call_server(server, "POST", "/v1/score", body)["metrics"]
    else:
        rows = score_answer(score_systems(wanted, named, refs, segments, significance))
    if form is Format.JSON:
        print_json({"metrics": rows})
    else:
        names = ["system", "metric", "score", "confidence_interval", "difference", "p_value", "signature"]
        there = [name for name in names if any(name in row for row in rows)]
        print_rows(rows, form, [*there, "segments"] if segments else there)
    if not all([_passes(rows, gates), not fail_if_worse or _none_worse(rows)]):
        sys.exit(1)


def _with_options(metric: str, lowercase: bool, tokenize: str | None) -> str:
    if metric.partition("|")[0].partition(":")[0] not in ("bleu", "simpbleu"):
        return metric
    lower = "|case:lc" if lowercase and "|case:" not in metric else ""
    return f"{metric}{lower}" + (f"|tok:{tokenize}" if tokenize and "|tok:" not in metric else "")


def _gate(text: str, wanted: list[str]) -> tuple[str, float]:
    metric, _, value = text.rpartition("=")
    try:
        limit = float(value)
    except ValueError:
        raise InputError("invalid-request", "a gate is METRIC=VALUE, as bleu=30", ("--fail-below",)) from None
    fitting = [each for each in wanted if each == metric or each.partition("|")[0] == metric]
    if not fitting:
        raise InputError("invalid-request", f"the gate's metric is not scored; scored are {', '.join(wanted)}", ("--fail-below",))
    return fitting[0], limit


def _passes(rows: list[dict[str, Any]], gates: list[tuple[str, float]]) -> bool:
    passed = True
    for metric, limit in gates:
        for row in (row for row in rows if row["metric"] == metric):
            higher = metric_named(metric).higher_is_better
            if row["score"] < limit if higher else row["score"] > limit:
                say(f"gate failed: {row['system']} has {metric} {row['score']:.2f}, {'below' if higher else 'above'} {limit:g}")
                passed = False
    return passed


def _none_worse(rows: list[dict[str, Any]]) -> bool:
    passed = True
    for row in rows:
        sign = 1 if row["direction"] == "higher is better" else -1
        if "p_value" in row and row["p_value"] < 0.05 and sign * row["difference"] < 0:
            say(f"gate failed: {row['system']} is worse by {row['metric']} {row['difference']:+.2f} (p = {row['p_value']:.4f})")
            passed = False
    return passed


def register(program: typer.Typer) -> None:
    """Add the command."""
    program.command()(score)
