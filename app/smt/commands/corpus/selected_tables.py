"""`assay corpus select` on tables of any size, by predicted quality or by a column."""

from dataclasses import asdict, replace
from typing import Any

from app.errors import InputError
from app.shell.commands.large_tables.runs import named_columns, refuse_others, run_shards, say_rows, say_summary
from app.shell.output import counted, say
from app.smt.commands.corpus.filtered_tables import tables_and_columns
from app.smt.commands.options.corpus.selection import CorpusSelectOptions
from app.smt.corpus.selection.choice import Budget

__all__ = ["select_from_tables"]

COLUMN = "given"
QUALITY = "quality"


def select_from_tables(options: CorpusSelectOptions) -> None:
    """Write the best rows of tables, with all of their columns; their scores stay in a folder beside."""
    from app.scale.claims import check_outputs
    from app.scale.files.shards import shards_of
    from app.scale.selection import SelectionTask, selection_of

    refuse_others(
        options, {"source", "target", "method", "pairs", "share", "at_least", "pair", "model", "label", "replace", "function_words"}
    )
    budget = Budget(options.pairs, share=options.share, minimum=options.at_least)
    if not budget.bounded:
        raise InputError("invalid-request", "set a budget: --pairs, --share or --at-least", ("--pairs",))
    table, source, target = tables_and_columns(options.source, options.target)
    shards = shards_of([table])
    out = str(options.out).rstrip("/")
    scores = _scores(options, source, target, f"{out}/_assay/scores")
    kind = f".{options.out_format}" if options.out_format else ""
    task = SelectionTask(scores, "inf", out, kind, asdict(budget))
    # Scores may take hours. The threshold comes after them, and changes no name.
    check_outputs(task, shards, options.replace)
    summary = run_shards(scores, shards, options)
    say_rows(summary, options, ", which are not chosen")
    task = replace(task, faults={row.output: row.error for row in summary.failures})
    choice = run_shards(selection_of(task, shards, budget.pairs_of(summary.rows), budget.minimum), shards, options)
    say(f"chose {choice.rows} of {counted(summary.rows, 'row')}")
    say_summary(choice, options, "")


def _scores(options: CorpusSelectOptions, source: str, target: str, out: str) -> Any:
    """The task of the scores of a method; InputError for a method that reads texts more than once."""
    from app.scale import Scorer
    from app.scale.adapters.pairs import higher_is_better
    from app.scale.selection import ScoresTask

    columns = dict(named_columns(options.columns))
    if columns.keys() - {"score"}:
        raise InputError("invalid-request", "the texts stand behind the table; --columns score=COLUMN names scores", ("--columns",))
    if options.method == COLUMN and "score" in columns:
        return ScoresTask(columns["score"], out)
    if options.method != QUALITY or columns:
        detail = f"with --out, methods are {QUALITY}, and {COLUMN} with --columns score=COLUMN (higher is better)"
        raise InputError("invalid-request", detail, ("--method",))
    scorer = Scorer(model=options.model, pair=options.pair, label=options.label, src=source, mt=target)
    return ScoresTask(scorer.out, out, scorer, lower_is_better=not higher_is_better(scorer))
