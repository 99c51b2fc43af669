"""`assay corpus filter`: parallel text without the pairs that break rules."""

from pathlib import Path

from app.building.gzip_files import check_read_again
from app.building.text_tables import check_table
from app.errors import InputError
from app.shell.commands.large_tables.runs import writes_files
from app.shell.output import counted, say
from app.smt.commands.corpus.filtered_tables import check_report, filter_tables, write_report
from app.smt.commands.options.corpus.filtering import FilterFiles, described, rules_of
from app.smt.corpus.selection.filter_report import FilterReport
from app.smt.corpus.selection.filtering import KNOWN_PAIR, REPETITION, EqualSides, filter_pairs
from app.smt.corpus.selection.pool import Pool
from app.text.reading.tables import read_column

__all__ = ["filter_text"]

REASONS = {KNOWN_PAIR: "that are in --not-in", REPETITION: "that occur before"}


def filter_text(options: FilterFiles) -> None:
    """Write the pairs that pass all rules, and report the number that each rule leaves out."""
    if writes_files(options):
        filter_tables(options)
        return
    source, target = Path(options.source), Path(options.target)
    paths = {
        "source": options.out_source,
        "target": options.out_target,
        "links": options.out_links,
        "decisions": options.decisions,
        "table": options.out_table,
    }
    check_report(options)
    outputs = {name: path for name, path in paths.items() if path is not None}
    _check(options)
    if not outputs and options.report is None:
        raise InputError("invalid-request", "name an output: --out-source, --out-target, --out-table, --decisions, --report")
    rules = rules_of(options)
    if outputs.keys() - {"decisions"}:
        check_read_again([source, target, *([] if options.links is None else [options.links])])
    corpora = None if options.corpora is None else read_column(str(options.corpora))
    report = None if options.report is None else FilterReport([rule.name for rule in rules if rule.active])
    known_paths = options.known_texts or []
    result = filter_pairs(
        Pool(source, target, options.links),
        rules,
        outputs,
        [Pool(source, target) for source, target in zip(known_paths[::2], known_paths[1::2], strict=True)],
        EqualSides.PAIR if options.equal_sides == "both" else EqualSides[options.equal_sides.upper()],
        options.unique,
        report,
        corpora,
    )
    reasons = {**{rule.name: rule.reason for rule in rules}, **REASONS}
    if report is not None and options.report is not None:
        later = {name: result.faults[name] for name in REASONS if result.faults.get(name)}
        write_report(report, later, options.report, {**reasons, **{rule.name: described(rule) for rule in rules}})
    say(f"kept {result.pass_count} of {counted(result.total, 'pair')}")
    for name, reason in reasons.items():
        if result.faults.get(name):
            say(f"left out {counted(result.faults[name], 'pair')} {reason}")


def _check(options: FilterFiles) -> None:
    """InputError for an option without a companion that it needs."""
    if options.links is not None and options.out_links is None and options.out_table is None:
        raise InputError("invalid-request", "name an output for these links: --out-links or --out-table", ("--links",))
    if options.out_links is not None and options.links is None:
        raise InputError("invalid-request", "these are lines of --links, which is missing", ("--out-links",))
    if options.out_table is not None:
        check_table(options.out_table, "--out-table")
    if options.report is not None and options.report.suffix not in (".md", ".json"):
        raise InputError("invalid-request", "a report is a file in .md or .json", ("--report",))
    if options.corpora is not None and options.report is None:
        raise InputError("invalid-request", "this belongs to --report", ("--corpora",))
    if len(options.known_texts or ()) % 2:
        raise InputError("invalid-request", "name source and target of a text, each behind its own --not-in", ("--not-in",))
    if options.equal_sides != "both" and not (options.unique or options.known_texts):
        raise InputError("invalid-request", "this belongs to --unique and --not-in", ("--same",))
