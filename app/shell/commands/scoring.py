"""`assay score`: metrics against references, with gates for CI."""

from collections.abc import Sequence
from typing import Final

from app.errors import InputError
from app.metrics.registry import TERMS
from app.operations.parts.costs.work import neural_count
from app.operations.score import ScoreRequest, operation
from app.shell.commands.large_tables.runs import writes_files
from app.shell.commands.large_tables.scores import score_tables
from app.shell.gates.comparisons import ComparisonGates, check_comparison
from app.shell.gates.scores import ScoreGates, read_limits
from app.shell.gates.warnings import cases_of_outputs, read_codes_of_outputs
from app.shell.inputs import named_lists, read_lines, read_piped_systems, split_references
from app.shell.options.scoring import ScoreOptions
from app.shell.output import fail, quietly
from app.shell.requests import make_request
from app.shell.running import answer_to
from app.shell.scoring.baselines import baseline_fields, parse_saved_scores, system_names
from app.shell.scoring.foreign_options import refuse_foreign
from app.shell.scoring.printing import print_answer_of, say_empty
from app.shell.scoring.request_fields import metric_names, significance_fields, terminology_fields

__all__ = ["score"]

FROM_FILE: Final = " (-i), or --baseline FILE with scores that --save-scores kept"


def score(arguments: ScoreOptions) -> None:
    """Score system outputs against references."""
    refuse_foreign(arguments)
    if writes_files(arguments):
        score_tables(arguments)
        return
    if arguments.first and arguments.references:
        raise InputError("invalid-request", "references stand before all options or behind this one, not both", ("--reference",))
    names = arguments.metrics or ()
    may_lack_references = bool(names) and neural_count(names) + names.count(TERMS) == len(names)
    if not (arguments.first or arguments.references or may_lack_references):
        raise InputError("invalid-request", "references come first, or by -r; what follows -i and -m is theirs", ("references",))
    metrics = metric_names(arguments)
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
    significance = {**significance_fields(arguments), **against, **({"runs": of_runs} if of_runs else {})}
    request = make_request(
        ScoreRequest,
        metrics=metrics,
        references=split_references(named_lists(arguments.first or arguments.references or (), encoding), arguments.num_refs),
        systems=outputs,
        sources=None if arguments.source is None else read_lines(arguments.source, encoding=encoding),
        **terminology_fields(arguments, metrics),
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
        print_answer_of(arguments, answer, cases)
        say_empty(answer["empty"])
    fail([sentence for case in cases for sentence in case.failures])
    if score_file is not None:
        score_file.save(stored)


def _runs(specs: Sequence[str]) -> dict[str, list[str]]:
    runs: dict[str, list[str]] = {}
    for spec in specs:
        name, separator, members = spec.partition("=")
        if not separator or not name or not all(members.split(",")):
            raise InputError("invalid-request", "runs are SYSTEM=INPUT,INPUT", ("--runs",))
        runs[name] = members.split(",")
    return runs
