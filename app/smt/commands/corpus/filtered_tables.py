"""`assay corpus filter` on tables of any size, and reports of filters."""

from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from typing import Final

from app.building.writing import text_aside
from app.errors import InputError
from app.shell.commands.large_tables.runs import named_columns, refuse_others, run_shards, say_summary
from app.shell.output import counted, json_text, say
from app.smt.commands.options.corpus.filtering import FilterFiles, described, rules_of
from app.smt.corpus.selection.filter_report import FilterReport, markdown_report
from app.smt.corpus.selection.rules import RULES

__all__ = ["filter_tables", "tables_and_columns", "write_report"]

FAULT_REASON: Final = "with a text that is null, no text or too long"


def filter_tables(options: FilterFiles) -> None:
    """Write the rows of tables that pass all rules, with all of their columns."""
    from app.scale.claims import FOLDER
    from app.scale.files.places import write_json
    from app.scale.files.shards import shards_of
    from app.smt.corpus.selection.filtered_tables import FAULT, FilterTask, report_of

    of_rules = {field.name for rule in RULES for field in fields(rule)}
    refuse_others(options, {"source", "target", "report", "replace", *of_rules})
    table, source, target = tables_and_columns(options.source, options.target)
    columns = dict(named_columns(options.columns))
    if columns.keys() - {"corpus"}:
        raise InputError(
            "invalid-request", "the texts stand behind the table; --columns corpus=COLUMN names corpora", ("--columns",)
        )
    rules = rules_of(options)
    shards = shards_of([table])
    kind = f".{options.out_format}" if options.out_format else ""
    task = FilterTask(tuple(rules), source, target, str(options.out).rstrip("/"), kind, columns.get("corpus"))
    digests = f"{task.out}/{FOLDER}/report.json"
    check_report(options, digests)
    summary = run_shards(task, shards, options)
    report = report_of(task, [shard for shard in shards if task.output(shard) not in {row.output for row in summary.failures}])
    reasons = {FAULT: FAULT_REASON, **{rule.name: rule.reason for rule in rules}}
    if options.report is not None:
        text = _text(report, {}, options.report, {**reasons, **{rule.name: described(rule) for rule in rules}})
        # Before the report, so that a kill in between leaves none that the same command refuses.
        write_json(digests, sha256(text.encode()).hexdigest())
        with text_aside(options.report) as file:
            file.write(text)
    answer = report.as_json({})
    say(f"kept {answer['passing_pairs']} of {counted(answer['pairs'], 'pair')}")
    for row in answer["rules"]:
        if row["pairs"]:
            say(f"{counted(row['pairs'], 'pair')} {reasons[row['rule']]}, {row['pairs_alone']} of them without another fault")
    say_summary(summary, options, "", answer["passing_pairs"])


def check_report(options: FilterFiles, digests: str | None = None) -> None:
    """InputError for a report that exists without --replace, unless the file at `digests` says that an equal run wrote it."""
    path = options.report
    if path is None or options.replace or not path.exists():
        return
    from app.scale.files.places import read_json

    try:
        is_own = digests is not None and path.is_file() and read_json(digests) == sha256(path.read_bytes()).hexdigest()
    except (InputError, ValueError):
        # Nothing, or nothing readable, says so.
        is_own = False
    if not is_own:
        raise InputError("invalid-request", f"{path} exists already; --replace overwrites it", ("--report",))


def write_report(report: FilterReport, later: Mapping[str, int], path: Path, reasons: Mapping[str, str]) -> None:
    """Write a report as Markdown, or as JSON for a name in ``.json``; `later` are pairs left out of those that pass."""
    with text_aside(path) as file:
        file.write(_text(report, later, path, reasons))


def _text(report: FilterReport, later: Mapping[str, int], path: Path, reasons: Mapping[str, str]) -> str:
    answer = report.as_json(later)
    return json_text(answer) + "\n" if path.suffix == ".json" else markdown_report(answer, reasons)


def tables_and_columns(source: str, target: str) -> tuple[str, str, str]:
    """Table, column of sources and column of targets; InputError unless both are TABLE:COLUMN of one table."""
    table, source_column = _table_and_column(source)
    other_table, target_column = _table_and_column(target)
    if other_table != table:
        detail = f"both texts stand in one table, as {table}:{source_column} {table}:COLUMN"
        raise InputError("invalid-request", detail, ("target",))
    return table, source_column, target_column


def _table_and_column(spec: str) -> tuple[str, str]:
    table, separator, column = spec.rpartition(":")
    if not separator or not table or not column or "/" in column:
        raise InputError("invalid-request", f"with --out, a text is TABLE:COLUMN, as corpus/*.parquet:src, not {spec}", ("source",))
    return table, column
