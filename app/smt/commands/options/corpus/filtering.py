"""Options of `assay corpus filter`: files here, rules from their list."""

from dataclasses import dataclass, field, fields, make_dataclass
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_type_hints

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import PLAIN_TEXT, InFile, OutFile, Replacing
from app.shell.declaration.parameters import number
from app.shell.options.large_tables import LargeTableOptions
from app.smt.corpus.selection.rules import RULES, Rule, RuleOption

__all__ = ["FilterFiles", "FilterOptions", "described", "rules_of"]


@dataclass(frozen=True, kw_only=True)
class FilterFiles(LargeTableOptions, Replacing):
    """Files of `assay corpus filter`, and pairs to leave out as known or repeated."""

    source: Annotated[str, argument(help="Source text, one sentence per line; FILE:COLUMN of a table."), InFile()]
    target: Annotated[str, argument(help="Target text."), InFile()]
    out_source: Annotated[Path | None, option(help="Output: sources of the kept pairs."), OutFile()] = None
    out_target: Annotated[Path | None, option(help="Output: their targets."), OutFile()] = None
    out_links: Annotated[Path | None, option(help="Output: their lines of --links."), OutFile()] = None
    out_table: Annotated[Path | None, option(help="Output: a table of kept pairs, .tsv or .parquet."), OutFile()] = None
    decisions: Annotated[Path | None, option(help="Output: kept, or the broken rule, per pair."), OutFile()] = None
    report: Annotated[
        Path | None, option(help="Output: pairs that each rule leaves out, as .md or .json."), OutFile(resumed=True)
    ] = None
    corpora: Annotated[Path | None, option(help="Name of the corpus of each pair, for --report."), InFile()] = None
    links: Annotated[Path | None, option(help="Word links, one line per pair."), InFile()] = None
    unique: Annotated[bool, option("--unique", help="Keep only the first of equal pairs.")] = False
    known_texts: Annotated[
        list[Path] | None, option("--not-in", help="Leave out pairs of this text: source, then target. Repeatable."), InFile()
    ] = None
    equal_sides: Annotated[
        Literal["both", "source", "target"], option("--same", help="Sides that make pairs equal for --unique and --not-in.")
    ] = "both"


def _with_rules(files: type[FilterFiles]) -> type[FilterFiles]:
    """Subclass of `files` with one option for each field of each rule."""
    options = [
        (name, _parameter(name, hint), field(default=defaults[name]))
        for rule in RULES
        for defaults in [{entry.name: entry.default for entry in fields(rule)}]
        for name, hint in get_type_hints(rule, include_extras=True).items()
        if name in defaults
    ]
    return make_dataclass("FilterOptions", options, bases=(files,), frozen=True, kw_only=True)


def _parameter(name: str, hint: Any) -> Any:
    """The option of a rule's field."""
    kind, choice = get_args(hint)
    assert isinstance(choice, RuleOption)
    plain = next(part for part in (*get_args(kind), kind) if part is not NoneType)
    panel = "Rules"
    if plain is float:
        return Annotated[kind, number(about=choice.help, low=choice.low, high=choice.high, shares=choice.share, panel=panel)]
    low = None if choice.low is None else int(choice.low)
    flags = [f"--{name.replace('_', '-')}"] if plain is bool else []
    field = option(*flags, min=low, help=choice.help, panel=panel)
    return Annotated[kind, field, PLAIN_TEXT] if plain is str else Annotated[kind, field]


FilterOptions = declare(server=True)(_with_rules(FilterFiles))


def described(rule: Rule) -> str:
    """The reason of a rule with its options, as ``with too few or too many words (--min-words 1 --max-words 80)``."""
    values = {f"--{entry.name.replace('_', '-')}": getattr(rule, entry.name) for entry in fields(rule)}
    flags = [
        name if value is True else f"{name} {value}" for name, value in values.items() if value is not None and value is not False
    ]
    return f"{rule.reason} ({' '.join(flags)})" if flags else rule.reason


def rules_of(options: FilterFiles) -> list[Rule]:
    """The rules with their options; InputError for an invalid option."""
    return [rule(**{entry.name: getattr(options, entry.name) for entry in fields(rule)}) for rule in RULES]
