"""`assay score`: metrics against references, with gates for CI."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.errors import InputError
from app.operations.parts.costs.work import neural_count
from app.operations.score import ScoreRequest, operation
from app.shell.declaration.forms import Format
from app.shell.gates.comparisons import ComparisonGates, check_comparison
from app.shell.gates.report import junit_report
from app.shell.gates.scores import ScoreGates, read_limits
from app.shell.gates.warnings import cases_of_outputs, read_codes_of_outputs
from app.shell.inputs import named_lists, read_lines, read_piped_systems, split_references
from app.shell.options.scoring import ScoreOptions
from app.shell.output import counted, fail, print_json, quietly, say
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.scoring.baselines import baseline_fields, parse_saved_scores, system_names
from app.shell.scoring.foreign_options import refuse_foreign
from app.shell.scoring.sacrebleu_options import SacrebleuOptions
from app.shell.scoring.tables import print_scores

__all__ = ["score"]

FROM_FILE: Final = " (-i), or --baseline FILE with scores that --save-scores kept"
USUAL: Final = ("bleu", "chrf", "ter")
# Decimals with --score-only, as sacreBLEU's.
SINGLE_DIGITS: Final = 1


def score(arguments: ScoreOptions) -> None:
    """Score system outputs against references."""
    refuse_foreign(arguments)
    if arguments.first and arguments.references:
        raise InputError("invalid-request", "references stand before all options or behind this one, not both", ("--reference",))
    only_neural = bool(arguments.metrics) and neural_count(arguments.metrics or ()) == len(arguments.metrics or ())
    if not (arguments.first or arguments.references or only_neural):
        raise InputError("invalid-request", "references come first, or by -r; what follows -i and -m is theirs", ("references",))
    if arguments.paired_bs and arguments.paired_ar:
        raise InputError("invalid-request", "name one test: --paired-bs or --paired-ar", ("--paired-ar",))
    options = SacrebleuOptions(
        arguments.lowercase,
        arguments.tokenize,
        arguments.language_pair,
        arguments.smooth_method,
        arguments.smooth_value,
        arguments.chrf_char_order,
        arguments.chrf_word_order,
        arguments.chrf_beta,
        arguments.chrf_whitespace,
        arguments.chrf_lowercase,
        arguments.chrf_eps_smoothing,
        arguments.ter_case_sensitive,
        arguments.ter_asian_support,
        arguments.ter_no_punct,
        arguments.ter_normalized,
    )
    metrics = options.metrics(arguments.metrics or (USUAL if not arguments.score_only else USUAL[:1]))
    codes = read_codes_of_outputs(arguments.fail_on) if arguments.fail_on is not None else []
    comparisons = ComparisonGates(arguments.fail_if_worse, arguments.fail_unless_better)
    limits = read_limits(arguments.fail_below or (), metrics)
    encoding = arguments.encoding
    outputs = named_lists(arguments.systems, encoding) if arguments.systems else read_piped_systems(encoding)
    of_runs = _runs(arguments.runs or ())
    names = system_names(outputs, of_runs)
    against = baseline_fields(arguments.baseline, {*outputs, *of_runs})
    compared_systems = [*names, *(["stored"] if "stored" in against else [])]
    check_comparison(comparisons, compared_systems, FROM_FILE)
    score_file = parse_saved_scores(arguments.save_scores, names)
    has_tests = (
        arguments.confidence
        or arguments.paired_bs
        or arguments.paired_ar
        or arguments.letters
        or against
        or arguments.runs
        or (len(compared_systems) > 1 and not arguments.score_only)
    )
    significance = {
        "test": "randomisation" if arguments.paired_ar else "bootstrap",
        "samples": arguments.samples,
        "trials": arguments.trials,
        "seed": arguments.seed,
        "letters": arguments.letters,
        "alpha": arguments.alpha,
        **against,
        **({"runs": of_runs} if of_runs else {}),
    }
    request = make_request(
        ScoreRequest,
        metrics=metrics,
        references=split_references(named_lists(arguments.first or arguments.references or (), encoding), arguments.num_refs),
        systems=outputs,
        sources=None if arguments.source is None else read_lines(arguments.source, encoding=encoding),
        segments=arguments.segments,
        significance=significance if has_tests else None,
        store=None if score_file is None else score_file.system,
        empty=arguments.empty,
    )
    with quietly(arguments.quiet):
        answer = answer_to(operation, request, arguments.server)
        stored = answer.pop("stored", None)
        gates = ScoreGates(limits, comparisons, bool(arguments.baseline or comparisons))
        cases = [*gates.cases(answer), *(cases_of_outputs(request.systems, request.references, codes) if codes else ())]
        if arguments.form == "junit":
            print(junit_report("score", cases))
        elif arguments.score_only:
            _print_alone(answer["metrics"], SINGLE_DIGITS if arguments.width is None else arguments.width, arguments.form)
        else:
            _print(answer, Format(arguments.form), arguments.width)
        _say_empty(answer["empty"])
    fail([sentence for case in cases for sentence in case.failures])
    if score_file is not None:
        score_file.save(stored)


def _say_empty(empty: Mapping[str, Any]) -> None:
    """Print the number of empty segments and their treatment, if there are any."""
    number, policy = empty["segments"], empty["policy"]
    if number:
        outcome = "scored all the same" if policy == "score" else "left out"
        say(f"{counted(number, 'segment')} {'is' if number == 1 else 'are'} empty somewhere, and {outcome} (--empty {policy})")


def _print_alone(rows: Sequence[dict[str, Any]], width: int, form: str) -> None:
    """Print a line for each metric and system, or for each of its segments."""
    if form not in ("text", "tsv"):
        raise InputError("invalid-request", "scores alone are text (--format text)", ("--score-only",))
    for row in rows:
        for value in row.get("segments", [row["score"]]):
            print(f"{value:.{width}f}")


def _rounded(row: dict[str, Any], width: int, form: Format) -> dict[str, Any]:
    """A row with scores of `width` decimals: numbers in JSON, text in other forms."""

    def rounded(value: float) -> float | str:
        return round(value, width) if form is Format.JSON else f"{value:.{width}f}"

    segments = {"segments": [rounded(value) for value in row["segments"]]} if "segments" in row else {}
    return {**row, "score": rounded(row["score"]), **segments}


def _print(answer: dict[str, Any], form: Format, width: int | None) -> None:
    if width is not None:
        answer = {**answer, "metrics": [_rounded(row, width, form) for row in answer["metrics"]]}
    if form is Format.JSON:
        print_json(answer)
    else:
        print_scores(answer, form)


def _runs(specs: Sequence[str]) -> dict[str, list[str]]:
    runs: dict[str, list[str]] = {}
    for spec in specs:
        name, separator, members = spec.partition("=")
        if not separator or not name or not all(members.split(",")):
            raise InputError("invalid-request", "runs are SYSTEM=INPUT,INPUT", ("--runs",))
        runs[name] = members.split(",")
    return runs
