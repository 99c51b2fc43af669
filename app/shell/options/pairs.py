"""Options of `assay pair`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from app.shell.declaration.files import Replacing
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Classes, Form, HigherIsBetter, LowerIsBetter, Range, Unit

__all__ = ["PairAddOptions", "PairListOptions", "PairRemoveOptions"]

Name = Annotated[str, typer.Argument(metavar="PAIR", help="Language pair, as en-fr.")]


@dataclass(frozen=True, kw_only=True)
class PairAddOptions(Replacing):
    """Options of `assay pair add`."""

    name: Name
    texts: Annotated[
        list[str],
        typer.Argument(help="Translation memory or table (TMX, XLIFF, TSV ...), or two text files."),
    ]
    labels: Annotated[str | None, typer.Option(help="Table of source, translation, and a score or post_edit.")] = None
    label: Annotated[str | None, typer.Option(help="Label of the scores, as hter or da; default: by their heading.")] = None
    label_column: Annotated[str | None, typer.Option(help="Heading of the scores; default: one that names a label.")] = None
    higher_is_better: HigherIsBetter = False
    lower_is_better: LowerIsBetter = False
    bounds: Range = None
    classes: Classes = None
    unit: Unit = None
    licence: Annotated[str, typer.Option(help="Licence of the text, for manifests and cards.")] = "private"


@dataclass(frozen=True, kw_only=True)
class PairListOptions:
    """Options of `assay pair list`."""

    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class PairRemoveOptions:
    """Options of `assay pair remove`."""

    name: Name
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
