"""Options of `assay rank` and `assay choose`."""

from dataclasses import dataclass
from typing import Annotated, Literal

from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import (
    Form,
    GateFormat,
    HasHeader,
    Label,
    Model,
    ModelsOfSystems,
    Pair,
    Profile,
    Quiet,
    Server,
    number,
)
from app.shell.options.large_tables import LargeTableOptions

__all__ = ["CandidateOptions", "ChooseOptions", "RankOptions"]


@dataclass(frozen=True, kw_only=True)
class CandidateOptions:
    """Options of commands about several translations of the same sources."""

    source: Annotated[str, argument(help="Sources, one per line; or one table or XLIFF with several translations of each.")]
    systems: Annotated[list[str] | None, argument(help="Translations, one file per system: FILE or NAME=FILE.")] = None
    pair: Pair = None
    header: HasHeader = None
    quiet: Quiet = False


@dataclass(frozen=True, kw_only=True)
class ChooseOptions(CandidateOptions):
    """Options of `assay choose`."""

    model: Model = None
    label: Label = None
    profile: Profile = None
    min_quality: Annotated[float, number("--min-quality", about="Lowest confidence of a choice (0 to 1).", low=0.0, high=1.0)] = 0.0
    fail_on: Annotated[
        Literal["error", "warning", "info"], option(help="No translation with a warning of this severity or worse is a choice.")
    ] = "error"
    server: Server = None
    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class RankOptions(CandidateOptions, LargeTableOptions):
    """Options of `assay rank`."""

    translate: Annotated[list[str] | None, option(help="Translation service, a system too; needs --pair. Repeatable.")] = None
    model: ModelsOfSystems = None
    label: Label = None
    profile: Profile = None
    warnings: Annotated[
        bool, option("--warnings/--no-warnings", help="Check numbers, names, negation, copies, loops and languages; on by default.")
    ] = True
    segments: Annotated[bool, option("--segments", help="Print the order of every segment.")] = False
    baseline: Annotated[str | None, option(help="System to compare with; default: the first.")] = None
    fail_if_worse: Annotated[
        bool, option("--fail-if-worse", help="Exit 1 when a system is significantly worse than the baseline.", panel="Gates")
    ] = False
    fail_unless_better: Annotated[
        bool,
        option("--fail-unless-better", help="Exit 1 unless systems are significantly better than the baseline.", panel="Gates"),
    ] = False
    alpha: Annotated[float, number(about="Level of significance.", panel="Gates", low=0, high=1, shares=True)] = 0.05
    server: Server = None
    form: Annotated[GateFormat, option("--format", help="text, json, tsv, markdown or junit.")] = "text"
