"""Options of `assay pair`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import Replacing
from app.shell.declaration.forms import Format
from app.shell.declaration.parameters import Classes, Form, HigherIsBetter, LowerIsBetter, Range, Unit

__all__ = ["PairAddOptions", "PairListOptions", "PairRemoveOptions"]

Name = Annotated[str, argument(metavar="PAIR", help="Language pair, as en-fr.")]


@dataclass(frozen=True, kw_only=True)
class PairAddOptions(Replacing):
    """Options of `assay pair add`."""

    name: Name
    texts: Annotated[list[str], argument(help="Translation memory or table (TMX, XLIFF, TSV ...), or two text files.")]
    labels: Annotated[str | None, option(help="Table of source, translation, and a score or post_edit.")] = None
    label: Annotated[str | None, option(help="Label of the scores, as hter or da; default: by their heading.")] = None
    label_column: Annotated[str | None, option(help="Heading of the scores; default: one that names a label.")] = None
    higher_is_better: HigherIsBetter = False
    lower_is_better: LowerIsBetter = False
    bounds: Range = None
    classes: Classes = None
    unit: Unit = None
    topics: Annotated[bool, option("--topics", help="Train topics, triggers and a word lexicon too, in minutes.")] = False
    licence: Annotated[str, option(help="Licence of the text, for manifests and cards.")] = "private"


@dataclass(frozen=True, kw_only=True)
class PairListOptions:
    """Options of `assay pair list`."""

    form: Form = Format.TEXT


@dataclass(frozen=True, kw_only=True)
class PairRemoveOptions:
    """Options of `assay pair remove`."""

    name: Name
    yes: Annotated[bool, option("--yes", help="Do not ask.")] = False
