"""Options of `assay smt profile-reordering` and `assay smt preorder evaluate`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from app.shell.declaration.command import declare
from app.shell.declaration.fields import argument, option
from app.shell.declaration.files import InFile
from app.shell.declaration.forms import Format

__all__ = ["EvaluateOrdersOptions", "ProfileReorderingOptions"]


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class ProfileReorderingOptions:
    """Options of `assay smt profile-reordering`."""

    source: Annotated[Path, argument(help="Source text, words between blanks; gzip is read."), InFile()]
    target: Annotated[Path, argument(help="Target text."), InFile()]
    links: Annotated[Path, argument(help="Word links, as 0-0 1-2."), InFile()]
    beside: Annotated[list[str] | None, option(help="JSON profile of another corpus: FILE or NAME=FILE. Repeatable."), InFile()] = (
        None
    )
    form: Annotated[
        Literal["text", "json", "tsv", "markdown", "html"],
        option("--format", "-f", help="text, json, tsv, markdown or html, a page with plots."),
    ] = "text"


@declare(server=True)
@dataclass(frozen=True, kw_only=True)
class EvaluateOrdersOptions:
    """Options of `assay smt preorder evaluate`."""

    orders: Annotated[Path, argument(help="Orders of assay smt preorder apply --to positions."), InFile()]
    source: Annotated[Path, argument(help="Source text, words between blanks; gzip is read."), InFile()]
    target: Annotated[Path, argument(help="Target text."), InFile()]
    links: Annotated[Path, argument(help="Word links, as 0-0 1-2."), InFile()]
    form: Annotated[Format, option("--format", help="text, json, tsv or markdown.")] = Format.TEXT
