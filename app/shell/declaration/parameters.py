"""Arguments and options that several commands share, and options that are fields of requests."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any, Final, Literal

import typer

from app.errors import InputError
from app.planning.numerals import decimal_of, number_of
from app.shell.declaration.fields import argument, option
from app.shell.declaration.forms import Format

__all__ = [
    "LOCAL_SERVER",
    "PAIR_FILES",
    "BackTranslations",
    "Classes",
    "Files",
    "Form",
    "FromSystems",
    "GateFormat",
    "HasHeader",
    "HeldServer",
    "HigherIsBetter",
    "Label",
    "LabelColumn",
    "LabelledFile",
    "LogProbs",
    "LowerIsBetter",
    "Model",
    "ModelsOfSystems",
    "Pair",
    "Priority",
    "PseudoReferences",
    "Quiet",
    "Range",
    "Server",
    "SetName",
    "Tokens",
    "Unit",
    "changed",
    "number",
    "refuse",
]

PAIR_FILES: Final = "Table, document (XLIFF, TMX, PO ...) or two text files; - is stdin."
LOCAL_SERVER: Final = "http://127.0.0.1:8000"
Files = Annotated[list[str], argument(help=PAIR_FILES)]
LabelledFile = Annotated[str, argument(help="Table of source, translation and labels.")]
Pair = Annotated[str | None, option(help="Language pair, as ro-en; default: from the file or its words.")]
Model = Annotated[str | None, option(help="Model id; default: the best one.")]
ModelsOfSystems = Annotated[list[str] | None, option("--model", help="Model id, or SYSTEM=ID; the mean of several. Repeatable.")]
Label = Annotated[str | None, option(help="hter, da, effort, likert, time, origin, critical, or one with its own scale.")]
Profile = Annotated[Literal["fast", "accurate"] | None, option(help="accurate, with a cross-encoder, or fast, without.")]
HigherIsBetter = Annotated[
    bool, option("--higher-is-better", help="Higher values are better.", panel="Label with a scale of its own")
]
LowerIsBetter = Annotated[
    bool, option("--lower-is-better", help="Lower values are better, as of ranks.", panel="Label with a scale of its own")
]
Range = Annotated[str | None, option("--range", help="LOW:HIGH; one may be empty.", panel="Label with a scale of its own")]
Classes = Annotated[str | None, option("--classes", help="All grades, as 1,2,3.", panel="Label with a scale of its own")]
Unit = Annotated[
    str | None, option("--unit", help="Unit; default points; z-score needs no range.", panel="Label with a scale of its own")
]
LabelColumn = Annotated[str | None, option(help="Column of labels; default: label, or the label's name.")]
SetName = Annotated[str | None, option("--feature-set", help="Feature set; default: the largest that fits.")]
LogProbs = Annotated[str | None, option(help="Token log-probabilities, one segment per line.", panel="Outputs of the MT system")]
Tokens = Annotated[str | None, option(help="The MT system's tokens, one segment per line.", panel="Outputs of the MT system")]
PseudoReferences = Annotated[
    list[str] | None, option(help="Translations of another system. Repeatable.", panel="Outputs of the MT system")
]
BackTranslations = Annotated[str | None, option(help="Back-translations, one per line.", panel="Outputs of the MT system")]
FromSystems = Annotated[
    list[str] | None,
    option(metavar="FIELD", help="Evidence by loaded systems, as n_best. Repeatable.", panel="Outputs of the MT system"),
]
Server = Annotated[str | None, option(help="Server to ask instead of computing here.")]
HeldServer = Annotated[str, option("--server", envvar="ASSAY_SERVER", help="Address of the server.")]
HasHeader = Annotated[bool | None, option("--header/--no-header", help="First row is a heading; default: by its content.")]
Priority = Annotated[Literal["low", "normal", "high"] | None, option(help="Priority on a server; high needs the scope admin.")]
Form = Annotated[Format, option("--format", help="Form of the answer.")]
GateFormat = Literal["text", "json", "tsv", "markdown", "junit"]
Quiet = Annotated[bool, option("--quiet", "-q", help="No notes; failed gates are still named.")]


def number(
    *names: str, about: str, low: float | None = None, high: float | None = None, shares: bool = False, panel: str | None = None
) -> Any:
    """An option that is a number from `low` to `high`, with a decimal point or comma; `shares` may be percentages."""

    def read(text: object) -> float:
        value = number_of(str(text)) if shares else decimal_of(str(text))
        if value is None:
            raise typer.BadParameter(f"a number is written as 0.12 or 0,12{' or 12%' if shares else ''}")
        if (low is not None and value < low) or (high is not None and value > high):
            raise typer.BadParameter(f"{value:g} is not {bounds}")
        return value

    limits = {"at least": low, "at most": high}
    bounds = " and ".join(f"{side} {limit:g}" for side, limit in limits.items() if limit is not None)
    return option(*names, help=about, parser=read, metavar="NUMBER", panel=panel)


def changed(arguments: Any, names: Sequence[str]) -> dict[str, bool]:
    """Options of a dataclass by flag, ``--no-`` for False, with True for an option that has another value than its default."""
    defaults = {field.name: field.default for field in fields(arguments)}
    values = {name: getattr(arguments, name) for name in names}
    return {
        f"--{'no-' if value is False else ''}{name.replace('_', '-')}": value != defaults[name] for name, value in values.items()
    }


def refuse(options: Mapping[str, object], reason: str) -> None:
    """InputError where one of these options has a value other than None, False or an empty one."""
    for name, value in options.items():
        if value:
            raise InputError("invalid-request", reason, (name,))
