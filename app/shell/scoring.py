"""`assay score`: metrics against references, with gates for CI."""

import sys
from typing import Annotated, Any

import typer

from app.answers import scoring_answer
from app.errors import InputError
from app.metrics import METRICS, Significance
from app.shell.gates import Gate, failures, junit_report, read_gates
from app.shell.inputs import named_lists, read_piped_systems
from app.shell.output import Format, print_json, print_rows, say
from app.shell.serving import Server
from app.shell.session import call_server, metrics_here, settings_here

__all__ = ["register"]

FORMATS = (*[each.value for each in Format], "junit")
COLUMNS = (
    "system",
    "metric",
    "score",
    "confidence_interval",
    "difference",
    "p_value",
    "corrected_p_value",
    "wins",
    "losses",
    "signature",
)


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
    samples: Annotated[int, typer.Option("--confidence-n", min=100, max=10000, help="Bootstrap resamples.")] = 1000,
    trials: Annotated[int, typer.Option("--paired-ar-n", min=100, max=100000, help="Trials of randomisation.")] = 10000,
    seed: Annotated[int, typer.Option(min=0, envvar="ASSAY_SEED", help="Seed of the resampling.")] = 12345,
    baseline: Annotated[str | None, typer.Option(help="System that others are compared with; the first otherwise.")] = None,
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
    if form not in FORMATS or empty not in ("score", "skip", "error"):
        raise InputError("invalid-request", f"formats are {', '.join(FORMATS)}; --empty is score, skip or error")
    longest = settings_here().max_segment_characters
    refs = named_lists(references, longest)
    named = named_lists(systems, longest) if systems else read_piped_systems(longest)
    wanted = [_with_options(m, lowercase, tokenize) for m in metrics or ["bleu", "chrf", "ter"]]
    gates = read_gates(fail_below or (), wanted)
    significance = None
    if confidence or paired_bs or paired_ar or fail_if_worse or runs:
        test = "randomisation" if paired_ar else "bootstrap"
        significance = Significance(samples, seed, baseline, test, trials, _runs(runs or ()) or None)
    if server:
        answer = call_server(server, "POST", "/v1/score", _body(wanted, named, refs, segments, significance, empty))
    else:
        answer = scoring_answer(metrics_here(wanted), named, refs, segments, significance, empty)
    _print(answer, form, segments, gates, fail_if_worse, alpha)


def _print(answer: dict[str, Any], form: str, segments: bool, gates: list[Gate], fail_if_worse: bool, alpha: float) -> None:
    rows = answer["metrics"]
    failed = failures(rows, gates, alpha if fail_if_worse else None)
    if form == "json":
        print_json(answer)
    elif form == "junit":
        print(junit_report(rows, gates, alpha if fail_if_worse else None))
    else:
        there = [name for name in COLUMNS if any(name in row for row in rows)]
        print_rows(rows, Format(form), [*there, "segments"] if segments else there)
        if answer.get("runs"):
            print_rows(answer["runs"], Format(form))
    if answer["empty"]["segments"]:
        say(f"{answer['empty']['segments']} segments are empty somewhere: {answer['empty']['policy']}")
    for message in failed:
        say(f"gate failed: {message}")
    if failed:
        sys.exit(1)


def _body(
    metrics: list[str],
    systems: dict[str, list[str]],
    references: dict[str, list[str]],
    segments: bool,
    significance: Significance | None,
    empty: str,
) -> dict[str, Any]:
    body: dict[str, Any] = {"metrics": metrics, "systems": systems, "references": references, "segments": segments, "empty": empty}
    if significance:
        body["significance"] = {name: value for name, value in significance.__dict__.items() if value is not None}
    return body


def _runs(specs: tuple[str, ...] | list[str]) -> dict[str, list[str]]:
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


def register(program: typer.Typer) -> None:
    """Add the command."""
    program.command()(score)
