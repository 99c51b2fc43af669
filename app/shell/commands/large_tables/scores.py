"""Corpus metrics of tables: sums of statistics go to files, and scores of the whole corpus are printed."""

from app.errors import InputError
from app.metrics import Significance
from app.operations.score import EmptyAnswer, answer_of_statistics
from app.shell.commands.large_tables.runs import named_columns, refuse_others, run_shards, say_summary
from app.shell.gates.comparisons import ComparisonGates, check_comparison
from app.shell.gates.scores import ScoreGates, read_limits
from app.shell.options.scoring import ScoreOptions
from app.shell.output import fail, quietly
from app.shell.scoring.printing import print_answer_of, say_empty
from app.shell.scoring.request_fields import metric_names, significance_fields

__all__ = ["score_tables"]

REFERENCE = "reference"
# Options that concern the texts of requests, or scores of segments.
OF_REQUESTS = (
    *("references", "systems", "source", "glossary", "num_refs", "encoding", "segments", "save_scores", "runs", "empty"),
    *("fail_on", "server"),
)


def score_tables(options: ScoreOptions) -> None:
    """Score columns of systems against columns of references."""
    from app.scale.files.shards import shards_of
    from app.scale.statistics import StatisticsTask, corpus_statistics

    refuse_others(options, set(vars(options)) - set(OF_REQUESTS))
    if options.out_format is not None:
        raise InputError("invalid-request", "results are sums of statistics, in files of one kind", ("--out-format",))
    columns = named_columns(options.columns, repeatable=REFERENCE)
    references = tuple(name for role, name in columns if role == REFERENCE)
    systems = {role: name for role, name in columns if role != REFERENCE}
    if not references or not systems:
        detail = "name columns of references and systems, as --columns reference=ref,A=mt_a,B=mt_b"
        raise InputError("invalid-request", detail, ("--columns",))
    metrics = metric_names(options)
    gates = _gates(options, metrics, list(systems))
    settings = significance_fields(options)
    shards = shards_of(options.first or [])
    task = StatisticsTask(tuple(metrics), systems, references, str(options.out).rstrip("/"))
    with quietly(options.quiet):
        summary = run_shards(task, shards, options)
        say_summary(summary, options, ", and left out for all systems")
        has_tests = options.confidence or options.paired_bs or options.paired_ar or options.letters or len(systems) > 1
        significance = Significance(**settings, baseline=options.baseline) if has_tests and not options.score_only else None
        corpus = corpus_statistics(task, shards)
        empty: EmptyAnswer = {"policy": "score", "segments": corpus.empty}
        answer = answer_of_statistics(corpus.metrics, corpus.blocks, len(references), False, significance, empty, corpus.segments)
        for row in answer["metrics"]:
            if "wins" in row:
                # Those of the statistics are blocks of segments.
                row["wins"], row["losses"], row["ties"] = corpus.duel(
                    row["metric"], row["system"], options.baseline or next(iter(systems))
                )
        cases = gates.cases(answer)
        print_answer_of(options, answer, cases)
        say_empty(answer["empty"])
    fail([sentence for case in cases for sentence in case.failures])


def _gates(options: ScoreOptions, metrics: list[str], systems: list[str]) -> ScoreGates:
    comparisons = ComparisonGates(options.fail_if_worse, options.fail_unless_better)
    if options.baseline is not None and options.baseline not in systems:
        detail = f"{options.baseline} is no system of the table; systems are {', '.join(systems)}"
        raise InputError("invalid-request", detail, ("--baseline",))
    check_comparison(comparisons, systems, " in --columns")
    return ScoreGates(read_limits(options.fail_below or (), metrics), comparisons, bool(options.baseline or comparisons))
