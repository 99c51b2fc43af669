"""Arguments and options that several commands share, and options that are fields of requests."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import typer
from pydantic import BaseModel

from app.errors import InputError
from app.planning.numerals import decimal_of, number_of
from app.shell.output import Format

__all__ = [
    "HERE",
    "PAIR_FILES",
    "BackTranslations",
    "Classes",
    "Files",
    "Form",
    "FromSystems",
    "HasHeader",
    "HeldServer",
    "HigherIsBetter",
    "Label",
    "LabelColumn",
    "LabelledFile",
    "LogProbs",
    "LowerIsBetter",
    "Model",
    "NBest",
    "Pair",
    "Priority",
    "PseudoReferences",
    "Range",
    "Server",
    "SetName",
    "Tokens",
    "Unit",
    "default",
    "number",
    "number_option",
    "option",
    "refuse",
]

PAIR_FILES: Final = (
    "A table with source and translation columns (- is stdin), another document (XLIFF, TMX, PO ...), or two text files."
)
HERE: Final = "http://127.0.0.1:8000"
Files = Annotated[list[str], typer.Argument(help=PAIR_FILES)]
LabelledFile = Annotated[str, typer.Argument(help="Table with source, translation and labels.")]
Pair = Annotated[str | None, typer.Option(help="Language pair, as ro-en or en-US:zh-CN; as the file or its words say otherwise.")]
Model = Annotated[str | None, typer.Option(help="Model id; the best one otherwise.")]
Label = Annotated[str | None, typer.Option(help="hter, da, effort, likert, time, or one whose scale was declared.")]
Profile = Annotated[
    Literal["fast", "accurate"] | None,
    typer.Option(help="accurate asks the encoder of sentences, fast does not; by ASSAY_PROFILE otherwise."),
]
HigherIsBetter = Annotated[bool, typer.Option("--higher-is-better", help="Of a label on a scale of its own: higher is better.")]
LowerIsBetter = Annotated[bool, typer.Option("--lower-is-better", help="The same: lower is better, as of ranks.")]
Range = Annotated[str | None, typer.Option("--range", help="Of such a label: LOW:HIGH, of which one may be empty.")]
Classes = Annotated[str | None, typer.Option("--classes", help="Of such a label: the only grades there are, as 1,2,3.")]
Unit = Annotated[str | None, typer.Option("--unit", help="Of such a label: points otherwise; z-score needs no range.")]
LabelColumn = Annotated[
    str | None, typer.Option(help="Column of the labels; otherwise the one called label, or as the label itself is called.")
]
SetName = Annotated[
    str | None,
    typer.Option("--feature-set", help="The largest that fits otherwise; SET+neural.NAME adds the score of a checkpoint."),
]
LogProbs = Annotated[str | None, typer.Option(help="File of token log-probabilities, one segment a line.")]
Tokens = Annotated[str | None, typer.Option(help="File of the MT system's own tokens, one segment a line.")]
NBest = Annotated[str | None, typer.Option(help="Moses n-best list of the sources.")]
PseudoReferences = Annotated[list[str] | None, typer.Option(help="Another system's translations, one a line; repeat for more.")]
BackTranslations = Annotated[str | None, typer.Option(help="The translations, translated back, one a line.")]
FromSystems = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FIELD",
        help="What loaded systems translate for: pseudo_references, back_translation or n_best; repeat for more.",
    ),
]
Server = Annotated[str | None, typer.Option(help="Ask this server instead of loading an engine here.")]
HeldServer = Annotated[str, typer.Option("--server", envvar="ASSAY_SERVER", help="Address of the server.")]
HasHeader = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether a table's first row is a heading; told by its content otherwise."),
]
Priority = Annotated[
    Literal["low", "normal", "high"] | None,
    typer.Option(help="What goes first on a server; high needs a key with the scope admin."),
]
Form = Annotated[Format, typer.Option("--format", help="Form of the answer.")]


def option(request: type[BaseModel], field: str, *names: str, about: str | None = None) -> Any:
    """The option that becomes a field of a request: its bounds are the field's, its help is the field's unless given."""
    return typer.Option(*names, help=about or f"{request.model_fields[field].description}.", **_bounds(request, field))


def _bounds(request: type[BaseModel], field: str) -> dict[str, Any]:
    return {
        side: getattr(limit, attribute)
        for side, attribute in (("min", "ge"), ("max", "le"))
        for limit in request.model_fields[field].metadata
        if getattr(limit, attribute, None) is not None
    }


def number(*names: str, about: str, low: float | None = None, high: float | None = None, shares: bool = False) -> Any:
    """An option that is a number, with a decimal point or a decimal comma; of `shares`, a percentage too."""

    def read(text: object) -> float:
        value = number_of(str(text)) if shares else decimal_of(str(text))
        if value is None:
            raise typer.BadParameter(f"a number is written as 0.12 or 0,12{' or 12%' if shares else ''}")
        if (low is not None and value < low) or (high is not None and value > high):
            raise typer.BadParameter(f"{value:g} is not {bounds}")
        return value

    limits = {"at least": low, "at most": high}
    bounds = " and ".join(f"{side} {limit:g}" for side, limit in limits.items() if limit is not None)
    return typer.Option(*names, help=f"{about.removesuffix('.')}; {bounds}." if bounds else about, parser=read, metavar="NUMBER")


def number_option(request: type[BaseModel], field: str, about: str, shares: bool = False) -> Any:
    """The same of a field of a request, whose bounds it has."""
    bounds = _bounds(request, field)
    return number(about=about, low=bounds.get("min"), high=bounds.get("max"), shares=shares)


def default(request: type[BaseModel], field: str) -> Any:
    """What a field of a request is where nothing is said."""
    return request.model_fields[field].get_default(call_default_factory=True)


def refuse(options: Mapping[str, object], why: str) -> None:
    """InputError where one of these options was given: None, False and nothing are not."""
    for name, value in options.items():
        if value:
            raise InputError("invalid-request", why, (name,))
