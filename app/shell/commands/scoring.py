"""`assay score`: metrics against references, with gates for CI."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from app.errors import InputError
from app.operations.parts.costs.work import neural_count
from app.operations.score import ScoreRequest, SignificanceRequest, operation
from app.shell.inputs import named_lists, read_lines, read_piped_systems, split_references
from app.shell.output import Format, counted, fail, print_json, print_rows, say
from app.shell.parameters import Server, default, number, option
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.scoring.baselines import baseline_fields, check_comparison, read_keeping, system_names
from app.shell.scoring.gates import Gates, judged, junit_report, read_gates
from app.shell.scoring.greedy import GreedyCommand
from app.shell.scoring.sacrebleu_options import SacrebleuOptions
from app.shell.warning_gates import failures_of_outputs, read_codes_of_outputs

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
USUAL: Final = ("bleu", "chrf", "ter")
# Digits behind the point of scores that are printed alone, as sacreBLEU's.
ALONE: Final = 1


@commands.command(cls=GreedyCommand)
def score(
    first: Annotated[
        list[str] | None, typer.Argument(metavar="[REFERENCE]...", help="Reference files, or NAME=FILE; before all options.")
    ] = None,
    references: Annotated[
        list[str] | None, typer.Option("--reference", "-r", help="Reference files, or NAME=FILE, instead of those before.")
    ] = None,
    systems: Annotated[
        list[str] | None,
        typer.Option("--input", "-i", help="System outputs: FILE or NAME=FILE each. Stdin otherwise: a system a column."),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Source file, which some metrics neural:NAME compare with.")] = None,
    num_refs: Annotated[int, typer.Option("--num-refs", "-nr", min=1, help="References in each file, between tabs.")] = 1,
    metrics: Annotated[
        list[str] | None, typer.Option("--metrics", "-m", help="Metrics: bleu, chrf and ter otherwise; bleu with -b.")
    ] = None,
    lowercase: Annotated[
        bool, typer.Option("--lowercase", "-lc", help="Ignore case, where a metric can; chrF and TER have options of their own.")
    ] = False,
    tokenize: Annotated[str | None, typer.Option("--tokenize", "-tok", help="Tokeniser, where a metric has one.")] = None,
    language_pair: Annotated[
        str | None, typer.Option("--language-pair", "-l", help="Languages, as en-zh, which say the tokeniser unless it is named.")
    ] = None,
    smooth_method: Annotated[
        str | None, typer.Option("--smooth-method", "-s", help="BLEU's smoothing: exp, floor, add-k, none.")
    ] = None,
    smooth_value: Annotated[float | None, number("--smooth-value", "-sv", about="Of floor or add-k.")] = None,
    chrf_char_order: Annotated[int | None, typer.Option("--chrf-char-order", "-cc", help="6 otherwise.")] = None,
    chrf_word_order: Annotated[int | None, typer.Option("--chrf-word-order", "-cw", help="0 otherwise; 2 is chrF++.")] = None,
    chrf_beta: Annotated[int | None, typer.Option(help="2 otherwise.")] = None,
    chrf_whitespace: Annotated[bool, typer.Option("--chrf-whitespace", help="Blanks count in chrF.")] = False,
    chrf_lowercase: Annotated[bool, typer.Option("--chrf-lowercase", help="Ignore case in chrF.")] = False,
    chrf_eps_smoothing: Annotated[bool, typer.Option("--chrf-eps-smoothing", help="chrF as NLTK and Moses smooth it.")] = False,
    ter_case_sensitive: Annotated[bool, typer.Option("--ter-case-sensitive", help="Heed case in TER.")] = False,
    ter_asian_support: Annotated[bool, typer.Option("--ter-asian-support", help="Split Asian characters in TER.")] = False,
    ter_no_punct: Annotated[bool, typer.Option("--ter-no-punct", help="TER without punctuation.")] = False,
    ter_normalized: Annotated[bool, typer.Option("--ter-normalized", help="Tercom's normalisation in TER.")] = False,
    segments: Annotated[bool, typer.Option("--sentence-level", "-sl", help="Add the score of every segment.")] = False,
    confidence: Annotated[bool, typer.Option("--confidence", "-ci", help="Add bootstrap intervals and paired tests.")] = False,
    paired_bs: Annotated[bool, typer.Option("--paired-bs", "-pbs", help="The same; the test is the paired bootstrap.")] = False,
    paired_ar: Annotated[
        bool, typer.Option("--paired-ar", "-par", help="The same; the test is approximate randomisation.")
    ] = False,
    samples: Annotated[int, option(SignificanceRequest, "samples", "--confidence-n", "-cin", "--paired-bs-n", "-pbsn")] = default(
        SignificanceRequest, "samples"
    ),
    trials: Annotated[int, option(SignificanceRequest, "trials", "--paired-ar-n", "-parn")] = default(
        SignificanceRequest, "trials"
    ),
    paired_jobs: Annotated[int, typer.Option("--paired-jobs", "-j", min=0, help="As sacreBLEU's: it changes nothing here.")] = 1,
    seed: Annotated[int, typer.Option(min=0, envvar="ASSAY_SEED", help="Seed of the resampling.")] = default(
        SignificanceRequest, "seed"
    ),
    baseline: Annotated[
        str | None,
        typer.Option(help="The same; the system that others are compared with, or a file of --save-scores. The first otherwise."),
    ] = None,
    save_scores: Annotated[
        str | None, typer.Option(help="FILE, or SYSTEM=FILE: keep what --baseline needs later, unless a gate fails.")
    ] = None,
    letters: Annotated[bool, option(SignificanceRequest, "letters", "--letters")] = False,
    runs: Annotated[list[str] | None, typer.Option(help="SYSTEM=INPUT,INPUT: inputs that are runs of one system.")] = None,
    empty: Annotated[str, typer.Option(help="Segments that are empty in any file: score, skip or error.")] = "score",
    fail_below: Annotated[list[str] | None, typer.Option(help="METRIC=VALUE; exit 1 when a system is worse.")] = None,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Exit 1 when a system is significantly worse than the baseline by any metric.")
    ] = False,
    fail_unless_better: Annotated[
        bool,
        typer.Option("--fail-unless-better", help="Exit 1 unless every system is significantly better by every metric scored."),
    ] = False,
    fail_on: Annotated[
        str | None,
        typer.Option(help="empty, repeated-loop, system-residue: exit 1 when an output has one; any for all."),
    ] = None,
    alpha: Annotated[float, number(about="What p-values below are significant.", low=0, high=1, shares=True)] = 0.05,
    score_only: Annotated[bool, typer.Option("--score-only", "-b", help="Print scores alone, a line each.")] = False,
    width: Annotated[int | None, typer.Option("--width", "-w", min=0, max=15, help="Digits behind the point of scores.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No notes; gates that fail are named all the same.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", "-nc", help="As sacreBLEU's: there are no colours here.")] = False,
    force: Annotated[bool, typer.Option("--force", help="As sacreBLEU's: tokenised text is scored without a warning.")] = False,
    server: Server = None,
    form: Annotated[str, typer.Option("--format", "-f", envvar="ASSAY_FORMAT", help=f"{', '.join(FORMATS)}.")] = "text",
) -> None:
    """Score system outputs against references."""
    if form not in FORMATS:
        raise InputError("invalid-request", f"formats are {', '.join(FORMATS)}", ("--format",))
    if first and references:
        raise InputError("invalid-request", "references stand before all options or behind this one, not both", ("--reference",))
    alone = bool(metrics) and neural_count(metrics or ()) == len(metrics or ())
    if not (first or references or alone):
        raise InputError("invalid-request", "references come first, or by -r; what follows -i and -m is theirs", ("references",))
    if paired_bs and paired_ar:
        raise InputError("invalid-request", "name one test: --paired-bs or --paired-ar", ("--paired-ar",))
    options = SacrebleuOptions(
        lowercase, tokenize, language_pair, smooth_method, smooth_value, chrf_char_order, chrf_word_order, chrf_beta,
        chrf_whitespace, chrf_lowercase, chrf_eps_smoothing, ter_case_sensitive, ter_asian_support, ter_no_punct, ter_normalized,
    )  # fmt: skip
    wanted = options.metrics(metrics or (USUAL if not score_only else USUAL[:1]))
    codes = read_codes_of_outputs(fail_on) if fail_on is not None else []
    gates = read_gates(fail_below or (), wanted, fail_if_worse, fail_unless_better, alpha)
    outputs, of_runs = named_lists(systems) if systems else read_piped_systems(), _runs(runs or ())
    names = system_names(outputs, of_runs)
    against = baseline_fields(baseline, {*outputs, *of_runs})
    check_comparison({"--fail-if-worse": fail_if_worse, "--fail-unless-better": fail_unless_better}, names, against)
    keeping = read_keeping(save_scores, names)
    tested = confidence or paired_bs or paired_ar or letters or fail_if_worse or fail_unless_better or against or runs
    significance = {
        "test": "randomisation" if paired_ar else "bootstrap",
        "samples": samples,
        "trials": trials,
        "seed": seed,
        "letters": letters,
        **against,
        **({"runs": of_runs} if of_runs else {}),
    }
    request = make_request(
        ScoreRequest,
        metrics=wanted,
        references=split_references(named_lists(first or references or ()), num_refs),
        systems=outputs,
        sources=None if source is None else read_lines(source),
        segments=segments,
        significance=significance if tested else None,
        store=None if keeping is None else keeping.system,
        empty=empty,
    )
    answer = answer_to(operation, request, server)
    stored = answer.pop("stored", None)
    failed = gates.failures(judged(answer)) + (failures_of_outputs(request.systems, request.references, codes) if codes else [])
    if score_only:
        _print_alone(answer["metrics"], ALONE if width is None else width, form)
    else:
        _print(answer, form, segments, gates, width)
    if answer["empty"]["segments"] and not quiet:
        number, policy = answer["empty"]["segments"], answer["empty"]["policy"]
        done = "scored all the same" if policy == "score" else "left out"
        say(f"{counted(number, 'segment')} {'is' if number == 1 else 'are'} empty somewhere, and {done} (--empty {policy})")
    fail(failed)
    if keeping is not None:
        keeping.keep(stored)


def _print_alone(rows: Sequence[dict[str, Any]], width: int, form: str) -> None:
    """A line for each metric and system, or for each of its segments."""
    if form not in ("text", "tsv"):
        raise InputError("invalid-request", "scores alone are text (--format text)", ("--score-only",))
    for row in rows:
        for value in row.get("segments", [row["score"]]):
            print(f"{value:.{width}f}")


def _rounded(row: dict[str, Any], width: int, form: str) -> dict[str, Any]:
    """A row with so many digits of its scores: numbers in JSON, digits as they are printed otherwise."""

    def shown(value: float) -> float | str:
        return round(value, width) if form == "json" else f"{value:.{width}f}"

    segments = {"segments": [shown(value) for value in row["segments"]]} if "segments" in row else {}
    return {**row, "score": shown(row["score"]), **segments}


def _print(answer: dict[str, Any], form: str, segments: bool, gates: Gates, width: int | None) -> None:
    rows = answer["metrics"]
    if form == "junit":
        print(junit_report(judged(answer), gates))
        return
    if width is not None:
        rows = [_rounded(row, width, form) for row in rows]
        answer = {**answer, "metrics": rows}
    if form == "json":
        print_json(answer)
    else:
        there = [name for name in COLUMNS if any(name in row for row in rows)]
        # Programs get what a job's result has; a table for people is not so wide.
        print_rows(rows, Format(form), None if form == Format.TSV else [*there, "segments"] if segments else there)
        if answer.get("runs"):
            print_rows(answer["runs"], Format(form))


def _runs(specs: Sequence[str]) -> dict[str, list[str]]:
    runs: dict[str, list[str]] = {}
    for spec in specs:
        name, separator, members = spec.partition("=")
        if not separator or not name or not all(members.split(",")):
            raise InputError("invalid-request", "runs are SYSTEM=INPUT,INPUT", ("--runs",))
        runs[name] = members.split(",")
    return runs
