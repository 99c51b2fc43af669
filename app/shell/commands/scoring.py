"""`assay score`: metrics against references, with gates for CI."""

import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from app.errors import InputError
from app.metrics import METRICS
from app.operations.score import ScoreRequest, SignificanceRequest, operation
from app.shell.gates import Gate, failures, junit_report, read_gates
from app.shell.inputs import named_lists, read_piped_systems
from app.shell.output import Format, print_json, print_rows, say
from app.shell.parameters import Server, default, option
from app.shell.requests import make_request
from app.shell.running import answer_to

__all__ = ["commands"]

commands = typer.Typer(rich_markup_mode=None)
FORMATS: Final = (*[form.value for form in Format], "junit")
COLUMNS: Final = (
    "system",
    "metric",
    "score",
    "confidence_interval",
    "difference",
    "p_value",
    "corrected_p_value",
    "wins",
    "losses",
    "letters",
    "signature",
)
FEWEST_COMPARED: Final = 2
USUAL: Final = ("bleu", "chrf", "ter")


@commands.command()
def score(
    references: Annotated[list[str], typer.Argument(help="Reference files, or NAME=FILE.")],
    systems: Annotated[
        list[str] | None,
        typer.Option(
            "--input", "-i", help="System output: FILE or NAME=FILE; repeat for more. Stdin otherwise: a system a column."
        ),
    ] = None,
    metrics: Annotated[list[str] | None, typer.Option("--metrics", "-m", help="Metric; repeat for more.")] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", "-lc", help="Ignore case, where a metric can.")] = False,
    tokenize: Annotated[str | None, typer.Option("--tokenize", "-tok", help="Tokeniser, where a metric has one.")] = None,
    segments: Annotated[bool, typer.Option("--sentence-level", "-sl", help="Add the score of every segment.")] = False,
    confidence: Annotated[bool, typer.Option("--confidence", "-ci", help="Add bootstrap intervals and paired tests.")] = False,
    paired_bs: Annotated[bool, typer.Option("--paired-bs", help="The same; the test is the paired bootstrap.")] = False,
    paired_ar: Annotated[bool, typer.Option("--paired-ar", help="The same; the test is approximate randomisation.")] = False,
    samples: Annotated[int, option(SignificanceRequest, "samples", "--confidence-n")] = default(SignificanceRequest, "samples"),
    trials: Annotated[int, option(SignificanceRequest, "trials", "--paired-ar-n")] = default(SignificanceRequest, "trials"),
    seed: Annotated[int, typer.Option(min=0, envvar="ASSAY_SEED", help="Seed of the resampling.")] = default(
        SignificanceRequest, "seed"
    ),
    baseline: Annotated[
        str | None, typer.Option(help="The same; the system that others are compared with, the first otherwise.")
    ] = None,
    letters: Annotated[bool, option(SignificanceRequest, "letters", "--letters")] = False,
    runs: Annotated[list[str] | None, typer.Option(help="SYSTEM=INPUT,INPUT: inputs that are runs of one system.")] = None,
    empty: Annotated[str, typer.Option(help="Segments that are empty in any file: score, skip or error.")] = "score",
    fail_below: Annotated[list[str] | None, typer.Option(help="METRIC=VALUE; exit 1 when a system is worse than that.")] = None,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Exit 1 when a system is significantly worse than the baseline.")
    ] = False,
    alpha: Annotated[float, typer.Option(min=0.0, max=1.0, help="What p-values below are significant.")] = 0.05,
    server: Server = None,
    form: Annotated[str, typer.Option("--format", "-f", envvar="ASSAY_FORMAT", help=f"{', '.join(FORMATS)}.")] = "text",
) -> None:
    """Score system outputs against references."""
    if form not in FORMATS:
        raise InputError("invalid-request", f"formats are {', '.join(FORMATS)}", ("--format",))
    wanted = [_with_options(metric, lowercase, tokenize) for metric in metrics or USUAL]
    gates = read_gates(fail_below or (), wanted)
    tested = confidence or paired_bs or paired_ar or letters or fail_if_worse or baseline is not None or runs
    significance = {
        "test": "randomisation" if paired_ar else "bootstrap",
        "samples": samples,
        "trials": trials,
        "seed": seed,
        "letters": letters,
        **({} if baseline is None else {"baseline": baseline}),
        **({"runs": _runs(runs)} if runs else {}),
    }
    outputs = named_lists(systems) if systems else read_piped_systems()
    if fail_if_worse and len(outputs) < FEWEST_COMPARED:
        raise InputError("invalid-request", "this compares systems with a baseline; give two or more", ("--fail-if-worse",))
    request = make_request(
        ScoreRequest,
        metrics=wanted,
        references=named_lists(references),
        systems=outputs,
        segments=segments,
        significance=significance if tested else None,
        empty=empty,
    )
    answer = answer_to(operation, request, server)
    _print(answer, form, segments, gates, alpha if fail_if_worse else None)


def _print(answer: dict[str, Any], form: str, segments: bool, gates: list[Gate], alpha: float | None) -> None:
    rows = answer["metrics"]
    if form == "json":
        print_json(answer)
    elif form == "junit":
        print(junit_report(rows, gates, alpha))
    else:
        there = [name for name in COLUMNS if any(name in row for row in rows)]
        # Programs get what a job's result has; a table for people is not so wide.
        print_rows(rows, Format(form), None if form == Format.TSV else [*there, "segments"] if segments else there)
        if answer.get("runs"):
            print_rows(answer["runs"], Format(form))
    if answer["empty"]["segments"]:
        say(f"{answer['empty']['segments']} segments are empty somewhere: {answer['empty']['policy']}")
    failed = failures(rows, gates, alpha)
    for message in failed:
        say(f"gate failed: {message}")
    if failed:
        sys.exit(1)


def _runs(specs: Sequence[str]) -> dict[str, list[str]]:
    runs: dict[str, list[str]] = {}
    for spec in specs:
        name, separator, members = spec.partition("=")
        if not separator or not name or not all(members.split(",")):
            raise InputError("invalid-request", "runs are SYSTEM=INPUT,INPUT", ("--runs",))
        runs[name] = members.split(",")
    return runs


def _with_options(metric: str, lowercase: bool, tokenize: str | None) -> str:
    entry = METRICS.get(metric.partition("|")[0].partition(":")[0])
    # An option with one value is not a choice.
    takes = [key for key, option in entry.options.items() if ", " in option.accepted] if entry else []
    lower = "|case:lc" if lowercase and "case" in takes and "|case:" not in metric else ""
    return f"{metric}{lower}" + (f"|tok:{tokenize}" if tokenize and "tok" in takes and "|tok:" not in metric else "")
